//! The lock bits of the sampled sockets, read beside the samples so that looking through `/proc` delays none.

use std::sync::mpsc::{Receiver, Sender, channel};
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
    let mut owners = Owners::default();
    while let Ok(first) = asked.recv() {
        let all: Vec<Asked> = std::iter::once(first).chain(asked.try_iter()).collect();
        let inodes: HashSet<u32> = all.iter().map(|(_, inode)| *inode).collect();
        owners.update(&inodes, LOOK);
        for (cookie, inode) in all {
            let Some(bits) = bits(&owners, cookie, inode) else { continue };
            found.lock().unwrap_or_else(PoisonError::into_inner).insert(cookie, bits);
        }
        std::thread::sleep(REST);
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
