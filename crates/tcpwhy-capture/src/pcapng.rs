//! The pcapng format (draft-ietf-opsawg-pcapng): sections of blocks.
//!
//! The walk from block to block is ours, so that no claimed length is believed before it is
//! bounded; the blocks themselves are parsed by `pcap-parser`, but for those that carry nearly all
//! the packets.

mod options;
mod packet;

use crate::counters::Counters;
use crate::damage::Damage;
use crate::error::Error;
use crate::interfaces::{Identity, Interfaces};
use crate::reader::Record;
use crate::resolution::Resolution;
use crate::window::Window;
use options::Options;
use pcap_parser::Block;
use pcap_parser::pcapng::{
    InterfaceDescriptionBlock, InterfaceStatisticsBlock, OptionCode, parse_block_be, parse_block_le,
};
use tcpwhy_core::units::Nanos;

/// First bytes of a file: a section header block's type, the same in both byte orders.
pub(crate) const MAGIC: [u8; 4] = 0x0a0d_0d0a_u32.to_be_bytes();
/// A section header's mark of its byte order.
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
/// Block type, total length, and the first word of the body or the total length again.
const SHORTEST_BLOCK: usize = 12;
/// Longest block that is parsed: a packet of the largest size with as much again of options.
const LONGEST_BLOCK: usize = 2 << 20;
/// Most interfaces in a section.
const MOST_INTERFACES: usize = 65_536;
/// Longest interface name that is kept, in characters.
const LONGEST_NAME: usize = 64;

mod kind {
    pub(super) const SECTION: u32 = 0x0a0d_0d0a;
    pub(super) const INTERFACE: u32 = 1;
    pub(super) const OBSOLETE_PACKET: u32 = 2;
    pub(super) const SIMPLE_PACKET: u32 = 3;
    pub(super) const NAMES: u32 = 4;
    pub(super) const STATISTICS: u32 = 5;
    pub(super) const ENHANCED_PACKET: u32 = 6;
    pub(super) const JOURNAL: u32 = 9;
    pub(super) const SECRETS: u32 = 10;
    pub(super) const CUSTOM: u32 = 0x0000_0bad;
    pub(super) const CUSTOM_NOT_COPIED: u32 = 0x4000_0bad;
}

/// The state of reading one pcapng file: the section at hand.
pub(crate) struct Pcapng {
    lane: u32,
    big_endian: bool,
    interfaces: Vec<Interface>,
    /// Time of the latest packet, for those that have none.
    last: Nanos,
    /// Records since the latest packet that are no packets but are numbered like them.
    uncounted: u64,
}

/// An interface of the section.
struct Interface {
    number: u32,
    link: u32,
    snaplen: u32,
    resolution: Resolution,
    name: String,
}

impl Pcapng {
    /// Reads the first section header from a window that starts with [`MAGIC`].
    pub(crate) fn open(file: &str, lane: u32, window: &mut Window) -> Result<Self, Error> {
        let mut pcapng = Self {
            lane,
            big_endian: false,
            interfaces: Vec::new(),
            last: Nanos::ZERO,
            uncounted: 0,
        };
        let file = file.to_owned();
        match pcapng.section(window, &mut Counters::default()) {
            Ok((1, _)) => Ok(pcapng),
            Ok((major, minor)) => Err(Error::Version { file, format: "pcapng", major, minor }),
            Err(damage) => Err(Error::Header { file, damage }),
        }
    }

    /// Moves to the next packet, which the window lends; false at the end.
    pub(crate) fn advance(
        &mut self,
        window: &mut Window,
        interfaces: &mut Interfaces,
        counters: &mut Counters,
        next: &mut Record,
    ) -> Result<bool, Damage> {
        loop {
            window.release();
            if !window.need(SHORTEST_BLOCK) {
                return window.ending(SHORTEST_BLOCK as u64).map(|()| false);
            }
            match self.word(window, 0) {
                kind::ENHANCED_PACKET => {
                    return self.enhanced(window, counters, next).map(|()| true);
                }
                kind::SIMPLE_PACKET => return self.simple(window, counters, next).map(|()| true),
                kind::OBSOLETE_PACKET => {
                    return self.obsolete(window, counters, next).map(|()| true);
                }
                kind::SECTION => self.next_section(window, counters)?,
                kind::INTERFACE => self.interface(window, interfaces, counters)?,
                kind::STATISTICS => self.statistics(window, counters)?,
                other => self.pass_over(other, window, counters)?,
            }
        }
    }

    /// The `u32` at byte `at` of the block at hand; 0 where there is none.
    fn word(&self, window: &Window, at: usize) -> u32 {
        let bytes = window.at_hand().get(at..).and_then(|rest| rest.first_chunk::<4>());
        match bytes {
            Some(bytes) if self.big_endian => u32::from_be_bytes(*bytes),
            Some(bytes) => u32::from_le_bytes(*bytes),
            None => 0,
        }
    }

    /// The total length of the block at hand.
    fn length(&self, window: &Window) -> Result<u32, Damage> {
        let length = self.word(window, 4);
        if length < SHORTEST_BLOCK as u32 {
            return Err(Damage::Malformed("a block is shorter than its own header"));
        }
        if !length.is_multiple_of(4) {
            return Err(Damage::Malformed("a block's length is no multiple of 4"));
        }
        Ok(length)
    }

    /// Makes the whole block available and returns its length.
    fn whole(&self, window: &mut Window) -> Result<usize, Damage> {
        let length = self.length(window)?;
        let len = length as usize;
        if len > LONGEST_BLOCK {
            return Err(Damage::too_long(u64::from(length)));
        }
        if !window.need(len) {
            return Err(window.damage(u64::from(length)));
        }
        if self.word(window, len - 4) != length {
            return Err(Damage::Malformed("the two lengths of a block differ"));
        }
        Ok(len)
    }

    /// Parses the whole block at hand, of length `len`.
    fn parse<'w>(&self, window: &'w Window, len: usize) -> Result<Block<'w>, Damage> {
        let block = window.at_hand().get(..len).unwrap_or_default();
        let parsed = if self.big_endian { parse_block_be(block) } else { parse_block_le(block) };
        match parsed {
            Ok((_, block)) => Ok(block),
            Err(_) => Err(Damage::Malformed("a block is too short for what it holds")),
        }
    }

    /// A section header: byte order and interfaces start anew. Returns the version.
    fn section(
        &mut self,
        window: &mut Window,
        counters: &mut Counters,
    ) -> Result<(u16, u16), Damage> {
        if !window.need(SHORTEST_BLOCK) {
            return Err(window.damage(SHORTEST_BLOCK as u64));
        }
        self.big_endian = window.at_hand().get(8..12) == Some(&BYTE_ORDER.to_be_bytes());
        self.interfaces.clear();
        let len = self.whole(window)?;
        let Block::SectionHeader(header) = self.parse(window, len)? else {
            return Err(Damage::Malformed("a section header is not one"));
        };
        let options = Options::new(&header.options, len - 28, self.big_endian)?;
        counters.comments += options.comments();
        let version = (header.major_version, header.minor_version);
        window.lend(len);
        Ok(version)
    }

    fn next_section(&mut self, window: &mut Window, counters: &mut Counters) -> Result<(), Damage> {
        match self.section(window, counters)? {
            (1, _) => Ok(()),
            _ => Err(Damage::Malformed("a section of an unsupported version begins")),
        }
    }

    fn interface(
        &mut self,
        window: &mut Window,
        interfaces: &mut Interfaces,
        counters: &mut Counters,
    ) -> Result<(), Damage> {
        let len = self.whole(window)?;
        let Block::InterfaceDescription(block) = self.parse(window, len)? else {
            return Err(Damage::Malformed("an interface description is not one"));
        };
        let options = Options::new(&block.options, len - 20, self.big_endian)?;
        counters.comments += options.comments();
        let interface = self.describe(&block, &options, interfaces)?;
        self.interfaces.push(interface);
        window.lend(len);
        Ok(())
    }

    fn describe(
        &self,
        block: &InterfaceDescriptionBlock<'_>,
        options: &Options<'_>,
        interfaces: &mut Interfaces,
    ) -> Result<Interface, Damage> {
        let link = block.linktype.0 as u32;
        let index = u32::try_from(self.interfaces.len()).unwrap_or(u32::MAX);
        let name: String = options.text(OptionCode::IfName).chars().take(LONGEST_NAME).collect();
        let identity = Identity { lane: self.lane, index, link, name: name.clone() };
        let room = self.interfaces.len() < MOST_INTERFACES;
        let number = interfaces.number(identity).filter(|_| room);
        let resolution = Resolution::new(
            options.byte(OptionCode::IfTsresol).unwrap_or(6),
            options.number(OptionCode::IfTsoffset).unwrap_or(0) as i64,
        );
        let resolution = resolution.ok_or(Damage::Malformed(
            "the time unit of an interface is too small for 64 bits to count to a second,",
        ))?;
        Ok(Interface {
            number: number.ok_or(Damage::TOO_MANY_INTERFACES)?,
            link,
            snaplen: block.snaplen,
            resolution,
            name: if name.is_empty() { index.to_string() } else { name },
        })
    }

    fn statistics(&mut self, window: &mut Window, counters: &mut Counters) -> Result<(), Damage> {
        let len = self.whole(window)?;
        let Block::InterfaceStatistics(block) = self.parse(window, len)? else {
            return Err(Damage::Malformed("interface statistics are not"));
        };
        let options = Options::new(&block.options, len - 24, self.big_endian)?;
        counters.comments += options.comments();
        self.note_drops(&block, &options, counters)?;
        window.lend(len);
        Ok(())
    }

    fn note_drops(
        &self,
        block: &InterfaceStatisticsBlock<'_>,
        options: &Options<'_>,
        counters: &mut Counters,
    ) -> Result<(), Damage> {
        let interface = self.described(block.if_id)?;
        let drops = counters.drops(interface.number, &interface.name);
        drops.received = options.number(OptionCode::IsbIfRecv).or(drops.received);
        drops.by_interface = options.number(OptionCode::IsbIfDrop).or(drops.by_interface);
        drops.by_system = options.number(OptionCode::IsbOsDrop).or(drops.by_system);
        Ok(())
    }

    /// An interface of the section by its index.
    fn described(&self, index: u32) -> Result<&Interface, Damage> {
        let interface = self.interfaces.get(index as usize);
        interface.ok_or(Damage::Malformed("a block names an interface that is not described"))
    }

    /// A block without packets: counted, never held in memory.
    fn pass_over(
        &mut self,
        kind: u32,
        window: &mut Window,
        counters: &mut Counters,
    ) -> Result<(), Damage> {
        let length = self.length(window)?;
        match kind {
            kind::NAMES => {}
            kind::JOURNAL | kind::CUSTOM | kind::CUSTOM_NOT_COPIED => self.uncounted += 1,
            kind::SECRETS => counters.secrets += 1,
            _ => counters.unknown_block(kind),
        }
        if !window.skip(u64::from(length) - 4) || !window.need(4) {
            return Err(window.damage(u64::from(length)));
        }
        if self.word(window, 0) != length {
            return Err(Damage::Malformed("the two lengths of a block differ"));
        }
        window.lend(4);
        Ok(())
    }
}
