//! Runs cells, several at once, keeps what came out, and goes on where it was interrupted.

use super::case::{Case, is_faithful, score_case, transfer_time};
use super::confusion::limit;
use super::error::Error;
use super::matrix::{Cell, cut, lift};
use super::measure::Place;
use super::result::{CellResult, Judgement, Outcome, Twin};
use super::variant::{Judged, Variant};
use crate::parallel;
use crate::spec::Scenario;
use crate::truth;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// Runs a scenario and writes its case folder; the error is one sentence.
pub type Run<'a> = dyn Fn(&Scenario, &Path) -> Result<(), String> + Sync + 'a;

/// How cells are run.
pub struct Runner<'a> {
    /// Runs a scenario.
    pub run: &'a Run<'a>,
    /// Where results are kept.
    pub folder: PathBuf,
    /// Runs at once: most of a run is waiting.
    pub parallel: usize,
    /// Leave captures and samples where they are.
    pub keep: bool,
    /// Score everything again, from the captures where they were kept: what to do after a change of the analysis.
    pub again: bool,
    /// How many times to run again with the verdict's limit lifted: on a busy machine equal runs differ, and the middle one counts.
    pub lifts: usize,
    /// Set from outside to stop after the runs that are under way.
    pub stop: &'a AtomicBool,
}

impl std::fmt::Debug for Runner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Runner<'_> {
    /// Runs what has no result yet, or failed; `done` hears of every cell, also of those that were kept. Results come
    /// in the order of `cells`.
    ///
    /// # Errors
    /// When the folder cannot be used. A run that fails is a result.
    pub fn cells(
        &self,
        cells: &[Cell],
        mut done: impl FnMut(&CellResult, Nature),
    ) -> Result<Vec<CellResult>, Error> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|source| Error::File { path: self.folder.clone(), source })?;
        let mut results: Vec<Option<CellResult>> = Vec::with_capacity(cells.len());
        let mut open = Vec::new();
        for (i, cell) in cells.iter().enumerate() {
            let kept = if self.again { None } else { CellResult::read(&self.folder, &cell.id())? };
            let kept = kept.filter(|result| result.judgement().is_some());
            match &kept {
                Some(result) => done(result, Nature::Kept),
                None => open.push((i, cell)),
            }
            results.push(kept);
        }
        let work = |(_, cell): &(usize, &Cell)| self.cell(cell);
        parallel::each(&open, self.parallel, self.stop, work, |turn, result| {
            result.write(&self.folder)?;
            done(&result, Nature::Run);
            if let Some(slot) = open.get(turn).and_then(|(i, _)| results.get_mut(*i)) {
                *slot = Some(result);
            }
            Ok::<_, Error>(())
        })?;
        Ok(results.into_iter().flatten().collect())
    }

    /// Runs and scores one cell.
    pub fn cell(&self, cell: &Cell) -> CellResult {
        let folder = self.folder.join(cell.id());
        let outcome = match self.judge(cell, &folder) {
            Ok(judgement) => Outcome::Scored(Box::new(judgement)),
            Err(error) => Outcome::Failed(error.to_string()),
        };
        if !self.keep {
            // What is left is only in the way; the next run of this cell would say so if it were.
            let _ = std::fs::remove_dir_all(&folder);
        }
        CellResult::new(cell, outcome)
    }

    fn judge(&self, cell: &Cell, folder: &Path) -> Result<Judgement, Error> {
        let scenario = cell.scenario();
        let once = folder.join("run");
        self.start(&scenario, &once)?;
        let judged = cell.judged();
        // Without timestamps is a variant of its own, made by the run.
        let variants = if cell.timestamps { &Variant::ALL[..] } else { &Variant::ALL[..1] };
        let case = score_case(&once, &scenario.link, judged, variants, cell.seed)?;
        let twin = if self.lifts > 0 && cell.is_lifted() {
            self.twin(cell, &scenario, &case, folder)?
        } else {
            None
        };
        Ok(Judgement {
            scored: case.scored,
            truth_source: case.truth_source,
            others: case.others,
            faithful: case.faithful,
            twin,
        })
    }

    /// Lifts what the verdict at the sender names, and runs again, in a folder of that limit's own: another analysis may name another one.
    /// A limit that is not there changes nothing: then the time is what it was, and nothing need be run.
    fn twin(
        &self,
        cell: &Cell,
        scenario: &Scenario,
        case: &Case,
        folder: &Path,
    ) -> Result<Option<Twin>, Error> {
        let judged = cell.judged();
        let at_the_sender =
            |v: &&super::measure::View| v.place == Place::Sender && v.variant == Variant::Whole;
        let verdict = case.scored.views.iter().find(at_the_sender).and_then(|v| v.verdict.as_ref());
        let limit: Option<Limit> = verdict.and_then(|v| limit(&v.limit));
        let (Some(limit), Some(before)) = (limit, case.transfer) else { return Ok(None) };
        let Some(mut lifted) = lift(scenario, judged, limit) else { return Ok(None) };
        let mut runs = vec![(before.0.secs(), case.faithful)];
        if lifted != *scenario {
            cut(&mut lifted, before.1);
            runs = self.lifted(
                &lifted,
                judged,
                before.1,
                &folder.join(format!("lifted-{}", limit.name())),
            )?;
        }
        let predicted = case.what_if.iter().find(|w| w.lift == limit).map(|w| w.transfer);
        Ok(Twin::of(limit, before.0, predicted.map(Nanos::secs), runs))
    }

    /// The seconds that `bytes` take in each lifted run, and whether its link was faithful.
    fn lifted(
        &self,
        lifted: &Scenario,
        judged: Judged,
        bytes: u64,
        folder: &Path,
    ) -> Result<Vec<(f64, bool)>, Error> {
        let mut runs = Vec::new();
        for turn in 0..self.lifts {
            let folder = folder.join(turn.to_string());
            self.start(lifted, &folder)?;
            if let Some((time, moved)) = transfer_time(&folder, judged)? {
                // A run that was cut short shows fewer bytes than the one that was not: compared is the time of as many.
                let seconds = time.secs() * bytes as f64 / moved.max(1) as f64;
                runs.push((seconds, is_faithful(&folder)?));
            }
        }
        Ok(runs)
    }

    fn start(&self, scenario: &Scenario, folder: &Path) -> Result<(), Error> {
        if self.again && folder.join("samples.ndjson").is_file() {
            return truth::again(folder, &scenario.link)
                .map_err(|source| Error::File { path: folder.to_owned(), source });
        }
        let failed = |source| Error::File { path: folder.to_owned(), source };
        if folder.exists() {
            // Of a run that failed or was killed.
            std::fs::remove_dir_all(folder).map_err(failed)?;
        }
        std::fs::create_dir_all(folder).map_err(failed)?;
        (self.run)(scenario, folder).map_err(Error::Run)
    }
}

/// Where a result comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nature {
    /// An earlier invocation.
    Kept,
    /// It was run now.
    Run,
}

#[cfg(test)]
mod tests {
    use super::super::matrix::quick;
    use super::super::measure::Scored;
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;
    use std::sync::atomic::Ordering;

    fn runner<'a>(run: &'a Run<'a>, folder: &Path, stop: &'a AtomicBool) -> Runner<'a> {
        let folder = folder.to_owned();
        Runner { run, folder, parallel: 3, keep: false, again: false, lifts: 1, stop }
    }

    #[test]
    fn what_failed_is_run_again_and_what_was_scored_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let ran = Mutex::new(Vec::new());
        let run = |scenario: &Scenario, _: &Path| {
            ran.lock().unwrap().push(scenario.name.clone());
            Err("there is no network here".to_owned())
        };
        let (cells, stop) = (quick(), AtomicBool::new(false));
        let judgement = Judgement {
            scored: Scored::default(),
            truth_source: String::new(),
            others: BTreeMap::new(),
            faithful: true,
            twin: None,
        };
        let kept = CellResult::new(&cells[3], Outcome::Scored(Box::new(judgement)));
        kept.write(dir.path()).unwrap();
        let runner = runner(&run, dir.path(), &stop);
        for _ in 0..2 {
            let mut natures = Vec::new();
            let results = runner.cells(&cells, |_, nature| natures.push(nature)).unwrap();
            assert_eq!(results.len(), cells.len());
            assert_eq!(natures.iter().filter(|n| **n == Nature::Kept).count(), 1);
            let why = |r: &CellResult| match &r.outcome {
                Outcome::Failed(why) => why.contains("no network"),
                Outcome::Scored(_) => r == &kept,
            };
            assert!(results.iter().all(why));
        }
        assert_eq!(ran.lock().unwrap().len(), 2 * (cells.len() - 1));
    }

    #[test]
    fn kept_captures_are_scored_again_without_a_run() {
        let dir = tempfile::tempdir().unwrap();
        let (cells, stop) = (&quick()[..1], AtomicBool::new(false));
        let case = dir.path().join(cells[0].id()).join("run");
        std::fs::create_dir_all(&case).unwrap();
        std::fs::write(case.join("samples.ndjson"), "").unwrap();
        let run = |_: &Scenario, _: &Path| panic!("there is nothing to run");
        let again = Runner { again: true, keep: true, ..runner(&run, dir.path(), &stop) };
        let results = again.cells(cells, |_, _| {}).unwrap();
        let read = |r: &CellResult| matches!(&r.outcome, Outcome::Failed(why) if why.contains("no truth for port"));
        assert!(results.iter().all(read), "{results:?}");
        assert!(case.is_dir());
    }

    #[test]
    fn an_interrupted_score_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let (cells, stop) = (quick(), AtomicBool::new(true));
        let run = |_: &Scenario, _: &Path| Err(String::new());
        let first = runner(&run, dir.path(), &stop).cells(&cells, |_, _| {}).unwrap();
        assert!(first.is_empty());
        stop.store(false, Ordering::Relaxed);
        let second = runner(&run, dir.path(), &stop).cells(&cells, |_, _| {}).unwrap();
        assert_eq!(second.len(), cells.len());
    }
}
