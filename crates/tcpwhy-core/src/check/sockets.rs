//! Buffers that programs fixed, in the sockets that are open now.

use super::finding::{Finding, Gain, Weight, What};
use super::general;
use super::host::{Host, Socket};
use super::path::{Path, Source};
use super::transfers::own;
use crate::kernel::buffers::Asked;
use crate::kernel::{Sysctls, Version};
use crate::units::bytes_at;
use crate::whatif::transfer::{End, Transfer, predict};

/// Sockets that are named, at most; a server has thousands of one kind.
const MOST: usize = 10;
/// A second or so of a fast path.
const LARGEST: u64 = 50_000_000;

/// `paths`: what was given or seen of the paths to their peers.
pub(super) fn findings<'a>(
    host: &Host,
    paths: impl Iterator<Item = &'a Path> + Clone,
) -> Vec<Finding> {
    let of = |s| of(host, s, carries(host, s, paths.clone()));
    let mut found: Vec<Finding> = host.sockets.iter().flat_map(of).collect();
    found.truncate(MOST);
    found
}

/// `carries`: bits per second of its path.
fn of(host: &Host, socket: &Socket, carries: u64) -> Vec<Finding> {
    let Some(locks) = socket.locks else { return Vec::new() };
    let owner = socket.owner.as_deref().unwrap_or("socket");
    let name = |option: &str| format!("{owner} {} -> {} {option}", socket.local, socket.remote);
    let mut found = Vec::new();
    for (what, locked, option, bytes, is_send) in [
        (What::SendLocked, locks.send, "SO_SNDBUF", socket.sndbuf, true),
        (What::ReceiveLocked, locks.receive, "SO_RCVBUF", socket.rcvbuf, false),
    ] {
        if locked {
            let mut one = general::finding(what, Weight::Harm, &name(option), &bytes.to_string());
            one.sensible = Some("not set".to_owned());
            one.gain = gain(host, socket, carries, bytes, is_send);
            found.push(one);
        }
    }
    found
}

/// Bits per second that a socket's path carries: as it was given, or as others to its peer have shown it. The lock itself may be why its own rate is
/// low: where nothing else is known, the fastest device is what the path could give.
fn carries<'a>(host: &Host, socket: &Socket, paths: impl Iterator<Item = &'a Path>) -> u64 {
    let to_peer = |path: &&Path| path.peer.is_none_or(|peer| peer == socket.remote.ip());
    let known = |path: &Path| match path.rate_from {
        Source::Given => true,
        _ => path.rate_bps >= 2 * socket.rate_bps,
    };
    let known = paths.filter(to_peer).find(|path| known(path)).map(|path| path.rate_bps);
    let device = || host.devices.iter().filter_map(|d| d.speed_bps).max();
    known.or_else(device).unwrap_or(0).max(socket.rate_bps)
}

/// Without the lock, over a path of `rate_bps` as long as the socket's lowest round trip.
fn gain(host: &Host, socket: &Socket, rate_bps: u64, bytes: u64, is_send: bool) -> Option<Gain> {
    if socket.rtt.0 <= 0 || rate_bps == 0 {
        return None;
    }
    let bdp = bytes_at(rate_bps, socket.rtt);
    let ample = End {
        version: Version::new(6, 18),
        sysctls: Sysctls {
            tcp_wmem: [4_096, 16 << 20, 256 << 20],
            tcp_rmem: [4_096, 16 << 20, 256 << 20],
            ..Sysctls::default()
        },
    };
    let own = own(host);
    // The sysctl has clamped and doubled it already.
    let fixed = Asked::Forced(bytes / 2);
    let free = Transfer {
        size: bdp.saturating_mul(8).clamp(1_000_000, LARGEST),
        rate_bps,
        rtt: socket.rtt,
        queue: bdp.max(102_400),
        mss: socket.mss.clamp(88, 65_483),
        sender: if is_send { own.clone() } else { ample.clone() },
        receiver: if is_send { ample } else { own },
        ..Transfer::default()
    };
    let mut locked = free.clone();
    *(if is_send { &mut locked.sndbuf } else { &mut locked.rcvbuf }) = fixed;
    Gain::of(free.size, &predict(&locked), &predict(&free))
}
