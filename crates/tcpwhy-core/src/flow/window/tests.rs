use super::*;

#[test]
fn syn_windows_are_not_scaled() {
    let mut w = Window::new(WindowScale::Known(7));
    w.advertise(100, 1000, true);
    assert_eq!(w.edge, 1100);
    w.advertise(100, 1000, false);
    assert_eq!(w.edge, 100 + 128_000);
}

#[test]
fn a_syns_window_is_not_scaled_either_where_its_options_are_cut_off() {
    let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
    w.advertise(0, 65_160, true);
    assert_eq!((w.edge, w.bytes()), (65_160, 65_160));
    w.advertise(1, 500, false);
    assert!(!w.is_telling(100), "small, and data ends at its edge by chance");
    w.sent(1, 9_001, 100);
    assert_eq!((w.shift(), w.largest), (4, 8_000));
}

#[test]
fn an_unknown_scale_grows_just_enough_to_hold_the_data() {
    let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
    w.advertise(0, 1000, false);
    w.sent(0, 900, 1448);
    assert_eq!(w.shift(), 0);
    w.sent(0, 3900, 1448);
    assert_eq!(w.shift(), 0, "two segments may run ahead");
    w.sent(0, 9000, 1448);
    assert_eq!(w.shift(), 3);
    assert_eq!(w.edge, 8000);
    assert_eq!([w.smallest, w.largest], [8000; 2], "what came before the scale was known, too");
}

#[test]
fn what_passes_the_edge_behind_a_hole_in_the_capture_may_have_been_allowed_there() {
    let shift = |hole: bool| {
        let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
        w.advertise(0, 10_000, false);
        if hole {
            w.misses();
        }
        w.sent(0, 19_000, 1448);
        w.advertise(9_000, 10_000, false);
        w.sent(9_000, 19_000, 1448);
        w.shift()
    };
    assert_eq!([shift(false), shift(true)], [1, 0]);
}

/// Seven segments of window under an unknown scale, acknowledged and filled again, round after round, up to `beyond` the edge.
fn small(beyond: u64) -> Window {
    let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
    for round in 0..8 {
        let ack = round * 10_136;
        w.advertise(ack, 10_136, false);
        w.sent(ack, ack + 10_136 + beyond, 1448);
    }
    w
}

#[test]
fn a_small_window_of_unknown_scale_is_told_by_flights_that_end_at_it_to_the_byte() {
    assert!(small(0).is_telling(1448) && !small(0).is_passed());
    assert!(!small(1000).is_telling(1448) && small(1000).shift() == 1);
    let mut once = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
    once.advertise(0, 10_136, false);
    once.sent(0, 10_136, 1448);
    assert!(!once.is_telling(1448));
}

#[test]
fn data_that_passes_the_edge_a_little_as_a_rule_shows_a_larger_scale() {
    // Fifteen segments in flight, and a header's window that is 344 bytes too small for them under a shift of 5.
    let flights = |often: u64| {
        let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
        for round in 0..40 {
            let ack = round * 21_720;
            (0..8).for_each(|_| w.advertise(ack, 668, false));
            w.sent(ack, ack + if round % often == 0 { 21_720 } else { 20_272 }, 1448);
        }
        w.shift()
    };
    assert_eq!([flights(1), flights(5), flights(10)], [6, 6, 5]);
    // As many that end at the edge: it is one, and the ACKs came late.
    let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
    for round in 0..20 {
        w.advertise(round * 10_136, 10_136, false);
        w.sent(round * 10_136, round * 10_136 + 10_136, 1448);
        w.sent(round * 10_136, round * 10_136 + if round % 4 == 0 { 11_584 } else { 0 }, 1448);
    }
    assert_eq!(w.shift(), 0);
}

#[test]
fn an_edge_at_which_flights_end_stands_though_the_capture_lacks_some_acks() {
    // A window of 13 segments, full in every round; then ACKs for so many of them are missing.
    let passed = |rounds: u64, missing: u64| {
        let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
        for ack in (0..rounds).map(|segment| segment * 1448) {
            w.advertise(ack, 19_000, false);
            w.sent(ack, ack + 13 * 1448, 1448);
        }
        let ack = rounds * 1448;
        w.sent(ack, ack + (13 + missing) * 1448, 1448);
        w.shift()
    };
    assert_eq!([passed(3, 8), passed(40, 8)], [1, 0]);
    assert_eq!(passed(40, 14), 1, "that is more than a window");
}

#[test]
fn a_capture_that_lacks_packets_lacks_acks_that_allowed_more() {
    // A window of 44 segments, and so many more in flight.
    let passed = |more: u64, holed: bool| {
        let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
        if holed {
            w.misses();
        }
        w.advertise(0, 64_000, false);
        w.sent(0, 64_000 + more * 1460, 1460);
        w.shift()
    };
    assert_eq!([passed(2, false), passed(8, false)], [0, 1]);
    assert_eq!([passed(8, true), passed(9, true)], [0, 1]);
    // A segment more than a window of 13 in every fourth round is a rule, where no ACK is missing.
    let often = |holed: bool| {
        let mut w = Window::new(WindowScale::Inferred { min: 0, max: MAX_SHIFT });
        if holed {
            w.misses();
        }
        for round in 0..17 {
            let ack = round * 13 * 1448;
            w.advertise(ack, 19_000, false);
            w.sent(ack, ack + 13 * 1448, 1448);
            w.sent(ack, ack + if round % 4 == 0 { 14 * 1448 } else { 0 }, 1448);
        }
        w.shift()
    };
    assert_eq!([often(false), often(true)], [1, 0]);
}

#[test]
fn a_known_scale_never_changes() {
    let mut w = Window::new(WindowScale::Absent);
    w.advertise(0, 1000, false);
    w.sent(0, 5000, 1448);
    assert_eq!(w.shift(), 0);
}
