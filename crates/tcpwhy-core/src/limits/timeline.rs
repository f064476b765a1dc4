//! The timeline: judged stretches, neighbours of one kind joined. No gap, no overlap.

use super::joined::{Joined, join};
use super::likeliest::settle;
use super::path_bandwidth::draining_queue;
use super::{Context, Judgement, Silence, judge};
use crate::analysis::Period;
use crate::flow::BUSY_HOST;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::model::{Interval, Limit};
use crate::units::Nanos;

/// Intervals kept for one direction: enough for a picture a thousand pixels wide.
const MAX_INTERVALS: usize = 1024;

/// Room made at first: most connections have fewer.
const AT_FIRST: usize = 32;

/// Judges every stretch in `period`, by all there are, and joins equal neighbours.
pub(crate) fn lay(ctx: &Context<'_>, silence: Option<Silence>, period: Period) -> Vec<Interval> {
    let mut list: Vec<Joined> = Vec::with_capacity(ctx.stretches.len().min(AT_FIRST));
    let judged = |i: usize| match silence {
        Some(silence) if ctx.stretches[i].from >= silence.from => silence.judgement,
        _ => judge(ctx, i),
    };
    let mut put = |s: &Stretch, judgement: Judgement| match period.holds(s.from, s.to) {
        true => append(&mut list, s, judgement),
        false => period.part(s).iter().for_each(|part| append(&mut list, part, judgement)),
    };
    for (i, s) in ctx.stretches.iter().enumerate() {
        if s.duration().0 <= 0 || !period.meets(s.from, s.to) {
            continue;
        }
        let judgement = judged(i);
        if let Some((draining, rest)) = drained(ctx, i) {
            put(&draining, draining_queue());
            if rest.duration() > Nanos::ZERO {
                put(&rest, judgement);
            }
        } else if let Some((answered, probed)) = probed(ctx, i) {
            put(&answered, judgement);
            put(&probed, judged(i + 1));
        } else {
            put(s, judgement);
        }
    }
    while list.len() > MAX_INTERVALS {
        list = thin(list);
    }
    let list = settle(list, ctx.floor);
    let interval = |joined: &Joined| joined.interval(ctx.floor, ctx.sees_queues);
    let mut line: Vec<Interval> = list.iter().map(interval).collect();
    // A silence is as sure as its own rule says, whatever stretches were joined to it.
    if let Some((silence, last)) = silence.zip(line.last_mut())
        && last.from >= silence.from
    {
        last.confidence = silence.judgement.confidence;
    }
    name_frames(&mut line, ctx.opened_by);
    line
}

fn append(list: &mut Vec<Joined>, s: &Stretch, judgement: Judgement) {
    match list.last_mut().filter(|j| j.same_as(judgement)) {
        Some(joined) => joined.add(s, judgement),
        None => list.push(Joined::new(s, judgement)),
    }
}

/// A rest that began while a queue was still draining, in two: the path is busy until all has arrived, though nothing is left to send, whoever
/// speaks next. Of what the peer waits for all, the link is busy until the last has left its queue: the way there and back is the turn's. On a
/// short path hosts are late by as much.
fn drained(ctx: &Context<'_>, i: usize) -> Option<(Stretch, Stretch)> {
    let s = &ctx.stretches[i];
    let turn = if ctx.wait(i) == Wait::IdlePeer { ctx.floor } else { Nanos::ZERO };
    let rest = s.idle + turn;
    if !s.is_idle() || rest >= s.duration() || ctx.floor < BUSY_HOST {
        return None;
    }
    let (busy, rest) = ctx.queue_drains(i, s.to - s.idle).then(|| cut(s, rest))?;
    let (ended, last_frame) = (s.rest_frame.max(s.first_frame), s.last_frame);
    Some((
        Stretch { last_frame: ended, ..busy },
        Stretch { first_frame: ended, last_frame, ..rest },
    ))
}

/// All but the last so much of a stretch, and that.
fn cut(s: &Stretch, last: Nanos) -> (Stretch, Stretch) {
    let until = s.to - last;
    (Stretch { to: until, ..*s }, Stretch { to: s.to, ..Stretch::starting(until, s.wait) })
}

/// A round that ended with a probe by new data (`tcp_send_loss_probe`: after two round trips without an answer), which was not answered
/// either, in two: what came after the last answer belongs to the timeout.
fn probed(ctx: &Context<'_>, i: usize) -> Option<(Stretch, Stretch)> {
    let (s, next) = (&ctx.stretches[i], ctx.stretches.get(i + 1)?);
    let waited = s.longest_stall >= ctx.floor.scale(2, 1) && s.longest_stall < s.duration();
    let fired = next.wait == Wait::Recovery && next.timeouts > 0;
    (waited && fired && matches!(ctx.wait(i), Wait::Ack | Wait::Timer))
        .then(|| cut(s, s.longest_stall))
}

/// A time in which nothing of this direction passed is shown by the packets around it, a handshake by those that `opened` it, the first and the
/// last: what follows may come long after.
fn name_frames(line: &mut [Interval], opened: (u64, u64)) {
    let mut before = opened.0;
    for at in 0..line.len() {
        let after = line.iter().skip(at + 1).map(|i| i.first_frame).find(|&frame| frame > 0);
        let Some(interval) = line.get_mut(at) else { return };
        if interval.first_frame == 0 {
            interval.first_frame = before;
            interval.last_frame = match interval.limit {
                Limit::Handshake if opened.1 > 0 => opened.1,
                _ => after.unwrap_or(before).max(before),
            };
        } else if interval.limit == Limit::Handshake && before > 0 {
            interval.first_frame = before.min(interval.first_frame);
        }
        before = interval.last_frame;
    }
}

/// Joins neighbours under one limit, whatever its cause, and then the shortest of all with what was before them: what is left is as long as
/// it was, but for moments.
fn thin(list: Vec<Joined>) -> Vec<Joined> {
    let list = join(list, |last, next| last.judgement.limit == next.judgement.limit);
    let Some(mut excess) = list.len().checked_sub(MAX_INTERVALS).filter(|&n| n > 0) else {
        return list;
    };
    let mut lengths: Vec<Nanos> = list.iter().map(|j| j.sum.duration()).collect();
    // One more than need be: the first has none before it.
    let (_, &mut short, _) = lengths.select_nth_unstable(excess);
    join(list, |_, next| {
        let joins = excess > 0 && next.sum.duration() <= short;
        excess -= usize::from(joins);
        joins
    })
}

#[cfg(test)]
mod tests {
    use super::super::made::{MSS, rounds};
    use super::*;

    /// The timeline of rounds that are repairs in turn, each so many long, with a timeout in every other repair.
    fn repairs(n: usize, each: impl Fn(usize) -> bool) -> Vec<Interval> {
        let floor = Nanos::from_millis(10);
        let list = rounds(n, floor, |k, s| {
            if each(k) {
                (s.wait, s.resent, s.timeouts) = (Wait::Recovery, 1, (k % 2) as u32);
            } else {
                s.wait = Wait::IdleSelf;
                s.idle = floor;
            }
        });
        lay(&Context::new(&list, floor, MSS), None, Period::default())
    }

    #[test]
    fn silence_is_shown_by_the_packets_around_it() {
        let floor = Nanos::from_millis(10);
        let list = rounds(4, floor, |k, s| {
            s.wait = [Wait::Handshake, Wait::Window, Wait::IdleSelf, Wait::Window][k];
            (s.first_frame, s.last_frame) = [(4, 4), (5, 9), (0, 0), (12, 20)][k];
        });
        let mut ctx = Context::new(&list, floor, MSS);
        ctx.opened_by = (1, 2);
        let frames = lay(&ctx, None, Period::default())
            .iter()
            .map(|i| (i.first_frame, i.last_frame))
            .collect::<Vec<_>>();
        assert_eq!(frames, [(1, 4), (5, 9), (9, 12), (12, 20)]);
    }

    /// The limits of a timeline, each with its time in ms.
    fn told(line: &[Interval]) -> Vec<(Limit, i64)> {
        line.iter().map(|i| (i.limit, i.duration().0 / 1_000_000)).collect()
    }

    #[test]
    fn a_queue_that_is_left_drains_before_the_sender_rests() {
        let floor = Nanos::from_millis(40);
        let line = |queue: i64| {
            let list = rounds(2, floor, |k, s| match k {
                0 => {
                    (s.flight, s.segments) = (100 * MSS, 100);
                    s.sampled(floor + Nanos::from_millis(queue), Nanos::ZERO);
                }
                _ => (s.wait, s.idle) = (Wait::IdleSelf, Nanos::from_millis(10)),
            });
            told(&lay(&Context::new(&list, floor, MSS), None, Period::default()))
        };
        assert_eq!(line(30), [(Limit::PathBandwidth, 70), (Limit::Application, 10)]);
        assert_eq!(line(0).last(), Some(&(Limit::Application, 40)));
    }

    #[test]
    fn what_a_burst_queues_drains_though_its_first_packet_found_no_queue() {
        let floor = Nanos::from_millis(40);
        let line = |wait: Wait, last: i64, carries: u64| {
            let mut list = rounds(2, floor, |k, s| match k {
                0 => {
                    (s.flight, s.segments) = (100 * MSS, 100);
                    for queue in [0, last] {
                        s.sampled(floor + Nanos::from_millis(queue), Nanos::ZERO);
                    }
                }
                _ => (s.wait, s.idle) = (wait, Nanos::from_millis(10)),
            });
            list[1].to += Nanos::from_millis(60);
            let mut ctx = Context::new(&list, floor, MSS);
            ctx.capacity = Some(carries);
            told(&lay(&ctx, None, Period::default())).last().copied()
        };
        let link = |segments: u64| segments * MSS * 25;
        let turn = line(Wait::IdlePeer, 60, link(50));
        assert_eq!(turn, Some((Limit::Application, 40 + 10)), "there and back, and the answer");
        let all = Some((Limit::Application, 100));
        assert_eq!(line(Wait::IdlePeer, 60, link(200)), all, "a delayed ACK");
        assert_eq!(line(Wait::IdlePeer, 0, link(50)), all);
        assert_eq!(line(Wait::IdleSelf, 60, link(50)), all, "it may have thought meanwhile");
    }

    #[test]
    fn a_queue_drains_as_long_as_it_is_whoever_speaks_next_and_a_turn_takes_a_round_trip_of_it() {
        let floor = Nanos::from_millis(100);
        let line = |wait: Wait, drains: i64| {
            let mut list = rounds(3, floor, |k, s| match k {
                0 => {
                    (s.flight, s.segments) = (1000 * MSS, 1000);
                    s.sampled(floor.scale(10, 1), Nanos::ZERO);
                }
                // For longer than a round trip nothing is idle but the sender.
                1 => s.wait = wait,
                _ => (s.wait, s.idle) = (wait, floor),
            });
            list[1].to += Nanos::from_millis(drains) - floor;
            list[2] = Stretch { from: list[1].to, to: list[1].to + floor, ..list[2] };
            told(&lay(&Context::new(&list, floor, MSS), None, Period::default()))
        };
        for (wait, turn) in [(Wait::IdleSelf, 0), (Wait::IdlePeer, 100)] {
            let rest = (Limit::Application, 100 + turn);
            let drained = [(Limit::PathBandwidth, 100 + 900 - turn), rest];
            assert_eq!(line(wait, 900), drained);
            assert_eq!(line(wait, 2_100).last(), Some(&(Limit::Application, 2_200)));
        }
    }

    #[test]
    fn a_queue_drains_no_longer_than_its_last_packet_takes() {
        let floor = Nanos::from_millis(40);
        let tail = |ms: i64| {
            let mut list = rounds(2, floor, |k, s| {
                if k == 0 {
                    (s.flight, s.segments) = (100 * MSS, 100);
                    s.sampled(floor.scale(2, 1), Nanos::ZERO);
                } else {
                    s.wait = Wait::Tail;
                }
            });
            list[1].to = list[1].from + Nanos::from_millis(ms);
            lay(&Context::new(&list, floor, MSS), None, Period::default()).last().unwrap().limit
        };
        assert_eq!(tail(100), Limit::PathBandwidth);
        assert_eq!(tail(11_000), Limit::Application);
    }

    #[test]
    fn what_came_after_the_last_answer_is_the_timeouts_though_new_data_was_sent_as_a_probe() {
        let floor = Nanos::from_millis(10);
        let line = |timeouts: u32| {
            let mut list = rounds(2, floor.scale(4, 1), |k, s| {
                (s.flight, s.segments) = (10 * MSS, 10);
                if k == 1 {
                    (s.wait, s.resent, s.timeouts) = (Wait::Recovery, 1, timeouts);
                }
            });
            list[0].longest_stall = floor.scale(3, 1);
            told(&lay(&Context::new(&list, floor, MSS), None, Period::default()))
        };
        assert_eq!(line(1), [(Limit::Unknown, 10), (Limit::LossRecovery, 70)]);
        assert_eq!(line(0), [(Limit::Unknown, 40), (Limit::LossRecovery, 40)]);
    }

    #[test]
    fn what_outlasts_every_timer_without_a_retransmission_is_unknown() {
        let floor = Nanos::from_millis(20);
        let line = |wait: Wait, stall: i64| {
            let list = rounds(1, Nanos::from_secs(stall), |_, s| {
                (s.flight, s.segments, s.wait) = (10 * MSS, 10, wait);
                s.longest_stall = s.duration();
            });
            told(&lay(&Context::new(&list, floor, MSS), None, Period::default()))[0].0
        };
        for wait in [Wait::Ack, Wait::Timer, Wait::Nagle] {
            assert_eq!(line(wait, 10), Limit::Unknown);
        }
        assert_eq!(line(Wait::Nagle, 1), Limit::DelayedAck);
        assert_eq!(line(Wait::IdleSelf, 10), Limit::Application);
    }

    #[test]
    fn causes_that_change_do_not_hide_where_limits_do() {
        // 3000 rounds, four and two in turn: 2000 intervals by cause, 1000 by limit.
        let line = repairs(3000, |k| k % 6 < 4);
        assert_eq!(line.len(), 1000);
        assert!(line.windows(2).all(|w| w[0].limit != w[1].limit && w[0].to == w[1].from));
    }

    #[test]
    fn the_shortest_go_first_and_no_time_is_lost() {
        // Ten rounds of repair and ten of rest in turn, with a single round in the middle of half of the rests.
        let line = repairs(20 * 600, |k| k % 20 < 10 || k % 40 == 15);
        assert!(line.len() <= MAX_INTERVALS && line.len() >= MAX_INTERVALS * 9 / 10);
        let time = line.iter().fold(Nanos::ZERO, |sum, i| sum + i.duration());
        assert_eq!(time, Nanos::from_millis(10 * 20 * 600));
        let of = |l: Limit| {
            line.iter().filter(move |i| i.limit == l && i.duration() > Nanos::from_millis(90))
        };
        assert_eq!(of(Limit::LossRecovery).count(), 600);
    }
}
