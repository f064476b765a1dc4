//! Captures cut anywhere, and captures with anything in them.

use crate::build::{Ng, Packet, Pcap, drain, expected, open, packets, read};
use proptest::prelude::*;
use tcpwhy_capture::{Damage, NoteKind};

/// Cuts a file at every byte. `ends` are the offsets at which its packets end, `sound` those at which
/// it may end without a packet being cut.
fn cut_everywhere(file: &[u8], header: usize, ends: &[usize], sound: &[usize], packets: &[Packet]) {
    for cut in 0..=file.len() {
        let Ok(mut capture) = open(file[..cut].to_vec()) else {
            assert!(cut < header, "refused when cut at {cut}");
            continue;
        };
        assert!(cut >= header, "accepted when cut at {cut}");
        let whole = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(drain(&mut capture), expected(&packets[..whole]), "cut at {cut}");
        assert_eq!(capture.damaged(), !sound.contains(&cut), "cut at {cut}");
        let start = sound.iter().filter(|end| **end <= cut).max().copied().unwrap_or(0) as u64;
        for note in capture.notes() {
            if let NoteKind::Damaged { offset, damage: Damage::Cut { found, .. }, .. } = note.kind {
                assert_eq!((offset, found), (start, cut as u64 - start), "cut at {cut}");
            }
        }
    }
}

#[test]
fn a_pcap_file_cut_at_any_byte() {
    let packets = packets(6);
    for variant in
        [Pcap::STANDARD, Pcap { big: true, magic: 0xa1b2_cd34, extra: 8, ..Pcap::STANDARD }]
    {
        let mut ends = vec![24];
        for packet in &packets {
            ends.push(ends.last().unwrap() + variant.record(packet).len());
        }
        cut_everywhere(&variant.file(&packets), 24, &ends[1..], &ends, &packets);
    }
}

#[test]
fn a_pcapng_file_cut_at_any_byte() {
    let (ng, packets) = (Ng(true), packets(5));
    let mut file = ng.section(&[]);
    let header = file.len();
    let mut sound = vec![header];
    file.extend(ng.interface(1, 0, &ng.option(9, &[9])));
    sound.push(file.len());
    file.extend(ng.block(0x99, &[0; 50]));
    sound.push(file.len());
    let mut ends = Vec::new();
    for packet in &packets {
        file.extend(ng.packet(0, packet.time as u64, &packet.data, &ng.option(1, b"hm")));
        ends.push(file.len());
    }
    sound.extend(&ends);
    cut_everywhere(&file, header, &ends, &sound, &packets);
}

#[test]
fn a_note_says_where_and_what() {
    let mut file = Pcap::STANDARD.file(&packets(2));
    let start = 24 + 16 + 20;
    file.truncate(start + 20);
    let mut capture = open(file).unwrap();
    drain(&mut capture);
    let sentence = capture.notes()[0].to_string();
    assert!(
        sentence.starts_with("test: the file is cut: 20 of 43 bytes of a record"),
        "{sentence}"
    );
    assert!(sentence.contains(&format!("at byte {start}")), "{sentence}");
}

/// What a file system leaves of the last blocks where the power failed.
#[test]
fn zeros_after_the_last_record_are_damage_and_no_packets() {
    let packets = packets(3);
    for mut file in [Pcap::STANDARD.file(&packets), Ng(false).file(&packets)] {
        let end = file.len() as u64;
        file.extend([0; 4096]);
        let mut capture = open(file).unwrap();
        assert_eq!(drain(&mut capture).len(), 3);
        assert!(capture.damaged());
        let sentence = capture.notes()[0].to_string();
        assert!(sentence.contains(&format!("at byte {end};")), "{sentence}");
    }
}

proptest! {
    #[test]
    fn bytes_changed_anywhere_never_panic(
        ng in any::<bool>(),
        big in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let packets = packets(8);
        let mut file = if ng { Ng(big).file(&packets) } else { Pcap { big, ..Pcap::STANDARD }.file(&packets) };
        for (index, value) in changes {
            let at = index.index(file.len());
            file[at] = value;
        }
        if let Ok(mut capture) = open(file) {
            drain(&mut capture);
            capture.notes().iter().for_each(|note| assert!(!note.to_string().is_empty()));
        }
    }

    #[test]
    fn anything_after_a_header_never_panics(
        ng in any::<bool>(),
        tail in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut file = if ng { Ng(false).file(&[]) } else { Pcap::STANDARD.header() };
        file.extend(tail);
        read(file);
    }
}
