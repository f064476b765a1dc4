//! A sender's samples -> pieces of about a round trip, each with the limit that held for most of it.

use crate::model::Limit;

use super::cause::most;
use super::{State, judge, round};

/// Timeouts in a row after which nobody is there: with the usual backoff the path was silent for seven round trips or more.
const SILENT: u8 = 3;
/// Steps from sample to sample with small flights, and with large ones, that tell how fast data arrives with each.
const TELLING: usize = 16;
/// So many times higher are flights that differ: a window that a loss cuts is higher by 1.4 and more before (RFC 9438 section 4.6).
const FULLER: f64 = 1.2;

/// A piece of time with one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Nanoseconds since the Unix epoch, or since whenever the states count.
    pub from_ns: u64,
    /// Its end.
    pub to_ns: u64,
    /// What held the sender for most of it.
    pub limit: Limit,
}

/// The time of one sender in pieces of a round trip, and of `shortest_ns` at least; `tuned` as for [`Account::of`].
pub(super) fn pieces(
    mut states: &[State],
    tuned: bool,
    shortest_ns: u64,
) -> impl Iterator<Item = Piece> {
    let has_room = tuned && !grew(states);
    let grows = carries_more(states);
    std::iter::from_fn(move || {
        let first = states.first().filter(|_| states.len() > 1)?;
        let enough = first.t_ns.saturating_add(shortest_ns);
        let shortest = states.partition_point(|s| s.t_ns < enough).min(states.len() - 1);
        let end = round(states).max(shortest);
        let piece = states.get(..=end)?;
        let limit = match limit(piece) {
            Limit::SendBuffer if has_room => Limit::Application,
            Limit::PathBandwidth if grows => Limit::CongestionWindow,
            limit => limit,
        };
        let to_ns = piece.last().map_or(first.t_ns, |last| last.t_ns);
        states = states.get(end..).unwrap_or_default();
        Some(Piece { from_ns: first.t_ns, to_ns, limit })
    })
}

/// As [`judge`], for samples that are a good part of a round trip apart, without an account of the application's writes. The lab's truth,
/// which sees every event, is derived without these two: on its runs the second one would move 0.4 % of the time, and verdicts between a
/// window and a path of 1 ms that are both nearly full.
fn limit(piece: &[State]) -> Limit {
    match judge(piece, false) {
        _ if is_silent(piece) => Limit::SilentPath,
        // Between two openings of the window bbr paces at the rate that the window set.
        Limit::PathBandwidth | Limit::CongestionWindow if met_edge(piece) => Limit::ReceiveWindow,
        // What lets its data go at a rate of its own is not held by the queue that others make.
        Limit::PathBandwidth if most(piece, State::is_capped) => Limit::CongestionWindow,
        // What arrives as fast as it is paced is paced by the path.
        Limit::CongestionWindow if most(piece, State::is_paced_as_it_arrives) => {
            Limit::PathBandwidth
        }
        limit => limit,
    }
}

/// Whether, where round trips look like a queue, data arrives the faster the more of it is in flight (Little's law): the path has become longer, or
/// varies. A link that is full carries no more however much waits before it. Only flights that differ tell.
fn carries_more(states: &[State]) -> bool {
    let mut steps: Vec<(u32, u64, u64)> = states
        .windows(2)
        .filter(|pair| pair[0].limit() == Limit::PathBandwidth)
        .map(|pair| {
            let arrived = pair[1].delivered().saturating_sub(pair[0].delivered());
            (pair[0].outstanding, arrived, pair[1].t_ns.saturating_sub(pair[0].t_ns))
        })
        .collect();
    steps.sort_unstable();
    let third = steps.len() / 3;
    if third < TELLING {
        return false;
    }
    let mean = |part: &[(u32, u64, u64)]| {
        let (flight, arrived, ns) = part.iter().fold((0.0, 0.0, 0.0), |(f, a, t), step| {
            (f + f64::from(step.0), a + step.1 as f64, t + step.2 as f64)
        });
        (flight / part.len() as f64, arrived / f64::max(ns, 1.0))
    };
    let ((low, slow), (high, fast)) = (mean(&steps[..third]), mean(&steps[steps.len() - third..]));
    high >= low * FULLER
        && slow > 0.0
        && (fast / slow - 1.0) * 2.0 >= high / f64::max(low, 1.0) - 1.0
}

/// Whether the sender came to the window's edge and was never held by cwnd or a loss.
fn met_edge(piece: &[State]) -> bool {
    let held = |s: &State| s.is_held_back() && !s.is_at_edge();
    piece.iter().any(State::is_at_edge) && !piece.iter().any(held)
}

/// Whether the send buffer grew. The kernel grows it as soon as a writer waits for it while cwnd has room (`net/ipv4/tcp_input.c`,
/// `tcp_new_space`), so one that it may grow and that did not, however full it looks, held nobody: its writer pauses by itself.
fn grew(states: &[State]) -> bool {
    states.first().map(|s| s.sndbuf) < states.last().map(|s| s.sndbuf)
}

/// Timeout after timeout, or probe after probe, and nothing comes back.
fn is_silent(piece: &[State]) -> bool {
    let (Some(first), Some(last)) = (piece.first(), piece.last()) else { return false };
    first.acked == last.acked && last.outstanding > 0 && last.timeouts >= SILENT
}
