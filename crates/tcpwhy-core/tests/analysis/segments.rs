//! Segments in, connections out; and what every answer must obey.

use tcpwhy_core::analysis::Analyzer;
use tcpwhy_core::model::{Connection, Direction, Side};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;

/// Intervals that a picture can show; more would grow with the capture.
const MOST_INTERVALS: usize = 1024;

/// The connections in `segments`.
pub(crate) fn analyse(segments: &[Segment]) -> Vec<Connection> {
    let mut analyzer = Analyzer::new();
    segments.iter().for_each(|s| analyzer.push(s));
    analyzer.finish()
}

/// The only connection in `segments`.
pub(crate) fn analyse_one(segments: &[Segment]) -> Connection {
    let mut all = analyse(segments);
    assert_eq!(all.len(), 1, "one connection");
    all.remove(0)
}

/// The direction that `side` sends in.
pub(crate) fn direction(connection: &Connection, side: Side) -> &Direction {
    &connection.directions[side as usize]
}

/// No gap, no overlap, no empty interval; sums that add up; parts between 0 and 1; a bounded list; and
/// nothing takes longer with a limit lifted.
pub(crate) fn check(d: &Direction) {
    for i in &d.timeline {
        assert!(i.from < i.to, "an interval without time: {i:?}");
        assert!(i.first_frame <= i.last_frame, "frames run backwards: {i:?}");
        assert!(i.confidence <= 100, "{i:?}");
    }
    for pair in d.timeline.windows(2) {
        assert_eq!(pair[0].to, pair[1].from, "gap or overlap: {pair:?}");
    }
    assert!(d.timeline.len() <= MOST_INTERVALS, "{} intervals", d.timeline.len());
    let total = d.limits().iter().fold(Nanos::ZERO, |sum, share| sum + share.duration);
    assert_eq!(total, d.span(), "the shares add up to 1");
    for part in [d.verdict.share, d.verdict.confidence] {
        assert!((0.0..=1.0).contains(&part), "not a part: {part}");
    }
    for w in &d.what_if {
        assert!(w.transfer <= d.transfer, "{w:?} takes longer than {:?}", d.transfer);
        assert!(w.transfer > Nanos::ZERO, "{w:?}");
    }
}

/// As `check`, of both directions of all connections.
pub(crate) fn check_all(connections: &[Connection]) {
    connections.iter().flat_map(|c| &c.directions).for_each(check);
}

/// The same packets as those of another client (its port is 40,000 and its number), `later`.
pub(crate) fn of_client(segments: &[Segment], client: u16, later: Nanos) -> Vec<Segment> {
    let moved = |mut segment: Segment| {
        for end in [&mut segment.src, &mut segment.dst] {
            if end.port >= 40_000 {
                end.port = 40_000 + client;
            }
        }
        segment.time += later;
        segment
    };
    segments.iter().copied().map(moved).collect()
}
