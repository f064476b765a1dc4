//! How many segments a second the model of a transfer runs: `cargo run --release -p tcpwhy-core --example model_speed`.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::{Control, Transfer, predict};

fn main() {
    for control in [Control::Reno, Control::Cubic, Control::Bbr] {
        let rtt = Nanos::from_millis(20);
        let t = Transfer {
            size: 2_000_000_000,
            rate_bps: 1_000_000_000,
            rtt,
            control,
            ..Transfer::default()
        };
        let start = Instant::now();
        let p = predict(&t);
        let rate = p.segments as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{control:?}: {} segments, {rate:.1} million a second", p.segments);
    }
}
