//! English.

use super::{Key, Kind, Store};
use tcpwhy_core::picture::Mark;

pub(super) fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::TimeSequence => "Time and sequence",
        Kind::Flight => "Bytes in flight and their ceilings",
        Kind::Window => "Advertised window",
        Kind::Rtt => "Round-trip time",
        Kind::Throughput => "Throughput",
        Kind::Band => "Timeline",
        Kind::Samples => "What the sockets held",
        Kind::Ladder => "Packet by packet",
        Kind::Warehouses => "The three warehouses",
    }
}

pub(super) fn key(key: Key) -> &'static str {
    match key {
        Key::Data => "data",
        Key::Resent => "sent again",
        Key::Acks => "acknowledged",
        Key::Edge => "allowed by the window",
        Key::Sacks => "SACK",
        Key::Flight => "in flight",
        Key::Window => "advertised window",
        Key::Plateau => "send buffer (plateau)",
        Key::Cwnd => "congestion window (estimate)",
        Key::Rtt => "RTT",
        Key::RttFloor => "floor",
        Key::Sent => "sent",
        Key::Goodput => "goodput",
        Key::SendQueue => "send queue",
        Key::SendMemory => "its memory",
        Key::SendBuffer => "send buffer",
        Key::SampledCwnd => "congestion window",
        Key::Ssthresh => "slow start threshold",
        Key::ReceiveQueue => "receive queue",
        Key::ReceiveBuffer => "receive buffer",
    }
}

pub(super) fn store(store: Store) -> &'static str {
    match store {
        Store::Sender => "send buffer",
        Store::UnknownSender => "send buffer: size unknown",
        Store::Road => "road, at the highest rate known",
        Store::Receiver => "receive buffer",
    }
}

pub(super) fn mark(mark: Mark) -> &'static str {
    match mark {
        Mark::ZeroWindow => "zero window",
        Mark::WindowFull => "window full",
        Mark::DuplicateAck => "duplicate ACK",
        Mark::Marked => "congestion mark (CE)",
        Mark::Echo => "mark echoed (ECE)",
        Mark::Reduced => "sender slows down (CWR)",
        Mark::Syn => "SYN",
        Mark::Fin => "FIN",
        Mark::Rst => "RST",
        Mark::Timeout => "timer ran out",
    }
}
