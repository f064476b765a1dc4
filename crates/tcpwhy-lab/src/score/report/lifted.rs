//! Runs made again with a limit lifted: what was predicted, what was promised, what came of it.

use super::percent;
use super::sums::{Runs, share};
use super::targets::{HELPS, PREDICTED, promised};
use crate::score::matrix::{Control, Rtt};
use crate::score::result::{CellResult, Twin};
use std::collections::BTreeSet;
use std::fmt::Write;
use tcpwhy_core::model::Limit;

type Lifted<'a> = (&'a CellResult, &'a Twin);

pub(super) fn table(page: &mut String, runs: &Runs<'_>) {
    page.push_str(
        "## Lifted\n\nRuns made again with the limit of the verdict lifted; of several the middle one counts, and the spread is the share of \
         those that differ among themselves by more than the 15 % in which a prediction has to lie. A path's bandwidth is lifted only to \
         test the prediction: there is nothing to advise.\n\n",
    );
    let left_out = runs.unfaithful_twins();
    if left_out > 0 {
        let _ = writeln!(
            page,
            "{left_out} of them are left out: the lifted path let more through than this machine could carry in time.\n"
        );
    }
    page.push_str(
        "| lifted | runs | what-if within 15 % | within 30 % | spread | gain promised | of these the rate rises | no gain promised | \
         of these the rate rises |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let all: Vec<Lifted<'_>> = runs.twins().collect();
    let mut row = |name: &str, takes: &dyn Fn(&Lifted<'_>) -> bool| {
        let part: Vec<Lifted<'_>> = all.iter().copied().filter(|l| takes(l)).collect();
        if !part.is_empty() {
            let _ = writeln!(page, "| {name} | {} |", cells(&part));
        }
    };
    row("all", &|_| true);
    let limits: BTreeSet<&str> = all.iter().map(|(_, t)| t.lifted.as_str()).collect();
    limits.into_iter().for_each(|limit| row(limit, &|(_, t)| t.lifted == limit));
    for rtt in Rtt::ALL {
        row(&format!("{} ms", rtt.millis()), &|(r, _)| r.rtt_ms == rtt.millis());
    }
    Control::ALL.iter().for_each(|c| row(c.name(), &|(r, _)| r.control == c.name()));
    page.push('\n');
}

/// A row behind its name.
fn cells(part: &[Lifted<'_>]) -> String {
    let within = |near| percent(share(part.iter().filter_map(|(_, t)| t.is_predicted(near))));
    let advised = |is: bool| {
        part.iter()
            .map(|(_, t)| *t)
            .filter(|t| t.lifted != Limit::PathBandwidth.name())
            .filter(move |t| promised(t) == is)
    };
    let rises = |is| percent(share(advised(is).map(|t| t.helps(HELPS))));
    format!(
        "{} | {} | {} | {} | {} | {} | {} | {}",
        part.len(),
        within(PREDICTED),
        within(2.0 * PREDICTED),
        percent(share(part.iter().map(|(_, t)| t.spread > PREDICTED))),
        advised(true).count(),
        rises(true),
        advised(false).count(),
        rises(false)
    )
}
