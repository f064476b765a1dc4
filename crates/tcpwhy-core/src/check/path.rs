//! The path of a transfer: given, or seen in a host's sockets.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::host::{Host, Route};
use crate::units::{Nanos, bytes_at};

/// Paths that are judged, at most: those with the largest bandwidth-delay product.
const MOST_PATHS: usize = 4;

/// Where a number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The caller said so.
    Given,
    /// Live sockets to the peer.
    Sockets,
    /// The time that a TCP connection took to open (or to be refused).
    Connect,
    /// The speed of the device.
    Device,
}

impl Source {
    /// The published name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Sockets => "sockets",
            Self::Connect => "connect",
            Self::Device => "device",
        }
    }
}

/// A path from the host.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The other end, where it is known.
    pub peer: Option<IpAddr>,
    /// The narrowest link, bits per second.
    pub rate_bps: u64,
    /// Where the rate comes from.
    pub rate_from: Source,
    /// Round-trip time of the empty path.
    pub rtt: Nanos,
    /// Where the round trip comes from.
    pub rtt_from: Source,
    /// Share of packets lost, 0 to 1.
    pub loss: f64,
    /// Payload of a segment in bytes.
    pub mss: u64,
    /// The route, where it is known.
    pub route: Option<Route>,
    /// Bytes to transfer; `None`: enough that the start matters little.
    pub size: Option<u64>,
}

impl Path {
    /// Of a rate and a round trip that the caller gives; Ethernet's segments.
    #[must_use]
    pub fn given(rate_bps: u64, rtt: Nanos) -> Self {
        Self {
            peer: None,
            rate_bps,
            rate_from: Source::Given,
            rtt,
            rtt_from: Source::Given,
            loss: 0.0,
            mss: 1_448,
            route: None,
            size: None,
        }
    }

    /// Bandwidth-delay product in bytes.
    #[must_use]
    pub fn bdp(&self) -> u64 {
        bytes_at(self.rate_bps, self.rtt)
    }
}

/// The paths of a host's live sockets, a peer each: the lowest round trip, and the highest rate at which data was delivered (so
/// the path gives at least that). The largest bandwidth-delay product comes first.
#[must_use]
pub fn seen(host: &Host) -> Vec<Path> {
    let mut peers: BTreeMap<IpAddr, Path> = BTreeMap::new();
    for socket in host.sockets.iter().filter(|s| s.rate_bps > 0 && s.rtt.0 > 0) {
        let ip = socket.remote.ip();
        let path = peers.entry(ip).or_insert_with(|| Path {
            peer: Some(ip),
            rate_from: Source::Sockets,
            rtt_from: Source::Sockets,
            mss: socket.mss,
            ..Path::given(socket.rate_bps, socket.rtt)
        });
        path.rate_bps = path.rate_bps.max(socket.rate_bps);
        path.rtt = path.rtt.min(socket.rtt);
    }
    let mut paths: Vec<_> = peers.into_values().collect();
    paths.sort_by_key(|path| std::cmp::Reverse(path.bdp()));
    paths.truncate(MOST_PATHS);
    paths
}
