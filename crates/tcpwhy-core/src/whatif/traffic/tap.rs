//! What a capture would have seen, anywhere on the path.

use super::packet::Packet;
use super::scenario::Scenario;
use super::truth::TruthInterval;
use crate::model::Side;
use crate::observe::{Endpoint, Options, Segment, flags};
use crate::units::{Nanos, Seq};
use std::net::{IpAddr, Ipv4Addr};

/// The largest segment that a sender hands to its network card.
const LARGEST_OFFLOAD: u32 = 65_160;

/// Everything that happened.
#[derive(Debug, Clone)]
pub struct Trace {
    scenario: Scenario,
    packets: Vec<Packet>,
    truth: Vec<TruthInterval>,
}

impl Trace {
    pub(super) fn new(scenario: Scenario, packets: Vec<Packet>, truth: Vec<TruthInterval>) -> Self {
        Self { scenario, packets, truth }
    }

    /// What held the data sender, on its clock: from connect() to the last byte acknowledged, without gap
    /// or overlap.
    pub fn truth(&self) -> &[TruthInterval] {
        &self.truth
    }

    /// The segments that pass a point of the path, in time order: 0 at the data sender, 1 at its receiver.
    pub fn capture(&self, position: f64) -> Vec<Segment> {
        let position = position.clamp(0.0, 1.0);
        let mut ids = [0_u16; 2];
        // What is lost before the tap has an identification, too.
        let mut identified = |packet: &Packet| {
            let id = &mut ids[usize::from(packet.from_server)];
            *id = id.wrapping_add(1);
            *id
        };
        let sent = self.packets.iter().map(|p| (identified(p), p));
        let mut seen: Vec<(Nanos, u16, &Packet)> = sent
            .filter(|(_, p)| self.scenario.handshake || !opens(p))
            .filter_map(|(id, p)| Some((self.passes(p, position)?, id, p)))
            .collect();
        seen.sort_by_key(|(time, ..)| *time);
        let mut segments: Vec<Segment> = Vec::with_capacity(seen.len());
        for (time, id, packet) in seen {
            let next = self.segment(packet, time, id, position);
            match segments.last_mut() {
                Some(last) if self.scenario.tso && position == 0.0 && joins(last, &next) => {
                    last.len += next.len;
                    last.flags |= next.flags;
                }
                _ => segments.push(next),
            }
        }
        for (segment, frame) in segments.iter_mut().zip(1..) {
            segment.frame = frame;
        }
        segments
    }

    /// When a packet passes the tap; `None` when it was lost before.
    fn passes(&self, p: &Packet, position: f64) -> Option<Nanos> {
        let is_data = p.from() == self.scenario.data_from;
        // As the packet's own sender sees the path.
        let at = if is_data { position } else { 1.0 - position };
        let leg = self.scenario.rtt.scale(1, 2);
        let share = |x: f64| leg.scale((x * 1000.0) as i64, 1000);
        match p.arrived {
            Some(arrived) if at > p.drop_at => Some(arrived - share(1.0 - at)),
            _ if at <= p.drop_at => Some(p.sent + share(at)),
            _ => None,
        }
    }

    fn segment(&self, p: &Packet, time: Nanos, ip_id: u16, position: f64) -> Segment {
        let client = Endpoint::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), 40_000);
        let server = Endpoint::new(IpAddr::V4(Ipv4Addr::new(198, 51, 100, 1)), 80);
        let [client_isn, server_isn] = self.scenario.isn;
        let (src, dst, isn, peer_isn) = match p.from() {
            Side::Server => (server, client, server_isn, client_isn),
            Side::Client => (client, server, client_isn, server_isn),
        };
        let is_data = p.from() == self.scenario.data_from;
        let travelled = if is_data { position } else { 1.0 - position };
        Segment {
            time,
            src,
            dst,
            ip_id,
            ttl: 64 - (travelled * 8.0) as u8,
            seq: Seq(isn) + p.seq as u32,
            ack: if p.has(flags::ACK) { Seq(peer_isn) + p.ack as u32 } else { Seq(0) },
            flags: p.flags,
            window: p.window,
            len: p.len,
            options: self.options(p, peer_isn),
            ..Segment::default()
        }
    }

    fn options(&self, p: &Packet, peer_isn: u32) -> Options {
        let syn = p.has(flags::SYN);
        let s = &self.scenario;
        let mut options = Options {
            mss: syn.then_some(s.mss),
            window_scale: s.scale.filter(|_| syn),
            timestamps: s.timestamps.then_some((p.ts_val, p.ts_ecr)),
            sack_permitted: syn && s.sack,
            sack_count: p.sack_count,
            ..Options::default()
        };
        for (slot, block) in options.sack.iter_mut().zip(p.sack_blocks()) {
            *slot = (Seq(peer_isn) + block.0 as u32, Seq(peer_isn) + block.1 as u32);
        }
        options
    }
}

/// Whether a packet belongs to the handshake.
fn opens(p: &Packet) -> bool {
    p.has(flags::SYN) || (p.len == 0 && p.seq + p.ack == 2)
}

/// Whether two segments left the host as one (TSO).
fn joins(last: &Segment, next: &Segment) -> bool {
    last.time == next.time
        && last.src == next.src
        && last.len > 0
        && next.len > 0
        && last.seq + last.len == next.seq
        && last.ack == next.ack
        && last.len + next.len <= LARGEST_OFFLOAD
        && !last.has(flags::PSH)
}
