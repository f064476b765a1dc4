//! What the receiver tells of congestion marks: by the ECN echo (RFC 3168), or by counting them (AccECN, RFC 9768).

use super::packet::Packet;

/// The value that both ends' counters begin with (RFC 9768 section 3.2.1).
const FIRST: u8 = 5;

/// How marks are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Feedback {
    /// Each ACK that carries ECE tells of congestion (RFC 3168 section 6.1.3, RFC 8257 section 3.2).
    #[default]
    Echo,
    /// Three bits of the header count the marked packets; nothing has come in yet.
    Begins,
    /// As `Begins`; the newest count.
    Counter(u8),
    /// A middlebox has cleared the first count (RFC 9768 section 3.2.2.4): nothing is told.
    Cleared,
}

impl Feedback {
    /// By what the SYN and the SYN/ACK have in those three bits: both ends count, if neither falls back (RFC 9768 section 3.1.2, table 2).
    pub(crate) fn agreed(syn: u8, answer: u8) -> Self {
        let counts = syn == 0b111 && matches!(answer, 0b010 | 0b011 | 0b100 | 0b110);
        if counts { Self::Begins } else { Self::Echo }
    }

    /// How many marks `ack` tells of that were not known. Up to seven between two ACKs can be told.
    pub(crate) fn news(&mut self, ack: &Packet) -> u32 {
        let count = ack.congestion_bits();
        let known = match *self {
            Self::Echo => return u32::from(ack.echoes_mark()),
            Self::Cleared => return 0,
            Self::Begins if count == 0 => {
                *self = Self::Cleared;
                return 0;
            }
            Self::Begins => FIRST,
            Self::Counter(known) => known,
        };
        *self = Self::Counter(count);
        u32::from(count.wrapping_sub(known) & 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Side;
    use crate::observe::{Segment, flags};

    fn ack(bits: u16) -> Packet {
        Packet::of(&Segment { flags: flags::ACK | bits << 6, ..Segment::default() }, Side::Client)
    }

    fn told(mut feedback: Feedback, counts: &[u16]) -> Vec<u32> {
        counts.iter().map(|&bits| feedback.news(&ack(bits))).collect()
    }

    #[test]
    fn a_counter_tells_of_what_is_new_and_an_echo_of_itself() {
        let counter = Feedback::agreed(0b111, 0b010);
        assert_eq!(told(counter, &[5, 5, 6, 0, 0, 3]), [0, 0, 1, 2, 0, 3]);
        // The bits of a classic SYN and SYN/ACK; ECE is the last of the three.
        let echo = Feedback::agreed(0b011, 0b001);
        assert_eq!(told(echo, &[0, 1, 1, 0]), [0, 1, 1, 0]);
    }

    #[test]
    fn an_end_that_falls_back_echoes_and_a_count_that_was_cleared_tells_nothing() {
        for answer in [0b000, 0b001, 0b101, 0b111] {
            assert_eq!(Feedback::agreed(0b111, answer), Feedback::Echo);
        }
        assert_eq!(told(Feedback::Begins, &[0, 0, 1]), [0, 0, 0]);
    }
}
