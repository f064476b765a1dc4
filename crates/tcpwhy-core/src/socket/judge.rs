//! States of one sender over about a round trip -> the limit that held it.

use crate::model::Limit;

use super::State;

/// Index of the state that ends the round trip which the first one begins; the last one where there are not enough.
///
/// Within one round trip a sender alternates (woken, queue filled, queue sent), so a piece of time a round trip long gets the limit that
/// held for most of it: T-RAT (SIGCOMM 2002) judges flights for the same reason. The handshake and a repair are no part of such a round:
/// the kernel itself says when they begin and end (`tcp_set_ca_state`).
pub fn round(states: &[State]) -> usize {
    let last = states.len().saturating_sub(1);
    let Some(begin) = states.first() else { return last };
    let wanted = begin.t_ns.saturating_add(u64::from(begin.srtt_us) * 1000);
    let ends = |s: &State| {
        let turns = s.established != begin.established || s.repairs() != begin.repairs();
        s.t_ns >= wanted || turns
    };
    states.iter().skip(1).position(ends).map_or(last, |at| at + 1)
}

/// The limit of a piece. A state holds until the next.
///
/// `busy`: the narrowest link is known to carry all it can ([`is_busy`]), and lifting whatever else held the sender would have brought
/// nothing.
pub fn judge(piece: &[State], busy: bool) -> Limit {
    if busy {
        Limit::PathBandwidth
    } else if ran_dry(piece) {
        Limit::SendBuffer
    } else {
        majority(piece)
    }
}

/// Whether the queue ran dry while the writer waited, and no window or loss held the sender: then one buffer a round trip is what went
/// out, however the rest of the round was paced (bbr paces at the rate that the buffer set).
fn ran_dry(states: &[State]) -> bool {
    states.iter().any(State::is_starved) && !states.iter().any(State::is_held_back)
}

/// Whether data arrived at `rate`, which is what the narrowest link carries, in payload bytes per second: a tenth less is what headers,
/// delayed ACKs and two samples' distance leave open.
pub fn is_busy(states: &[State], rate: f64) -> bool {
    let (Some(first), Some(last)) = (states.first(), states.last()) else {
        return false;
    };
    let seconds = last.t_ns.saturating_sub(first.t_ns) as f64 / 1e9;
    let delivered = last.delivered().saturating_sub(first.delivered()) as f64;
    seconds > 0.0 && delivered >= 0.9 * rate * seconds
}

/// The limit with most of the time; the earlier one of equals.
fn majority(states: &[State]) -> Limit {
    let mut all = Limit::ALL.map(|limit| (limit, 0));
    for (state, next) in states.iter().zip(states.iter().skip(1)) {
        let limit = state.limit();
        if let Some((_, held)) = all.iter_mut().find(|(l, _)| *l == limit) {
            *held += next.t_ns.saturating_sub(state.t_ns);
        }
    }
    let longest = all.into_iter().rev().max_by_key(|(_, held)| *held);
    longest.filter(|(_, held)| *held > 0).map_or(Limit::Unknown, |(limit, _)| limit)
}
