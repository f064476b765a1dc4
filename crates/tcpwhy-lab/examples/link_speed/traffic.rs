//! What runs over the link while it is measured.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::socket::sockopt::UdpGsoSegment;

use super::support::{CLIENT, Host, SERVER};

/// IP packets of the flood, bytes, of which 28 are headers.
pub(crate) const SMALL: usize = 64;
/// How long a sender sends, and from when on it counts.
const SECONDS: Duration = Duration::from_millis(1_500);
const WARM: Duration = Duration::from_millis(300);
/// Round trips, in a row.
const TRIPS: usize = 200;

/// One TCP connection; returns Gbit/s of payload, seconds in all, and the round-trip time that the sender saw at its end in ms.
pub(crate) fn bulk(client: &Host, server: &Host) -> (f64, f64, f64) {
    // Linux 6.16 and later may leave the receive window at its first 64 KB when whole windows arrive in one burst, as they
    // do here: `tcp_rcv_space_adjust` takes what waits in the queue off what was copied. So it begins large.
    for host in [client, server] {
        host.enter(|| {
            std::fs::write("/proc/sys/net/ipv4/tcp_rmem", "4096 16777216 33554432").unwrap()
        })
        .join()
        .unwrap();
    }
    let listener = server.enter(|| TcpListener::bind((SERVER, 7)).unwrap()).join().unwrap();
    let reader = server.enter(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let mut buffer = vec![0; 1 << 20];
        let (mut bytes, mut from) = (0, Instant::now());
        let (mut warm, begin) = (false, Instant::now());
        while let Ok(n @ 1..) = socket.read(&mut buffer) {
            if !warm && begin.elapsed() > WARM {
                (warm, bytes, from) = (true, 0, Instant::now());
            }
            bytes += n;
        }
        bytes as f64 * 8.0 / from.elapsed().as_secs_f64() / 1e9
    });
    let begin = Instant::now();
    let writer = client.enter(move || {
        let mut socket = TcpStream::connect((SERVER, 7)).unwrap();
        let data = vec![0; 1 << 20];
        while begin.elapsed() < SECONDS {
            socket.write_all(&data).unwrap();
        }
        round_trip_ms()
    });
    let rtt_ms = writer.join().unwrap();
    (reader.join().unwrap(), begin.elapsed().as_secs_f64(), rtt_ms)
}

/// What the namespace's connection to the server has as its round-trip time, whatever waits where (ss(8): `rtt:mean/deviation`).
fn round_trip_ms() -> f64 {
    let output = Command::new("ss").args(["-tinH", "dst", SERVER]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rtt = text.split_whitespace().find_map(|word| word.strip_prefix("rtt:"));
    rtt.and_then(|rtt| rtt.split('/').next()?.parse().ok()).unwrap_or(f64::NAN)
}

/// Small packets of UDP, as many as the sender can; returns seconds.
pub(crate) fn flood(client: &Host, server: &Host) -> f64 {
    // Nobody reads it: the kernel drops what its buffer does not take.
    let sink = server.enter(|| UdpSocket::bind((SERVER, 7)).unwrap()).join().unwrap();
    let begin = Instant::now();
    let writer = client.enter(move || {
        let socket = UdpSocket::bind((CLIENT, 0)).unwrap();
        socket.connect((SERVER, 7)).unwrap();
        nix::sys::socket::setsockopt(&socket, UdpGsoSegment, &(SMALL as i32 - 28)).unwrap();
        let data = [0; 64 * (SMALL - 28)];
        while begin.elapsed() < SECONDS {
            socket.send(&data).unwrap();
        }
    });
    writer.join().unwrap();
    drop(sink);
    begin.elapsed().as_secs_f64()
}

/// A packet there and back, again and again; returns the least, the median, the 99th of a hundred and the longest time in ms.
pub(crate) fn round_trips(client: &Host, server: &Host) -> [f64; 4] {
    let echo = server.enter(|| UdpSocket::bind((SERVER, 7)).unwrap()).join().unwrap();
    let echo = server.enter(move || {
        let mut buffer = [0; 64];
        for _ in 0..TRIPS {
            let (n, from) = echo.recv_from(&mut buffer).unwrap();
            echo.send_to(&buffer[..n], from).unwrap();
        }
    });
    let times = client.enter(|| {
        let socket = UdpSocket::bind((CLIENT, 0)).unwrap();
        socket.connect((SERVER, 7)).unwrap();
        let trip = |_| {
            let begin = Instant::now();
            socket.send(b"?").unwrap();
            socket.recv(&mut [0; 64]).unwrap();
            begin.elapsed().as_secs_f64() * 1e3
        };
        (0..TRIPS).map(trip).collect::<Vec<_>>()
    });
    let mut times = times.join().unwrap();
    echo.join().unwrap();
    times.sort_by(f64::total_cmp);
    [times[0], times[TRIPS / 2], times[TRIPS * 99 / 100 - 1], times[TRIPS - 1]]
}
