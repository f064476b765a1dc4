use super::*;

#[test]
fn what_leaves_between_long_stalls_is_more_than_between_short_waits() {
    let little = |stalled: i64| {
        let flight = 100_000;
        let (flight_early, flight_late, time) = (flight, flight, Nanos::from_secs(1));
        let (waits, stalls, arrived, stalled) = (100, 4, 4 * flight, Nanos::from_millis(stalled));
        let sent = Around { waits, stalls, arrived, stalled, time, ..Around::default() };
        Around { flight_early, flight_late, ..sent }.is_little_at_once()
    };
    assert!(little(100), "a timer lets it go, and the host rested now and then");
    assert!(!little(500), "a flight each, after half of the time");
}

#[test]
fn waits_of_one_length_are_no_rests_though_some_are_longer_than_a_stall_begins() {
    let little = |lengths: [u64; 2]| {
        let mut around = Around { waits: 100, stalls: 50, arrived: 500_000, ..Around::default() };
        (around.flight_early, around.flight_late) = (25_000, 25_000);
        (around.time, around.stalled) = (Nanos::from_millis(510), Nanos::from_millis(260));
        (0..50).for_each(|_| lengths.into_iter().for_each(|length| around.lengths.add(length)));
        around.is_little_at_once()
    };
    assert!(little([4_900_000, 5_300_000]));
    assert!(!little([100_000, 10_100_000]));
}

#[test]
fn waits_that_end_behind_an_ack_by_chance_do_not_wait_for_it() {
    let woken = |prompt: u32, acks: u32| {
        let mut around = Around { prompt, acks, waits: 100, ..Around::default() };
        around.time = Nanos::from_secs(2);
        (0..100).for_each(|_| around.lengths.add(20_000_000));
        around.is_woken_by_acks()
    };
    assert!(woken(60, 100));
    // An ACK in 1.5 ms: two of five waits of 20 ms end less than a thirty-second of that behind one.
    assert!(!woken(60, 1300));
    assert!(woken(90, 1300));
    // Where most do by chance, nothing is known.
    assert!(woken(60, 4000));
}

#[test]
fn a_slow_link_before_the_capture_makes_no_sender_late() {
    // 1.3 ms between the segments of a burst.
    let late = |micros: u64| {
        let mut around = Around { stalls: 100, arrived: 100 * 3 * 1448, ..Around::default() };
        around.time = Nanos::from_millis(10_000);
        around.stalled = Nanos::from_millis(10_000 - 390);
        (0..100).for_each(|_| around.late.add(micros * 1000));
        around.is_late(1448)
    };
    assert!(!late(3_000));
    assert!(late(6_000));
}

#[test]
fn a_clock_is_more_regular_than_what_acks_release() {
    // Writes each 7 ms that end so many microseconds beside it, and how long after an ACK the next begins.
    let by_a_clock = |beside: u64, late: [u64; 2]| {
        let mut around = Around::default();
        for k in 0..20 {
            around.ends.add(7_000_000 + beside * 1_000 * (k % 2));
            around.late.add(late[(k % 2) as usize] * 1_000);
        }
        around.ends_by_a_clock()
    };
    assert!(by_a_clock(20, [0, 500]));
    assert!(!by_a_clock(700, [0, 500]), "each as late as its ACK, and as that is late");
    assert!(!by_a_clock(2_000, [0, 9_000]), "no clock");
    assert!(!by_a_clock(1, [0, 80]), "not told from afar");
}

#[test]
fn paced_bursts_are_released_by_acks_where_the_waits_between_them_are_unless_these_keep_a_beat() {
    // In a second 100 waits of 8 ms, 50 ACKs; so many are breaks, and intervals of 25 ms repeat.
    let released = |breaks: u32, woken: u32, repeated: u32| {
        let mut around = Around { waits: 100, acks: 50, breaks, ..Around::default() };
        (around.breaks_woken, around.time) = (woken, Nanos::from_secs(1));
        (0..100).for_each(|_| around.lengths.add(8_000_000));
        (0..repeated).for_each(|_| around.repeated.add(25_000_000));
        around.is_released_by_acks()
    };
    assert!(released(20, 20, 30));
    assert!(!released(20, 10, 30), "by ACKs and by other things");
    assert!(!released(6, 6, 30), "few may be chance");
    assert!(!released(20, 20, 36), "a clock, and ACKs come as it beats");
}

#[test]
fn stalls_that_follow_acks_keep_a_beat_where_hardly_another_interval_is_seen() {
    let released = |repeated: u32| {
        let mut around = Around { stalls: 20, woken: 20, waits: 60, ..Around::default() };
        (around.acks, around.time) = (1000, Nanos::from_secs(1));
        (0..repeated).for_each(|_| around.repeated.add(20_000_000));
        around.is_released_by_acks()
    };
    assert!(released(40));
    assert!(!released(45));
}

#[test]
fn writers_that_are_all_woken_alike_are_told_though_acks_come_closely() {
    // An ACK in 100 us; stalls end 20 us after one, give or take so many.
    let follows = |stalls: u64, beside: u64| {
        let mut around = Around { acks: 1000, ..Around::default() };
        (around.stalls, around.woken) = (stalls as u32, stalls as u32);
        (around.time, around.woken_after) =
            (Nanos::from_millis(100), Nanos::from_micros(20 * stalls as i64));
        (0..stalls).for_each(|k| {
            around.late.add(1_000 * if k % 2 == 0 { 20 - beside } else { 20 + beside })
        });
        around.follows_acks()
    };
    assert!(follows(20, 5));
    assert!(!follows(20, 12), "at any time");
    assert!(!follows(10, 5), "few may be alike by chance");
}
