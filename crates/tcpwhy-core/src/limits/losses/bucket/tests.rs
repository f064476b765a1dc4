//! A sender whose segments a bucket drops, or chance.

use super::*;
use crate::limits::made::{MSS, rounds};
use std::collections::VecDeque;

const FLOOR: Nanos = Nanos::from_millis(20);
/// What a bucket takes in, and how much it holds.
const SEGMENTS_PER_MS: f64 = 1.0;
const HOLDS: f64 = 40.0;

/// What a bucket has let through: in whole segments.
struct Bucket {
    tokens: f64,
    last: Nanos,
}

impl Bucket {
    fn full() -> Self {
        Self { tokens: HOLDS, last: Nanos::ZERO }
    }

    /// Whether it lets a segment through now.
    fn passes(&mut self, now: Nanos) -> bool {
        let since = (now - self.last).secs() * 1e3 * SEGMENTS_PER_MS;
        (self.tokens, self.last) = ((self.tokens + since).min(HOLDS), now);
        let passes = self.tokens >= 1.0;
        self.tokens -= f64::from(u8::from(passes));
        passes
    }
}

/// How a sender's losses are repaired and seen.
#[derive(Debug, Clone, Copy, Default)]
struct Path {
    /// Nobody knows when drops left but by their neighbours.
    unseen: bool,
    /// What is sent again comes besides what is sent anyhow, as of a writer with a clock; else in its place, as a window or pacing has it.
    besides: bool,
}

/// A sender of `count` segments, each so many microseconds after the one before; what does not pass is sent again two round trips later. What was
/// dropped, and the rounds in which the others arrive.
fn send(
    count: u64,
    gap: impl Fn(u64) -> i64,
    path: Path,
    mut passes: impl FnMut(Nanos) -> bool,
) -> (Vec<Dropped>, Vec<Stretch>) {
    let (mut now, mut next) = (Nanos::ZERO, 0);
    let mut pending: VecDeque<(Nanos, Dropped)> = VecDeque::new();
    let (mut drops, mut arrivals) = (Vec::new(), Vec::new());
    for k in 0..count {
        let before = now;
        let due = pending.front().is_some_and(|(again, _)| *again <= now);
        now += if due && path.besides { Nanos::from_micros(1) } else { Nanos::from_micros(gap(k)) };
        let again = if due { pending.pop_front().map(|(_, lost)| lost) } else { None };
        drops.extend(again.map(|lost| Dropped { again: now, ..lost }));
        let start = again.map_or(next * MSS, |lost| lost.start);
        next += u64::from(again.is_none());
        if passes(now) {
            arrivals.push(now);
        } else {
            let hidden = path.unseen && again.is_none();
            let left =
                if hidden { [before, now + Nanos::from_micros(gap(k + 1))] } else { [now; 2] };
            let lost = Dropped { left, again: now, start, len: MSS, repair: again.is_some() };
            pending.push_back((now + FLOOR.scale(2, 1), lost));
        }
    }
    let list = rounds((now.0 / FLOOR.0) as usize, FLOOR, |_, s| {
        let within = |left: &&Nanos| **left + FLOOR > s.from && **left + FLOOR <= s.to;
        s.arrived = (arrivals.iter().filter(within).count() as u64 * MSS) as i64;
    });
    (drops, list)
}

fn told((drops, list): &(Vec<Dropped>, Vec<Stretch>)) -> Option<u64> {
    rate_of(drops, &Context::new(list, FLOOR, MSS))
}

/// Microseconds from one segment to the next of a sender that is slower than the bucket fills, then faster, in turns.
fn up_and_down(k: u64) -> i64 {
    if k % 400 < 200 { 1_150 } else { 800 }
}

#[test]
fn the_drops_of_a_bucket_lie_on_the_line_of_its_rate() {
    let rate = SEGMENTS_PER_MS * 1e3 * MSS as f64;
    for unseen in [false, true] {
        let mut bucket = Bucket::full();
        let path = Path { unseen, ..Path::default() };
        let sent = send(4_000, up_and_down, path, |now| bucket.passes(now));
        let told = told(&sent).expect("a rate") as f64;
        assert!((told / rate - 1.0).abs() < 0.02, "{told} {rate} {unseen}");
    }
}

#[test]
fn a_sender_of_one_rate_tells_nothing() {
    let mut bucket = Bucket::full();
    let sent = send(2_000, |_| 830, Path::default(), |now| bucket.passes(now));
    assert!(sent.0.len() > FEWEST);
    assert_eq!(told(&sent), None);
}

#[test]
fn chance_takes_what_it_takes_at_any_time() {
    for gap in [up_and_down as fn(u64) -> i64, |_| 830] {
        for (one_in, besides) in [(11, false), (40, false), (150, false), (40, true), (150, true)] {
            let mut random = 1_u64;
            let path = Path { besides, ..Path::default() };
            let sent = send(4_000, gap, path, |_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                !(random >> 33).is_multiple_of(one_in)
            });
            assert!(sent.0.len() > FEWEST, "{one_in} {besides}");
            assert_eq!(told(&sent), None, "{one_in} {besides}");
        }
    }
}

#[test]
fn few_drops_tell_nothing() {
    let mut bucket = Bucket::full();
    let path = Path::default();
    let (mut drops, list) = send(4_000, up_and_down, path, |now| bucket.passes(now));
    drops.truncate(FEWEST - 1);
    assert_eq!(told(&(drops, list)), None);
    assert_eq!(rate_of(&[], &Context::new(&[], FLOOR, MSS)), None);
}
