//! Any bytes as a capture: pcap, pcapng, gzip, zstd, or nothing of the kind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use tcpwhy_capture::{Capture, Error};
use tcpwhy_core::decode::Frame;

fn open(bytes: &[u8]) -> Result<Capture, Error> {
    Capture::from_reader("fuzz", Cursor::new(bytes.to_vec()))
}

fuzz_target!(|bytes: &[u8]| {
    let mut capture = match open(bytes) {
        Ok(capture) => capture,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut last = 0;
    let mut frames = Vec::new();
    while let Some(frame) = capture.next_frame() {
        assert!(frame.number > last);
        assert!(frame.data.len() <= frame.wire_len as usize);
        last = frame.number;
        frames.push((frame.time, frame.number, frame.wire_len, frame.data.to_vec()));
    }
    assert!(capture.next_frame().is_none());
    for note in capture.notes() {
        assert!(!note.to_string().is_empty());
    }
    let Ok(mut again) = open(bytes) else { return assert!(frames.is_empty()) };
    let mut frames = frames.into_iter();
    let mut compare = |frame: &Frame<'_>| {
        let same = (frame.time, frame.number, frame.wire_len, frame.data.to_vec());
        assert_eq!(frames.next(), Some(same));
    };
    while again.next_frames(5, &mut compare) {}
    assert_eq!(frames.next(), None);
    assert_eq!(again.notes(), capture.notes());
});
