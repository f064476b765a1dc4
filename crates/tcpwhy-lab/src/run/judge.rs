//! What the analysis says of the three captures, beside what it must say.

use super::{Case, Error};
use crate::spec::{Expect, Role, Scenario};
use crate::workload::Outcome;
use serde::Serialize;
use std::net::SocketAddr;
use std::path::Path;
use tcpwhy_capture::Input;
use tcpwhy_core::analysis::Analyzer;
use tcpwhy_core::decode::{Decoded, decode};
use tcpwhy_core::model::{Connection, Direction};
use tcpwhy_core::observe::{Endpoint, Segment};

/// Where a capture was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Vantage {
    /// At the end that sends the direction's data.
    Sender,
    /// On the way.
    Middle,
    /// At the other end.
    Receiver,
}

/// One capture's verdict for one expectation; where nothing is expected, for the direction with most data.
#[derive(Debug, Clone, Serialize)]
pub struct Judgement {
    /// Who sends.
    pub from: &'static str,
    /// Where it was captured.
    pub vantage: Vantage,
    /// The same as `vantage` being the sender's: that one decides whether a run is right.
    pub at_sender: bool,
    /// The limit, as published.
    pub limit: &'static str,
    /// Its cause.
    pub cause: Option<&'static str>,
    /// Share of the time.
    pub share: f64,
    /// How sure, 0 to 1.
    pub confidence: f64,
    /// Payload bytes.
    pub bytes: u64,
    /// First byte sent to last byte acknowledged.
    pub transfer_ns: i64,
    /// Whether it is what the scenario expects; `None` where it expects nothing.
    pub right: Option<bool>,
}

/// Judges every expectation in every capture.
///
/// # Errors
/// A capture cannot be read.
pub(super) fn judge(
    scenario: &Scenario,
    outcome: &Outcome,
    case: &Case,
) -> Result<Vec<Judgement>, Error> {
    let mut judgements = Vec::new();
    let mut expected = scenario.expect.clone();
    for name in ["client", "middle", "server"] {
        let path = case.path(&format!("{name}.pcapng"));
        // Netem makes no capture in the middle.
        if name == "middle" && !path.exists() {
            continue;
        }
        let connections = analyse(&path)?;
        if expected.is_empty() {
            expected.extend(anything(&connections, outcome));
        }
        for expect in &expected {
            let Some(connection) = judged(&connections, outcome, expect) else { continue };
            let vantage = match (name, expect.from) {
                ("middle", _) => Vantage::Middle,
                ("client", Role::Client) | ("server", Role::Server) => Vantage::Sender,
                _ => Vantage::Receiver,
            };
            judgements.push(judgement(direction(connection, expect.from), expect, vantage));
        }
    }
    Ok(judgements)
}

/// The direction to be judged where nothing is expected: that with most data.
fn anything(all: &[Connection], outcome: &Outcome) -> Option<Expect> {
    let sides = [Role::Client, Role::Server].map(|from| {
        let expect = Expect { from, port: None, limits: vec![], causes: vec![], rate_bps: None };
        let bytes = judged(all, outcome, &expect).map(|c| direction(c, from).bytes);
        (bytes, expect)
    });
    sides.into_iter().max_by_key(|(bytes, _)| *bytes).map(|(_, expect)| expect)
}

/// Every connection of a capture.
fn analyse(path: &Path) -> Result<Vec<Connection>, Error> {
    let mut capture = tcpwhy_capture::open(&[Input::Path(path.to_owned())])?;
    let mut analyzer = Analyzer::new();
    let mut segment = Segment::default();
    while let Some(frame) = capture.next_frame() {
        if matches!(decode(&frame, &mut segment), Decoded::Segment) {
            analyzer.push(&segment);
        }
    }
    Ok(analyzer.finish())
}

/// The connection that an expectation is about: the first judged flow's; of programs, the one with most data.
fn judged<'a>(all: &'a [Connection], outcome: &Outcome, expect: &Expect) -> Option<&'a Connection> {
    if let Some(port) = expect.port {
        return all.iter().find(|c| c.server.port == port);
    }
    let ends = outcome.flows.iter().filter(|f| !f.cross_traffic).find_map(|f| {
        let over_the_link = [Some(&f.client), f.relay.first(), f.relay.get(1), f.server.as_ref()];
        over_the_link.into_iter().flatten().find_map(|e| {
            let ends = [endpoint(e.local?), endpoint(e.remote?)];
            all.iter().any(|c| is_between(c, ends)).then_some(ends)
        })
    });
    match ends {
        Some(ends) => all.iter().find(|c| is_between(c, ends)),
        None => all.iter().max_by_key(|c| direction(c, expect.from).bytes),
    }
}

fn endpoint(address: SocketAddr) -> Endpoint {
    Endpoint::new(address.ip(), address.port())
}

fn is_between(c: &Connection, [one, other]: [Endpoint; 2]) -> bool {
    [(c.client, c.server), (c.server, c.client)].contains(&(one, other))
}

fn direction(c: &Connection, from: Role) -> &Direction {
    let [up, down] = &c.directions;
    match from {
        Role::Client => up,
        Role::Server => down,
    }
}

fn judgement(d: &Direction, expect: &Expect, vantage: Vantage) -> Judgement {
    let v = &d.verdict;
    let cause = expect.causes.is_empty() || expect.causes.contains(&v.cause);
    let is_right = || expect.limits.contains(&v.limit) && cause;
    Judgement {
        from: d.from.name(),
        vantage,
        at_sender: vantage == Vantage::Sender,
        limit: v.limit.name(),
        cause: v.cause.name(),
        share: v.share,
        confidence: v.confidence,
        bytes: d.bytes,
        transfer_ns: d.transfer.0,
        right: (!expect.limits.is_empty()).then(is_right),
    }
}
