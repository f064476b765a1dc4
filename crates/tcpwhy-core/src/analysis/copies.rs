//! Whether a packet of a connection was captured before.

use super::merged::Merged;
use super::open::Open;
use super::seen::{Seeing, Seen, Sight, copied_within};
use crate::flow::packet::Packet;
use crate::observe::flags;
use crate::units::Nanos;

/// Whether a capture point shows the packets of one end twice, where no IP identification tells (IPv6 has none, and RFC 6864 lets IPv4
/// go without): a mirror port copies them on their way in and on their way out.
///
/// Of a single packet nobody can say: an ACK is repeated for each segment out of order, and on a short path a lost segment is sent again
/// within a tick of the timestamps' clock. But the news of a loss takes a round trip, and a sender that loses most of its segments hears
/// of nothing and waits for its timer, longer than [`APART`](super::seen::APART) (RFC 6298 section 2.4: a second; Linux's `TCP_RTO_MIN`: 200 ms). So where
/// most of what fills sequence space comes again at once, it was copied, and the ACKs beside it were, too.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Twins {
    /// Packets with data, SYN or FIN that were new, and that came again; halved together, so that the newest count most.
    new: u8,
    again: u8,
}

impl Twins {
    /// Proof counts as so many segments: a burst may pass as a whole before its first copy does.
    const PROOF: u8 = 64;
    /// No sender resends so many segments of about as many at once.
    const ENOUGH: u8 = 8;

    /// Counts a packet that fills sequence space. A SYN that comes again at once is proof by itself, for the first timer of all is a
    /// second (RFC 6298 section 2.1).
    pub(super) fn count(&mut self, sight: Sight, syn: bool) {
        if sight == Sight::New {
            self.new += 1;
        } else {
            self.again += 1;
            if syn || self.again >= Self::ENOUGH && self.are_copies() == Some(true) {
                self.again = self.again.max(self.new + Self::PROOF);
            }
        }
        if self.new.max(self.again) > u8::MAX - Self::PROOF {
            (self.new, self.again) = (self.new / 2, self.again / 2);
        }
    }

    /// Whether that is the case; `None` where nothing has been counted.
    pub(super) fn are_copies(self) -> Option<bool> {
        let (new, again) = (u16::from(self.new), u16::from(self.again));
        // Three of four: a mirror port that has too much to do drops some.
        (new + again > 0).then_some(again * 4 >= new * 3)
    }
}

impl Open {
    /// Whether its next packet, with this print, was captured before.
    #[inline(always)]
    pub(super) fn is_copy(
        &mut self,
        packet: &Packet,
        (print, seeing): (u64, Seeing),
        seen: &mut Seen,
    ) -> bool {
        let any_twice = seen.any_twice;
        let sight = seen.look(print, seeing, || self.identified_within(packet, any_twice));
        self.is_seen_again(packet, sight, seen)
    }

    /// Within what time a packet that equals `packet` is this very packet, if that can be told. Without an IP identification a timestamp tells of a SYN,
    /// which is sent again after a second (RFC 6298 section 2.1), and of all packets where some were shown twice.
    #[cold]
    pub(super) fn identified_within(&self, packet: &Packet, any_twice: bool) -> Option<Nanos> {
        let stamped = packet.stamp().is_some();
        let twice = || packet.has(flags::SYN) || any_twice && self.merged.is_some();
        let identified = packet.ip_id != 0 || stamped && twice();
        identified.then_some(copied_within(stamped))
    }

    /// Whether its next packet, which looks like `sight`, was captured before.
    #[inline(always)]
    pub(super) fn is_seen_again(&mut self, packet: &Packet, sight: Sight, seen: &mut Seen) -> bool {
        match sight {
            Sight::Elsewhere(_) => true,
            Sight::New if packet.ip_id != 0 && !seen.any_twice => false,
            _ => self.is_shown_again(packet, sight, seen),
        }
    }

    /// As `is_seen_again`, where its scope may have shown it before.
    #[inline(never)]
    fn is_shown_again(&mut self, packet: &Packet, sight: Sight, seen: &mut Seen) -> bool {
        let twin = packet.ip_id == 0 && self.is_twin(packet, sight);
        let equal = twin || sight == Sight::Copy;
        if equal && self.merged.is_none() {
            self.merged = Some(Box::new(Merged::after(self.queue.last_first())));
            seen.any_twice = true;
        }
        equal || self.merged.as_mut().is_some_and(|merged| merged.has_shown(packet))
    }

    /// Whether a packet without an identification, which looks like `sight`, was captured before. An end that has sent nothing but ACKs is copied
    /// as the other one is.
    fn is_twin(&mut self, packet: &Packet, sight: Sight) -> bool {
        let [own, other] = [packet.side, packet.side.other()].map(|side| side as usize);
        let syn = packet.has(flags::SYN);
        if packet.len > 0 || syn || packet.has(flags::FIN) {
            self.twins[own].count(sight, syn);
        }
        let copied = || self.twins[own].are_copies().or(self.twins[other].are_copies());
        sight == Sight::Again && copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_segments_that_come_again_at_once_are_copies_and_a_lost_one_is_none() {
        let are_copies = |syn: bool, sights: &[(Sight, usize)]| {
            let mut twins = Twins::default();
            if syn {
                twins.count(Sight::New, true);
                twins.count(Sight::Again, true);
            }
            for &(sight, times) in sights {
                (0..times).for_each(|_| twins.count(sight, false));
            }
            twins.are_copies()
        };
        assert_eq!(are_copies(false, &[]), None);
        assert_eq!(are_copies(false, &[(Sight::New, 10), (Sight::Again, 3)]), Some(false));
        assert_eq!(are_copies(false, &[(Sight::New, 10), (Sight::Again, 9)]), Some(true));
        // The first of a burst comes again after its last.
        assert_eq!(are_copies(true, &[(Sight::New, 60), (Sight::Again, 1)]), Some(true));
        assert_eq!(are_copies(true, &[(Sight::New, 1000), (Sight::Again, 1)]), Some(false));
    }
}
