//! Any bytes as a capture: pcap, pcapng, gzip, zstd, or nothing of the kind.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use tcpwhy_capture::Capture;

fuzz_target!(|bytes: &[u8]| {
    let mut capture = match Capture::from_reader("fuzz", Cursor::new(bytes.to_vec())) {
        Ok(capture) => capture,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut last = 0;
    while let Ok(Some(frame)) = capture.next_frame() {
        assert!(frame.number > last);
        assert!(frame.data.len() <= frame.wire_len as usize);
        last = frame.number;
    }
    assert!(matches!(capture.next_frame(), Ok(None)));
    for note in capture.notes() {
        assert!(!note.to_string().is_empty());
    }
});
