//! Seen from afar, where each ACK may have been the one that let data go.

use super::*;

#[test]
fn from_afar_small_bursts_that_follow_acks_at_once_are_no_writers() {
    let floor = Nanos::from_millis(150);
    let little = |late: u64, acks: u32| {
        let list = rounds(30, floor, |_, s| {
            (s.flight, s.arrived, s.segments) = (100 * MSS, 100 * MSS as i64, 100);
            (s.short_segments, s.waits, s.prompt, s.acks) = (1, 10, 8, acks);
            (0..10).for_each(|_| s.lengths.add(12_000_000));
            (s.stalls, s.woken) = (1, 1);
            s.woken_after = Nanos(late as i64);
        });
        let mut ctx = Context::new(&list, floor, MSS);
        ctx.far = true;
        writes_little(&ctx, 15).is_some()
    };
    assert!(!little(20_000, 100), "20 us after an ACK, of which there is one each 1.5 ms");
    assert!(little(700_000, 100), "as it would be by chance");
}

#[test]
fn from_afar_who_never_rests_and_runs_dry_in_every_round_writes_by_a_clock() {
    let floor = Nanos::from_millis(20);
    let says = |far: bool, pushes: u32, short: u32, queue: i64, rests: bool| {
        let list = rounds(40, floor, |_, s| {
            (s.flight, s.arrived, s.segments) = (54 * MSS + 7, 54 * MSS as i64, 54);
            (s.pushes, s.short_segments) = (pushes, short);
            s.sampled(floor + Nanos::from_millis(queue), Nanos::ZERO);
            if rests {
                s.stalled(floor.scale(1, 8), s.flight, 1 << 23, false);
            }
        });
        let mut ctx = Context::new(&list, floor, MSS);
        ctx.far = far;
        flows_evenly(&ctx, 20).map(|j| j.cause)
    };
    let clock = Some(Cause::SenderApplication);
    assert_eq!(says(true, 1, 1, 0, false), clock, "the short end of what Nagle kept back");
    assert_eq!(says(true, 54, 0, 0, false), clock, "each segment is a write");
    assert_eq!(says(true, 27, 0, 0, false), None, "pairs are a pacer's, too");
    assert_eq!(says(true, 1, 1, 5, false), None, "a path that is full has a queue");
    assert_eq!(says(true, 1, 1, 0, true), None, "a buffer that is full rests");
    assert_eq!(says(false, 1, 1, 0, false), None, "near the sender ACKs show it");
}

#[test]
fn from_afar_three_segments_at_even_intervals_are_a_writers_where_a_pacer_makes_two() {
    let floor = Nanos::from_millis(30);
    let says = |at_once: u64, link: u64| {
        let list = rounds(40, floor, |_, s| {
            (s.flight, s.arrived, s.segments) = (30 * MSS, 30 * MSS as i64, 30);
            s.sampled(floor, Nanos::ZERO);
            s.waits = (30 / at_once) as u32;
            (0..s.waits).for_each(|_| s.lengths.add(at_once * 1_000_000));
        });
        let mut ctx = Context::new(&list, floor, MSS);
        (ctx.far, ctx.capacity) = (true, Some(link));
        flows_evenly(&ctx, 20).is_some()
    };
    let rate = 30 * MSS * 1_000 / 30;
    assert!(says(3, 8 * rate) && !says(2, 8 * rate));
    assert!(!says(3, rate), "the path may have spaced them");
}
