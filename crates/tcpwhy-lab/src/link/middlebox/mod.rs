//! What changes or drops packets on the way: edits of TCP headers, each with its checksum.

mod flows;
mod options;
mod probes;

use tcpwhy_core::units::Nanos;

use self::flows::Flows;
use self::probes::Acks;
use super::tcp::Tcp;
use super::view::View;
use crate::spec::{Middlebox, Swallowed};

/// What the middleboxes did to a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It goes on as it was.
    Untouched,
    /// It goes on.
    Changed,
    /// It is gone; the name of what dropped it.
    Dropped(&'static str),
}

/// A packet before the middleboxes.
pub(super) struct Passing<'a> {
    /// The IP packet's beginning, with all headers.
    pub(super) ip: &'a mut [u8],
    /// Where its headers are.
    pub(super) view: &'a View,
    /// The largest packet on the wire that it stands for.
    pub(super) largest: u32,
    /// Sent by the client.
    pub(super) from_client: bool,
    /// Since the link's first packet.
    pub(super) since: Nanos,
    /// The checksum field holds the sum of the pseudo header only, and options do not count in it.
    pub(super) partial: bool,
}

/// All middleboxes of a link, in order, with what they remember.
#[derive(Debug)]
pub(super) struct Middleboxes {
    boxes: Vec<Middlebox>,
    memory: Memory,
}

/// What they remember of the connections on the link.
#[derive(Debug, Default)]
struct Memory {
    acks: Acks,
    flows: Flows,
}

impl Middleboxes {
    pub(super) fn new(boxes: &[Middlebox]) -> Self {
        Self { boxes: boxes.to_vec(), memory: Memory::default() }
    }

    /// Nothing to do for any packet.
    pub(super) fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// Sends a packet through them.
    pub(super) fn pass(&mut self, packet: &mut Passing<'_>) -> Verdict {
        let mut changed = false;
        if let Some(tcp) = Tcp::new(packet.ip, packet.view) {
            self.memory.flows.note(&tcp, packet.from_client);
        }
        for middlebox in &self.boxes {
            match one(middlebox, &self.memory, packet) {
                Verdict::Untouched => {}
                Verdict::Changed => changed = true,
                dropped => return dropped,
            }
        }
        if let Some(tcp) = Tcp::new(packet.ip, packet.view) {
            self.memory.acks.note(&tcp);
        }
        if changed { Verdict::Changed } else { Verdict::Untouched }
    }
}

fn one(middlebox: &Middlebox, memory: &Memory, packet: &mut Passing<'_>) -> Verdict {
    match *middlebox {
        Middlebox::DropLarger(limit) if packet.largest > limit => Verdict::Dropped("larger"),
        Middlebox::DropLarger(_) => Verdict::Untouched,
        Middlebox::StripWindowScale => changed(options::strip_window_scale(packet)),
        Middlebox::ClampMss(limit) => changed(options::clamp_mss(packet, limit)),
        Middlebox::DropProbes(which) => {
            let probe = |tcp: &Tcp<'_>| memory.acks.is_probe(tcp);
            dropped(is_swallowed(which, memory, packet, probe), "probe")
        }
        Middlebox::DropAcks(which) => {
            dropped(is_swallowed(which, memory, packet, |tcp| tcp.is_bare()), "ack")
        }
    }
}

/// It is `asked` for, of the connection and in the time that are meant.
fn is_swallowed(
    which: Swallowed,
    memory: &Memory,
    packet: &Passing<'_>,
    asked: impl FnOnce(&Tcp<'_>) -> bool,
) -> bool {
    let Swallowed { from_client, flow, during } = which;
    let now = (during.from..during.to).contains(&packet.since);
    let Some(tcp) = Tcp::new(packet.ip, packet.view) else { return false };
    let meant = || flow.is_none_or(|n| memory.flows.number(&tcp, from_client) == Some(n));
    packet.from_client == from_client && now && asked(&tcp) && meant()
}

fn changed(yes: bool) -> Verdict {
    if yes { Verdict::Changed } else { Verdict::Untouched }
}

fn dropped(yes: bool, what: &'static str) -> Verdict {
    if yes { Verdict::Dropped(what) } else { Verdict::Untouched }
}

#[cfg(test)]
mod tests {
    use etherparse::PacketBuilder;
    use tcpwhy_core::link::Outage;

    use super::*;

    const SERVER: u16 = 80;

    /// A packet between a client's port and the server's, with `payload` bytes.
    fn packet(client: u16, from_client: bool, syn: bool, payload: usize) -> Vec<u8> {
        let (client_at, server_at) = ([10, 77, 0, 1], [10, 77, 0, 2]);
        let builder = if from_client {
            PacketBuilder::ipv4(client_at, server_at, 64).tcp(client, SERVER, 1, 9)
        } else {
            PacketBuilder::ipv4(server_at, client_at, 64).tcp(SERVER, client, 1, 9)
        };
        let builder = if syn { builder.syn() } else { builder.ack(1) };
        let mut bytes = Vec::new();
        builder.write(&mut bytes, &vec![0; payload]).unwrap();
        bytes
    }

    #[test]
    fn the_acks_of_one_connection_are_swallowed_and_those_of_others_pass() {
        let during = Outage { from: Nanos::ZERO, to: Nanos::MAX };
        let asked = Middlebox::DropAcks(Swallowed { from_client: false, flow: Some(2), during });
        let mut boxes = Middleboxes::new(&[asked]);
        let mut pass = |client, from_client, syn, payload| {
            let mut ip = packet(client, from_client, syn, payload);
            let view = View::new(&ip, ip.len()).unwrap();
            boxes.pass(&mut Passing {
                ip: &mut ip,
                view: &view,
                largest: 60,
                from_client,
                since: Nanos::ZERO,
                partial: false,
            })
        };
        for client in [4000, 4001] {
            assert_eq!(pass(client, true, true, 0), Verdict::Untouched, "SYN");
            assert_eq!(pass(client, true, true, 0), Verdict::Untouched, "SYN again");
        }
        assert_eq!(pass(4000, false, false, 0), Verdict::Untouched);
        assert_eq!(pass(4001, false, false, 0), Verdict::Dropped("ack"));
        assert_eq!(pass(4001, false, false, 100), Verdict::Untouched, "data");
        assert_eq!(pass(4001, true, false, 0), Verdict::Untouched, "of the other end");
        assert_eq!(pass(4002, false, false, 0), Verdict::Untouched, "nobody saw its SYN");
    }
}
