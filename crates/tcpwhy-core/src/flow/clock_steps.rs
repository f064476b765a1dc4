//! The capturing host's clock is set while it captures.
//!
//! NTP sets a clock that is more than 128 ms off (RFC 5905 section 11.3, `STEPT`), and so do administrators and hypervisors. Times of
//! packets that were written in order go back then, as they do where packets of several queues or taps were written out of order. TCP
//! tells the two apart: what an end sends has newer stamps, acknowledges more, and lies further on in the stream.

use super::packet::Packet;
use crate::units::Nanos;
use std::cmp::Ordering;

/// A packet further ahead of its predecessor waits for the next one, which tells whether only its own time is wrong. A connection has
/// one of these in a second at most, so that asking costs nothing.
const FAR: Nanos = Nanos::from_secs(1);
/// A few packets may have overtaken each other on the path.
const WITNESSES: u8 = 3;
/// Packets that wait for witnesses: more that say nothing are copies of one another.
const MOST: usize = 64;

/// What is known of that clock, and the packets that wait until it is.
#[derive(Debug, Default)]
pub(super) struct ClockSteps {
    /// By how much it was set back, as far as packets show: the time in between is unknown.
    shift: Nanos,
    /// Far ahead of the packet before.
    ahead: Option<Packet>,
    /// Behind the packet before, all of them.
    behind: Vec<Packet>,
    /// The newest packet of each end before those.
    before: [Option<Packet>; 2],
    /// How many of those were sent after, and how many before it.
    later: u8,
    earlier: u8,
}

/// Whether a packet at `time` needs to be looked at, after one at `last`.
#[inline(always)]
pub(super) fn is_astray(last: Nanos, time: Nanos) -> bool {
    // A step back is a very large number.
    time.0.wrapping_sub(last.0) as u64 >= FAR.0 as u64
}

impl ClockSteps {
    /// `packet` by a clock that was never set back.
    pub(super) fn mended(&self, packet: &Packet) -> Packet {
        packet.at(packet.time + self.shift)
    }

    /// Whether the clock was never set back, and no packet waits.
    pub(super) fn are_none(&self) -> bool {
        self.shift == Nanos::ZERO && !self.is_asking()
    }

    /// Whether packets wait.
    pub(super) fn is_asking(&self) -> bool {
        self.ahead.is_some() || !self.behind.is_empty()
    }

    /// The packet that was far ahead of one at `last`, if there is one, now that `next` follows; and whether only its own time was wrong:
    /// then its time is its predecessor's.
    pub(super) fn take_ahead(&mut self, next: &Packet, last: Nanos) -> Option<(Packet, bool)> {
        let ahead = self.ahead.take()?;
        let alone = ahead.time - next.time >= FAR && last - next.time < FAR;
        Some((if alone { ahead.at(last) } else { ahead }, alone))
    }

    /// `packet` goes astray from one at `last`, or others wait; `known` are those before it, the newest first. Whether all that wait shall
    /// go on waiting.
    pub(super) fn ask<'a>(
        &mut self,
        packet: &Packet,
        last: Nanos,
        known: impl Iterator<Item = &'a Packet>,
    ) -> bool {
        if self.behind.is_empty() {
            if packet.time >= last {
                self.ahead = Some(*packet);
                return true;
            }
            (self.later, self.earlier, self.before) = (0, 0, [None; 2]);
            for known in known.filter(|known| !known.is_copy()) {
                self.before[known.side as usize].get_or_insert(self.mended(known));
            }
        }
        let goes_on = self.behind.last().is_none_or(|before| before.time <= packet.time);
        self.behind.push(*packet);
        if packet.time >= last {
            return false; // The order is right again.
        }
        if !goes_on {
            self.earlier = WITNESSES; // No clock, wherever it was set, runs backwards.
        }
        self.hear(packet);
        self.later.max(self.earlier) < WITNESSES && self.behind.len() < MOST
    }

    /// What `packet` says of the order.
    fn hear(&mut self, packet: &Packet) {
        let known = self.before[packet.side as usize].filter(|known| known.time > packet.time);
        match known.map_or(Ordering::Equal, |known| packet.sent_order(&known)) {
            Ordering::Greater => self.later += 1,
            Ordering::Less => self.earlier += 1,
            Ordering::Equal => {}
        }
    }

    /// Those that wait behind one at `last`; and whether the clock was set back. Then time goes on from there: how much of it has passed
    /// nobody knows.
    pub(super) fn take_behind(&mut self, last: Nanos) -> (Vec<Packet>, bool) {
        let mut behind = std::mem::take(&mut self.behind);
        let over = behind.last().is_none_or(|packet| packet.time < last);
        let set = over && self.later > self.earlier;
        if let Some(first) = behind.first().filter(|_| set) {
            let step = last - first.time;
            self.shift += step;
            behind.iter_mut().for_each(|packet| packet.time += step);
        }
        (behind, set)
    }

    /// The input is over: nothing tells more of the packet that was far ahead.
    pub(super) fn end(&mut self) -> Option<Packet> {
        self.ahead.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Side;
    use crate::observe::Segment;
    use crate::units::Seq;

    const LAST: Nanos = Nanos::from_secs(100);

    /// Data of the server that begins at `seq`, so many milliseconds after the last packet.
    fn data(seq: u32, ms: i64) -> Packet {
        let time = LAST + Nanos::from_millis(ms);
        Packet::of(&Segment { time, seq: Seq(seq), len: 100, ..Segment::default() }, Side::Server)
    }

    /// Whether the clock was set back, if these follow data 1000.
    fn is_set_back(packets: &[Packet]) -> bool {
        let mut steps = ClockSteps::default();
        let known = data(1000, 0);
        let asks = |steps: &mut ClockSteps, p: &Packet| steps.ask(p, LAST, [&known].into_iter());
        let _ = packets.iter().take_while(|p| asks(&mut steps, p)).count();
        steps.take_behind(LAST).1
    }

    #[test]
    fn what_was_sent_later_and_is_stamped_earlier_shows_that_the_clock_was_set_back() {
        assert!(is_set_back(&[data(1100, -50), data(1200, -49), data(1300, -48)]));
        let queue = [data(700, -50), data(800, -49), data(900, -48)];
        assert!(!is_set_back(&queue), "written late");
        let overtaken = [data(1100, -50), data(700, -49), data(800, -48), data(900, -47)];
        assert!(!is_set_back(&overtaken));
        assert!(!is_set_back(&[data(1100, -1), data(1200, 1), data(1300, 2)]), "soon right again");
        assert!(!is_set_back(&[data(1100, -1), data(1200, -2), data(1300, -3)]), "no clock");
        assert!(is_set_back(&[data(1100, -50)]), "as far as the input tells");
    }

    #[test]
    fn time_goes_on_from_the_last_packet() {
        let mut steps = ClockSteps::default();
        let known = data(1000, 0);
        for (seq, ms) in [(1100, -50), (1200, -45), (1300, -43)] {
            steps.ask(&data(seq, ms), LAST, [&known].into_iter());
        }
        let (behind, _) = steps.take_behind(LAST);
        let times: Vec<i64> = behind.iter().map(|p| (p.time - LAST).0 / 1_000_000).collect();
        assert_eq!(times, [0, 5, 7]);
        assert_eq!(steps.mended(&data(1400, -40)).time, LAST + Nanos::from_millis(10));
    }

    #[test]
    fn a_packet_far_ahead_of_both_its_neighbours_is_wrong_itself() {
        let ahead = |next: i64| {
            let mut steps = ClockSteps::default();
            steps.ask(&data(1000, 5_000), LAST, [].into_iter());
            let (packet, alone) = steps.take_ahead(&data(1100, next), LAST)?;
            Some(((packet.time - LAST).0 / 1_000_000, alone))
        };
        assert_eq!(ahead(1), Some((0, true)));
        assert_eq!(ahead(5_001), Some((5_000, false)), "a pause");
        assert_eq!(ahead(4_999), Some((5_000, false)), "a pause, and two queues");
        assert_eq!(ahead(-5_000), Some((5_000, false)), "another clock");
    }
}
