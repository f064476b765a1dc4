//! The event loop: two hosts, a path between them, and virtual time.

use super::app::{Sink, Source};
use super::host::{Host, clock};
use super::link::Path;
use super::packet::Packet;
use super::receiver::{Receiver, ReceiverConfig};
use super::scenario::{Control, Loss, Scenario};
use super::sender::{Hold, Sender, SenderConfig};
use super::tap::Trace;
use super::truth::Timeline;
use crate::model::{Cause, Limit, Side};
use crate::observe::flags;
use crate::units::Nanos;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A connection that lives longer in virtual time is cut here.
const LONGEST: Nanos = Nanos::from_secs(4 * 3600);
/// Window and buffer of the end that only sends requests.
const REQUESTER_WINDOW: u64 = 65_536;

struct World<'a> {
    scenario: &'a Scenario,
    path: Path,
    source_host: Host,
    sink_host: Host,
    source: Source,
    sink: Sink,
    packets: Vec<Packet>,
    /// Arrivals: time, packet number.
    arrivals: BinaryHeap<Reverse<(Nanos, usize)>>,
    timeline: Timeline,
    end: Option<Nanos>,
    outgoing: Vec<Packet>,
}

/// Runs a scenario to its end.
pub fn simulate(scenario: &Scenario) -> Trace {
    let mut world = World::new(scenario);
    world.run();
    let end = world.end.unwrap_or_else(|| world.last_time());
    let (busy, cause) = busy_periods(scenario, &world.path);
    let truth = world.timeline.finish(end, &busy, cause);
    Trace::new(scenario.clone(), world.packets, truth)
}

/// When the path's bandwidth was the limit, and how that showed.
fn busy_periods(s: &Scenario, path: &Path) -> (Vec<(Nanos, Nanos)>, Cause) {
    if let Loss::Policer { .. } = s.loss {
        let from = path.first_policed().unwrap_or(Nanos::MAX);
        return (vec![(from, Nanos::MAX)], Cause::Policer);
    }
    let cause = if s.control == Control::Paced { Cause::SteadyRate } else { Cause::StandingQueue };
    (path.busy_periods(s.rtt), cause)
}

impl<'a> World<'a> {
    fn new(s: &'a Scenario) -> Self {
        let mut packets = Vec::new();
        let connected = handshake(s, &mut packets);
        let server_is_source = s.data_from == Side::Server;
        // The server may talk when the client's ACK arrives, half a round trip after the client may.
        let (source_at, sink_at) = match server_is_source {
            true => (connected + s.rtt.scale(1, 2), connected),
            false => (connected, connected + s.rtt.scale(1, 2)),
        };
        let (data, asking) = senders(s);
        let (requests, window) = receivers(s);
        let scale = s.scale.unwrap_or(0);
        let largest = 65_535_u64 << scale.min(14);
        let first_window = s.window.initial.min(largest).min(65_535);
        let mut source_host = Host::new(
            server_is_source,
            Sender::new(data, source_at, s.rtt, first_window),
            Receiver::new(requests, source_at),
            scale,
            s.timestamps,
        );
        let mut sink_host = Host::new(
            !server_is_source,
            Sender::new(asking, sink_at, s.rtt, REQUESTER_WINDOW.min(largest)),
            Receiver::new(window, sink_at),
            scale,
            s.timestamps,
        );
        source_host.receiver.set_ts_recent(clock(connected, !server_is_source));
        sink_host.receiver.set_ts_recent(clock(connected, server_is_source));
        Self {
            scenario: s,
            path: Path::new(s),
            source_host,
            sink_host,
            source: Source::new(s.workload, source_at),
            sink: Sink::new(s.workload, s.reader.clone(), s.start, sink_at),
            packets,
            arrivals: BinaryHeap::new(),
            timeline: opening(s, source_at),
            end: None,
            outgoing: Vec::new(),
        }
    }

    fn run(&mut self) {
        let deadline = self.scenario.start + LONGEST;
        while let Some(now) = self.next_event().filter(|now| *now < deadline) {
            self.deliver(now);
            if let Some(since) = self.source_host.sender.on_timeout(now) {
                self.note_stall(now, since);
            }
            let _ = self.sink_host.sender.on_timeout(now);
            self.source.run(
                now,
                &mut self.source_host.sender,
                self.source_host.receiver.received(),
            );
            self.sink.run(now, &mut self.sink_host.sender, &mut self.sink_host.receiver);
            self.transmit(now);
            self.label(now);
        }
    }

    fn next_event(&self) -> Option<Nanos> {
        let sink = (!self.sink_host.sender.is_dead())
            .then(|| self.sink.wake_at(&self.sink_host.receiver))
            .flatten();
        let source = (!self.source_host.sender.is_dead()).then(|| self.source.wake_at()).flatten();
        let arrival = self.arrivals.peek().map(|Reverse((at, _))| *at);
        let timers = [self.source_host.timeout(), self.sink_host.timeout()];
        timers.into_iter().chain([sink, source, arrival]).flatten().min()
    }

    fn deliver(&mut self, now: Nanos) {
        while let Some(Reverse((at, number))) = self.arrivals.peek().copied() {
            if at > now {
                return;
            }
            self.arrivals.pop();
            let Some(packet) = self.packets.get(number) else { continue };
            let host = match packet.from() == self.scenario.data_from {
                true => &mut self.sink_host,
                false => &mut self.source_host,
            };
            host.on_packet(now, packet);
            // Between two packets of one instant the reader and the sender act, as their kernels do.
            self.source.run(
                now,
                &mut self.source_host.sender,
                self.source_host.receiver.received(),
            );
            self.sink.run(now, &mut self.sink_host.sender, &mut self.sink_host.receiver);
            self.transmit(now);
        }
    }

    fn transmit(&mut self, now: Nanos) {
        let mut out = std::mem::take(&mut self.outgoing);
        self.source_host.transmit(now, &mut out);
        self.sink_host.transmit(now, &mut out);
        for mut packet in out.drain(..) {
            let is_data = packet.from() == self.scenario.data_from;
            packet.arrived = match is_data {
                true => self.path.data(now, packet.len),
                false => self.path.back(now),
            };
            let place = self.scenario.bottleneck;
            packet.drop_at = if is_data { place } else { 1.0 - place };
            if let Some(at) = packet.arrived {
                self.arrivals.push(Reverse((at, self.packets.len())));
            }
            self.packets.push(packet);
        }
        self.outgoing = out;
    }

    /// Writes down what holds the data sender from now on.
    fn label(&mut self, now: Nanos) {
        let sender = &mut self.source_host.sender;
        if self.end.is_some() {
            return;
        }
        if sender.is_dead() {
            let cause = if sender.gave_up_probing() {
                Cause::ProbesUnanswered
            } else {
                Cause::PeerVanished
            };
            self.timeline.set(sender.last_ack(), Limit::SilentPath, cause);
            self.end = Some(now);
            return;
        }
        let hold = sender.hold(now).unwrap_or(Hold::Congestion);
        sender.note(now, hold);
        let growing = self.sink_host.receiver.growing();
        let state = match (sender.recovering(), hold) {
            (Some(cause), _) => Some((Limit::LossRecovery, cause)),
            (None, Hold::Empty) => self.source.limit(),
            (None, Hold::Nagle)
                if self.source.limit().is_some_and(|l| l.0 == Limit::SendBuffer) =>
            {
                self.source.limit()
            }
            (None, hold) => Some(sender.limit(hold, growing, self.scenario.scale.is_none())),
        };
        if let Some((limit, cause)) = state {
            self.timeline.set(now, limit, cause);
        }
        if self.source.is_done() && sender.all_acked() {
            self.end = Some(now);
        }
    }

    fn note_stall(&mut self, now: Nanos, since: Nanos) {
        let cause = self.source_host.sender.recovering().unwrap_or(Cause::Timeout);
        if self.end.is_none() {
            self.timeline.set(since.min(now), Limit::LossRecovery, cause);
        }
    }

    fn last_time(&self) -> Nanos {
        self.packets.last().map_or(self.scenario.start, |p| p.sent)
    }
}

/// SYN to the first data allowed.
fn opening(s: &Scenario, until: Nanos) -> Timeline {
    let cause = if s.syn_losses > 0 { Cause::SynRetry } else { Cause::None };
    let mut timeline = Timeline::new(s.start, Limit::Handshake, cause);
    let waits = s.workload.request_bytes > 0;
    let cause = if waits { Cause::WaitingForPeer } else { Cause::SenderApplication };
    timeline.set(until, Limit::Application, cause);
    timeline
}

fn senders(s: &Scenario) -> (SenderConfig, SenderConfig) {
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

fn receivers(s: &Scenario) -> (ReceiverConfig, ReceiverConfig) {
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
fn handshake(s: &Scenario, packets: &mut Vec<Packet>) -> Nanos {
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
