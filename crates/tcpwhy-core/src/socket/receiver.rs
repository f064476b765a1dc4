//! What the receiving end of a transfer can tell of it: its own reader and its own buffer, and nothing of the sender.

use crate::model::Cause;

/// A receiving socket at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Receiver {
    /// Bytes received and not read.
    pub unread: u32,
    /// Memory that they hold.
    pub rmem_alloc: u32,
    /// Receive buffer, bytes.
    pub rcvbuf: u32,
}

impl Receiver {
    /// At least half of the buffer holds data that nobody reads.
    fn is_behind(&self) -> bool {
        self.unread > 0 && self.rmem_alloc >= self.rcvbuf / 2
    }
}

/// Whether this end's application held the transfer: its buffer was half full in most samples. Anything else shows at the sender only.
pub fn receiver_cause(samples: &[Receiver]) -> Cause {
    let behind = samples.iter().filter(|s| s.is_behind()).count();
    if behind * 2 > samples.len() { Cause::SlowReader } else { Cause::None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_slow_when_its_buffer_stays_full() {
        let full = Receiver { unread: 60_000, rmem_alloc: 70_000, rcvbuf: 131_072 };
        let empty = Receiver { unread: 0, rmem_alloc: 0, rcvbuf: 131_072 };
        assert_eq!(receiver_cause(&[full, full, empty]), Cause::SlowReader);
        assert_eq!(receiver_cause(&[full, empty, empty]), Cause::None);
        assert_eq!(receiver_cause(&[]), Cause::None);
    }
}
