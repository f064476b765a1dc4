//! One run of a scenario: hosts, link, captures, workload, and a case folder with everything that was seen.

mod case;
mod judge;
mod predict;
mod schedule;

pub use case::{Case, RunResult};
pub use judge::{Judgement, Vantage};
pub use predict::{Prediction, predict};

use crate::host::{self, Host, Network};
use crate::link;
use crate::spec::{LinkSpec, Role, Scenario, Workload};
use crate::tap::{self, Tap, TapReport};
use crate::truth;
use crate::workload::{self, AppLog, Clock, Enter, Outcome, Site};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tcpwhy_live::{self as live, Recorder, Summary};

/// Why a run did not happen.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A host.
    #[error(transparent)]
    Host(#[from] host::Error),
    /// The link.
    #[error(transparent)]
    Link(#[from] link::Error),
    /// A capture.
    #[error(transparent)]
    Tap(#[from] tap::Error),
    /// What runs on the hosts.
    #[error(transparent)]
    Workload(#[from] workload::Error),
    /// The case folder.
    #[error("cannot write the case folder {0} ({1})")]
    Case(String, io::Error),
    /// The case folder would mix two runs.
    #[error("{0} is not empty: choose another folder for the case")]
    NotEmpty(String),
    /// The sockets' samples.
    #[error(transparent)]
    Recorder(#[from] live::Error),
    /// A capture that we wrote cannot be read.
    #[error(transparent)]
    Capture(#[from] tcpwhy_capture::Error),
}

impl Error {
    /// A program of the scenario is not installed: nothing is wrong with the scenario or the machine.
    pub fn is_missing_program(&self) -> bool {
        matches!(self, Self::Workload(workload::Error::Missing { .. }))
    }
}

impl Enter for Host {
    fn enter(&self) -> io::Result<()> {
        self.namespace().enter()
    }
}

/// Runs it; `text` is its file, for the case folder. `stop`, set from outside, ends the workload early; what was seen until then is kept.
///
/// # Errors
/// The machine does not allow it, a program is missing, or the folder cannot be written. A transfer that failed is a result.
pub fn run(
    scenario: &Scenario,
    text: Option<&str>,
    folder: &Path,
    stop: &AtomicBool,
) -> Result<RunResult, Error> {
    let case = Case::create(folder)?;
    if let Some(text) = text {
        case.text("scenario.toml", text)?;
    }
    let seen = observe(scenario, &case, stop)?;
    let judgements = judge::judge(scenario, &seen.outcome, &case)?;
    let result = RunResult::new(scenario, seen, judgements, stop.load(Ordering::Relaxed));
    case.json("result.json", &result)?;
    Ok(result)
}

/// What a run saw.
pub(crate) struct Seen {
    outcome: Outcome,
    link: link::LinkReport,
    taps: [TapReport; 2],
    recorded: Summary,
}

fn observe(scenario: &Scenario, case: &Case, stop: &AtomicBool) -> Result<Seen, Error> {
    let host = |role, spec| Host::new(role, spec, &scenario.link, Network::default());
    let client = host(Role::Client, &scenario.client)?;
    let server = host(Role::Server, &scenario.server)?;
    case.json("host.json", &case::Hosts { client: client.facts(), server: server.facts() })?;
    let middle = case.path("middle.pcapng");
    let link = link::start(&scenario.link, client.device(), server.device(), Some(&middle))?;
    let taps = [(&client, "client.pcapng"), (&server, "server.pcapng")]
        .map(|(host, name)| Tap::start(host, &case.path(name)));
    let [client_tap, server_tap] = taps;
    let (client_tap, server_tap) = (client_tap?, server_tap?);
    let recorder = Recorder::start(vec![recorded(&client)?, recorded(&server)?], case.folder())?;
    let outcome = work(&scenario.workload, &client, &server, case, stop)?;
    linger(&scenario.link);
    let recorded = recorder.stop()?;
    let taps = Tap::stop([client_tap, server_tap])?;
    let link = link.stop()?;
    case.json("link.json", &link)?;
    link::busy::write(case.folder(), [&link.up.busy, &link.down.busy])
        .map_err(|e| Error::Case(case.folder().display().to_string(), e))?;
    let scheduled = schedule::schedule(scenario, &outcome, &link);
    truth::write(case.folder(), &scenario.link, source(&recorded), &scheduled)
        .map_err(|e| Error::Case(case.folder().display().to_string(), e))?;
    Ok(Seen { outcome, link, taps, recorded })
}

/// Events are the truth where none is missing, neither lost nor of a kind that the truth needs.
fn source(recorded: &Summary) -> truth::Source {
    let needed = ["tcp_probe:", "tcp_sendmsg_locked:", "sched_switch:"];
    let is_needed = |refused: &String| needed.iter().any(|name| refused.starts_with(name));
    let blind = recorded.not_attached.iter().any(is_needed);
    if !blind && recorded.events > 0 && recorded.events_lost == 0 && !recorded.events_full {
        truth::Source::KernelEvents
    } else {
        truth::Source::Samples
    }
}

fn recorded(host: &Host) -> Result<live::Host, Error> {
    let namespace = host.namespace().try_clone().map_err(host::Error::from)?;
    Ok(live::Host {
        name: workload::role_name(host.role()).to_owned(),
        namespace: namespace.into(),
    })
}

fn work(
    workload: &Workload,
    client: &Host,
    server: &Host,
    case: &Case,
    stop: &AtomicBool,
) -> Result<Outcome, Error> {
    let log = AppLog::create(&case.path("app.ndjson"), Clock::start())?;
    let site = Site {
        client,
        server,
        server_addresses: server.addresses(),
        client_addresses: client.addresses(),
        log: &log,
        case: case.folder(),
        stop,
    };
    let outcome = workload::run(workload, &site)?;
    log.finish()?;
    Ok(outcome)
}

/// The last ACKs are under way when the applications are done: two round trips, and what the queues may hold.
fn linger(link: &LinkSpec) {
    let rtt = link.up.delay + link.down.delay;
    let wait = (rtt + rtt).0.clamp(50_000_000, 1_000_000_000);
    thread::sleep(Duration::from_nanos(wait.unsigned_abs()));
}
