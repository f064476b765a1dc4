//! What is counted: by service, and of the agent itself. It outlives the sockets.

use super::histogram::Histogram;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;
use tcpwhy_live::memory::{Memory, Pressure};

/// A service without sockets for this long gives its place to a new one, if there is no other.
const FORGOTTEN: Duration = Duration::from_secs(3600);
/// Where services without a place are counted.
const OTHER: &str = "other";
/// Shares of a connection's time.
const SHARES: [f64; 8] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0];
/// Seconds that a sample takes.
const DURATIONS: [f64; 10] = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5];

/// Everything that is exported.
#[derive(Debug)]
pub(super) struct Totals {
    /// The first is for those without a place.
    pub services: Vec<Service>,
    places: HashMap<Arc<str>, usize>,
    most: usize,
    /// Of the agent itself.
    pub own: Own,
}

/// Which way a transfer goes, seen from this host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Direction {
    Send,
    Receive,
}

/// What held a transfer, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Held {
    pub direction: Direction,
    pub limit: Limit,
    pub cause: &'static str,
}

/// One service's counters. All but `open` only grow.
#[derive(Debug, Clone)]
pub(super) struct Service {
    pub name: Arc<str>,
    /// When it was first seen, nanoseconds since the Unix epoch.
    pub since_ns: u64,
    /// Time in which each limit held a connection.
    pub limited: BTreeMap<Held, Nanos>,
    /// Time in which connections transferred, or waited to; by direction.
    pub active: [Nanos; 2],
    /// Bytes by direction: acknowledged by the peer, received.
    pub bytes: [u64; 2],
    /// Packets sent again.
    pub resent: u64,
    /// Connections seen, ever.
    pub seen: u64,
    /// Of them, closed.
    pub closed: u64,
    /// Connections now.
    pub open: u64,
    /// Share of its active time that a limit held a connection, when it closed.
    pub shares: BTreeMap<(Direction, Limit), Histogram>,
    /// When it last had a connection.
    used: Instant,
}

/// What the agent tells of itself.
#[derive(Debug)]
pub(super) struct Own {
    /// When it began, nanoseconds since the Unix epoch.
    pub since_ns: u64,
    pub samples: u64,
    /// Samples that were due and not taken: the kernel refused, they would have cost too much processor time, or nobody let us run.
    pub refused: u64,
    pub spared: u64,
    pub late: u64,
    /// Seconds that samples took.
    pub durations: Histogram,
    /// Connections that came and went between two samples.
    pub missed: u64,
    /// Network namespaces that are watched, and those that may not be entered.
    pub namespaces: u64,
    pub namespaces_closed: u64,
    /// The machine's memory for TCP, and how often it was short since the agent began.
    pub memory: Option<Memory>,
    pub pressure: Pressure,
    /// Connections of services that got no place.
    pub without_place: u64,
    /// Events written, and those that could not be.
    pub events: u64,
    pub events_lost: u64,
    /// Exports that were taken, and that were not.
    pub exports: u64,
    pub exports_failed: u64,
    /// When the last sample was taken, nanoseconds since the Unix epoch; 0 before.
    pub last_sample_ns: u64,
    /// When the round after the last sample ends as planned, which may be long after it: then the next one is due.
    pub due: Instant,
}

impl Totals {
    /// With places for `most` services.
    pub(super) fn new(most: u16) -> Self {
        let own = Own {
            since_ns: now_ns(),
            samples: 0,
            refused: 0,
            spared: 0,
            late: 0,
            durations: Histogram::new(&DURATIONS),
            missed: 0,
            namespaces: 0,
            namespaces_closed: 0,
            memory: None,
            pressure: Pressure::default(),
            without_place: 0,
            events: 0,
            events_lost: 0,
            exports: 0,
            exports_failed: 0,
            last_sample_ns: 0,
            due: Instant::now(),
        };
        let other: Arc<str> = OTHER.into();
        // One that is really called so is counted there as well: no two series may have the same labels.
        let places = HashMap::from([(Arc::clone(&other), 0)]);
        Self { services: vec![Service::new(other)], places, most: most.into(), own }
    }

    /// The place of a service: a free one, or one that nobody has used for long, or the one for all others.
    pub(super) fn place(&mut self, name: &Arc<str>) -> usize {
        if let Some(place) = self.places.get(name) {
            return *place;
        }
        let place = if self.services.len() <= self.most {
            self.services.len()
        } else if let Some(place) = self.forgotten() {
            place
        } else {
            self.own.without_place += 1;
            return 0;
        };
        let service = Service::new(Arc::clone(name));
        match self.services.get_mut(place) {
            Some(old) => {
                self.places.remove(&old.name);
                *old = service;
            }
            None => self.services.push(service),
        }
        self.places.insert(Arc::clone(name), place);
        place
    }

    /// The service at a place.
    pub(super) fn at(&mut self, place: usize) -> Option<&mut Service> {
        self.services.get_mut(place)
    }

    fn forgotten(&self) -> Option<usize> {
        let old = |s: &Service| s.open == 0 && s.used.elapsed() >= FORGOTTEN;
        let places = self.services.iter().enumerate().skip(1).filter(|(_, s)| old(s));
        places.min_by_key(|(_, s)| s.used).map(|(place, _)| place)
    }
}

impl Service {
    fn new(name: Arc<str>) -> Self {
        Self {
            name,
            since_ns: now_ns(),
            limited: BTreeMap::new(),
            active: [Nanos::ZERO; 2],
            bytes: [0; 2],
            resent: 0,
            seen: 0,
            closed: 0,
            open: 0,
            shares: BTreeMap::new(),
            used: Instant::now(),
        }
    }

    /// A connection was seen for the first time.
    pub(super) fn opened(&mut self) {
        self.seen += 1;
        self.open += 1;
    }

    /// A connection is gone.
    pub(super) fn closed(&mut self) {
        self.closed += 1;
        self.open = self.open.saturating_sub(1);
        self.used = Instant::now();
    }

    /// The share of a connection's time in one direction, when it closed.
    pub(super) fn share(&mut self, direction: Direction, limit: Limit, share: f64) {
        let new = || Histogram::new(&SHARES);
        self.shares.entry((direction, limit)).or_insert_with(new).add(share);
    }
}

impl Direction {
    pub(super) const ALL: [Self; 2] = [Self::Send, Self::Receive];

    /// As in the label.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Receive => "receive",
        }
    }

    /// Place in `active` and `bytes`.
    pub(super) fn place(self) -> usize {
        usize::from(self == Self::Receive)
    }
}

/// Nanoseconds since the Unix epoch.
pub(super) fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_beyond_the_places_are_counted_together() {
        let mut totals = Totals::new(2);
        let place = |totals: &mut Totals, name: &str| totals.place(&name.into());
        assert_eq!([place(&mut totals, "a"), place(&mut totals, "b")], [1, 2]);
        assert_eq!([place(&mut totals, "c"), place(&mut totals, "d")], [0, 0]);
        assert_eq!([place(&mut totals, "a"), place(&mut totals, "other")], [1, 0]);
        assert_eq!(&*totals.services[0].name, "other");
        assert_eq!((totals.services.len(), totals.own.without_place), (3, 2));
    }

    #[test]
    fn a_place_that_nobody_used_for_long_is_given_away_and_one_in_use_is_not() {
        let Some(long_ago) = Instant::now().checked_sub(FORGOTTEN) else {
            return println!("skipped: this machine is up for less than an hour");
        };
        let mut totals = Totals::new(2);
        for name in ["a", "b"] {
            let place = totals.place(&name.into());
            totals.services[place].used = long_ago;
        }
        totals.services[1].opened();
        assert_eq!(totals.place(&"c".into()), 2);
        assert_eq!(&*totals.services[2].name, "c");
        assert_eq!(totals.place(&"b".into()), 0, "nobody is left to give way");
    }
}
