//! A walk through the descriptors of all processes, that can be interrupted.

use std::fs;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::time::Instant;

use hashbrown::{HashMap, HashSet};
use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Dir, Mode, OFlags, openat, readlinkat_raw};

use super::Owner;

/// A link `socket:[4294967295]` and a byte more.
const LINK: usize = 20;
/// Descriptors looked at between two looks at the clock.
const PIECE: usize = 64;

/// What is left of a walk.
#[derive(Debug)]
pub(super) struct Walk {
    /// What was looked for when it began.
    pub(super) wanted: HashSet<u32>,
    /// Processes not visited yet, the next one last.
    pids: Vec<u32>,
    /// The one that is visited.
    process: Option<Process>,
    /// Descriptors of which it is known what they are.
    known: HashSet<(u32, u32)>,
}

#[derive(Debug)]
struct Process {
    pid: u32,
    folder: OwnedFd,
    /// Its descriptors not looked at yet.
    fds: Vec<u32>,
    command: Option<Arc<str>>,
}

impl Walk {
    /// Processes with `known` descriptors come first: they are the ones that get more. The descriptors themselves are passed over.
    pub(super) fn new(wanted: HashSet<u32>, known: HashSet<(u32, u32)>) -> Self {
        let holders: HashSet<u32> = known.iter().map(|(pid, _)| *pid).collect();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let mut pids: Vec<u32> =
            entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
        pids.sort_unstable_by_key(|pid| (holders.contains(pid), *pid));
        Self { wanted, pids, process: None, known }
    }

    /// See [`super::Look::go_on`].
    pub(super) fn go_on(
        &mut self,
        wanted: &mut HashSet<u32>,
        found: &mut HashMap<u32, Owner>,
        end: Option<Instant>,
    ) -> bool {
        while !wanted.is_empty() {
            let process = match &mut self.process {
                Some(process) => process,
                None => {
                    let Some(pid) = self.pids.pop() else { return true };
                    let Some(process) = Process::open(pid, &self.known) else { continue };
                    self.process.insert(process)
                }
            };
            if process.look(wanted, found) {
                self.process = None;
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                return self.process.is_none() && self.pids.is_empty();
            }
        }
        true
    }
}

impl Process {
    /// `None` where it ended, or may not be looked into.
    fn open(pid: u32, known: &HashSet<(u32, u32)>) -> Option<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(CWD, format!("/proc/{pid}/fd"), flags, Mode::empty()).ok()?;
        let entries = Dir::read_from(&folder).ok()?.flatten();
        let fds = entries
            .filter_map(|entry| entry.file_name().to_str().ok()?.parse().ok())
            .filter(|fd| !known.contains(&(pid, *fd)))
            .collect();
        Some(Self { pid, folder, fds, command: None })
    }

    /// Looks at some of its descriptors; whether those were the last.
    fn look(&mut self, wanted: &mut HashSet<u32>, found: &mut HashMap<u32, Owner>) -> bool {
        for fd in self.fds.split_off(self.fds.len().saturating_sub(PIECE)) {
            let Some(inode) = self.inode(fd).filter(|inode| wanted.remove(inode)) else { continue };
            let pid = self.pid;
            let command = self.command.get_or_insert_with(|| command(pid).into());
            let command = Arc::clone(command);
            found.insert(inode, Owner { pid, command, fd });
        }
        self.fds.is_empty()
    }

    /// Of a socket: its link says `socket:[1234]`.
    fn inode(&self, fd: u32) -> Option<u32> {
        let mut space = [MaybeUninit::<u8>::uninit(); LINK];
        let (link, _) = readlinkat_raw(&self.folder, fd.to_string(), &mut space).ok()?;
        let number = link.strip_prefix(b"socket:[")?.strip_suffix(b"]")?;
        std::str::from_utf8(number).ok()?.parse().ok()
    }
}

fn command(pid: u32) -> String {
    let comm = fs::read(format!("/proc/{pid}/comm")).unwrap_or_default();
    String::from_utf8_lossy(&comm).trim_end().to_owned()
}
