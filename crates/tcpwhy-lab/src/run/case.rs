//! The case folder: everything that one run saw, each in a file of its own.

use super::{Error, Judgement, Prediction, Seen, predict};
use crate::host::HostFacts;
use crate::link::LinkReport;
use crate::spec::Scenario;
use crate::tap::TapReport;
use crate::workload::Outcome;
use serde::Serialize;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tcpwhy_live::Summary;

/// A folder that is being filled.
#[derive(Debug)]
pub struct Case(PathBuf);

impl Case {
    /// Makes the folder.
    ///
    /// # Errors
    /// It cannot be made, or there is something in it.
    pub fn create(folder: &Path) -> Result<Self, Error> {
        let failed = |e| Error::Case(folder.display().to_string(), e);
        fs::create_dir_all(folder).map_err(failed)?;
        if fs::read_dir(folder).map_err(failed)?.next().is_some() {
            return Err(Error::NotEmpty(folder.display().to_string()));
        }
        Ok(Self(folder.to_owned()))
    }

    /// Empties it, where nothing came of it. It was empty when it was made.
    pub fn clear(&self) {
        let entries = fs::read_dir(&self.0).into_iter().flatten().flatten();
        for entry in entries {
            // What cannot be removed is told by the next attempt, which finds it.
            let _ = fs::remove_file(entry.path());
        }
    }

    /// Where a file of it is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Writes a text.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn text(&self, name: &str, text: &str) -> Result<(), Error> {
        fs::write(self.path(name), text)
            .map_err(|e| Error::Case(self.path(name).display().to_string(), e))
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn json(&self, name: &str, value: &impl Serialize) -> Result<(), Error> {
        let path = self.path(name);
        let failed = |e| Error::Case(path.display().to_string(), e);
        let mut out = BufWriter::new(fs::File::create(&path).map_err(failed)?);
        serde_json::to_writer_pretty(&mut out, value).map_err(|e| failed(e.into()))?;
        out.write_all(b"\n").and_then(|()| out.flush()).map_err(failed)
    }
}

/// `host.json`.
#[derive(Serialize)]
pub(super) struct Hosts<'a> {
    pub(super) client: &'a HostFacts,
    pub(super) server: &'a HostFacts,
}

/// `result.json`: what came out.
#[derive(Debug, Clone, Serialize)]
pub struct RunResult {
    /// The scenario's name.
    pub scenario: String,
    /// Its one line for people.
    pub title: String,
    /// The published case.
    pub case: Option<String>,
    /// What was published.
    pub published: Option<String>,
    /// What arithmetic says; nothing of a run that was stopped.
    pub predicted: Prediction,
    /// Bytes that arrived, of the transfers that are judged.
    pub bytes: u64,
    /// From the first write to the last byte read, seconds.
    pub seconds: f64,
    /// Bits per second.
    pub goodput_bps: u64,
    /// Whether the link did what was asked, and if not, why.
    pub faithful: bool,
    /// What each capture was judged as, for each direction with an expectation, or for that with most data where there is none.
    pub judgements: Vec<Judgement>,
    /// Every expectation was met at the sender's capture; `None` where there is none.
    pub right: Option<bool>,
    /// What ran.
    pub outcome: Outcome,
    /// The link's own account.
    pub link: LinkReport,
    /// The captures at the client and at the server.
    pub taps: [TapReport; 2],
    /// The sockets' samples.
    pub recorded: Summary,
}

impl RunResult {
    /// `stopped`: somebody waits for it to end. Then there is nothing to compare a prediction with, which of many bytes takes its time.
    pub(super) fn new(
        scenario: &Scenario,
        seen: Seen,
        judgements: Vec<Judgement>,
        stopped: bool,
    ) -> Self {
        let (bytes, seconds) = measured(&seen.outcome, &judgements);
        let goodput_bps = if seconds > 0.0 { (bytes as f64 * 8.0 / seconds) as u64 } else { 0 };
        let rates = scenario.expect.iter().filter_map(|e| e.rate_bps);
        let rate_right = rates.into_iter().all(|(low, high)| (low..=high).contains(&goodput_bps));
        let at_sender = || judgements.iter().filter(|j| j.at_sender);
        // Each expectation was judged: a connection that is not there is not right.
        let right = at_sender().filter(|j| j.right == Some(true)).count() == scenario.expect.len();
        Self {
            scenario: scenario.name.clone(),
            title: scenario.title.clone(),
            case: scenario.case.clone(),
            published: scenario.published.clone(),
            predicted: if stopped { Prediction::NONE } else { predict(scenario) },
            bytes,
            seconds,
            goodput_bps,
            faithful: seen.link.faithful,
            right: (!scenario.expect.is_empty()).then_some(right && rate_right),
            judgements,
            outcome: seen.outcome,
            link: seen.link,
            taps: seen.taps,
            recorded: seen.recorded,
        }
    }
}

/// Bytes and time of the judged transfers: by the applications' own account, for programs by the capture at the sender.
fn measured(outcome: &Outcome, judgements: &[Judgement]) -> (u64, f64) {
    let sendings = || outcome.flows.iter().filter(|f| !f.cross_traffic).flat_map(|f| &f.sendings);
    let start = sendings().filter_map(|s| s.start_ns).min();
    let end = sendings().filter_map(|s| s.end_ns).max();
    match (start, end) {
        (Some(start), Some(end)) => {
            (sendings().map(|s| s.read).sum(), end.saturating_sub(start) as f64 / 1e9)
        }
        _ => judgements
            .iter()
            .find(|j| j.at_sender)
            .map_or((0, 0.0), |j| (j.bytes, j.transfer_ns as f64 / 1e9)),
    }
}
