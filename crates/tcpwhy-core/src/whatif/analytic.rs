//! Predicted transfer times with one limit lifted, by arithmetic.
//!
//! The bytes that moved under the limit are moved again at the rate of the next ceiling: the
//! narrowest link's rate (from the dispersion of bursts), or the largest window that the receiver
//! offered over the RTT floor. Rate <= min(send buffer, cwnd, receive window) / RTT, and <= bandwidth.

use super::tail::{late, tail};
use super::turns::on_the_way;
use crate::model::{Cause, Facts, Interval, Limit, Traits, WhatIf, WindowScale};
use crate::units::{Nanos, bytes_in, mul_div, time_for};

/// The largest window without scaling (RFC 9293).
const UNSCALED: u64 = 65_535;

/// What the prediction starts from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<'a> {
    pub(crate) timeline: &'a [Interval],
    pub(crate) facts: &'a Facts,
    /// First data sent to last data acknowledged.
    pub(crate) transfer: Nanos,
    pub(crate) bytes: u64,
    /// Transfers: how often the other end spoke meanwhile, and one.
    pub(crate) turns: u64,
    pub(crate) traits: Traits,
}

/// One prediction for each limit that held for a measurable time; none where no time was measured, as of data that was seen once and never
/// acknowledged, or neither a round trip nor a rate: then nobody knows what would come next.
pub(crate) fn predict(path: &Path<'_>) -> Vec<WhatIf> {
    if path.traits.capacity == 0 {
        return Vec::new();
    }
    let mut held = Held::by_limit(path.timeline);
    let thought = &mut held[Limit::Application as usize].time;
    let on_the_way = on_the_way(path);
    *thought = *thought - tail(path).0 - late(path) - on_the_way;
    held[Limit::PathBandwidth as usize].time += on_the_way;
    let mut list: Vec<WhatIf> = Limit::ALL
        .into_iter()
        .filter(|l| !matches!(l, Limit::Handshake | Limit::Unknown))
        .filter(|&l| held[l as usize].time.0 > 0)
        .map(|l| lift(path, &held, l))
        .filter(|w| w.transfer.0 > 0)
        .collect();
    list.sort_by_key(|w| (w.transfer, w.lift));
    list
}

/// How often and how long one limit held, with bytes and stalls.
#[derive(Debug, Clone, Copy, Default)]
struct Held {
    times: u32,
    time: Nanos,
    bytes: u64,
    stalls: u32,
    flight: u64,
}

/// One for each limit, in the order of the taxonomy.
type ByLimit = [Held; Limit::ALL.len()];

impl Held {
    fn by_limit(timeline: &[Interval]) -> ByLimit {
        let mut all = ByLimit::default();
        let lossy = timeline.iter().any(|i| i.limit == Limit::LossRecovery);
        for i in timeline {
            all[i.limit as usize].add(i);
            // The slow growth after a loss is the loss's doing.
            let slow = i.limit != Limit::LossRecovery && i.cause == Cause::CongestionAvoidance;
            if lossy && slow {
                all[Limit::LossRecovery as usize].add(i);
            }
        }
        all
    }

    fn add(&mut self, i: &Interval) {
        self.times += 1;
        self.time += i.duration();
        self.bytes += i.evidence.acked;
        self.stalls = self.stalls.saturating_add(i.evidence.stalls);
        self.flight = self.flight.max(i.evidence.flight);
    }
}

fn lift(path: &Path<'_>, all: &ByLimit, limit: Limit) -> WhatIf {
    let held = all[limit as usize];
    let other = largest_other(all, limit);
    let tries = if limit == Limit::SilentPath { unanswered(path.timeline) } else { Nanos::ZERO };
    let rest = path.transfer - (held.time + tries).min(path.transfer);
    let (again, next) = match limit {
        Limit::Application | Limit::SilentPath => (Nanos::ZERO, other),
        // Its own pace, or the answers that it waits for.
        Limit::DelayedAck => (without_delayed_ack(path, held), Limit::Application),
        _ => move_again(path, limit, held),
    };
    let floor = time_for(path.bytes, ceiling(path, limit).0).max(path.facts.rtt_floor);
    let transfer = (rest + again).max(floor).min(path.transfer);
    let next = if again.0 > rest.0 { next } else { other };
    said(path, limit, transfer, next)
}

/// Half of what HTTP/2 lets through before it grants more (RFC 9113 section 6.9.2), and the largest packet that every SSH takes in (RFC 4253
/// section 6.1).
pub(crate) const LEAST_GRANT: u64 = 32 << 10;

/// A prediction. One that ends at a path that may carry more than it did is what the transfer takes at most; what the path is without its limit
/// is nothing that a packet could show. So is one that keeps the way of turns in which so much moves: a protocol's own window may have made them.
pub(super) fn said(path: &Path<'_>, lift: Limit, transfer: Nanos, next: Limit) -> WhatIf {
    let by_path = next == Limit::PathBandwidth && lift != Limit::PathBandwidth;
    let by_turns =
        lift == Limit::Application && path.turns > 1 && path.bytes / path.turns >= LEAST_GRANT;
    WhatIf { lift, transfer, next, at_most: by_path && path.traits.is_least || by_turns }
}

/// Repairs that nothing came of, before a path is known to be silent: the first tries are like any others.
fn unanswered(timeline: &[Interval]) -> Nanos {
    let pairs = timeline.iter().zip(timeline.iter().skip(1));
    pairs
        .filter(|(i, next)| i.limit == Limit::LossRecovery && next.limit == Limit::SilentPath)
        .filter(|(i, _)| i.evidence.acked == 0)
        .fold(Nanos::ZERO, |sum, (i, _)| sum + i.duration())
}

/// What is left of the waits for ACKs. A segment that waited for one was all that there was to send, where an answer followed: without the wait
/// (TCP_NODELAY, or one write instead of two) it leaves at once, and the answer comes a round trip later. Where there were more waits than times
/// that the other end spoke, the application has gone on writing meanwhile, and what it writes is not there before it does.
fn without_delayed_ack(path: &Path<'_>, held: Held) -> Nanos {
    let waits = i64::from(held.stalls.max(held.times).max(1));
    let turns = i64::try_from(path.turns).unwrap_or(waits).min(waits);
    // A message of three pieces waits twice before it is answered.
    let left = held.time - held.time.scale((2 * turns).min(waits), waits);
    let answered = path.facts.rtt_floor.scale(turns, 1);
    let others = path.transfer - held.time;
    left.max(answered - others).max(Nanos::ZERO)
}

/// The bytes at the rate of the next ceiling, reached by doubling from the flight that was held.
fn move_again(path: &Path<'_>, limit: Limit, held: Held) -> (Nanos, Limit) {
    let (rate, next) = ceiling(path, limit);
    let target = bytes_in(rate, path.facts.rtt_floor);
    let mut flight = held.flight.max(u64::from(path.facts.mss));
    let (mut left, mut time) = (held.bytes, Nanos::ZERO);
    let mut rounds = 0;
    while flight < target && left > flight && rounds < 64 && limit != Limit::CongestionWindow {
        left -= flight;
        time += path.facts.rtt_floor;
        flight = flight.saturating_mul(2);
        rounds += 1;
    }
    let steady = time_for(left, rate);
    let next = if time > steady { Limit::CongestionWindow } else { next };
    (time + steady, next)
}

/// The lowest ceiling besides `lifted`, in bytes per second.
fn ceiling(path: &Path<'_>, lifted: Limit) -> (u64, Limit) {
    let window = match lifted {
        Limit::ReceiveWindow => u64::MAX,
        _ => per_second(possible_window(path), path.facts.rtt_floor),
    };
    let link = if lifted == Limit::PathBandwidth { u64::MAX } else { path.traits.capacity };
    match (link, window) {
        (u64::MAX, u64::MAX) => (path.traits.capacity.max(1), Limit::Unknown),
        (link, window) if window < link => (window.max(1), Limit::ReceiveWindow),
        (link, _) => (link.max(1), Limit::PathBandwidth),
    }
}

/// How far the window may open. One that never held anything was not asked to grow: receive
/// autotuning follows what arrives, up to what the scale can express.
fn possible_window(path: &Path<'_>) -> u64 {
    let held = path.timeline.iter().any(|i| i.limit == Limit::ReceiveWindow);
    let largest = u64::from(path.facts.max_window);
    match path.facts.scale {
        _ if held => largest,
        WindowScale::Absent => UNSCALED,
        WindowScale::Known(shift) | WindowScale::Inferred { min: shift, .. } => {
            (UNSCALED << shift.min(14)).max(largest)
        }
    }
}

/// What held longest besides `lifted`.
fn largest_other(all: &ByLimit, lifted: Limit) -> Limit {
    Limit::ALL
        .into_iter()
        .filter(|&l| l != lifted && l != Limit::Handshake && all[l as usize].time.0 > 0)
        .max_by_key(|&l| all[l as usize].time)
        .unwrap_or(Limit::PathBandwidth)
}

fn per_second(bytes: u64, span: Nanos) -> u64 {
    mul_div(bytes, 1_000_000_000, u64::try_from(span.0).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::made::{self, facts};

    fn interval(limit: Limit, secs: i64, acked: u64) -> Interval {
        made::interval(limit, (Nanos::ZERO, Nanos::from_secs(secs)), acked)
    }

    #[test]
    fn case_a_22_mb_through_16k_becomes_two_seconds_on_the_link() {
        let timeline = [interval(Limit::SendBuffer, 25, 22_000_000)];
        let path = Path {
            timeline: &timeline,
            facts: &facts(),
            transfer: Nanos::from_secs(25),
            bytes: 22_000_000,
            turns: 1,
            traits: Traits { capacity: 12_500_000, ..Traits::default() },
        };
        let list = predict(&path);
        assert_eq!((list[0].lift, list[0].next), (Limit::SendBuffer, Limit::PathBandwidth));
        let secs = list[0].transfer.secs();
        assert!((1.7..2.1).contains(&secs), "{secs}");
    }

    #[test]
    fn a_prediction_by_a_path_that_did_not_show_its_rate_is_a_bound() {
        let at_most = |limit, is_least, turns| {
            let timeline = [interval(limit, 25, 22_000_000)];
            let traits = Traits { capacity: 12_500_000, is_least, ..Traits::default() };
            let (facts, transfer, bytes) = (facts(), Nanos::from_secs(25), 22_000_000);
            let path = Path { timeline: &timeline, facts: &facts, transfer, bytes, turns, traits };
            predict(&path)[0].at_most
        };
        assert!(at_most(Limit::SendBuffer, true, 1));
        assert!(!at_most(Limit::SendBuffer, false, 1));
        // Nobody can say what comes after the path.
        assert!(!at_most(Limit::PathBandwidth, true, 1));
        // Turns of 55 KB may be what a protocol's own window lets through; those of 11 KB are questions and answers.
        let turns = |turns| at_most(Limit::Application, false, turns);
        assert_eq!([1, 400, 2_000].map(turns), [false, true, false]);
    }

    #[test]
    fn a_write_that_waited_for_a_delayed_ack_leaves_at_once_and_a_writers_clock_stays() {
        let lifted = |ms_each: i64, turns: u64| {
            let stalls = 30;
            let mut timeline = [interval(Limit::DelayedAck, 2, 9_000)];
            timeline[0].to = Nanos::from_millis(ms_each * i64::from(stalls));
            timeline[0].evidence.stalls = stalls;
            let path = Path {
                timeline: &timeline,
                facts: &facts(),
                transfer: Nanos::from_secs(3),
                bytes: 9_000,
                turns,
                traits: Traits { capacity: 12_500_000, ..Traits::default() },
            };
            predict(&path)[0].transfer
        };
        // 40 ms and a round trip of 20 ms each.
        assert_eq!(lifted(60, 30), Nanos::from_millis(3_000 - 1_800));
        // A round trip each: a prompt ACK is waited for in vain, too.
        assert_eq!(lifted(21, 30), Nanos::from_millis(3_000 - 630));
        // Each answer still takes a round trip.
        assert_eq!(lifted(100, 30), Nanos::from_millis(600));
        // Nobody answers what is written 30 times.
        assert_eq!(lifted(60, 1), Nanos::from_millis(3_000 - 120));
    }

    #[test]
    fn the_first_tries_into_a_silent_path_are_part_of_it() {
        let tries = |acked| {
            let at = |limit, (from, to): (i64, i64), acked| {
                let mut i = interval(limit, 1, acked);
                (i.from, i.to) = (Nanos::from_millis(from), Nanos::from_millis(to));
                i
            };
            let timeline = [
                at(Limit::PathBandwidth, (0, 500), 6_000_000),
                at(Limit::LossRecovery, (500, 700), acked),
                at(Limit::SilentPath, (700, 4_000), 0),
            ];
            let path = Path {
                timeline: &timeline,
                facts: &facts(),
                transfer: Nanos::from_secs(4),
                bytes: 6_000_000,
                turns: 1,
                traits: Traits { capacity: 12_500_000, ..Traits::default() },
            };
            let list = predict(&path);
            list.iter().find(|w| w.lift == Limit::SilentPath).unwrap().transfer
        };
        assert_eq!(tries(0), Nanos::from_millis(500));
        assert_eq!(tries(1_448), Nanos::from_millis(700));
    }

    #[test]
    fn nothing_takes_no_time() {
        let timeline = [interval(Limit::Application, 2, 0)];
        let (transfer, capacity) = (Nanos::ZERO, 12_500_000);
        let (facts, bytes) = (facts(), 29);
        let path = Path {
            timeline: &timeline,
            facts: &facts,
            transfer,
            bytes,
            turns: 1,
            traits: Traits { capacity, ..Traits::default() },
        };
        assert_eq!(predict(&path), []);
    }

    #[test]
    fn nothing_is_predicted_of_a_path_that_showed_neither_a_round_trip_nor_a_rate() {
        let timeline = [interval(Limit::LossRecovery, 11, 34_528)];
        let facts = Facts { rtt_floor: Nanos::ZERO, ..facts() };
        let predicted = |capacity| {
            let (transfer, bytes) = (Nanos::from_secs(11), 34_528);
            let traits = Traits { capacity, ..Traits::default() };
            predict(&Path { timeline: &timeline, facts: &facts, transfer, bytes, turns: 1, traits })
                .len()
        };
        assert_eq!([0, 12_500_000].map(predicted), [0, 1]);
    }

    #[test]
    fn lifting_a_limit_never_makes_it_slower() {
        // The path carried 500 bytes a second at most, by what was measured: 44,000 s.
        let timeline = [interval(Limit::SendBuffer, 2, 22_000_000)];
        let path = Path {
            timeline: &timeline,
            facts: &facts(),
            transfer: Nanos::from_secs(2),
            bytes: 22_000_000,
            turns: 1,
            traits: Traits { capacity: 500, ..Traits::default() },
        };
        let predicted: Vec<_> = predict(&path).iter().map(|w| (w.lift, w.transfer)).collect();
        assert_eq!(predicted, [(Limit::SendBuffer, path.transfer)]);
    }
}
