//! Cgroups by their number: which unit or container a socket was made in.

mod names;

pub use names::Names;

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::DirEntryExt;
use std::path::{Path, PathBuf};

/// Folders looked at in one reading: more than hosts have, so that a tree which somebody else fills cannot hold us up.
const MOST: usize = 20_000;

/// Digits of a container's number.
const CONTAINER: usize = 64;

/// The paths of all cgroups of the version 2 tree, by the number that `sock_diag` tells: the inode of the folder.
#[derive(Debug, Default)]
pub struct Cgroups(HashMap<u64, String>);

impl Cgroups {
    /// Walks the tree that `/proc/self/mounts` names; empty where there is none.
    #[must_use]
    pub fn read() -> Self {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        root(&mounts).map_or_else(Self::default, |root| Self::under(&root))
    }

    /// Number and path of each, the path as `/proc/PID/cgroup` writes it: `/system.slice/nginx.service`; the root is `/`.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        self.0.iter().map(|(id, path)| (*id, path.as_str()))
    }

    fn under(root: &Path) -> Self {
        use std::os::unix::fs::MetadataExt;
        let mut found = HashMap::new();
        if let Ok(metadata) = fs::metadata(root) {
            found.insert(metadata.ino(), "/".to_owned());
        }
        let mut waiting = vec![(root.to_owned(), String::new())];
        while let Some((folder, path)) = waiting.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                if found.len() >= MOST || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    continue;
                }
                let path = format!("{path}/{}", entry.file_name().to_string_lossy());
                waiting.push((entry.path(), path.clone()));
                found.insert(entry.ino(), path);
            }
        }
        Self(found)
    }
}

/// Whether there is a cgroup with such a path, by the tree or by what processes are in.
#[must_use]
pub fn is_any(wanted: impl Fn(&str) -> bool) -> bool {
    let processes = || fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = |entry: fs::DirEntry| fs::read_to_string(entry.path().join("cgroup")).ok();
    Cgroups::read().iter().any(|(_, path)| wanted(path))
        || processes().filter_map(own).any(|text| names::deepest(&text).is_some_and(&wanted))
}

/// Runtime and number of the container that one part of a path names: `cri-containerd-ID.scope`, `docker-ID.scope`; the runtime is empty in
/// `ID`.
#[must_use]
pub fn container(part: &str) -> Option<(&str, &str)> {
    let part = part.strip_suffix(".scope").unwrap_or(part);
    let (runtime, id) = part.rsplit_once('-').unwrap_or(("", part));
    is_container_id(id).then_some((runtime, id))
}

/// Whether a container may have this number.
#[must_use]
pub fn is_container_id(text: &str) -> bool {
    text.len() == CONTAINER && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Where the version 2 tree is mounted: `/sys/fs/cgroup`, or `/sys/fs/cgroup/unified` beside version 1.
fn root(mounts: &str) -> Option<PathBuf> {
    let mut fields = mounts.lines().map(|line| line.split(' '));
    fields.find_map(|mut line| {
        let path = line.nth(1)?;
        (line.next() == Some("cgroup2")).then(|| PathBuf::from(path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_folder_is_found_by_its_inode() {
        let tree = tempfile::tempdir().unwrap();
        let unit = tree.path().join("system.slice/nginx.service");
        fs::create_dir_all(&unit).unwrap();
        fs::write(unit.join("cgroup.procs"), "1\n").unwrap();
        let cgroups = Cgroups::under(tree.path());
        let path = |folder: &Path| {
            let id = fs::metadata(folder).unwrap().ino();
            cgroups.iter().find(|(other, _)| *other == id).map(|(_, path)| path)
        };
        assert_eq!(path(&unit), Some("/system.slice/nginx.service"));
        assert_eq!(path(tree.path()), Some("/"));
        assert_eq!(cgroups.iter().count(), 3, "files are no cgroups");
    }

    #[test]
    fn a_path_that_nobody_has_is_not_there() {
        assert!(!is_any(|path| path.contains("no such/path")));
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let own = names::deepest(&own);
        assert!(own.is_none_or(|own| is_any(|path| path == own)));
    }

    #[test]
    fn the_version_2_tree_is_found_beside_version_1() {
        let mounts = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw 0 0\n\
                      cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        assert_eq!(root(mounts), Some(PathBuf::from("/sys/fs/cgroup/unified")));
        assert_eq!(root("tmpfs / tmpfs rw 0 0\n"), None);
    }

    #[test]
    fn numbers_are_found_whatever_the_runtime_puts_around_them() {
        let id = |part: &str| container(part).map(|(_, id)| id.to_owned());
        let number = "0123456789abcdef".repeat(4);
        for part in [
            number.clone(),
            format!("docker-{number}.scope"),
            format!("cri-containerd-{number}.scope"),
        ] {
            assert_eq!(id(&part), Some(number.clone()));
        }
        assert_eq!(id("nginx.service"), None);
        assert_eq!(id("session-3.scope"), None);
    }
}
