//! The three kinds of blocks that carry packets.

use super::Pcapng;
use super::options::{Options, parse_options};
use crate::counters::Counters;
use crate::damage::Damage;
use crate::pcap::MAX_CAPTURED;
use crate::reader::Record;
use crate::window::Window;
use pcap_parser::Block;
use pcap_parser::pcapng::OptionCode;

/// `epb_dropcount`: packets lost between the packet before and this one.
const DROP_COUNT: OptionCode = OptionCode(4);
/// Fixed part of enhanced and obsolete packet blocks, before the packet.
const BEFORE_PACKET: usize = 28;
/// The total length again, at the end of a block.
const AFTER_PACKET: usize = 4;
/// Fixed part of simple packet blocks, before the packet.
const BEFORE_SIMPLE: usize = 12;
/// An obsolete packet's drop count that says nothing.
const DROPS_UNKNOWN: u32 = 0xffff;

/// What enhanced and obsolete packet blocks have in common.
struct Header {
    interface: u32,
    units: u64,
    captured: u32,
    wire: u32,
}

impl Header {
    /// Checks the captured length against its block, of length `len`.
    fn parse(interface: u32, words: [u32; 4], len: usize) -> Result<Self, Damage> {
        let [high, low, captured, wire] = words;
        if bounded(captured)? > len - BEFORE_PACKET - AFTER_PACKET {
            return Err(Damage::Malformed("a packet is longer than its block"));
        }
        let units = u64::from(high) << 32 | u64::from(low);
        Ok(Self { interface, units, captured, wire })
    }
}

impl Pcapng {
    /// Read by hand, because nearly all blocks are of this kind: `pcap-parser` takes half as long
    /// again.
    #[inline]
    pub(super) fn enhanced(
        &mut self,
        window: &mut Window,
        counters: &mut Counters,
        next: &mut Record,
    ) -> Result<(), Damage> {
        let len = self.whole(window)?;
        let [interface, words @ ..] = self.packet_words(window, len)?;
        let header = Header::parse(interface, words, len)?;
        let options = BEFORE_PACKET + (header.captured as usize).next_multiple_of(4);
        if options + AFTER_PACKET < len {
            let area = window.at_hand().get(options..len - AFTER_PACKET).unwrap_or_default();
            let options = parse_options(area, self.big_endian);
            let options = Options::new(&options, area.len(), self.big_endian)?;
            counters.comments += options.comments();
            if let Some(dropped) = options.number(DROP_COUNT) {
                self.note_dropped(interface, dropped, counters)?;
            }
        }
        self.lend(&header, len, window, counters, next)
    }

    /// The packet block that enhanced packet blocks replaced: 16 bits each of interface and drops.
    pub(super) fn obsolete(
        &mut self,
        window: &mut Window,
        counters: &mut Counters,
        next: &mut Record,
    ) -> Result<(), Damage> {
        let len = self.whole(window)?;
        let [both, words @ ..] = self.packet_words(window, len)?;
        let (high, low) = (both >> 16, both & 0xffff);
        let (interface, dropped) = if self.big_endian { (high, low) } else { (low, high) };
        let header = Header::parse(interface, words, len)?;
        if dropped != 0 && dropped != DROPS_UNKNOWN {
            self.note_dropped(interface, u64::from(dropped), counters)?;
        }
        self.lend(&header, len, window, counters, next)
    }

    /// The five words between a packet block's length and its packet.
    #[inline]
    fn packet_words(&self, window: &Window, len: usize) -> Result<[u32; 5], Damage> {
        let body = window.at_hand().get(8..len).and_then(|body| body.first_chunk::<24>());
        let Some(body) = body else {
            return Err(Damage::Malformed("a packet block is too short"));
        };
        let word = |at: usize| {
            let bytes = [body[at], body[at + 1], body[at + 2], body[at + 3]];
            if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        Ok([word(0), word(4), word(8), word(12), word(16)])
    }

    /// A simple packet block has no interface (it is the first), no time and no captured length.
    pub(super) fn simple(
        &mut self,
        window: &mut Window,
        counters: &mut Counters,
        next: &mut Record,
    ) -> Result<(), Damage> {
        let len = self.whole(window)?;
        let Block::SimplePacket(block) = self.parse(window, len)? else {
            return Err(Damage::Malformed("a simple packet block is not one"));
        };
        let wire = block.origlen;
        let held = u32::try_from(block.data.len()).unwrap_or(u32::MAX);
        let interface = self.described(0)?;
        let snaplen = if interface.snaplen == 0 { u32::MAX } else { interface.snaplen };
        let captured = wire.min(snaplen);
        if captured > held {
            return Err(Damage::Malformed("a packet is longer than its block"));
        }
        counters.no_times += 1;
        *next = Record {
            time: self.last,
            interface: interface.number,
            link: interface.link,
            wire_len: wire,
            start: BEFORE_SIMPLE,
            len: bounded(captured)?,
            uncounted: std::mem::take(&mut self.uncounted),
        };
        window.lend(len);
        Ok(())
    }

    fn lend(
        &mut self,
        header: &Header,
        len: usize,
        window: &mut Window,
        counters: &mut Counters,
        next: &mut Record,
    ) -> Result<(), Damage> {
        let interface = self.described(header.interface)?;
        let (time, right) = interface.resolution.time(header.units);
        counters.wrong_dates += u64::from(!right);
        *next = Record {
            time,
            interface: interface.number,
            link: interface.link,
            wire_len: header.wire.max(header.captured),
            start: BEFORE_PACKET,
            len: bounded(header.captured)?,
            uncounted: self.uncounted,
        };
        self.uncounted = 0;
        self.last = next.time;
        window.lend(len);
        Ok(())
    }

    fn note_dropped(
        &self,
        interface: u32,
        dropped: u64,
        counters: &mut Counters,
    ) -> Result<(), Damage> {
        let interface = self.described(interface)?;
        let drops = counters.drops(interface.number, &interface.name);
        drops.before_packets = drops.before_packets.saturating_add(dropped);
        Ok(())
    }
}

fn bounded(captured: u32) -> Result<usize, Damage> {
    let len = captured as usize;
    if len > MAX_CAPTURED { Err(Damage::too_long(u64::from(captured))) } else { Ok(len) }
}
