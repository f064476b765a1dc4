//! The figures that we steer by, and what they must reach.

use super::sums::{LEAST, Runs, share};
use super::{boundary_text, figure, percent};
use crate::score::boundary::quantile;
use crate::score::confusion::Confusion;
use crate::score::matrix::Control;
use crate::score::measure::Place;
use crate::score::result::Twin;
use crate::score::variant::Variant;
use tcpwhy_core::model::Limit;

/// A prediction counts as right within this part of the time that came out.
pub(super) const PREDICTED: f64 = 0.15;
/// A limit that held for less of the time than this fails no target of its own: what little there is comes from runs about something else.
const TOLD: f64 = 0.01;
/// Advice helps when it raises the rate by more than what two equal runs differ by.
pub(super) const HELPS: f64 = 0.03;

/// A figure with what it must reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What is measured.
    pub what: String,
    /// What it must reach, as text.
    pub target: String,
    /// What it is, as text.
    pub is: String,
    /// Whether it is reached; `None`: no run says.
    pub reached: Option<bool>,
}

/// Whether there is advice that promises a gain: where nothing can be gained it says so, and there is no rate to raise.
pub(super) fn promised(twin: &Twin) -> bool {
    twin.lifted != Limit::PathBandwidth.name() && twin.promises()
}

/// All targets.
pub fn targets(runs: &Runs<'_>) -> Vec<Target> {
    let mut list = Vec::new();
    for (place, least) in Place::ALL.into_iter().zip([0.95, 0.88, 0.90]) {
        let f1 = runs.sum(place, Variant::Whole).confusion.macro_f1(LEAST);
        list.push(at_least(format!("macro-F1, {}", place.name()), least, f1));
    }
    for control in Control::ALL {
        let of = runs.only(|r| r.control == control.name());
        let matrix = of.sum(Place::Sender, Variant::Whole).confusion;
        let what = format!("send-buffer recall, {} (sender)", control.name());
        list.push(at_least(what, 0.90, told(&matrix, Limit::SendBuffer, Confusion::recall)));
    }
    let sender = runs.sum(Place::Sender, Variant::Whole);
    let taken = told(&sender.confusion, Limit::SendBuffer, |matrix, limit| {
        matrix.taken_for(limit, Limit::Application)
    });
    list.push(at_most("send buffer taken for application (sender)", 0.05, taken));
    let paced = runs.only(|r| r.control == Control::Bbr.name());
    let paced = paced.sum(Place::Sender, Variant::Whole).confusion;
    let paced = told(&paced, Limit::ReceiveWindow, Confusion::f1);
    list.push(at_least("receive-window F1 with pacing (bbr, sender)".to_owned(), 0.97, paced));
    let whole = runs.whole();
    list.push(at_most("unknown, whole captures, all vantages", 0.05, whole.confusion.unknown()));
    let median = quantile(&sender.boundaries, 0.5);
    let [text, _] = boundary_text(&sender.boundaries);
    list.push(Target {
        what: "boundary error, median, in round trips (sender)".to_owned(),
        target: "<= 1".to_owned(),
        is: text,
        reached: (!sender.boundaries.is_empty()).then(|| median.is_some_and(|m| m <= 1.0)),
    });
    let predicted = share(runs.twins().filter_map(|(_, t)| t.is_predicted(PREDICTED)));
    list.push(at_least_share("what-if within 15 % of the lifted run's time", predicted));
    let helps = share(runs.twins().filter(|(_, t)| promised(t)).map(|(_, t)| t.helps(HELPS)));
    list.push(at_least_share("advice that promises a gain raises the rate", helps));
    list
}

/// A figure of a limit; `None` where it held for too little of the time to judge it by.
fn told(
    matrix: &Confusion,
    limit: Limit,
    figure: impl Fn(&Confusion, Limit) -> Option<f64>,
) -> Option<f64> {
    matrix.present(TOLD).contains(&limit).then(|| figure(matrix, limit)).flatten()
}

fn at_least(what: String, least: f64, is: Option<f64>) -> Target {
    let (target, reached) = (format!(">= {least:.2}"), is.map(|v| v >= least));
    Target { what, target, is: figure(is), reached }
}

fn at_most(what: &str, most: f64, is: Option<f64>) -> Target {
    let (target, reached) = (format!("<= {:.0} %", 100.0 * most), is.map(|v| v <= most));
    Target { what: what.to_owned(), target, is: percent(is), reached }
}

fn at_least_share(what: &str, is: Option<f64>) -> Target {
    let (target, reached) = ("90 % of runs".to_owned(), is.map(|v| v >= 0.90));
    Target { what: what.to_owned(), target, is: percent(is), reached }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_hardly_held_fails_no_target() {
        let mut matrix = Confusion::default();
        matrix.add(Limit::CongestionWindow, Limit::CongestionWindow, 9_990);
        matrix.add(Limit::SendBuffer, Limit::Application, 10);
        assert_eq!(matrix.recall(Limit::SendBuffer), Some(0.0));
        assert_eq!(told(&matrix, Limit::SendBuffer, Confusion::recall), None);
        matrix.add(Limit::SendBuffer, Limit::SendBuffer, 1_000);
        assert!(told(&matrix, Limit::SendBuffer, Confusion::recall).is_some());
    }
}
