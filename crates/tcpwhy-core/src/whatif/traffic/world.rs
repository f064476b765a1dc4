//! The event loop: two hosts, a path between them, and virtual time.

use super::app::{Sink, Source};
use super::host::{Host, clock};
use super::link::Path;
use super::opening::{REQUESTER_WINDOW, handshake, opening, receivers, senders};
use super::packet::Packet;
use super::receiver::Receiver;
use super::scenario::{Control, Loss, Scenario};
use super::sender::{Hold, Sender};
use super::tap::Trace;
use super::truth::Timeline;
use crate::model::{Cause, Limit, Side};
use crate::units::Nanos;

/// A connection that lives longer in virtual time is cut here.
const LONGEST: Nanos = Nanos::from_secs(4 * 3600);

struct World<'a> {
    scenario: &'a Scenario,
    path: Path,
    source_host: Host,
    sink_host: Host,
    source: Source,
    sink: Sink,
    packets: Vec<Packet>,
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
        // The server may talk when the client's ACK arrives, half a round trip after the client may.
        let (source_at, sink_at) = match s.data_from {
            Side::Server => (connected + s.rtt.scale(1, 2), connected),
            Side::Client => (connected, connected + s.rtt.scale(1, 2)),
        };
        let (source_host, sink_host) = hosts(s, connected, (source_at, sink_at));
        Self {
            scenario: s,
            path: Path::new(s),
            source_host,
            sink_host,
            source: Source::new(s.workload, source_at),
            sink: Sink::new(s.workload, s.reader.clone(), s.start, sink_at),
            packets,
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
        // What is still on its way at the deadline arrives, though nobody looks any more.
        while let Some(due) = self.path.due() {
            while self.take(due).is_some() {}
        }
    }

    fn next_event(&self) -> Option<Nanos> {
        let sink = (!self.sink_host.sender.is_dead())
            .then(|| self.sink.wake_at(&self.sink_host.receiver))
            .flatten();
        let source = (!self.source_host.sender.is_dead()).then(|| self.source.wake_at()).flatten();
        let timers = [self.source_host.timeout(), self.sink_host.timeout()];
        timers.into_iter().chain([sink, source, self.path.due()]).flatten().min()
    }

    fn deliver(&mut self, now: Nanos) {
        while let Some(number) = self.take(now) {
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

    /// The next packet that has arrived.
    fn take(&mut self, now: Nanos) -> Option<usize> {
        let (at, number) = self.path.take(now)?;
        if let Some(packet) = self.packets.get_mut(number) {
            packet.arrived = Some(at);
        }
        Some(number)
    }

    fn transmit(&mut self, now: Nanos) {
        let mut out = std::mem::take(&mut self.outgoing);
        self.source_host.transmit(now, &mut out);
        self.sink_host.transmit(now, &mut out);
        for mut packet in out.drain(..) {
            let is_data = packet.from() == self.scenario.data_from;
            let place = self.scenario.bottleneck;
            packet.drop_at = if is_data { place } else { 1.0 - place };
            self.path.send(now, &packet, self.packets.len(), is_data);
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
            let large_only = matches!(self.scenario.loss, Loss::LargerThan(_));
            let cause = if large_only {
                Cause::PmtuBlackHole
            } else if sender.gave_up_probing() {
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
        // A control that ignores losses is not held back by repairing them.
        let ignored = self.scenario.control == Control::Paced;
        let recovering = sender.recovering().filter(|c| !(ignored && *c == Cause::FastRetransmit));
        let (limit, cause) = match (recovering, hold) {
            (Some(cause), _) => (Limit::LossRecovery, cause),
            (None, Hold::Empty) => self.source.limit(),
            (None, Hold::Nagle) if self.source.limit().0 == Limit::SendBuffer => {
                self.source.limit()
            }
            (None, hold) => sender.limit(hold, growing, self.scenario.scale.is_none()),
        };
        self.timeline.set(now, limit, cause);
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

/// The data sender and its peer, which may talk from the times `ready` on.
fn hosts(s: &Scenario, connected: Nanos, ready: (Nanos, Nanos)) -> (Host, Host) {
    let server_is_source = s.data_from == Side::Server;
    let (data, asking) = senders(s);
    let (requests, window) = receivers(s);
    // RFC 7323 section 2.3: a larger shift counts as 14.
    let scale = s.scale.unwrap_or(0).min(14);
    let largest = 65_535_u64 << scale;
    let first_window = s.window.initial.min(largest).min(65_535);
    let mut source_host = Host::new(
        server_is_source,
        Sender::new(data, ready.0, s.rtt, first_window),
        Receiver::new(requests, ready.0),
        scale,
        s.timestamps,
    );
    let mut sink_host = Host::new(
        !server_is_source,
        Sender::new(asking, ready.1, s.rtt, REQUESTER_WINDOW.min(largest)),
        Receiver::new(window, ready.1),
        scale,
        s.timestamps,
    );
    // The SYN/ACK's value at the client, the last ACK's at the server.
    let syn_ack = clock(connected - s.rtt.scale(1, 2), true);
    let ack = clock(connected, false);
    let (source_recent, sink_recent) =
        if server_is_source { (ack, syn_ack) } else { (syn_ack, ack) };
    source_host.receiver.set_ts_recent(source_recent);
    sink_host.receiver.set_ts_recent(sink_recent);
    (source_host, sink_host)
}
