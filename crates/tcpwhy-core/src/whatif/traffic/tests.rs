//! The arithmetic that every transfer must obey, and the labels that must come with it.

use super::*;
use crate::model::Limit;
use crate::units::Nanos;

fn seconds(trace: &Trace) -> f64 {
    let truth = trace.truth();
    (truth[truth.len() - 1].to - truth[0].from).secs()
}

fn share(trace: &Trace, limit: Limit) -> f64 {
    let of = |i: &&TruthInterval| i.limit == limit;
    let time: f64 = trace.truth().iter().filter(of).map(|i| (i.to - i.from).secs()).sum();
    time / seconds(trace)
}

fn message(bytes: u64) -> Workload {
    Workload { message_bytes: bytes, ..Workload::default() }
}

fn assert_partition(trace: &Trace) {
    for pair in trace.truth().windows(2) {
        assert_eq!(pair[0].to, pair[1].from);
        assert!(pair[0].from < pair[0].to);
        assert_ne!((pair[0].limit, pair[0].cause), (pair[1].limit, pair[1].cause));
    }
}

#[test]
fn a_small_send_buffer_gives_one_buffer_a_round_trip() {
    let s = Scenario { send_buffer: 16_384, workload: message(4_000_000), ..Scenario::default() };
    let trace = simulate(&s);
    assert_partition(&trace);
    let rate = 4e6 / seconds(&trace);
    // A writer sleeps until a third is free, so two thirds of the buffer to all of it are in flight.
    assert!((546e3..819e3).contains(&rate), "{rate}");
    assert!(share(&trace, Limit::SendBuffer) > 0.9, "{:?}", &trace.truth()[..5]);
}

#[test]
fn a_small_window_gives_one_window_a_round_trip() {
    let s = Scenario {
        window: Window::fixed(65_536),
        rtt: Nanos::from_millis(100),
        workload: message(10_000_000),
        ..Scenario::default()
    };
    let trace = simulate(&s);
    assert_partition(&trace);
    let rate = 10e6 / seconds(&trace);
    assert!((600e3..660e3).contains(&rate), "{rate}");
    assert!(share(&trace, Limit::ReceiveWindow) > 0.9);
}

#[test]
fn a_link_gives_its_rate() {
    for control in [Control::Reno, Control::Cubic, Control::Paced] {
        let s = Scenario { workload: message(50_000_000), control, ..Scenario::default() };
        let trace = simulate(&s);
        assert_partition(&trace);
        let ideal = 50e6 / 12.5e6 * 1514.0 / 1448.0;
        let time = seconds(&trace);
        assert!((ideal..ideal * 1.15).contains(&time), "{control:?}: {time} s, ideal {ideal} s");
        assert!(share(&trace, Limit::PathBandwidth) > 0.8, "{control:?} {:?}", trace.truth());
    }
}
