//! 1 to 6: what a limit looks like, and what only looks like it.

use super::*;
use crate::script::script;
use crate::silence::{OPENING, finding};
use tcpwhy_core::model::{Cause, FindingKind, Side, WindowScale};
use tcpwhy_core::whatif::traffic::{Control, Reader};

#[test]
fn trap_01_a_short_segment_does_not_prove_an_idle_application() {
    // Ten kilobytes are no whole number of segments: every burst ends with a short one.
    let scenario = Scenario { send_buffer: 10_000, ..fast(600_000) };
    let capture = simulate(&scenario).capture(0.0);
    let short = capture.iter().filter(|s| s.src.port == 80 && (1..1448).contains(&s.len)).count();
    assert!(short > 20, "{short}");
    for position in [0.0, 0.5, 1.0] {
        assert_eq!(verdict(&scenario, position).limit, Limit::SendBuffer, "at {position}");
    }
}

#[test]
fn trap_02_any_plateau_may_be_a_send_buffer() {
    for buffer in [6_000, 12_345, 16_384, 50_000, 87_040, 200_000] {
        let scenario = Scenario { send_buffer: buffer, rtt: ms(40), ..fast(60 * buffer) };
        assert_eq!(verdict(&scenario, 0.0).limit, Limit::SendBuffer, "{buffer}");
    }
}

#[test]
fn trap_03_the_kernels_stopwatch_is_not_copied() {
    // The kernel's own stopwatch gave a full send buffer no time at all under cubic.
    let buffer = Scenario { send_buffer: 32_768, control: Control::Cubic, ..fast(2_000_000) };
    assert!(share(&answer(&buffer, 0.0), Limit::SendBuffer) > 80);
    let window = Window::fixed(65_536);
    for control in [Control::Reno, Control::Cubic] {
        let scenario = Scenario { window, control, rtt: ms(100), ..fast(4_000_000) };
        let d = answer(&scenario, 0.0);
        assert!(share(&d, Limit::ReceiveWindow) > 90, "{control:?}: {:?}", d.limits());
    }
}

#[test]
fn trap_04_time_counts_and_not_how_many_packets_fill_the_window() {
    // One window a round trip, and a window that stays shut for most of the time: as limited as each
    // other, though few packets of the second meet a full window.
    let window = Window::fixed(64_000);
    let steady = Scenario { window, rtt: ms(100), ..fast(4_000_000) };
    let reader = Reader { pauses: vec![(ms(200), ms(9_000))], ..Reader::default() };
    let stopped = Scenario { window, reader, ..fast(1_500_000) };
    for scenario in [steady, stopped] {
        let d = answer(&scenario, 0.0);
        assert!(share(&d, Limit::ReceiveWindow) > 90, "{:?}", d.limits());
    }
}

#[test]
fn trap_05_a_window_probe_is_no_keep_alive() {
    let mut text = format!("{OPENING} 21 C P. len 100\n 41 S . len 1448 win 502\n 61 C . win 0\n");
    for at in [261, 661, 1461, 3061, 6261] {
        text += &format!("{at} S . seq 1448\n{} C . win 0\n", at + 20);
    }
    text += "7000 C . win 502\n7000 S P. len 1448\n7020 C .\n";
    let probed = connection(&script(&text));
    let answer = direction(&probed, Side::Server).verdict;
    assert_eq!((answer.limit, answer.cause), (Limit::ReceiveWindow, Cause::ZeroWindow));
    assert_eq!(finding(&probed, FindingKind::KeepAliveOnly), None);

    let kept_alive = connection(&script(&text.replace("win 0", "win 502")));
    let answer = direction(&kept_alive, Side::Server).verdict;
    assert_eq!(answer.limit, Limit::Application);
    assert!(finding(&kept_alive, FindingKind::KeepAliveOnly).is_some());
}

#[test]
fn trap_06_the_window_of_a_syn_is_not_scaled() {
    let text = format!("{OPENING} 21 C P. len 100\n 41 S P. len 1448 win 502\n 61 C .\n");
    let connection = connection(&script(&text));
    let facts = direction(&connection, Side::Server).facts;
    assert_eq!((facts.max_window, facts.scale), (502 << 7, WindowScale::Known(7)));
    // What the client sends first knows no other.
    assert_eq!(direction(&connection, Side::Client).facts.max_window, 65_160);
}

#[test]
fn trap_06_a_scale_that_is_absent_is_not_unknown() {
    let text = format!("{OPENING} 21 C P. len 100\n 41 S P. len 1448 win 502\n 61 C .\n");
    let scale = |text: &str| {
        let connection = connection(&script(text));
        direction(&connection, Side::Server).facts.scale
    };
    assert_eq!(scale(&text.replace(" ws 7", "")), WindowScale::Absent);
    assert_eq!(scale(&text.replacen(" ws 7", "", 1)), WindowScale::Absent);
    let cut = text.replace(" mss 1460 ws 7", " cut");
    assert!(matches!(scale(&cut), WindowScale::Inferred { .. }), "cut by the snap length");
    let later: String = text.lines().skip(4).map(|l| format!("{l}\n")).collect();
    assert!(matches!(scale(&later), WindowScale::Inferred { .. }), "midstream");
}

#[test]
fn trap_06_an_unknown_scale_is_inferred_as_a_range_and_the_verdict_says_so() {
    // The window's number in the header is a 128th of the window.
    let window = Window::fixed(65_536);
    let scenario =
        Scenario { window, rtt: ms(100), handshake: false, send_buffer: 0, ..fast(4_000_000) };
    for position in [0.0, 0.5, 1.0] {
        let connection = connection(&simulate(&scenario).capture(position));
        let d = direction(&connection, Side::Server);
        assert_eq!(d.facts.scale, WindowScale::Inferred { min: 7, max: 14 }, "at {position}");
        assert_eq!(d.verdict.limit, Limit::ReceiveWindow);
        assert!(finding(&connection, FindingKind::ScaleInferred).is_some());
        assert!(d.verdict.confidence < 0.9, "{:?}", d.verdict);
    }
}
