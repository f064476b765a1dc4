//! Network namespaces without a name: they vanish with the process that holds them, whatever happens to it.

use nix::sched::{CloneFlags, setns, unshare};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::thread;

/// The calling thread's own namespaces; `/proc/self` would be the first thread's.
const MINE: &str = "/proc/thread-self/ns/net";
/// Places in the table of connections of the namespaces that are made in this one; 0: they share the machine's (`tcp_set_hashinfo()`,
/// Linux 6.1).
const CHILD_PLACES: &str = "/proc/sys/net/ipv4/tcp_child_ehash_entries";
/// More than a host of the lab has connections.
const PLACES: &str = "4096";

/// A network namespace, held by a file descriptor.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// A new one with nothing in it but a loopback device that is down, and with a small table of connections of its own where the kernel
    /// has such: a dump of the sockets goes through all places, and through the hundreds of thousands of a machine for a third of the
    /// time between two samples.
    ///
    /// # Errors
    /// The kernel refuses (EPERM without CAP_SYS_ADMIN in the user namespace).
    pub fn new() -> io::Result<Self> {
        // A thread of its own, so that the caller stays where it is.
        let made = thread::spawn(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            // The machine's own setting stays as it is: the namespace in between is gone as soon as it is left.
            if fs::write(CHILD_PLACES, PLACES).is_ok() {
                unshare(CloneFlags::CLONE_NEWNET)?;
            }
            File::open(MINE).map(Self)
        });
        made.join().unwrap_or_else(|_| Err(io::Error::other("the thread panicked")))
    }

    /// The one that the calling thread is in.
    ///
    /// # Errors
    /// `/proc` is not mounted.
    pub fn current() -> io::Result<Self> {
        File::open(MINE).map(Self)
    }

    /// Moves the calling thread into it, for the rest of the thread's life.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn enter(&self) -> io::Result<()> {
        Ok(setns(&self.0, CloneFlags::CLONE_NEWNET)?)
    }

    /// Runs something in it, on a thread of its own, and waits for it.
    ///
    /// # Errors
    /// The kernel refuses, or what ran panicked.
    pub fn inside<T: Send>(&self, run: impl FnOnce() -> T + Send) -> io::Result<T> {
        thread::scope(|scope| {
            let done = scope.spawn(|| self.enter().map(|()| run()));
            done.join().unwrap_or_else(|_| Err(io::Error::other("the thread panicked")))
        })
    }

    /// A path under which programs that this process starts find it.
    pub(crate) fn path(&self) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd())
    }

    /// The same namespace once more.
    ///
    /// # Errors
    /// No file descriptor is left.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }
}

impl From<OwnedFd> for Namespace {
    fn from(fd: OwnedFd) -> Self {
        Self(fd.into())
    }
}

impl From<Namespace> for OwnedFd {
    fn from(namespace: Namespace) -> Self {
        namespace.0.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_has_a_small_table_of_connections_and_leaves_the_machines_setting_alone() {
        let setting = || fs::read_to_string(CHILD_PLACES).ok();
        let Some(before) = setting() else { return println!("skipped: a kernel before 6.1") };
        let Ok(namespace) = Namespace::new() else { return println!("skipped: no namespaces") };
        let inside = namespace.inside(|| {
            let places = fs::read_to_string("/proc/sys/net/ipv4/tcp_ehash_entries");
            (places.unwrap(), setting().unwrap())
        });
        let (places, its_children) = inside.unwrap();
        assert_eq!((places.trim(), its_children.trim()), (PLACES, "0"));
        assert_eq!(setting().unwrap(), before);
    }
}
