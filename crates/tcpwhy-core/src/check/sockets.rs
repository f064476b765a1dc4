//! Buffers that programs fixed, in the sockets that are open now.

use super::finding::{Finding, Gain, Weight, What};
use super::general;
use super::host::{Host, Socket};
use super::transfers::own;
use crate::kernel::buffers::Asked;
use crate::kernel::{Sysctls, Version};
use crate::whatif::transfer::{End, Transfer, predict};

/// Sockets that are named, at most; a server has thousands of one kind.
const MOST: usize = 10;
/// A second or so of a fast path.
const LARGEST: u64 = 50_000_000;

pub(super) fn findings(host: &Host) -> Vec<Finding> {
    let mut found: Vec<Finding> = host.sockets.iter().flat_map(|s| of(host, s)).collect();
    found.truncate(MOST);
    found
}

fn of(host: &Host, socket: &Socket) -> Vec<Finding> {
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
            one.gain = gain(host, socket, bytes, is_send);
            found.push(one);
        }
    }
    found
}

/// The socket's own path, as its lowest round trip and the rate of its device or its own show it, without the lock.
fn gain(host: &Host, socket: &Socket, bytes: u64, is_send: bool) -> Option<Gain> {
    if socket.rtt.0 <= 0 {
        return None;
    }
    // The lock itself may be why the rate is low: the fastest device is what the path could give.
    let device = host.devices.iter().filter_map(|d| d.speed_bps).max();
    let rate_bps = device.unwrap_or(socket.rate_bps).max(socket.rate_bps);
    if rate_bps == 0 {
        return None;
    }
    let bdp = (u128::from(rate_bps) * socket.rtt.0 as u128 / 8_000_000_000) as u64;
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
