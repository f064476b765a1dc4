//! The network namespaces of this machine, and a way to ask each for its sockets.
//!
//! A namespace is entered by a thread of its own, so that nothing else of the process moves; what it opens there works from anywhere.
//! Found are those that a process is in (`/proc/PID/ns/net`) or that are mounted (`ip netns`, container runtimes). One that is left only
//! by threads, or kept only by descriptors, is not.

mod enter;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::os::linux::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::memory::{Pressure, Pressures};
use crate::opens::Opens;
use crate::sample::Dump;
use crate::settings::Settings;
use enter::Enter;
pub(crate) use enter::inside;

/// Between two looks for namespaces: a look costs a link read per process. A namespace that everybody left is held open no longer.
const LOOK: Duration = Duration::from_secs(1);
/// Namespaces that are watched at once.
const MOST: usize = 1024;

/// A network namespace.
#[derive(Debug)]
pub struct Namespace {
    /// Inode of `/proc/PID/ns/net`.
    pub inode: u32,
    /// Its name, where it is mounted under one: the last part of the path.
    pub name: Option<String>,
    /// Its settings when it was found.
    pub settings: Settings,
    /// Asks it.
    pub dump: Dump,
    /// Counts its connections.
    pub opens: Opens,
    /// Counts when its sockets were short of memory.
    pub pressures: Pressures,
}

/// The network namespaces that are watched.
#[derive(Debug)]
pub struct Namespaces {
    own: u32,
    all: Vec<Namespace>,
    others: Option<Others>,
}

/// How other namespaces are found.
#[derive(Debug)]
struct Others {
    enter: Enter,
    /// Only the one with this name or inode.
    wanted: Option<String>,
    looked: Option<Instant>,
    refused: HashMap<u32, Refusal>,
}

/// Why a namespace is not watched.
#[derive(Debug, Clone)]
struct Refusal {
    why: String,
    /// At another time it may be: room or descriptors were short.
    passes: bool,
}

impl Refusal {
    /// What the system said to somebody who wanted to enter.
    fn of(error: &io::Error) -> Self {
        const SHORT: [i32; 5] =
            [libc::EMFILE, libc::ENFILE, libc::ENOMEM, libc::ENOBUFS, libc::EAGAIN];
        let passes = error.raw_os_error().is_some_and(|errno| SHORT.contains(&errno));
        Self { why: error.to_string(), passes }
    }
}

impl Namespaces {
    /// The caller's alone.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`, or no descriptor is left.
    pub fn own() -> io::Result<Self> {
        let inode = inode(Path::new("/proc/self/ns/net")).unwrap_or(0);
        let name = names().remove(&inode).and_then(|path| name(&path));
        let (settings, dump, opens) = (Settings::read(), Dump::open()?, Opens::open());
        let pressures = Pressures::open();
        let own = Namespace { inode, name, settings, dump, opens, pressures };
        Ok(Self { own: inode, all: vec![own], others: None })
    }

    /// Every one that this process may enter, or the one that is `wanted` by its name or inode. It takes CAP_SYS_ADMIN: a thread keeps
    /// that capability for those that come up later.
    ///
    /// # Errors
    /// As [`Self::own`], or no thread can be started.
    pub fn everywhere(wanted: Option<&str>) -> io::Result<Self> {
        let mut found = Self::own()?;
        found.all.retain(|own| is_wanted(wanted, own.inode, own.name.as_deref()));
        found.others = Some(Others {
            enter: Enter::start()?,
            wanted: wanted.map(str::to_owned),
            looked: None,
            refused: HashMap::new(),
        });
        found.look();
        Ok(found)
    }

    /// The caller's: an inode.
    #[must_use]
    pub fn own_inode(&self) -> u32 {
        self.own
    }

    /// All that are watched.
    pub fn iter(&self) -> impl Iterator<Item = &Namespace> {
        self.all.iter()
    }

    /// The namespace with this inode, while it is watched.
    #[must_use]
    pub fn get(&self, inode: u32) -> Option<&Namespace> {
        self.all.iter().find(|namespace| namespace.inode == inode)
    }

    /// What each one counted since it began, by its inode.
    pub fn pressures(&self) -> impl Iterator<Item = (u32, Pressure)> {
        self.all.iter().filter_map(|space| Some((space.inode, space.pressures.count()?)))
    }

    /// How many could not be entered, and why the first could not.
    #[must_use]
    pub fn refused(&self) -> Option<(usize, &str)> {
        let refused = &self.others.as_ref()?.refused;
        Some((refused.len(), &refused.values().next()?.why))
    }

    /// Looks for namespaces that came up, and lets go of those that everybody left. At most once a second; else it does nothing.
    pub fn look(&mut self) {
        let Some(others) = &mut self.others else { return };
        if others.looked.is_some_and(|at| at.elapsed() < LOOK) {
            return;
        }
        others.looked = Some(Instant::now());
        let found = found();
        let own = self.own;
        self.all.retain(|n| n.inode == own || found.contains_key(&n.inode));
        others.refused.retain(|inode, refusal| !refusal.passes && found.contains_key(inode));
        let known: HashSet<u32> = self.all.iter().map(|namespace| namespace.inode).collect();
        // Where something is short for one it is for those after it: they are not tried.
        let mut short: Option<Refusal> = None;
        for (inode, path) in found {
            let name = name(&path);
            let is_known = known.contains(&inode) || others.refused.contains_key(&inode);
            if is_known || !is_wanted(others.wanted.as_deref(), inode, name.as_deref()) {
                continue;
            }
            if self.all.len() >= MOST {
                let why = format!("there are more than {MOST}");
                short.get_or_insert(Refusal { why, passes: true });
            }
            match short.clone().map_or_else(|| others.visit(inode, name, &path), Err) {
                Ok(namespace) => self.all.extend(namespace),
                Err(refusal) => {
                    short = Some(refusal.clone()).filter(|refusal| refusal.passes);
                    others.refused.insert(inode, refusal);
                }
            }
        }
    }
}

impl Others {
    /// Opens the namespace with this inode, where it is still the one of the path; if not, the next look tells.
    fn visit(
        &self,
        inode: u32,
        name: Option<String>,
        path: &Path,
    ) -> Result<Option<Namespace>, Refusal> {
        let visit = self.enter.visit(path).map_err(|e| Refusal::of(&e))?;
        Ok(visit.filter(|visit| visit.inode == inode).map(|visit| Namespace {
            inode,
            name,
            settings: visit.settings,
            dump: visit.dump,
            opens: visit.opens,
            pressures: visit.pressures,
        }))
    }
}

fn is_wanted(wanted: Option<&str>, inode: u32, name: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| name == Some(wanted) || wanted.parse() == Ok(inode))
}

/// Namespaces by their inodes, and where each can be opened: by its name rather than by a process.
fn found() -> HashMap<u32, PathBuf> {
    let mut found = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok())
            && let Some(inode) = inode(&path.join("ns/net"))
        {
            found.entry(inode).or_insert_with(|| path.join("ns/net"));
        }
    }
    found.extend(names());
    found
}

/// Of a link `net:[4026531833]`.
fn inode(link: &Path) -> Option<u32> {
    let link = fs::read_link(link).ok()?;
    link.to_str()?.strip_prefix("net:[")?.strip_suffix(']')?.parse().ok()
}

/// Where namespaces are mounted, by their inodes.
fn names() -> HashMap<u32, PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    mounts.lines().filter_map(mounted).collect()
}

/// A line `id parent device root path options - nsfs nsfs rw`, where the root is `net:[4026531833]`.
fn mounted(line: &str) -> Option<(u32, PathBuf)> {
    let mut words = line.split(' ');
    words.nth(3).filter(|root| root.starts_with("net:["))?;
    let path = PathBuf::from(words.next()?);
    // By the file: a mount over it is what would be opened.
    let inode = fs::metadata(&path).ok()?.st_ino();
    Some((u32::try_from(inode).ok()?, path))
}

fn name(path: &Path) -> Option<String> {
    if path.starts_with("/proc") {
        return None;
    }
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_own_namespace_comes_first_and_once() {
        let Ok(mut all) = Namespaces::everywhere(None) else {
            return println!("skipped: no sock_diag");
        };
        let own = inode(Path::new("/proc/self/ns/net")).unwrap();
        assert_eq!((all.iter().next().unwrap().inode, all.own_inode()), (own, own));
        all.look();
        assert_eq!(all.iter().filter(|namespace| namespace.inode == own).count(), 1);
        assert!(all.get(own).unwrap().settings.tcp_wmem_most > 0 && all.get(1).is_none());
        let alone = Namespaces::everywhere(Some(&own.to_string())).unwrap();
        assert_eq!(alone.iter().map(|namespace| namespace.inode).collect::<Vec<_>>(), [own]);
        assert_eq!(Namespaces::everywhere(Some("no such name")).unwrap().iter().count(), 0);
    }

    #[test]
    fn what_was_refused_for_want_of_room_is_tried_again_and_what_is_forbidden_is_not() {
        let Ok(mut all) = Namespaces::everywhere(None) else {
            return println!("skipped: no sock_diag");
        };
        let own = all.own;
        for passes in [true, false] {
            all.all.clear();
            let others = all.others.as_mut().unwrap();
            others.looked = None;
            others.refused = HashMap::from([(own, Refusal { why: "before".into(), passes })]);
            all.look();
            let refusal = all.others.as_ref().unwrap().refused.get(&own);
            let again = refusal.is_none_or(|refusal| refusal.why != "before");
            assert_eq!(again, passes, "{refusal:?}");
        }
        let passes = |errno| Refusal::of(&io::Error::from_raw_os_error(errno)).passes;
        assert!(passes(libc::EMFILE) && !passes(libc::EPERM));
    }

    #[test]
    fn mounts_of_other_kinds_are_none() {
        assert_eq!(mounted("22 1 0:4 mnt:[4026531833] /run/x rw - nsfs nsfs rw"), None);
        assert_eq!(mounted("22 1 0:4 net:[4026531833] /nowhere rw - nsfs nsfs rw"), None);
        assert_eq!(mounted(""), None);
        assert_eq!(name(Path::new("/proc/1/ns/net")), None);
        assert_eq!(name(Path::new("/run/netns/blue")).as_deref(), Some("blue"));
    }
}
