//! Advice on the buffers of both ends, and on the scale of the window.

use super::*;

#[test]
fn send_buffer_advice_removes_before_it_raises_and_shows_the_product() {
    let mut c = case(Limit::SendBuffer, Cause::None);
    c.directions[1].facts.path_bps = 98_300_000;
    let steps = advised(&c);
    assert!(steps[0].contains("remove the call that sets SO_SNDBUF"), "{steps:?}");
    assert!(steps[0].contains("the server (10.0.0.1:3306)"), "{steps:?}");
    assert!(steps[1].contains("98.3 Mbit/s x 20.1 ms = 247 kB"), "{steps:?}");
    assert!(steps[2].contains("net.ipv4.tcp_wmem=\"4096 16384 4194304\""), "{steps:?}");
}

#[test]
fn a_rate_that_showed_is_the_paths_though_the_buffer_let_as_much_in_flight() {
    let mut c = case(Limit::SendBuffer, Cause::None);
    c.directions[1].facts.path_bps = 16_384 * 8 * 50;
    let steps = advised(&c);
    assert!(steps[1].contains("6.6 Mbit/s x 20.1 ms = 16.5 kB."), "{steps:?}");
}

#[test]
fn where_the_product_is_in_flight_already_acks_take_longer_than_the_floor() {
    let mut c = case(Limit::ReceiveWindow, Cause::SmallBuffer);
    c.directions[1].facts.path_bps = 16_384 * 8 * 40;
    c.directions[1].timeline[0].evidence.rtt_mean = Nanos::from_millis(84);
    let steps = advised(&c);
    assert!(steps[1].contains("5.2 Mbit/s x 84.0 ms = 55.0 kB"), "{steps:?}");
}

#[test]
fn a_path_whose_rate_did_not_show_is_left_to_the_reader() {
    let steps = advised(&case(Limit::SendBuffer, Cause::None));
    assert!(steps[1].contains("(put in"), "{steps:?}");
}

#[test]
fn receive_buffer_advice_is_for_the_receiver_and_before_connect() {
    let steps = advised(&case(Limit::ReceiveWindow, Cause::SmallBuffer));
    assert!(steps[0].contains("the client (10.0.0.2:51234)"), "{steps:?}");
    assert!(steps[0].contains("remove"), "{steps:?}");
    assert!(steps[1].contains("before listen() or connect()"), "{steps:?}");
    assert!(steps[2].contains("net.ipv4.tcp_rmem"), "{steps:?}");
}

#[test]
fn a_scale_too_small_for_the_path_asks_for_a_new_connection() {
    let mut c = case(Limit::ReceiveWindow, Cause::SmallBuffer);
    c.directions[1].facts.scale = WindowScale::Known(0);
    assert!(advised(&c).iter().any(|s| s.contains("Open a new connection")));
    c.directions[1].facts.scale = WindowScale::Known(200);
    assert!(!advised(&c).iter().any(|s| s.contains("Open a new connection")));
}

#[test]
fn scaling_is_looked_for_first_where_it_was_missing() {
    let mut c = case(Limit::ReceiveWindow, Cause::NoWindowScaling);
    assert!(advised(&c)[0].contains("first at the client"), "{:?}", advised(&c));
    let (kind, side) = (FindingKind::WindowScaleStripped, Side::Server);
    c.findings = Box::new([Finding { kind, side, count: 0, value: 0, frame: 2 }]);
    assert!(advised(&c)[0].contains("first at the server"), "{:?}", advised(&c));
}

#[test]
fn scaling_is_looked_for_first_where_a_window_of_nearly_64_kib_has_no_known_scale() {
    let of = |window, scale: WindowScale| {
        let mut c = case(Limit::ReceiveWindow, Cause::SmallBuffer);
        c.directions[1].facts.scale = scale;
        c.directions[1].timeline[0].evidence.window = window;
        advised(&c)[0].contains("net.ipv4.tcp_window_scaling")
    };
    let unknown = WindowScale::Inferred { min: 0, max: 14 };
    assert!(of(65_340, unknown));
    // Half of that is a buffer of 64 KiB with some overhead; and what is known needs no guess.
    assert!(!of(32_768, unknown) && !of(65_340, WindowScale::Known(0)));
    assert!(!of(65_340, WindowScale::Inferred { min: 3, max: 14 }));
}
