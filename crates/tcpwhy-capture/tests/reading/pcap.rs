use crate::build::{Packet, Pcap, expected, open, packets, read, word};
use tcpwhy_capture::{Damage, Error, NoteKind};

fn variants() -> Vec<Pcap> {
    let standard = Pcap::STANDARD;
    let base = [
        standard,
        Pcap { magic: 0xa1b2_3c4d, unit: 1, ..standard },
        Pcap { magic: 0xa1b2_cd34, extra: 8, ..standard },
        Pcap { magic: 0xa1b2_cd34, extra: 12, ..standard },
        Pcap { extra: 4, ..standard },
        Pcap { extra: 8, ..standard },
        Pcap { magic: 0x1c00_01ac, unit: 1, after_header: 4, ..standard },
        Pcap { magic: 0x1c00_01ab, after_header: 4, ..standard },
        Pcap { version: (2, 3), ..standard },
        Pcap { version: (2, 3), wire_first: true, ..standard },
        Pcap { version: (2, 2), wire_first: true, ..standard },
        Pcap { version: (543, 0), wire_first: true, ..standard },
        // AIX: an interface type for a link type, and nanoseconds.
        Pcap { version: (2, 2), wire_first: true, network: 6, unit: 1, ..standard },
        // A frame check sequence of 4 bytes, and reserved bits.
        Pcap { network: 0x5400_0001, ..standard },
    ];
    base.iter().flat_map(|variant| [*variant, Pcap { big: true, ..*variant }]).collect()
}

#[test]
fn every_variant_in_both_byte_orders() {
    let packets = packets(20);
    for (i, variant) in variants().iter().enumerate() {
        let (seen, notes) = read(variant.file(&packets));
        assert_eq!(seen, expected(&packets), "variant {i}");
        assert_eq!(notes, [], "variant {i}");
    }
}

#[test]
fn a_fraction_of_more_than_a_second_is_carried_and_told() {
    let mut file = Pcap::STANDARD.header();
    for value in [100, 1_500_000, 0, 60] {
        file.extend(word(false, value));
    }
    let (seen, notes) = read(file);
    assert_eq!(seen[0].time, 101_500_000_000);
    assert_eq!(notes, [NoteKind::InvalidTimes { count: 1 }]);
}

#[test]
fn times_after_2038_are_not_negative() {
    let late = Packet { time: 4_000_000_000_000_000_000, data: vec![1] };
    let (seen, _) = read(Pcap::STANDARD.file(&[late]));
    assert_eq!(seen[0].time, 4_000_000_000_000_000_000);
}

#[test]
fn a_hostile_length_is_damage_and_costs_no_memory() {
    let packets = packets(3);
    for claimed in [0x0010_0001, u32::MAX / 2, u32::MAX] {
        let mut file = Pcap::STANDARD.file(&packets);
        let offset = file.len() as u64;
        for value in [1_700_000_001, 0, claimed, claimed] {
            file.extend(word(false, value));
        }
        file.extend([0; 100]);
        let (seen, notes) = read(file);
        assert_eq!(seen, expected(&packets));
        let damage = Damage::TooLong { claimed: u64::from(claimed), limit: 1 << 20 };
        assert_eq!(notes, [NoteKind::Damaged { offset, compression: None, damage }]);
    }
}

#[test]
fn the_largest_packet_is_read() {
    let packets =
        [Packet { time: 1_000, data: vec![7; 1 << 20] }, Packet { time: 2_000, data: vec![8] }];
    assert_eq!(read(Pcap::STANDARD.file(&packets)).0, expected(&packets));
}

#[test]
fn an_unknown_version_is_refused() {
    let file = Pcap { version: (3, 0), ..Pcap::STANDARD }.file(&packets(1));
    let error = open(file).unwrap_err();
    assert!(matches!(error, Error::Version { major: 3, minor: 0, .. }), "{error}");
    assert!(error.to_string().contains("pcap version 3.0"), "{error}");
}

#[test]
fn steps_back_in_time_keep_the_order_of_the_file() {
    let mut packets = packets(4);
    packets.swap(1, 2);
    let (seen, notes) = read(Pcap::STANDARD.file(&packets));
    assert_eq!(seen, expected(&packets));
    let most = tcpwhy_core::units::Nanos(1_500_000);
    assert_eq!(notes, [NoteKind::TimeBackwards { count: 1, most }]);
}

#[test]
fn steps_back_by_some_nanoseconds_are_not_told() {
    let mut packets = packets(3);
    packets[1].time = packets[2].time + 25;
    let nanoseconds = Pcap { magic: 0xa1b2_3c4d, unit: 1, ..Pcap::STANDARD };
    assert_eq!(read(nanoseconds.file(&packets)), (expected(&packets), vec![]));
}

#[test]
fn a_file_of_only_a_header_has_no_packets() {
    assert_eq!(read(Pcap::STANDARD.header()), (vec![], vec![NoteKind::NoPackets]));
}
