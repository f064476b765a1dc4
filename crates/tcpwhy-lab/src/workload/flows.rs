//! Our own sockets: listeners first, then every client at its time, each end in a thread of its own.

use super::connection::{Done, End};
use super::log::Kind;
use super::outcome::{EndOutcome, Ended, FlowOutcome, SendingOutcome};
use super::patience::Patience;
use super::plan::Plan;
use super::relay::Pump;
use super::sending::span;
use super::sockets::{accept, connect, listen};
use super::{Error, Site};
use crate::spec::{Flow, Role, Sending};
use socket2::Socket;
use std::net::Shutdown;
use std::sync::Arc;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::Instant;

/// Runs all flows to their ends.
pub(super) fn run(flows: &[Flow], site: &Site<'_>) -> Result<Vec<FlowOutcome>, Error> {
    let plans = flows.iter().map(|flow| Plan::of(flow, site)).collect::<Result<Vec<_>, _>>()?;
    super::plan::check(&plans)?;
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let running: Vec<_> = plans
            .iter()
            .enumerate()
            .map(|(number, plan)| scope.spawn(move || run_flow(number, plan, site, begin)))
            .collect();
        let mut outcomes = Vec::new();
        for flow in running {
            outcomes.extend(joined(flow)?);
        }
        Ok(outcomes)
    })
}

fn joined<T>(thread: ScopedJoinHandle<'_, Result<T, Error>>) -> Result<T, Error> {
    let broken = |_| {
        let cause = std::io::Error::other("it broke");
        Err(Error::System { what: "wait for a thread of the workload".to_owned(), cause })
    };
    thread.join().unwrap_or_else(broken)
}

/// Everything that the threads of one flow share.
struct Stage<'a> {
    plan: &'a Plan<'a>,
    site: &'a Site<'a>,
    patience: &'a Patience,
    start: Instant,
}

fn run_flow(
    number: usize,
    plan: &Plan<'_>,
    site: &Site<'_>,
    begin: Instant,
) -> Result<Vec<FlowOutcome>, Error> {
    let start = begin + span(plan.flow.start);
    let patience = Patience::until(start + span(plan.flow.give_up));
    std::thread::scope(|scope| {
        scope.spawn(|| patience.watch(site.stop));
        let stage = Stage { plan, site, patience: &patience, start };
        let outcome = stage.run(number);
        patience.done();
        outcome
    })
}

impl Stage<'_> {
    fn run(&self, number: usize) -> Result<Vec<FlowOutcome>, Error> {
        let listeners = self.listeners()?;
        let relay_listener = self.relay_listener()?;
        std::thread::scope(|scope| {
            let backends: Vec<_> = listeners
                .iter()
                .zip(&self.plan.backend_phases)
                .map(|(listener, phases)| {
                    scope.spawn(move || self.or_end(self.serve(scope, listener, phases)))
                })
                .collect();
            let relay = relay_listener
                .as_ref()
                .map(|listener| scope.spawn(move || self.or_end(self.relay(scope, listener))));
            let clients: Vec<_> = (0..self.plan.flow.count)
                .map(|_| scope.spawn(|| self.or_end(self.client())))
                .collect();
            let clients: Result<Vec<_>, _> = clients.into_iter().map(joined).collect();
            // Whoever still waits for a client that never came waits no longer.
            for listener in listeners.iter().chain(&relay_listener) {
                let _ = listener.shutdown(Shutdown::Both);
            }
            let relayed = relay.map_or(Ok(Vec::new()), joined)?;
            let served = backends.into_iter().map(joined).collect::<Result<Vec<_>, _>>()?;
            Ok(self.outcomes(number, clients?, served, relayed))
        })
    }

    /// What cannot go on ends the other threads of the flow too.
    fn or_end<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        if result.is_err() {
            self.patience.end();
        }
        result
    }

    /// Runs `make` in a host, in a thread that ends with it.
    fn inside<T: Send>(
        &self,
        role: Role,
        make: impl FnOnce() -> Result<T, Error> + Send,
    ) -> Result<T, Error> {
        std::thread::scope(|scope| {
            joined(scope.spawn(|| {
                self.site.enter(role)?;
                make()
            }))
        })
    }

    fn listeners(&self) -> Result<Vec<Arc<Socket>>, Error> {
        let options = &self.plan.flow.server_socket;
        let listen_at = |address: &_| listen(*address, options, self.patience);
        self.inside(Role::Server, || self.plan.backends.iter().map(listen_at).collect())
    }

    fn relay_listener(&self) -> Result<Option<Arc<Socket>>, Error> {
        let Some(relay) = &self.plan.flow.relay else { return Ok(None) };
        let make = || listen(self.plan.client_to, &relay.front, self.patience);
        self.inside(relay.on, make).map(Some)
    }

    fn client(&self) -> Result<(Done, f64), Error> {
        self.site.enter(Role::Client)?;
        let phases = &self.plan.flow.phases;
        self.patience.sleep_until(self.start);
        let begun = Instant::now();
        let options = &self.plan.flow.client_socket;
        let done = match connect(self.plan.client_to, options, self.patience)? {
            Ok(socket) => self.end(socket, Role::Client).play(phases, Kind::Connect),
            Err(cause) => Done::never(&cause, self.patience, phases),
        };
        Ok((done, begun.elapsed().as_secs_f64()))
    }

    /// Accepts the flow's connections on one listener and plays the server's part on each.
    fn serve<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        listener: &Socket,
        phases: &'s [Sending],
    ) -> Result<Vec<Done>, Error> {
        let mut playing = Vec::new();
        for _ in 0..self.plan.flow.count {
            match accept(listener, &self.plan.flow.server_socket, self.patience)? {
                Ok(socket) => {
                    let end = self.end(socket, Role::Server);
                    playing.push(scope.spawn(move || Ok(end.play(phases, Kind::Accept))));
                }
                Err(_) => break,
            }
        }
        playing.into_iter().map(joined).collect()
    }

    fn relay<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        listener: &Socket,
    ) -> Result<Vec<Vec<EndOutcome>>, Error> {
        let Some(relay) = &self.plan.flow.relay else { return Ok(Vec::new()) };
        self.site.enter(relay.on)?;
        let mut pumping = Vec::new();
        for _ in 0..self.plan.flow.count {
            let Ok(front) = accept(listener, &relay.front, self.patience)? else { break };
            let backs = self.plan.backends.iter();
            let backs = backs.map(|address| connect(*address, &relay.back, self.patience));
            // A backend that cannot be reached closes the client's connection, as it would with a real proxy.
            let backs: Result<Result<Vec<_>, _>, Error> = backs.collect();
            let Ok(backs) = backs? else { continue };
            let (log, patience) = (self.site.log, self.patience);
            let pump = Pump { front, backs, on: relay.on, log, patience };
            pumping.push(scope.spawn(move || Ok(pump.run())));
        }
        pumping.into_iter().map(joined).collect()
    }

    fn end(&self, socket: Arc<Socket>, role: Role) -> End<'_> {
        End { socket, role, log: self.site.log, patience: self.patience }
    }

    fn outcomes(
        &self,
        flow: usize,
        clients: Vec<(Done, f64)>,
        mut served: Vec<Vec<Done>>,
        relayed: Vec<Vec<EndOutcome>>,
    ) -> Vec<FlowOutcome> {
        let mut relayed = relayed.into_iter();
        let cross_traffic = self.plan.flow.cross_traffic;
        let outcome = |(client, seconds): (Done, f64)| {
            let servers: Vec<Done> =
                served.iter_mut().filter_map(|done| take_peer(done, &client.end)).collect();
            let both = |(number, sending): (usize, SendingOutcome)| {
                let others = servers.iter().filter_map(|done| done.sendings.get(number));
                SendingOutcome::joined_with(sending, others)
            };
            let ended = overall(&client.end.ended, &servers);
            FlowOutcome {
                flow,
                cross_traffic,
                sendings: client.sendings.into_iter().enumerate().map(both).collect(),
                client: client.end,
                server: servers.into_iter().next().map(|done| done.end),
                relay: relayed.next().unwrap_or_default(),
                seconds,
                ended,
            }
        };
        clients.into_iter().map(outcome).collect()
    }
}

/// The server's end of this client's connection; behind a relay, where nobody knows, the next one.
fn take_peer(done: &mut Vec<Done>, client: &EndOutcome) -> Option<Done> {
    let same = |done: &Done| client.local.is_some() && done.end.remote == client.local;
    let at = done.iter().position(same).unwrap_or(0);
    (at < done.len()).then(|| done.remove(at))
}

/// The client's end says how it went; where it was content, the servers'.
fn overall(client: &Ended, servers: &[Done]) -> Ended {
    let all = std::iter::once(client).chain(servers.iter().map(|done| &done.end.ended));
    all.into_iter().find(|ended| **ended != Ended::Complete).unwrap_or(client).clone()
}
