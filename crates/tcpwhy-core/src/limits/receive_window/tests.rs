use super::*;
use crate::limits::made::{MSS, rounds};

/// A window of 25 segments and a flight of 21, round after round.
fn held(far: bool, floor: Nanos) -> bool {
    let round = |k: i64| Stretch {
        to: floor.scale(k + 1, 1),
        flight: 21 * 1448,
        window_min: 25 * 1448,
        window_max: 25 * 1448,
        ..Stretch::starting(floor.scale(k, 1), Wait::Ack)
    };
    let rounds: Vec<Stretch> = (0..20).map(round).collect();
    let mut ctx = Context::new(&rounds, floor, 1448);
    ctx.far = far;
    reached(&ctx, 10).is_some()
}

#[test]
fn on_a_short_path_a_wake_up_is_a_good_part_of_a_flight_seen_from_afar() {
    assert!(held(true, Nanos::from_millis(1)));
    assert!(!held(false, Nanos::from_millis(1)));
    assert!(!held(true, Nanos::from_millis(20)));
}

#[test]
fn a_window_stands_though_a_segment_waits_for_its_reader_now_and_then() {
    // A flight of twelve segments, released by ACKs alone, under a window of thirteen that is smaller in the first round.
    let held = |less: u64| {
        let round = |k: i64| Stretch {
            to: Nanos::from_millis(40 * (k + 1)),
            flight: 11 * MSS,
            window_min: 13 * MSS - if k == 0 { less } else { 0 },
            window_max: 13 * MSS,
            prompt: 6,
            waits: 6,
            ..Stretch::starting(Nanos::from_millis(40 * k), Wait::Ack)
        };
        let rounds: Vec<Stretch> = (0..12).map(round).collect();
        reached(&Context::new(&rounds, Nanos::from_millis(40), MSS), 5).is_some()
    };
    assert_eq!([held(0), held(MSS), held(4 * MSS)], [true, true, false]);
}

#[test]
fn a_paced_flight_that_is_hardly_less_than_a_window_that_a_reader_moves_is_held_by_it() {
    let follows = |window: fn(u64) -> u64, flight: fn(u64) -> u64| {
        let round = |k: i64| Stretch {
            to: Nanos::from_millis(40 * (k + 1)),
            flight: flight(k as u64) * 1448,
            window_min: window(k as u64) * 1448,
            window_max: window(k as u64) * 1448,
            ..Stretch::starting(Nanos::from_millis(40 * k), Wait::Timer)
        };
        let rounds: Vec<Stretch> = (0..40).map(round).collect();
        followed(&Context::new(&rounds, Nanos::from_millis(40), 1448), 20).is_some()
    };
    assert!(follows(|k| 140 + k % 7, |k| 130 + k % 7));
    assert!(!follows(|k| 140 + k % 7, |k| 100 + k % 7), "autotuning keeps ahead of the flight");
    assert!(!follows(|_| 140, |k| 130 + k % 7), "nobody moves it");
    assert!(!follows(|k| 140 + k % 7, |_| 130), "a buffer that is full");
}

#[test]
fn a_window_that_is_as_large_again_in_every_round_is_a_buffers_though_it_was_larger_before_that_was_set()
 {
    let of = |updates: u32, acks: u32, highest: fn(u64) -> u64| {
        let round = |k: i64| Stretch {
            to: Nanos::from_millis(20 * (k + 1)),
            flight: 20_480,
            window_min: if k == 0 { 65_536 } else { 16_384 },
            window_max: if k == 0 { 65_536 } else { highest(k as u64) },
            updates,
            arrived: 20_480,
            acks,
            ..Stretch::starting(Nanos::from_millis(20 * k), Wait::Window)
        };
        let rounds: Vec<Stretch> = (0..40).map(round).collect();
        cause(&Context::new(&rounds, Nanos::from_millis(20), 1448), 30)
    };
    assert_eq!(of(1, 7, |_| 20_480), Cause::SmallBuffer);
    assert_eq!(of(1, 7, |k| 20_480 + 1_024 * (k % 3)), Cause::SlowReader);
    assert_eq!(of(0, 7, |k| 20_480 + 1_024 * (k % 2)), Cause::SmallBuffer);
    assert_eq!(of(0, 7, |k| 20_480 + 4_096 * (k % 2)), Cause::SlowReader);
    assert_eq!(of(0, 1, |k| 20_480 + 1_024 * (k % 2)), Cause::SlowReader, "as it is read");
    assert_eq!(of(1, 7, |_| 40_960), Cause::SlowReader, "late");
}

#[test]
fn acks_that_are_late_as_a_reader_reads_are_no_small_buffers() {
    // A window of 76 kB that dips by a quarter; 40 kB arrive in each round trip of 40 ms.
    let of = |late: i64, lowest: u64| {
        let list = rounds(40, Nanos::from_millis(40), |_, s| {
            (s.wait, s.flight, s.arrived) = (Wait::Window, 76_000, 40_000);
            (s.window_min, s.window_max) = (lowest, 76_000);
            (0..14).for_each(|_| s.sampled(Nanos::from_millis(40 + late), Nanos::ZERO));
        });
        let mut ctx = Context::new(&list, Nanos::from_millis(40), MSS);
        ctx.scale = WindowScale::Known(7);
        cause(&ctx, 20)
    };
    assert_eq!(of(18, 56_000), Cause::SlowReader);
    assert_eq!(of(1, 56_000), Cause::SmallBuffer);
    assert_eq!(of(18, 76_000), Cause::SmallBuffer, "a queue behind a window that stands still");
}

#[test]
fn a_window_that_grows_at_last_is_no_buffers_that_was_set() {
    let of = |later: u64| {
        let round = |k: i64| {
            let window = if k < 60 { 80_896 } else { later };
            Stretch {
                to: Nanos::from_millis(20 * (k + 1)),
                flight: window,
                window_min: window,
                window_max: window,
                ..Stretch::starting(Nanos::from_millis(20 * k), Wait::Window)
            }
        };
        let rounds: Vec<Stretch> = (0..80).map(round).collect();
        let mut ctx = Context::new(&rounds, Nanos::from_millis(20), 1448);
        ctx.scale = WindowScale::Known(7);
        cause(&ctx, 20)
    };
    assert_eq!(of(80_896), Cause::SmallBuffer);
    assert_eq!(of(6 << 20), Cause::AutotuningLag);
}

/// Why a window of 40 kB holds a sender over 1 ms, if so many ACKs each 20 ms acknowledge all of it.
fn cause_with(acks: u32) -> Cause {
    let late = Nanos::from_millis(19);
    let round = |k: i64| Stretch {
        to: Nanos::from_millis(20 * (k + 1)),
        flight: 40_000,
        window_min: 40_000,
        window_max: 40_000,
        filled: 1,
        acked: 40_000,
        arrived: 40_000,
        rtt_min: late,
        forth_min: late,
        rtt_sum: late.scale(acks.into(), 1),
        rtt_count: acks,
        acks,
        ..Stretch::starting(Nanos::from_millis(20 * k), Wait::Window)
    };
    let rounds: Vec<Stretch> = (0..30).map(round).collect();
    cause(&Context::new(&rounds, Nanos::from_millis(1), 1448), 15)
}

#[test]
fn a_whole_window_is_acknowledged_late_and_at_once_when_it_is_read() {
    assert_eq!(cause_with(1), Cause::SlowReader);
    assert_eq!(cause_with(22), Cause::SmallBuffer, "a queue of the path may have parted them");
}

#[test]
fn an_ack_for_many_small_bursts_had_waited_for_a_reader() {
    // 40 kB in each round trip of 40 ms through a window of 90 kB, so many ACKs for so many bursts.
    let of = |acks: u32, bursts: u32| {
        let list = rounds(40, Nanos::from_millis(40), |_, s| {
            (s.wait, s.flight, s.arrived, s.waits) = (Wait::Window, 88_000, 40_000, bursts);
            (s.window_min, s.window_max, s.acks) = (60_000, 90_000, acks);
        });
        let mut ctx = Context::new(&list, Nanos::from_millis(40), MSS);
        ctx.scale = WindowScale::Known(7);
        cause(&ctx, 20)
    };
    assert_eq!(of(1, 14), Cause::SlowReader);
    assert_eq!(of(14, 14), Cause::SmallBuffer, "each is read as it comes");
    assert_eq!(of(1, 1), Cause::SmallBuffer, "it came at once");
}

/// Who holds a sender that paces 20 kB each round trip of 5 ms into a window of `least` to `most` bytes, after one of 64 kB; `acks` a round.
fn paced_into(least: u64, most: u64, acks: u32) -> Option<Judgement> {
    let list = rounds(40, Nanos::from_millis(5), |k, s| {
        (s.wait, s.flight, s.arrived, s.waits) = (Wait::Timer, 14_000, 20_000, 8);
        (s.window_min, s.window_max) = if k < 8 { (64_000, 64_000) } else { (least, most) };
        s.acks = acks;
    });
    let mut ctx = Context::new(&list, Nanos::from_millis(5), MSS);
    ctx.scale = WindowScale::Known(7);
    behind(&ctx, 30)
}

#[test]
fn a_window_far_below_what_it_was_shows_a_reader_that_is_behind() {
    let told = paced_into(15_000, 22_000, 8).expect("a reader");
    assert_eq!((told.limit, told.cause), (Limit::ReceiveWindow, Cause::SlowReader));
    assert!(paced_into(15_000, 40_000, 8).is_none(), "it has caught up at times");
    assert!(paced_into(22_000, 22_000, 8).is_none(), "and a buffer that is small stands still");
    assert!(paced_into(40_000, 44_000, 1).is_some(), "nothing is acknowledged but as it is read");
}
