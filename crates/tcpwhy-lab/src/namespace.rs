//! Network namespaces without a name: they vanish with the process that holds them, whatever happens to it.

use nix::sched::{CloneFlags, setns, unshare};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::thread;

/// The calling thread's own namespaces; `/proc/self` would be the first thread's.
const MINE: &str = "/proc/thread-self/ns/net";

/// A network namespace, held by a file descriptor.
#[derive(Debug)]
pub struct Namespace(File);

impl Namespace {
    /// A new one with nothing in it but a loopback device that is down.
    ///
    /// # Errors
    /// The kernel refuses (EPERM without CAP_SYS_ADMIN in the user namespace).
    pub fn new() -> io::Result<Self> {
        // A thread of its own, so that the caller stays where it is.
        let made = thread::spawn(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
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
