//! One capture file, record by record.

use crate::bytes::Bytes;
use crate::counters::Counters;
use crate::damage::Damage;
use crate::error::Error;
use crate::foreign::Foreign;
use crate::interfaces::Interfaces;
use crate::note::NoteKind;
use crate::pcap::{Pcap, is_pcap};
use crate::pcapng::{self, Pcapng};
use crate::window::Window;
use tcpwhy_core::decode::{Frame, LinkType};
use tcpwhy_core::units::Nanos;

/// A packet at the start of the window, and what its container says of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Record {
    pub(crate) time: Nanos,
    pub(crate) interface: u32,
    pub(crate) link: u32,
    pub(crate) wire_len: u32,
    /// Where the packet starts, from the first byte at hand.
    pub(crate) start: usize,
    /// Captured length.
    pub(crate) len: usize,
    /// Records before it that are no packets but that Wireshark numbers all the same.
    pub(crate) uncounted: u64,
}

enum Format {
    Pcap(Pcap),
    Pcapng(Pcapng),
}

/// How far a file has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Header,
    Packet,
    End,
}

/// An open capture file.
pub(crate) struct Reader {
    window: Window,
    format: Format,
    /// The packet at hand, or the latest. Written in place: moving it costs as much as parsing it.
    record: Record,
    progress: Progress,
    counters: Counters,
    damage: Option<(u64, Damage)>,
    /// How far the clock is ahead by which the file was written: all times given are earlier by as much.
    ahead: Nanos,
}

impl Reader {
    /// Reads the header of a capture; `lane` tells its interfaces from those of other files.
    ///
    /// # Errors
    /// When there is no capture, or one of a version not supported, or its header is damaged.
    pub(crate) fn open(file: &str, bytes: Bytes, lane: u32) -> Result<Self, Error> {
        let mut window = Window::new(bytes);
        if !window.need(4) {
            let damage = window.damage(4);
            return Err(match (window.at_hand(), damage) {
                ([], Damage::Cut { .. }) => Error::Empty { file: file.to_owned() },
                (_, Damage::Cut { .. }) => not_capture(file, &window),
                (_, damage) => Error::Header { file: file.to_owned(), damage },
            });
        }
        let magic = window.at_hand().first_chunk().copied().unwrap_or_default();
        let format = if is_pcap(magic) {
            Format::Pcap(Pcap::open(file, lane, &mut window)?)
        } else if magic == pcapng::MAGIC {
            Format::Pcapng(Pcapng::open(file, lane, &mut window)?)
        } else {
            return Err(not_capture(file, &window));
        };
        Ok(Self {
            window,
            format,
            record: Record { time: Nanos(i64::MIN), ..Record::default() },
            progress: Progress::Header,
            counters: Counters::default(),
            damage: None,
            ahead: Nanos::ZERO,
        })
    }

    /// The same file, by a clock that was so far `ahead`.
    pub(crate) fn taken_back(self, ahead: Nanos) -> Self {
        Self { ahead, ..self }
    }

    /// Moves to the next packet and returns its time; `None` at the end of what can be read.
    pub(crate) fn advance(&mut self, interfaces: &mut Interfaces) -> Option<Nanos> {
        if self.progress == Progress::End {
            return None;
        }
        let last = self.record.time;
        let (window, counters, record) = (&mut self.window, &mut self.counters, &mut self.record);
        let next = match &mut self.format {
            Format::Pcap(pcap) => pcap.advance(window, interfaces, counters, record),
            Format::Pcapng(pcapng) => pcapng.advance(window, interfaces, counters, record),
        };
        match next {
            Ok(true) => {
                self.progress = Progress::Packet;
                self.counters.packets += 1;
                self.record.time = self.record.time - self.ahead;
                self.counters.step(last, self.record.time);
                Some(self.record.time)
            }
            Ok(false) => self.end(None),
            Err(damage) => self.end(Some(damage)),
        }
    }

    /// Hands over the packet at hand, and those that follow it as long as they are usual ones and none was captured after `latest`:
    /// `most` of them at most; how many. `number` as in [`Reader::frame`].
    #[inline(always)]
    pub(crate) fn run(
        &mut self,
        latest: Nanos,
        number: &mut u64,
        most: usize,
        take: &mut impl FnMut(&Frame<'_>),
    ) -> Option<usize> {
        let Self { window, format, record, counters, ahead, .. } = self;
        let mut frame = frame(window, record, number)?;
        let usual = match format {
            Format::Pcap(pcap) => pcap.usual(),
            Format::Pcapng(_) => None,
        };
        let most = if usual.is_some() { most } else { 1 };
        let usual = usual.unwrap_or_default();
        let at_hand = window.at_hand();
        let mut rest = at_hand.get(record.start + record.len..).unwrap_or_default();
        let mut count = 1;
        loop {
            take(&frame);
            if count >= most {
                break;
            }
            let next =
                usual.first(rest).map(|(time, len, data, after)| (time - *ahead, len, data, after));
            let Some((time, wire_len, data, after)) = next.filter(|next| next.0 <= latest) else {
                break;
            };
            counters.step(frame.time, time);
            frame = Frame { time, wire_len, data, number: frame.number + 1, ..frame };
            rest = after;
            count += 1;
        }
        counters.packets += count as u64 - 1;
        *number = frame.number;
        record.time = frame.time;
        if count > 1 {
            let passed = at_hand.len() - rest.len();
            window.lend(passed);
        }
        Some(count)
    }

    #[cold]
    fn end(&mut self, damage: Option<Damage>) -> Option<Nanos> {
        self.progress = Progress::End;
        self.damage = damage.map(|damage| (self.window.record_offset(), damage));
        None
    }

    /// Whether a packet is at hand.
    pub(crate) fn has_packet(&self) -> bool {
        self.progress == Progress::Packet
    }

    /// Whether what comes after the packet at hand is still to be read.
    pub(crate) fn is_dry(&self) -> bool {
        self.window.is_dry()
    }

    /// When the packet at hand was captured.
    pub(crate) fn time(&self) -> Nanos {
        self.record.time
    }

    /// The packet at hand; `number` counts the frames delivered before it and is moved on.
    #[inline]
    pub(crate) fn frame(&self, number: &mut u64) -> Option<Frame<'_>> {
        frame(&self.window, &self.record, number)
    }

    /// Bytes consumed of the file as it is stored.
    pub(crate) fn consumed(&self) -> u64 {
        self.window.consumed()
    }

    /// Bytes of the file as it is stored whose packets were delivered; an estimate if compressed.
    pub(crate) fn delivered(&self) -> u64 {
        self.window.delivered()
    }

    /// What there is to say so far.
    pub(crate) fn notes(&self) -> Vec<NoteKind> {
        let mut notes = Vec::new();
        if let Some((offset, damage)) = &self.damage {
            let (offset, compression) = (*offset, self.window.compression());
            notes.push(NoteKind::Damaged { offset, compression, damage: damage.clone() });
        }
        let ignored = self.window.ignored();
        if ignored > 0 {
            notes.push(NoteKind::BehindGzip { bytes: ignored });
        }
        if self.progress == Progress::End && self.counters.packets == 0 {
            notes.push(NoteKind::NoPackets);
        }
        self.counters.notes(&mut notes);
        notes
    }
}

/// The packet of `record`.
#[inline]
fn frame<'a>(window: &'a Window, record: &Record, number: &mut u64) -> Option<Frame<'a>> {
    let data = window.at_hand().get(record.start..record.start + record.len)?;
    *number += 1 + record.uncounted;
    Some(Frame {
        time: record.time,
        number: *number,
        interface: record.interface,
        link: LinkType(record.link),
        wire_len: record.wire_len,
        data,
    })
}

fn not_capture(file: &str, window: &Window) -> Error {
    let head = window.at_hand();
    let head = head.get(..head.len().min(1024)).unwrap_or_default();
    let first = head.get(..head.len().min(16)).unwrap_or_default().to_vec();
    Error::NotCapture { file: file.to_owned(), first, foreign: Foreign::recognise(head) }
}
