//! The results as a page of tables: docs/score.md.

mod lifted;
mod sums;
mod tables;
mod targets;
mod worst;

use super::boundary::quantile;
use super::result::{CellResult, Outcome};
use std::collections::BTreeSet;
use std::fmt::Write;
pub use sums::Runs;
pub use targets::{Target, targets};

/// The page. `command` is what made it; `held_out` says which part of the matrix it shows.
pub fn page(results: &[CellResult], command: &str, held_out: bool) -> String {
    let runs = Runs::new(results, |r| r.held_out == held_out);
    let mut page = String::new();
    head(&mut page, results, &runs, command, held_out);
    tables::targets(&mut page, &targets(&runs));
    tables::limits(&mut page, &runs);
    tables::confusion(&mut page, &runs);
    tables::variants(&mut page, &runs);
    tables::groups(&mut page, &runs);
    tables::causes(&mut page, &runs);
    tables::calibration(&mut page, &runs);
    tables::baselines(&mut page, &runs);
    lifted::table(&mut page, &runs);
    worst::list(&mut page, &runs);
    tables::definitions(&mut page);
    page
}

fn head(page: &mut String, results: &[CellResult], runs: &Runs<'_>, command: &str, held: bool) {
    let shown = || results.iter().filter(|r| r.held_out == held);
    let kernels: BTreeSet<&str> = shown().map(|r| r.kernel.as_str()).collect();
    let sources: BTreeSet<&str> =
        runs.all().map(|(_, judgement)| judgement.truth_source.as_str()).collect();
    let join = |set: BTreeSet<&str>| set.into_iter().collect::<Vec<_>>().join(", ");
    let failed: Vec<(&str, &str)> = shown()
        .filter_map(|r| match &r.outcome {
            Outcome::Failed(why) => Some((r.id.as_str(), why.as_str())),
            Outcome::Scored(_) => None,
        })
        .collect();
    let part = if held { "held-out runs (40 ms, or reno)" } else { "runs that are not held out" };
    let _ = write!(
        page,
        "# Score\n\nMade by `{command}` on Linux {}. Truth from {}.\n\n{} {part}; {} failed and {} over a link that was not \
         faithful are left out.\n\n",
        join(kernels),
        if sources.is_empty() { "nothing".to_owned() } else { join(sources) },
        runs.all().count(),
        failed.len(),
        runs.unfaithful(),
    );
    for (id, why) in failed.iter().take(10) {
        let _ = writeln!(page, "- failed: `{id}`: {why}");
    }
    if !failed.is_empty() {
        page.push('\n');
    }
}

/// Percent, or a dash.
pub(super) fn percent(part: Option<f64>) -> String {
    part.map_or_else(|| "-".to_owned(), |p| format!("{:.1} %", 100.0 * p))
}

/// Two decimals, or a dash.
pub(super) fn figure(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |v| format!("{v:.2}"))
}

/// Median and 90th percentile of boundary errors.
pub(super) fn boundary_text(errors: &[Option<f64>]) -> [String; 2] {
    [0.5, 0.9].map(|part| match quantile(errors, part) {
        Some(error) => format!("{error:.2}"),
        None if errors.is_empty() => "-".to_owned(),
        None => "not found".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::measure::tests::{JUDGED, send_buffer, simulated};
    use super::super::result::{Judgement, Twin};
    use super::super::variant::Variant;
    use super::*;
    use crate::score::matrix::{Cell, Kind, quick};
    use std::collections::BTreeMap;

    fn results() -> Vec<CellResult> {
        let judgement = |cell: &Cell| Judgement {
            scored: simulated(&send_buffer(), &Variant::ALL),
            truth_source: "a simulation".to_owned(),
            others: BTreeMap::new(),
            faithful: cell.kind != Kind::Policer,
            twin: Some(Twin {
                lifted: "send_buffer".to_owned(),
                before: 2.0,
                after: 1.0,
                spread: 0.2,
                predicted: Some(1.1),
                faithful: cell.kind != Kind::Exchange,
            }),
        };
        let outcome = |cell: &Cell| match cell.kind {
            Kind::Nagle => Outcome::Failed("no TUN here".to_owned()),
            _ => Outcome::Scored(Box::new(judgement(cell))),
        };
        quick().iter().map(|cell| CellResult::new(cell, outcome(cell))).collect()
    }

    #[test]
    fn the_page_says_what_was_run_and_what_was_reached() {
        let results = results();
        let page = page(&results, "make score-full", false);
        assert!(page.contains("Made by `make score-full` on Linux "), "{page}");
        let counts =
            format!("{} runs that are not held out; 1 failed and 1 over", results.len() - 2);
        assert!(page.contains(&counts), "{page}");
        assert!(page.contains("no TUN here"));
        assert!(page.contains("| send-buffer recall, cubic (sender) | >= 0.90 |"), "{page}");
        assert!(page.contains("| send-buffer recall, reno (sender) | >= 0.90 | - | no run says |"));
        assert!(page.contains(
            "| what-if within 15 % of the lifted run's time | 90 % of runs | 100.0 % | yes |"
        ));
        assert!(page.contains("| all | ") && page.contains("| 10 ms | "), "{page}");
        assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
        assert_eq!(JUDGED.port, 80);
    }

    #[test]
    fn every_table_has_as_many_cells_in_every_row() {
        let page = page(&results(), "x", false);
        let mut width = None;
        for line in page.lines() {
            let cells = line.starts_with('|').then(|| line.matches('|').count());
            if let (Some(now), Some(before)) = (cells, width) {
                assert_eq!(now, before, "{line}");
            }
            width = cells;
        }
    }

    #[test]
    fn nothing_run_is_a_page_without_figures() {
        let page = page(&[], "x", true);
        assert!(page.contains("0 held-out runs") && !page.contains("NaN"), "{page}");
    }
}
