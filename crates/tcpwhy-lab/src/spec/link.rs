//! The path between the hosts.

use super::Role;
use tcpwhy_core::link::{Outage, WaySpec};
use tcpwhy_core::units::Nanos;

/// Both directions, and what carries them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkSpec {
    /// From the client to the server.
    pub up: WaySpec,
    /// From the server to the client.
    pub down: WaySpec,
    /// What carries the packets.
    pub backend: Backend,
    /// What the hosts' devices may hand over.
    pub offload: Offload,
    /// What changes packets on their way, in order.
    pub middleboxes: Vec<Middlebox>,
    /// Where on the way the middle capture looks, 0 (client) to 1 (server) of the propagation delay.
    pub tap: f64,
}

impl LinkSpec {
    /// Propagation both ways.
    pub fn round_trip(&self) -> Nanos {
        self.up.delay + self.down.delay
    }

    /// What carries the data of this sender.
    pub fn way_from(&self, sender: Role) -> &WaySpec {
        match sender {
            Role::Client => &self.up,
            Role::Server => &self.down,
        }
    }
}

/// What carries the packets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// The best that the machine has: TUN, else packet sockets.
    #[default]
    Auto,
    /// User space between two TUN devices.
    Tun,
    /// User space between two veth pairs, by AF_PACKET.
    Packet,
    /// The kernel's netem and tbf between a veth pair.
    Netem,
}

/// Segmentation offload of the hosts' devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Offload {
    /// The kernel segments before the device: MTU packets only.
    #[default]
    None,
    /// Packets of up to 64 KiB pass the link whole.
    Pass,
    /// Packets of up to 64 KiB leave the host, the link cuts them to the MTU.
    Segment,
}

/// Something on the path that changes or drops packets.
#[derive(Debug, Clone, PartialEq)]
pub enum Middlebox {
    /// Removes the window scale option from SYNs of both sides.
    StripWindowScale,
    /// Lowers the MSS option of SYNs to this.
    ClampMss(u16),
    /// Drops, without a word, IP packets longer than this many bytes.
    DropLarger(u32),
    /// Drops zero-window probes (0 bytes at una-1).
    DropProbes(Swallowed),
    /// Drops segments without payload.
    DropAcks(Swallowed),
}

/// Whose packets a middlebox swallows, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swallowed {
    /// Those from the client (`true`) or the server.
    pub from_client: bool,
    /// Of this connection only, counted from 1 in the order of their first SYN on the link.
    pub flow: Option<u32>,
    /// Counted from the link's first packet.
    pub during: Outage,
}
