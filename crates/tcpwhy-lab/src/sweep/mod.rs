//! A scenario over all combinations of some values: one run each, kept, so that an interrupted sweep goes on where it ended.

use crate::run::{self, RunResult};
use crate::scenario::{Assignment, Read, Source};
use crate::{keep, parallel};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(test)]
mod tests;

/// Why a sweep cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The scenario, with one combination of values.
    #[error(transparent)]
    Scenario(#[from] crate::scenario::Error),
    /// A run.
    #[error("{0}: {1}")]
    Run(String, run::Error),
    /// The folder of the results.
    #[error("cannot use {0} ({1})")]
    Folder(PathBuf, std::io::Error),
    /// The table.
    #[error("cannot write the table ({0})")]
    Csv(#[from] csv::Error),
}

/// What came of one combination.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// `link.rtt=40ms`, in the order of the sweep.
    pub values: Vec<String>,
    /// Bytes that arrived.
    pub bytes: u64,
    /// From the first write to the last byte read.
    pub seconds: f64,
    /// Bits per second.
    pub goodput_bps: u64,
    /// What arithmetic said.
    pub predicted_seconds: f64,
    /// The verdict at the sender; empty: none.
    pub limit: String,
    /// Its cause.
    pub cause: Option<String>,
    /// Its share of the time.
    pub share: f64,
    /// Whether the link did what was asked.
    pub faithful: bool,
    /// The scenario as it was run: another one is another result.
    pub scenario: String,
}

impl Row {
    fn new(values: &[Assignment], scenario: &str, result: &RunResult) -> Self {
        let verdict = result.judgements.iter().find(|j| j.at_sender);
        Self {
            values: values.iter().map(|a| a.text.clone()).collect(),
            bytes: result.bytes,
            seconds: result.seconds,
            goodput_bps: result.goodput_bps,
            predicted_seconds: result.predicted.seconds,
            limit: verdict.map_or_else(String::new, |j| j.limit.to_owned()),
            cause: verdict.and_then(|j| j.cause).map(str::to_owned),
            share: verdict.map_or(0.0, |j| j.share),
            faithful: result.faithful,
            scenario: scenario.to_owned(),
        }
    }
}

/// A sweep.
#[derive(Debug)]
pub struct Sweep<'a> {
    /// The scenario.
    pub source: &'a Source,
    /// The published sizes.
    pub full: bool,
    /// The combinations, each with all of its values.
    pub combinations: Vec<Vec<Assignment>>,
    /// Where results are kept, and captures if they are.
    pub folder: &'a Path,
    /// Keep the case of each run.
    pub keep: bool,
    /// Runs at once.
    pub jobs: usize,
}

/// A combination that has no result yet.
struct Open<'a> {
    place: usize,
    name: String,
    values: &'a [Assignment],
    read: &'a Read,
}

impl Sweep<'_> {
    /// Runs what has no result yet; `done` hears of every combination, as they come. `stop`, set from outside, ends it with the runs
    /// under way, whose results are not kept. The rows are in the order of the combinations; one that was not run has none.
    ///
    /// # Errors
    /// A combination makes no scenario (told before anything runs), a run is not possible, or the folder cannot be used.
    pub fn run(
        &self,
        stop: &AtomicBool,
        mut done: impl FnMut(&Row, Nature),
    ) -> Result<Vec<Option<Row>>, Error> {
        let read = |values: &Vec<Assignment>| self.source.read(self.full, values);
        let scenarios = self.combinations.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        fs::create_dir_all(self.folder).map_err(|e| Error::Folder(self.folder.to_owned(), e))?;
        let mut rows = Vec::with_capacity(scenarios.len());
        let mut open = Vec::new();
        for (place, (values, read)) in self.combinations.iter().zip(&scenarios).enumerate() {
            let name = file_name(values);
            let kept = self.kept(&name).filter(|row| row.scenario == read.text);
            match &kept {
                Some(row) => done(row, Nature::Kept),
                None => open.push(Open { place, name, values, read }),
            }
            rows.push(kept);
        }
        let work = |open: &Open<'_>| self.one(open, stop);
        parallel::each(&open, self.jobs, stop, work, |turn, ran| {
            let Some(row) = ran? else { return Ok(()) };
            done(&row, Nature::Run);
            if let Some(slot) = open.get(turn).and_then(|open| rows.get_mut(open.place)) {
                *slot = Some(row);
            }
            Ok::<_, Error>(())
        })?;
        Ok(rows)
    }

    /// `None`: it was cut short from outside, and is no result.
    fn one(&self, open: &Open<'_>, stop: &AtomicBool) -> Result<Option<Row>, Error> {
        let Open { name, values, read, .. } = open;
        let folder = self.folder.join(name);
        let failed = |e| Error::Folder(folder.clone(), e);
        if folder.exists() {
            // Half a case of a run that was interrupted.
            fs::remove_dir_all(&folder).map_err(failed)?;
        }
        let ran = run::run(&read.scenario, Some(&read.text), &folder, stop);
        if !self.keep {
            // A run that failed early may have made none.
            let _ = fs::remove_dir_all(&folder);
        }
        let result = ran.map_err(|e| Error::Run(name.clone(), e))?;
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let row = Row::new(values, &read.text, &result);
        let text = serde_json::to_string_pretty(&row).unwrap_or_default();
        keep::whole(&self.folder.join(format!("{name}.json")), text.as_bytes()).map_err(failed)?;
        Ok(Some(row))
    }

    fn kept(&self, name: &str) -> Option<Row> {
        let text = fs::read_to_string(self.folder.join(format!("{name}.json"))).ok()?;
        serde_json::from_str(&text).ok()
    }
}

/// Where a row comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// It was run now.
    Run,
    /// It was there.
    Kept,
}

/// The values as a file's name: nothing in it leads out of the folder.
fn file_name(values: &[Assignment]) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "=-_".contains(c) { c } else { '_' };
    let text: Vec<String> = values.iter().map(|a| a.text.chars().map(safe).collect()).collect();
    format!("run-{}", text.join("+"))
}

/// One line a row; a column for each key of the sweep.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_csv(out: impl std::io::Write, rows: &[&Row]) -> Result<(), Error> {
    let mut table = csv::Writer::from_writer(out);
    let halves = |text: &'_ str| {
        text.split_once('=')
            .map_or((text.to_owned(), String::new()), |(k, v)| (k.to_owned(), v.to_owned()))
    };
    let keys = rows.first().map(|r| r.values.iter().map(|v| halves(v).0).collect::<Vec<_>>());
    let fixed = [
        "bytes",
        "seconds",
        "goodput_bps",
        "predicted_seconds",
        "limit",
        "cause",
        "share",
        "faithful",
    ];
    table.write_record(keys.unwrap_or_default().iter().map(String::as_str).chain(fixed))?;
    for row in rows {
        let mut fields: Vec<String> = row.values.iter().map(|v| halves(v).1).collect();
        fields.extend([
            row.bytes.to_string(),
            format!("{:.6}", row.seconds),
            row.goodput_bps.to_string(),
            format!("{:.6}", row.predicted_seconds),
            row.limit.clone(),
            row.cause.clone().unwrap_or_default(),
            format!("{:.4}", row.share),
            row.faithful.to_string(),
        ]);
        table.write_record(fields)?;
    }
    table.flush().map_err(csv::Error::from)?;
    Ok(())
}
