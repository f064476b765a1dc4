//! What changes or drops packets on the way: edits of TCP headers, each with its checksum.

mod options;
mod probes;

use tcpwhy_core::link::Outage;
use tcpwhy_core::units::Nanos;

use self::probes::Acks;
use super::tcp::Tcp;
use super::view::View;
use crate::spec::Middlebox;

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
    acks: Acks,
}

impl Middleboxes {
    pub(super) fn new(boxes: &[Middlebox]) -> Self {
        Self { boxes: boxes.to_vec(), acks: Acks::default() }
    }

    /// Nothing to do for any packet.
    pub(super) fn is_empty(&self) -> bool {
        self.boxes.is_empty()
    }

    /// Sends a packet through them.
    pub(super) fn pass(&mut self, packet: &mut Passing<'_>) -> Verdict {
        let mut changed = false;
        for middlebox in &self.boxes {
            match one(middlebox, &self.acks, packet) {
                Verdict::Untouched => {}
                Verdict::Changed => changed = true,
                dropped => return dropped,
            }
        }
        if let Some(tcp) = Tcp::new(packet.ip, packet.view) {
            self.acks.note(&tcp);
        }
        if changed { Verdict::Changed } else { Verdict::Untouched }
    }
}

fn one(middlebox: &Middlebox, acks: &Acks, packet: &mut Passing<'_>) -> Verdict {
    let since = packet.since;
    let applies = |from_client, during: Outage| {
        packet.from_client == from_client && (during.from..during.to).contains(&since)
    };
    match *middlebox {
        Middlebox::DropLarger(limit) if packet.largest > limit => Verdict::Dropped("larger"),
        Middlebox::DropLarger(_) => Verdict::Untouched,
        Middlebox::StripWindowScale => changed(options::strip_window_scale(packet)),
        Middlebox::ClampMss(limit) => changed(options::clamp_mss(packet, limit)),
        Middlebox::DropProbes { from_client, during } => {
            let tcp = Tcp::new(packet.ip, packet.view);
            let probe = tcp.is_some_and(|tcp| acks.is_probe(&tcp));
            dropped(applies(from_client, during) && probe, "probe")
        }
        Middlebox::DropAcks { from_client, during } => {
            let tcp = Tcp::new(packet.ip, packet.view);
            let ack = tcp.is_some_and(|tcp| tcp.is_bare());
            dropped(applies(from_client, during) && ack, "ack")
        }
    }
}

fn changed(yes: bool) -> Verdict {
    if yes { Verdict::Changed } else { Verdict::Untouched }
}

fn dropped(yes: bool, what: &'static str) -> Verdict {
    if yes { Verdict::Dropped(what) } else { Verdict::Untouched }
}
