//! The three kinds of blocks that carry packets.

use super::Pcapng;
use super::options::Options;
use crate::note::Damage;
use crate::pcap::MAX_CAPTURED;
use crate::reader::{Counters, Record};
use crate::window::Window;
use pcap_parser::Block;
use pcap_parser::pcapng::OptionCode;

/// `epb_dropcount`: packets lost between the packet before and this one.
const DROP_COUNT: OptionCode = OptionCode(4);
/// Fixed part of enhanced and obsolete packet blocks, before the packet.
const BEFORE_PACKET: usize = 28;
/// The same of simple packet blocks.
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

impl Pcapng {
    pub(super) fn enhanced(
        &mut self,
        window: &mut Window,
        counters: &mut Counters,
        next: &mut Record,
    ) -> Result<(), Damage> {
        let len = self.whole(window)?;
        let Block::EnhancedPacket(block) = self.parse(window, len)? else {
            return Err(Damage::Malformed("a packet block is not one"));
        };
        let area = len - BEFORE_PACKET - 4 - block.data.len();
        if area > 0 {
            let options = Options::new(&block.options, area, self.big_endian)?;
            counters.comments += options.comments();
            if let Some(dropped) = options.number(DROP_COUNT) {
                self.note_dropped(block.if_id, dropped, counters)?;
            }
        }
        let header = Header {
            interface: block.if_id,
            units: u64::from(block.ts_high) << 32 | u64::from(block.ts_low),
            captured: block.caplen,
            wire: block.origlen,
        };
        self.lend(&header, len, window, next)
    }

    /// The packet block that enhanced packet blocks replaced: 16 bits each of interface and drops.
    pub(super) fn obsolete(
        &mut self,
        window: &mut Window,
        counters: &mut Counters,
        next: &mut Record,
    ) -> Result<(), Damage> {
        let len = self.whole(window)?;
        if len < BEFORE_PACKET + 4 {
            return Err(Damage::Malformed("a packet block is too short"));
        }
        let (high, low) = (self.word(window, 8) >> 16, self.word(window, 8) & 0xffff);
        let (interface, dropped) = if self.big_endian { (high, low) } else { (low, high) };
        let header = Header {
            interface,
            units: u64::from(self.word(window, 12)) << 32 | u64::from(self.word(window, 16)),
            captured: self.word(window, 20),
            wire: self.word(window, 24),
        };
        if header.captured as usize > len - BEFORE_PACKET - 4 {
            return Err(Damage::Malformed("a packet is longer than its block"));
        }
        if dropped != 0 && dropped != DROPS_UNKNOWN {
            self.note_dropped(interface, u64::from(dropped), counters)?;
        }
        self.lend(&header, len, window, next)
    }

    /// A simple packet block has neither interface (it is the first), nor time, nor captured length.
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
        next: &mut Record,
    ) -> Result<(), Damage> {
        let interface = self.described(header.interface)?;
        *next = Record {
            time: interface.resolution.time(header.units),
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
