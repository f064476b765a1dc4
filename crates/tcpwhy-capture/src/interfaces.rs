//! One numbering of capture interfaces over all files.

use std::collections::HashMap;

/// More interfaces than this are not a capture but an attack on memory.
const MOST: usize = 65_536;

/// What tells interfaces apart.
///
/// Files that follow each other in one lane (a rotated capture) describe the same interfaces again;
/// files in different lanes were captured at the same time, so at different points.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    /// See [`Lanes`].
    pub(crate) lane: u32,
    /// Position in its section.
    pub(crate) index: u32,
    /// LINKTYPE_ value.
    pub(crate) link: u32,
    /// Name, if it has one.
    pub(crate) name: String,
}

/// The interfaces met so far.
#[derive(Debug, Default)]
pub(crate) struct Interfaces {
    numbers: HashMap<Identity, u32>,
}

impl Interfaces {
    /// The number of an interface, from 0; `None` when there are too many.
    pub(crate) fn number(&mut self, identity: Identity) -> Option<u32> {
        let next = self.numbers.len();
        if let Some(number) = self.numbers.get(&identity) {
            return Some(*number);
        }
        if next >= MOST {
            return None;
        }
        let number = u32::try_from(next).ok()?;
        self.numbers.insert(identity, number);
        Some(number)
    }
}

/// Lanes of files: those in one lane follow each other, those in different lanes overlap in time.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    lanes: Vec<Lane>,
}

#[derive(Debug)]
struct Lane {
    busy: bool,
    /// Name of its last file without its digits: what the files of one rotation share.
    series: String,
}

impl Lanes {
    /// A free lane for a file that begins: that of its own series, else the first, else a new one.
    pub(crate) fn enter(&mut self, name: &str) -> u32 {
        let series: String = name.chars().filter(|c| !c.is_ascii_digit()).collect();
        let free = |lane: &Lane| !lane.busy;
        let found = self
            .lanes
            .iter()
            .position(|lane| free(lane) && lane.series == series)
            .or_else(|| self.lanes.iter().position(free));
        let lane = Lane { busy: true, series };
        let index = match found.and_then(|i| self.lanes.get_mut(i).map(|slot| (i, slot))) {
            Some((i, slot)) => {
                *slot = lane;
                i
            }
            None => {
                self.lanes.push(lane);
                self.lanes.len() - 1
            }
        };
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// The lane's file has ended.
    pub(crate) fn leave(&mut self, lane: u32) {
        if let Some(lane) = self.lanes.get_mut(lane as usize) {
            lane.busy = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_files_share_a_lane_and_overlapping_ones_do_not() {
        let mut lanes = Lanes::default();
        let client = lanes.enter("client-1.pcap");
        let server = lanes.enter("server-1.pcap");
        assert_ne!(client, server);
        lanes.leave(client);
        lanes.leave(server);
        assert_eq!(lanes.enter("server-2.pcap"), server);
        assert_eq!(lanes.enter("client-2.pcap"), client);
    }

    #[test]
    fn numbers_are_given_once() {
        let mut interfaces = Interfaces::default();
        let identity = |index| Identity { lane: 0, index, link: 1, name: String::new() };
        assert_eq!(interfaces.number(identity(0)), Some(0));
        assert_eq!(interfaces.number(identity(1)), Some(1));
        assert_eq!(interfaces.number(identity(0)), Some(0));
    }
}
