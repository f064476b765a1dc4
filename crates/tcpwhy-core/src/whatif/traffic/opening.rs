//! How a connection begins: its handshake and the settings of its two ends.

use super::host::clock;
use super::packet::Packet;
use super::receiver::ReceiverConfig;
use super::scenario::{Control, Scenario};
use super::sender::SenderConfig;
use super::truth::Timeline;
use crate::model::{Cause, Limit, Side};
use crate::observe::flags;
use crate::units::Nanos;

/// Window of the end that only sends data, for the requests of its peer; and what the peer sees.
pub(super) const REQUESTER_WINDOW: u64 = 65_536;

/// SYN to the first data allowed.
pub(super) fn opening(s: &Scenario, until: Nanos) -> Timeline {
    let cause = if s.syn_losses > 0 { Cause::SynRetry } else { Cause::None };
    let mut timeline = Timeline::new(s.start, Limit::Handshake, cause);
    let waits = s.workload.request_bytes > 0;
    let cause = if waits { Cause::WaitingForPeer } else { Cause::SenderApplication };
    timeline.set(until, Limit::Application, cause);
    timeline
}

pub(super) fn senders(s: &Scenario) -> (SenderConfig, SenderConfig) {
    let options = if s.timestamps { 12 } else { 0 };
    let data = SenderConfig {
        mss: u64::from(s.mss.max(64) - options),
        buffer: s.send_buffer,
        nagle: s.nagle,
        sack: s.sack,
        control: s.control,
        initial_cwnd: s.initial_cwnd,
    };
    (data, SenderConfig { buffer: 0, nagle: false, control: Control::Reno, ..data })
}

pub(super) fn receivers(s: &Scenario) -> (ReceiverConfig, ReceiverConfig) {
    let options = if s.timestamps { 12 } else { 0 };
    let data = ReceiverConfig {
        mss: u64::from(s.mss.max(64) - options),
        initial: s.window.initial,
        max: s.window.max.max(s.window.initial),
        scale: s.scale,
        delayed_ack: s.delayed_ack,
        rtt: s.rtt,
        sack: s.sack,
    };
    (ReceiverConfig { initial: REQUESTER_WINDOW, max: REQUESTER_WINDOW, ..data }, data)
}

/// The three packets that open the connection; when the client may send.
pub(super) fn handshake(s: &Scenario, packets: &mut Vec<Packet>) -> Nanos {
    let leg = s.rtt.scale(1, 2);
    let mut at = s.start;
    for attempt in 0..s.syn_losses.min(6) {
        packets.push(syn(s, at, false, None));
        at += Nanos::from_secs(1 << attempt);
    }
    let there = at + leg;
    let back = at + s.rtt;
    packets.push(syn(s, at, false, Some(there)));
    packets.push(syn(s, there, true, Some(back)));
    let window = window_of(s, s.data_from == Side::Server) >> s.scale.unwrap_or(0).min(14);
    packets.push(Packet {
        seq: 1,
        ack: 1,
        flags: flags::ACK,
        window: window.min(65_535) as u16,
        ts_val: if s.timestamps { clock(back, false) } else { 0 },
        ts_ecr: if s.timestamps { clock(there, true) } else { 0 },
        sent: back,
        arrived: Some(back + leg),
        drop_at: 0.5,
        ..Packet::default()
    });
    back
}

fn syn(s: &Scenario, at: Nanos, is_server: bool, arrived: Option<Nanos>) -> Packet {
    let receives_data = is_server != (s.data_from == Side::Server);
    let echo = if is_server { clock(at - s.rtt.scale(1, 2), false) } else { 0 };
    Packet {
        from_server: is_server,
        ack: u64::from(is_server),
        flags: flags::SYN | if is_server { flags::ACK } else { 0 },
        window: window_of(s, receives_data).min(65_535) as u16,
        ts_val: if s.timestamps { clock(at, is_server) } else { 0 },
        ts_ecr: if s.timestamps { echo } else { 0 },
        sent: at,
        arrived,
        drop_at: 0.5,
        ..Packet::default()
    }
}

fn window_of(s: &Scenario, receives_data: bool) -> u64 {
    if receives_data { s.window.initial } else { REQUESTER_WINDOW }
}
