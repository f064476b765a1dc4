//! Measures what the link's emulator can do on this machine, and what the machine gives: each row is carried by the
//! emulator and by the barest forwarder between the same devices (`bare.rs`), in turns, and their medians are compared.
//!
//! ```text
//! cargo run --release -p tcpwhy-lab --example link_speed [-- WORD [ROUNDS]]
//! ```
//!
//! One TCP connection for 1.5 seconds each, five rounds, small packets of UDP (cut by the sender's kernel, thrown away by the
//! receiver's, so that the link has a core to itself where there are two), and round trips of UDP at 20 ms. A word keeps the
//! rows whose name has it; `-` keeps all. Where two figures stand with a slash between them, the first is the emulator's and
//! the second the bare forwarder's: processor time of its thread for a packet, and what TCP saw as its round-trip time.
//!
//! Needs root and /dev/net/tun. Figures depend on what else the machine does; the ratio depends less. Without a rate the sender
//! fills whatever the emulator can do, up to TCP's window of 16 MB: all of it waits somewhere, and the link says how late it is.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bare;
mod cut;
#[path = "../../tests/support/mod.rs"]
mod support;
mod traffic;

use std::os::fd::AsFd;

use bare::Bare;
use support::{CLIENT, Host, SERVER};
use tcpwhy_core::link::{Queue, QueueLimit, WaySpec};
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::link::{self, LinkReport, Running};
use tcpwhy_lab::spec::{LinkSpec, Offload};

/// What runs over the link.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Traffic {
    Bulk,
    Flood,
}

const ROWS: [(&str, Traffic, i64, Offload); 7] = [
    ("MTU packets, RTT 0", Traffic::Bulk, 0, Offload::None),
    ("MTU packets, RTT 20 ms", Traffic::Bulk, 20, Offload::None),
    ("TSO passed through, RTT 0", Traffic::Bulk, 0, Offload::Pass),
    ("TSO passed through, RTT 20 ms", Traffic::Bulk, 20, Offload::Pass),
    ("TSO cut by the link, RTT 0", Traffic::Bulk, 0, Offload::Segment),
    ("TSO cut by the link, RTT 20 ms", Traffic::Bulk, 20, Offload::Segment),
    ("small packets, RTT 0", Traffic::Flood, 0, Offload::None),
];

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let word = arguments.next().filter(|word| word != "-").unwrap_or_default();
    let rounds = arguments.next().map_or(5, |rounds| rounds.parse().expect("a number of rounds"));
    println!(
        "{:31} {:>11} {:>7} {:>11} {:>11} {:>13} {:>13} {:>16}  faithful",
        "",
        "bare Gbit/s",
        "Gbit/s",
        "link / bare",
        "packets/s",
        "ns/packet",
        "TCP's RTT ms",
        "late p50, p99 us"
    );
    for (name, traffic, rtt_ms, offload) in ROWS {
        if name.contains(&word) {
            row(name, traffic, &spec(rtt_ms, offload), rounds)?;
        }
    }
    if "round trips".contains(&word) { round_trips() } else { Ok(()) }
}

fn spec(rtt_ms: i64, offload: Offload) -> LinkSpec {
    let way = WaySpec {
        delay: Nanos::from_micros(rtt_ms * 500),
        queue: Queue::DropTail(QueueLimit::Bytes(1 << 30)),
        ..WaySpec::default()
    };
    LinkSpec { up: way.clone(), down: way, offload, ..LinkSpec::default() }
}

/// What carries packets between the two hosts.
enum Carrier {
    Bare(Bare),
    Link(Running),
}

/// What one run gave.
struct Measured {
    gbps: f64,
    packets: f64,
    /// Processor time of the carrier's thread for each packet.
    ns: f64,
    /// The TCP sender's, in the end.
    rtt_ms: f64,
    /// The emulator's.
    report: Option<LinkReport>,
}

impl Carrier {
    /// Two hosts and what is between them.
    fn joined(spec: &LinkSpec, bare: bool) -> Result<(Host, Host, Self), String> {
        let (client, server) = (Host::new(CLIENT, spec)?, Host::new(SERVER, spec)?);
        if bare {
            let share = |host: &Host| host.device.as_fd().try_clone_to_owned().unwrap();
            let devices = [share(&client), share(&server)];
            let bare = Bare::start(devices, spec.up.delay.0, spec.offload);
            return Ok((client, server, Self::Bare(bare)));
        }
        let link = link::start(spec, &client.device, &server.device, None);
        Ok((client, server, Self::Link(link.map_err(|e| e.to_string())?)))
    }

    /// Packets that it carried, and the emulator's report.
    fn stop(self) -> Result<(u64, Option<LinkReport>), String> {
        match self {
            Self::Bare(bare) => Ok((bare.stop(), None)),
            Self::Link(link) => {
                let report = link.stop().map_err(|e| e.to_string())?;
                Ok((report.up.packets + report.down.packets, Some(report)))
            }
        }
    }
}

fn measure(traffic: Traffic, spec: &LinkSpec, bare: bool) -> Result<Measured, String> {
    let (client, server, carrier) = Carrier::joined(spec, bare)?;
    let (gbps, seconds, rtt_ms) = match traffic {
        Traffic::Bulk => traffic::bulk(&client, &server),
        Traffic::Flood => (0.0, traffic::flood(&client, &server), f64::NAN),
    };
    let ns = busy_ns();
    let (packets, report) = carrier.stop()?;
    let (packets, ns) = (packets as f64 / seconds, ns / packets as f64);
    let flooded = packets * (8 * traffic::SMALL) as f64 / 1e9;
    let gbps = if traffic == Traffic::Flood { flooded } else { gbps };
    Ok(Measured { gbps, packets, ns, rtt_ms, report })
}

/// Processor time of the thread that carries, in nanoseconds (proc(5): the first number of `schedstat`).
fn busy_ns() -> f64 {
    let threads =
        std::fs::read_dir("/proc/self/task").unwrap().map(|thread| thread.unwrap().path());
    let is_carrier = |path: &std::path::PathBuf| {
        let name = std::fs::read_to_string(path.join("comm")).unwrap_or_default();
        ["lab-link", "lab-bare"].contains(&name.trim_end())
    };
    let carrier = threads.into_iter().find(is_carrier).expect("the carrier is at work");
    let times = std::fs::read_to_string(carrier.join("schedstat")).unwrap();
    times.split(' ').next().unwrap().parse().unwrap()
}

/// Bare and emulator in turns; prints their medians.
fn row(name: &str, traffic: Traffic, spec: &LinkSpec, rounds: usize) -> Result<(), String> {
    let (mut bare, mut link) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        bare.push(measure(traffic, spec, true)?);
        link.push(measure(traffic, spec, false)?);
    }
    let (bare, link) = (middle(bare), middle(link));
    let report = link.report.as_ref().expect("the emulator reports");
    let late = report.lateness_ns.unwrap_or_default();
    println!(
        "{name:31} {:11.3} {:7.3} {:11.2} {:11.0} {:5.0} / {:5.0} {:5.1} / {:5.1} {:8.0} {:7.0}  {}",
        bare.gbps,
        link.gbps,
        link.gbps / bare.gbps,
        link.packets,
        link.ns,
        bare.ns,
        link.rtt_ms,
        bare.rtt_ms,
        late.p50 as f64 / 1e3,
        late.p99 as f64 / 1e3,
        if report.faithful {
            "yes".to_owned()
        } else {
            format!("no: {}", report.why_not.join("; "))
        },
    );
    Ok(())
}

/// The median of several runs.
fn middle(mut runs: Vec<Measured>) -> Measured {
    runs.sort_by(|a, b| a.gbps.total_cmp(&b.gbps));
    runs.swap_remove(runs.len() / 2)
}

fn round_trips() -> Result<(), String> {
    for bare in [true, false] {
        let (client, server, carrier) = Carrier::joined(&spec(20, Offload::None), bare)?;
        let times = traffic::round_trips(&client, &server);
        let (_, report) = carrier.stop()?;
        let [least, p50, p99, most] = times;
        println!(
            "RTT asked 20 ms, {}: least {least:.3}, p50 {p50:.3}, p99 {p99:.3}, most {most:.3} ms",
            report.map_or("bare".to_owned(), |report| {
                let late = report.lateness_ns.unwrap_or_default();
                let [p50, p99] = [late.p50, late.p99].map(|ns| ns as f64 / 1e3);
                let scheduling = report.scheduling;
                format!("link ({scheduling}, itself late by p50 {p50:.1}, p99 {p99:.1} us)")
            }),
        );
    }
    Ok(())
}
