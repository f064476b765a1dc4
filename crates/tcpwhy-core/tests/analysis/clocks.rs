//! Timestamps of captures that are out of order.

use crate::segments::analyse;
use crate::silence::finding;
use tcpwhy_core::model::FindingKind;
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Scenario, simulate};

fn backwards(segments: &[Segment]) -> Vec<u64> {
    let count = |c| finding(c, FindingKind::OutOfOrderTime).map_or(0, |f| f.count);
    analyse(segments).iter().map(count).collect()
}

#[test]
fn every_packet_that_steps_back_is_counted() {
    let mut capture = simulate(&Scenario::default()).capture(0.5);
    let mut swapped = 0;
    for k in (10..capture.len() - 10).step_by(40) {
        if capture[k].time < capture[k + 1].time {
            capture.swap(k, k + 1);
            swapped += 1;
        }
    }
    assert!(swapped > 5);
    assert_eq!(backwards(&capture), [swapped]);
}

#[test]
fn a_packet_behind_another_connections_does_not_step_back() {
    let capture = simulate(&Scenario::default()).capture(0.5);
    let other = |s: &Segment| {
        let mut s = Segment { time: s.time + Nanos::from_micros(1), ..*s };
        for end in [&mut s.src, &mut s.dst] {
            end.port += 1;
        }
        s
    };
    // Two queues that are written in turn: the second connection's first.
    let both: Vec<Segment> = capture.iter().flat_map(|s| [other(s), *s]).collect();
    assert_eq!(backwards(&both), [0, 0]);
}
