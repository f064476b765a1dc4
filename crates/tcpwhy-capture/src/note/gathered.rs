//! A directory of captures says the same of many of its files.

use super::{Note, NoteKind};
use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};

/// Of so many files each gets a note of its own.
const ONE_BY_ONE: usize = 3;

/// The notes in their order, those of one kind that more than a few files have as one: that of the file with the most of it, which says
/// how many others there are. What was not read is told of each file.
#[must_use]
pub fn gathered(notes: &[Note]) -> Vec<Note> {
    let mut alike: HashMap<Discriminant<NoteKind>, Vec<&Note>> = HashMap::new();
    for note in notes.iter().filter(|note| note.kind.extent().is_some()) {
        alike.entry(discriminant(&note.kind)).or_default().push(note);
    }
    alike.retain(|_, notes| notes.len() > ONE_BY_ONE);
    let one_of = |note: &Note| match alike.get(&discriminant(&note.kind)) {
        None => Some(note.clone()),
        Some(all) if !std::ptr::eq(all[0], note) => None,
        Some(all) => {
            // Of equal ones the first.
            let most = all.iter().rev().max_by_key(|note| note.kind.extent())?;
            Some(Note { others: all.len() - 1, ..(*most).clone() })
        }
    };
    notes.iter().filter_map(one_of).collect()
}

impl NoteKind {
    /// How much of it there is; nothing for what has to be told of each file.
    fn extent(&self) -> Option<u64> {
        match self {
            Self::NotRead(_)
            | Self::Damaged { .. }
            | Self::Clock { .. }
            | Self::NotCaptures { .. } => None,
            Self::Empty | Self::NoPackets | Self::GivenTwice => Some(0),
            Self::Drops { by_interface, by_system, .. }
            | Self::DropsOfMany { by_interface, by_system, .. } => {
                Some(by_interface.saturating_add(*by_system))
            }
            Self::BehindGzip { bytes } => Some(*bytes),
            Self::TimeBackwards { count, .. }
            | Self::InvalidTimes { count }
            | Self::NoTimes { count }
            | Self::WrongDates { count }
            | Self::Comments { count }
            | Self::UnknownBlocks { count, .. }
            | Self::Secrets { count } => Some(*count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_core::advice::Language;
    use tcpwhy_core::units::Nanos;

    fn late(file: usize, count: u64) -> Note {
        let most = Nanos(1_000);
        Note::new(format!("{file}.pcap"), NoteKind::TimeBackwards { count, most })
    }

    #[test]
    fn what_many_files_have_is_said_once_of_the_one_with_the_most() {
        let empty = Note::new("new.pcap".to_owned(), NoteKind::Empty);
        let unread = |file| Note::new("x".to_owned(), NoteKind::NotRead(format!("{file}: no")));
        let mut notes =
            vec![unread(1), unread(2), late(1, 5), empty.clone(), unread(3), late(2, 9)];
        notes.extend([unread(4), late(3, 7), late(4, 9)]);
        let gathered = gathered(&notes);
        let most = Note { others: 3, ..late(2, 9) };
        assert_eq!(gathered, [unread(1), unread(2), most, empty, unread(3), unread(4)]);
        let text = gathered[2].text(Language::En);
        assert!(text.starts_with("2.pcap: 9 packets stamped earlier"), "{text}");
        assert!(text.ends_with("; likewise in 3 more files"), "{text}");
        assert!(gathered[2].text(Language::Zh).contains("另有 3 个文件"));
    }

    #[test]
    fn a_few_files_get_a_note_each() {
        let notes = [late(1, 5), late(2, 9), late(3, 7)];
        assert_eq!(gathered(&notes), notes);
        assert_eq!(gathered(&[]), []);
    }
}
