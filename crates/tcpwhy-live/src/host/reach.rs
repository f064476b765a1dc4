//! A peer by its name, and how long a connection to it takes.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use tcpwhy_core::units::Nanos;

/// Tries, of which the fastest counts: the first one may wait for ARP.
const TRIES: usize = 3;
/// A retransmitted SYN comes after one second; what takes longer is no round trip.
const PATIENCE: Duration = Duration::from_millis(950);

/// The address that a connection to `host` would take first.
///
/// # Errors
/// The name is not known.
pub fn resolve(host: &str, port: u16) -> io::Result<SocketAddr> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(ip) = bare.parse::<IpAddr>() {
        return Ok(SocketAddr::new(ip, port));
    }
    (bare, port).to_socket_addrs()?.next().ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// The time that opening a TCP connection takes: a round trip. A refusal takes one as well.
///
/// # Errors
/// Nothing answers within a second.
pub fn connect_time(peer: SocketAddr) -> io::Result<Nanos> {
    let mut best: io::Result<Nanos> = Err(io::ErrorKind::TimedOut.into());
    for _ in 0..TRIES {
        let began = Instant::now();
        let answer = TcpStream::connect_timeout(&peer, PATIENCE);
        let took = Nanos(i64::try_from(began.elapsed().as_nanos()).unwrap_or(i64::MAX));
        let is_answer = match &answer {
            Ok(_) => true,
            Err(e) => e.kind() == io::ErrorKind::ConnectionRefused,
        };
        best = match (best, answer) {
            (Ok(before), _) if is_answer => Ok(before.min(took)),
            (Err(_), _) if is_answer => Ok(took),
            (Err(_), Err(e)) => return Err(e),
            (before, _) => return before,
        };
    }
    best
}
