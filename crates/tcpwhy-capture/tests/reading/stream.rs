//! Pipes that grow while they are read.

use crate::build::{Ng, Pcap, packets};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tcpwhy_capture::Capture;

/// Hands out one chunk a read and counts them.
struct Pipe {
    chunks: VecDeque<Vec<u8>>,
    taken: Arc<AtomicUsize>,
}

impl Read for Pipe {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let Some(chunk) = self.chunks.pop_front() else { return Ok(0) };
        self.taken.fetch_add(1, Ordering::Relaxed);
        buf[..chunk.len()].copy_from_slice(&chunk);
        Ok(chunk.len())
    }
}

fn frames_come_at_once(chunks: Vec<Vec<u8>>, before_first: usize) {
    let taken = Arc::new(AtomicUsize::new(0));
    let pipe = Pipe { chunks: chunks.into(), taken: Arc::clone(&taken) };
    let mut capture = Capture::from_reader("pipe", pipe).unwrap();
    assert!(taken.load(Ordering::Relaxed) <= before_first);
    let mut frames = 0;
    while capture.next_frame().is_some() {
        frames += 1;
        assert_eq!(taken.load(Ordering::Relaxed), before_first + frames, "frame {frames}");
    }
    assert_eq!(frames, 10);
}

/// A frame is delivered as soon as its last byte was written: nothing more is asked of the pipe.
#[test]
fn a_frame_is_delivered_before_the_next_is_written() {
    let packets = packets(10);
    let mut pcap = vec![Pcap::STANDARD.header()];
    pcap.extend(packets.iter().map(|packet| Pcap::STANDARD.record(packet)));
    frames_come_at_once(pcap, 1);

    let ng = Ng(false);
    let mut pcapng = vec![ng.section(&[]), ng.interface(1, 0, &[])];
    pcapng.extend(packets.iter().map(|p| ng.packet(0, p.time as u64, &p.data, &[])));
    frames_come_at_once(pcapng, 2);
}

#[test]
fn bytes_may_come_one_at_a_time() {
    let packets = packets(5);
    let chunks = Pcap::STANDARD.file(&packets).into_iter().map(|byte| vec![byte]).collect();
    let pipe = Pipe { chunks, taken: Arc::default() };
    let mut capture = Capture::from_reader("pipe", pipe).unwrap();
    assert_eq!(crate::build::drain(&mut capture), crate::build::expected(&packets));
}

/// A read that fails in the middle is damage; what came before is delivered.
#[test]
fn a_failing_read_is_damage() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let file = io::Cursor::new(Pcap::STANDARD.file(&packets(5)));
    let mut capture = Capture::from_reader("disk", file.chain(Failing)).unwrap();
    assert_eq!(crate::build::drain(&mut capture).len(), 5);
    assert!(capture.damaged());
    assert!(capture.notes()[0].to_string().contains("the disk is gone"));
}
