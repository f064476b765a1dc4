//! What is kept of a run after its captures are gone: one small JSON file a cell.

use super::case::Other;
use super::error::Error;
use super::matrix::Cell;
use super::measure::Scored;
use crate::host::kernel_release;
use crate::keep;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tcpwhy_core::advice::promises;
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// A cell, run and scored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellResult {
    /// [`Cell::id`].
    pub id: String,
    /// [`super::matrix::Kind::name`].
    pub kind: String,
    /// [`Cell::severity`].
    pub severity: f64,
    /// Congestion control.
    pub control: String,
    /// Milliseconds.
    pub rtt_ms: i64,
    /// Packets of up to 64 KiB leave the hosts.
    pub offload: bool,
    /// RFC 7323 timestamps.
    pub timestamps: bool,
    /// [`Cell::held_out`].
    pub held_out: bool,
    /// Release of the kernel.
    pub kernel: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Scored.
    Scored(Box<Judgement>),
    /// It could not be run or read: why.
    Failed(String),
}

/// The score of a run, and of what was tried on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    /// Ours.
    pub scored: Scored,
    /// What the truth rests on.
    pub truth_source: String,
    /// Baselines by name.
    pub others: BTreeMap<String, Other>,
    /// Whether the link did what it was asked to do.
    pub faithful: bool,
    /// The run again with the verdict's limit lifted.
    pub twin: Option<Twin>,
}

/// A run, and the same with the limit lifted that the verdict names. Times in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Twin {
    /// The limit lifted.
    pub lifted: String,
    /// Transfer time as it was.
    pub before: f64,
    /// With the limit lifted; of several runs the middle one.
    pub after: f64,
    /// By which part the longest of these runs took longer than the shortest: no prediction of one time is nearer to all of them.
    #[serde(default)]
    pub spread: f64,
    /// What the analysis predicted; `None`: nothing for this limit.
    pub predicted: Option<f64>,
    /// Whether the lifted run's link did what it was asked to do: a path without a rate is more than most machines carry. Not known of
    /// results that say nothing of it.
    #[serde(default)]
    pub faithful: bool,
}

impl Twin {
    /// Of the seconds that lifted runs took, each with whether its link was faithful: those that were not count only where none was.
    /// `None`: there are none.
    pub fn of(
        limit: Limit,
        before: Nanos,
        predicted: Option<f64>,
        mut runs: Vec<(f64, bool)>,
    ) -> Option<Self> {
        let faithful = runs.iter().any(|run| run.1);
        runs.retain(|run| run.1 == faithful);
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (shortest, longest) = (runs.first()?.0, runs.last()?.0);
        Some(Self {
            lifted: limit.name().to_owned(),
            before: before.secs(),
            after: runs.get((runs.len() - 1) / 2)?.0,
            spread: longest / shortest.max(f64::MIN_POSITIVE) - 1.0,
            predicted,
            faithful,
        })
    }

    /// Whether the prediction is within `part` of the time that came out.
    pub fn is_predicted(&self, part: f64) -> Option<bool> {
        self.predicted.map(|p| (p - self.after).abs() <= part * self.after)
    }

    /// Whether the advice promises something. Where the time without the limit is hardly another one, it says so instead
    /// ([`promises`]); without a prediction it stands as it is.
    pub fn promises(&self) -> bool {
        let time = |seconds: f64| Nanos((seconds * 1e9) as i64);
        self.predicted.is_none_or(|without| promises(time(self.before), time(without)))
    }

    /// Whether lifting the limit raised the rate by more than `part`.
    pub fn helps(&self, part: f64) -> bool {
        self.before > self.after * (1.0 + part)
    }
}

impl CellResult {
    /// Of a cell on this machine.
    pub fn new(cell: &Cell, outcome: Outcome) -> Self {
        Self {
            id: cell.id(),
            kind: cell.kind.name().to_owned(),
            severity: cell.severity,
            control: cell.control.name().to_owned(),
            rtt_ms: cell.rtt.millis(),
            offload: cell.offload,
            timestamps: cell.timestamps,
            held_out: cell.held_out(),
            kernel: kernel_release(),
            outcome,
        }
    }

    /// The score, if there is one.
    pub fn judgement(&self) -> Option<&Judgement> {
        match &self.outcome {
            Outcome::Scored(judgement) => Some(judgement),
            Outcome::Failed(_) => None,
        }
    }

    /// Where a cell's result is kept.
    pub fn path(folder: &Path, id: &str) -> PathBuf {
        folder.join(format!("{id}.json"))
    }

    /// Writes it, whole or not at all: an interrupted run leaves no half of a file.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let path = Self::path(folder, &self.id);
        let text = serde_json::to_vec(self)
            .map_err(|source| Error::Json { path: path.clone(), source })?;
        keep::whole(&path, &text).map_err(|source| Error::File { path, source })
    }

    /// Reads what was kept of a cell; `None`: nothing yet.
    ///
    /// # Errors
    /// When there is a file that is no result.
    pub fn read(folder: &Path, id: &str) -> Result<Option<Self>, Error> {
        let path = Self::path(folder, id);
        if path.is_file() { super::case::read_json(&path).map(Some) } else { Ok(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::quick;
    use super::*;

    #[test]
    fn a_result_comes_back_from_its_file() {
        let dir = tempfile::tempdir().unwrap();
        let cell = &quick()[0];
        let judgement = Judgement {
            scored: Scored::default(),
            truth_source: "kernel events".to_owned(),
            others: BTreeMap::new(),
            faithful: true,
            twin: Some(Twin {
                lifted: "send_buffer".to_owned(),
                before: 4.0,
                after: 2.0,
                spread: 0.1,
                predicted: Some(2.2),
                faithful: true,
            }),
        };
        let result = CellResult::new(cell, Outcome::Scored(Box::new(judgement)));
        assert_eq!(CellResult::read(dir.path(), &cell.id()).unwrap(), None);
        result.write(dir.path()).unwrap();
        assert_eq!(CellResult::read(dir.path(), &cell.id()).unwrap(), Some(result));
    }

    #[test]
    fn of_several_lifted_runs_the_middle_faithful_one_counts() {
        let of = |runs: &[(f64, bool)]| {
            Twin::of(Limit::SendBuffer, Nanos::from_secs(4), None, runs.to_vec())
        };
        let twin = of(&[(3.0, true), (1.0, false), (2.0, true), (2.5, true)]).unwrap();
        assert_eq!((twin.before, twin.after, twin.spread, twin.faithful), (4.0, 2.5, 0.5, true));
        let twin = of(&[(3.0, false)]).unwrap();
        assert_eq!((twin.after, twin.spread, twin.faithful), (3.0, 0.0, false));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_twin_within_fifteen_percent() {
        let twin = |after, predicted| Twin {
            lifted: String::new(),
            before: 4.0,
            after,
            spread: 0.0,
            predicted: Some(predicted),
            faithful: true,
        };
        assert_eq!(twin(2.0, 2.2).is_predicted(0.15), Some(true));
        assert_eq!(twin(2.0, 2.4).is_predicted(0.15), Some(false));
        assert!(twin(2.0, 0.0).helps(0.05) && !twin(3.9, 0.0).helps(0.05));
        // From 4 s to 3.9 s is no promise, from 4 s to 3.5 s is one, whatever came of it.
        assert!(!twin(2.0, 3.9).promises() && twin(4.0, 3.5).promises());
        assert!(Twin { predicted: None, ..twin(2.0, 0.0) }.promises());
    }
}
