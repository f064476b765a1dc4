//! G. A long fat pipe: 1 GB over 1 Gbit/s and 400 ms.

use super::*;
use crate::units::time_at;
use Phase::{Path, ReceiveWindow, SendBuffer};

const MS_400: Nanos = Nanos::from_millis(400);

/// Merged packets: 229/256 of the buffer is window.
fn pipe(size: u64, wmem: u64, rmem: u64) -> Transfer {
    Transfer {
        size,
        rate_bps: 1_000_000_000,
        rtt: MS_400,
        queue: 50_000_000,
        share: Some(Share::Ratio(229)),
        sender: end(wmem, 6_291_456),
        receiver: end(4_194_304, rmem),
        ..Transfer::default()
    }
}

#[test]
fn the_bdp_and_the_rule_of_thumb() {
    assert_eq!(time_at(50_000_000, 1_000_000_000), MS_400, "the BDP is 50 MB");
    // "Receiver twice the BDP": half of a buffer is window. The sender's rule is theirs, one BDP; ours adds the third that must be free
    // before a writer wakes.
    let share = Share::first(Version::new(6, 18), &Sysctls::default());
    assert_eq!(share.space(50_000_000), 100_000_000);
}

#[test]
fn default_buffers_and_a_large_one_at_the_sender() {
    // 4 MB a round trip is 10.5 MB/s; a writer that wakes late loses up to a third of it. Theirs is above the arithmetic of 400 ms.
    let most = bits_per_second(4_194_304, MS_400) as f64 / 8.0;
    figure("G default, 4 MB in 400 ms", most, 13.4e6, (0.75, 0.8));
    let default = pipe(100_000_000, 4_194_304, 6_291_456);
    rate("G default", &default, 13.4e6, (0.55, 0.65), SendBuffer);
    let sender = pipe(100_000_000, 50_000_000, 6_291_456);
    rate("G sender 50M", &sender, 14.9e6, (0.9, 1.0), ReceiveWindow);
    // httping times a connection and a request, two round trips. If its 400 ms were those of 200, and half of the client's buffer were
    // window, as up to Linux 6.5, both rows would follow.
    let as_200 = |wmem| Transfer {
        rtt: MS_400.scale(1, 2),
        share: Some(Share::Ratio(128)),
        ..pipe(100_000_000, wmem, 6_291_456)
    };
    // Half of 6 MB, and what a woken writer fills of 4 MB, are about as much.
    rate("G default, 200 ms", &as_200(4_194_304), 13.4e6, (1.0, 1.2), ReceiveWindow);
    rate("G sender 50M, 200 ms", &as_200(50_000_000), 14.9e6, (0.95, 1.1), ReceiveWindow);
}

/// The send buffer holds one BDP, but a writer wakes only when a third of it is free: the averages are a fifth lower than theirs, and the
/// last half a tenth. With a buffer that is not in the way and without the handshake, which their client does not count, it is theirs.
#[test]
fn large_buffers_at_both_ends() {
    for (rmem, last, average) in [(50_000_000, 92.7e6, 77.8e6), (100_000_000, 89.2e6, 76.9e6)] {
        let t = pipe(1_000_000_000, 50_000_000, rmem);
        let p = run("G", &t, SendBuffer);
        figure("G both, average", t.size as f64 / p.time.secs(), average, (0.75, 0.85));
        figure("G both, at the end", bytes_per_second(&p), last, (0.88, 1.0));
    }
    let t = pipe(1_000_000_000, 150_000_000, 150_000_000);
    let p = run("G ample", &t, Path);
    let time = p.time - held(&p, Phase::Handshake);
    figure("G ample, average", t.size as f64 / time.secs(), 77.8e6, (0.95, 1.05));
}

#[test]
fn without_the_delay_buffers_change_nothing() {
    for (wmem, rmem) in [(4_194_304, 6_291_456), (50_000_000, 100_000_000)] {
        let near =
            Transfer { rtt: Nanos::from_micros(200), share: None, ..pipe(100_000_000, wmem, rmem) };
        rate("G no delay", &near, 119e6, (0.95, 1.05), Path);
    }
}
