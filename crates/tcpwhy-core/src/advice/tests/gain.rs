//! What is said of the gain.

use super::*;

/// Without `lift` the transfer takes so many ms, as the limit that comes `next` has it.
fn without(lift: Limit, ms: i64, next: Limit) -> WhatIf {
    WhatIf { lift, transfer: Nanos::from_millis(ms), next, at_most: false }
}

#[test]
fn a_limit_that_hides_another_is_said_to_gain_little() {
    let mut c = case(Limit::SendBuffer, Cause::None);
    let then = |ms| without(Limit::SendBuffer, ms, Limit::ReceiveWindow);
    c.directions[1].what_if = Box::new([then(2_000)]);
    assert!(advised(&c)[0].contains("remove"), "{:?}", advised(&c));
    c.directions[1].what_if = Box::new([then(25_000)]);
    let first = advised(&c).swap_remove(0);
    assert_eq!(
        first,
        "Little to gain here: without this limit the transfer would still take 25.0 s, held by \
         the next (receive window)."
    );
}

#[test]
fn where_no_round_trip_was_measured_nobody_is_told_that_there_is_little_to_gain() {
    let mut c = case(Limit::LossRecovery, Cause::Timeout);
    c.directions[1].what_if = Box::new([]);
    assert!(!advised(&c)[0].contains("be predicted"), "{:?}", advised(&c));
    c.directions[1].facts.rtt_floor = Nanos::ZERO;
    c.directions[1].retransmitted = 30_000;
    let first = advised(&c).swap_remove(0);
    assert!(first.contains("cannot be predicted") && first.contains("sent again"), "{first}");
    // Of one direction alone no timestamp would tell, either, and another capture has to show both.
    let (side, count, value, frame) = (Side::Client, 0, 0, 0);
    c.findings = Box::new([Finding { kind: FindingKind::OneWay, side, count, value, frame }]);
    assert!(!advised(&c)[0].contains("timestamps"), "{:?}", advised(&c));
    c.directions[1].verdict.limit = Limit::Unknown;
    assert!(advised(&c)[0].contains("where both directions pass"), "{:?}", advised(&c));
    // The application's time is its own, however long a round trip is.
    c.directions[1].verdict.limit = Limit::Application;
    assert!(!advised(&c)[0].contains("be predicted"), "{:?}", advised(&c));
}

#[test]
fn a_path_that_did_not_show_its_rate_leaves_no_little_to_gain() {
    let mut c = case(Limit::SendBuffer, Cause::None);
    let then = without(Limit::SendBuffer, 25_000, Limit::PathBandwidth);
    c.directions[1].what_if = Box::new([WhatIf { at_most: true, ..then }]);
    let first = advised(&c).swap_remove(0);
    assert!(first.contains("cannot be predicted") && first.contains("98.3 Mbit/s"), "{first}");
}

#[test]
fn a_writer_with_a_clock_of_its_own_is_promised_nothing_from_a_prompt_ack() {
    let mut c = case(Limit::DelayedAck, Cause::Nagle);
    let then = |ms| without(Limit::DelayedAck, ms, Limit::Application);
    // 25.1 s as it is.
    c.directions[1].what_if = Box::new([then(24_000)]);
    let steps = advised(&c);
    let sooner = "arrives sooner, by up to 20.4 ms each time, but all of it still takes 24.0 s";
    assert!(steps[0].contains(sooner) && steps.len() > 1, "{steps:?}");
    c.directions[1].what_if = Box::new([then(23_000)]);
    assert!(!advised(&c)[0].contains("arrives sooner"), "{:?}", advised(&c));
}

#[test]
fn a_full_link_has_nothing_to_gain() {
    for cause in [Cause::StandingQueue, Cause::SteadyRate, Cause::EcnMarked] {
        let steps = advised(&case(Limit::PathBandwidth, cause));
        assert!(steps[0].starts_with("Nothing to gain"), "{steps:?}");
        let doubted = steps[1].contains("does not write at just this rate");
        assert_eq!(doubted, cause == Cause::SteadyRate, "{steps:?}");
    }
    let mut c = case(Limit::PathBandwidth, Cause::SteadyRate);
    assert!(advised(&c)[1].starts_with("No queue stood"), "{:?}", advised(&c));
    c.rtt.hides_queues = true;
    assert!(advised(&c)[1].starts_with("Without timestamps"), "{:?}", advised(&c));
}

#[test]
fn a_full_link_is_not_all_where_a_buffer_held_for_as_long() {
    let mut c = case(Limit::PathBandwidth, Cause::StandingQueue);
    let then = |ms| without(Limit::ReceiveWindow, ms, Limit::PathBandwidth);
    // 25.1 s as it is.
    c.directions[1].what_if = Box::new([then(14_000)]);
    let steps = advised(&c);
    assert!(steps[0].starts_with("While the link is full"), "{steps:?}");
    let besides = position(&steps, "another limit held it (receive window)");
    assert!(steps[besides].contains("14.0 s") && steps.len() > besides + 1, "{steps:?}");
    c.directions[1].what_if = Box::new([then(24_000)]);
    assert!(advised(&c)[0].starts_with("Nothing to gain"), "{:?}", advised(&c));
}

#[test]
fn whoever_gains_more_from_another_limit_is_told_so_and_not_that_no_setting_helps() {
    let mut c = case(Limit::Application, Cause::SenderApplication);
    assert!(advised(&c).contains(&"No network or buffer setting will help.".to_owned()));
    let lifted = |application, buffer| {
        let of = |lift, ms| without(lift, ms, Limit::PathBandwidth);
        Box::new([of(Limit::SendBuffer, buffer), of(Limit::Application, application)])
    };
    // 25.1 s as it is.
    c.directions[1].what_if = lifted(20_000, 15_000);
    let steps = advised(&c);
    assert!(steps.iter().all(|s| !s.contains("setting will help")), "{steps:?}");
    let besides = position(&steps, "another limit held it (send buffer)");
    assert!(steps[besides].contains("15.0 s"), "{steps:?}");
    assert!(steps[besides + 1].contains("remove the call that sets SO_SNDBUF"), "{steps:?}");
    for [application, buffer] in [[15_000, 20_000], [25_000, 24_000]] {
        c.directions[1].what_if = lifted(application, buffer);
        assert!(advised(&c).iter().all(|s| !s.contains("another limit")), "{application}");
    }
}

/// Which of the steps says so.
fn position(steps: &[String], said: &str) -> usize {
    steps.iter().position(|s| s.contains(said)).unwrap_or_else(|| panic!("{steps:?}"))
}

#[test]
fn a_queue_that_marks_packets_needs_no_other_management() {
    let mut c = case(Limit::PathBandwidth, Cause::StandingQueue);
    c.rtt.p95 = Nanos::from_millis(90);
    assert!(advised(&c)[2].contains("fq_codel or cake at the bottleneck"), "{:?}", advised(&c));
    let (kind, side) = (FindingKind::EcnMarks, Side::Server);
    c.findings = Box::new([Finding { kind, side, count: 97, value: 0, frame: 7 }]);
    let steps = advised(&c);
    assert!(steps[2].contains("managed already") && steps[2].contains("90.0 ms"), "{steps:?}");
    // In a part of the time the first mark may lie outside.
    c.findings = Box::default();
    c.directions[1].timeline[1].cause = Cause::EcnMarked;
    assert!(advised(&c)[2].contains("managed already"), "{:?}", advised(&c));
}

#[test]
fn a_full_link_carries_no_less_than_the_transfer_did() {
    let mut c = case(Limit::PathBandwidth, Cause::StandingQueue);
    assert!(said(&c).contains("busy at 7.2 Mbit/s"), "{}", said(&c));
    c.directions[1].bytes *= 2;
    assert!(said(&c).contains("busy at 14.0 Mbit/s"), "{}", said(&c));
}

#[test]
fn a_limit_that_costs_a_quarter_is_advised_against_though_another_costs_more() {
    let mut c = case(Limit::CongestionWindow, Cause::SlowStart);
    let told = |ms: i64| {
        let verdicts = without(Limit::CongestionWindow, 14_000, Limit::ReceiveWindow);
        let other = without(Limit::ReceiveWindow, ms, Limit::CongestionWindow);
        c.directions[1].what_if = Box::new([verdicts, other]);
        advised(&c).iter().any(|step| step.contains("another limit held it (receive window)"))
    };
    assert_eq!([12_000, 15_000, 20_000].map(told), [true, true, false]);
}
