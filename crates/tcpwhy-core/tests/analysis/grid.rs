//! Clean scenarios with a known limit: one thing holds each transfer back, and the simulator says when.

use tcpwhy_core::model::Side;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Control, Loss, Reader, Scenario, Window, Workload};

const MBIT: u64 = 1_000_000;
const KIB: u64 = 1024;

fn ms(n: i64) -> Nanos {
    Nanos::from_millis(n)
}

/// A path and a receiver that are no limit themselves.
fn fast() -> Scenario {
    Scenario {
        rate_bps: 1000 * MBIT,
        queue_bytes: 8_000_000,
        window: Window::fixed(6_000_000),
        ..Scenario::default()
    }
}

fn message(bytes: u64) -> Workload {
    Workload { message_bytes: bytes, ..Workload::default() }
}

fn named(name: &str, scenario: Scenario) -> (String, Scenario) {
    (name.to_owned(), scenario)
}

/// Every scenario of the table, in its order.
pub(crate) fn scenarios() -> Vec<(String, Scenario)> {
    let mut all = send_buffers();
    all.extend(receive_windows());
    all.extend(readers());
    all.extend(congestion_windows());
    all.extend(applications());
    all.extend(paths());
    all.extend(losses());
    all.extend(silences());
    all
}

fn send_buffers() -> Vec<(String, Scenario)> {
    let mut rows = Vec::new();
    for kib in [16, 64] {
        for rtt in [5, 20, 100] {
            let scenario = Scenario {
                send_buffer: kib * KIB,
                rtt: ms(rtt),
                workload: message(60 * kib * KIB),
                ..fast()
            };
            rows.push((format!("send buffer {kib} KiB, {rtt} ms"), scenario));
        }
    }
    let base = Scenario { send_buffer: 64 * KIB, workload: message(4_000_000), ..fast() };
    let small = Workload { write_bytes: 1448, ..message(4_000_000) };
    rows.extend([
        named("send buffer 64 KiB, writes of 1448", Scenario { workload: small, ..base.clone() }),
        named("send buffer 64 KiB, offload", Scenario { tso: true, ..base.clone() }),
        named(
            "send buffer 16 KiB, window 64 KiB",
            Scenario { send_buffer: 16 * KIB, window: Window::fixed(64 * KIB), ..base.clone() },
        ),
        named("send buffer 64 KiB, no SACK", Scenario { sack: false, ..base }),
    ]);
    rows
}

fn receive_windows() -> Vec<(String, Scenario)> {
    let mut rows = Vec::new();
    for kib in [8, 64] {
        for rtt in [5, 20, 100] {
            let window = Window::fixed(kib * KIB);
            let scenario =
                Scenario { window, rtt: ms(rtt), workload: message(60 * kib * KIB), ..fast() };
            rows.push((format!("window {kib} KiB, {rtt} ms"), scenario));
        }
    }
    let window = Window::fixed(65_535);
    let unscaled =
        Scenario { scale: None, window, rtt: ms(100), workload: message(4_000_000), ..fast() };
    rows.push(named("no window scaling, 100 ms", unscaled));
    let window = Window { initial: 16_384, max: 6_000_000 };
    let lag = Scenario { window, initial_cwnd: 100, rtt: ms(100), ..fast() };
    rows.push(named("autotuning lag, 100 ms", Scenario { workload: message(3_000_000), ..lag }));
    rows
}

fn readers() -> Vec<(String, Scenario)> {
    let mut rows = Vec::new();
    for (read, window) in [(4096, 64), (32_768, 64), (65_536, 256)] {
        let reader = Reader { bytes_per_second: 400_000, read_bytes: read, ..Reader::default() };
        let window = Window::fixed(window * KIB);
        let name = format!("reader of 400 kB/s, reads of {read}, window {}", window.max);
        rows.push((name, Scenario { reader, window, ..fast() }));
    }
    let window = Window::fixed(64_000);
    let pauses = vec![(ms(200), ms(4000))];
    let reader = Reader { pauses, ..Reader::default() };
    rows.push(named("reader pauses once", Scenario { window, reader, ..fast() }));
    let pauses = (0..6).map(|i| (ms(150 + i * 600), ms(600 + i * 600))).collect();
    let reader = Reader { pauses, ..Reader::default() };
    rows.push(named("reader pauses often", Scenario { window, reader, ..fast() }));
    rows
}

fn congestion_windows() -> Vec<(String, Scenario)> {
    let start = |bytes, rtt| Scenario { workload: message(bytes), rtt: ms(rtt), ..fast() };
    vec![
        named("slow start, 100 kB, 20 ms", start(100_000, 20)),
        named("slow start, 500 kB, 100 ms", start(500_000, 100)),
        named("slow start, 3 MB, 200 ms", start(3_000_000, 200)),
        named(
            "one loss, then congestion avoidance",
            Scenario { loss: Loss::Numbers(vec![60]), ..start(6_000_000, 40) },
        ),
        named(
            "messages after idle times",
            Scenario {
                workload: Workload {
                    messages: 6,
                    message_bytes: 400_000,
                    peer_think: ms(210),
                    ..Workload::default()
                },
                ..start(0, 100)
            },
        ),
    ]
}

fn applications() -> Vec<(String, Scenario)> {
    let writing = |write_bytes, every, bytes| Workload {
        write_bytes,
        write_every: ms(every),
        ..message(bytes)
    };
    let exchange = |think, peer_think, bytes| Workload {
        messages: 20,
        message_bytes: bytes,
        think: ms(think),
        peer_think: ms(peer_think),
        ..Workload::default()
    };
    let mut rows: Vec<(String, Scenario)> = [
        ("writes of 20 kB every 50 ms", writing(20_000, 50, 1_000_000)),
        ("writes of 1 kB every 10 ms", writing(1_000, 10, 200_000)),
        ("writes of 5 kB every 100 ms", writing(5_000, 100, 200_000)),
        ("a message a second, thought out by the sender", exchange(1000, 0, 20_000)),
        ("a message a second, asked for slowly", exchange(0, 1000, 20_000)),
        ("both ends think", exchange(200, 600, 20_000)),
        ("messages of 200 bytes, now and then", exchange(0, 300, 200)),
        ("many small exchanges without a pause", exchange(0, 0, 500)),
    ]
    .map(|(name, workload)| named(name, Scenario { workload, ..fast() }))
    .into();
    // What Linux announces at first: its scale is easily taken too small.
    let window = Window::fixed(64 * KIB);
    for (name, workload) in [
        ("writes of 1 kB every 10 ms, window 64 KiB", writing(1_000, 10, 200_000)),
        ("many small exchanges without a pause, window 64 KiB", exchange(0, 0, 500)),
    ] {
        rows.push(named(name, Scenario { window, workload, ..fast() }));
    }
    rows
}

fn paths() -> Vec<(String, Scenario)> {
    let link = |mbit, queue, bytes| Scenario {
        rate_bps: mbit * MBIT,
        queue_bytes: queue,
        workload: message(bytes),
        ..Scenario::default()
    };
    let policed = |rate_bps, burst| Loss::Policer { rate_bps, burst };
    vec![
        named("10 Mbit/s, deep queue", link(10, 1_000_000, 4_000_000)),
        named("10 Mbit/s, queue of one round trip", link(10, 30_000, 4_000_000)),
        named("100 Mbit/s, deep queue", link(100, 2_000_000, 20_000_000)),
        named(
            "10 Mbit/s, window of 256 KiB over a queue",
            Scenario { window: Window::fixed(256 * KIB), ..link(10, 1_000_000, 4_000_000) },
        ),
        named(
            "10 Mbit/s, send buffer of 256 KiB over a queue",
            Scenario { send_buffer: 256 * KIB, ..link(10, 1_000_000, 4_000_000) },
        ),
        named(
            "10 Mbit/s, paced",
            Scenario { control: Control::Paced, ..link(10, 1_000_000, 4_000_000) },
        ),
        named(
            "10 Mbit/s, upload through a deep queue at the client",
            Scenario {
                data_from: Side::Client,
                bottleneck: 0.0,
                workload: Workload { request_bytes: 0, ..message(4_000_000) },
                ..link(10, 1_000_000, 0)
            },
        ),
        named(
            "policed to 2 Mbit/s, burst of 8 kB",
            Scenario { loss: policed(2 * MBIT, 8_000), ..fast() },
        ),
        named(
            "policed to 5 Mbit/s, burst of 100 kB",
            Scenario { loss: policed(5 * MBIT, 100_000), workload: message(5_000_000), ..fast() },
        ),
    ]
}

fn losses() -> Vec<(String, Scenario)> {
    let exchange =
        Workload { messages: 8, message_bytes: 7_240, peer_think: ms(50), ..Workload::default() };
    vec![
        named("10 of 1000 lost, 20 ms", Scenario { loss: Loss::PerMille(10), ..fast() }),
        named(
            "10 of 1000 lost, 100 ms",
            Scenario { loss: Loss::PerMille(10), rtt: ms(100), ..fast() },
        ),
        named("100 of 1000 lost, 20 ms", Scenario { loss: Loss::PerMille(100), ..fast() }),
        named(
            "every message's last segment lost",
            // Five segments a message, and a sixth where the last one is sent again.
            Scenario {
                loss: Loss::Numbers((0..8).map(|i| i * 6 + 4).collect()),
                workload: exchange,
                ..fast()
            },
        ),
        named(
            "outage of 3 s",
            Scenario {
                loss: Loss::Outage(ms(150), ms(3150)),
                workload: message(8_000_000),
                ..fast()
            },
        ),
        named(
            "small writes under Nagle",
            Scenario {
                nagle: true,
                rtt: Nanos::from_micros(400),
                workload: Workload { write_bytes: 48, write_every: ms(20), ..message(10_000) },
                ..fast()
            },
        ),
    ]
}

fn silences() -> Vec<(String, Scenario)> {
    let vanished = Loss::Outage(ms(150), Nanos::MAX);
    let never = Reader { pauses: vec![(ms(200), Nanos::MAX)], ..Reader::default() };
    vec![
        named("peer vanishes", Scenario { loss: vanished, workload: message(8_000_000), ..fast() }),
        named("large segments vanish", Scenario { loss: Loss::LargerThan(1400), ..fast() }),
        named("two SYNs lost", Scenario { syn_losses: 2, ..fast() }),
        named(
            "reader stops for ever",
            Scenario { window: Window::fixed(64_000), reader: never, ..fast() },
        ),
    ]
}
