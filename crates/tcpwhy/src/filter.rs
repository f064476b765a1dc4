//! The part of the time that the answer is about, and the connections that are shown.

use crate::cli::Selection;
use crate::when::When;
use std::net::IpAddr;
use tcpwhy_capture::Capture;
use tcpwhy_core::analysis::Period;
use tcpwhy_core::model::Connection;
use tcpwhy_core::units::Nanos;

/// The span of time that the answer is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    since: Option<When>,
    until: Option<When>,
    /// Time of the first packet, once there is one.
    start: Option<Nanos>,
}

impl Span {
    /// As asked for.
    pub(crate) fn of(args: &Selection) -> Self {
        Self { since: args.since, until: args.until, start: None }
    }

    /// All of it.
    pub(crate) fn whole() -> Self {
        Self { since: None, until: None, start: None }
    }

    /// The same on the clock of a capture of which nothing was read yet.
    pub(crate) fn period(&self, capture: &mut Capture) -> Period {
        if self.since.is_none() && self.until.is_none() {
            return Period::default();
        }
        let bounds = capture.next_time().and_then(|start| self.bounds(start));
        bounds.map_or_else(Period::default, |(from, to)| Period { from, to })
    }

    /// Its first and last moment, in a capture that begins at `start`; `None` where it is all of it.
    pub(crate) fn bounds(&self, start: Nanos) -> Option<(Nanos, Nanos)> {
        let at = |when: Option<When>, open| when.map_or(open, |w| w.at(start));
        let bounded = self.since.is_some() || self.until.is_some();
        bounded.then(|| (at(self.since, Nanos(i64::MIN)), at(self.until, Nanos::MAX)))
    }

    /// Whether a packet counts as one of this time; all are analysed. The first packet asked about starts the clock.
    #[inline]
    pub(crate) fn takes(&mut self, time: Nanos) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let start = *self.start.get_or_insert(time);
        self.since.is_none_or(|w| time >= w.at(start))
            && self.until.is_none_or(|w| time < w.at(start))
    }
}

/// The connections to show: chosen after the analysis, so that their numbers stay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    conn: Option<u64>,
    host: Option<IpAddr>,
    port: Option<u16>,
}

impl Choice {
    /// As asked for.
    pub(crate) fn of(args: &Selection) -> Self {
        Self { conn: args.conn, host: args.host.map(|h| h.to_canonical()), port: args.port }
    }

    /// All of them.
    pub(crate) fn all() -> Self {
        Self { conn: None, host: None, port: None }
    }

    /// Whether `c` is shown.
    pub(crate) fn takes(&self, c: &Connection) -> bool {
        let ends = [c.client, c.server];
        self.conn.is_none_or(|id| c.id == id)
            && self.host.is_none_or(|host| ends.iter().any(|e| e.addr() == host))
            && self.port.is_none_or(|port| ends.iter().any(|e| e.port == port))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_span_is_half_open_and_counts_from_the_first_packet() {
        let (since, until) = ("1".parse().ok(), "2".parse().ok());
        let mut span = Span { since, until, start: None };
        let taken =
            [10_000, 10_999, 11_000, 11_999, 12_000].map(|ms| span.takes(Nanos::from_millis(ms)));
        assert_eq!(taken, [false, false, true, true, false]);
    }

    #[test]
    fn without_bounds_everything_is_taken() {
        let mut span = Span { since: None, until: None, start: None };
        assert!(span.takes(Nanos(i64::MIN)) && span.takes(Nanos::MAX));
    }
}
