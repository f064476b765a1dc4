//! The round trip between the capture point and one end.

use super::Standing;
use super::ack_clock::AckClock;
use super::behind::Behind;
use super::bounds::Bounds;
use super::pairs::QuietPairs;
use super::stamps::{Echo, Stamps};
use crate::flow::lows::Lows;
use crate::flow::{BUSY_HOST, NEAR, WAKE_UP};
use crate::units::{Nanos, Seq};

/// Twice what light takes through a fibre to the other side of the earth and back: few ends are farther away, and many rest for as long.
const AROUND_THE_EARTH: Nanos = Nanos::from_millis(400);

/// ACKs of one burst follow each other so closely, clock ticks included.
const SOON: Nanos = Nanos::from_millis(2);

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
    /// See [`Standing`].
    one_way: bool,
    since: Nanos,
    /// By the handshake or by the time to live.
    pub(crate) told: bool,
    /// It is told that the capture point is at this end, and no queue is before it.
    pub(crate) near: bool,
    behind: Behind,
    bounds: Bounds,
    /// The end echoes the same old value for ever: its echo says nothing.
    stuck: bool,
    now: Nanos,
    /// Something that others go by has changed since it was asked.
    moved: bool,
    pairs: QuietPairs,
    bursts: AckClock,
    /// One past the highest byte on its way to this end, and a segment that was the first to carry such a byte: its end and when it passed.
    highest: Option<Seq>,
    asked: Option<(Seq, Nanos)>,
    /// What comes before it this end has acknowledged.
    acked: Option<Seq>,
    stamps: Stamps,
    /// Of its floor, by echoes.
    lows: Lows,
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
            one_way: false,
            since: Nanos(i64::MIN),
            round_end: Nanos(i64::MIN),
            told: false,
            near: false,
            behind: Behind::default(),
            bounds: Bounds::default(),
            stuck: false,
            now: Nanos::ZERO,
            moved: false,
            pairs: QuietPairs::default(),
            bursts: AckClock::default(),
            highest: None,
            asked: None,
            acked: None,
            stamps: Stamps::default(),
            lows: Lows::default(),
        }
    }

    /// What it is now.
    #[inline(always)]
    pub(crate) fn standing(&self) -> Standing {
        Standing {
            floor: self.floor(),
            earliest: self.earliest(),
            now: self.now,
            latest: self.latest.max(self.now),
            known: self.known,
            behind_queue: self.behind.is_shown(),
            trusts_echo: !self.stuck,
            since: self.since,
            one_way: self.one_way,
        }
    }

    /// Forgets what awaits an answer: the clock was set at `time`, or cannot be trusted until then.
    pub(super) fn begin_anew(&mut self, time: Nanos) {
        (self.since, self.moved) = (time, true);
        self.asked = None;
        self.stamps = Stamps::default();
        self.bursts = AckClock::default();
    }

    /// Whether its standing may have changed since this was asked last.
    #[inline(always)]
    pub(crate) fn has_moved(&mut self) -> bool {
        std::mem::take(&mut self.moved)
    }

    /// For how much longer packets that arrived until `time` had queued on their way to this end than was known then.
    pub(crate) fn late_by(&self, time: Nanos) -> Nanos {
        if self.one_way { self.lows.fell_after(time) } else { Nanos::ZERO }
    }

    /// The smallest round trip to this end, or zero when nothing is known.
    pub(crate) fn floor(&self) -> Nanos {
        self.floor
    }

    /// See [`Standing::earliest`].
    fn earliest(&self) -> Nanos {
        if self.confirmed { self.floor } else { self.without_wake_up() }
    }

    fn without_wake_up(&self) -> Nanos {
        self.floor - WAKE_UP.min(Nanos(self.floor.0 / 16))
    }

    /// Whether anything is known.
    pub(crate) fn known(&self) -> bool {
        self.known
    }

    /// Whether what is known of it is the path's, or little beside a `round` trip: see [`Bounds::is_sure`].
    pub(crate) fn is_sure(&self, round: Nanos) -> bool {
        self.told || self.bounds.is_sure(round, self.stuck)
    }

    /// As `is_sure`, nearly to the length.
    pub(crate) fn is_exact(&self, round: Nanos) -> bool {
        self.told || self.bounds.is_exact(round)
    }

    /// How many stamps packets of this end have echoed.
    pub(crate) fn echoes(&self) -> u32 {
        self.bounds.echoes
    }

    /// What it is now after one of the values that it depends on has changed.
    fn settle(&mut self) {
        self.moved = true;
        let recent = self.current.min(self.previous);
        let queued = recent != Nanos::MAX && !self.stuck;
        self.now = if queued { recent.max(self.floor()) } else { self.floor() };
    }

    /// The handshake's answer took `leg`.
    pub(crate) fn shaken(&mut self, leg: Nanos) {
        self.sample(leg);
        self.confirmed = false;
        self.told = true;
        self.near = self.is_near();
    }

    /// This end is on the capture point's own link, by the time to live of its packets: no router is between them. A link that is a tunnel
    /// through a network is longer, and its echoes have shown it.
    pub(crate) fn on_this_link(&mut self) {
        if self.bounds.at_least < BUSY_HOST {
            self.find(Nanos::ZERO);
        }
    }

    /// Other signs than echoes tell how long it is: what these took they did not spend on the way.
    fn find(&mut self, leg: Nanos) {
        self.told = true;
        (self.current, self.previous) = (Nanos::MAX, Nanos::MAX);
        self.sample(leg);
    }

    fn is_near(&self) -> bool {
        self.told && self.floor < NEAR && !self.behind.is_shown()
    }

    fn sample(&mut self, leg: Nanos) {
        self.moved = true;
        self.confirmed = true;
        if leg.0 >= 0 {
            self.floor = if self.known { self.floor.min(leg) } else { leg };
            self.known = true;
            self.near = self.is_near();
            self.settle();
        }
    }

    /// The first packet of either end after `quiet` was answered by this end after `answer`. The answer to a SYN is late by as much as a busy
    /// host is, and no more: what is shorter by more is no answer, but a packet that passes there as another one comes, round after round.
    pub(crate) fn quiet_pair(&mut self, answer: Nanos, quiet: Nanos) {
        self.pairs.add(answer, quiet);
        let apart = if self.told { None } else { self.pairs.leg_between_bursts() };
        let leg = apart.or_else(|| self.pairs.leg());
        let least = if self.told { self.floor - BUSY_HOST } else { Nanos::ZERO };
        if let Some(leg) = leg.filter(|leg| *leg >= least) {
            self.sample(leg);
        }
    }

    /// As `quiet_pair`, of an end that echoes stamps: they tell more than the pairs do, as a rule.
    pub(crate) fn stamped_pair(&mut self, answer: Nanos, quiet: Nanos) {
        self.pairs.add(answer, quiet);
    }

    /// What the stamped pairs tell after all: most answers brought no news, for the clock that they echo stood still meanwhile (ticks of half a
    /// second, RFC 7323 section 5.4, or an echo that never changes), and none came sooner than the echoes allow.
    pub(crate) fn judge_by_stamped_pairs(&mut self) {
        let still = self.bounds.echoes * 2 < self.pairs.answers_between_bursts();
        let leg = self.pairs.leg_between_bursts().filter(|leg| *leg >= self.bounds.at_least);
        if let Some(leg) = leg.filter(|_| still && !self.told) {
            self.find(leg);
        }
    }

    /// Data up to `end` passed on its way to this end at `time`. One segment is timed at a time, none that was sent before, and none whose
    /// ACK may be for a later sending or wait for another one (Karn's rule, RFC 6298 section 3).
    pub(crate) fn data_towards(&mut self, end: Seq, time: Nanos) {
        if self.highest.is_none_or(|highest| end.distance(highest) > 0) {
            self.highest = Some(end);
            self.asked.get_or_insert((end, time));
        } else {
            self.asked = None;
        }
    }

    /// Data of this end passed at `time`; a whole `round` trip is that long.
    pub(crate) fn data_from(&mut self, time: Nanos, round: Nanos) {
        // What is shorter by no more than a wake-up says nothing of it.
        let told = self.without_wake_up();
        if let Some(leg) = self.bursts.sent(time, told, round).filter(|_| !self.near) {
            self.sample(leg);
        }
    }

    /// A SYN of this end passed at `time`.
    pub(crate) fn opened(&mut self, time: Nanos) {
        self.bursts.opened(time);
    }

    /// Any packet passed on its way to this end at `time`.
    pub(crate) fn heard(&mut self, time: Nanos) {
        self.bursts.heard(time);
    }

    /// This end acknowledged what lies before `ack`; it may have delayed that, and the shortest time counts.
    pub(crate) fn acknowledged(&mut self, ack: Seq, time: Nanos) {
        if let Some((_, passed)) = self.asked.take_if(|(end, _)| ack.distance(*end) >= 0) {
            self.sample(time - passed);
        }
    }

    /// A packet of this end acknowledges what is before `ack` and echoes `tsecr`; it may have queued though the end is near.
    #[inline(always)]
    pub(crate) fn watch(&mut self, tsecr: u32, ack: Seq, time: Nanos) {
        self.acked = Some(ack);
        if self.floor < NEAR && self.behind.echoed(tsecr, time) {
            self.near = self.is_near();
        }
    }

    /// A bare ACK with `seq` and `tsval` passed on its way to this end.
    #[inline(always)]
    pub(crate) fn ack_towards(&mut self, tsval: u32, seq: Seq, time: Nanos) {
        if self.floor < NEAR && self.takes(seq) {
            self.behind.towards(tsval, time);
        }
    }

    /// Whether this end takes the stamp of a packet with `seq`. Of what comes behind data that it has not acknowledged, because it delays its ACK or a
    /// hole is open before it, it does not (RFC 7323 section 4.3; `tcp_replace_ts_recent`).
    #[inline(always)]
    fn takes(&self, seq: Seq) -> bool {
        self.acked.is_none_or(|acked| seq.distance(acked) <= 0)
    }

    /// The first packet passes on its way to this end.
    pub(crate) fn begins(&mut self) {
        self.stamps.begin();
    }

    /// A packet with `seq` and `tsval` passed on its way to this end.
    #[inline]
    pub(crate) fn passed_towards(&mut self, tsval: u32, seq: Seq, time: Nanos) {
        if !self.near && self.stamps.is_another(tsval) {
            // What an end that is far away acknowledges meanwhile passes later.
            let taken = self.floor >= NEAR || self.takes(seq);
            self.stamps.passed(tsval, taken, time);
        }
    }

    /// See [`Stamps::when`].
    #[inline]
    pub(crate) fn passed(&self, tsecr: u32) -> Option<Nanos> {
        self.stamps.when(tsecr)
    }

    /// See [`Stamps::is_news`].
    #[inline]
    pub(crate) fn is_news(&self, tsecr: u32, time: Nanos) -> bool {
        self.stamps.is_news(tsecr, time)
    }

    /// A packet from this end, which without queues would have passed at `time`, echoed `tsecr`; whether its clock tells so is `one_way`.
    /// `round` is the length over which a queue is judged, and no packet had passed for so long before it.
    #[inline(never)]
    pub(crate) fn echoed(
        &mut self,
        tsecr: u32,
        time: Nanos,
        quiet: Nanos,
        round: Nanos,
        one_way: bool,
    ) {
        self.one_way = one_way;
        match self.stamps.echoed(tsecr, time) {
            Echo::Of(passed) => {
                let leg = time - passed;
                let rest = leg >= AROUND_THE_EARTH && quiet.scale(4, 1) >= leg.scale(3, 1);
                self.bounds.rested += u32::from(rest);
                self.echo_sample(leg, time, quiet, round);
            }
            Echo::Stuck => {
                self.stuck = true;
                self.settle();
            }
            Echo::Nothing => (),
        }
    }

    /// A packet that echoes a value though newer ones are under way proves that it left before those arrived. Where the next follows
    /// soon, it waited on the path and not for its application, and tells the queue of the moment: the next one has waited
    /// for nearly as long.
    fn echo_sample(&mut self, leg: Nanos, time: Nanos, quiet: Nanos, round: Nanos) {
        if self.known {
            self.lows.note(time, self.floor);
        }
        self.sample(leg);
        self.lows.note(time, self.floor);
        self.bounds.echoed(leg, self.floor);
        if time >= self.round_end {
            self.previous = self.current;
            self.current = Nanos::MAX;
            self.round_end = time + round;
        }
        self.latest = Nanos::ZERO;
        let waited = leg - self.floor();
        // What comes out of a long queue comes behind other packets: an end that was silent for half as long has waited for its application.
        let rested = leg >= AROUND_THE_EARTH && quiet.scale(2, 1) >= leg;
        let part = if rested { Nanos::ZERO } else { waited.scale(1, 4) };
        let soon = SOON.max(self.floor().scale(1, 8)).max(part);
        let next = self.stamps.oldest();
        if let Some(next) = next {
            self.bounds.at_least = self.bounds.at_least.max(time - next);
        }
        if next.is_some_and(|next| next - (time - leg) <= soon) {
            self.current = self.current.min(leg);
            self.latest = leg;
        }
        self.settle();
    }
}
