//! A good part of a flight lost at once: whose doing that is.

use super::*;

#[test]
fn heavy_losses_without_a_queue_are_a_policer_where_most_of_the_link_is_unused() {
    let seen = |arrived: i64, floor: Nanos, sees_queues| {
        let list = rounds(40, floor, |k, s| {
            (s.arrived, s.segments, s.flight) = (arrived * (floor.0 / ROUND.0), 20, 30_000);
            s.sampled(floor, Nanos::ZERO);
            if is_repaired(k) {
                (s.wait, s.resent) = (Wait::Recovery, 20);
            }
        });
        let mut ctx = Context::new(&list, floor, MSS);
        (ctx.capacity, ctx.first_window) = (Some(9_000_000), Some(LINK));
        ctx.sees_queues = sees_queues;
        pattern(&ctx, Lost::default())
    };
    let of = |arrived, floor| seen(arrived, floor, true);
    let far = ROUND.scale(10, 1);
    assert_eq!(seen(9_000, far, false), Losses::Plain, "a queue does not show there");
    assert!(matches!(of(9_000, far), Losses::Policed { .. }));
    assert_eq!(of(25_000, far), Losses::Plain);
    // So short a path does not show its link in the first window.
    assert_eq!(of(9_000, ROUND), Losses::Plain);
}

#[test]
fn a_slow_start_that_overshoots_and_losses_by_chance_of_which_few_are_heavy_are_no_policers() {
    let of = |heavy: fn(usize) -> bool, farther, losses: usize, spaced: u64| {
        let list = rounds(400, ROUND, |k, s| {
            (s.arrived, s.segments, s.flight) = (9_000, 20, 30_000);
            s.sampled(ROUND, Nanos::ZERO);
            if k % 40 == 8 {
                (s.wait, s.resent) = (Wait::Recovery, if heavy(k) { 20 } else { 1 });
            }
        });
        let mut ctx = Context::new(&list, ROUND, MSS);
        ctx.capacity = Some(spaced);
        are_heavy(&ctx, &[8, 48, 88, 128, 168, 208][..losses], Some(farther), 9_000_000, false)
    };
    let once = |k: usize| k == 8;
    assert!(!of(once, 95, 1, LINK), "slow start");
    assert!(of(once, 95, 6, LINK), "and at the ends of bursts from then on");
    assert!(!of(once, 40, 6, LINK) && !of(|k| k < 60, 40, 6, LINK), "by chance");
    assert!(of(|_| true, 40, 6, LINK), "a fifth each time");
    assert!(of(once, 40, 6, 10_000_000), "all comes at that rate from then on");
}

#[test]
fn one_heavy_loss_is_a_policers_where_no_more_gets_through_in_its_repair_than_in_every_round_after_it()
 {
    let of = |lost: u32, repaired: i64, after: fn(usize) -> i64, count: usize| {
        let list = rounds(count, ROUND, |k, s| {
            let arrived = if (8..14).contains(&k) { repaired } else { after(k) };
            (s.arrived, s.segments, s.flight) = (arrived, 20, 30_000);
            s.sampled(ROUND, Nanos::ZERO);
            if (8..14).contains(&k) {
                (s.wait, s.resent) = (Wait::Recovery, lost);
            }
        });
        goes_on(&Context::new(&list, ROUND, MSS), &[8], 13)
    };
    assert!(of(20, 9_000, |_| 9_000, 30));
    assert!(!of(20, 30_000, |_| 9_000, 30), "a full queue, and less to send after it");
    assert!(!of(20, 9_000, |k| if k % 2 == 0 { 6_000 } else { 12_000 }, 30), "no rate");
    assert!(!of(1, 9_000, |_| 9_000, 30), "chance");
    assert!(!of(20, 9_000, |_| 9_000, 20), "soon over");
}

#[test]
fn heavy_losses_at_uneven_rates_are_a_short_queues_unless_none_is_so_short() {
    let of = |floor: i64, swing: i64| {
        let floor = ROUND.scale(floor, 1);
        let list = rounds(400, floor, |k, s| {
            let more = if (k / 40).is_multiple_of(2) { swing } else { -swing };
            (s.arrived, s.segments, s.flight) = (floor.0 / 1_000 * (9 + more), 20, 60_000);
            s.sampled(floor, Nanos::ZERO);
            if k % 40 == 8 {
                (s.wait, s.resent) = (Wait::Recovery, if k == 8 { 20 } else { 1 });
            }
        });
        let mut ctx = Context::new(&list, floor, MSS);
        ctx.capacity = Some(LINK);
        matches!(pattern(&ctx, standing(95)), Losses::Policed { .. })
    };
    assert!(of(4, 0) && !of(4, 4), "25 segments a round trip");
    assert!(of(1, 4), "six of them");
}
