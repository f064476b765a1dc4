use crate::build::{Ng, Packet, Pcap, Seen, drain, drain_one_by_one, expected, packets};
use std::fs;
use std::path::{Path, PathBuf};
use tcpwhy_capture::{Capture, Error, Input, NoteKind, open};
use tempfile::TempDir;

fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn input(path: &Path) -> Input {
    Input::Path(path.to_owned())
}

fn read(inputs: &[Input]) -> (Vec<Seen>, Capture) {
    let mut capture = open(inputs).unwrap();
    let seen = drain(&mut capture);
    assert_eq!(drain_one_by_one(&mut open(inputs).unwrap()), seen);
    (seen, capture)
}

fn kinds(capture: &Capture) -> Vec<NoteKind> {
    capture.notes().into_iter().map(|note| note.kind).collect()
}

/// Splits packets over files named as a rotation names them.
fn rotate(folder: &TempDir, packets: &[Packet], each: usize) {
    for (i, part) in packets.chunks(each).enumerate() {
        let bytes = if i % 2 == 0 {
            Pcap::STANDARD.file(part)
        } else {
            Pcap { big: true, ..Pcap::STANDARD }.file(part)
        };
        // Names sort against time: the order comes from the packets.
        write(folder, &format!("dump-{:04}", 5_000 - i), &bytes);
    }
}

#[test]
fn one_file_or_ten_give_the_same_stream() {
    let packets = packets(95);
    let folder = TempDir::new().unwrap();
    rotate(&folder, &packets, 10);
    let (seen, capture) = read(&[input(folder.path())]);
    assert_eq!(seen, expected(&packets));
    assert_eq!(capture.files().len(), 10);
    assert!(capture.files()[0].ends_with("dump-5000"));
    let (consumed, total) = capture.progress();
    assert_eq!(Some(consumed), total);
    assert_eq!(kinds(&capture), []);
}

/// Packets of several queues are stamped before they are put in order, so the files of a rotation
/// overlap by a little; they are one recording all the same.
#[test]
fn a_rotation_that_cuts_between_disordered_packets_is_one_recording() {
    let mut packets = packets(600);
    packets.swap(199, 200);
    packets.swap(399, 400);
    let folder = TempDir::new().unwrap();
    rotate(&folder, &packets, 200);
    let (seen, _) = read(&[input(folder.path())]);
    assert_eq!(seen.len(), 600);
    assert!(seen.iter().all(|frame| frame.interface == 0));
    assert!(seen.is_sorted_by_key(|frame| frame.time));
}

/// Open files are counted where the system lists them.
#[test]
fn a_thousand_rotated_files_need_no_thousand_descriptors() {
    let packets = packets(1_100);
    let folder = TempDir::new().unwrap();
    rotate(&folder, &packets, 1);
    let mut capture = open(&[input(folder.path())]).unwrap();
    assert_eq!(capture.files().len(), 1_100);
    let mut frames = 0;
    while capture.next_frame().is_some() {
        frames += 1;
        if frames == 600
            && let Ok(descriptors) = fs::read_dir("/proc/self/fd")
        {
            assert!(descriptors.count() < 200);
        }
    }
    assert_eq!(frames, 1_100);
}

#[test]
fn a_file_that_is_gone_when_its_turn_comes_is_told_and_the_others_are_read() {
    let packets = packets(30);
    let folder = TempDir::new().unwrap();
    rotate(&folder, &packets, 10);
    let mut capture = open(&[input(folder.path())]).unwrap();
    let second = capture.files()[1].clone();
    fs::remove_file(&second).unwrap();
    let mut frames = 0;
    while capture.next_frame().is_some() {
        frames += 1;
    }
    assert_eq!(frames, 20);
    assert!(capture.damaged());
    let notes = capture.notes();
    assert!(matches!(&notes[..], [note] if note.file == second), "{notes:?}");
}

#[test]
fn overlapping_files_are_two_points_and_interleave() {
    let packets = packets(40);
    let of =
        |rest: usize| -> Vec<Packet> { packets.iter().skip(rest).step_by(2).cloned().collect() };
    let folder = TempDir::new().unwrap();
    let client = write(&folder, "client.pcap", &Pcap::STANDARD.file(&of(0)));
    let server = write(&folder, "server.pcapng", &Ng(false).file(&of(1)));
    let (seen, _) = read(&[input(&server), input(&client)]);
    let mut expected = expected(&packets);
    for (i, seen) in expected.iter_mut().enumerate() {
        seen.interface = i as u32 % 2;
    }
    assert_eq!(seen, expected);
}

/// A shell names the parts of a rotation as slow.pcap, slow.pcap10, slow.pcap2; a tick of the clock may end one and begin the next.
#[test]
fn the_order_of_the_inputs_does_not_matter_where_times_are_equal() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, packets: [(i64, u8); 2]| {
        let packets = packets
            .map(|(seconds, mark)| Packet { time: seconds * 1_000_000_000, data: vec![mark; 4] });
        input(&write(&folder, name, &Pcap::STANDARD.file(&packets)))
    };
    let parts = [
        file("slow.pcap", [(1, 1), (2, 2)]),
        file("slow.pcap2", [(2, 3), (2, 4)]),
        file("slow.pcap10", [(2, 5), (3, 6)]),
        file("slow.pcap11", [(3, 7), (3, 8)]),
    ];
    let orders = [[0, 1, 2, 3], [0, 2, 3, 1], [3, 2, 1, 0]];
    let mut inputs: Vec<Vec<Input>> = orders.map(|o| o.map(|i| parts[i].clone()).to_vec()).into();
    inputs.push(vec![input(folder.path())]);
    for inputs in inputs {
        let (seen, _) = read(&inputs);
        assert_eq!(seen.iter().map(|s| s.data[0]).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}

#[test]
fn damage_in_one_file_does_not_stop_the_others() {
    let packets = packets(30);
    let folder = TempDir::new().unwrap();
    let mut cut = Pcap::STANDARD.file(&packets[..10]);
    cut.truncate(cut.len() - 1);
    let cut = write(&folder, "1", &cut);
    let whole = write(&folder, "2", &Pcap::STANDARD.file(&packets[10..]));
    let (seen, capture) = read(&[input(&cut), input(&whole)]);
    assert_eq!(seen.len(), 29);
    assert!(capture.damaged());
    assert_eq!(capture.notes()[0].file, cut.display().to_string());
}

#[test]
fn what_cannot_be_read_beside_what_can_is_a_note() {
    let folder = TempDir::new().unwrap();
    let good = write(&folder, "good", &Pcap::STANDARD.file(&packets(3)));
    let text = write(&folder, "notes.txt", b"hello, these are my notes");
    let empty = write(&folder, "empty", b"");
    let missing = folder.path().join("missing");
    let (seen, capture) = read(&[input(&text), input(&good), input(&missing), input(&empty)]);
    assert_eq!(seen.len(), 3);
    let sentences: Vec<String> = capture.notes().iter().map(ToString::to_string).collect();
    assert!(sentences.iter().any(|s| s.contains("notes.txt: is text")), "{sentences:?}");
    assert!(sentences.iter().any(|s| s.contains("missing: cannot be read")), "{sentences:?}");
    assert!(sentences.iter().any(|s| s.contains("empty (0 bytes)")), "{sentences:?}");
    assert!(capture.damaged());
}

#[test]
fn a_directory_passes_over_what_is_no_capture() {
    let folder = TempDir::new().unwrap();
    write(&folder, "good", &Pcap::STANDARD.file(&packets(3)));
    write(&folder, "README.pcap", b"hello, this is text");
    write(&folder, "empty", b"");
    fs::create_dir(folder.path().join("inner.pcap")).unwrap();
    let (seen, capture) = read(&[input(folder.path())]);
    assert_eq!(seen.len(), 3);
    let passed =
        kinds(&capture).into_iter().any(|n| matches!(n, NoteKind::NotCaptures { count: 1, .. }));
    assert!(passed, "{:?}", capture.notes());
    assert!(!capture.damaged());
}

#[test]
fn a_capture_of_another_kind_in_a_directory_is_not_passed_over() {
    let folder = TempDir::new().unwrap();
    write(&folder, "good", &Pcap::STANDARD.file(&packets(3)));
    write(&folder, "sun", b"snoop\0\0\0\0\0\0\x02\0\0\0\x04");
    let (seen, capture) = read(&[input(folder.path())]);
    assert_eq!(seen.len(), 3);
    assert!(capture.damaged());
    assert!(capture.notes()[0].to_string().contains("editcap"), "{:?}", capture.notes());
}

#[test]
fn a_file_named_twice_is_read_once() {
    let folder = TempDir::new().unwrap();
    let file = write(&folder, "a", &Pcap::STANDARD.file(&packets(3)));
    let (seen, capture) = read(&[input(&file), input(folder.path()), input(&file)]);
    assert_eq!(seen.len(), 3);
    assert_eq!(kinds(&capture), [NoteKind::GivenTwice, NoteKind::GivenTwice]);
}

#[test]
fn nothing_readable_is_an_error() {
    let folder = TempDir::new().unwrap();
    assert!(matches!(open(&[]), Err(Error::NoInput)));
    assert!(matches!(open(&[input(folder.path())]), Err(Error::NoCaptures { .. })));
    write(&folder, "a.txt", b"some text");
    write(&folder, "b.txt", b"some text");
    assert!(matches!(open(&[input(folder.path())]), Err(Error::NoCaptures { .. })));
    let missing = open(&[input(&folder.path().join("missing"))]);
    assert!(matches!(missing, Err(Error::Open { .. })));
    let empty = write(&folder, "empty", b"");
    assert!(matches!(open(&[input(&empty)]), Err(Error::Empty { .. })));
    let among = open(&[input(folder.path())]);
    assert!(matches!(among, Err(Error::NoCaptures { .. })), "{among:?}");
}

#[test]
fn captures_without_packets_are_no_error() {
    let folder = TempDir::new().unwrap();
    let a = write(&folder, "a", &Pcap::STANDARD.header());
    let b = write(&folder, "b", &Ng(false).file(&[]));
    let (seen, capture) = read(&[input(&a), input(&b)]);
    assert!(seen.is_empty());
    assert_eq!(capture.files().len(), 2);
    assert_eq!(kinds(&capture), [NoteKind::NoPackets, NoteKind::NoPackets]);
}

/// The packets of a capture of the corpus, whose times are to the nanosecond.
fn of_corpus(name: &str) -> (PathBuf, Vec<Packet>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name);
    let seen = drain(&mut open(&[input(&path)]).unwrap());
    (path, seen.into_iter().map(|one| Packet { time: one.time, data: one.data }).collect())
}

#[test]
fn a_clock_that_is_ahead_of_another_ends_is_taken_back() {
    let raw = Pcap { magic: 0xa1b2_3c4d, unit: 1, network: 101, ..Pcap::STANDARD };
    let (sender, sent) = of_corpus("send-buffer-16k-20ms.sender.pcap.gz");
    let (_, received) = of_corpus("send-buffer-16k-20ms.receiver.pcap.gz");
    let folder = TempDir::new().unwrap();
    for (seconds, from) in [(3_600, 0), (-3_600, 300), (5, 300), (-5, 0), (0, 300)] {
        // It begins when the transfer is under way, or before.
        let shifted = received[from..].iter().map(|packet| Packet {
            time: packet.time + seconds * 1_000_000_000,
            data: packet.data.clone(),
        });
        let shifted: Vec<Packet> = shifted.collect();
        let receiver = write(&folder, "receiver.pcap", &raw.file(&shifted));
        let (seen, capture) = read(&[input(&sender), input(&receiver)]);
        let notes = kinds(&capture);
        // Of the two the later one is taken back, or the other one forward.
        let apart = match &notes[..] {
            [NoteKind::Clock { ahead, .. }] => ahead.0.abs(),
            notes => {
                assert_eq!((notes, seconds), (&[][..], 0));
                0
            }
        };
        let off = apart - (seconds * 1_000_000_000).abs();
        assert!(off.abs() < 5_000_000, "{seconds}: {off} ns, on a path of 20 ms");
        assert_eq!(seen.len(), sent.len() + shifted.len());
        assert!(seen.windows(2).all(|pair| pair[0].time <= pair[1].time), "in order");
        let span = seen[seen.len() - 1].time - seen[0].time;
        let alone = sent[sent.len() - 1].time - sent[0].time;
        assert!((span - alone).abs() < 100_000_000, "{seconds}: {span} ns of {alone}");
    }
}

#[test]
fn the_files_of_a_rotation_have_one_clock() {
    let raw = Pcap { magic: 0xa1b2_3c4d, unit: 1, network: 101, ..Pcap::STANDARD };
    let (_, sent) = of_corpus("send-buffer-16k-20ms.sender.pcap.gz");
    let folder = TempDir::new().unwrap();
    for (i, part) in sent.chunks(sent.len() / 5).enumerate() {
        write(&folder, &format!("part-{i}.pcap"), &raw.file(part));
    }
    let (seen, capture) = read(&[input(folder.path())]);
    assert_eq!((seen.len(), kinds(&capture)), (sent.len(), vec![]));
    assert!(seen.iter().zip(&sent).all(|(seen, sent)| seen.time == sent.time));
}
