//! How many segments a second the model of a transfer runs: `cargo run --release -p tcpwhy-core --example model_speed`.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use tcpwhy_core::kernel::buffers::Asked;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::{Control, Transfer, predict};

/// Runs of each, of which the fastest counts: the others shared the machine.
const RUNS: usize = 5;

fn main() {
    let long = |control| Transfer {
        size: 300_000_000,
        rate_bps: 1_000_000_000,
        rtt: Nanos::from_millis(20),
        control,
        ..Transfer::default()
    };
    let rows = [
        ("reno", long(Control::Reno)),
        ("cubic", long(Control::Cubic)),
        ("bbr", long(Control::Bbr)),
        ("cubic, 0.1 % lost", Transfer { loss: 0.001, ..long(Control::Cubic) }),
        ("a send buffer of 64K", Transfer { sndbuf: Asked::Set(65_536), ..long(Control::Cubic) }),
        ("a window of 64K", Transfer { rcvbuf: Asked::Set(65_536), ..long(Control::Cubic) }),
        ("one segment an skb", Transfer { offload: false, ..long(Control::Cubic) }),
        ("1 MB", Transfer { size: 1_000_000, ..long(Control::Cubic) }),
    ];
    for (name, t) in rows {
        let rate = (0..RUNS).map(|_| once(&t)).fold(0.0, f64::max);
        println!("{name:<22} {rate:>6.2} million segments a second");
    }
}

fn once(t: &Transfer) -> f64 {
    let start = Instant::now();
    let segments = predict(t).segments;
    segments as f64 / start.elapsed().as_secs_f64() / 1e6
}
