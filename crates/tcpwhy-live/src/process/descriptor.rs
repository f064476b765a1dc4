//! Records of the kernel's iterator: `struct descriptor` of `bpf/descriptors.h`, in the machine's byte order.

use std::io::{self, ErrorKind, Read};

use super::Owner;
use crate::locks::{Locks, RECEIVE_LOCK, SEND_LOCK};

/// Bytes of a record.
const RECORD: usize = 64;
/// Bytes read at once: what the kernel fills at most (`bpf_seq_read()`: eight pages).
const PIECE: usize = 32 * 1024;
/// Longest command name, its zero byte included (`TASK_COMM_LEN`).
const COMMAND: usize = 16;

/// A process's descriptor of a TCP socket, as the kernel has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descriptor {
    /// The socket's cookie: given out now, where nobody asked for it before.
    pub cookie: u64,
    /// Inode of the socket's file.
    pub inode: u32,
    /// Inode of its network namespace.
    pub netns: u32,
    /// Who has it open.
    pub owner: Owner,
    /// What its application set.
    pub locks: Locks,
}

impl Descriptor {
    /// `None` where it is too short, or its process has no number here; never a panic.
    fn decode(raw: &[u8]) -> Option<Self> {
        let locks = word(raw, 24)?;
        let lowat = word(raw, 40)?;
        Some(Self {
            cookie: u64::from_ne_bytes(raw.get(..8)?.try_into().ok()?),
            inode: word(raw, 8)?,
            netns: word(raw, 12)?,
            owner: Owner {
                pid: word(raw, 16).filter(|pid| *pid != 0)?,
                command: command(raw.get(48..48 + COMMAND)?).into(),
                fd: word(raw, 20)?,
            },
            locks: Locks {
                send: locks & SEND_LOCK != 0,
                receive: locks & RECEIVE_LOCK != 0,
                sndbuf: word(raw, 28)?,
                rcvbuf: word(raw, 32)?,
                window_clamp: word(raw, 36)?,
                notsent_lowat: Locks::lowat(lowat),
            },
        })
    }
}

fn word(raw: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(raw.get(at..at + 4)?.try_into().ok()?))
}

/// A zero byte ends it, if there is one.
fn command(raw: &[u8]) -> String {
    let name = raw.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

/// The records of a stream, a piece at a time: its memory does not grow.
#[derive(Debug)]
pub(super) struct Records<R> {
    from: R,
    raw: Box<[u8]>,
    /// Bytes of a record of which the rest has not come yet.
    filled: usize,
}

impl<R: Read> Records<R> {
    pub(super) fn of(from: R) -> Self {
        Self { from, raw: vec![0; PIECE].into(), filled: 0 }
    }

    /// What comes next, which may be nothing yet; `None` at the end.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(super) fn next(&mut self) -> io::Result<Option<impl Iterator<Item = Descriptor>>> {
        let (raw, filled) = (&mut self.raw, std::mem::take(&mut self.filled));
        let read = match self.from.read(raw.get_mut(filled..).unwrap_or_default()) {
            Ok(0) => return Ok(None),
            Ok(read) => read,
            // The kernel looked at a million files without a socket, and goes on with the next read; or a signal came.
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => 0,
            Err(e) => return Err(e),
        };
        let all = filled + read;
        let whole = all - all % RECORD;
        let found: Vec<_> = raw
            .get(..whole)
            .unwrap_or_default()
            .chunks_exact(RECORD)
            .filter_map(Descriptor::decode)
            .collect();
        raw.copy_within(whole..all, 0);
        self.filled = all - whole;
        Ok(Some(found.into_iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Hands out at most so many bytes at a time, and now and then none.
    struct Slow<'a>(&'a [u8], usize, bool);

    impl Read for Slow<'_> {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(ErrorKind::WouldBlock.into());
            }
            let length = self.1.min(to.len());
            self.0.read(to.get_mut(..length).unwrap())
        }
    }

    fn all(raw: &[u8], step: usize) -> Vec<Descriptor> {
        let mut records = Records::of(Slow(raw, step, false));
        let mut found = Vec::new();
        while let Some(more) = records.next().unwrap() {
            found.extend(more);
        }
        found
    }

    fn record(pid: u32) -> Vec<u8> {
        let mut raw = 77_u64.to_ne_bytes().to_vec();
        for word in [5, 6, pid, 9, 0xf1, 32_768, 131_072, 65_535, u32::MAX, 0] {
            raw.extend(word.to_ne_bytes());
        }
        raw.extend(b"server\0leftovers");
        raw
    }

    proptest! {
        #[test]
        fn any_bytes_in_any_pieces_are_as_many_descriptors_at_most(
            raw in proptest::collection::vec(any::<u8>(), 0..1000),
            step in 1_usize..200,
        ) {
            prop_assert!(all(&raw, step).len() <= raw.len() / RECORD);
        }

        #[test]
        fn pieces_make_no_difference(pids in proptest::collection::vec(0_u32..9, 0..700), step in 1_usize..40_000) {
            let raw: Vec<u8> = pids.iter().flat_map(|pid| record(*pid)).collect();
            let found: Vec<u32> = all(&raw, step).iter().map(|found| found.owner.pid).collect();
            let right: Vec<u32> = pids.into_iter().filter(|pid| *pid != 0).collect();
            prop_assert_eq!(found, right);
        }
    }

    #[test]
    fn a_record_is_a_descriptor_with_its_locks() {
        let found = all(&record(4711), RECORD);
        let owner = Owner { pid: 4711, command: "server".into(), fd: 9 };
        let locks = Locks {
            send: true,
            receive: false,
            sndbuf: 32_768,
            rcvbuf: 131_072,
            window_clamp: 65_535,
            notsent_lowat: None,
        };
        assert_eq!(found, [Descriptor { cookie: 77, inode: 5, netns: 6, owner, locks }]);
        let mut full = record(1);
        full[48..].copy_from_slice(b"sixteen bytes \xff!");
        assert_eq!(&*all(&full, RECORD)[0].owner.command, "sixteen bytes \u{fffd}!");
    }
}
