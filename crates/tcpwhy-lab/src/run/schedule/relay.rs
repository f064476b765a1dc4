//! A relay is several connections: each leg has its own schedule.

use super::bound::{Bound, bound};
use super::line::Line;
use super::{OWN, Part, What, ends, limit, over, put};
use crate::link::LinkReport;
use crate::spec::{Flow, Relay, Role, Scenario, Sending};
use crate::truth::Scheduled;
use crate::workload::{EndOutcome, FlowOutcome, SendingOutcome};
use tcpwhy_core::model::{Cause, Limit};

/// What a local connection may take in before anybody reads (the first of tcp_rmem's receive buffers).
const TAKEN_AT_ONCE: u64 = 131_072;

/// The legs of the sendings of a relayed connection.
pub(super) fn schedule(
    scenario: &Scenario,
    flow: &Flow,
    relay: &Relay,
    ran: &FlowOutcome,
    link: &LinkReport,
) -> Vec<Scheduled> {
    let legs = Legs { scenario, flow, relay, ran, link };
    let phases = flow.phases.iter().zip(&ran.sendings);
    phases
        .filter(|(sending, _)| sending.rounds <= 1)
        .flat_map(|(sending, outcome)| match relay.on {
            Role::Server => legs.before_the_link(sending, outcome),
            Role::Client => legs.behind_the_link(sending, outcome),
        })
        .collect()
}

struct Legs<'a> {
    scenario: &'a Scenario,
    flow: &'a Flow,
    relay: &'a Relay,
    ran: &'a FlowOutcome,
    link: &'a LinkReport,
}

impl Legs<'_> {
    /// The relay is the server's: its client is over the link, its backend local.
    fn before_the_link(&self, sending: &Sending, outcome: &SendingOutcome) -> Vec<Scheduled> {
        let flow = Flow { server_socket: self.relay.front.clone(), ..self.flow.clone() };
        let held = bound(self.scenario, &flow, sending);
        let Some(over_link) = ends(&self.ran.client, sending.from) else { return Vec::new() };
        let part = Part {
            scenario: self.scenario,
            flow: &flow,
            sending,
            ran: outcome,
            ends: over_link,
            link: self.link,
            over_ns: over(self.ran),
        };
        let mut all: Vec<_> = put(over_link, part.line().into_intervals()).collect();
        let [_, back, ..] = &self.ran.relay[..] else { return all };
        // Towards the backend the relay is the client.
        let Some(local) = ends(back, sending.from) else { return all };
        all.extend(put(local, self.local(sending, outcome, held.bound, back).into_intervals()));
        all
    }

    /// The leg on the host itself: it waits for the leg over the link, whichever of the two comes first.
    fn local(
        &self,
        sending: &Sending,
        outcome: &SendingOutcome,
        bound: Bound,
        back: &EndOutcome,
    ) -> Line {
        let mut line = Line::default();
        let reader = (Limit::ReceiveWindow, Cause::SlowReader);
        match (sending.from, bound) {
            (_, Bound::Application) | (Role::Client, Bound::Link | Bound::SendBuffer) => {
                push(&mut line, outcome.start_ns, outcome.end_ns, OWN);
            }
            (Role::Server, _) if sending.bytes > TAKEN_AT_ONCE => {
                let [first, last] = back.read_ns.map_or([None; 2], |times| times.map(Some));
                push(&mut line, first, last, reader);
            }
            (Role::Client, Bound::Reader) => {
                push(&mut line, outcome.start_ns, outcome.end_ns, reader);
            }
            _ => {}
        }
        line
    }

    /// The relay is the client's: each backend is a connection over the link, read after the one before it.
    fn behind_the_link(&self, sending: &Sending, outcome: &SendingOutcome) -> Vec<Scheduled> {
        let mut all = Vec::new();
        if sending.from == Role::Client {
            return all;
        }
        let flow = Flow { client_socket: self.relay.back.clone(), ..self.flow.clone() };
        let share = sending.bytes / u64::from(self.relay.shards.max(1));
        let shard = Sending { bytes: share, ..sending.clone() };
        let held = bound(self.scenario, &flow, &shard);
        let over_link = limit(held.bound, self.scenario.link.way_from(sending.from));
        for back in self.ran.relay.iter().skip(1) {
            let (Some(start), Some([first, last])) = (outcome.start_ns, back.read_ns) else {
                continue;
            };
            let Some(ends) = ends(back, sending.from) else { continue };
            let mut line = Line::default();
            let opened = (start + held.slow_start_ns).min(last);
            line.push(start, opened, (Limit::CongestionWindow, Cause::SlowStart));
            // Nobody reads before its turn.
            line.push(opened, first.max(opened), (Limit::ReceiveWindow, Cause::ZeroWindow));
            line.push(first.max(opened), last, over_link);
            all.extend(put(ends, line.into_intervals()));
        }
        // The relay has nothing for its client but what comes over the link.
        let front = self.ran.relay.first().and_then(|front| Some([front.local?, front.remote?]));
        if let (Some(ends), false) = (front, held.bound == Bound::Reader) {
            let mut line = Line::default();
            push(&mut line, outcome.first_byte_ns, outcome.end_ns, OWN);
            all.extend(put(ends, line.into_intervals()));
        }
        all
    }
}

fn push(line: &mut Line, from: Option<i64>, to: Option<i64>, what: What) {
    if let (Some(from), Some(to)) = (from, to) {
        line.push(from, to, what);
    }
}
