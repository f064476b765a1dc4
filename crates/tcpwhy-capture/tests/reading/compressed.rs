use crate::build::{Packet, Pcap, drain, expected, open, packets, read};
use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::Write;
use tcpwhy_capture::{Damage, NoteKind};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// A frame's header without what follows it (RFC 8878 section 3.1.1.1): no flags, a window of 1 KiB times 2 to the exponent.
#[test]
fn a_zstd_window_that_is_too_large_is_no_corruption() {
    let header = |exponent: u8| [0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3, 1, 0, 0];
    let refused = |exponent| open(header(exponent).to_vec()).unwrap_err().to_string();
    assert!(refused(17).contains("is empty"), "128 MiB are read: {}", refused(17));
    for (exponent, command) in [(18, "--long=28"), (21, "--long=31 FILE | tcpwhy -")] {
        let said = refused(exponent);
        assert!(said.contains("128 MiB") && said.contains(command), "{said}");
    }
    assert!(refused(31).contains("corrupt"));
    // Behind packets it is damage, as all else.
    let packets = packets(5);
    let mut capture =
        open([zstd(&Pcap::STANDARD.file(&packets)), header(21).to_vec()].concat()).unwrap();
    assert_eq!(drain(&mut capture), expected(&packets));
    assert!(capture.notes()[0].to_string().contains("--long=31"), "{:?}", capture.notes());
}

/// Packets that no compression shortens, 1.5 MB of them.
fn incompressible() -> Vec<Packet> {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    let packet = |i: i64| Packet {
        time: 1_700_000_000_000_000_000 + i * 1_000,
        data: (0..1_000).map(|_| random()).collect(),
    };
    (0..1_500).map(packet).collect()
}

#[test]
fn one_member_or_many() {
    let packets = packets(50);
    let file = Pcap::STANDARD.file(&packets);
    let (left, right) = file.split_at(777);
    let mut skippable = 0x184d_2a53_u32.to_le_bytes().to_vec();
    skippable.extend(5_u32.to_le_bytes());
    skippable.extend(b"hello");
    let files = [
        gzip(&file),
        [gzip(left), gzip(right)].concat(),
        zstd(&file),
        [zstd(left), skippable.clone(), zstd(right)].concat(),
        [skippable, zstd(&file)].concat(),
    ];
    for (i, file) in files.into_iter().enumerate() {
        assert_eq!(read(file), (expected(&packets), vec![]), "file {i}");
    }
}

/// As gzip(1): zeros behind the stream pad a tape's blocks, anything else is worth a word.
#[test]
fn what_follows_a_gzip_stream_does_not_damage_it() {
    let packets = packets(50);
    let file = gzip(&Pcap::STANDARD.file(&packets));
    let followed = |rest: &[u8]| read([&file, rest].concat());
    for zeros in [1, 512, 300_000] {
        assert_eq!(followed(&vec![0; zeros]), (expected(&packets), vec![]), "{zeros}");
    }
    for rest in [&b"-- the end"[..], b"\0\0\0\x01", b"\x1f\x8c"] {
        let note = NoteKind::BehindGzip { bytes: rest.len() as u64 };
        assert_eq!(followed(rest), (expected(&packets), vec![note]));
    }
    // A member that is cut in its header is missing.
    for cut in 1..10 {
        let mut capture = open([&file, &file[..cut]].concat()).unwrap();
        assert_eq!(drain(&mut capture), expected(&packets));
        assert!(capture.damaged(), "{cut}");
    }
}

/// Nearly everything before a cut is delivered: at most a block of the compression is lost.
#[test]
fn a_cut_loses_little() {
    let packets = incompressible();
    let file = Pcap::STANDARD.file(&packets);
    for (kind, compressed) in [("gzip", gzip(&file)), ("zstd", zstd(&file))] {
        let cut = compressed.len() / 2;
        let mut capture = open(compressed[..cut].to_vec()).unwrap();
        let seen = drain(&mut capture);
        assert_eq!(seen, expected(&packets[..seen.len()]));
        let bytes = 24 + seen.len() * 1_016;
        assert!(bytes + 140_000 > cut, "{kind}: only {bytes} of {cut} bytes");
        let damage = Damage::CompressedCut { kind };
        let compression = Some(kind);
        let note = NoteKind::Damaged { offset: bytes as u64, compression, damage };
        assert_eq!(capture.notes()[0].kind, note);
        assert!(capture.damaged());
    }
}

#[test]
fn a_cut_at_any_byte_never_panics() {
    let packets = packets(12);
    let file = Pcap::STANDARD.file(&packets);
    for compressed in [gzip(&file), zstd(&file), [zstd(&file[..300]), zstd(&file[300..])].concat()]
    {
        for cut in 0..compressed.len() {
            if let Ok(mut capture) = open(compressed[..cut].to_vec()) {
                let seen = drain(&mut capture);
                assert_eq!(seen, expected(&packets[..seen.len()]), "cut at {cut}");
                // Between two frames of zstd a cut cannot be told from the end.
                assert!(capture.damaged() || seen.len() < packets.len(), "cut at {cut}");
            }
        }
    }
}

/// A changed byte is found by the checksum at the latest; what came long before it is unharmed.
#[test]
fn corruption_is_told_and_spares_what_came_before() {
    let packets = incompressible();
    let file = Pcap::STANDARD.file(&packets);
    for (kind, mut compressed) in [("gzip", gzip(&file)), ("zstd", zstd(&file))] {
        let at = compressed.len() / 2;
        compressed[at] ^= 0xff;
        let mut capture = open(compressed).unwrap();
        let seen = drain(&mut capture);
        let before = (at - 140_000) / 1_016;
        assert!(seen.len() > before, "{kind}: only {} packets", seen.len());
        assert_eq!(seen[..before], expected(&packets)[..before], "{kind}");
        assert!(capture.damaged(), "{kind}");
    }
}
