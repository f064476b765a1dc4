//! The options of a block, with their values in the section's byte order.

use crate::damage::Damage;
use pcap_parser::PcapError;
use pcap_parser::pcapng::{OptionCode, PcapNGOption, parse_option_be, parse_option_le};

/// Options that were found to fit their block.
pub(super) struct Options<'b> {
    options: &'b [PcapNGOption<'b>],
    big_endian: bool,
}

impl<'b> Options<'b> {
    /// `area` is the length of what follows the block's fixed part, in bytes.
    ///
    /// The parser stops at the first option that does not fit; it is an error here, because nothing
    /// in such a block can be trusted.
    pub(super) fn new(
        options: &'b [PcapNGOption<'b>],
        area: usize,
        big_endian: bool,
    ) -> Result<Self, Damage> {
        let ended = options.iter().any(|option| option.code == OptionCode::EndOfOpt);
        let parsed: usize = options.iter().map(|option| 4 + option.value.len()).sum();
        if !ended && parsed < area {
            return Err(Damage::Malformed("an option is longer than its block"));
        }
        Ok(Self { options, big_endian })
    }

    fn all(&self) -> impl Iterator<Item = &'b PcapNGOption<'b>> {
        self.options.iter().take_while(|option| option.code != OptionCode::EndOfOpt)
    }

    /// The value of the first option of this code.
    fn value(&self, code: OptionCode) -> Option<&'b [u8]> {
        self.all().find(|option| option.code == code)?.as_bytes().ok()
    }

    pub(super) fn byte(&self, code: OptionCode) -> Option<u8> {
        self.value(code)?.first().copied()
    }

    /// A 64-bit value; signed ones keep their bits.
    pub(super) fn number(&self, code: OptionCode) -> Option<u64> {
        let bytes = self.value(code)?.first_chunk::<8>()?;
        Some(if self.big_endian { u64::from_be_bytes(*bytes) } else { u64::from_le_bytes(*bytes) })
    }

    /// A text, whatever is not UTF-8 replaced; empty where there is none.
    pub(super) fn text(&self, code: OptionCode) -> String {
        String::from_utf8_lossy(self.value(code).unwrap_or_default()).into_owned()
    }

    pub(super) fn comments(&self) -> u64 {
        self.all().filter(|option| option.code == OptionCode::Comment).count() as u64
    }
}

/// The options in `area`, up to the first that does not fit.
pub(super) fn parse_options(mut area: &[u8], big_endian: bool) -> Vec<PcapNGOption<'_>> {
    let mut options = Vec::new();
    let parse = |area| match big_endian {
        true => parse_option_be::<PcapError<&[u8]>>(area),
        false => parse_option_le::<PcapError<&[u8]>>(area),
    };
    while let Ok((rest, option)) = parse(area) {
        options.push(option);
        area = rest;
    }
    options
}
