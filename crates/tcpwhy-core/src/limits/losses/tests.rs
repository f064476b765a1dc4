//! Patterns of losses, each in the rounds that make it.

use super::*;
use crate::flow::wait::Wait;
use crate::limits::made::{MSS, rounds};

const ROUND: Nanos = Nanos::from_millis(1);
const LINK: u64 = 36_000_000;

/// Lost segments that stand so often farther into their bursts.
fn standing(farther: u32) -> Lost<'static> {
    Lost { farther: Some(farther), ..Lost::default() }
}

/// Of forty rounds those in which two losses are repaired, long ones.
fn is_repaired(k: usize) -> bool {
    (8..14).contains(&k) || (24..28).contains(&k)
}

/// The losses of a sender that repairs every second round; `arrived` bytes a round, and round trips that look like a queue's.
fn of(lost: u32, arrived: impl Fn(usize) -> i64) -> Losses {
    for_rounds(400, lost, arrived)
}

fn for_rounds(count: usize, lost: u32, arrived: impl Fn(usize) -> i64) -> Losses {
    repaired(count, lost, arrived, standing(80))
}

/// As `for_rounds`, of losses of which that is known.
fn repaired(count: usize, lost: u32, arrived: impl Fn(usize) -> i64, known: Lost<'_>) -> Losses {
    let list = rounds(count, ROUND, |k, s| {
        (s.arrived, s.segments, s.flight) = (arrived(k), 20, 30_000);
        s.sampled(ROUND.scale(3, 2), Nanos::ZERO);
        if k > 3 && k % 2 == 1 {
            (s.wait, s.resent) = (Wait::Recovery, lost);
        }
    });
    let mut ctx = Context::new(&list, ROUND, MSS);
    ctx.capacity = Some(LINK);
    pattern(&ctx, known)
}

#[test]
fn a_fourth_of_the_link_evenly_and_many_losses_are_a_policer_though_round_trips_vary() {
    assert!(matches!(of(10, |_| 9_000), Losses::Policed { .. }));
    assert_eq!(for_rounds(80, 10, |_| 9_000), Losses::Plain, "too short to be even");
}

#[test]
fn an_uneven_rate_or_most_of_the_link_or_few_losses_are_none() {
    assert_eq!(of(10, |k| if k % 128 < 64 { 3_000 } else { 15_000 }), Losses::Plain);
    assert_eq!(of(10, |_| 34_000), Losses::Plain);
    assert_eq!(of(1, |_| 9_000), Losses::Plain);
}

#[test]
fn a_bucket_alone_lets_data_through_so_evenly_whatever_bursts_and_round_trips_look_like() {
    let of = |arrived: fn(usize) -> i64, farther| {
        let list = rounds(400, ROUND, |k, s| {
            (s.arrived, s.segments, s.flight) = (arrived(k / 40), 20, 30_000);
            s.sampled(ROUND.scale(if k % 3 == 0 { 2 } else { 1 }, 1), Nanos::ZERO);
            if k % 40 == 39 {
                (s.wait, s.resent) = (Wait::Recovery, 1);
            }
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.capacity = Some(LINK);
        pattern(&ctx, standing(farther))
    };
    assert!(matches!(of(|_| 9_000, 65), Losses::Policed { .. }));
    // As chance ends a growth, a link of which more is used, and a sender of one rate.
    assert_eq!(of(|k| if k % 2 == 0 { 7_000 } else { 11_000 }, 65), Losses::Plain);
    assert_eq!(of(|_| 15_000, 65), Losses::Plain);
    assert_eq!(of(|_| 9_000, 65 - 15), Losses::Plain);
}

/// The losses, so often farther into their bursts than what arrived, of a sender that loses a segment every fortieth round, of rounds in which
/// `arrived` bytes arrive.
fn regular(arrived: impl Fn(usize) -> i64, farther: u32) -> Losses {
    behind(arrived, standing(farther))
}

/// As `regular`, of which that is known.
fn behind(arrived: impl Fn(usize) -> i64, lost: Lost<'_>) -> Losses {
    let list = rounds(1_000, ROUND, |k, s| {
        (s.arrived, s.segments, s.flight) = (arrived(k), 20, 30_000);
        s.sampled(ROUND, Nanos::ZERO);
        if k % 40 == 39 {
            (s.wait, s.resent) = (Wait::Recovery, 1);
        }
    });
    let mut ctx = Context::new(&list, ROUND, MSS);
    ctx.capacity = Some(LINK);
    pattern(&ctx, lost)
}

#[test]
fn losses_anywhere_in_a_burst_are_chances_though_a_growing_window_meets_them_at_similar_rates() {
    let of = |swing: i64, farther| {
        regular(|k| 9_000 + if k / 40 % 2 == 0 { swing } else { -swing }, farther)
    };
    assert!(matches!(of(1_000, 50), Losses::Random { .. }));
    assert!(matches!(of(1_000, 85), Losses::Policed { .. }));
    assert!(matches!(of(100, 50), Losses::Random { .. }), "a buffer's rate is as even");
    let grows = |k: usize| 9_000 + if (k / 40).is_multiple_of(2) { 1_000 } else { -1_000 };
    let full = Lost { before: Before::FullQueue, ..standing(50) };
    assert_eq!(behind(grows, full), Losses::Plain, "a queue was full each time");
}

#[test]
fn what_is_lost_in_heaps_is_not_chances() {
    // In every fortieth round, which sends 20 segments, so many are lost; at every fourth such time others.
    let of = |usual: u32, fourth: u32| {
        let list = rounds(1_000, ROUND, |k, s| {
            (s.arrived, s.segments, s.flight) = (9_000 + (k as i64 / 40 % 2) * 2_000, 20, 30_000);
            s.sampled(ROUND, Nanos::ZERO);
            if k % 40 == 39 {
                s.wait = Wait::Recovery;
                s.resent = if k % 160 == 159 { fourth } else { usual };
            }
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.capacity = Some(LINK);
        pattern(&ctx, standing(50))
    };
    assert!(matches!(of(1, 1), Losses::Random { .. }));
    assert!(matches!(of(1, 3), Losses::Random { .. }));
    assert_eq!(of(1, 13), Losses::Plain, "a fifth of three rounds");
    assert_eq!(of(5, 5), Losses::Plain, "more than chance takes of three rounds");
}

#[test]
fn a_short_queue_ends_a_growth_at_about_one_height_and_a_bucket_lets_through_the_very_same() {
    let of = |bytes: i64, part: i64| {
        let swing = bytes / part;
        regular(|k| bytes + if k / 40 % 2 == 0 { swing } else { -swing }, 85)
    };
    assert!(matches!(of(16_000, 25), Losses::Policed { .. }));
    assert_eq!(of(16_000, 9), Losses::Plain);
    assert!(matches!(of(9_000, 9), Losses::Policed { .. }), "no queue is so short");
}

#[test]
fn the_ends_of_bursts_of_a_few_segments_are_cut_by_a_bucket_at_whatever_rates() {
    // Losses in every fifth round, between them more and less.
    let of = |segments: i64, farther: u32, queue: bool| {
        let list = rounds(200, ROUND.scale(100, 1), |k, s| {
            s.arrived = (segments + k as i64 / 5 % 4 - 2) * MSS as i64;
            (s.segments, s.flight) = (segments as u32, segments as u64 * MSS);
            s.sampled(ROUND.scale(if queue { 150 } else { 100 }, 1), Nanos::ZERO);
            if k % 5 == 4 {
                (s.wait, s.resent) = (Wait::Recovery, 1);
            }
        });
        let mut ctx = Context::new(&list, ROUND.scale(100, 1), MSS);
        ctx.capacity = Some(LINK);
        pattern(&ctx, standing(farther))
    };
    assert!(matches!(of(5, 95, false), Losses::Policed { .. }));
    assert!(!matches!(of(5, 55, false), Losses::Policed { .. }), "chance");
    assert!(!matches!(of(5, 95, true), Losses::Policed { .. }), "a queue");
    assert!(!matches!(of(40, 95, false), Losses::Policed { .. }), "a short queue");
}

#[test]
fn a_queue_that_overflows_as_regularly_leaves_less_of_the_link_unused() {
    let of = |arrived: i64| regular(|_| arrived, 90);
    assert!(matches!(of(16_000), Losses::Policed { .. }));
    assert_eq!(of(25_000), Losses::Plain, "seven tenths of it");
    assert!(matches!(of(34_000), Losses::Overflowed { .. }), "it is busy");
}

#[test]
fn what_a_bucket_saves_while_the_sender_rests_is_no_rate() {
    let long = ROUND.scale(2, 1);
    let list = rounds(400, long, |k, s| {
        (s.segments, s.flight, s.arrived) = (20, 30_000, 9_000);
        s.sampled(ROUND, Nanos::ZERO);
        match k % 40 {
            0..10 => (s.wait, s.arrived) = (Wait::IdlePeer, 0),
            10 => s.arrived = 90_000,
            12 | 22 | 32 => (s.wait, s.resent) = (Wait::Recovery, 20),
            _ => {}
        }
    });
    let mut ctx = Context::new(&list, ROUND, MSS);
    ctx.capacity = Some(LINK);
    let Losses::Policed { rate, .. } = pattern(&ctx, Lost::default()) else { panic!("no policer") };
    assert_eq!(rate, 4_500_000);
}

/// Heavy losses all the time but for a few rounds in which `calm` arrives; the rate of the policer.
fn hardly_calm(calm: i64) -> Option<u64> {
    let list = rounds(400, ROUND, |k, s| {
        (s.segments, s.flight, s.arrived) = (20, 30_000, 9_000);
        s.sampled(ROUND, Nanos::ZERO);
        match k {
            100..106 => s.arrived = calm,
            _ if k % 3 > 0 => (s.wait, s.resent) = (Wait::Recovery, 8),
            _ => {}
        }
    });
    let mut ctx = Context::new(&list, ROUND, MSS);
    ctx.capacity = Some(LINK);
    match pattern(&ctx, Lost::default()) {
        Losses::Policed { rate, .. } => Some(rate),
        _ => None,
    }
}

#[test]
fn more_than_a_policers_rate_does_not_get_through_from_its_first_loss_on() {
    // However little arrives in the only time between losses that is long enough to measure it.
    for calm in [9_000, 3_000] {
        assert!(hardly_calm(calm).is_some_and(|rate| rate.abs_diff(9_000_000) < 100_000), "{calm}");
    }
}

#[test]
fn what_is_lost_behind_a_deep_queue_is_no_policers_however_even_the_rate_is() {
    let far = Nanos::from_millis(20);
    let of = |queue: i64| {
        let list = rounds(400, far, |k, s| {
            (s.arrived, s.segments, s.flight) = (90_000, 20, 90_000);
            s.sampled(far + Nanos::from_millis(queue), Nanos::ZERO);
            if k % 40 == 39 {
                (s.wait, s.resent) = (Wait::Recovery, 1);
            }
        });
        let mut ctx = Context::new(&list, far, MSS);
        ctx.capacity = Some(LINK);
        pattern(&ctx, standing(65))
    };
    assert_eq!(of(200), Losses::Plain);
    assert!(matches!(of(0), Losses::Policed { .. }));
}

#[test]
fn what_a_closed_window_refuses_is_no_policers_loss() {
    let of = |closed: usize| {
        let list = rounds(34, ROUND, |k, s| {
            (s.arrived, s.segments, s.flight) = (9_000, 20, 30_000);
            s.sampled(ROUND, Nanos::ZERO);
            if is_repaired(k) {
                (s.wait, s.resent) = (Wait::Recovery, 20);
            }
            s.zero_window = k == closed;
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.capacity = Some(LINK);
        pattern(&ctx, Lost::default())
    };
    assert!([7, 8, 13].map(of).iter().all(|losses| *losses == Losses::Plain));
    assert!(matches!(of(18), Losses::Policed { .. }));
}

#[test]
fn of_a_segment_a_round_trip_no_rate_can_be_told() {
    assert!(matches!(regular(|_| 4_000, 90), Losses::Policed { .. }));
    assert_eq!(regular(|_| 2_000, 90), Losses::Plain);
}

#[test]
fn the_last_loss_lasts_until_it_is_repaired() {
    let list = rounds(40, ROUND, |k, s| {
        (s.arrived, s.segments, s.flight) = (9_000, 20, 30_000);
        s.sampled(ROUND, Nanos::ZERO);
        if is_repaired(k) {
            (s.wait, s.resent) = (Wait::Recovery, 20);
        }
    });
    let losses = pattern(&Context::new(&list, ROUND, MSS), Lost::default());
    assert!(matches!(losses, Losses::Policed { first: 8, last: 27, .. }), "{losses:?}");
}

#[test]
fn what_overflows_a_short_queue_is_no_policers_and_the_links_where_that_is_busy_between_losses() {
    let far = ROUND.scale(100, 1);
    let of = |arrived: i64, overflowed: bool| {
        let list = rounds(400, far, |k, s| {
            (s.arrived, s.segments, s.flight) = (arrived, 20, 30_000);
            s.sampled(far + far.scale(1, 5), Nanos::ZERO);
            if k % 40 == 39 {
                (s.wait, s.resent) = (Wait::Recovery, 1);
            }
        });
        let mut ctx = Context::new(&list, far, MSS);
        // A shaper lets a first burst pass by the tokens that it has saved.
        (ctx.capacity, ctx.first_window) = (Some(300_000), Some(LINK));
        let before = if overflowed { Before::FullQueue } else { Before::Unknown };
        pattern(&ctx, Lost { before, ..standing(80) })
    };
    assert!(matches!(of(28_000, true), Losses::Overflowed { first: 39, .. }));
    assert!(matches!(of(28_000, false), Losses::Policed { first: 39, .. }));
    assert_eq!(of(24_000, true), Losses::Plain);
}

#[test]
fn what_had_arrived_was_dropped_by_no_policer() {
    let policed = |needless: u32| {
        let list = rounds(400, ROUND, |k, s| {
            (s.arrived, s.segments, s.flight) = (9_000, 20, 30_000);
            s.sampled(ROUND.scale(3, 2), Nanos::ZERO);
            match k % 4 {
                1 => (s.wait, s.resent) = (Wait::Recovery, 10),
                // The reports of the receiver, a round trip later.
                2 => s.needless = needless,
                _ => (),
            }
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.capacity = Some(LINK);
        matches!(pattern(&ctx, standing(80)), Losses::Policed { .. })
    };
    assert_eq!([0, 4, 5, 10].map(policed), [true, true, false, false]);
}

#[test]
fn where_nothing_got_through_for_a_while_the_link_was_cut_off() {
    let policed = |in_a_row: u64| {
        let runs = (0..3).flat_map(|run| (0..in_a_row).map(move |k| (run, k)));
        let drops: Vec<Dropped> = runs
            .map(|(run, k)| Dropped {
                left: [ROUND; 2],
                again: ROUND.scale(3, 1),
                start: run * 10_000_000 + k * MSS,
                len: MSS,
                repair: false,
            })
            .collect();
        let known = Lost { drops: &drops, ..standing(80) };
        matches!(repaired(400, 10, |_| 9_000, known), Losses::Policed { .. })
    };
    // A fourth of the link's rate, which lets every fourth of them through.
    assert_eq!([1, 120, 140, 300].map(policed), [true, true, false, false]);
}

mod heavy;

#[test]
fn of_a_period_no_more_losses_are_told_than_were_repaired_in_it() {
    let random = Losses::Random { count: 61 };
    assert_eq!(random.of_which(14), Losses::Random { count: 14 });
    assert_eq!(random.of_which(0), Losses::Plain);
    assert_eq!(random.of_which(100), random);
}
