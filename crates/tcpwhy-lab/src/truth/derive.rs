//! States of one sender -> its timeline.

use tcpwhy_core::model::Limit;
use tcpwhy_core::socket;

use super::{Interval, Source, State};

/// Samples come every 2 ms: most of a shorter piece is a matter of chance. ACKs, too, come in bunches that tell no rate of less.
pub(super) const SHORTEST_NS: u64 = 10_000_000;

/// Each piece of time, a round trip long or up to where a limit that lasts begins or ends, gets the limit that held for most of it;
/// `rate`: what the narrowest link carries, in payload bytes per second, where it is known.
pub fn derive(states: &[State], source: Source, rate: Option<f64>) -> Vec<Interval> {
    let states = &with_their_stalls(until_all_has_arrived(states))[..];
    let shortest = match source {
        Source::KernelEvents => 0,
        Source::Samples => SHORTEST_NS,
    };
    let edges = edges(states);
    let mut timeline: Vec<Interval> = Vec::new();
    let mut first = 0;
    while let Some(begin) = states.get(first).filter(|_| first + 1 < states.len()) {
        let enough = states[first..].partition_point(|s| s.t_ns < begin.t_ns + shortest);
        let round = socket::round(&states[first..]).max(enough);
        let edge = edges.get(edges.partition_point(|&edge| edge <= first));
        let end = edge.map_or(first + round, |&edge| edge.min(first + round));
        let last = end.min(states.len() - 1);
        let piece = &states[first..=last];
        let busy = rate.is_some_and(|rate| socket::is_busy(around(states, piece), rate));
        push(&mut timeline, begin.t_ns, states[last].t_ns, socket::judge(piece, busy));
        first = last;
    }
    abandoned(&mut timeline, states);
    timeline
}

/// A loss that only a timer reveals stops the sender from the last answer on (the stalls of TAPO, CoNEXT 2015), not only since the timer:
/// all states of that time are made those of a timeout.
fn with_their_stalls(states: &[State]) -> Vec<State> {
    let mut states = states.to_vec();
    for at in 1..states.len() {
        let fired = states[at];
        if fired.has_timed_out() && !states[at - 1].has_timed_out() {
            let from = unanswered(&states, at);
            states[from..at].iter_mut().for_each(|s| s.ca_state = fired.ca_state);
        }
    }
    states
}

/// The first of the states up to `at` in which data is in flight and nothing has been answered since.
fn unanswered(states: &[State], at: usize) -> usize {
    let now = &states[at];
    let waits = |s: &State| s.outstanding > 0 && (s.acked, s.sacked) == (now.acked, now.sacked);
    states[..at].iter().rposition(|s| !waits(s)).map_or(0, |last| last + 1)
}

/// Where a limit begins and ends that holds for a round trip or more without a break. What lasts so long is no part of an alternation
/// within a round, and the moment at which it changes is known.
fn edges(states: &[State]) -> Vec<usize> {
    let mut edges = Vec::new();
    let mut from = 0;
    for (at, state) in states.iter().enumerate() {
        let begin = &states[from];
        if state.limit() == begin.limit() {
            continue;
        }
        let round = u64::from(begin.srtt_us) * 1000;
        if round > 0 && state.t_ns.saturating_sub(begin.t_ns) >= round {
            edges.extend([from, at]);
        }
        from = at;
    }
    edges.dedup();
    edges
}

/// The piece with as much before and after it as a rate needs.
fn around<'a>(states: &'a [State], piece: &[State]) -> &'a [State] {
    let (Some(first), Some(last)) = (piece.first(), piece.last()) else { return states };
    let lacking = SHORTEST_NS.saturating_sub(last.t_ns.saturating_sub(first.t_ns)) / 2;
    let from = states.partition_point(|s| s.t_ns < first.t_ns.saturating_sub(lacking));
    let to = states.partition_point(|s| s.t_ns <= last.t_ns.saturating_add(lacking));
    &states[from..to]
}

/// What follows the last acknowledged byte is no transfer.
fn until_all_has_arrived(states: &[State]) -> &[State] {
    let under_way = |s: &State| s.unsent > 0 || s.outstanding > 0;
    // The state after the last one in which something was under way ends it.
    states.iter().rposition(under_way).map_or(states, |last| &states[..states.len().min(last + 2)])
}

/// Data in flight of which nothing was answered any more, to the end, though timers sent it again: the path was silent all that time,
/// not only since the first timer.
fn abandoned(timeline: &mut Vec<Interval>, states: &[State]) {
    let Some(end) = states.last().filter(|s| s.outstanding > 0 && s.has_timed_out()) else {
        return;
    };
    let (from, to) = (states[unanswered(states, states.len() - 1)].t_ns, end.t_ns);
    timeline.retain(|i| i.from_ns < from);
    if let Some(last) = timeline.last_mut() {
        last.to_ns = last.to_ns.min(from);
    }
    push(timeline, from, to, Limit::SilentPath);
}

fn push(timeline: &mut Vec<Interval>, from_ns: u64, to_ns: u64, limit: Limit) {
    match timeline.last_mut() {
        Some(before) if before.limit == limit.name() => before.to_ns = to_ns,
        _ => timeline.push(Interval { from_ns, to_ns, limit: limit.name().into(), cause: None }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender with room for everything and nothing to send, 20 ms away.
    fn idle(ms: u64) -> State {
        State {
            t_ns: ms * 1_000_000,
            established: true,
            cwnd: 10,
            snd_wnd: 60_000,
            mss: 1448,
            srtt_us: 20_000,
            min_rtt_us: 20_000,
            sndbuf: 32_768,
            ..State::default()
        }
    }

    fn limits(states: &[State]) -> Vec<(u64, String)> {
        derive(states, Source::Samples, None)
            .into_iter()
            .map(|i| ((i.to_ns - i.from_ns) / 1_000_000, i.limit))
            .collect()
    }

    #[test]
    fn a_full_buffer_with_nothing_unsent_is_the_send_buffer_though_it_drains_for_a_moment() {
        let full =
            |ms| State { outstanding: 16_384, in_flight: 12, wmem_queued: 33_000, ..idle(ms) };
        let states: Vec<State> =
            (0..30).map(|i| if i % 5 == 4 { idle(i * 4) } else { full(i * 4) }).collect();
        assert_eq!(limits(&states), [(116, "send_buffer".into())]);
    }

    #[test]
    fn the_path_is_silent_from_the_last_answer_on_not_only_since_the_timer() {
        let sent = |ms, ca_state| State {
            unsent: 9000,
            outstanding: 14_480,
            in_flight: 10,
            ca_state,
            ..idle(ms)
        };
        let heard = (1..5).map(|i| State { acked: i * 1000, ..sent(i * 20, 0) });
        let waits =
            (5..15).map(|i| State { acked: 4000, ..sent(i * 20, if i < 12 { 0 } else { 4 }) });
        let states: Vec<State> = heard.chain(waits).collect();
        assert_eq!(
            limits(&states),
            [(60, "congestion_window".into()), (200, "silent_path".into())]
        );
        let answered = [&states[..], &[State { acked: 18_480, ..idle(300) }]].concat();
        assert!(limits(&answered).iter().all(|(_, limit)| limit != "silent_path"));
    }

    #[test]
    fn room_below_a_segment_is_the_receive_window_even_when_cwnd_is_full() {
        let held = |ms| State { unsent: 9000, outstanding: 59_000, in_flight: 10, ..idle(ms) };
        assert_eq!(limits(&[held(0), held(20), held(40)]), [(40, "receive_window".into())]);
    }

    #[test]
    fn a_risen_round_trip_makes_the_path_of_the_congestion_window() {
        let held = |ms, srtt_us| State {
            unsent: 9000,
            outstanding: 14_480,
            in_flight: 10,
            srtt_us,
            ..idle(ms)
        };
        let states = [held(0, 20_000), held(20, 20_000), held(40, 30_000), held(70, 30_000)];
        assert_eq!(
            limits(&states),
            [(40, "congestion_window".into()), (30, "path_bandwidth".into())]
        );
    }

    #[test]
    fn a_link_that_carries_all_it_can_is_the_limit_whatever_the_buffer_says() {
        let full = |ms: u64| State {
            outstanding: 16_384,
            wmem_queued: 33_000,
            writing: Some(true),
            acked: ms * 1000,
            ..idle(ms)
        };
        let states: Vec<State> = (0..10).map(|i| full(i * 20)).collect();
        let told = |rate| derive(&states, Source::Samples, Some(rate))[0].limit.clone();
        assert_eq!(told(1_050_000.0), "path_bandwidth");
        assert_eq!(told(2_000_000.0), "send_buffer");
    }

    #[test]
    fn a_handshake_lasts_to_its_end_though_the_round_trip_is_known_then() {
        let held = |ms| State { unsent: 9000, outstanding: 14_480, in_flight: 10, ..idle(ms) };
        let opens = |ms, srtt_us| State { established: false, srtt_us, ..idle(ms) };
        let states = [opens(0, 0), opens(17, 20_000), held(20), held(40), held(60)];
        let told = derive(&states, Source::KernelEvents, None).into_iter();
        let told: Vec<_> = told.map(|i| (i.to_ns / 1_000_000, i.limit)).collect();
        assert_eq!(told, [(20, "handshake".into()), (60, "congestion_window".into())]);
    }

    #[test]
    fn what_is_no_alternation_within_a_round_begins_and_ends_where_it_does() {
        let held = |ms| State { unsent: 9000, outstanding: 14_480, in_flight: 10, ..idle(ms) };
        // A repair of half a round trip, and a rest of three, neither at the end of a round.
        let state = |ms| match ms {
            28..40 => State { ca_state: 3, ..held(ms) },
            72..132 => idle(ms),
            _ => held(ms),
        };
        let states: Vec<State> = (0..50).map(|i| state(i * 4)).collect();
        let told = derive(&states, Source::KernelEvents, None).into_iter();
        let told: Vec<_> = told.map(|i| (i.to_ns / 1_000_000, i.limit)).collect();
        let of = |ms, limit: &str| (ms, limit.to_owned());
        let cwnd = |ms| of(ms, "congestion_window");
        let expected = [cwnd(28), of(40, "loss_recovery"), cwnd(72), of(132, "application")];
        assert_eq!(told[..4], expected);
    }

    #[test]
    fn a_timeout_holds_the_sender_from_the_last_answer_on() {
        let sent = |ms, ca_state, acked| State {
            unsent: 9000,
            outstanding: 14_480,
            in_flight: 10,
            ca_state,
            acked,
            ..idle(ms)
        };
        let state = |i: u64| {
            sent(
                i * 20,
                if (8..10).contains(&i) { 4 } else { 0 },
                match i {
                    0..4 => i * 1000,
                    4..10 => 4000,
                    _ => i * 2000,
                },
            )
        };
        let states: Vec<State> = (0..14).map(state).collect();
        let told = derive(&states, Source::KernelEvents, None).into_iter();
        let told: Vec<_> = told.map(|i| (i.to_ns / 1_000_000, i.limit)).collect();
        let of = |ms, limit: &str| (ms, limit.to_owned());
        let expected =
            [of(80, "congestion_window"), of(200, "loss_recovery"), of(260, "congestion_window")];
        assert_eq!(told, expected);
    }

    #[test]
    fn no_state_or_one_is_no_time() {
        assert_eq!(derive(&[], Source::Samples, None), []);
        assert_eq!(derive(&[idle(1)], Source::Samples, None), []);
    }
}
