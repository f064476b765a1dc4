//! Records of the ring: `struct call` of `bpf/asked.h`, in the machine's byte order.

use super::asked::{Asked, SocketOption};

/// Bytes of a record before its frames.
const HEAD: usize = 64;
/// Value of `level` in the record that a socket listens.
const LISTENS: i32 = -1;

/// A record of the ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Record {
    /// A call on the socket with this inode.
    Call(u32, Asked),
    /// The socket with this inode listens now, on a port of a network namespace.
    Listens { inode: u32, netns: u32, port: u16 },
}

impl Record {
    /// Decodes a record; `None` where it is too short or of an option that this version does not know; never a panic.
    pub(super) fn decode(raw: &[u8]) -> Option<Self> {
        let inode = u32::try_from(u64_at(raw, 8)?).ok()?;
        let (level, option, value) = (i32_at(raw, 24)?, i32_at(raw, 28)?, i32_at(raw, 32)?);
        let netns = i32_at(raw, 44)?.cast_unsigned();
        if level == LISTENS {
            return Some(Self::Listens { inode, netns, port: u16::try_from(value).ok()? });
        }
        let comm = raw.get(48..64)?;
        let depth = usize::try_from(i32_at(raw, 40)?).unwrap_or(0);
        let frames = raw.get(HEAD..)?.get(..depth).unwrap_or_default();
        let asked = Asked {
            t_ns: u64_at(raw, 0)?,
            option: SocketOption::new(level, option)?,
            value: Some(value).filter(|_| i32_at(raw, 36) == Some(1)),
            process: i32_at(raw, 16)?.cast_unsigned(),
            thread: i32_at(raw, 20)?.cast_unsigned(),
            command: text(comm),
            frames: frames.chunks_exact(8).filter_map(|frame| u64_at(frame, 0)).collect(),
            inherited: false,
        };
        Some(Self::Call(inode, asked))
    }
}

/// A string that a zero byte ends.
pub(super) fn text(raw: &[u8]) -> String {
    let name = raw.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).into_owned()
}

pub(super) fn u64_at(raw: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(raw.get(at..at + 8)?.try_into().ok()?))
}

pub(super) fn i32_at(raw: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_ne_bytes(raw.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_a_record_or_none(raw in proptest::collection::vec(any::<u8>(), 0..400)) {
            let decoded = Record::decode(&raw);
            prop_assert!(decoded.is_none() || raw.len() >= HEAD);
        }
    }

    #[test]
    fn a_call_is_decoded_with_its_frames() {
        let mut raw = vec![0; HEAD + 256];
        let words = [(16, 7), (20, 8), (24, libc::SOL_SOCKET), (28, libc::SO_SNDBUF)];
        for (at, word) in words.into_iter().chain([(8, 99), (32, 16_384), (36, 1), (40, 16)]) {
            raw[at..at + 4].copy_from_slice(&word.to_ne_bytes());
        }
        raw[48..51].copy_from_slice(b"app");
        raw[HEAD..HEAD + 8].copy_from_slice(&0x1234_u64.to_ne_bytes());
        let Some(Record::Call(99, asked)) = Record::decode(&raw) else { panic!("{raw:?}") };
        assert_eq!((asked.process, asked.thread, asked.command.as_str()), (7, 8, "app"));
        assert_eq!((asked.option, asked.value), (SocketOption::SendBuffer, Some(16_384)));
        assert_eq!(asked.frames, [0x1234, 0]);
        raw[24..28].copy_from_slice(&LISTENS.to_ne_bytes());
        let listens = Record::Listens { inode: 99, netns: 0, port: 16_384 };
        assert_eq!(Record::decode(&raw), Some(listens));
    }
}
