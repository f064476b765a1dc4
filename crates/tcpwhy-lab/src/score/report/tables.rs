//! One function a table, in Markdown.

use super::sums::{LEAST, Runs, share};
use super::targets::Target;
use super::{boundary_text, figure, percent};
use crate::score::compare::Comparison;
use crate::score::matrix::{Control, Kind, Rtt};
use crate::score::measure::Place;
use crate::score::result::CellResult;
use crate::score::variant::Variant;
use std::collections::BTreeSet;
use std::fmt::Write;
use tcpwhy_core::model::Limit;

pub(super) fn targets(page: &mut String, list: &[Target]) {
    page.push_str("| figure | target | is | reached |\n| --- | --- | ---: | --- |\n");
    for t in list {
        let reached = match t.reached {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "no run says",
        };
        let _ = writeln!(page, "| {} | {} | {} | {reached} |", t.what, t.target, t.is);
    }
    page.push('\n');
}

pub(super) fn limits(page: &mut String, runs: &Runs<'_>) {
    page.push_str("## By limit and vantage\n\nWhole captures: precision, recall, F1.\n\n| limit | share of time |");
    Place::ALL.iter().for_each(|p| page.push_str(&format!(" {} P | R | F1 |", p.name())));
    page.push_str("\n| --- | ---: |");
    page.push_str(&" ---: | ---: | ---: |".repeat(3));
    page.push('\n');
    let sums = Place::ALL.map(|place| runs.sum(place, Variant::Whole).confusion);
    for limit in Limit::ALL.into_iter().filter(|l| *l != Limit::Unknown) {
        let truth = sums.first().map(|m| m.truth(limit) as f64 / m.total().max(1) as f64);
        if sums.iter().all(|m| m.f1(limit).is_none()) {
            continue;
        }
        let _ = write!(page, "| {} | {} |", limit.name(), percent(truth));
        for m in &sums {
            let [p, r, f] = [m.precision(limit), m.recall(limit), m.f1(limit)].map(figure);
            let _ = write!(page, " {p} | {r} | {f} |");
        }
        page.push('\n');
    }
    page.push_str("| **macro** | |");
    sums.iter().for_each(|m| {
        let _ = write!(page, " | | **{}** |", figure(m.macro_f1(LEAST)));
    });
    let agreement = runs.agreement();
    let _ = writeln!(
        page,
        "\n\nThe three vantages say the same in {} of the time, the two ends in {}. The verdict at the sender is the limit \
         that held longest in {} of the runs.\n",
        percent(agreement.map(|a| a.0)),
        percent(agreement.map(|a| a.1)),
        percent(runs.verdicts())
    );
}

pub(super) fn confusion(page: &mut String, runs: &Runs<'_>) {
    for place in Place::ALL {
        let matrix = runs.sum(place, Variant::Whole).confusion;
        let seen = |l: &Limit| matrix.truth(*l) + matrix.said(*l) > 0;
        let columns: Vec<Limit> = Limit::ALL.into_iter().filter(seen).collect();
        let _ = write!(
            page,
            "## Confusion, {}\n\nPercent of the true limit's time (rows) by what was said (columns).\n\n| truth |",
            place.name()
        );
        columns.iter().for_each(|l| page.push_str(&format!(" {} |", l.name())));
        let _ = writeln!(page, "\n| --- |{}", " ---: |".repeat(columns.len()));
        for truth in columns.iter().copied().filter(|l| matrix.truth(*l) > 0) {
            let _ = write!(page, "| {} |", truth.name());
            for said in &columns {
                let part = matrix.taken_for(truth, *said).unwrap_or(0.0);
                let text =
                    if part < 0.0005 { String::new() } else { format!("{:.1}", part * 100.0) };
                let _ = write!(page, " {text} |");
            }
            page.push('\n');
        }
        page.push('\n');
    }
}

pub(super) fn variants(page: &mut String, runs: &Runs<'_>) {
    page.push_str(
        "## Worse captures\n\nMacro-F1 and unknown time.\n\n| capture | sender | unknown | middle | unknown | receiver | \
         unknown |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut row = |name: &str, runs: &Runs<'_>, variant| {
        let _ = write!(page, "| {name} |");
        for place in Place::ALL {
            let m = runs.sum(place, variant).confusion;
            let _ = write!(page, " {} | {} |", figure(m.macro_f1(LEAST)), percent(m.unknown()));
        }
        page.push('\n');
    };
    for variant in Variant::ALL {
        row(variant.name(), runs, variant);
    }
    row("without timestamps", &runs.only(|r| !r.timestamps), Variant::Whole);
    page.push('\n');
}

/// By each dimension of the matrix, whole captures at the sender.
pub(super) fn groups(page: &mut String, runs: &Runs<'_>) {
    page.push_str(
        "## By part of the matrix\n\nWhole captures at the sender.\n\n| runs | count | right time | macro-F1 | verdict right \
         | unknown | boundary median | 90 % |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut row = |name: String, takes: &dyn Fn(&CellResult) -> bool| {
        let part = runs.only(takes);
        let sum = part.sum(Place::Sender, Variant::Whole);
        let count = part.all().count();
        if count > 0 {
            let [median, most] = boundary_text(&sum.boundaries);
            let m = &sum.confusion;
            let _ = writeln!(
                page,
                "| {name} | {count} | {} | {} | {} | {} | {median} | {most} |",
                percent(m.accuracy()),
                figure(m.macro_f1(LEAST)),
                percent(part.verdicts()),
                percent(m.unknown())
            );
        }
    };
    Kind::ALL.iter().for_each(|k| row(k.name().to_owned(), &|r| r.kind == k.name()));
    Control::ALL.iter().for_each(|c| row(c.name().to_owned(), &|r| r.control == c.name()));
    Rtt::ALL.iter().for_each(|t| row(format!("{} ms", t.millis()), &|r| r.rtt_ms == t.millis()));
    row("offload".to_owned(), &|r| r.offload);
    row("no offload".to_owned(), &|r| !r.offload);
    for share in [0.1, 0.25, 0.5, 0.8, 1.0, 1.5] {
        let buffers = [Kind::SendBuffer.name(), Kind::ReceiveWindow.name()];
        let is = |r: &CellResult| r.severity == share && buffers.contains(&r.kind.as_str());
        row(format!("buffer or window of {share} BDP"), &is);
    }
    page.push('\n');
}

pub(super) fn causes(page: &mut String, runs: &Runs<'_>) {
    page.push_str(
        "## Causes\n\nOf the time in which the limit is right (sender, whole captures), the share in which the cause is too.\n\n\
         | cause | right |\n| --- | ---: |\n",
    );
    for (name, time) in runs.sum(Place::Sender, Variant::Whole).causes {
        let right = (time.all > 0).then(|| time.right as f64 / time.all as f64);
        let _ = writeln!(page, "| {name} | {} |", percent(right));
    }
    page.push('\n');
}

pub(super) fn calibration(page: &mut String, runs: &Runs<'_>) {
    let whole = runs.whole().calibration;
    let _ = write!(
        page,
        "## Confidence\n\nExpected calibration error: {}.\n\n| stated | right | share of time |\n| ---: | ---: | ---: |\n",
        percent(whole.error())
    );
    let all: u64 = whole.bins().iter().map(|b| b.time).sum();
    for bin in whole.bins().iter().filter(|b| b.time > 0) {
        let part = bin.time as f64 / all.max(1) as f64;
        let [stated, right, part] =
            [bin.confidence(), bin.accuracy(), part].map(|p| percent(Some(p)));
        let _ = writeln!(page, "| {stated} | {right} | {part} |");
    }
    page.push('\n');
}

pub(super) fn baselines(page: &mut String, runs: &Runs<'_>) {
    page.push_str(
        "## Beside others\n\nOn the same captures at the sender. A verdict that cannot tell limits apart is right if any of \
         them is; F1 where there is a timeline.\n\n| | verdict right | no verdict | macro-F1 | send buffer | receive window | \
         application |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut row = |name: &str, right: Option<f64>, none: Option<f64>, sum: Option<&Comparison>| {
        let f1 = |l| figure(sum.and_then(|s| s.confusion.f1(l)));
        let _ = writeln!(
            page,
            "| {name} | {} | {} | {} | {} | {} | {} |",
            percent(right),
            percent(none),
            figure(sum.and_then(|s| s.confusion.macro_f1(LEAST))),
            f1(Limit::SendBuffer),
            f1(Limit::ReceiveWindow),
            f1(Limit::Application)
        );
    };
    let ours = runs.sum(Place::Sender, Variant::Whole);
    let unknown = |r: &CellResult| {
        let view = r.judgement()?.scored.views.first()?.verdict.as_ref()?;
        Some(view.limit == Limit::Unknown.name())
    };
    let none = share(runs.all().filter_map(|(r, _)| unknown(r)));
    row("tcpwhy", runs.verdicts(), none, Some(&ours));
    let names: BTreeSet<&str> =
        runs.all().flat_map(|(_, j)| j.others.keys().map(String::as_str)).collect();
    for name in names {
        let answers = || {
            runs.all().filter_map(|(_, j)| {
                Some((j.others.get(name)?, j.scored.truth.as_ref()?.limit.as_str()))
            })
        };
        let right = share(answers().map(|(o, truth)| o.verdict.iter().any(|v| v == truth)));
        let none = share(answers().map(|(o, _)| o.verdict.is_empty()));
        let mut sum = Comparison::default();
        let timelines = answers().filter_map(|(o, _)| o.comparison.as_ref());
        let count = timelines.map(|c| sum.add_run(c)).count();
        row(name, right, none, (count > 0).then_some(&sum));
    }
    page.push('\n');
    let all = Runs::all(runs).count();
    let seen = runs.all().filter(|(_, j)| j.others.contains_key("Wireshark flags")).count();
    if seen < all {
        let _ = writeln!(
            page,
            "Wireshark's flags: skipped in {} runs: tshark is not installed.\n",
            all - seen
        );
    }
}

pub(super) fn definitions(page: &mut String) {
    page.push_str(
        "## What the figures mean\n\n\
         - Time is compared moment by moment at the sender's clock; a capture away from the sender is moved by the path's \
         propagation to it, not by its queues. Each run counts the same, and within it each moment.\n\
         - Time about which the analysis says nothing counts as unknown. Time about which the truth says nothing does not count.\n\
         - Macro-F1: the mean of F1 over the limits that held for at least 0.1 % of the time.\n\
         - Boundary error: the distance of each true change of the limit to the nearest analysed one that leaves the same limit or \
         enters the same one, in round trips of the path without queues; both courses are first freed of what is shorter than a \
         round trip. One that is not found is endlessly far away.\n\
         - What-if: a run's transfer time as predicted without the limit of its verdict, beside the time of the run made again without \
         it; lifted is one run of every limit, severity, congestion control and path, the plain download.\n\
         - Advice promises a gain where the predicted time is shorter by more than a twentieth; else it says that there is little to \
         gain, and by what the transfer is held then. It helps where the rate rises by more than 3 %, which is what equal runs differ by. \
         The target counts the promises; gains that were denied stand in the table beside them.\n\
         - The held-out part of the matrix, 40 ms and reno, is run by `--held-out` only, after all tuning.\n",
    );
}
