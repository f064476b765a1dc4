//! What a scenario schedules: the limit of each phase by arithmetic, at the times at which the phase ran; recovery where the link lost
//! what it was told to lose; silence where a middlebox swallows. Where the construction does not fix a limit (losses by chance,
//! several connections on one link, programs) there is none.

mod bound;
mod line;
mod losses;
mod relay;
mod silence;

use crate::link::LinkReport;
use crate::spec::{Flow, Pace, Role, Scenario, Sending, Workload};
use crate::truth::{Interval, Scheduled};
use crate::workload::{EndOutcome, FlowOutcome, Outcome, SendingOutcome};
use bound::{Bound, Held, bound};
use line::Line;
use std::net::SocketAddr;
use tcpwhy_core::link::WaySpec;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::units::Nanos;

/// A limit and its cause.
type What = (Limit, Cause);

/// What the applications did on purpose.
const OWN: What = (Limit::Application, Cause::SenderApplication);

/// The scheduled limits of a scenario with one connection (through a relay: of each of its legs).
pub(super) fn schedule(
    scenario: &Scenario,
    outcome: &Outcome,
    link: &LinkReport,
) -> Vec<Scheduled> {
    let Workload::Flows(flows) = &scenario.workload else { return Vec::new() };
    let ([flow], [ran]) = (flows.as_slice(), outcome.flows.as_slice()) else { return Vec::new() };
    match &flow.relay {
        None => straight(scenario, flow, ran, link),
        Some(relay) => relay::schedule(scenario, flow, relay, ran, link),
    }
}

/// A connection over the link, all of its phases.
fn straight(
    scenario: &Scenario,
    flow: &Flow,
    ran: &FlowOutcome,
    link: &LinkReport,
) -> Vec<Scheduled> {
    let mut all = Vec::new();
    for (sending, outcome) in flow.phases.iter().zip(&ran.sendings) {
        let Some(ends) = ends(&ran.client, sending.from) else { continue };
        let over_ns = over(ran);
        let part = Part { scenario, flow, sending, ran: outcome, ends, link, over_ns };
        all.extend(put(ends, part.line().into_intervals()));
    }
    all
}

fn put(ends: [SocketAddr; 2], line: Vec<Interval>) -> impl Iterator<Item = Scheduled> {
    line.into_iter().map(move |interval| Scheduled { ends, interval })
}

/// Sender and receiver, by what the client's end knows.
fn ends(client: &EndOutcome, from: Role) -> Option<[SocketAddr; 2]> {
    let (client, server) = (client.local?, client.remote?);
    Some(if from == Role::Client { [client, server] } else { [server, client] })
}

/// When the client was done with the connection.
fn over(ran: &FlowOutcome) -> i64 {
    let first = ran.sendings.iter().filter_map(|s| s.start_ns).min();
    first.map_or(i64::MIN, |start| start.saturating_add((ran.seconds * 1e9) as i64))
}

/// One sending over the link.
struct Part<'a> {
    scenario: &'a Scenario,
    /// Its sockets are those of this connection.
    flow: &'a Flow,
    sending: &'a Sending,
    ran: &'a SendingOutcome,
    /// The sender's, the receiver's.
    ends: [SocketAddr; 2],
    link: &'a LinkReport,
    over_ns: i64,
}

impl Part<'_> {
    fn line(&self) -> Line {
        let mut line = Line::default();
        let Some(start) = self.ran.start_ns else { return line };
        line.push(start - self.sending.before.0, start, OWN);
        if is_left_to_chance(self.way()) {
            return line;
        }
        let held = bound(self.scenario, self.flow, self.sending);
        // Rounds take turns: only their application is known, and not when.
        if let (Some(end), 0 | 1) = (self.ran.end_ns, self.sending.rounds) {
            self.steady(&mut line, held, start, end);
        }
        losses::lay(self, held, start, &mut line);
        silence::lay(self, start, &mut line);
        line
    }

    /// Slow start, then what the arithmetic says; nothing while the reader stops.
    fn steady(&self, line: &mut Line, held: Held, start: i64, end: i64) {
        let opened = (start + held.slow_start_ns).min(end);
        line.push(start, opened, (Limit::CongestionWindow, Cause::SlowStart));
        line.push(opened, end, limit(held.bound, self.way()));
        let first_byte = self.ran.first_byte_ns.unwrap_or(start);
        for (stop, resume) in pauses(&self.sending.reader, first_byte) {
            let (stop, resume) = (stop.clamp(opened, end), resume.min(self.over_ns.max(end)));
            line.lay(stop, resume, (Limit::ReceiveWindow, Cause::ZeroWindow));
        }
    }

    fn way(&self) -> &WaySpec {
        self.scenario.link.way_from(self.sending.from)
    }

    fn round_trip(&self) -> i64 {
        self.scenario.link.round_trip().0
    }

    /// It ended with all that was asked.
    fn is_complete(&self) -> bool {
        self.ran.read >= self.ran.asked
    }

    /// The last byte was read, or the connection given up.
    fn end_ns(&self) -> i64 {
        self.ran.end_ns.filter(|_| self.is_complete()).unwrap_or(self.over_ns)
    }
}

fn limit(bound: Bound, way: &WaySpec) -> What {
    match bound {
        Bound::Link if way.policer.is_some() => (Limit::PathBandwidth, Cause::Policer),
        Bound::Link => (Limit::PathBandwidth, Cause::StandingQueue),
        Bound::Pacing => (Limit::CongestionWindow, Cause::Pacing),
        Bound::SendBuffer => (Limit::SendBuffer, Cause::None),
        Bound::ReceiveWindow => (Limit::ReceiveWindow, Cause::SmallBuffer),
        Bound::Reader => (Limit::ReceiveWindow, Cause::SlowReader),
        Bound::Application => OWN,
    }
}

/// Losses by chance and their recovery have no times that could be told before.
fn is_left_to_chance(way: &WaySpec) -> bool {
    way.loss.random > 0.0 || way.loss.burst.is_some()
}

/// When the reader stops and goes on, nanoseconds since the Unix epoch.
fn pauses(reader: &Pace, first_byte: i64) -> Vec<(i64, i64)> {
    let Pace::Stops(times) = reader else { return Vec::new() };
    let at = |t: Nanos| first_byte.saturating_add(t.0);
    times.iter().map(|(stop, resume)| (at(*stop), resume.map_or(i64::MAX, at))).collect()
}

#[cfg(test)]
mod tests;
