//! Where the capture was taken: the round trip split at the capture point.
//!
//! A *leg* is the round trip from the capture point to one end and back. Packets from an end that
//! answer packets seen going to it measure its leg: SYN -> SYN/ACK, SYN/ACK -> ACK, and for every
//! later packet the timestamp echo (RFC 7323), which names the newest packet the end had seen; without timestamps, data and the
//! first acknowledgment of it.

use super::WAKE_UP;
use super::line::Line;
use crate::units::{Nanos, Seq};

/// Timestamps remembered while their echo is awaited; at a 1 ms clock about a second.
const MAX_PENDING: usize = 1024;
/// Room made at first.
const AT_FIRST: usize = 8;
/// No path holds a packet for so long: an echo as old as this stands still.
const STUCK: Nanos = Nanos::from_secs(5);

/// ACKs of one burst follow each other so closely, clock ticks included.
const SOON: Nanos = Nanos::from_millis(2);

/// How much shorter than the quiet before it an answer is, to be one.
const ANSWER: i64 = 8;
/// Answers that make a leg.
const WITNESSES: u32 = 4;

/// Pairs of packets, for connections without timestamps: when both ends were quiet, one speaks and
/// the other follows soon, again and again, then the second answers the first. Ends that speak of
/// their own will follow soon only now and then.
#[derive(Debug, Clone, Copy, Default)]
struct QuietPairs {
    all: u32,
    answers: u32,
    least: Nanos,
}

impl QuietPairs {
    /// The leg, once most pairs look like answers.
    fn add(&mut self, answer: Nanos, quiet: Nanos) -> Option<Nanos> {
        self.all = self.all.saturating_add(1);
        if answer.0 <= quiet.0 / ANSWER {
            self.least = if self.answers == 0 { answer } else { self.least.min(answer) };
            self.answers += 1;
        }
        let mostly = self.answers >= WITNESSES && self.answers >= self.all / 2;
        mostly.then_some(self.least)
    }
}

/// The leg to one end.
#[derive(Debug, Clone)]
pub(crate) struct Leg {
    /// The smallest sample, zero before the first.
    floor: Nanos,
    known: bool,
    /// By more than the handshake.
    confirmed: bool,
    /// Smallest sample of the current and of the previous round, for queues that come and go.
    current: Nanos,
    previous: Nanos,
    round_end: Nanos,
    /// The newest of them.
    latest: Nanos,
    pub(crate) from_handshake: bool,
    pub(crate) echoes: u32,
    /// The end echoes the same old value for ever: its echo says nothing.
    stuck: bool,
    now: Nanos,
    pairs: QuietPairs,
    /// One past the highest byte on its way to this end, and a segment that was the first to carry such a byte: its end and when it passed.
    highest: Option<Seq>,
    asked: Option<(Seq, Nanos)>,
    pending: Line<(u32, Nanos)>,
    /// The newest that was echoed.
    echoed: Option<(u32, Nanos)>,
}

impl Leg {
    pub(crate) fn new() -> Self {
        Self {
            floor: Nanos::ZERO,
            known: false,
            confirmed: false,
            current: Nanos::MAX,
            previous: Nanos::MAX,
            latest: Nanos::ZERO,
            round_end: Nanos(i64::MIN),
            from_handshake: false,
            echoes: 0,
            stuck: false,
            now: Nanos::ZERO,
            pairs: QuietPairs::default(),
            highest: None,
            asked: None,
            pending: Line::default(),
            echoed: None,
        }
    }

    /// Whether the end's echo names the newest packet that it has seen.
    pub(crate) fn trusts_echo(&self) -> bool {
        !self.stuck
    }

    /// The smallest round trip to this end, or zero when nothing is known.
    pub(crate) fn floor(&self) -> Nanos {
        self.floor
    }

    /// The smallest that it may be: the answer to a SYN alone is late by what a host takes to wake up and to open a connection. On a short path
    /// more than a little of that would be a guess.
    pub(crate) fn earliest(&self) -> Nanos {
        let late = WAKE_UP.min(Nanos(self.floor.0 / 16));
        if self.confirmed { self.floor } else { self.floor - late }
    }

    /// Whether anything is known.
    pub(crate) fn known(&self) -> bool {
        self.known
    }

    /// The leg as it is now, a queue on the way to this end included.
    pub(crate) fn now(&self) -> Nanos {
        self.now
    }

    /// The leg by its newest sample: a queue that comes and goes within a round shows here.
    pub(crate) fn latest(&self) -> Nanos {
        self.latest.max(self.now)
    }

    /// What it is now after one of the values that it depends on has changed.
    fn settle(&mut self) {
        let recent = self.current.min(self.previous);
        let queued = recent != Nanos::MAX && !self.stuck;
        self.now = if queued { recent.max(self.floor()) } else { self.floor() };
    }

    /// The handshake's answer took `leg`.
    pub(crate) fn shaken(&mut self, leg: Nanos) {
        self.sample(leg);
        self.confirmed = false;
        self.from_handshake = true;
    }

    fn sample(&mut self, leg: Nanos) {
        self.confirmed = true;
        if leg.0 >= 0 {
            self.floor = if self.known { self.floor.min(leg) } else { leg };
            self.known = true;
            self.settle();
        }
    }

    /// The first packet of either end after `quiet` was answered by this end after `answer`.
    pub(crate) fn quiet_pair(&mut self, answer: Nanos, quiet: Nanos) {
        if let Some(leg) = self.pairs.add(answer, quiet) {
            self.sample(leg);
        }
    }

    /// Data up to `end` passed on its way to this end at `time`. One segment is timed at a time, and none that was sent before (Karn's rule,
    /// RFC 6298 section 3).
    pub(crate) fn data_towards(&mut self, end: Seq, time: Nanos) {
        if self.highest.is_none_or(|highest| end.distance(highest) > 0) {
            self.highest = Some(end);
            self.asked.get_or_insert((end, time));
        }
    }

    /// This end acknowledged what lies before `ack`; it may have delayed that, and the shortest time counts.
    pub(crate) fn acknowledged(&mut self, ack: Seq, time: Nanos) {
        if let Some((_, passed)) = self.asked.take_if(|(end, _)| ack.distance(*end) >= 0) {
            self.sample(time - passed);
        }
    }

    /// A packet with `tsval` passed on its way to this end.
    #[inline]
    pub(crate) fn passed_towards(&mut self, tsval: u32, time: Nanos) {
        // A tick of the clock has many packets, on a short path even after the first of them was echoed.
        let newest = self.pending.last().or(self.echoed.as_ref());
        if newest.is_none_or(|&(v, _)| v != tsval) {
            self.remember(tsval, time);
        }
    }

    #[inline(never)]
    fn remember(&mut self, tsval: u32, time: Nanos) {
        if self.pending.len() >= MAX_PENDING {
            let mut thinned = Line::with_capacity(MAX_PENDING);
            for &every_other in self.pending.iter().step_by(2) {
                thinned.push_back(every_other, AT_FIRST);
            }
            self.pending = thinned;
        }
        self.pending.push_back((tsval, time), AT_FIRST);
    }

    /// When the packet passed that the end has heard of last, if it echoes `tsecr` now.
    #[inline]
    pub(crate) fn passed(&self, tsecr: u32) -> Option<Nanos> {
        let not_newer = |(tsval, _): &&(u32, Nanos)| tsval.wrapping_sub(tsecr) as i32 <= 0;
        // Nearly always it has been echoed before, and what waits is newer.
        let waiting = match self.pending.front().filter(not_newer) {
            Some(_) => self.pending.iter().take_while(not_newer).last(),
            None => self.echoed.as_ref(),
        };
        waiting.filter(|(tsval, _)| *tsval == tsecr).map(|&(_, passed)| passed)
    }

    /// Whether an echo of `tsecr` at `time` tells anything: it is the first of a packet that passed.
    #[inline]
    pub(crate) fn is_news(&self, tsecr: u32, time: Nanos) -> bool {
        self.pending.front().is_some_and(|&(tsval, passed)| {
            tsval.wrapping_sub(tsecr) as i32 <= 0 || time - passed > STUCK
        })
    }

    /// A packet from this end echoed `tsecr`. `round` is the length over which a queue is judged.
    #[inline(never)]
    pub(crate) fn echoed(&mut self, tsecr: u32, time: Nanos, round: Nanos) {
        while let Some(&(tsval, passed)) = self.pending.front() {
            let newer = tsval.wrapping_sub(tsecr) as i32;
            if newer > 0 {
                if time - passed > STUCK {
                    self.stuck = true;
                    self.settle();
                }
                return;
            }
            self.pending.pop_front();
            if newer == 0 {
                self.echoed = Some((tsval, passed));
                self.echo_sample(time - passed, time, round);
                return;
            }
        }
    }

    /// A packet that echoes a value though newer ones are under way proves that it left before those arrived. Where the next follows
    /// soon, it waited on the path and not for its application: only such a packet tells the queue of the moment.
    fn echo_sample(&mut self, leg: Nanos, time: Nanos, round: Nanos) {
        self.sample(leg);
        self.echoes = self.echoes.saturating_add(1);
        if time >= self.round_end {
            self.previous = self.current;
            self.current = Nanos::MAX;
            self.round_end = time + round;
        }
        self.latest = Nanos::ZERO;
        let soon = SOON.max(Nanos(self.floor().0 / 8));
        let next = self.pending.front().map(|&(_, passed)| passed);
        if next.is_some_and(|next| next - (time - leg) <= soon) {
            self.current = self.current.min(leg);
            self.latest = leg;
        }
        self.settle();
    }
}

/// Both legs and the position that follows from them.
#[derive(Debug, Clone)]
pub(crate) struct Legs {
    /// To the client and to the server.
    pub(crate) to: [Leg; 2],
}

impl Legs {
    pub(crate) fn new() -> Self {
        Self { to: [Leg::new(), Leg::new()] }
    }

    /// 0 at the client, 1 at the server; and how sure. Where one leg was never measured it is what
    /// the other leaves of the whole round trip.
    pub(crate) fn position(&self, round_trip: Nanos) -> (f64, f64) {
        let [client, server] = &self.to;
        let both = client.known() && server.known();
        let rest = |known: &Leg| (round_trip - known.floor()).max(Nanos::ZERO);
        let (c, s) = match (client.known(), server.known()) {
            (true, false) => (client.floor(), rest(client)),
            (false, true) => (rest(server), server.floor()),
            _ => (client.floor(), server.floor()),
        };
        let (c, s) = (c.secs(), s.secs());
        if c + s <= 0.0 {
            return (0.5, 0.0);
        }
        let confidence = match (both, client.from_handshake || client.echoes.min(server.echoes) > 8)
        {
            (true, true) => 0.95,
            (true, false) => 0.7,
            (false, _) => 0.3,
        };
        (c / (c + s), confidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: i64) -> Nanos {
        Nanos::from_millis(n)
    }

    #[test]
    fn an_echo_measures_the_leg_from_the_first_packet_with_that_value() {
        let mut leg = Leg::new();
        leg.passed_towards(100, ms(0));
        leg.passed_towards(100, ms(1));
        leg.passed_towards(101, ms(2));
        leg.echoed(100, ms(30), ms(40));
        assert_eq!(leg.floor(), ms(30));
        leg.echoed(101, ms(31), ms(40));
        assert_eq!(leg.floor(), ms(29));
    }

    #[test]
    fn data_and_its_first_acknowledgment_measure_the_leg_and_repairs_do_not() {
        let mut leg = Leg::new();
        leg.data_towards(Seq(100), ms(0));
        leg.data_towards(Seq(200), ms(1));
        leg.acknowledged(Seq(50), ms(10));
        leg.acknowledged(Seq(100), ms(45));
        assert_eq!(leg.floor(), ms(45), "it was delayed");
        leg.data_towards(Seq(300), ms(100));
        leg.data_towards(Seq(300), ms(118));
        leg.acknowledged(Seq(300), ms(120));
        assert_eq!(leg.floor(), ms(20));
    }

    #[test]
    fn a_tick_that_outlasts_the_path_is_measured_once() {
        let mut leg = Leg::new();
        leg.passed_towards(100, Nanos(0));
        leg.echoed(100, Nanos(500_000), ms(1));
        leg.passed_towards(100, Nanos(510_000));
        leg.echoed(100, Nanos(520_000), ms(1));
        assert_eq!(leg.floor(), Nanos(500_000));
    }

    #[test]
    fn a_queue_on_the_way_shows_in_the_leg_but_not_in_its_floor() {
        let mut leg = Leg::new();
        for i in 0..300 {
            leg.passed_towards(i, ms(i64::from(i)));
            let queue = i64::from(i) / 2;
            if let Some(echo) = (i64::from(i) - 20 - queue).try_into().ok().filter(|e| *e < i) {
                leg.echoed(echo, ms(i64::from(i)), ms(50));
            }
        }
        assert_eq!(leg.floor(), ms(39));
        assert!(leg.now() > ms(130), "{:?}", leg.now());
    }

    #[test]
    fn think_time_is_not_taken_for_a_queue() {
        let mut leg = Leg::new();
        for i in 0..10u32 {
            leg.passed_towards(i, ms(1000 * i64::from(i)));
            leg.echoed(i, ms(1000 * i64::from(i) + if i == 0 { 20 } else { 500 }), ms(50));
        }
        assert_eq!(leg.now(), ms(20));
    }

    #[test]
    fn an_echo_that_could_have_left_long_before_the_next_tells_no_queue() {
        let mut leg = Leg::new();
        leg.sample(ms(20));
        for i in 0..20u32 {
            leg.passed_towards(i, ms(20 * i64::from(i)));
            if i >= 1 {
                leg.echoed(i - 1, ms(20 * i64::from(i) + 18), ms(50));
            }
        }
        assert_eq!(leg.latest(), ms(20), "38 ms after it passed, 18 ms after the next did");
    }

    #[test]
    fn answers_after_a_quiet_time_measure_the_leg_and_coincidences_do_not() {
        let mut leg = Leg::new();
        for i in 0..10 {
            leg.quiet_pair(ms(3 + i % 2), ms(100));
        }
        assert_eq!(leg.floor(), ms(3));
        let mut leg = Leg::new();
        for i in 0..100 {
            leg.quiet_pair(ms(i * 37 % 100), ms(100));
        }
        assert!(!leg.known());
    }

    #[test]
    fn an_unknown_leg_is_the_rest_of_the_round_trip() {
        let mut legs = Legs::new();
        legs.to[1].sample(ms(1));
        assert_eq!(legs.position(ms(100)).0, 0.99);
    }

    #[test]
    fn the_position_is_the_ratio_of_the_legs() {
        let mut legs = Legs::new();
        legs.to[0].sample(ms(5));
        legs.to[1].sample(ms(15));
        assert_eq!(legs.position(Nanos::ZERO).0, 0.25);
    }
}
