//! Real captures made by others, where they are present.

use std::path::{Path, PathBuf};
use tcpwhy_capture::{Capture, Error, Input, open};
use tcpwhy_core::decode::Frame;

/// Files whose packet count in the index is not what their packets say: `(file, count)`.
const INDEX_IS_WRONG: &[(&str, u64)] = &[
    // The index counts the packets of the longer file of the same name.
    ("encodings/001-PcapPlusPlus-pcapng-example.pcapng", 1),
    // A fuzzer's: read as version 2.3, its one record is whole.
    ("encodings/008-PcapPlusPlus-clusterfuzz-testcase-minimized-FuzzTarget-5766899836387328", 1),
];

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("SKIPPED: {} is absent", folder.display());
    None
}

fn count(capture: &mut Capture) -> u64 {
    let mut frames = 0;
    let mut count = |frame: &Frame<'_>| {
        frames += 1;
        assert_eq!(frame.number, frames);
        assert!(frame.data.len() <= frame.wire_len as usize);
    };
    while capture.next_frames(100, &mut count) {}
    frames
}

#[test]
fn every_capture_is_read_or_refused_with_a_reason() {
    let Some(folder) = folder() else { return };
    let index = std::fs::read_to_string(folder.join("INDEX.tsv")).unwrap();
    let mut files = 0;
    for line in index.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (name, format, packets) = (fields[0], fields[2], fields[4]);
        let known = INDEX_IS_WRONG.iter().find(|(file, _)| *file == name).map(|(_, n)| *n);
        let path = folder.join(name);
        if !path.is_file() {
            continue;
        }
        files += 1;
        match open(&[Input::Path(path)]) {
            Ok(mut capture) => {
                let packets = known.or_else(|| packets.parse().ok()).unwrap_or(0);
                assert_eq!(count(&mut capture), packets, "{name}");
                assert!(!capture.damaged(), "{name}: {:?}", capture.notes());
            }
            Err(error @ Error::NotCapture { .. }) => {
                assert!(format.contains("snoop") || format.contains("netmon"), "{error}");
                assert!(error.to_string().contains("editcap"), "{error}");
            }
            Err(error) => assert_eq!(format, "unreadable", "{error}"),
        }
    }
    println!("{files} captures read");
    assert!(files > 100, "only {files} of the index are there");
}
