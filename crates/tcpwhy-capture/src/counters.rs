//! What is counted while a file is read, and told in the end.

use crate::note::NoteKind;
use std::collections::BTreeMap;
use tcpwhy_core::units::Nanos;

/// What was met on the way and is told in the end.
#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) packets: u64,
    pub(crate) invalid_times: u64,
    pub(crate) no_times: u64,
    pub(crate) wrong_dates: u64,
    pub(crate) comments: u64,
    pub(crate) secrets: u64,
    /// Count and type of the first.
    unknown: (u64, u32),
    /// Count and largest step.
    backwards: (u64, Nanos),
    /// By interface number.
    drops: BTreeMap<u32, Drops>,
}

/// Drop counts of one interface.
#[derive(Default)]
pub(crate) struct Drops {
    name: String,
    pub(crate) received: Option<u64>,
    /// From the last statistics block, which counts from the start of the capture.
    pub(crate) by_interface: Option<u64>,
    pub(crate) by_system: Option<u64>,
    /// Sum of the drop counts that packets carry.
    pub(crate) before_packets: u64,
}

/// Most interfaces whose drops are told one by one.
const MOST_TOLD: usize = 4;

/// The least step back in time that is told. The processors of a host stamp with clocks that differ by some nanoseconds, and no round trip
/// is as short as that.
const LEAST_STEP: Nanos = Nanos(1_000);

impl Counters {
    /// Counts it if a packet steps back in time.
    #[inline]
    pub(crate) fn step(&mut self, last: Nanos, time: Nanos) {
        if time < last {
            let (count, most) = self.backwards;
            self.backwards = (count + 1, most.max(last - time));
        }
    }

    /// Drop counts of an interface, begun if need be.
    pub(crate) fn drops(&mut self, interface: u32, name: &str) -> &mut Drops {
        let begin = || Drops { name: name.to_owned(), ..Drops::default() };
        self.drops.entry(interface).or_insert_with(begin)
    }

    /// Counts a block of unknown type.
    pub(crate) fn unknown_block(&mut self, kind: u32) {
        let (count, first) = self.unknown;
        self.unknown = (count + 1, if count == 0 { kind } else { first });
    }

    /// What there is to say of all that was counted.
    pub(crate) fn notes(&self, notes: &mut Vec<NoteKind>) {
        notes.extend(self.drop_notes());
        let (steps, most) = self.backwards;
        let count = if most < LEAST_STEP { 0 } else { steps };
        let (unknown, first) = self.unknown;
        let counted = [
            (count, NoteKind::TimeBackwards { count, most }),
            (self.invalid_times, NoteKind::InvalidTimes { count: self.invalid_times }),
            (self.no_times, NoteKind::NoTimes { count: self.no_times }),
            (self.wrong_dates, NoteKind::WrongDates { count: self.wrong_dates }),
            (self.comments, NoteKind::Comments { count: self.comments }),
            (unknown, NoteKind::UnknownBlocks { count: unknown, first }),
            (self.secrets, NoteKind::Secrets { count: self.secrets }),
        ];
        notes.extend(counted.into_iter().filter(|(count, _)| *count > 0).map(|(_, note)| note));
    }

    /// Of each interface that dropped packets, or of all together where nobody would read so many.
    fn drop_notes(&self) -> Vec<NoteKind> {
        let dropping: Vec<&Drops> = self.drops.values().filter(|d| d.total() > 0).collect();
        if dropping.len() <= MOST_TOLD {
            return dropping.into_iter().map(Drops::note).collect();
        }
        let sum =
            |of: fn(&Drops) -> u64| dropping.iter().map(|d| of(d)).fold(0, u64::saturating_add);
        let worst = dropping.iter().rev().max_by_key(|d| d.total());
        let worst = worst.map(|d| (d.name.clone(), d.total()));
        vec![NoteKind::DropsOfMany {
            interfaces: dropping.len() as u64,
            by_interface: sum(Drops::by_interface),
            by_system: sum(|d| d.by_system.unwrap_or(0)),
            worst: worst.unwrap_or_default(),
        }]
    }
}

impl Drops {
    /// As the last statistics say, or the packets, whichever is more.
    fn by_interface(&self) -> u64 {
        self.by_interface.unwrap_or(0).max(self.before_packets)
    }

    fn total(&self) -> u64 {
        self.by_interface().saturating_add(self.by_system.unwrap_or(0))
    }

    fn note(&self) -> NoteKind {
        NoteKind::Drops {
            interface: self.name.clone(),
            received: self.received,
            by_interface: self.by_interface(),
            by_system: self.by_system.unwrap_or(0),
        }
    }
}
