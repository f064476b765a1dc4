//! One connection of any length: an exchange of requests and large responses, repeated.
//!
//! Between two exchanges nothing is in flight, so the packets of one period can follow themselves, moved on
//! in time and in both sequence spaces; the numbers wrap many times.

use tcpwhy_core::model::Side;
use tcpwhy_core::observe::{Segment, flags};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Loss, Scenario, Window, Workload, simulate};

/// Packets of one connection without end.
#[derive(Debug)]
pub struct One {
    period: Vec<Segment>,
    opening: Vec<Segment>,
    /// What one period moves: time, client's and server's sequence numbers.
    step: (Nanos, u32, u32),
    number: u64,
    round: i64,
}

impl Default for One {
    fn default() -> Self {
        Self::new()
    }
}

impl One {
    /// A server that answers with 12 MB, slow start, congestion avoidance, a window limit, rare losses, and a
    /// client that thinks between requests.
    pub fn new() -> Self {
        let all = simulate(&Scenario {
            workload: Workload {
                messages: 8,
                message_bytes: 12_000_000,
                peer_think: Nanos::from_millis(150),
                ..Workload::default()
            },
            window: Window::fixed(200_000),
            loss: Loss::Numbers((1..40).map(|n| n * 1_709).collect()),
            ..Scenario::default()
        })
        .capture(0.5);
        let requests: Vec<usize> = (0..all.len()).filter(|i| is_request(all.get(*i))).collect();
        let (from, to) = match requests.as_slice() {
            [_, second, .., last] => (*second, *last),
            _ => (0, 0),
        };
        let opening = all.get(..from).unwrap_or_default().to_vec();
        let period = all.get(from..to).unwrap_or_default().to_vec();
        let step = match (all.get(from), all.get(to)) {
            (Some(a), Some(b)) => {
                (b.time - a.time, b.seq.0 - a.seq.0, b.ack.0.wrapping_sub(a.ack.0))
            }
            _ => (Nanos::ZERO, 0, 0),
        };
        Self { period, opening, step, number: 0, round: 0 }
    }
}

fn is_request(segment: Option<&Segment>) -> bool {
    segment.is_some_and(|s| side(s) == Side::Client && s.len > 0)
}

fn side(s: &Segment) -> Side {
    if s.dst.port < s.src.port { Side::Client } else { Side::Server }
}

impl Iterator for One {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let at = self.number;
        self.number += 1;
        let opening = self.opening.len() as u64;
        if at < opening {
            return self.opening.get(at as usize).copied();
        }
        let inside = ((at - opening) % self.period.len().max(1) as u64) as usize;
        if inside == 0 && at > opening {
            self.round += 1;
        }
        let mut s = *self.period.get(inside)?;
        let (time, client, server) = self.step;
        let rounds = self.round as u32;
        let (own, peer) = match side(&s) {
            Side::Client => (client, server),
            Side::Server => (server, client),
        };
        s.seq = s.seq + own.wrapping_mul(rounds);
        s.ack = if s.has(flags::ACK) { s.ack + peer.wrapping_mul(rounds) } else { s.ack };
        for block in &mut s.options.sack {
            *block = (block.0 + peer.wrapping_mul(rounds), block.1 + peer.wrapping_mul(rounds));
        }
        let passed = time.scale(self.round, 1);
        s.time += passed;
        let ticks = (passed.0 / 1_000_000) as u32;
        s.options.timestamps =
            s.options.timestamps.map(|(v, e)| (v.wrapping_add(ticks), e.wrapping_add(ticks)));
        Some(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn the_seams_do_not_show() {
        let one = One::new();
        let period = one.period.len();
        assert!(period > 10_000);
        let mut next: HashMap<u16, Segment> = HashMap::new();
        let mut time = Nanos::ZERO;
        let mut wraps = 0;
        for s in one.take(period * 60) {
            assert!(s.time >= time);
            time = s.time;
            if let Some(last) = next.insert(s.src.port, s) {
                let step = s.seq.distance(last.seq);
                assert!(step.unsigned_abs() < 400_000, "{last:?} then {s:?}");
                assert!(
                    !last.has(flags::ACK) || s.ack.distance(last.ack) >= 0,
                    "{last:?} then {s:?}"
                );
                wraps += usize::from(s.seq.0 < last.seq.0 && step > 0);
            }
        }
        assert!(wraps > 0, "sequence numbers wrap");
    }
}
