//! How far the analysed boundaries lie from the true ones.
//!
//! Both timelines are first made coarse: what is shorter than a round trip is given to its neighbour, for a limit
//! that holds shorter than one cannot be told from a packet's way. A true boundary from A to B is then found where the
//! analysis leaves A or enters B; the nearest such place counts. Its distance is given in round trips of the path.

use super::timeline::Timeline;
use statrs::statistics::{Data, OrderStatistics};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// A change of the limit.
#[derive(Debug, Clone, Copy)]
struct Boundary {
    at: Nanos,
    before: Limit,
    after: Limit,
}

/// For each true boundary the distance to the nearest analysed one in round trips; `None`: there is none.
pub fn errors(truth: &Timeline, said: &Timeline, rtt: Nanos) -> Vec<Option<f64>> {
    let (truth, said) = (boundaries(&truth.coarse(rtt)), boundaries(&said.coarse(rtt)));
    let told = |b: &&Boundary| b.before != Limit::Unknown && b.after != Limit::Unknown;
    let error = |t: &Boundary| Some(nearest(t, &said)? as f64 / rtt.0.max(1) as f64);
    truth.iter().filter(told).map(error).collect()
}

fn boundaries(line: &Timeline) -> Vec<Boundary> {
    let change = |pair: &[super::timeline::Span]| match pair {
        [a, b] if a.limit != b.limit => {
            Some(Boundary { at: b.from, before: a.limit, after: b.limit })
        }
        _ => None,
    };
    line.spans().windows(2).filter_map(change).collect()
}

fn nearest(truth: &Boundary, said: &[Boundary]) -> Option<u64> {
    said.iter()
        .filter(|s| s.before == truth.before || s.after == truth.after)
        .map(|s| (s.at - truth.at).0.unsigned_abs())
        .min()
}

/// The error that the share `part` (0 to 1) of all true boundaries stays within, those not found being endlessly far
/// away: `None` when that many were not found, or there are none.
pub fn quantile(errors: &[Option<f64>], part: f64) -> Option<f64> {
    if errors.is_empty() {
        return None;
    }
    let far = |e: &Option<f64>| e.unwrap_or(f64::MAX);
    let mut data = Data::new(errors.iter().map(far).collect::<Vec<f64>>());
    // statrs interpolates between neighbours: beside one that was not found, the result is as far.
    Some(data.quantile(part)).filter(|q| *q < 1e9)
}

#[cfg(test)]
mod tests {
    use super::super::timeline::tests::line;
    use super::*;

    #[test]
    fn a_boundary_late_by_half_a_round_trip() {
        let truth = line(&[(0, Limit::CongestionWindow), (100, Limit::SendBuffer)], 1000);
        let said = line(&[(0, Limit::CongestionWindow), (110, Limit::SendBuffer)], 1000);
        assert_eq!(errors(&truth, &said, Nanos::from_millis(20)), [Some(0.5)]);
    }

    #[test]
    fn a_boundary_between_others_is_not_found() {
        let truth = line(&[(0, Limit::CongestionWindow), (100, Limit::SendBuffer)], 1000);
        let said = line(&[(0, Limit::Application), (100, Limit::PathBandwidth)], 1000);
        assert_eq!(errors(&truth, &said, Nanos::from_millis(20)), [None]);
        assert_eq!(quantile(&[None], 0.5), None);
    }

    #[test]
    fn the_median_counts_what_was_not_found_as_far_away() {
        assert_eq!(quantile(&[Some(0.0), Some(1.0), Some(2.0), None, None], 0.5), Some(2.0));
        assert_eq!(quantile(&[Some(0.0), None, None], 0.5), None);
        assert_eq!(quantile(&[], 0.5), None);
    }
}
