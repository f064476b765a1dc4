//! Rounds for the tests of the rules.

use super::Judgement;
use super::joined::Joined;
use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::units::Nanos;

/// Full segment.
pub(super) const MSS: u64 = 1448;

/// `n` rounds of `floor` that waited for ACKs; `set` says what happened in each. A round trip is told by an ACK.
pub(super) fn rounds(n: usize, floor: Nanos, set: impl Fn(usize, &mut Stretch)) -> Vec<Stretch> {
    let round = |k: usize| {
        let from = floor.scale(k as i64, 1);
        let mut s = Stretch { to: from + floor, ..Stretch::starting(from, Wait::Ack) };
        (s.window_min, s.window_max) = (1 << 24, 1 << 25);
        set(k, &mut s);
        s.acks = s.acks.max(s.rtt_count);
        s
    };
    (0..n).map(round).collect()
}

/// All of `list` under one `judgement`.
pub(super) fn joined(list: &[Stretch], judgement: Judgement) -> Joined {
    let mut joined = Joined::new(&list[0], judgement);
    list[1..].iter().for_each(|s| joined.add(s, judgement));
    joined
}
