//! Predicted transfer times with one limit lifted, by the model of a transfer.
//!
//! What stays is time that no setting of TCP shortens: the application's, a silent path's, that of a reader that stops and of losses which
//! the lifted limit does not explain, and of what is unknown the same part. Everything else is transferred once more from the start, over
//! the path that was seen, with the buffers that were seen to limit and the reader's pace, without the lifted one.

use super::analytic::{Path, said};
use super::refining::Budget;
use super::tail::{late, tail};
use super::transfer::{Control, End, Phase, Prediction, Transfer, predict};
use super::turns::on_the_way;
use crate::kernel::buffers::Asked;
use crate::kernel::send::skb_overhead;
use crate::kernel::window::Share;
use crate::model::{Cause, Facts, Interval, Limit, WhatIf, WindowScale, time_of};
use crate::units::{Nanos, bytes_in, mul_div, time_at};
use std::num::NonZeroU64;

/// Round trips that a transfer must take for slow start and autotuning to matter, and for its figures to be more than chance.
const FEWEST_ROUNDS: i64 = 4;
/// Segments that one prediction follows; what is left goes at the rate that was reached. A few milliseconds.
const MOST_SEGMENTS: u64 = 6_000;
/// Seconds of a slow reader that one prediction follows: it reads twenty times a second.
const LONGEST_READ: u64 = 600;
/// A limit that held for less than this part of the time is left to the arithmetic.
const LEAST_PART: i64 = 20;
/// A buffer that held for less than this part of the time is none that the rest of the transfer would meet.
const REAL_PART: i64 = 10;
/// What the default sysctls let buffers grow to, at least.
const SEND_MOST: u64 = 4 << 20;
const RECEIVE_MOST: u64 = 6 << 20;
/// What is written at once, at most so many segments and so little of the buffer: larger writes overshoot it, and the flight that was seen
/// has in it what they did.
const WRITE: u64 = 8;
const WRITE_PART: u64 = 16;
/// The part of a receive buffer that is window when its size is chosen for a window that was seen: a half.
const HALF: Share = Share::Ratio(128);

/// Refines the predictions of the arithmetic where the model knows better and may be used.
pub(crate) fn refine(path: &Path<'_>, list: &mut [WhatIf], budget: &mut Budget) {
    let rtt = path.facts.rtt_floor;
    if rtt.0 <= 0 || path.transfer < rtt.scale(FEWEST_ROUNDS, 1) || path.facts.mss == 0 {
        return;
    }
    for what_if in list.iter_mut() {
        let mut held = time_of(path.timeline, |i| i.limit == what_if.lift);
        if what_if.lift == Limit::PathBandwidth {
            held += on_the_way(path);
        }
        if held.scale(LEAST_PART, 1) < path.transfer {
            continue;
        }
        if let Some(better) = lift(path, what_if.lift, budget) {
            *what_if = better;
        }
    }
    list.sort_by_key(|w| (w.transfer, w.lift));
}

fn lift(path: &Path<'_>, lifted: Limit, budget: &mut Budget) -> Option<WhatIf> {
    if lifted == Limit::DelayedAck {
        return None;
    }
    let kept = |i: &Interval| stays(i, lifted, path);
    let (way, on_its_way) =
        if lifted == Limit::Application { (Nanos::ZERO, 0) } else { tail(path) };
    let unknown = Unknown::of(path.timeline, kept);
    let mut stays = time_of(path.timeline, kept) + unknown.time - way;
    let rtt = path.facts.rtt_floor;
    let (mut answers, on_the_way) = (Nanos::ZERO, on_the_way(path));
    let gone = if lifted == Limit::PathBandwidth { on_the_way } else { Nanos::ZERO };
    stays = stays - gone;
    if lifted == Limit::Application {
        stays += late(path);
    }
    if lifted == Limit::Application && path.turns > 1 {
        // A question still has to cross the path, and its answer goes through what held every answer: one long transfer grows out of it.
        let questions = rtt.scale(i64::try_from(path.turns - 1).unwrap_or(i64::MAX), 1);
        stays += questions + path.traits.answers.min(on_the_way);
        let held = time_of(path.timeline, |i| i.limit == lifted).min(path.transfer);
        answers = path.transfer - held + questions + on_the_way;
    }
    let meanwhile: u64 = path.timeline.iter().filter(|i| kept(i)).map(|i| i.evidence.acked).sum();
    let meanwhile = meanwhile.saturating_add(unknown.bytes).saturating_sub(on_its_way);
    let size = path.bytes.saturating_sub(meanwhile).max(1);
    let mss = u64::from(path.facts.mss);
    let followed = size.min(MOST_SEGMENTS * mss);
    budget.spend(followed / mss)?;
    let p = predict(&transfer(path, lifted, followed));
    if !p.complete {
        return None;
    }
    let rest = time_at(size - followed, p.steady_bps.max(1));
    // Until the last byte is acknowledged, from the first one on.
    let moved = p.arrived - p.phases[Phase::Handshake as usize] + rtt.scale(1, 2) + rest;
    let next =
        longest_kept(path, kept).filter(|_| moved <= stays).unwrap_or_else(|| held_by(&p, lifted));
    // What was seen of the path in the time that stays may have been less than its rate.
    let wire = match lifted {
        Limit::PathBandwidth => Nanos::ZERO,
        _ => time_at(path.bytes, path.traits.capacity.saturating_mul(8).max(1)),
    };
    let least = others(path.timeline, lifted, path.transfer, kept) - gone;
    let transfer = (stays + moved).max(wire).max(answers).max(least).min(path.transfer);
    Some(said(path, lifted, transfer, next))
}

/// The time of a transfer that another limit held and would hold again. Losses that are not `kept` are another matter: what made them may go
/// with the limit, and the window that they left behind; so is a send buffer whose size nobody knows behind a window.
fn others(
    timeline: &[Interval],
    lifted: Limit,
    transfer: Nanos,
    kept: impl Fn(&Interval) -> bool,
) -> Nanos {
    let may_go = |i: &Interval| match i.limit {
        Limit::Unknown | Limit::Handshake => true,
        Limit::SendBuffer => matches!(lifted, Limit::SendBuffer | Limit::ReceiveWindow),
        limit => limit == lifted || is_by_loss(i) && !kept(i),
    };
    (transfer - time_of(timeline, may_go)).max(Nanos::ZERO)
}

/// Whether something was lost then, or the window grows again after that.
fn is_by_loss(i: &Interval) -> bool {
    i.limit == Limit::LossRecovery || i.cause == Cause::CongestionAvoidance
}

/// The part of what is unknown that stays: as much of it as of what is known.
struct Unknown {
    time: Nanos,
    bytes: u64,
}

impl Unknown {
    fn of(timeline: &[Interval], kept: impl Fn(&Interval) -> bool) -> Self {
        let is_unknown = |i: &&Interval| i.limit == Limit::Unknown;
        let is_known = |i: &Interval| !matches!(i.limit, Limit::Unknown | Limit::Handshake);
        let (known, stays) = (time_of(timeline, is_known), time_of(timeline, kept));
        let part = |of: u64| mul_div(of, stays.0.max(0) as u64, known.0.max(1) as u64);
        let time = time_of(timeline, |i| is_unknown(&i)).0.max(0) as u64;
        let bytes = timeline.iter().filter(is_unknown).map(|i| i.evidence.acked).sum();
        Self { time: Nanos(i64::try_from(part(time)).unwrap_or(i64::MAX)), bytes: part(bytes) }
    }
}

/// Whether an interval's time stays, whatever TCP does.
fn stays(i: &Interval, lifted: Limit, path: &Path<'_>) -> bool {
    let by_loss = is_by_loss(i);
    let by_reader = matches!(i.cause, Cause::SlowReader | Cause::ZeroWindow);
    match i.limit {
        limit if limit == lifted => false,
        Limit::Handshake => false,
        Limit::Application | Limit::SilentPath | Limit::DelayedAck => true,
        // The model knows the reader's pace.
        Limit::ReceiveWindow => by_reader && pace_of_reader(path).is_none(),
        // A window without limit asks nothing of losses, and what makes the losses may be the path or what it lets burst. But where less
        // was in flight than the path holds, it was neither.
        Limit::LossRecovery if lifted == Limit::PathBandwidth => {
            path.traits.chance || i.evidence.flight < holds(path)
        }
        // Where repairs take longer than the window does, they are no consequence of its size.
        Limit::LossRecovery if lifted == Limit::CongestionWindow => {
            let time = |of| time_of(path.timeline, |i| i.limit == of);
            time(Limit::LossRecovery) > time(Limit::CongestionWindow)
        }
        // The first tries into a silent path are part of it.
        _ if by_loss && lifted == Limit::SilentPath => i.evidence.acked > 0,
        _ if by_loss && lifted == Limit::PathBandwidth => path.traits.chance,
        _ if by_loss => matches!(lifted, Limit::Application | Limit::ReceiveWindow),
        _ => false,
    }
}

/// Bytes that came through in a round trip when most did.
fn holds(path: &Path<'_>) -> u64 {
    bytes_in(path.facts.peak_bps / 8, path.facts.rtt_floor)
}

/// The reader's pace, where the model may follow it.
fn pace_of_reader(path: &Path<'_>) -> Option<u64> {
    path.traits.reader.filter(|rate| path.bytes / *rate <= LONGEST_READ).map(NonZeroU64::get)
}

/// The transfer over the path that was seen.
fn transfer(path: &Path<'_>, lifted: Limit, size: u64) -> Transfer {
    let facts = path.facts;
    let capacity = if lifted == Limit::PathBandwidth { 0 } else { path.traits.capacity };
    let bdp = bytes_in(capacity, facts.rtt_floor);
    // Seen from its first packet on, a connection starts with what every one starts with; else with what it has grown to.
    let mut end = end(path, lifted, bdp);
    if !path.traits.opened {
        let [_, initial, most] = &mut end.sysctls.tcp_rmem;
        *initial = (2 * u64::from(facts.max_window)).clamp(*initial, *most);
    }
    let mss = u64::from(facts.mss);
    let (sndbuf, write) = send_buffer(path, lifted, &end);
    let window = is_window_kept(path, lifted);
    let first = match lifted {
        Limit::CongestionWindow => Some(bdp.saturating_mul(2).max(size) / mss + 10),
        _ if path.traits.opened => None,
        _ => Some((u64::from(facts.max_flight) / mss).max(10)),
    };
    Transfer {
        size,
        rate_bps: capacity.saturating_mul(8),
        rtt: facts.rtt_floor,
        // How much its queue takes is not known; losses that it made have their time among what stays.
        queue: u64::MAX >> 1,
        sndbuf,
        write,
        rcvbuf: if window { Asked::Forced(facts.max_window.into()) } else { Asked::Automatic },
        share: window.then_some(HALF),
        read_rate: pace_of_reader(path).filter(|_| lifted != Limit::ReceiveWindow).unwrap_or(0),
        control: if path.traits.paced { Control::Bbr } else { Control::Cubic },
        sender: end.clone(),
        receiver: end,
        initcwnd: first,
        mss,
        ..Transfer::default()
    }
}

/// Whether what is meant held for a part of the time that counts.
fn held(path: &Path<'_>, is_meant: impl Fn(&Interval) -> bool) -> bool {
    time_of(path.timeline, is_meant).scale(REAL_PART, 1) >= path.transfer
}

/// The send buffer, and what is written at once.
fn send_buffer(path: &Path<'_>, lifted: Limit, sender: &End) -> (Asked, u64) {
    let seen =
        held(path, |i| i.limit == Limit::SendBuffer).then_some(u64::from(path.facts.max_flight));
    let meets = match lifted {
        Limit::SendBuffer => false,
        // Of a buffer that let the window be filled is only known that it takes as much.
        Limit::ReceiveWindow => !has_filled_window(path.facts),
        _ => true,
    };
    let stopped_at = path.traits.ceiling.map(|flight| flight.get().into());
    let buffer = seen.or(stopped_at).filter(|_| meets);
    let mss = u64::from(path.facts.mss);
    match buffer {
        None => (Asked::Automatic, Transfer::default().write),
        Some(flight) => {
            let write = mss * (flight / WRITE_PART / mss).clamp(1, WRITE);
            (holding(flight, write, sender), write)
        }
    }
}

/// Whether the receive window stays as large as it was seen.
fn is_window_kept(path: &Path<'_>, lifted: Limit) -> bool {
    let facts = path.facts;
    let small = held(path, |i| {
        matches!(i.cause, Cause::SmallBuffer | Cause::NoWindowScaling)
            && i.limit == Limit::ReceiveWindow
    });
    // A flight that has reached the largest window grows no further, on a faster path neither. Where the window follows the flight
    // (autotuning) it is soon twice as large.
    let reached = has_filled_window(facts);
    match lifted {
        Limit::ReceiveWindow => false,
        // What a slow reader leaves lies in a buffer of the size that was offered.
        _ if pace_of_reader(path).is_some() => true,
        Limit::PathBandwidth | Limit::SendBuffer | Limit::CongestionWindow => reached || small,
        _ => small,
    }
}

/// Whether the flight has reached the largest window.
fn has_filled_window(facts: &Facts) -> bool {
    u64::from(facts.max_flight) + 2 * u64::from(facts.mss) > facts.max_window.into()
}

/// The buffer that lets so much be in flight (`sk_wmem_queued` counts packet buffers whole; the kernel doubles what is asked).
fn holding(flight: u64, write: u64, sender: &End) -> Asked {
    let buffers = flight.div_ceil(write);
    Asked::Forced((flight + buffers * skb_overhead(sender.version)) / 2)
}

/// Both ends' kernel: buffers that may cover the path, and a window that its scale can say, unless that is lifted.
fn end(path: &Path<'_>, lifted: Limit, bdp: u64) -> End {
    let facts = path.facts;
    let mut end = End::default();
    end.sysctls.tcp_wmem[2] = SEND_MOST.max(bdp.saturating_mul(4)).max(facts.max_flight.into());
    let ceiling = match facts.scale {
        _ if lifted == Limit::ReceiveWindow => bdp.saturating_mul(2),
        WindowScale::Absent => {
            end.sysctls.tcp_window_scaling = false;
            u64::from(u16::MAX)
        }
        WindowScale::Known(shift) | WindowScale::Inferred { min: shift, .. } => {
            u64::from(u16::MAX) << shift.min(14)
        }
    };
    end.sysctls.tcp_rmem[2] = RECEIVE_MOST.max(ceiling.saturating_mul(2));
    end
}

/// What the model's longest phase is called in an analysis, but for the limit that was `lifted`, which may still be felt (a window that opens as
/// data comes) and is not what comes next.
fn held_by(p: &Prediction, lifted: Limit) -> Limit {
    let phases = Phase::ALL.into_iter().zip(p.phases);
    let longest = phases
        .filter(|(phase, _)| !matches!(phase, Phase::Handshake | Phase::Last))
        .map(|(phase, time)| (limit_of(phase), time))
        .filter(|(limit, _)| *limit != lifted)
        .max_by_key(|(_, time)| *time);
    longest.map_or(Limit::PathBandwidth, |(limit, _)| limit)
}

fn limit_of(phase: Phase) -> Limit {
    match phase {
        Phase::SlowStart | Phase::Congestion => Limit::CongestionWindow,
        Phase::SendBuffer => Limit::SendBuffer,
        Phase::ReceiveWindow => Limit::ReceiveWindow,
        _ => Limit::PathBandwidth,
    }
}

/// What holds for longest of the time that stays; `None` where that is only a part of what is unknown, or the way of questions.
fn longest_kept(path: &Path<'_>, kept: impl Fn(&Interval) -> bool) -> Option<Limit> {
    let time = |limit| time_of(path.timeline, |i| i.limit == limit && kept(i));
    let longest = Limit::ALL.into_iter().max_by_key(|limit| time(*limit));
    longest.filter(|limit| time(*limit) > Nanos::ZERO)
}

#[cfg(test)]
mod tests;
