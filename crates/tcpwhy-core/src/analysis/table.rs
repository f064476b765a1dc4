//! The open connections, found by their ends.

use super::open::Open;
use crate::decode::plain::Way;
use crate::model::Side;
use crate::observe::{Endpoint, Segment};
use hashbrown::{DefaultHashBuilder, HashTable};
use prefetch_index::prefetch_index;
use std::hash::BuildHasher;

/// The place of an open connection; given to another one when it is over.
pub(super) type Place = u32;

/// Places that are remembered by the way of their packets, a power of two: several for each of ten thousand connections that send at a
/// time, and a quarter of a second cache of 1 MiB.
const REMEMBERED: usize = 1 << 16;

/// Where the place of packets on this way is remembered.
#[inline(always)]
fn memory_of(way: &Way) -> usize {
    (way.mixed() >> 48) as usize % REMEMBERED
}

/// The connection of a plain packet.
pub(super) struct Found {
    pub(super) place: Place,
    pub(super) id: u64,
    /// Who has sent the packet.
    pub(super) side: Side,
    /// What the ends add to the packet's print.
    pub(super) print: u64,
}

/// The open connections.
#[derive(Debug)]
pub(super) struct Table {
    hasher: DefaultHashBuilder,
    index: HashTable<Place>,
    /// Where plain packets were found last; others may have taken a place since.
    remembered: Vec<Place>,
    /// Free ones are nobody's.
    places: Vec<Open>,
    free: Vec<Place>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            hasher: DefaultHashBuilder::default(),
            index: HashTable::new(),
            remembered: vec![0; REMEMBERED],
            places: Vec::new(),
            free: Vec::new(),
        }
    }
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
        self.places.get(place as usize).filter(|open| open.id != Open::NOBODY)
    }

    /// The connection of this id, if it is still in this place.
    pub(super) fn get_if(&self, place: Place, id: u64) -> Option<&Open> {
        self.places.get(place as usize).filter(|open| open.id == id)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, place: Place) -> Option<&mut Open> {
        self.places.get_mut(place as usize).filter(|open| open.id != Open::NOBODY)
    }

    /// As `get_if`, to change it.
    #[inline(always)]
    pub(super) fn get_mut_if(&mut self, place: Place, id: u64) -> Option<&mut Open> {
        self.places.get_mut(place as usize).filter(|open| open.id == id)
    }

    /// Where the connection of `segment` is, and which side has sent it; `near` is looked at first.
    #[inline]
    pub(super) fn find(&self, segment: &Segment, near: Place) -> Option<(Place, Side)> {
        let (src, dst) = (&segment.src, &segment.dst);
        let way = Way::between(src, dst);
        match self.sender_at(near, src, dst, way.as_ref()) {
            Some(side) => Some((near, side)),
            None => self.look_up(src, dst, way.as_ref()),
        }
    }

    /// Has what [`Table::probably`] asks for brought from memory: where it is asked at once, a packet waits for that.
    #[inline(always)]
    pub(super) fn will_ask(&self, way: &Way) {
        prefetch_index(&self.remembered, memory_of(way));
    }

    /// Where the connection of packets on this way probably is. What its next packet asks for is on its way from memory then.
    #[inline(always)]
    pub(super) fn probably(&self, way: &Way) -> Place {
        let place = self.recall(way);
        prefetch_index(&self.places, place as usize);
        place
    }

    /// Has all that is known of the connection in this place prefetched.
    pub(super) fn fetch(&self, place: Place) {
        if let Some(open) = self.places.get(place as usize) {
            open.fetch();
        }
    }

    /// Has the newest packets of the connection in this place prefetched.
    pub(super) fn fetch_newest(&self, place: Place) {
        if let Some(open) = self.places.get(place as usize) {
            open.fetch_newest();
        }
    }

    /// The connection of a plain packet; `near` is looked at first.
    #[inline(always)]
    pub(super) fn find_plain(&mut self, way: &Way, near: Place) -> Option<Found> {
        match self.found_at(near, way) {
            None => self.look_up_plain(way),
            found => found,
        }
    }

    /// The connection in this place, if a packet on this way belongs to it.
    #[inline(always)]
    fn found_at(&self, place: Place, way: &Way) -> Option<Found> {
        let open = self.places.get(place as usize)?;
        let side = way.side(open.way.as_ref()?)?;
        open.fetch_list();
        Some(Found { place, id: open.id, side, print: open.print(side) })
    }

    #[inline(never)]
    fn look_up_plain(&mut self, way: &Way) -> Option<Found> {
        // A packet that was read with this one may have asked before.
        let place = self.recall(way);
        if let Some(found) = self.found_at(place, way) {
            return Some(found);
        }
        let [src, dst] = way.ends();
        let (place, _) = self.look_up(&src, &dst, Some(way))?;
        self.remember(way, place);
        self.found_at(place, way)
    }

    /// Where packets on this way were found last.
    #[inline(always)]
    fn recall(&self, way: &Way) -> Place {
        self.remembered.get(memory_of(way)).copied().unwrap_or_default()
    }

    fn remember(&mut self, way: &Way, place: Place) {
        if let Some(remembered) = self.remembered.get_mut(memory_of(way)) {
            *remembered = place;
        }
    }

    #[inline(never)]
    fn look_up(&self, src: &Endpoint, dst: &Endpoint, way: Option<&Way>) -> Option<(Place, Side)> {
        let hash = hash(&self.hasher, src, dst);
        let sender = |place| self.sender_at(place, src, dst, way);
        let place = *self.index.find(hash, |&place| sender(place).is_some())?;
        Some((place, sender(place)?))
    }

    /// Which side `src` is, if the connection in this place is between it and `dst`. Their `way`, if they have one, says the same with
    /// less of what is known of the connection.
    #[inline]
    fn sender_at(
        &self,
        place: Place,
        src: &Endpoint,
        dst: &Endpoint,
        way: Option<&Way>,
    ) -> Option<Side> {
        let open = self.get(place)?;
        if let Some(way) = way {
            return way.side(open.way.as_ref()?);
        }
        let [client, server] = &open.ends;
        if src == client && dst == server {
            Some(Side::Client)
        } else if src == server && dst == client {
            Some(Side::Server)
        } else {
            None
        }
    }

    /// Adds a connection between ends that have none.
    pub(super) fn insert(&mut self, open: Open) -> Place {
        let hash_of = |hasher: &_, open: &Open| hash(hasher, &open.ends[0], &open.ends[1]);
        let new = hash_of(&self.hasher, &open);
        let way = open.way;
        let place = match self.free.pop() {
            Some(place) => {
                self.places[place as usize] = open;
                place
            }
            None => {
                self.places.push(open);
                self.places.len() as Place - 1
            }
        };
        if let Some(way) = way {
            self.remember(&way, place);
        }
        let (hasher, places) = (&self.hasher, &self.places);
        let hash_at = |place: &Place| {
            let open = places.get(*place as usize);
            open.map_or(0, |open| hash_of(hasher, open))
        };
        self.index.insert_unique(new, place, hash_at);
        place
    }

    /// Takes a connection out; its place is free then.
    pub(super) fn remove(&mut self, place: Place) {
        let Some(open) = self.places.get_mut(place as usize) else { return };
        let hash = hash(&self.hasher, &open.ends[0], &open.ends[1]);
        if let Ok(found) = self.index.find_entry(hash, |&p| p == place) {
            found.remove();
            open.leave();
            self.free.push(place);
        }
    }
}

/// The same for both directions; no capture can be made to collide.
fn hash(hasher: &DefaultHashBuilder, one: &Endpoint, other: &Endpoint) -> u64 {
    let of = |end: &Endpoint| hasher.hash_one((u128::from_ne_bytes(end.ip), end.port));
    of(one).wrapping_add(of(other))
}
