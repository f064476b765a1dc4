//! Where to look first: the largest confusions, and the runs that show them.

use super::sums::Runs;
use crate::score::measure::Place;
use crate::score::variant::Variant;
use std::collections::BTreeMap;
use std::fmt::Write;
use tcpwhy_core::model::Limit;

/// Confusions listed.
const MOST: usize = 15;
/// Runs named for each.
const SHOWN: usize = 4;
/// Part of a run's time below which it does not show a confusion.
const LEAST: f64 = 0.02;

/// A confusion: where, true limit, said limit.
type Key = (Place, Limit, Limit);

/// Writes the list.
pub(super) fn list(page: &mut String, runs: &Runs<'_>) {
    let mut all: BTreeMap<Key, Vec<(f64, &str)>> = BTreeMap::new();
    for place in Place::ALL {
        for (result, view) in runs.views(place, Variant::Whole) {
            let matrix = &view.comparison.confusion;
            for truth in Limit::ALL {
                for said in Limit::ALL.into_iter().filter(|s| *s != truth) {
                    let part = matrix.time(truth, said) as f64 / matrix.total().max(1) as f64;
                    if part > LEAST {
                        all.entry((place, truth, said)).or_default().push((part, &result.id));
                    }
                }
            }
        }
    }
    let mut rows: Vec<(Key, Vec<(f64, &str)>)> = all.into_iter().collect();
    let weight = |runs: &[(f64, &str)]| runs.iter().map(|(part, _)| part).sum::<f64>();
    rows.sort_by(|a, b| weight(&b.1).total_cmp(&weight(&a.1)));
    page.push_str(
        "## The largest confusions\n\nWhole captures; the figure is the sum of the runs' shares of time.\n\n\
         | vantage | truth | said | sum | runs | worst |\n| --- | --- | --- | ---: | ---: | --- |\n",
    );
    for ((place, truth, said), mut runs) in rows.into_iter().take(MOST) {
        runs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let shown = runs.iter().take(SHOWN);
        let names: Vec<String> =
            shown.map(|(part, id)| format!("`{id}` {:.0} %", 100.0 * part)).collect();
        let _ = writeln!(
            page,
            "| {} | {} | {} | {:.2} | {} | {} |",
            place.name(),
            truth.name(),
            said.name(),
            weight(&runs),
            runs.len(),
            names.join(", ")
        );
    }
    page.push('\n');
}
