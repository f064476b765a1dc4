//! T-RAT: Zhang, Breslau, Paxson, Shenker, "On the characteristics and origins of Internet flow rates" (SIGCOMM 2002),
//! section 4: data is grouped into flights, and every 256 packets one factor is named.
//!
//! Adapted: the round trip is taken from the acknowledgments instead of being searched among 27 candidates; and its
//! factors are called by our names: opportunity and transport are `congestion_window`, congestion is `loss_recovery`,
//! the sender's window is `send_buffer`, bandwidth is `path_bandwidth`.

use super::Answer;
use super::flights::{Flight, data, flights, largest_window};
use crate::score::timeline::{Span, Timeline};
use crate::score::variant::Judged;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;

/// Packets judged together.
const INTERVAL: u64 = 256;
/// Flows of fewer segments never leave their start: opportunity limited.
const OPPORTUNITY: u64 = 13;

/// What T-RAT says of a direction, from a capture of both ways with its round trip.
pub fn trat(segments: &[Segment], judged: Judged, rtt: Nanos) -> Answer {
    let lengths = data(segments, judged).map(|s| s.len);
    let mss = u64::from(lengths.filter(|len| *len <= 9000).max().unwrap_or(1));
    let rules = Rules { rtt, mss, window: largest_window(segments, judged) };
    let flights = flights(segments, judged, rtt);
    let packets: u64 = flights.iter().map(|f| f.packets).sum();
    let mut spans = Vec::new();
    for group in groups(&flights) {
        let limit = if packets < OPPORTUNITY || never_slowed(&flights) {
            Limit::CongestionWindow
        } else {
            rules.factor(group, segments, judged)
        };
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (from, to) = (first.from, last.to + rtt);
        spans.push(Span { from, to, limit, cause: Cause::None, confidence: 100 });
    }
    let timeline = Timeline::new(spans);
    let verdict = timeline.longest().map(|(limit, _)| limit).into_iter().collect();
    Answer { verdict, timeline: Some(timeline) }
}

/// Flights in a row with at least `INTERVAL` packets together.
fn groups(flights: &[Flight]) -> Vec<&[Flight]> {
    let (mut groups, mut start, mut packets) = (Vec::new(), 0, 0);
    for (i, flight) in flights.iter().enumerate() {
        packets += flight.packets;
        if packets >= INTERVAL || i + 1 == flights.len() {
            groups.extend(flights.get(start..=i));
            (start, packets) = (i + 1, 0);
        }
    }
    groups
}

/// Whether each flight is larger than the one before it to the end, without loss: it never left slow start.
fn never_slowed(flights: &[Flight]) -> bool {
    let grows = |pair: &[Flight]| matches!(pair, [a, b] if b.bytes * 2 > a.bytes * 3);
    let whole = flights.len().saturating_sub(1);
    flights.iter().all(|f| f.resent == 0)
        && flights.get(..whole).is_some_and(|f| f.windows(2).all(grows))
}

struct Rules {
    rtt: Nanos,
    mss: u64,
    window: u64,
}

impl Rules {
    /// The published tests, the first that holds.
    fn factor(&self, group: &[Flight], segments: &[Segment], judged: Judged) -> Limit {
        let lost = group.iter().any(|f| f.resent > 0);
        if self.has_lulls(group) {
            Limit::Application
        } else if self.fills_window(group) {
            Limit::ReceiveWindow
        } else if !lost && self.stands(group) {
            Limit::SendBuffer
        } else if self.is_evenly_spaced(group, segments, judged) {
            Limit::PathBandwidth
        } else if lost {
            Limit::LossRecovery
        } else if grows(group) {
            Limit::CongestionWindow
        } else {
            Limit::Unknown
        }
    }

    /// Application: a packet of less than an MSS, a lull of more than a round trip, then more data.
    fn has_lulls(&self, group: &[Flight]) -> bool {
        let small = |f: &Flight| u64::from(f.last_len) % self.mss != 0;
        let lull = |pair: &[Flight]| matches!(pair, [a, b] if small(a) && b.from - a.to > self.rtt.scale(12, 10));
        group.windows(2).filter(|pair| lull(pair)).count() * 2 > group.len().saturating_sub(1)
    }

    /// Receiver window: three flights in a row within three segments of the largest window.
    fn fills_window(&self, group: &[Flight]) -> bool {
        let full = |f: &Flight| f.bytes + 3 * self.mss > self.window;
        group.windows(3).any(|three| three.iter().all(full))
    }

    /// Sender window: flights of the median size, four in a row, and the 80th percentile is near it.
    fn stands(&self, group: &[Flight]) -> bool {
        let size = |f: &Flight| f.bytes / self.mss;
        let mut sizes: Vec<u64> = group.iter().map(size).collect();
        sizes.sort_unstable();
        let at = |part: usize| sizes.get(sizes.len() * part / 100).copied().unwrap_or(0);
        let median = at(50);
        let near = |f: &Flight| (median.saturating_sub(2)..=median + 1).contains(&size(f));
        at(80) < median + 3 && group.windows(4).any(|four| four.iter().all(near))
    }

    /// Bandwidth: packets nearly evenly spaced, their gaps' 95th percentile below twice the 5th.
    fn is_evenly_spaced(&self, group: &[Flight], segments: &[Segment], judged: Judged) -> bool {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { return false };
        let inside = |s: &&Segment| s.time >= first.from && s.time <= last.to;
        let times: Vec<Nanos> = data(segments, judged).filter(inside).map(|s| s.time).collect();
        let mut gaps: Vec<i64> =
            times.windows(2).filter_map(|t| Some((*t.last()? - *t.first()?).0)).collect();
        gaps.sort_unstable();
        let at = |part: usize| gaps.get(gaps.len() * part / 100).copied().unwrap_or(0);
        at(5) > 0 && at(95) < 2 * at(5)
    }
}

/// Transport: flights keep growing.
fn grows(group: &[Flight]) -> bool {
    let half = group.len() / 2;
    let sum = |flights: &[Flight]| flights.iter().map(|f| f.bytes).sum::<u64>();
    let (early, late) = group.split_at(half);
    half > 0 && sum(late) * early.len() as u64 > sum(early) * late.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_core::model::Side;
    use tcpwhy_core::whatif::traffic::{Scenario, Window, Workload, simulate};

    fn verdict(scenario: &Scenario) -> Vec<Limit> {
        let judged = Judged { port: 80, from: Side::Server };
        trat(&simulate(scenario).capture(0.0), judged, scenario.rtt).verdict
    }

    fn fast() -> Scenario {
        Scenario { rate_bps: 1_000_000_000, queue_bytes: 8_000_000, ..Scenario::default() }
    }

    #[test]
    fn a_window_that_is_filled_again_and_again() {
        let limited = Scenario { window: Window::fixed(64 * 1024), ..fast() };
        assert_eq!(verdict(&limited), [Limit::ReceiveWindow]);
    }

    #[test]
    fn a_plateau_below_the_window_is_the_senders() {
        let window = Window::fixed(6_000_000);
        let limited = Scenario { send_buffer: 32 * 1448, window, ..fast() };
        assert_eq!(verdict(&limited), [Limit::SendBuffer]);
    }

    #[test]
    fn a_short_flow_had_no_opportunity() {
        let workload = Workload { message_bytes: 8_000, ..Workload::default() };
        assert_eq!(verdict(&Scenario { workload, ..fast() }), [Limit::CongestionWindow]);
    }
}
