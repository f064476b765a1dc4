//! B. The receive buffer: 376 KB in one statement, SO_RCVBUF of 8K.

use super::*;
use crate::kernel::window::{Room, advertised, opening};
use Phase::ReceiveWindow;

/// A full packet takes this much of the receive buffer, and a small one.
const PACKET: u64 = 2_304;
const SMALL_PACKET: u64 = 1_280;

/// 8K is the doubled value: 4K asked.
fn far() -> Transfer {
    Transfer {
        size: 376_000,
        rtt: Nanos::from_millis(40),
        rcvbuf: Asked::Set(4_096),
        ..Transfer::default()
    }
}

fn near(asked: u64) -> Transfer {
    Transfer {
        rtt: Nanos::from_micros(100),
        rate_bps: 1_000_000_000,
        rcvbuf: Asked::Set(asked),
        ..far()
    }
}

#[test]
fn one_window_a_round_trip() {
    seconds("B 40 ms, least", &far(), 5.0, (0.95, 1.1), ReceiveWindow);
    seconds("B 40 ms, most", &far(), 5.5, (0.9, 1.05), ReceiveWindow);
    let a_round_trip = bits_per_second(3_456, far().rtt) as f64 / 8.0;
    assert!((80e3..=90e3).contains(&a_round_trip), "3,456 bytes in 40 ms are 80 to 90 KB/s");
    // Their rate is that of a round trip, their time is that of all: 376 KB in 5.25 s are 71.6 KB/s, and so is ours. 6.18 offers two
    // whole segments, 2,896 bytes, for its window is not scaled.
    rate("B 40 ms, rate", &far(), 86.4e3, (0.8, 0.9), ReceiveWindow);
    rate("B 40 ms, 376 KB in 5.25 s", &far(), 376e3 / 5.25, (0.95, 1.05), ReceiveWindow);
}

/// The kernels of the time offered 20 segments first (Linux 3.9 to 4.19, `tcp_default_init_rwnd`) and counted half of the buffer.
#[test]
fn the_window_falls_from_20_segments_to_less_than_4k() {
    let half = Share::Scale(1);
    let sysctls = Sysctls { tcp_rmem: [4_096, 87_380, 6_291_456], ..Sysctls::default() };
    let first = opening(Version::new(4, 19), Asked::Automatic, None, half, 1_448, 20, &sysctls);
    assert_eq!((first.window, first.scale), (28_960, 7), "28K, 20 x 1448");
    // SO_RCVBUF comes later: the right edge stays until what was offered has arrived.
    let buffer = 8_192;
    let allowed = half.window(buffer);
    let mut windows = vec![first.window];
    for _ in 0..40 {
        let current = windows[windows.len() - 1].saturating_sub(1_448);
        windows.push(advertised(Room {
            free: half.window(buffer - SMALL_PACKET),
            allowed,
            clamp: allowed,
            threshold: allowed,
            mss: 1_448,
            current,
            scale: first.scale,
        }));
    }
    assert!(windows.is_sorted_by(|a, b| a >= b), "{windows:?}");
    // A small packet waits: exactly what was published as a round trip's bytes.
    assert_eq!(windows.last(), Some(&3_456), "under 4K");
}

#[test]
fn without_a_distance_it_does_no_harm() {
    // 0.01 s is what their graph resolves.
    seconds("B 0.1 ms, 4K asked", &near(4_096), 0.01, (0.5, 2.0), ReceiveWindow);
    seconds("B 0.1 ms, 8K asked", &near(8_192), 0.01, (0.4, 1.5), ReceiveWindow);
    // The window hovers between full and two packets less, on the kernels of the time.
    let half = Share::Scale(1);
    assert_eq!(half.window(16_384), 8_192, "full");
    figure("B 5,880", half.window(16_384 - 2 * PACKET) as f64, 5_880.0, (0.995, 1.005));
}

#[test]
fn not_set_there_is_no_limit_and_distance_makes_it_dear() {
    let p = predict(&Transfer { rcvbuf: Asked::Automatic, ..far() });
    assert_eq!(held(&p, ReceiveWindow), Nanos::ZERO, "{p:?}");
    assert!(p.time < Nanos::from_millis(400), "{p:?}");
    let cost = |ms: i64| {
        let set = Transfer { rtt: Nanos::from_millis(ms), ..far() };
        let free = Transfer { rcvbuf: Asked::Automatic, ..set.clone() };
        (predict(&set).time - predict(&free).time).secs()
    };
    let costs = [1, 10, 40, 100].map(cost);
    assert!(costs.is_sorted_by(|a, b| a < b), "the longer the round trip, the more: {costs:?}");
}
