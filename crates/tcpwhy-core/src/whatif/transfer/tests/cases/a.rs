//! A. The send buffer: 22 MB over 100 Mbit/s and 20 ms.

use super::*;
use crate::kernel::buffers::send_buffer;
use crate::units::time_at;
use Phase::{Path, SendBuffer};

fn case() -> Transfer {
    Transfer { size: 22_000_000, sender: end(4_194_304, 6_291_456), ..Transfer::default() }
}

fn with(bytes: u64) -> Transfer {
    Transfer { sndbuf: Asked::Set(bytes), ..case() }
}

/// Segment by segment, as the published plateau shows it: with packet buffers of 64 KB the flight would not stop at 16K.
fn by_segment(bytes: u64) -> Transfer {
    Transfer { offload: false, ..with(bytes) }
}

#[test]
fn sixteen_kilobytes_a_round_trip() {
    let small = by_segment(16_384);
    let (a_round_trip, published) = (bits_per_second(16_384, small.rtt) / 8, 800e3);
    assert_eq!(a_round_trip, 819_200, "16K / 20 ms");
    figure("A 16K / 20 ms", a_round_trip as f64, published, (0.95, 1.05));
    seconds("A 16K", &small, 25.0, (0.95, 1.1), SendBuffer);
    rate("A 16K, rate", &small, published, (0.95, 1.05), SendBuffer);
    let p = predict(&small);
    let flight = bytes_per_second(&p) * small.rtt.secs();
    figure("A 16K, flight", flight, 16_384.0, (0.95, 1.05));
    // The flat step after each burst is the round trip: with half of it, half of the time.
    let near = predict(&Transfer { rtt: small.rtt.scale(1, 2), ..small });
    figure("A 16K, step", near.time.secs() * 2.0 / p.time.secs() * 0.020, 0.020, (0.95, 1.05));
}

#[test]
fn large_writes_escape_the_buffer() {
    // Not published, but measured on 6.18: 3.2 s. What leaves the only packet buffer makes room in it.
    let leak = predict(&with(16_384));
    figure("A 16K, writes of 64K", leak.time.secs(), 3.2, (0.85, 1.15));
}

#[test]
fn a_clamped_buffer() {
    let mut clamped = by_segment(262_144);
    clamped.sender.sysctls.wmem_max = 130_000;
    let allotted = |asked| send_buffer(Asked::Set(asked), &clamped.sender.sysctls);
    assert_eq!(allotted(262_144), allotted(130_000), "256K asked is 130K");
    // "A little over 4 s".
    seconds("A 256K clamped", &clamped, 4.0, (1.0, 1.1), SendBuffer);
    // A kernel before 6.3 takes 448 bytes more for each segment.
    clamped.sender.version = Version::new(3, 10);
    seconds("A 256K clamped, 3.10", &clamped, 4.0, (1.0, 1.25), SendBuffer);
    // With offload hardly anything is lost to the packet buffers, and twice 130 KB is a little more than the BDP; but a writer that wakes
    // when a third is free leaves the link idle for a tenth of the time and more.
    clamped.offload = true;
    seconds("A 256K clamped, offload", &clamped, 4.0, (0.5, 0.65), SendBuffer);
}

#[test]
fn from_the_bdp_on_the_link_is_the_limit() {
    assert_eq!(time_at(250_000, case().rate_bps), case().rtt, "the BDP is 250 KB");
    seconds("A 256K", &with(262_144), 2.0, (0.95, 1.05), Path);
    seconds("A 256K, by segment", &by_segment(262_144), 2.0, (0.95, 1.1), Path);
    seconds("A 1M", &with(1 << 20), 2.0, (0.95, 1.05), Path);
    seconds("A http", &case(), 2.0, (0.95, 1.05), Path);
    let (bdp, more) = (predict(&with(262_144)), predict(&with(1 << 20)));
    figure("A 1M against 256K", more.time.secs(), bdp.time.secs(), (0.98, 1.02));
    // The whole query: a client of MariaDB takes two round trips to log in, as measured; what is not the transfer is the database's,
    // 0.8 s by their own figures.
    let login = 2.0 * case().rtt.secs();
    figure("A query", login + bdp.time.secs() + (2.8 - 2.0), 2.8, (0.98, 1.02));
}

#[test]
fn a_warm_connection() {
    let saved = predict(&case()).time - predict(&Transfer { warm: true, ..case() }).time;
    // Published are 300 to 400 ms. TCP's own part, handshake and slow start, is a third of it; what is left are 10 to 16 round trips
    // of 20 ms, in which a client of MySQL logs in and asks for the server's variables.
    figure("A warm, TCP's part", saved.secs(), 0.350, (0.25, 0.35));
    for published in [0.300, 0.400] {
        let rest = (published - saved.secs()) / case().rtt.secs();
        assert!((10.0..=16.0).contains(&rest), "{rest} round trips");
    }
    // A small answer takes its way all the same, and the whole of it one segment's time on the link.
    let small = predict(&Transfer { warm: true, size: 1_000, ..case() }).time;
    assert!((small - case().rtt.scale(1, 2)).secs() < 0.001 && small > case().rtt.scale(1, 2));
}
