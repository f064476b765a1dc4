//! The first half of what happens inside a connection: where the capture was taken, and when each packet left its sender.
//!
//! It depends on nothing but the packets, so it may run ahead of the rest.

mod measuring;

use super::WARM_UP;
use super::clock_steps::{ClockSteps, is_astray};
use super::handshake::Handshake;
use super::packet::Packet;
use super::placed::Taker;
use super::sender_clock::SenderClock;
use super::tally::Count;
use super::vantage::{Leg, Legs};
use crate::model::Side;
use crate::observe::flags;
use crate::units::Nanos;

/// A packet that far behind tells as much as one in order: the processors of a host stamp with clocks that differ by some nanoseconds, and
/// no round trip is as short as that.
const LITTLE: Nanos = Nanos(1_000);
/// So does one that is behind by such a part of a round trip, as where several queues of a device stamp: no queue is told apart by as much.
const LITTLE_PART: i64 = 64;

/// What the packets of a connection say of the capture point.
#[derive(Debug)]
pub(crate) struct Placing {
    pub(crate) legs: Legs,
    handshake: Handshake,
    clocks: [SenderClock; 2],
    held: Option<Vec<Packet>>,
    steps: ClockSteps,
    /// Packets are held, or the clock was set or may have been.
    slow: bool,
    /// Of each side a packet of the runs before, one of the last, and whether there is one. (An `Option` of it is written in pieces and
    /// read as a whole, which waits until all that was written before has reached the cache.)
    latest: [(Packet, bool); 2],
    previous_packet: Nanos,
    /// Who spoke last, since when, and how long both had been quiet before.
    speaker: Side,
    turn: Nanos,
    quiet_before: Nanos,
    /// When the newest packet passed.
    pub(crate) last: Nanos,
    /// By sender, those that were captured twice included.
    pub(crate) packets: [u64; 2],
    pub(crate) copies: [Count; 2],
    pub(crate) backwards: [Count; 2],
}

impl Placing {
    /// Of a connection that begins with `first`.
    pub(crate) fn new(first: &Packet) -> Self {
        Self {
            legs: Legs::new(),
            handshake: Handshake::default(),
            clocks: Default::default(),
            held: (!first.has(flags::SYN)).then(Vec::new),
            steps: ClockSteps::default(),
            slow: !first.has(flags::SYN),
            latest: [(*first, false); 2],
            previous_packet: first.time,
            speaker: first.side,
            turn: first.time,
            quiet_before: Nanos::ZERO,
            last: first.time,
            packets: [0; 2],
            copies: Default::default(),
            backwards: Default::default(),
        }
    }

    /// The next packets of the connection. Those that were captured before only count.
    pub(crate) fn place(&mut self, packets: &[Packet], out: &mut impl Taker) {
        for packet in packets {
            if packet.is_copy() {
                self.push_copy(packet);
            } else if is_astray(self.last, packet.time) || packet.is_late() || self.slow {
                self.push_slowly(packet, packets, out);
            } else {
                let prompt = self.measure_legs(packet);
                self.count(packet);
                let left = if prompt { packet.time } else { self.left(packet) };
                out.take(packet, left, self.legs.moved());
            }
        }
        let [first, last] = [packets.first(), packets.last()];
        for packet in first.into_iter().chain(last).filter(|packet| !packet.is_copy()) {
            self.latest[packet.side as usize] = (*packet, true);
        }
    }

    /// A packet of this connection that was captured before: it counts, and says nothing new.
    #[cold]
    fn push_copy(&mut self, packet: &Packet) {
        let side = packet.side as usize;
        if self.steps.are_none() {
            self.last = self.last.max(packet.time);
        }
        self.packets[side] += 1;
        self.copies[side].add(packet.frame);
    }

    /// A packet that steps back or far ahead in time, or did before it was sorted, or comes while the vantage or the clock's steps are
    /// found out. Those before it in its `run` tell of these.
    #[cold]
    fn push_slowly(&mut self, one: &Packet, run: &[Packet], out: &mut impl Taker) {
        let packet = self.steps.mended(one);
        if let Some((ahead, alone)) = self.steps.take_ahead(&packet, self.last) {
            self.push_timed(&ahead, alone, out);
        }
        let ahead = packet.time - self.last;
        let right = !is_astray(self.last, packet.time)
            || Nanos::ZERO - self.little() <= ahead && ahead <= Nanos::ZERO;
        if !self.steps.is_asking() && right {
            self.push_timed(&packet, false, out);
        } else {
            let before = run.iter().position(|packet| std::ptr::eq(packet, one)).unwrap_or(0);
            let latest = self.latest.iter().filter(|(_, is_known)| *is_known).map(|(of, _)| of);
            let known = run.iter().take(before).rev().chain(latest);
            if !self.steps.ask(&packet, self.last, known) {
                self.push_behind(out);
            }
        }
        self.slow = self.held.is_some() || !self.steps.are_none();
    }

    /// It is known why packets stepped back, or will not be.
    #[cold]
    fn push_behind(&mut self, out: &mut impl Taker) {
        let (behind, mut set) = self.steps.take_behind(self.last);
        if set {
            // Their times are those of another clock.
            self.latest.iter_mut().for_each(|(_, is_known)| *is_known = false);
        }
        for packet in &behind {
            // Once for all of them: those behind the first are right now.
            self.push_timed(packet, std::mem::take(&mut set), out);
        }
    }

    /// A packet whose time is as right as it will be; not at all if it is `unsure`, or before that of its predecessor.
    fn push_timed(&mut self, packet: &Packet, unsure: bool, out: &mut impl Taker) {
        let mut packet = *packet;
        let late = self.last - packet.time;
        if late > Nanos::ZERO || unsure || packet.is_late() {
            self.backwards[packet.side as usize].add(packet.frame);
        }
        if late > Nanos::ZERO && self.held.is_none() {
            packet = packet.at(self.last).delayed();
        }
        if unsure || (late > self.little() && self.held.is_none()) {
            self.begin_timing_anew(&packet);
        } else {
            self.measure_legs(&packet);
            self.note_stamped_pair(&packet);
        }
        self.count(&packet);
        match &mut self.held {
            None => self.pass(&packet, out),
            Some(held) => {
                held.push(packet);
                if held.len() >= WARM_UP {
                    self.release_warm(out);
                }
            }
        }
    }

    /// See [`LITTLE`].
    fn little(&self) -> Nanos {
        LITTLE.max(Nanos(self.legs.floor().0 / LITTLE_PART))
    }

    /// While the vantage is found out, packets with stamps may be answers, too.
    fn note_stamped_pair(&mut self, packet: &Packet) {
        if self.held.is_some()
            && packet.timestamps().is_some()
            && let Some((answer, quiet)) = self.takes_turn(packet)
        {
            self.legs.to[packet.side as usize].stamped_pair(answer, quiet);
        }
    }

    /// Nothing that passed until now is compared with what comes later: the time of `packet` is none that could be measured.
    #[cold]
    fn begin_timing_anew(&mut self, packet: &Packet) {
        if !self.handshake.is_over(packet) {
            self.handshake.note(packet);
        }
        self.legs.begin_anew(self.last.max(packet.time));
        // Less than no time was quiet before the next packet.
        self.previous_packet = Nanos::MAX;
    }

    /// For how much longer ACKs that reached `side` until `time` had waited in queues than was known then, before the capture point and beyond it.
    /// What shortened the way there when the queue that its own packets come through did is that.
    pub(crate) fn acks_late_by(&self, side: Side, time: Nanos) -> Nanos {
        let (own, peer) = (side as usize, side.other() as usize);
        let before = match self.legs.to[peer].near {
            true => Nanos::ZERO,
            false => self.clocks[peer].late_by(time),
        };
        let beyond = self.legs.to[own].late_by(time) - self.clocks[own].late_by(time);
        before + beyond.max(Nanos::ZERO)
    }

    #[inline]
    fn count(&mut self, packet: &Packet) {
        self.last = self.last.max(packet.time);
        self.packets[packet.side as usize] += 1;
    }

    /// The input is over.
    #[cold]
    pub(crate) fn release_held(&mut self, out: &mut impl Taker) {
        if let Some(ahead) = self.steps.end() {
            self.push_timed(&ahead, false, out);
        }
        self.push_behind(out);
        self.release_warm(out);
    }

    /// The vantage is known as well as it will be at this point, or the input is over.
    #[cold]
    fn release_warm(&mut self, out: &mut impl Taker) {
        let mut held = self.held.take().unwrap_or_default();
        if let Some(side) = side_on_this_link(&held) {
            self.legs.to[side as usize].on_this_link();
        }
        self.legs.to.iter_mut().for_each(Leg::judge_by_stamped_pairs);
        held.sort_by_key(|p| p.time);
        for packet in &held {
            self.pass(packet, out);
        }
    }

    fn pass(&mut self, packet: &Packet, out: &mut impl Taker) {
        let left = self.left(packet);
        out.take(packet, left, self.legs.moved());
    }
}

/// The side whose packets alone no router has passed on. Where none has passed on those of either side, the way between them may be a long
/// link, an emulated one or a tunnel.
fn side_on_this_link(packets: &[Packet]) -> Option<Side> {
    let all = |side: Side, fresh: bool| {
        let mut of = packets.iter().filter(|p| p.side == side).peekable();
        of.peek().is_some() && of.all(|p| p.is_fresh() == fresh)
    };
    [Side::Client, Side::Server]
        .into_iter()
        .find(|side| all(*side, true) && all(side.other(), false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::Segment;
    use crate::units::Seq;

    struct Nobody;

    impl Taker for Nobody {
        fn take(&mut self, _: &Packet, _: Nanos, _: Option<&Legs>) {}
    }

    /// Since when packets are compared, after a handshake over 40 ms and bursts in which every third stamp is this much too early.
    fn timed_since(early: Nanos) -> Nanos {
        let packet = |side, flags, seq, time| {
            let (seq, len) = (Seq(seq), if seq > 1 { 1448 } else { 0 });
            Packet::of(&Segment { time, flags, seq, len, ..Default::default() }, side)
        };
        let ms = Nanos::from_millis;
        let mut packets = vec![
            packet(Side::Client, flags::SYN, 0, ms(0)),
            packet(Side::Server, flags::SYN | flags::ACK, 0, ms(40)),
            packet(Side::Client, flags::ACK, 1, ms(40)),
        ];
        packets.extend((0..60).map(|k| {
            let late = Nanos::from_micros(2 * i64::from(k));
            let early = if k % 3 == 2 { early } else { Nanos::ZERO };
            packet(Side::Client, flags::ACK, 2 + 1448 * k, ms(50) + late - early)
        }));
        let mut placing = Placing::new(&packets[0]);
        placing.place(&packets, &mut Nobody);
        placing.release_held(&mut Nobody);
        placing.legs.standing()[0].since
    }

    #[test]
    fn stamps_that_step_back_by_less_than_a_queue_begin_nothing_anew() {
        assert_eq!(timed_since(Nanos::ZERO), Nanos(i64::MIN));
        assert_eq!(timed_since(Nanos::from_micros(9)), Nanos(i64::MIN));
        assert!(timed_since(Nanos::from_millis(9)) > Nanos::ZERO);
    }
}
