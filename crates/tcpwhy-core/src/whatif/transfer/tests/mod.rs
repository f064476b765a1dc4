//! What must hold for every transfer.

mod cases;
mod phases;

use super::*;

#[test]
fn the_same_seed_gives_the_same_transfer_and_loss_costs() {
    for control in [Control::Reno, Control::Cubic, Control::Bbr] {
        let t = Transfer { size: 3_000_000, loss: 0.01, control, ..Transfer::default() };
        let (one, two) = (predict(&t), predict(&t));
        assert_eq!(one, two);
        assert!(one.complete && one.resent > 0, "{control:?} {one:?}");
        assert!(one.time >= predict(&Transfer { loss: 0.0, ..t }).time, "{control:?}");
    }
}

/// Where exactly the tail of a burst is lost, a probe finds it, and one round trip repairs what the probe's answer shows to be lost.
#[test]
fn a_lost_tail_costs_a_probe_and_not_a_timeout() {
    let t = Transfer {
        size: 400_000,
        rate_bps: 10_000_000,
        queue: 30_000,
        control: Control::Reno,
        ..Transfer::default()
    };
    let p = predict(&t);
    let wire = Nanos::from_millis(400_000 * 8 / 10_000);
    assert!(p.complete && p.resent > 0, "{p:?}");
    // Losses do not leave the link idle for a timeout of 200 ms.
    assert!(p.time < wire + Nanos::from_millis(200), "{p:?}");
}

/// PRR: while losses are repaired, the path is not left idle as after a timeout, whatever the congestion control.
#[test]
fn a_chance_loss_is_repaired_within_the_rate() {
    for control in [Control::Reno, Control::Cubic] {
        let t = Transfer { size: 5_000_000, control, ..Transfer::default() };
        let clean = predict(&t);
        let one = predict(&Transfer { loss: 0.000_5, seed: 3, ..t });
        assert!(one.resent > 0, "{control:?}");
        assert!(one.time < clean.time.scale(3, 1), "{control:?} {one:?}");
    }
}

#[test]
fn extremes_end() {
    let odd = Transfer {
        size: 0,
        rtt: Nanos::ZERO,
        mss: 0,
        rate_bps: 1,
        queue: 0,
        ..Transfer::default()
    };
    assert!(predict(&odd).complete);
    for (rate_bps, buffer) in [(0, u64::MAX), (u64::MAX, u64::MAX), (u64::MAX, 0)] {
        let wide = Transfer {
            size: 300_000,
            rate_bps,
            queue: u64::MAX,
            mss: 65_000,
            sndbuf: Asked::Forced(buffer),
            rcvbuf: Asked::Forced(buffer),
            initcwnd: Some(u64::MAX),
            ..Transfer::default()
        };
        assert!(predict(&wide).complete, "{rate_bps} {buffer}");
    }
    let hopeless = Transfer { size: 20_000, loss: 1.0, ..Transfer::default() };
    assert!(!predict(&hopeless).complete);
}
