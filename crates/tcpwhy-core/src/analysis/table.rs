//! The open connections, found by their ends.

use super::open::Open;
use crate::model::Side;
use crate::observe::{Endpoint, Segment};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// The place of an open connection; given to another one when it is over.
pub(super) type Place = u32;

/// The open connections.
#[derive(Debug, Default)]
pub(super) struct Table {
    hasher: DefaultHashBuilder,
    index: HashTable<Place>,
    places: Vec<Option<Open>>,
    free: Vec<Place>,
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

    #[inline]
    pub(super) fn get(&self, place: Place) -> Option<&Open> {
        self.places.get(place as usize)?.as_ref()
    }

    #[inline]
    pub(super) fn get_mut(&mut self, place: Place) -> Option<&mut Open> {
        self.places.get_mut(place as usize)?.as_mut()
    }

    /// Where the connection of `segment` is, and which side has sent it; `near` is looked at first.
    #[inline]
    pub(super) fn find(&self, segment: &Segment, near: Place) -> Option<(Place, Side)> {
        match self.sender_at(near, segment) {
            Some(side) => Some((near, side)),
            None => self.look_up(segment),
        }
    }

    #[inline(never)]
    fn look_up(&self, segment: &Segment) -> Option<(Place, Side)> {
        let hash = hash(&self.hasher, &segment.src, &segment.dst);
        let place = *self.index.find(hash, |&place| self.sender_at(place, segment).is_some())?;
        Some((place, self.sender_at(place, segment)?))
    }

    /// Who has sent `segment`, if it belongs to the connection in this place.
    #[inline]
    fn sender_at(&self, place: Place, segment: &Segment) -> Option<Side> {
        let [client, server] = &self.get(place)?.ends;
        if segment.src == *client && segment.dst == *server {
            Some(Side::Client)
        } else if segment.src == *server && segment.dst == *client {
            Some(Side::Server)
        } else {
            None
        }
    }

    /// Adds a connection between ends that have none.
    pub(super) fn insert(&mut self, open: Open) -> Place {
        let hash_of = |hasher: &_, open: &Open| hash(hasher, &open.ends[0], &open.ends[1]);
        let new = hash_of(&self.hasher, &open);
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
            let open = places.get(*place as usize).and_then(Option::as_ref);
            open.map_or(0, |open| hash_of(hasher, open))
        };
        self.index.insert_unique(new, place, hash_at);
        place
    }

    /// Takes a connection out; its place is free then.
    pub(super) fn remove(&mut self, place: Place) -> Option<Open> {
        let open = self.places.get_mut(place as usize)?.take()?;
        let hash = hash(&self.hasher, &open.ends[0], &open.ends[1]);
        if let Ok(found) = self.index.find_entry(hash, |&p| p == place) {
            found.remove();
        }
        self.free.push(place);
        Some(open)
    }
}

/// The same for both directions; no capture can be made to collide.
fn hash(hasher: &DefaultHashBuilder, one: &Endpoint, other: &Endpoint) -> u64 {
    let of = |end: &Endpoint| hasher.hash_one((u128::from_ne_bytes(end.ip), end.port));
    of(one).wrapping_add(of(other))
}
