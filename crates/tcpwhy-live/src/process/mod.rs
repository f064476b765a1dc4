//! Which process has a socket open: by the kernel's iterator over the files of all processes, which tells a socket's locks as well, and
//! where BPF is refused by `/proc/PID/fd`.

#[cfg_attr(not(feature = "bpf"), allow(dead_code))] // Nobody reads.
mod descriptor;
#[cfg(feature = "bpf")]
mod iterator;
#[cfg(not(feature = "bpf"))]
#[path = "without.rs"]
mod iterator;
mod pass;
mod walk;

pub use descriptor::Descriptor;
pub use iterator::Descriptors;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::locks::Locks;
use hashbrown::{HashMap, HashSet};
use pass::Pass;
use walk::Walk;

/// After this much time a socket that nobody seemed to have open is looked for again: it may have been handed on meanwhile.
const AGAIN: Duration = Duration::from_secs(10);

/// A process's descriptor of a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Process.
    pub pid: u32,
    /// Its command name, at most 15 bytes, as the process says: not to be trusted. A process's sockets share it.
    pub command: Arc<str>,
    /// Its descriptor of the socket.
    pub fd: u32,
}

/// The owners of sockets, as far as this user may see them. Each socket is looked for once: what is known stays known while it lives.
#[derive(Debug, Default)]
pub struct Owners {
    /// Asks the kernel, where that is permitted.
    descriptors: Option<Descriptors>,
    found: Found,
    /// Looked for without success, and when.
    nobody: HashMap<u32, Instant>,
    /// The look that goes on when there is time.
    look: Option<Look>,
}

/// What was found.
#[derive(Debug, Default)]
struct Found {
    /// By the socket's inode.
    owners: HashMap<u32, Owner>,
    /// By its cookie; what came with owners found since it was taken.
    locks: HashMap<u64, Locks>,
}

/// A look at what processes have open.
#[derive(Debug)]
enum Look {
    Pass(Pass),
    Walk(Walk),
}

impl Look {
    /// Goes on until all is found, or all was looked at, or it is time to stop; `false` where it is not over. What it finds goes from
    /// `wanted` to `found`.
    fn go_on(
        &mut self,
        wanted: &mut HashSet<u32>,
        found: &mut Found,
        end: Option<Instant>,
    ) -> bool {
        match self {
            Self::Pass(pass) => pass.go_on(wanted, found, end),
            Self::Walk(walk) => walk.go_on(wanted, &mut found.owners, end),
        }
    }

    /// What was looked for when it began.
    fn wanted(&self) -> &HashSet<u32> {
        match self {
            Self::Pass(pass) => &pass.wanted,
            Self::Walk(walk) => &walk.wanted,
        }
    }
}

impl Owners {
    /// Asks the kernel's iterator; without it, `/proc`.
    #[must_use]
    pub fn of_descriptors(descriptors: Option<Descriptors>) -> Self {
        Self { descriptors, ..Self::default() }
    }

    /// Of the socket with this inode; of several processes that share it, one.
    #[must_use]
    pub fn of(&self, inode: u32) -> Option<&Owner> {
        self.found.owners.get(&inode)
    }

    /// What the applications of sockets set, by cookie, as far as it was told with the owners that were found since the last call.
    #[must_use]
    pub fn take_locks(&mut self) -> HashMap<u64, Locks> {
        std::mem::take(&mut self.found.locks)
    }

    /// Keeps what is known of these sockets, and looks for the owners of the others among them for at most `time`; what is not found by
    /// then is looked for from there the next time. Processes that end meanwhile, or belong to others, are left out.
    pub fn update(&mut self, inodes: &HashSet<u32>, time: Duration) {
        let began = Instant::now();
        let end = began.checked_add(time);
        self.forget(inodes);
        let is_new = |inode: &&u32| {
            let tried = self.nobody.get(*inode).is_some_and(|at| began - *at < AGAIN);
            !self.found.owners.contains_key(*inode) && !tried
        };
        let mut wanted: HashSet<u32> = inodes.iter().filter(is_new).copied().collect();
        while !wanted.is_empty() {
            let mut look = self.look.take().unwrap_or_else(|| self.look_for(&wanted));
            if !look.go_on(&mut wanted, &mut self.found, end) {
                self.look = Some(look);
                return;
            }
            // What came after the look began may be in a process that it had passed by then.
            let missed = look.wanted().iter().filter(|inode| wanted.contains(*inode));
            let missed: Vec<u32> = missed.copied().collect();
            wanted.retain(|inode| !look.wanted().contains(inode));
            self.nobody.extend(missed.into_iter().map(|inode| (inode, began)));
        }
        self.look = None;
    }

    /// In `/proc`, descriptors that are known need no look, unless somebody was missed: one may have been closed and opened again since.
    fn look_for(&mut self, wanted: &HashSet<u32>) -> Look {
        if let Some(Ok(records)) = self.descriptors.as_mut().map(Descriptors::begin) {
            return Look::Pass(Pass::new(wanted.clone(), records));
        }
        let missed = wanted.iter().any(|inode| self.nobody.contains_key(inode));
        let known = self.found.owners.values().filter(|_| !missed);
        Look::Walk(Walk::new(wanted.clone(), known.map(|owner| (owner.pid, owner.fd)).collect()))
    }

    /// Whether the time of the last call was over before everything had been looked at: the next one goes on.
    #[must_use]
    pub fn is_looking(&self) -> bool {
        self.look.is_some()
    }

    /// The owner turned out not to have the socket: it is looked for again.
    pub fn is_wrong(&mut self, inode: u32) {
        self.found.owners.remove(&inode);
    }

    /// Drops sockets that are gone, and owners that are: a socket lives on where somebody else has it open.
    fn forget(&mut self, inodes: &HashSet<u32>) {
        self.nobody.retain(|inode, _| inodes.contains(inode));
        let mut alive = HashMap::new();
        self.found.owners.retain(|inode, owner| {
            let is_alive = |pid: u32| Path::new("/proc").join(pid.to_string()).exists();
            inodes.contains(inode) && *alive.entry(owner.pid).or_insert_with(|| is_alive(owner.pid))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::os::linux::fs::MetadataExt;
    use std::process::{Command, Stdio};

    const LONG: Duration = Duration::from_secs(60);

    fn inode(socket: &impl AsRawFd) -> u32 {
        let link = format!("/proc/self/fd/{}", socket.as_raw_fd());
        u32::try_from(std::fs::metadata(link).unwrap().st_ino()).unwrap()
    }

    fn listener() -> TcpListener {
        TcpListener::bind("127.0.0.1:0").unwrap()
    }

    #[test]
    fn this_process_is_found_by_its_sockets_old_and_new() {
        let (one, two) = (listener(), listener());
        let mut owners = Owners::default();
        owners.update(&HashSet::from([inode(&one)]), LONG);
        assert!(owners.of(inode(&two)).is_none(), "only what is wanted is kept");
        for socket in [&one, &two] {
            owners.update(&HashSet::from([inode(&one), inode(&two)]), LONG);
            let owner = owners.of(inode(socket)).unwrap();
            assert_eq!(owner.pid, std::process::id());
            assert_eq!(owner.fd, u32::try_from(socket.as_raw_fd()).unwrap());
        }
        owners.update(&HashSet::from([inode(&two)]), LONG);
        assert!(owners.of(inode(&one)).is_none(), "a socket that is gone is forgotten");
    }

    #[test]
    fn a_walk_without_time_goes_on_later_and_finds_it_in_the_end() {
        let socket = listener();
        let wanted = HashSet::from([inode(&socket)]);
        // More descriptors than are looked at in one go; the later ones come first.
        let _more: Vec<_> = (0..200).map(|_| std::fs::File::open("/dev/null").unwrap()).collect();
        let mut owners = Owners::default();
        let mut rounds = 0;
        while owners.of(inode(&socket)).is_none() {
            owners.update(&wanted, Duration::ZERO);
            rounds += 1;
            assert!(rounds < 100_000);
        }
        assert!(rounds > 1);
    }

    #[test]
    fn nobody_is_looked_for_again_only_after_a_while() {
        let mut owners = Owners::default();
        owners.update(&HashSet::from([u32::MAX]), LONG);
        assert!(owners.look.is_none() && owners.nobody.contains_key(&u32::MAX));
        owners.update(&HashSet::from([u32::MAX]), Duration::ZERO);
        assert!(owners.look.is_none(), "not looked for");
        owners.update(&HashSet::new(), LONG);
        assert!(owners.nobody.is_empty());
    }

    #[test]
    fn a_process_that_died_owns_nothing_and_its_heir_is_found() {
        let socket = TcpStream::connect(listener().local_addr().unwrap()).unwrap();
        let wanted = HashSet::from([inode(&socket)]);
        // The child has it as its standard input.
        let copy = Stdio::from(std::os::fd::OwnedFd::from(socket.try_clone().unwrap()));
        let mut child = Command::new("sh")
            .args(["-c", "echo ready; exec sleep 60"])
            .stdin(copy)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
        let mut owners = Owners::default();
        owners
            .found
            .owners
            .insert(inode(&socket), Owner { pid: child.id(), command: "sleep".into(), fd: 0 });
        owners.update(&wanted, LONG);
        assert_eq!(owners.of(inode(&socket)).unwrap().pid, child.id());
        child.kill().unwrap();
        child.wait().unwrap();
        owners.update(&wanted, LONG);
        assert_eq!(owners.of(inode(&socket)).unwrap().pid, std::process::id());
    }
}
