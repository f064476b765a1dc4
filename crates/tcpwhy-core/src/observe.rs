//! What every source of evidence is turned into before anybody thinks about it.

use crate::units::{Nanos, Seq};
use std::net::{IpAddr, Ipv6Addr};

/// One end of a connection: address (IPv4 as IPv4-mapped IPv6) and port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Endpoint {
    /// IPv6 address octets; IPv4 addresses are mapped (`::ffff:a.b.c.d`).
    pub ip: [u8; 16],
    /// TCP port.
    pub port: u16,
}

impl Endpoint {
    /// From an address and a port.
    pub fn new(ip: IpAddr, port: u16) -> Self {
        let ip = match ip {
            IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
            IpAddr::V6(v6) => v6.octets(),
        };
        Self { ip, port }
    }

    /// The address as people write it: IPv4 where it was mapped.
    pub fn addr(&self) -> IpAddr {
        Ipv6Addr::from(self.ip).to_canonical()
    }
}

/// TCP header flags, as in the header's bits (RFC 9293 section 3.1, RFC 3168).
pub mod flags {
    /// No more data from the sender.
    pub const FIN: u16 = 0x01;
    /// Synchronize sequence numbers.
    pub const SYN: u16 = 0x02;
    /// Reset the connection.
    pub const RST: u16 = 0x04;
    /// Push: on Linux, the send queue ran dry or a write ended here.
    pub const PSH: u16 = 0x08;
    /// The acknowledgment field is significant.
    pub const ACK: u16 = 0x10;
    /// The urgent pointer is significant.
    pub const URG: u16 = 0x20;
    /// ECN echo.
    pub const ECE: u16 = 0x40;
    /// Congestion window reduced.
    pub const CWR: u16 = 0x80;
    /// Accurate ECN (RFC 9768); with CWR and ECE a counter of three bits where both ends use it.
    pub const AE: u16 = 0x100;
}

/// The TCP options that the analysis reads. `None` means absent, unless [`Segment::options_cut`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Maximum segment size in bytes (SYN only, RFC 9293).
    pub mss: Option<u16>,
    /// Window scale shift (SYN only, RFC 7323), as sent: may exceed the legal 14.
    pub window_scale: Option<u8>,
    /// Timestamps `(TSval, TSecr)` (RFC 7323).
    pub timestamps: Option<(u32, u32)>,
    /// SACK permitted (SYN only, RFC 2018).
    pub sack_permitted: bool,
    /// How many of `sack` are present.
    pub sack_count: u8,
    /// SACK blocks `(left edge, right edge)` in the order of the option.
    pub sack: [(Seq, Seq); 4],
}

impl Options {
    /// The SACK blocks that are present.
    pub fn sack_blocks(&self) -> &[(Seq, Seq)] {
        &self.sack[..usize::from(self.sack_count).min(4)]
    }
}

/// One TCP segment as one capture point saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Segment {
    /// When the capture point saw it.
    pub time: Nanos,
    /// Frame number, from 1, as Wireshark numbers the frames of the (merged) capture.
    pub frame: u64,
    /// Sending end.
    pub src: Endpoint,
    /// Receiving end.
    pub dst: Endpoint,
    /// Observation scope: a hash of capture interface, VLANs and tunnels. The same packet seen in two
    /// scopes is one packet seen twice.
    pub scope: u32,
    /// IPv4 identification; 0 where there is none.
    pub ip_id: u16,
    /// Time to live / hop limit.
    pub ttl: u8,
    /// Congestion experienced (IP ECN field is 3).
    pub ce: bool,
    /// Sequence number of the first payload byte (of the SYN, when SYN is set).
    pub seq: Seq,
    /// Acknowledgment number; only significant with [`flags::ACK`].
    pub ack: Seq,
    /// Header flags, see [`flags`].
    pub flags: u16,
    /// Advertised window as in the header, unscaled.
    pub window: u16,
    /// Payload bytes on the wire (from the IP lengths, not from what was captured).
    pub len: u32,
    /// Options that were captured.
    pub options: Options,
    /// The snap length cut the options: absence proves nothing.
    pub options_cut: bool,
    /// First fragment of a fragmented datagram: `len` covers only this fragment.
    pub fragment: bool,
}

impl Segment {
    /// Whether all bits of `mask` are set.
    pub fn has(&self, mask: u16) -> bool {
        self.flags & mask == mask
    }
}
