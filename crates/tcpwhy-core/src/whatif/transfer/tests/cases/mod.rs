//! The published figures of the cases, one by one: ours, theirs, and in which band the ratio of the two must lie. A band around 1 is
//! agreement; where one leaves out 1, the comment above says why, and so does `docs/cases.md`.

mod a;
mod b;
mod f;
mod g;
mod h;

use super::*;
use crate::units::bits_per_second;

/// Linux 6.18 with these maxima.
fn end(wmem: u64, rmem: u64) -> End {
    let mut end = End { version: Version::new(6, 18), sysctls: Sysctls::default() };
    end.sysctls.tcp_wmem[2] = wmem;
    end.sysctls.tcp_rmem[2] = rmem;
    end.sysctls.wmem_max = wmem;
    end.sysctls.rmem_max = rmem;
    end
}

/// Ours over theirs must lie within the band.
fn figure(name: &str, ours: f64, theirs: f64, (low, high): (f64, f64)) {
    let ratio = ours / theirs;
    println!("{name}: {ours:.4}, published {theirs}, ratio {ratio:.3}");
    assert!((low..=high).contains(&ratio), "{name}: {ours} against {theirs}, ratio {ratio:.3}");
}

/// The transfer, which must end and be held by `limit`.
fn run(name: &str, t: &Transfer, limit: Phase) -> Prediction {
    let p = predict(t);
    assert!(p.complete, "{name}");
    assert_eq!(p.limit(), limit, "{name}: {p:?}");
    p
}

/// Seconds of a transfer against the published ones.
fn seconds(name: &str, t: &Transfer, theirs: f64, band: (f64, f64), limit: Phase) {
    figure(name, run(name, t, limit).time.secs(), theirs, band);
}

/// Bytes a second once it runs against the published ones.
fn rate(name: &str, t: &Transfer, theirs: f64, band: (f64, f64), limit: Phase) {
    figure(name, bytes_per_second(&run(name, t, limit)), theirs, band);
}

fn bytes_per_second(p: &Prediction) -> f64 {
    p.steady_bps as f64 / 8.0
}

fn held(p: &Prediction, phase: Phase) -> Nanos {
    p.phases[phase as usize]
}
