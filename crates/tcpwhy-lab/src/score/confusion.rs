//! Who was taken for whom: time by true limit and by the limit that was said.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tcpwhy_core::model::Limit;

const N: usize = Limit::ALL.len();

/// Time by true limit (row) and said limit (column).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "ByName", from = "ByName")]
pub struct Confusion {
    cells: [[u64; N]; N],
}

/// The matrix by the limits' published names, without its zeros.
type ByName = BTreeMap<String, BTreeMap<String, u64>>;

impl Confusion {
    /// Adds time under `truth` that was called `said`.
    pub fn add(&mut self, truth: Limit, said: Limit, time: u64) {
        if let Some(cell) = self.cells.get_mut(index(truth)).and_then(|r| r.get_mut(index(said))) {
            *cell = cell.saturating_add(time);
        }
    }

    /// Adds all of `other`, weighed so that its whole counts as `whole`: runs of any length count the same.
    pub fn add_weighed(&mut self, other: &Self, whole: u64) {
        let all = other.total();
        if all == 0 {
            return;
        }
        for truth in Limit::ALL {
            for said in Limit::ALL {
                let time = u128::from(other.time(truth, said)) * u128::from(whole);
                self.add(truth, said, u64::try_from(time / u128::from(all)).unwrap_or(u64::MAX));
            }
        }
    }

    /// Time under `truth` that was called `said`.
    pub fn time(&self, truth: Limit, said: Limit) -> u64 {
        self.cells[index(truth)][index(said)]
    }

    /// All time.
    pub fn total(&self) -> u64 {
        self.cells.iter().flatten().sum()
    }

    /// Time under `limit` in truth.
    pub fn truth(&self, limit: Limit) -> u64 {
        self.cells[index(limit)].iter().sum()
    }

    /// Time that was called `limit`.
    pub fn said(&self, limit: Limit) -> u64 {
        self.cells.iter().map(|row| row[index(limit)]).sum()
    }

    /// Share of the time called `limit` in which it is the limit; `None` when it was never said.
    pub fn precision(&self, limit: Limit) -> Option<f64> {
        ratio(self.time(limit, limit), self.said(limit))
    }

    /// Share of the time under `limit` that was called so; `None` when it never held.
    pub fn recall(&self, limit: Limit) -> Option<f64> {
        ratio(self.time(limit, limit), self.truth(limit))
    }

    /// Harmonic mean of precision and recall: twice the common time over the sum of both; `None` when the limit
    /// neither held nor was said.
    pub fn f1(&self, limit: Limit) -> Option<f64> {
        let common = self.time(limit, limit).saturating_mul(2);
        ratio(common, self.truth(limit).saturating_add(self.said(limit)))
    }

    /// Limits that held for at least `least` (a share) of the time. `unknown` is an answer, never a truth.
    pub fn present(&self, least: f64) -> Vec<Limit> {
        let all = self.total() as f64;
        let holds = |l: &Limit| *l != Limit::Unknown && self.truth(*l) as f64 > least * all;
        Limit::ALL.into_iter().filter(holds).collect()
    }

    /// Mean of the F1 of the limits that held for at least `least` (a share) of the time.
    pub fn macro_f1(&self, least: f64) -> Option<f64> {
        let present = self.present(least);
        let sum: f64 = present.iter().map(|&l| self.f1(l).unwrap_or(0.0)).sum();
        (!present.is_empty()).then(|| sum / present.len() as f64)
    }

    /// Share of the time that was named rightly.
    pub fn accuracy(&self) -> Option<f64> {
        ratio(Limit::ALL.into_iter().map(|l| self.time(l, l)).sum(), self.total())
    }

    /// Share of the time under `truth` that was called `said`; `None` when it never held.
    pub fn taken_for(&self, truth: Limit, said: Limit) -> Option<f64> {
        ratio(self.time(truth, said), self.truth(truth))
    }

    /// Share of the time without an answer.
    pub fn unknown(&self) -> Option<f64> {
        ratio(self.said(Limit::Unknown), self.total())
    }
}

fn index(limit: Limit) -> usize {
    Limit::ALL.iter().position(|l| *l == limit).unwrap_or(N - 1)
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl From<Confusion> for ByName {
    fn from(matrix: Confusion) -> Self {
        let mut names = Self::new();
        for truth in Limit::ALL {
            for said in Limit::ALL {
                let time = matrix.time(truth, said);
                if time > 0 {
                    let row = names.entry(truth.name().to_owned()).or_default();
                    row.insert(said.name().to_owned(), time);
                }
            }
        }
        names
    }
}

impl From<ByName> for Confusion {
    fn from(names: ByName) -> Self {
        let mut matrix = Self::default();
        for (truth, row) in &names {
            for (said, time) in row {
                if let (Some(truth), Some(said)) = (limit(truth), limit(said)) {
                    matrix.add(truth, said, *time);
                }
            }
        }
        matrix
    }
}

/// The limit of that published name.
pub fn limit(name: &str) -> Option<Limit> {
    Limit::ALL.into_iter().find(|l| l.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_are_those_of_the_textbook() {
        let mut m = Confusion::default();
        m.add(Limit::SendBuffer, Limit::SendBuffer, 60);
        m.add(Limit::SendBuffer, Limit::Application, 40);
        m.add(Limit::Application, Limit::Application, 100);
        assert_eq!(m.recall(Limit::SendBuffer), Some(0.6));
        assert_eq!(m.precision(Limit::SendBuffer), Some(1.0));
        assert_eq!(m.f1(Limit::SendBuffer), Some(0.75));
        assert_eq!(m.taken_for(Limit::SendBuffer, Limit::Application), Some(0.4));
        assert_eq!(m.f1(Limit::Handshake), None);
        assert_eq!(m.accuracy(), Some(0.8));
    }

    #[test]
    fn a_short_run_weighs_as_much_as_a_long_one() {
        let (mut short, mut long, mut all) = Default::default();
        Confusion::add(&mut short, Limit::SendBuffer, Limit::Unknown, 1);
        Confusion::add(&mut long, Limit::SendBuffer, Limit::SendBuffer, 1_000_000);
        Confusion::add_weighed(&mut all, &short, 1000);
        Confusion::add_weighed(&mut all, &long, 1000);
        assert_eq!(all.recall(Limit::SendBuffer), Some(0.5));
    }

    #[test]
    fn it_is_the_same_after_a_round_trip_through_json() {
        let mut m = Confusion::default();
        m.add(Limit::DelayedAck, Limit::Unknown, 7);
        let text = serde_json::to_string(&m).unwrap();
        assert_eq!(text, r#"{"delayed_ack":{"unknown":7}}"#);
        assert_eq!(serde_json::from_str::<Confusion>(&text).unwrap(), m);
    }
}
