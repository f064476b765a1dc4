//! Which connections are recorded.

use std::net::{IpAddr, SocketAddr};

/// Ends of the connections that are wanted; an empty list takes all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// One end has one of these addresses.
    pub hosts: Vec<IpAddr>,
    /// One end has one of these ports.
    pub ports: Vec<u16>,
}

impl Filter {
    /// Entries of a list that a classic BPF program has room for: its jumps reach 255 instructions.
    pub const MOST: usize = 8;

    /// Whether a connection between these ends is wanted.
    #[must_use]
    pub fn takes(&self, one: SocketAddr, other: SocketAddr) -> bool {
        let is_host = |end: SocketAddr| self.hosts.iter().any(|h| h.to_canonical() == end.ip());
        (self.hosts.is_empty() || is_host(one) || is_host(other))
            && self.takes_ports(one.port(), other.port())
    }

    /// Whether a connection between these ports may be wanted, where no more is known.
    #[must_use]
    pub fn takes_ports(&self, one: u16, other: u16) -> bool {
        self.ports.is_empty() || self.ports.contains(&one) || self.ports.contains(&other)
    }
}
