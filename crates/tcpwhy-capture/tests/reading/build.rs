//! Builders of capture files, and what is read back.

use std::io::Cursor;
use tcpwhy_capture::{Capture, Error, NoteKind};
use tcpwhy_core::decode::Frame;

/// A packet to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) time: i64,
    pub(crate) data: Vec<u8>,
}

/// A frame that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) time: i64,
    pub(crate) number: u64,
    pub(crate) interface: u32,
    pub(crate) link: u32,
    pub(crate) wire_len: u32,
    pub(crate) data: Vec<u8>,
}

/// `n` packets of different lengths, 1.5 ms apart, from a plausible second on.
pub(crate) fn packets(n: usize) -> Vec<Packet> {
    let packet = |i: usize| Packet {
        time: 1_700_000_000_000_000_000 + i as i64 * 1_500_000,
        data: (0..20 + i * 7 % 90).map(|j| (i * 31 + j * 7) as u8).collect(),
    };
    (0..n).map(packet).collect()
}

pub(crate) fn word(big: bool, value: u32) -> [u8; 4] {
    if big { value.to_be_bytes() } else { value.to_le_bytes() }
}

pub(crate) fn half(big: bool, value: u16) -> [u8; 2] {
    if big { value.to_be_bytes() } else { value.to_le_bytes() }
}

/// A pcap file of a chosen variant.
#[derive(Clone, Copy)]
pub(crate) struct Pcap {
    pub(crate) big: bool,
    pub(crate) magic: u32,
    pub(crate) version: (u16, u16),
    pub(crate) network: u32,
    /// Nanoseconds in a unit of the fraction.
    pub(crate) unit: i64,
    /// Bytes after the file header.
    pub(crate) after_header: usize,
    /// Bytes after the 16 standard ones of each record header.
    pub(crate) extra: usize,
    pub(crate) wire_first: bool,
}

impl Pcap {
    pub(crate) const STANDARD: Self = Self {
        big: false,
        magic: 0xa1b2_c3d4,
        version: (2, 4),
        network: 1,
        unit: 1_000,
        after_header: 0,
        extra: 0,
        wire_first: false,
    };

    pub(crate) fn header(&self) -> Vec<u8> {
        let mut file = word(self.big, self.magic).to_vec();
        file.extend(half(self.big, self.version.0));
        file.extend(half(self.big, self.version.1));
        for value in [0, 0, 65_535, self.network] {
            file.extend(word(self.big, value));
        }
        file.extend(vec![0xee; self.after_header]);
        file
    }

    pub(crate) fn record(&self, packet: &Packet) -> Vec<u8> {
        let len = packet.data.len() as u32;
        let fraction = packet.time % 1_000_000_000 / self.unit;
        let lengths = if self.wire_first { [len + 10, len] } else { [len, len + 10] };
        let words = [(packet.time / 1_000_000_000) as u32, fraction as u32, lengths[0], lengths[1]];
        let mut record = Vec::new();
        words.iter().for_each(|value| record.extend(word(self.big, *value)));
        record.extend(vec![0xff; self.extra]);
        record.extend(&packet.data);
        record
    }

    pub(crate) fn file(&self, packets: &[Packet]) -> Vec<u8> {
        let mut file = self.header();
        packets.iter().for_each(|packet| file.extend(self.record(packet)));
        file
    }
}

/// pcapng blocks in one byte order.
#[derive(Clone, Copy)]
pub(crate) struct Ng(pub(crate) bool);

impl Ng {
    pub(crate) fn block(self, kind: u32, body: &[u8]) -> Vec<u8> {
        let padded = body.len().next_multiple_of(4);
        let total = word(self.0, padded as u32 + 12);
        let mut block = word(self.0, kind).to_vec();
        block.extend(total);
        block.extend(body);
        block.resize(8 + padded, 0);
        block.extend(total);
        block
    }

    pub(crate) fn option(self, code: u16, value: &[u8]) -> Vec<u8> {
        let mut option = half(self.0, code).to_vec();
        option.extend(half(self.0, value.len() as u16));
        option.extend(value);
        option.resize(4 + value.len().next_multiple_of(4), 0);
        option
    }

    pub(crate) fn number(self, code: u16, value: u64) -> Vec<u8> {
        let bytes = if self.0 { value.to_be_bytes() } else { value.to_le_bytes() };
        self.option(code, &bytes)
    }

    pub(crate) fn section(self, options: &[u8]) -> Vec<u8> {
        let mut body = word(self.0, 0x1a2b_3c4d).to_vec();
        body.extend(half(self.0, 1));
        body.extend(half(self.0, 0));
        body.extend([0xff; 8]);
        body.extend(options);
        self.block(0x0a0d_0d0a, &body)
    }

    pub(crate) fn interface(self, link: u16, snaplen: u32, options: &[u8]) -> Vec<u8> {
        let mut body = half(self.0, link).to_vec();
        body.extend([0; 2]);
        body.extend(word(self.0, snaplen));
        body.extend(options);
        self.block(1, &body)
    }

    /// An enhanced packet block; `time` in units of its interface.
    pub(crate) fn packet(self, interface: u32, time: u64, data: &[u8], options: &[u8]) -> Vec<u8> {
        let len = data.len() as u32;
        let mut body = Vec::new();
        for value in [interface, (time >> 32) as u32, time as u32, len, len + 10] {
            body.extend(word(self.0, value));
        }
        body.extend(data);
        body.resize(body.len().next_multiple_of(4), 0);
        body.extend(options);
        self.block(6, &body)
    }

    pub(crate) fn statistics(self, interface: u32, options: &[u8]) -> Vec<u8> {
        let mut body = word(self.0, interface).to_vec();
        body.extend([0; 8]);
        body.extend(options);
        self.block(5, &body)
    }

    /// A whole file with one nanosecond Ethernet interface.
    pub(crate) fn file(self, packets: &[Packet]) -> Vec<u8> {
        let mut file = self.section(&[]);
        file.extend(self.interface(1, 0, &self.option(9, &[9])));
        for packet in packets {
            file.extend(self.packet(0, packet.time as u64, &packet.data, &[]));
        }
        file
    }
}

pub(crate) fn open(file: Vec<u8>) -> Result<Capture, Error> {
    Capture::from_reader("test", Cursor::new(file))
}

/// Reads to the end, some frames at a time.
pub(crate) fn drain(capture: &mut Capture) -> Vec<Seen> {
    let mut seen = Vec::new();
    while capture.next_frames(7, |frame| seen.push(saw(frame))) {}
    assert!(!capture.next_frames(7, |_| panic!("the end stays the end")));
    seen
}

/// Reads to the end, frame by frame.
pub(crate) fn drain_one_by_one(capture: &mut Capture) -> Vec<Seen> {
    let mut seen = Vec::new();
    while let Some(frame) = capture.next_frame() {
        seen.push(saw(&frame));
    }
    assert!(capture.next_frame().is_none(), "the end stays the end");
    seen
}

fn saw(frame: &Frame<'_>) -> Seen {
    Seen {
        time: frame.time.0,
        number: frame.number,
        interface: frame.interface,
        link: frame.link.0,
        wire_len: frame.wire_len,
        data: frame.data.to_vec(),
    }
}

/// The frames and the notes of a file that can be opened.
pub(crate) fn read(file: Vec<u8>) -> (Vec<Seen>, Vec<NoteKind>) {
    let notes = |capture: &Capture| -> Vec<NoteKind> {
        capture.notes().into_iter().map(|note| note.kind).collect()
    };
    let mut capture = open(file.clone()).unwrap();
    let seen = drain(&mut capture);
    let mut again = open(file).unwrap();
    assert_eq!(drain_one_by_one(&mut again), seen);
    assert_eq!(notes(&again), notes(&capture));
    (seen, notes(&capture))
}

/// What should be read of `packets` from a lone file.
pub(crate) fn expected(packets: &[Packet]) -> Vec<Seen> {
    let seen = |(i, packet): (usize, &Packet)| Seen {
        time: packet.time,
        number: i as u64 + 1,
        interface: 0,
        link: 1,
        wire_len: packet.data.len() as u32 + 10,
        data: packet.data.clone(),
    };
    packets.iter().enumerate().map(seen).collect()
}
