//! The emulator between two real network namespaces. Nothing here depends on a quiet machine: packets may be late, and
//! then the report says so; they must never be early.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use support::{CLIENT, Host, SERVER};
use tcpwhy_core::link::{Loss, Queue, QueueLimit, Rate, WaySpec};
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::link::{self, LinkReport};
use tcpwhy_lab::spec::{Backend, LinkSpec, Middlebox, Offload};

/// Both hosts, or `None` and a word where the machine cannot have them. Any other failure is ours, and fails the test.
fn hosts(spec: &LinkSpec) -> Option<(Host, Host)> {
    let hosts = Host::new(CLIENT, spec).and_then(|c| Ok((c, Host::new(SERVER, spec)?)));
    hosts.inspect_err(|why| skip(why)).ok()
}

fn skip(why: &str) {
    assert!(["no network namespace", "/dev/net/tun"].iter().any(|w| why.contains(w)), "{why}");
    println!("skipped: {why}");
}

fn both(way: WaySpec) -> LinkSpec {
    LinkSpec { up: way.clone(), down: way, tap: 0.5, ..LinkSpec::default() }
}

/// Sends this many bytes from the client to the server; returns the seconds that the server read.
fn transfer(client: &Host, server: &Host, bytes: usize) -> f64 {
    let listener = server.enter(|| TcpListener::bind((SERVER, 7)).unwrap()).join().unwrap();
    let reader = server.enter(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
        let (mut sum, begin) = (0_u64, Instant::now());
        let mut buffer = vec![0; 65_536];
        let mut at = 0;
        while let n @ 1.. = socket.read(&mut buffer).unwrap() {
            assert!(buffer[..n].iter().all(|byte| {
                at += 1;
                *byte == ((at - 1) % 251) as u8
            }));
            sum += n as u64;
        }
        (sum, begin.elapsed().as_secs_f64())
    });
    let writer = client.enter(move || {
        let mut socket = TcpStream::connect((SERVER, 7)).unwrap();
        let data: Vec<u8> = (0..bytes).map(|at| (at % 251) as u8).collect();
        socket.write_all(&data).unwrap();
    });
    writer.join().unwrap();
    let (sum, seconds) = reader.join().unwrap();
    assert_eq!(sum, bytes as u64);
    seconds
}

fn run(spec: &LinkSpec, middle: Option<&Path>, bytes: usize) -> Option<(f64, LinkReport)> {
    let (client, server) = hosts(spec)?;
    let link = link::start(spec, &client.device, &server.device, middle).unwrap();
    let seconds = transfer(&client, &server, bytes);
    Some((seconds, link.stop().unwrap()))
}

#[test]
fn round_trips_are_never_too_short() {
    let spec = both(WaySpec { delay: Nanos::from_millis(10), ..WaySpec::default() });
    let Some((client, server)) = hosts(&spec) else { return };
    let link = link::start(&spec, &client.device, &server.device, None).unwrap();
    let echo = server.enter(|| UdpSocket::bind((SERVER, 7)).unwrap()).join().unwrap();
    let echo = server.enter(move || {
        for _ in 0..20 {
            let (_, from) = echo.recv_from(&mut [0; 8]).unwrap();
            echo.send_to(b"!", from).unwrap();
        }
    });
    let times = client.enter(|| {
        let socket = UdpSocket::bind((CLIENT, 0)).unwrap();
        socket.connect((SERVER, 7)).unwrap();
        let round_trip = |_| {
            let begin = Instant::now();
            socket.send(b"?").unwrap();
            socket.recv(&mut [0; 8]).unwrap();
            begin.elapsed()
        };
        (0..20).map(round_trip).collect::<Vec<_>>()
    });
    let times = times.join().unwrap();
    echo.join().unwrap();
    let report = link.stop().unwrap();
    assert!(times.iter().all(|time| *time >= Duration::from_millis(20)), "{times:?}");
    assert_eq!((report.up.delivered, report.down.delivered), (20, 20));
}

#[test]
fn a_transfer_has_the_rate_of_the_link_and_the_middle_capture_shows_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let way = WaySpec {
        rate: Rate::Constant(20_000_000),
        delay: Nanos::from_millis(5),
        queue: Queue::DropTail(QueueLimit::Bytes(200_000)),
        ..WaySpec::default()
    };
    let Some((seconds, report)) = run(&both(way), Some(file.path()), 3_000_000) else { return };
    // 3 MB with 52 bytes of headers for each 1448 take 1.243 s at 20 Mbit/s.
    assert!(seconds > 1.2, "{seconds} s is faster than the link");
    assert!(!report.faithful || seconds < 3.0, "{seconds} s, {report:?}");
    assert_eq!(report.middle.unwrap().missed, 0);
    let delivered = report.up.delivered + report.down.delivered;
    let times = capture_times(file.path());
    assert_eq!(times.len() as u64, delivered);
    assert!(times.is_sorted(), "packets pass the tap one after another");
}

/// Times of all packets of a capture, in nanoseconds since the epoch.
fn capture_times(path: &Path) -> Vec<i64> {
    let mut capture =
        tcpwhy_capture::open(&[tcpwhy_capture::Input::Path(path.to_owned())]).unwrap();
    let mut times = Vec::new();
    while let Some(frame) = capture.next_frame() {
        times.push(frame.time.0);
    }
    times
}

#[test]
fn data_arrives_whole_through_losses_reordering_and_duplicates() {
    let way = WaySpec {
        rate: Rate::Constant(50_000_000),
        delay: Nanos::from_millis(2),
        jitter: Nanos::from_millis(1),
        loss: Loss { random: 0.005, nth: vec![5], ..Loss::default() },
        reorder: 0.01,
        duplicate: 0.01,
        ..WaySpec::default()
    };
    let Some((_, report)) = run(&both(way), None, 2_000_000) else { return };
    assert_eq!(report.up.drops["nth"], 1);
    assert!(report.up.drops["random"] > 0 && report.up.duplicated > 0 && report.up.reordered > 0);
    let lost: u64 = report.up.drops.values().sum();
    assert_eq!(report.up.packets, report.up.delivered + lost + report.up.left_inside);
}

#[test]
fn offloaded_packets_pass_whole_or_are_cut() {
    for offload in [Offload::Pass, Offload::Segment] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let way = WaySpec { delay: Nanos::from_millis(1), ..WaySpec::default() };
        let spec = LinkSpec { offload, ..both(way) };
        let Some((_, report)) = run(&spec, Some(file.path()), 3_000_000) else { return };
        let largest = largest_packet(file.path());
        let whole = offload == Offload::Pass;
        assert_eq!(largest > 1500, whole, "{offload:?}: {largest} bytes, {report:?}");
    }
}

#[test]
fn what_is_due_is_written_before_more_is_read() {
    // Nothing holds packets up, so whatever is inside when the link is stopped was due.
    let way = WaySpec { queue: Queue::DropTail(QueueLimit::Bytes(1 << 30)), ..WaySpec::default() };
    let spec = LinkSpec { offload: Offload::Segment, ..both(way) };
    for _ in 0..3 {
        let Some(report) = interrupted(&spec) else { return };
        // A packet of 64 KB is 45 of the MTU, and two are read at a time.
        assert!(report.up.left_inside < 150 && report.up.delivered > 150, "{report:?}");
        assert!(!report.faithful, "what waited outside was late, too: {report:?}");
    }
}

/// Stops the link while the client sends as fast as it can.
fn interrupted(spec: &LinkSpec) -> Option<LinkReport> {
    let (client, server) = hosts(spec)?;
    let link = link::start(spec, &client.device, &server.device, None).unwrap();
    // No autotuning: the window is open from the first.
    let wide =
        |name| std::fs::write(format!("/proc/sys/net/ipv4/{name}"), "4096 16777216 33554432");
    for host in [&client, &server] {
        host.enter(move || ["tcp_rmem", "tcp_wmem"].map(|name| wide(name).unwrap()))
            .join()
            .unwrap();
    }
    let listener = server.enter(|| TcpListener::bind((SERVER, 7)).unwrap()).join().unwrap();
    let patience = Some(Duration::from_millis(200));
    let reader = server.enter(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.set_read_timeout(patience).unwrap();
        let mut buffer = vec![0; 1 << 20];
        while socket.read(&mut buffer).is_ok_and(|n| n > 0) {}
    });
    let writer = client.enter(move || {
        let mut socket = TcpStream::connect((SERVER, 7)).unwrap();
        socket.set_write_timeout(patience).unwrap();
        let data = vec![0; 1 << 20];
        while socket.write_all(&data).is_ok() {}
    });
    std::thread::sleep(Duration::from_millis(700));
    let report = link.stop().unwrap();
    writer.join().unwrap();
    reader.join().unwrap();
    Some(report)
}

fn largest_packet(path: &Path) -> u32 {
    let mut capture =
        tcpwhy_capture::open(&[tcpwhy_capture::Input::Path(path.to_owned())]).unwrap();
    let mut largest = 0;
    while let Some(frame) = capture.next_frame() {
        largest = largest.max(frame.wire_len);
    }
    largest
}

#[test]
fn packet_sockets_carry_the_same_link() {
    for offload in [Offload::None, Offload::Pass, Offload::Segment] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let rate = Rate::Constant(50_000_000);
        let way = WaySpec { rate, delay: Nanos::from_millis(1), ..WaySpec::default() };
        let spec = LinkSpec { offload, backend: Backend::Packet, ..both(way) };
        let Some((seconds, report)) = run(&spec, Some(file.path()), 2_000_000) else { return };
        assert_eq!(report.backend, "packet");
        assert!(seconds > 0.3, "{seconds} s is faster than the link");
        assert_eq!(largest_packet(file.path()) > 1500, offload == Offload::Pass, "{offload:?}");
    }
}

#[test]
fn middleboxes_work_on_real_packets() {
    let middleboxes = vec![Middlebox::StripWindowScale, Middlebox::ClampMss(536)];
    for offload in [Offload::None, Offload::Pass] {
        let file = tempfile::NamedTempFile::new().unwrap();
        let spec =
            LinkSpec { middleboxes: middleboxes.clone(), offload, ..both(WaySpec::default()) };
        let Some((_, report)) = run(&spec, Some(file.path()), 500_000) else { return };
        // The SYN and the SYN/ACK; a wrong checksum would have made them be sent again.
        assert_eq!((report.up.changed, report.down.changed), (1, 1));
        assert!(offload == Offload::Pass || largest_packet(file.path()) <= 536 + 52);
    }
}

#[test]
fn netem_is_used_or_refused_in_one_sentence() {
    let way = WaySpec { delay: Nanos::from_millis(5), ..WaySpec::default() };
    let spec = LinkSpec { backend: Backend::Netem, ..both(way) };
    match Host::new(CLIENT, &spec) {
        Ok(client) => {
            let server = Host::new(SERVER, &spec).unwrap();
            let link = link::start(&spec, &client.device, &server.device, None).unwrap();
            transfer(&client, &server, 100_000);
            assert!(link.stop().unwrap().up.delivered > 0);
        }
        Err(why) => {
            println!("skipped: {why}");
            assert!(why.contains("no netem") || why.contains("namespace"), "{why}");
        }
    }
}
