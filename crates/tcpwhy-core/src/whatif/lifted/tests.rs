use super::super::analytic;
use super::*;
use crate::model::made::{self, facts};
use crate::model::{Facts, Traits};
use std::num::NonZeroU32;

fn interval(limit: Limit, cause: Cause, (from, to): (i64, i64), acked: u64) -> Interval {
    let span = (Nanos::from_millis(from), Nanos::from_millis(to));
    Interval { cause, ..made::interval(limit, span, acked) }
}

/// Seconds with `limit` lifted, by the model, of a transfer with these intervals over 100 Mbit/s.
fn lifted(timeline: &[Interval], bytes: u64, turns: u64, limit: Limit) -> f64 {
    what_if(&facts(), timeline, bytes, turns, limit).transfer.secs()
}

fn what_if(facts: &Facts, timeline: &[Interval], bytes: u64, turns: u64, limit: Limit) -> WhatIf {
    let transfer = timeline.last().map_or(Nanos::ZERO, |i| i.to);
    let opened = timeline[0].limit == Limit::Handshake;
    let path = Path {
        timeline: &timeline[usize::from(opened)..],
        facts,
        transfer,
        bytes,
        turns,
        traits: Traits { capacity: 12_500_000, opened, ..Traits::default() },
    };
    let mut list = analytic::predict(&path);
    refine(&path, &mut list, &mut Budget::default());
    *list.iter().find(|w| w.lift == limit).unwrap()
}

#[test]
fn case_a_without_its_buffer_takes_two_seconds() {
    let timeline = [
        interval(Limit::Handshake, Cause::None, (-20, 0), 0),
        interval(Limit::SendBuffer, Cause::None, (0, 25_000), 22_000_000),
    ];
    let secs = lifted(&timeline, 22_000_000, 1, Limit::SendBuffer);
    assert!((1.8..2.1).contains(&secs), "{secs}");
}

#[test]
fn a_short_transfer_without_slow_start_still_waits_for_the_window() {
    let cause = Cause::SlowStart;
    let timeline = [
        interval(Limit::Handshake, Cause::None, (-20, 0), 0),
        interval(Limit::CongestionWindow, cause, (0, 100), 200_000),
    ];
    let secs = lifted(&timeline, 200_000, 1, Limit::CongestionWindow);
    // The first window of 64 KB, one of twice as much, and the rest: three round trips.
    assert!((0.055..0.085).contains(&secs), "{secs}");
}

#[test]
fn what_was_in_flight_when_a_path_fell_silent_still_has_to_be_acknowledged() {
    let timeline = [
        interval(Limit::Handshake, Cause::None, (-20, 0), 0),
        interval(Limit::CongestionWindow, Cause::SlowStart, (0, 45), 43_440),
        interval(Limit::LossRecovery, Cause::Timeout, (45, 300), 0),
        interval(Limit::SilentPath, Cause::PeerVanished, (300, 4_000), 0),
    ];
    // 10, 20 and 40 segments, and one more that was sent to probe: the fourth round trip is over when its ACK is there.
    let secs = lifted(&timeline, 71 * 1_448, 1, Limit::SilentPath);
    assert!((0.075..0.095).contains(&secs), "{secs}");
}

#[test]
fn the_way_of_the_last_flight_counts_once() {
    let (slow, ended) = (Cause::SlowStart, Cause::SenderApplication);
    let timeline = [
        interval(Limit::Handshake, Cause::None, (-20, 0), 0),
        interval(Limit::CongestionWindow, slow, (0, 60), 48_000),
        // All is sent; three quarters of it are on their way.
        interval(Limit::Application, ended, (60, 81), 152_000),
    ];
    let secs = lifted(&timeline, 200_000, 1, Limit::CongestionWindow);
    // As above: three round trips, and none more for the last flight; its bytes have to be carried, too.
    assert!((0.055..0.08).contains(&secs), "{secs}");
}

#[test]
fn a_last_write_after_a_wait_leaves_the_wait() {
    let ended = Cause::SenderApplication;
    let timeline = [
        interval(Limit::SendBuffer, Cause::None, (0, 10_000), 8_000_000),
        interval(Limit::Application, ended, (10_000, 15_000), 17_000),
    ];
    let secs = lifted(&timeline, 8_017_000, 1, Limit::SendBuffer);
    assert!((5.6..5.9).contains(&secs), "{secs}");
}

#[test]
fn a_window_that_was_reached_holds_on_a_faster_path_too() {
    let timeline = [interval(Limit::PathBandwidth, Cause::StandingQueue, (0, 4_000), 2_000_000)];
    let reached = Facts { max_window: 17_000, min_window: 17_000, ..facts() };
    let held = what_if(&reached, &timeline, 2_000_000, 1, Limit::PathBandwidth);
    assert_eq!(held.next, Limit::ReceiveWindow);
    assert!((2.2..2.8).contains(&held.transfer.secs()), "{held:?}");
    let free = what_if(&facts(), &timeline, 2_000_000, 1, Limit::PathBandwidth);
    assert!(free.transfer.secs() < 0.3, "{free:?}");
}

#[test]
fn repairs_that_take_longer_than_a_window_stay_without_it_and_nothing_else_takes_their_time() {
    let slow = (0, 1_000);
    let timeline = |window: Limit, cause| {
        [
            interval(window, cause, slow, 500_000),
            interval(Limit::LossRecovery, Cause::DoubleLoss, (1_000, 8_000), 500_000),
        ]
    };
    for (window, cause) in [
        (Limit::CongestionWindow, Cause::CongestionAvoidance),
        (Limit::ReceiveWindow, Cause::SmallBuffer),
    ] {
        let secs = lifted(&timeline(window, cause), 1_000_000, 1, window);
        assert!((7.0..7.3).contains(&secs), "{window:?} {secs}");
    }
    // A start that overran the path lost what it did by its size.
    let overrun = [
        interval(Limit::CongestionWindow, Cause::SlowStart, (0, 3_000), 500_000),
        interval(Limit::LossRecovery, Cause::FastRetransmit, (3_000, 4_000), 500_000),
    ];
    let secs = lifted(&overrun, 1_000_000, 1, Limit::CongestionWindow);
    assert!(secs < 0.5, "{secs}");
}

#[test]
fn turns_keep_their_round_trips() {
    let cause = Cause::WaitingForPeer;
    let timeline = [interval(Limit::Application, cause, (0, 5_000), 500_000)];
    let secs = lifted(&timeline, 500_000, 51, Limit::Application);
    assert!((1.0..1.3).contains(&secs), "50 questions at 20 ms: {secs}");
}

#[test]
fn what_comes_next_is_said_where_nothing_but_questions_stays() {
    let timeline = [interval(Limit::Application, Cause::WaitingForPeer, (0, 8_000), 1_000_000)];
    let predicted = what_if(&facts(), &timeline, 1_000_000, 40, Limit::Application);
    assert_ne!(predicted.next, Limit::Unknown, "{predicted:?}");
}

#[test]
fn answers_keep_the_time_that_held_each_of_them() {
    let (wait, grows) = (Cause::WaitingForPeer, Cause::SlowStart);
    // Ten answers of 50 KB, each with a small window of its own.
    let timeline: Vec<Interval> = (0..10)
        .flat_map(|k| {
            [
                interval(Limit::Application, wait, (300 * k, 300 * k + 200), 0),
                interval(Limit::CongestionWindow, grows, (300 * k + 200, 300 * k + 300), 50_000),
            ]
        })
        .collect();
    let secs = lifted(&timeline, 500_000, 10, Limit::Application);
    assert!((1.17..1.19).contains(&secs), "a second, and nine questions at 20 ms: {secs}");
}

#[test]
fn what_is_unknown_is_taken_for_what_the_rest_is() {
    let (paused, moved) = (Cause::SenderApplication, Cause::None);
    let pauses = interval(Limit::Application, paused, (0, 3_000), 1_000_000);
    let unknown = interval(Limit::Unknown, moved, (3_000, 4_000), 300_000);
    let secs = lifted(&[pauses, unknown], 1_300_000, 1, Limit::Application);
    assert!(secs < 0.5, "nothing but the application was seen: {secs}");
    // Three quarters of what is known is the application's, and stays without the buffer: so do three quarters of what is not.
    let held = interval(Limit::SendBuffer, moved, (4_000, 5_000), 300_000);
    let secs = lifted(&[pauses, unknown, held], 1_600_000, 1, Limit::SendBuffer);
    assert!((3.75..4.0).contains(&secs), "{secs}");
}

#[test]
fn a_slow_reader_stays_slow_on_a_faster_path() {
    let timeline = [interval(Limit::PathBandwidth, Cause::StandingQueue, (0, 4_000), 40_000_000)];
    let facts = facts();
    let path = |reader: Option<u64>| Path {
        timeline: &timeline,
        facts: &facts,
        transfer: Nanos::from_secs(4),
        bytes: 40_000_000,
        turns: 1,
        traits: Traits {
            capacity: 12_500_000,
            reader: reader.and_then(NonZeroU64::new),
            ..Traits::default()
        },
    };
    let lifted = |reader| {
        let path = path(reader);
        let mut list = analytic::predict(&path);
        refine(&path, &mut list, &mut Budget::default());
        list[0].transfer.secs()
    };
    assert!(lifted(None) < 1.0, "{}", lifted(None));
    // 12 MB/s, and a few megabytes of it wait in the buffer at the end.
    assert!((2.8..3.5).contains(&lifted(Some(12_000_000))), "{}", lifted(Some(12_000_000)));
}

#[test]
fn a_buffer_that_stood_behind_a_full_link_holds_on_a_faster_one() {
    let timeline = [interval(Limit::PathBandwidth, Cause::StandingQueue, (0, 4_000), 2_000_000)];
    let facts = Facts { max_flight: 16_000, ..facts() };
    let lifted = |ceiling: Option<u32>| {
        let ceiling = ceiling.and_then(NonZeroU32::new);
        let traits = Traits { capacity: 500_000, ceiling, ..Traits::default() };
        let (transfer, bytes) = (Nanos::from_secs(4), 2_000_000);
        let path = Path { timeline: &timeline, facts: &facts, transfer, bytes, turns: 1, traits };
        let mut list = analytic::predict(&path);
        refine(&path, &mut list, &mut Budget::default());
        list[0]
    };
    assert!(lifted(None).transfer.secs() < 0.3, "{:?}", lifted(None));
    // 16 KB in a round trip of 20 ms.
    let held = lifted(Some(16_000));
    assert_eq!((held.lift, held.next), (Limit::PathBandwidth, Limit::SendBuffer));
    assert!((2.2..2.9).contains(&held.transfer.secs()), "{held:?}");
}

#[test]
fn a_buffer_that_let_the_window_be_filled_takes_more() {
    let timeline = [
        interval(Limit::ReceiveWindow, Cause::SmallBuffer, (0, 20_000), 16_000_000),
        interval(Limit::SendBuffer, Cause::None, (20_000, 25_000), 4_000_000),
    ];
    let without_window = |max_flight| {
        let facts = Facts { max_flight, max_window: 16_384, ..facts() };
        what_if(&facts, &timeline, 20_000_000, 1, Limit::ReceiveWindow).transfer.secs()
    };
    assert!(without_window(16_000) < 2.2, "{}", without_window(16_000));
    assert!(without_window(12_000) > 20.0, "{}", without_window(12_000));
}

#[test]
fn losses_of_less_than_the_path_holds_stay_on_a_faster_one() {
    let lifted = |flight| {
        let mut repair = interval(Limit::LossRecovery, Cause::Timeout, (0, 1_000), 0);
        repair.evidence.flight = flight;
        let full = interval(Limit::PathBandwidth, Cause::StandingQueue, (1_000, 4_000), 2_000_000);
        what_if(&facts(), &[repair, full], 2_000_000, 1, Limit::PathBandwidth).transfer.secs()
    };
    let (of_the_queue, of_the_path) = (lifted(10_000_000), lifted(10_000));
    assert!(of_the_queue < 0.4, "{of_the_queue}");
    assert!((0.9..1.1).contains(&(of_the_path - of_the_queue)), "{of_the_path}");
}

#[test]
fn what_chance_loses_a_faster_path_loses_too() {
    let mut repair = interval(Limit::LossRecovery, Cause::FastRetransmit, (0, 1_000), 500_000);
    repair.evidence.flight = 10_000_000;
    let grows =
        interval(Limit::CongestionWindow, Cause::CongestionAvoidance, (1_000, 4_000), 2_000_000);
    let full = interval(Limit::PathBandwidth, Cause::StandingQueue, (4_000, 5_000), 1_000_000);
    let lifted = |chance| {
        let path = Path {
            timeline: &[repair, grows, full],
            facts: &facts(),
            transfer: Nanos::from_secs(5),
            bytes: 3_500_000,
            turns: 1,
            traits: Traits { capacity: 12_500_000, chance, ..Traits::default() },
        };
        let mut list = analytic::predict(&path);
        refine(&path, &mut list, &mut Budget::default());
        list.iter().find(|w| w.lift == Limit::PathBandwidth).unwrap().transfer.secs()
    };
    let (overflows, by_chance) = (lifted(false), lifted(true));
    assert!(overflows < 0.5, "{overflows}");
    assert!((4.0..4.3).contains(&by_chance), "{by_chance}");
}

#[test]
fn the_limit_that_was_lifted_does_not_come_next() {
    let mut phases = [Nanos::ZERO; Phase::ALL.len()];
    phases[Phase::ReceiveWindow as usize] = Nanos::from_millis(900);
    phases[Phase::SendBuffer as usize] = Nanos::from_millis(400);
    let p = Prediction { phases, ..predict(&Transfer::default()) };
    assert_eq!(held_by(&p, Limit::PathBandwidth), Limit::ReceiveWindow);
    assert_eq!(held_by(&p, Limit::ReceiveWindow), Limit::SendBuffer);
}

#[test]
fn a_spent_budget_leaves_the_arithmetic() {
    let timeline = [interval(Limit::SendBuffer, Cause::None, (0, 25_000), 22_000_000)];
    let path = Path {
        timeline: &timeline,
        facts: &facts(),
        transfer: Nanos::from_secs(25),
        bytes: 22_000_000,
        turns: 1,
        traits: Traits { capacity: 12_500_000, ..Traits::default() },
    };
    let plain = analytic::predict(&path);
    let mut list = plain.clone();
    let mut budget = Budget::of(5_999);
    refine(&path, &mut list, &mut budget);
    assert_eq!(list, plain);
    budget.earn(64);
    refine(&path, &mut list, &mut budget);
    assert_ne!(list, plain);
    assert_eq!(budget.spend(1), None);
}

#[test]
fn without_the_window_as_limit_it_is_scaled() {
    let cause = Cause::NoWindowScaling;
    let timeline = [
        interval(Limit::Handshake, Cause::None, (-20, 0), 0),
        interval(Limit::ReceiveWindow, cause, (0, 3_000), 9_000_000),
    ];
    let (scale, max_window) = (WindowScale::Absent, 65_535);
    let facts = Facts { scale, max_window, min_window: 65_535, max_flight: 65_535, ..facts() };
    let lifted = what_if(&facts, &timeline, 9_000_000, 1, Limit::ReceiveWindow);
    assert!(lifted.transfer < Nanos::from_millis(1_200), "{lifted:?}");
    assert_ne!(lifted.next, Limit::ReceiveWindow);
}

#[test]
fn what_another_limit_held_it_holds_again() {
    // A connection in its middle: nobody knows how it began.
    let timeline = [
        interval(Limit::CongestionWindow, Cause::SlowStart, (0, 400), 1_000_000),
        interval(Limit::Application, Cause::SenderApplication, (400, 500), 0),
        interval(Limit::CongestionWindow, Cause::SlowStart, (500, 600), 1_000_000),
    ];
    let rtt_floor = Nanos::from_millis(100);
    let facts = Facts { rtt_floor, max_flight: 2_000_000, max_window: 3_000_000, ..facts() };
    let without = |limit| what_if(&facts, &timeline, 2_000_000, 1, limit).transfer.secs();
    assert!(
        (0.499..0.56).contains(&without(Limit::Application)),
        "{}",
        without(Limit::Application)
    );
    // The wait, 160 ms on the wire and a round trip: the receiver's window has grown to more than that takes.
    let free = without(Limit::CongestionWindow);
    assert!((0.3..0.4).contains(&free), "{free}");
}
