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
    /// Files that are in it now.
    files: usize,
    /// Name of its last file without its digits: what the files of one rotation share.
    series: String,
}

impl Lanes {
    /// A lane for a file that begins: that of its own series, else the first free one, else a new
    /// one.
    ///
    /// `ending` are the lanes whose file is about to end: the next of its series may join it,
    /// because a rotation cuts by arrival, and packets are not stamped in quite that order.
    pub(crate) fn enter(&mut self, name: &str, ending: &[u32]) -> u32 {
        let series: String = name.chars().filter(|c| !c.is_ascii_digit()).collect();
        let ends = |i: usize| ending.iter().any(|lane| *lane as usize == i);
        let mut lanes = self.lanes.iter().enumerate();
        let own = lanes.find(|(i, lane)| lane.series == series && (lane.files == 0 || ends(*i)));
        let free = || self.lanes.iter().position(|lane| lane.files == 0);
        let index = own.map(|(i, _)| i).or_else(free).unwrap_or(self.lanes.len());
        match self.lanes.get_mut(index) {
            Some(lane) => *lane = Lane { files: lane.files + 1, series },
            None => self.lanes.push(Lane { files: 1, series }),
        }
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// A file of this lane has ended.
    pub(crate) fn leave(&mut self, lane: u32) {
        if let Some(lane) = self.lanes.get_mut(lane as usize) {
            lane.files = lane.files.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotated_files_share_a_lane_and_overlapping_ones_do_not() {
        let mut lanes = Lanes::default();
        let client = lanes.enter("client-1.pcap", &[]);
        let server = lanes.enter("server-1.pcap", &[]);
        assert_ne!(client, server);
        lanes.leave(client);
        lanes.leave(server);
        assert_eq!(lanes.enter("server-2.pcap", &[]), server);
        assert_eq!(lanes.enter("client-2.pcap", &[]), client);
        assert_eq!(lanes.enter("client-3.pcap", &[client, server]), client, "joins its own series");
        assert_eq!(lanes.enter("client-4.pcap", &[]), 2, "overlaps");
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
