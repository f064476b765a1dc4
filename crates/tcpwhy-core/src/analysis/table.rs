//! The open connections, found by their ends.

use super::open::Open;
use crate::observe::{Endpoint, Segment};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Both ends, in an order that does not depend on the direction: addresses and ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ends(u128, u128, u32);

impl Ends {
    /// The ends of `segment`, and whether the first of them has sent it.
    pub(super) fn of(segment: &Segment) -> (Self, bool) {
        let number = |e: &Endpoint| (u128::from_ne_bytes(e.ip), e.port);
        let (a, b) = (number(&segment.src), number(&segment.dst));
        let ports = |high: u16, low: u16| u32::from(high) << 16 | u32::from(low);
        if a <= b {
            (Self(a.0, b.0, ports(a.1, b.1)), true)
        } else {
            (Self(b.0, a.0, ports(b.1, a.1)), false)
        }
    }

    /// The first and the second end.
    pub(super) fn endpoints(&self) -> [Endpoint; 2] {
        let end = |ip: u128, port: u32| Endpoint { ip: ip.to_ne_bytes(), port: port as u16 };
        [end(self.0, self.2 >> 16), end(self.1, self.2)]
    }
}

/// The place of an open connection; given to another one when it is over.
pub(super) type Place = u32;

/// The open connections.
#[derive(Debug, Default)]
pub(super) struct Table {
    hasher: DefaultHashBuilder,
    index: HashTable<Place>,
    places: Vec<Option<Open>>,
    free: Vec<Place>,
    /// The one asked for last: packets come in bursts.
    last: Place,
}

impl Table {
    /// How many are open.
    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// All places that are in use.
    pub(super) fn places(&self) -> Vec<Place> {
        self.index.iter().copied().collect()
    }

    pub(super) fn get(&self, place: Place) -> Option<&Open> {
        self.places.get(place as usize)?.as_ref()
    }

    pub(super) fn get_mut(&mut self, place: Place) -> Option<&mut Open> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    /// Where the connection between `ends` is.
    pub(super) fn find(&mut self, ends: &Ends) -> Option<Place> {
        if self.get(self.last).is_some_and(|open| open.ends == *ends) {
            return Some(self.last);
        }
        let hash = self.hasher.hash_one(ends);
        let same = |place: &Place| self.get(*place).is_some_and(|open| open.ends == *ends);
        self.last = *self.index.find(hash, same)?;
        Some(self.last)
    }

    /// Adds a connection between ends that have none.
    pub(super) fn insert(&mut self, open: Open) -> Place {
        let hash = self.hasher.hash_one(open.ends);
        let place = match self.free.pop() {
            Some(place) => {
                self.places[place as usize] = Some(open);
                place
            }
            None => {
                self.places.push(Some(open));
                self.places.len() as Place - 1
            }
        };
        let (hasher, places) = (&self.hasher, &self.places);
        let hash_at = |place: &Place| {
            places
                .get(*place as usize)
                .and_then(Option::as_ref)
                .map_or(0, |o| hasher.hash_one(o.ends))
        };
        self.index.insert_unique(hash, place, hash_at);
        place
    }

    /// Takes a connection out; its place is free then.
    pub(super) fn remove(&mut self, place: Place) -> Option<Open> {
        let open = self.places.get_mut(place as usize)?.take()?;
        let hash = self.hasher.hash_one(open.ends);
        if let Ok(found) = self.index.find_entry(hash, |&p| p == place) {
            found.remove();
        }
        self.free.push(place);
        Some(open)
    }
}
