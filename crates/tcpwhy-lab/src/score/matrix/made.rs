//! A scenario in the making: bulk over the cell's path, held by nothing but the link.

use super::path::{Rtt, link};
use super::{Cell, Kind, PORT};
use crate::spec::{
    Flow, HostSpec, LinkSpec, Pace, Role, Scenario, Sending, SocketOptions, Workload,
};
use tcpwhy_core::link::{Queue, QueueLimit, Rate, WaySpec};
use tcpwhy_core::model::Side;
use tcpwhy_core::units::Nanos;

/// Rate of a link that is no limit, in bit/s: still no load for the machine.
const FAST: u64 = 400_000_000;
/// A queue that never fills on a path of the matrix.
pub(super) const DEEP: u64 = 20_000_000;

/// The parts of a scenario.
pub(super) struct Made {
    side: Side,
    rtt: Rtt,
    link: LinkSpec,
    client: HostSpec,
    server: HostSpec,
    /// Of the client and the server.
    sockets: [SocketOptions; 2],
    /// The bulk.
    pub(super) sending: Sending,
    /// What is done instead of `sending` alone, if anything.
    pub(super) phases: Vec<Sending>,
    pub(super) give_up: Nanos,
}

impl Made {
    /// Bulk for some seconds over the path of `cell`.
    pub(super) fn of(cell: &Cell) -> Self {
        let (rate, bdp) = (cell.rtt.rate_bps(), cell.rtt.bdp());
        // What buffer, window or application let through of the rate.
        let (part, queue) = match cell.kind {
            Kind::Bottleneck => (1.0, (bdp as f64 * cell.severity) as u64),
            Kind::RandomLoss => (1.0, bdp),
            // Room for whole bursts: nothing but the limit shall hold it.
            _ => (cell.severity.min(1.0), bdp.max(50_000) * 4),
        };
        let bytes = (rate as f64 / 8.0 * cell.rtt.seconds() * part) as u64;
        let side = cell.judged().from;
        Self {
            side,
            rtt: cell.rtt,
            link: link(cell.rtt, rate, queue.max(30_000), cell.seed),
            client: cell.control.host(),
            server: cell.control.host(),
            sockets: [SocketOptions::default(), SocketOptions::default()],
            sending: bulk(side, bytes),
            phases: Vec::new(),
            give_up: Nanos::from_secs(30),
        }
    }

    /// The scenario.
    pub(super) fn finish(self, cell: &Cell) -> Scenario {
        let [client_socket, server_socket] = self.sockets;
        let phases = if self.phases.is_empty() { vec![self.sending] } else { self.phases };
        let flow = Flow {
            port: PORT,
            count: 1,
            start: Nanos::ZERO,
            client_socket,
            server_socket,
            ipv6: false,
            phases,
            relay: None,
            give_up: self.give_up,
            cross_traffic: false,
        };
        Scenario {
            title: format!("score: {}", cell.id()),
            name: cell.id(),
            case: None,
            published: None,
            link: self.link,
            client: self.client,
            server: self.server,
            workload: Workload::Flows(vec![flow]),
            expect: Vec::new(),
        }
    }

    /// Where the data leaves.
    fn sender_socket(&mut self) -> &mut SocketOptions {
        let [client, server] = &mut self.sockets;
        if self.side == Side::Client { client } else { server }
    }

    /// Where it arrives.
    fn receiver_socket(&mut self) -> &mut SocketOptions {
        let [client, server] = &mut self.sockets;
        if self.side == Side::Client { server } else { client }
    }

    /// The data's way.
    pub(super) fn way(&mut self) -> &mut WaySpec {
        if self.side == Side::Client { &mut self.link.up } else { &mut self.link.down }
    }

    pub(super) fn both_ways(&mut self, mut change: impl FnMut(&mut WaySpec)) {
        change(&mut self.link.up);
        change(&mut self.link.down);
    }

    pub(super) fn both_hosts(&mut self, mut change: impl FnMut(&mut HostSpec)) {
        change(&mut self.client);
        change(&mut self.server);
    }

    /// A share of the bandwidth-delay product, in bytes.
    fn bdp(&self, share: f64) -> u64 {
        (self.rtt.bdp() as f64 * share) as u64
    }

    /// Lets a share of the bandwidth-delay product into the send buffer.
    ///
    /// The kernel doubles SO_SNDBUF and counts truesize: 2,304 bytes for a segment of 1,448 in an skb of its own, which
    /// `gso_max_segs` 1 gives. Larger skbs hold more payload for their truesize, and are filled up to 64 KB without
    /// looking at the limit again (`tcp_sendmsg_locked`): with offload the share is a lower bound. Nagle's rule would
    /// let every write add to a last skb that is not full, without a look at the limit: then there is none. So the
    /// writers do without it, as databases and web servers do.
    pub(super) fn lock_sndbuf(&mut self, share: f64, offload: bool) {
        let factor = if offload { 1.0 / 1.6 } else { 2304.0 / 1448.0 / 2.0 };
        let bytes = self.bdp(share * factor);
        self.sender_socket().sndbuf = Some(bytes);
        self.sender_socket().nodelay = offload;
        if !offload {
            let host = if self.side == Side::Client { &mut self.client } else { &mut self.server };
            host.gso_max_segs = Some(1);
            self.sending.write = 1448 * 8;
        }
    }

    /// Opens the receiver's window to a share of the bandwidth-delay product at most.
    ///
    /// The kernel doubles SO_RCVBUF and advertises the part that is payload when segments of 1,448 bytes fill it: three
    /// fifths (`scaling_ratio`, since Linux 6.6), so 1.2 times what was asked.
    pub(super) fn lock_rcvbuf(&mut self, share: f64) {
        let bytes = self.bdp(share / 1.2);
        self.receiver_socket().rcvbuf = Some(bytes);
    }

    /// A reader of a share of the link's rate.
    pub(super) fn reads(&self, share: f64) -> Pace {
        Pace::Rate { bytes_per_second: self.per_second(share), chunk: 16_384 }
    }

    /// Writes of 20 ms' worth of a share of the link's rate.
    pub(super) fn writes_at(&mut self, share: f64) {
        self.sending.write = (self.per_second(share) / 50).max(1000);
        self.sending.think = Nanos::from_millis(20);
    }

    /// A link whose rate is no limit, and data of so many bandwidth-delay products of the path's own rate.
    pub(super) fn on_a_fast_link(&mut self, bdps: f64) {
        self.both_ways(|way| {
            way.rate = Rate::Constant(FAST);
            way.queue = Queue::DropTail(QueueLimit::Bytes(DEEP));
        });
        self.sending.bytes = self.bdp(bdps).max(200_000);
    }

    fn per_second(&self, share: f64) -> u64 {
        (self.rtt.rate_bps() as f64 / 8.0 * share) as u64
    }
}

fn bulk(side: Side, bytes: u64) -> Sending {
    let from = if side == Side::Client { Role::Client } else { Role::Server };
    Sending { from, bytes, ..Sending::default() }
}
