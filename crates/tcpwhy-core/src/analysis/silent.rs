//! Which connection is given up where too many are open: a scan, or a flood of SYNs.

use super::table::{Place, Table};
use crate::units::Nanos;

/// The half of the open connections that had been silent longest when they were looked through, the longest last.
///
/// One is given up for each that opens: all of them at once would need memory for as many answers.
#[derive(Debug, Default)]
pub(super) struct Silent {
    /// When each had spoken last, and which it is.
    list: Vec<(Nanos, Place, u64)>,
}

impl Silent {
    /// A connection that has been silent for long, if there is any.
    pub(super) fn next(&mut self, table: &Table) -> Option<Place> {
        self.still_silent(table).or_else(|| {
            self.list = longest_silent(table);
            self.still_silent(table)
        })
    }

    /// The next one that is open and has not spoken since.
    fn still_silent(&mut self, table: &Table) -> Option<Place> {
        while let Some((last, place, id)) = self.list.pop() {
            if table.get_if(place, id).is_some_and(|open| open.last == last) {
                return Some(place);
            }
        }
        None
    }
}

fn longest_silent(table: &Table) -> Vec<(Nanos, Place, u64)> {
    let about = |place| table.get(place).map(|open| (open.last, place, open.id));
    let mut all: Vec<_> = table.places().into_iter().filter_map(about).collect();
    let half = all.len().div_ceil(2);
    if half < all.len() {
        all.select_nth_unstable(half);
        all.truncate(half);
    }
    all.sort_unstable_by(|a, b| b.cmp(a));
    all
}

#[cfg(test)]
mod tests {
    use super::super::open::Open;
    use super::*;
    use crate::observe::{Endpoint, Segment};

    fn segment(port: u16, ms: i64) -> Segment {
        let end = |ip, port| Endpoint::new(std::net::IpAddr::from([10, 0, 0, ip]), port);
        let time = Nanos::from_millis(ms);
        Segment { src: end(1, port), dst: end(2, 80), time, ..Segment::default() }
    }

    #[test]
    fn the_longest_silent_goes_first_and_whoever_speaks_stays() {
        let (mut table, mut silent) = (Table::default(), Silent::default());
        assert_eq!(silent.next(&table), None);
        let spoke = [30, 10, 20, 60, 50, 40];
        let places: Vec<Place> = (0..6u16)
            .zip(spoke)
            .map(|(n, ms)| table.insert(Open::new(n.into(), &segment(1024 + n, ms))))
            .collect();
        let mut next = |table: &mut Table| {
            let place = silent.next(table)?;
            table.remove(place);
            places.iter().position(|p| *p == place)
        };
        assert_eq!(next(&mut table), Some(1));
        table.get_mut(places[2]).unwrap().last = Nanos::from_millis(70);
        let rest: Vec<_> = std::iter::from_fn(|| next(&mut table)).collect();
        assert_eq!(rest, [0, 5, 4, 3, 2]);
    }
}
