use crate::build::{Ng, expected, half, open, packets, read, word};
use tcpwhy_capture::{Damage, Error, NoteKind};

const DATA: &[u8] = b"0123456789abcdef!";

fn damage(notes: &[NoteKind]) -> (u64, &Damage) {
    let found = notes.iter().find_map(|note| match note {
        NoteKind::Damaged { offset, damage, .. } => Some((*offset, damage)),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no damage in {notes:?}"))
}

#[test]
fn both_byte_orders() {
    let packets = packets(20);
    for big in [false, true] {
        assert_eq!(read(Ng(big).file(&packets)), (expected(&packets), vec![]));
    }
}

#[test]
fn sections_of_either_byte_order_follow_each_other() {
    let packets = packets(6);
    let mut file = Vec::new();
    for (i, pair) in packets.chunks(2).enumerate() {
        file.extend(Ng(i == 1).file(pair));
    }
    assert_eq!(read(file), (expected(&packets), vec![]), "the same interface described again");
}

#[test]
fn interfaces_have_their_own_links_units_and_offsets() {
    for big in [false, true] {
        let ng = Ng(big);
        let mut file = ng.section(&[]);
        file.extend(ng.interface(1, 0, &[]));
        file.extend(ng.interface(101, 0, &ng.option(9, &[9])));
        file.extend(ng.interface(276, 0, &ng.option(9, &[0x80 | 10])));
        let options = [ng.option(2, b"eth7"), ng.option(9, &[3]), ng.number(14, -10_i64 as u64)];
        file.extend(ng.interface(113, 0, &options.concat()));
        file.extend(ng.packet(3, 20_500, DATA, &[]));
        file.extend(ng.packet(0, 10_600_000, DATA, &[]));
        file.extend(ng.packet(1, 10_700_000_000, DATA, &[]));
        file.extend(ng.packet(2, 11 * 1024, DATA, &[]));
        let (seen, notes) = read(file);
        let got: Vec<_> = seen.iter().map(|s| (s.interface, s.link, s.time / 1_000_000)).collect();
        assert_eq!(got, [(3, 113, 10_500), (0, 1, 10_600), (1, 101, 10_700), (2, 276, 11_000)]);
        assert!(seen.iter().all(|s| s.data == DATA && s.wire_len == 27));
        assert_eq!(notes, []);
    }
}

#[test]
fn simple_and_obsolete_packets() {
    for big in [false, true] {
        let ng = Ng(big);
        let mut file = ng.section(&[]);
        file.extend(ng.interface(1, 8, &ng.option(2, b"eth0")));
        // Obsolete: interface and drop count of 16 bits each.
        let mut body = half(big, 0).to_vec();
        body.extend(half(big, 3));
        for value in [0, 5_000_000, 4, 60] {
            body.extend(word(big, value));
        }
        body.extend(b"abcd");
        file.extend(ng.block(2, &body));
        // Simple: cut to the interface's 8 bytes.
        let mut body = word(big, 60).to_vec();
        body.extend(b"12345678");
        file.extend(ng.block(3, &body));
        let (seen, notes) = read(file);
        let got: Vec<_> = seen.iter().map(|s| (s.time, s.wire_len, s.data.as_slice())).collect();
        assert_eq!(got, [(5_000_000_000, 60, &b"abcd"[..]), (5_000_000_000, 60, b"12345678")]);
        let drops = NoteKind::Drops {
            interface: "eth0".into(),
            received: None,
            by_interface: 3,
            by_system: 0,
        };
        assert_eq!(notes, [drops, NoteKind::NoTimes { count: 1 }]);
    }
}

#[test]
fn the_last_statistics_of_an_interface_count() {
    for big in [false, true] {
        let ng = Ng(big);
        let mut file = ng.section(&[]);
        file.extend(ng.interface(1, 0, &ng.option(2, b"eth0")));
        file.extend(ng.interface(1, 0, &[]));
        file.extend(ng.packet(0, 1, DATA, &ng.number(4, 2)));
        let counts = |received, by_interface, by_system| {
            [ng.number(4, received), ng.number(5, by_interface), ng.number(7, by_system)].concat()
        };
        file.extend(ng.statistics(0, &counts(50, 1, 0)));
        file.extend(ng.statistics(0, &counts(100, 7, 9)));
        file.extend(ng.statistics(1, &counts(100, 0, 0)));
        let (_, notes) = read(file);
        let drops = NoteKind::Drops {
            interface: "eth0".into(),
            received: Some(100),
            by_interface: 7,
            by_system: 9,
        };
        assert_eq!(notes, [drops]);
    }
}

#[test]
fn drops_of_many_interfaces_are_summed_up() {
    let ng = Ng(false);
    let noted = |interfaces: u64| {
        let mut file = ng.section(&[]);
        for i in 0..interfaces {
            file.extend(ng.interface(1, 0, &ng.option(2, format!("eth{i}").as_bytes())));
            let counts = [ng.number(5, i % 7), ng.number(7, u64::from(i == 3) * u64::MAX)];
            file.extend(ng.statistics(i as u32, &counts.concat()));
        }
        read(file).1.into_iter().filter(|note| *note != NoteKind::NoPackets).collect::<Vec<_>>()
    };
    assert_eq!(noted(5).len(), 4, "the first one lost nothing");
    let all = NoteKind::DropsOfMany {
        interfaces: 857,
        by_interface: 2_997,
        by_system: u64::MAX,
        worst: ("eth3".into(), u64::MAX),
    };
    assert_eq!(noted(1_000), [all]);
}

#[test]
fn what_is_no_packet_is_counted_as_wireshark_does() {
    let ng = Ng(false);
    let comment = ng.option(1, b"look here");
    let mut file = ng.section(&comment);
    file.extend(ng.interface(1, 0, &comment));
    file.extend(ng.packet(0, 1, DATA, &comment));
    file.extend(ng.block(4, &[0; 4])); // names
    file.extend(ng.block(10, &[0; 8])); // secrets
    file.extend(ng.block(0x99, &[0; 40_000])); // unknown
    file.extend(ng.packet(0, 2, DATA, &[]));
    file.extend(ng.block(9, b"A=b\n")); // a journal entry has a number
    file.extend(ng.block(0xbad, &[0; 8])); // and so has a custom block
    file.extend(ng.packet(0, 3, DATA, &[]));
    let (seen, notes) = read(file);
    assert_eq!(seen.iter().map(|s| s.number).collect::<Vec<_>>(), [1, 2, 5]);
    let expected = [
        NoteKind::Comments { count: 2 },
        NoteKind::UnknownBlocks { count: 1, first: 0x99 },
        NoteKind::Secrets { count: 1 },
    ];
    assert_eq!(notes, expected);
}

/// A block that does not hold together ends the file with damage at its offset.
#[test]
fn contradictions_are_damage_at_their_offset() {
    let ng = Ng(false);
    let option_too_long = [2, 0, 200, 0, b'x', 0, 0, 0];
    let mut lengths_differ = ng.packet(0, 1, DATA, &[]);
    *lengths_differ.last_mut().unwrap() = 1;
    let mut longer_than_block = ng.packet(0, 1, DATA, &[]);
    longer_than_block[20..24].copy_from_slice(&word(false, 100_000));
    let mut huge = ng.packet(0, 1, DATA, &[]);
    huge[4..8].copy_from_slice(&word(false, 0xffff_fff0));
    let mut odd = ng.packet(0, 1, DATA, &[]);
    odd[4] += 1;
    let blocks = [
        lengths_differ,
        longer_than_block,
        huge,
        odd,
        ng.block(6, &[]),
        ng.block(3, &word(false, 1_000)),
        ng.block(2, &[0; 16]),
        ng.block(1, &[]),
        ng.block(0x0a0d_0d0a, &[0; 16]),
        ng.packet(1, 1, DATA, &[]),
        ng.packet(0, 1, DATA, &option_too_long),
        ng.interface(1, 0, &option_too_long),
        ng.statistics(0, &option_too_long),
        ng.statistics(9, &[]),
        [word(false, 0x99), word(false, 4), [0; 4]].concat(),
        [word(false, 0x99), word(false, u32::MAX - 3), [0; 4]].concat(),
    ];
    let packets = packets(3);
    for (i, block) in blocks.iter().enumerate() {
        let mut file = ng.file(&packets);
        let start = file.len() as u64;
        file.extend(block);
        file.extend(ng.packet(0, 1, DATA, &[]));
        let (seen, notes) = read(file);
        assert_eq!(seen, expected(&packets), "block {i}");
        assert_eq!(damage(&notes).0, start, "block {i}");
    }
}

#[test]
fn a_first_section_that_cannot_be_read_is_refused() {
    let ng = Ng(false);
    let too_long = open(ng.section(&[2, 0, 200, 0])).unwrap_err();
    assert!(matches!(too_long, Error::Header { .. }), "{too_long}");
    let mut version = ng.section(&[]);
    version[12] = 2;
    let version = open(version).unwrap_err();
    assert!(matches!(version, Error::Version { format: "pcapng", major: 2, .. }), "{version}");
}

/// Where a second has more units than 64 bits count, every packet would have the same time.
#[test]
fn a_time_unit_that_is_too_small_is_refused() {
    let ng = Ng(false);
    for resolution in 0..=255 {
        let mut file = ng.section(&[]);
        file.extend(ng.interface(1, 0, &ng.option(9, &[resolution])));
        file.extend(ng.packet(0, 1, DATA, &[]));
        let (seen, notes) = read(file);
        let counts = matches!(resolution, 0..=19 | 0x80..=0xbf);
        assert_eq!((seen.len(), notes.is_empty()), (usize::from(counts), counts), "{resolution}");
    }
}

#[test]
fn a_date_that_cannot_be_told_leaves_the_times_between_packets() {
    let ng = Ng(false);
    let mut file = ng.section(&[]);
    file.extend(ng.interface(1, 0, &[]));
    // From the year 2262 on, and the year 586524.
    for units in [9_223_372_036_854_775, 9_223_372_036_854_776, u64::MAX - 5, u64::MAX] {
        file.extend(ng.packet(0, units, DATA, &[]));
    }
    let (seen, notes) = read(file);
    let between: Vec<_> = seen.windows(2).map(|s| s[1].time.wrapping_sub(s[0].time)).collect();
    assert_eq!((between[0], between[2]), (1_000, 5_000));
    assert!(notes.contains(&NoteKind::WrongDates { count: 3 }), "{notes:?}");
}
