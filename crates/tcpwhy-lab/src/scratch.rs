//! Folders of a run's own in the system's temporary folder. One whose owner was killed is removed by whoever needs one next.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags};
use tempfile::TempDir;

/// Hidden: no folder that somebody names for results begins with it, and is taken for one that was left.
const PREFIX: &str = ".tcpwhy-scratch-";

/// An empty folder, gone with this value.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// Locked as long as this process lives: released after the folder is gone, or by the kernel when the process is killed.
    _lock: File,
}

impl Scratch {
    /// Makes one, and removes those that killed processes of the same user left.
    ///
    /// # Errors
    /// The temporary folder cannot be written to.
    pub fn new() -> io::Result<Self> {
        Self::inside(&std::env::temp_dir())
    }

    fn inside(place: &Path) -> io::Result<Self> {
        clean(place);
        loop {
            // Servers that give up being root must be able to read what is in it.
            let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            let folder =
                tempfile::Builder::new().prefix(PREFIX).permissions(open).tempdir_in(place)?;
            // Whoever cleans up may have come before the lock: then this one is as good as gone.
            match locked(folder.path()) {
                Ok(lock) if is_same(&lock, folder.path()) => {
                    return Ok(Self { folder, _lock: lock });
                }
                Ok(_) => {}
                Err(e)
                    if [io::ErrorKind::WouldBlock, io::ErrorKind::NotFound].contains(&e.kind()) => {
                }
                Err(e) => return Err(e),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Opens a folder, never through a link, and locks it unless somebody else has.
fn locked(folder: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(folder, flags, Mode::empty())?;
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    Ok(file.into())
}

fn is_same(lock: &File, folder: &Path) -> bool {
    let id = |m: io::Result<std::fs::Metadata>| m.ok().map(|m| (m.dev(), m.ino()));
    id(lock.metadata()).is_some_and(|mine| id(folder.symlink_metadata()) == Some(mine))
}

/// Removes what nobody holds. What cannot be removed is left where it is: another user's, or one that is just being removed.
fn clean(place: &Path) {
    let me = rustix::process::geteuid().as_raw();
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) {
            continue;
        }
        let folder = entry.path();
        let Ok(lock) = locked(&folder) else { continue };
        if lock.metadata().is_ok_and(|m| m.uid() == me) && is_same(&lock, &folder) {
            let _ = std::fs::remove_dir_all(&folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_one_left_goes_and_what_is_in_use_stays() {
        let place = tempfile::tempdir().unwrap();
        let left = place.path().join(".tcpwhy-scratch-killed");
        std::fs::create_dir_all(left.join("client/data")).unwrap();
        std::fs::write(left.join("client/data/x.pcapng"), "x").unwrap();
        let others = ["tcpwhy-lab-1", "tcpwhy-scratch-results"].map(|name| place.path().join(name));
        for other in &others {
            std::fs::create_dir(other).unwrap();
        }
        let elsewhere = tempfile::tempdir().unwrap();
        let link = place.path().join(".tcpwhy-scratch-link");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        let first = Scratch::inside(place.path()).unwrap();
        assert!(!left.exists());
        assert!(others.iter().all(|other| other.exists()), "a user's own");
        assert!(elsewhere.path().exists() && link.symlink_metadata().is_ok());
        let second = Scratch::inside(place.path()).unwrap();
        assert!(first.path().exists() && second.path().exists());
        let path = first.path().to_owned();
        drop(first);
        assert!(!path.exists());
    }

    #[test]
    fn many_at_once_do_not_take_each_others() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        let scratch = Scratch::inside(place.path()).unwrap();
                        std::fs::write(scratch.path().join("x"), "x").unwrap();
                        clean(place.path());
                        assert!(scratch.path().join("x").exists());
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }
}
