//! Runs added up, by any part of the matrix.

use crate::score::agreement::Agreement;
use crate::score::compare::Comparison;
use crate::score::measure::{Place, View};
use crate::score::result::{CellResult, Judgement, Twin};
use crate::score::variant::Variant;
use tcpwhy_core::model::Limit;

/// A limit that held for less of the time than this says nothing about how well it is told: left out of macro-F1.
pub(crate) const LEAST: f64 = 0.001;

/// The runs that count: scored, over a faithful link.
#[derive(Debug, Clone)]
pub struct Runs<'a> {
    runs: Vec<(&'a CellResult, &'a Judgement)>,
    unfaithful: usize,
}

impl<'a> Runs<'a> {
    /// Those of `results` that `takes` takes.
    pub fn new(results: &'a [CellResult], takes: impl Fn(&CellResult) -> bool) -> Self {
        let scored = results.iter().filter(|r| takes(r)).filter_map(|r| Some((r, r.judgement()?)));
        let (runs, rest): (Vec<_>, Vec<_>) = scored.partition(|(_, j)| j.faithful);
        Self { runs, unfaithful: rest.len() }
    }

    /// The runs and their scores.
    pub fn all(&self) -> impl Iterator<Item = (&'a CellResult, &'a Judgement)> {
        self.runs.iter().copied()
    }

    /// The lifted runs whose links did what was asked.
    pub fn twins(&self) -> impl Iterator<Item = (&'a CellResult, &'a Twin)> {
        self.all().filter_map(|(r, j)| Some((r, j.twin.as_ref()?))).filter(|(_, t)| t.faithful)
    }

    /// How many lifted runs had other links.
    pub fn unfaithful_twins(&self) -> usize {
        self.all().filter_map(|(_, j)| j.twin.as_ref()).filter(|t| !t.faithful).count()
    }

    /// How many ran over a link that did not do what was asked.
    pub fn unfaithful(&self) -> usize {
        self.unfaithful
    }

    /// Fewer runs.
    pub fn only(&self, takes: impl Fn(&CellResult) -> bool) -> Self {
        let runs = self.all().filter(|(r, _)| takes(r)).collect();
        Self { runs, unfaithful: 0 }
    }

    /// The captures of one kind.
    pub fn views(
        &self,
        place: Place,
        variant: Variant,
    ) -> impl Iterator<Item = (&'a CellResult, &'a View)> {
        self.all().filter_map(move |(r, j)| {
            let is = |v: &&View| v.place == place && v.variant == variant;
            Some((r, j.scored.views.iter().find(is)?))
        })
    }

    /// Their comparisons, each run counted the same.
    pub fn sum(&self, place: Place, variant: Variant) -> Comparison {
        let mut sum = Comparison::default();
        self.views(place, variant).for_each(|(_, view)| sum.add_run(&view.comparison));
        sum
    }

    /// The sum over whole captures of all vantages.
    pub fn whole(&self) -> Comparison {
        let mut sum = Comparison::default();
        for place in Place::ALL {
            self.views(place, Variant::Whole).for_each(|(_, v)| sum.add_run(&v.comparison));
        }
        sum
    }

    /// Share of time in which all three vantages, and in which both ends, say the same; each run counted the same.
    pub fn agreement(&self) -> Option<(f64, f64)> {
        let all: Vec<Agreement> =
            self.all().filter_map(|(_, j)| j.scored.agreement).filter(|a| a.all > 0).collect();
        let mean = |part: fn(&Agreement) -> u64| {
            let shares = all.iter().map(|a| part(a) as f64 / a.all as f64);
            shares.sum::<f64>() / all.len() as f64
        };
        (!all.is_empty()).then(|| (mean(|a| a.same), mean(|a| a.ends)))
    }

    /// Share of runs whose verdict at the sender is the limit that held longest in truth.
    pub fn verdicts(&self) -> Option<f64> {
        let right = |(r, view): (&CellResult, &View)| {
            let truth = r.judgement()?.scored.truth.as_ref()?;
            Some(view.verdict.as_ref().is_some_and(|v| v.limit == truth.limit))
        };
        share(self.views(Place::Sender, Variant::Whole).filter_map(right))
    }

    /// Runs in which `limit` held longest in truth.
    pub fn with_truth(&self, limit: Limit) -> Self {
        self.only(|r| {
            let truth = r.judgement().and_then(|j| j.scored.truth.as_ref());
            truth.is_some_and(|t| t.limit == limit.name())
        })
    }
}

/// The share of `true`; `None` of nothing.
pub(crate) fn share(all: impl Iterator<Item = bool>) -> Option<f64> {
    let (mut right, mut count) = (0_u32, 0_u32);
    for one in all {
        count += 1;
        right += u32::from(one);
    }
    (count > 0).then(|| f64::from(right) / f64::from(count))
}
