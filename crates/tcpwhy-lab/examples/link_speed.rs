//! Measures what the link's emulator can do on this machine:
//!
//! ```text
//! cargo run --release -p tcpwhy-lab --example link_speed
//! ```
//!
//! One TCP connection for two seconds each, small packets of UDP for two seconds (cut by the sender's kernel, thrown away by the
//! receiver's, so that the link has a core to itself where there are two), and 300 round trips of UDP at a round-trip time of 20 ms.
//! A word on the command line keeps the rows whose name has it. Needs root and /dev/net/tun. Figures depend on what else the machine does; without a rate the sender fills whatever the emulator can do, so
//! it is late then and says so.
//!
//! Linux 6.16 and later may leave the receive window at its first 64 KB when whole windows arrive in one burst, as they do
//! here: `tcp_rcv_space_adjust` takes what waits in the queue off what was copied. Such a row shows about 0.03 Gbit/s at
//! 20 ms; run it again.
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use nix::sys::socket::sockopt::UdpGsoSegment;
use support::{CLIENT, Host, SERVER};
use tcpwhy_core::link::{Queue, QueueLimit, WaySpec};
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::link::{self, LinkReport, Running};
use tcpwhy_lab::spec::{LinkSpec, Offload};

/// IP packets of the flood, bytes, of which 28 are headers.
const SMALL: usize = 64;

fn main() -> Result<(), String> {
    let word = std::env::args().nth(1).unwrap_or_default();
    println!(
        "{:34} {:>10} {:>12} {:>12} {:>12}  faithful",
        "", "Gbit/s", "packets/s", "late p50 us", "late p99 us"
    );
    for (name, rtt_ms, offload) in [
        ("MTU packets, RTT 0", 0, Offload::None),
        ("MTU packets, RTT 20 ms", 20, Offload::None),
        ("TSO passed through, RTT 0", 0, Offload::Pass),
        ("TSO passed through, RTT 20 ms", 20, Offload::Pass),
        ("TSO cut by the link, RTT 0", 0, Offload::Segment),
        ("TSO cut by the link, RTT 20 ms", 20, Offload::Segment),
    ] {
        if name.contains(&word) {
            bulk(name, rtt_ms, offload)?;
        }
    }
    let name = "small packets, RTT 0";
    if name.contains(&word) {
        flood(name)?;
    }
    if word.is_empty() { round_trips() } else { Ok(()) }
}

fn spec(rtt_ms: i64, offload: Offload) -> LinkSpec {
    let way = WaySpec {
        delay: Nanos::from_micros(rtt_ms * 500),
        queue: Queue::DropTail(QueueLimit::Bytes(1 << 30)),
        ..WaySpec::default()
    };
    LinkSpec { up: way.clone(), down: way, offload, ..LinkSpec::default() }
}

/// Two hosts and the link between them.
fn joined(spec: &LinkSpec) -> Result<(Host, Host, Running), String> {
    let (client, server) = (Host::new(CLIENT, spec)?, Host::new(SERVER, spec)?);
    let link = link::start(spec, &client.device, &server.device, None);
    Ok((client, server, link.map_err(|e| e.to_string())?))
}

fn bulk(name: &str, rtt_ms: i64, offload: Offload) -> Result<(), String> {
    let spec = spec(rtt_ms, offload);
    let (client, server, link) = joined(&spec)?;
    let listener = server.enter(|| TcpListener::bind((SERVER, 7)).unwrap()).join().unwrap();
    let reader = server.enter(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut buffer = vec![0; 1 << 20];
        let (mut bytes, mut from) = (0, Instant::now());
        let mut warm = false;
        let begin = Instant::now();
        while let Ok(n @ 1..) = socket.read(&mut buffer) {
            if !warm && begin.elapsed() > Duration::from_millis(500) {
                (warm, bytes, from) = (true, 0, Instant::now());
            }
            bytes += n;
        }
        bytes as f64 * 8.0 / from.elapsed().as_secs_f64() / 1e9
    });
    let writer = client.enter(|| {
        let mut socket = TcpStream::connect((SERVER, 7)).unwrap();
        let (data, begin) = (vec![0; 1 << 20], Instant::now());
        while begin.elapsed() < Duration::from_millis(2_500) {
            socket.write_all(&data).unwrap();
        }
    });
    let begin = Instant::now();
    writer.join().unwrap();
    let gbps = reader.join().unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    let report = link.stop().map_err(|e| e.to_string())?;
    row(name, gbps, seconds, &report);
    Ok(())
}

fn row(name: &str, gbps: f64, seconds: f64, report: &LinkReport) {
    let packets = (report.up.packets + report.down.packets) as f64 / seconds;
    let late = report.lateness_ns.unwrap_or_default();
    println!(
        "{name:34} {gbps:10.2} {packets:12.0} {:12.1} {:12.1}  {}",
        late.p50 as f64 / 1e3,
        late.p99 as f64 / 1e3,
        if report.faithful {
            "yes".to_owned()
        } else {
            format!("no: {}", report.why_not.join("; "))
        },
    );
}

fn flood(name: &str) -> Result<(), String> {
    let spec = spec(0, Offload::None);
    let (client, server, link) = joined(&spec)?;
    // Nobody reads it: the kernel drops what its buffer does not take.
    let sink = server.enter(|| UdpSocket::bind((SERVER, 7)).unwrap()).join().unwrap();
    let begin = Instant::now();
    let writer = client.enter(move || {
        let socket = UdpSocket::bind((CLIENT, 0)).unwrap();
        socket.connect((SERVER, 7)).unwrap();
        nix::sys::socket::setsockopt(&socket, UdpGsoSegment, &(SMALL as i32 - 28)).unwrap();
        let data = [0; 64 * (SMALL - 28)];
        while begin.elapsed() < Duration::from_secs(2) {
            socket.send(&data).unwrap();
        }
    });
    writer.join().unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    drop(sink);
    let report = link.stop().map_err(|e| e.to_string())?;
    row(name, (report.up.delivered * 8 * SMALL as u64) as f64 / seconds / 1e9, seconds, &report);
    Ok(())
}

fn round_trips() -> Result<(), String> {
    let spec = spec(20, Offload::None);
    let (client, server, link) = joined(&spec)?;
    let echo = server.enter(|| UdpSocket::bind((SERVER, 7)).unwrap()).join().unwrap();
    let echo = server.enter(move || {
        let mut buffer = [0; 64];
        for _ in 0..300 {
            let (n, from) = echo.recv_from(&mut buffer).unwrap();
            echo.send_to(&buffer[..n], from).unwrap();
        }
    });
    let times = client.enter(|| {
        let socket = UdpSocket::bind((CLIENT, 0)).unwrap();
        socket.connect((SERVER, 7)).unwrap();
        let mut times = Vec::new();
        for _ in 0..300 {
            let begin = Instant::now();
            socket.send(b"?").unwrap();
            socket.recv(&mut [0; 64]).unwrap();
            times.push(begin.elapsed().as_secs_f64() * 1e3);
        }
        times
    });
    let mut times = times.join().unwrap();
    echo.join().unwrap();
    times.sort_by(f64::total_cmp);
    let report = link.stop().map_err(|e| e.to_string())?;
    println!(
        "RTT asked 20 ms: least {:.3}, p50 {:.3}, p99 {:.3}, most {:.3} ms ({})",
        times[0], times[150], times[297], times[299], report.scheduling
    );
    Ok(())
}
