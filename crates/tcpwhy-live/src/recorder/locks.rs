//! The lock bits of the sampled sockets, read beside the samples so that looking through `/proc` delays none.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hashbrown::{HashMap, HashSet};

use crate::locks::{Borrowed, Locks, RECEIVE_LOCK, SEND_LOCK};
use crate::process::Owners;
use crate::sample::Sample;

/// How long `/proc` is searched for those asked for at once.
const LOOK: Duration = Duration::from_secs(1);
/// Between two looks through `/proc`: it takes some milliseconds on a busy machine.
const REST: Duration = Duration::from_millis(50);
/// Sockets that are remembered, at least.
const REMEMBERED: usize = 1 << 16;

/// A socket to be looked at: its cookie and its file's inode.
type Asked = (u64, u32);
/// What was found, by cookie.
type Found = Arc<Mutex<HashMap<u64, u32>>>;

/// Knows the lock bits of sockets that were asked for, once it has looked.
pub(super) struct Locker {
    ask: Sender<Asked>,
    found: Found,
    /// Sizes of the buffers with which each socket was asked for: a lock changes with a size nearly always.
    asked: HashMap<u64, (u32, u32)>,
}

impl Locker {
    pub(super) fn start() -> Self {
        let (ask, asked) = channel();
        let found = Found::default();
        let told = Arc::clone(&found);
        // It ends with the sender; what it still reads then is nobody's concern.
        std::thread::spawn(move || look(&asked, &told));
        Self { ask, found, asked: HashMap::new() }
    }

    /// `SOCK_SNDBUF_LOCK` 1, `SOCK_RCVBUF_LOCK` 2; `None` as long as nothing is known, and where this user may not know.
    pub(super) fn of(&mut self, sample: &Sample) -> Option<u32> {
        let [_, rcvbuf, _, sndbuf, ..] = sample.skmem.as_slice() else { return None };
        let buffers = (*sndbuf, *rcvbuf);
        if sample.inode != 0 && self.asked.get(&sample.cookie) != Some(&buffers) {
            if self.asked.len() >= REMEMBERED {
                self.asked.clear();
                self.lock().clear();
            }
            self.asked.insert(sample.cookie, buffers);
            // Without its thread nothing is known.
            let _ = self.ask.send((sample.cookie, sample.inode));
        }
        self.lock().get(&sample.cookie).copied()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, u32>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn look(asked: &Receiver<Asked>, found: &Mutex<HashMap<u64, u32>>) {
    let mut looker = Looker::default();
    loop {
        if looker.waiting.is_empty() {
            let Ok(first) = asked.recv() else { return };
            looker.waiting.push(first);
        }
        loop {
            match asked.try_recv() {
                Ok(more) => looker.waiting.push(more),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return,
            }
        }
        looker.answer(LOOK, found);
        std::thread::sleep(REST);
    }
}

/// Looks for the owners of what was asked for.
#[derive(Default)]
struct Looker {
    owners: Owners,
    /// What is not answered yet, the newest last.
    waiting: Vec<Asked>,
}

impl Looker {
    /// Looks for so long. What there was no time for waits on: it is not asked for again.
    fn answer(&mut self, time: Duration, found: &Mutex<HashMap<u64, u32>>) {
        let oldest = self.waiting.len().saturating_sub(REMEMBERED);
        self.waiting.drain(..oldest);
        let inodes: HashSet<u32> = self.waiting.iter().map(|(_, inode)| *inode).collect();
        self.owners.update(&inodes, time);
        let (known, unknown): (Vec<Asked>, Vec<Asked>) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|(_, inode)| self.owners.of(*inode).is_some());
        for (cookie, inode) in known {
            let Some(bits) = bits(&self.owners, cookie, inode) else { continue };
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(cookie, bits);
        }
        if self.owners.is_looking() {
            self.waiting = unknown;
        }
    }
}

/// The descriptor may have become another socket since `/proc` was read: the cookie tells.
fn bits(owners: &Owners, cookie: u64, inode: u32) -> Option<u32> {
    let owner = owners.of(inode)?;
    let borrowed = Borrowed::new(owner.pid, owner.fd).ok()?;
    borrowed.cookie().ok().filter(|c| *c == cookie)?;
    let Locks { send, receive, .. } = borrowed.locks().ok()?;
    Some((u32::from(send) * SEND_LOCK) | (u32::from(receive) * RECEIVE_LOCK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::os::fd::AsRawFd;
    use std::os::linux::fs::MetadataExt;

    #[test]
    fn a_socket_that_there_was_no_time_for_is_found_later() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let fd = u32::try_from(socket.as_raw_fd()).unwrap();
        let Ok(Ok(cookie)) = Borrowed::new(std::process::id(), fd).map(|socket| socket.cookie())
        else {
            return println!("skipped: no pidfd_getfd");
        };
        let file = std::fs::metadata(format!("/proc/self/fd/{fd}")).unwrap();
        // More descriptors than are looked at in one go; the later ones come first.
        let _more: Vec<_> = (0..200).map(|_| std::fs::File::open("/dev/null").unwrap()).collect();
        let (mut looker, found) = (Looker::default(), Mutex::default());
        looker.waiting.push((cookie, u32::try_from(file.st_ino()).unwrap()));
        let mut rounds = 0;
        while !looker.waiting.is_empty() && rounds < 100_000 {
            looker.answer(Duration::ZERO, &found);
            rounds += 1;
        }
        assert!(rounds > 1 && found.lock().unwrap().contains_key(&cookie), "{rounds}");
    }

    #[test]
    fn what_nobody_has_is_not_waited_for() {
        let (mut looker, found) = (Looker::default(), Mutex::default());
        looker.waiting.push((1, u32::MAX));
        looker.answer(Duration::from_secs(60), &found);
        assert!(looker.waiting.is_empty() && found.lock().unwrap().is_empty());
    }
}
