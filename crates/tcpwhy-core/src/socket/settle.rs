//! The kernel's samples beside a timeline from packets: what they confirm is surer, and what packets leave open they settle.

use crate::analysis::verdict;
use crate::model::{
    Cause, Connection, Direction, Evidence, Finding, FindingKind, Interval, Limit, Source, Traits,
    WindowScale,
};
use crate::units::Nanos;
use crate::whatif::predict_by;

use super::pieces::{Piece, pieces};
use super::{Histories, History, Holder, State, cause, receiver_cause};

/// Below this many percent an answer from packets gives way to the kernel's own.
const LOW: u8 = 70;
/// What the kernel itself says, in percent: its samples are some milliseconds apart.
pub(super) const SURE: u8 = 95;
/// Samples come every 2 ms at best: most of a shorter piece is a matter of chance.
const SHORTEST_NS: u64 = 10_000_000;
/// What decides between these is in no packet: whether the process had more to send (a writer that is woken late looks like one that has
/// nothing), how much waits in its buffer, and how large its congestion window is.
const INSIDE: [Limit; 3] = [Limit::Application, Limit::SendBuffer, Limit::CongestionWindow];
/// Pieces into which an interval is cut at most; a timeline is a picture a thousand pixels wide.
const MOST_PIECES: usize = 64;

/// Settles both directions of `connection`; `wmem_most` is `tcp_wmem[2]` of the sampled host, 0 where it is not known.
///
/// This comes before [`refine`](crate::whatif::refine): the model follows the timeline that was settled.
///
/// A direction whose sender was not sampled keeps its answer, but for a reader that the receiver's samples show to be slow.
pub fn settle(connection: &mut Connection, sockets: &Histories, wmem_most: u64) {
    let (from, to) = (connection.start, connection.start + connection.duration);
    for side in 0..2 {
        let Some(direction) = connection.directions.get_mut(side) else { continue };
        let (here, there) = match side {
            0 => (connection.client, connection.server),
            _ => (connection.server, connection.client),
        };
        let sender = sockets.between([here, there], from, to);
        let receiver = sockets.between([there, here], from, to);
        if direction.bytes > 0 && (sender.is_some() || receiver.is_some()) {
            let sender = sender.map(|history| Sender::new(history, wmem_most));
            settle_direction(direction, sender.as_ref(), receiver);
        }
    }
    let [up, down] = &connection.directions;
    let is_sure = |f: &Finding| {
        let of_receiver = |d: &&Direction| d.from.other() == f.side;
        f.kind == FindingKind::ScaleInferred
            && [up, down].into_iter().find(of_receiver).is_some_and(|d| d.rests_on_samples())
    };
    let findings = connection.findings.iter().filter(|f| !is_sure(f));
    connection.findings = findings.copied().collect();
}

/// A sender's samples, judged.
pub(super) struct Sender {
    pub(super) states: Vec<State>,
    pieces: Vec<Piece>,
    /// Why its send buffer is not larger.
    pub(super) buffer: Cause,
}

impl Sender {
    pub(super) fn new(history: &History, wmem_most: u64) -> Self {
        let states = history.states();
        let tuned = history.holder(wmem_most) == Holder::NotGrownYet;
        let pieces = pieces(&states, tuned, SHORTEST_NS).collect();
        Self { pieces, states, buffer: history.buffer_cause(wmem_most) }
    }

    pub(super) fn states(&self, from: Nanos, to: Nanos) -> &[State] {
        let first = self.states.partition_point(|s| at(s.t_ns) < from);
        let last = self.states.partition_point(|s| at(s.t_ns) < to);
        self.states.get(first..last).unwrap_or_default()
    }

    /// The limits between two moments, neighbours of one kind joined.
    pub(super) fn limits(&self, from: Nanos, to: Nanos) -> Vec<(Nanos, Nanos, Limit)> {
        let first = self.pieces.partition_point(|p| at(p.to_ns) <= from);
        let inside = self.pieces.get(first..).unwrap_or_default();
        let inside = inside.iter().take_while(|p| at(p.from_ns) < to);
        let mut joined: Vec<(Nanos, Nanos, Limit)> = Vec::new();
        for piece in inside {
            let (begin, end) = (at(piece.from_ns).max(from), at(piece.to_ns).min(to));
            match joined.last_mut() {
                Some(last) if last.2 == piece.limit && last.1 == begin => last.1 = end,
                _ => joined.push((begin, end, piece.limit)),
            }
        }
        joined
    }
}

fn settle_direction(d: &mut Direction, sender: Option<&Sender>, receiver: Option<&History>) {
    // Without the handshake the packets' window is a guess: the kernel knows it in bytes.
    let guessed = matches!(d.facts.scale, WindowScale::Inferred { min, max } if min < max);
    let before: Vec<Limit> = d.timeline.iter().map(|i| i.limit).collect();
    let mut timeline: Vec<Interval> = Vec::with_capacity(d.timeline.len());
    for interval in &d.timeline {
        for mut settled in by_sender(interval, sender, guessed) {
            by_receiver(&mut settled, receiver);
            if let (Limit::SendBuffer, Cause::None, Some(sender)) =
                (settled.limit, settled.cause, sender)
            {
                settled.cause = sender.buffer;
            }
            join(&mut timeline, settled);
        }
    }
    let same = timeline.iter().map(|i| i.limit).eq(before);
    d.timeline = timeline.into();
    d.verdict = verdict::of(d.from, &d.timeline, &d.transfers, &d.facts);
    if !same {
        predict_by(d, d.traits.unwrap_or_else(|| Traits::least(&d.facts)));
    }
}

/// What becomes of an interval from packets; `guessed`: its window is.
fn by_sender(interval: &Interval, sender: Option<&Sender>, guessed: bool) -> Vec<Interval> {
    let unchanged = vec![*interval];
    let Some(sender) = sender.filter(|_| interval.limit != Limit::Handshake) else {
        return unchanged;
    };
    let limits = sender.limits(interval.from, interval.to);
    let held = |of: &dyn Fn(Limit) -> bool| {
        let held = limits.iter().filter(|(_, _, limit)| of(*limit));
        held.fold(Nanos::ZERO, |sum, (from, to, _)| sum + (*to - *from))
    };
    let (sampled, whole) = (held(&|_| true), interval.duration());
    if sampled.scale(2, 1) < whole {
        return unchanged;
    }
    if held(&|limit| limit == interval.limit).scale(2, 1) > sampled {
        return vec![confirmed(interval)];
    }
    let says = |limit: Limit| held(&|l| l == limit).scale(2, 1) > sampled;
    let window = (interval.limit == Limit::ReceiveWindow) != says(Limit::ReceiveWindow);
    let overruled = match interval.limit {
        // These show in the packets, whatever the window is.
        Limit::LossRecovery | Limit::SilentPath => false,
        _ if guessed && window => true,
        limit if INSIDE.contains(&limit) => INSIDE.into_iter().any(says),
        limit => limit == Limit::Unknown || interval.confidence < LOW,
    };
    if !overruled && interval.confidence >= LOW {
        return unchanged;
    }
    let most = Limit::ALL.into_iter().rev().max_by_key(|l| held(&|limit| limit == *l));
    if limits.len() > MOST_PIECES {
        let limit = most.unwrap_or(Limit::Unknown);
        return vec![decided(interval, sender, interval.from, interval.to, limit)];
    }
    cut(interval, sender, &limits)
}

fn confirmed(interval: &Interval) -> Interval {
    let confidence = interval.confidence.max(SURE);
    Interval { confidence, source: Source::Both, ..*interval }
}

/// The kernel's pieces in place of the interval; times without samples stay as they were.
fn cut(interval: &Interval, sender: &Sender, limits: &[(Nanos, Nanos, Limit)]) -> Vec<Interval> {
    let mut parts = Vec::with_capacity(limits.len() + 2);
    let mut until = interval.from;
    let (source, evidence) = (Source::Packets, Evidence::default());
    let rest = |from, to| Interval { from, to, source, evidence, ..*interval };
    for (from, to, limit) in limits {
        if *from > until {
            parts.push(rest(until, *from));
        }
        if to > from {
            parts.push(decided(interval, sender, *from, *to, *limit));
        }
        until = until.max(*to);
    }
    if until < interval.to {
        parts.push(rest(until, interval.to));
    }
    parts
}

fn decided(interval: &Interval, sender: &Sender, from: Nanos, to: Nanos, limit: Limit) -> Interval {
    let states = sender.states(from, to);
    // A handshake shows in the packets; the sample in which it was under way holds until the next one.
    if matches!(limit, Limit::Unknown | Limit::Handshake) {
        return Interval { from, to, ..*interval };
    }
    let (source, evidence, cause) = (Source::Samples, evidence(states), cause(limit, states));
    Interval { from, to, limit, cause, confidence: SURE, source, evidence, ..*interval }
}

/// The numbers of some states of a sender.
pub(super) fn evidence(states: &[State]) -> Evidence {
    let micros = |us: u32| Nanos::from_micros(us.into());
    let measured = || states.iter().filter(|s| s.srtt_us > 0);
    let sum: u64 = measured().map(|s| u64::from(s.srtt_us)).sum();
    let mean = sum.checked_div(measured().count() as u64).unwrap_or(0);
    let acked = |state: Option<&State>| state.map_or(0, |s| s.acked);
    Evidence {
        acked: acked(states.last()).saturating_sub(acked(states.first())),
        flight: states.iter().map(|s| u64::from(s.outstanding)).max().unwrap_or(0),
        window: states.iter().map(|s| s.snd_wnd).min().unwrap_or(0),
        rtt_min: measured().map(|s| micros(s.srtt_us)).min().unwrap_or_default(),
        rtt_mean: Nanos::from_micros(i64::try_from(mean).unwrap_or(0)),
        ..Evidence::default()
    }
}

/// Whether the reader is slow is known at the receiver: its queue stands. What the packets are not sure of becomes that.
pub(super) fn by_receiver(interval: &mut Interval, receiver: Option<&History>) {
    let Some(receiver) = receiver else { return };
    let open = interval.limit == Limit::Unknown
        || (interval.confidence < LOW && interval.limit != Limit::Handshake);
    if interval.limit != Limit::ReceiveWindow && !open {
        return;
    }
    let seen = receiver.receivers(interval.from, interval.to);
    if receiver_cause(&seen) != Cause::SlowReader {
        return;
    }
    let source = if open { Source::Samples } else { Source::Both };
    interval.source = interval.source.max(source);
    interval.confidence = interval.confidence.max(SURE);
    interval.limit = Limit::ReceiveWindow;
    if interval.cause != Cause::ZeroWindow {
        interval.cause = Cause::SlowReader;
    }
}

/// Adds an interval, or makes the last one longer where it says the same.
pub(super) fn join(timeline: &mut Vec<Interval>, next: Interval) {
    let same = |last: &&mut Interval| {
        let key = |i: &Interval| (i.limit, i.cause, i.source);
        key(last) == key(&next)
    };
    let Some(last) = timeline.last_mut().filter(same) else { return timeline.push(next) };
    let (one, other) = (last.duration(), next.duration());
    let weighted =
        one.scale(last.confidence.into(), 100) + other.scale(next.confidence.into(), 100);
    let percent = weighted.scale(100, (one + other).0.max(1)).0;
    last.confidence = u8::try_from(percent.clamp(0, 100)).unwrap_or(last.confidence);
    last.evidence = sum(&last.evidence, &next.evidence);
    last.to = next.to;
    last.last_frame = last.last_frame.max(next.last_frame);
}

fn sum(one: &Evidence, other: &Evidence) -> Evidence {
    // 0 is not measured.
    let least = |a: u32, b: u32| if a == 0 || b == 0 { a.max(b) } else { a.min(b) };
    let shortest =
        |a: Nanos, b: Nanos| if a == Nanos::ZERO || b == Nanos::ZERO { a.max(b) } else { a.min(b) };
    Evidence {
        acked: one.acked + other.acked,
        flight: one.flight.max(other.flight),
        window: least(one.window, other.window),
        room: least(one.room, other.room),
        rtt_min: shortest(one.rtt_min, other.rtt_min),
        rtt_mean: shortest(one.rtt_mean, other.rtt_mean),
        stalls: one.stalls.saturating_add(other.stalls),
        longest_stall: one.longest_stall.max(other.longest_stall),
        retransmissions: one.retransmissions.saturating_add(other.retransmissions),
    }
}

pub(super) fn at(t_ns: u64) -> Nanos {
    Nanos(i64::try_from(t_ns).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;
