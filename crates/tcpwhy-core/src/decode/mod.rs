//! Frame bytes to segments.

use crate::units::Nanos;

/// A link-layer header type, by its LINKTYPE_ value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkType(pub u32);

/// One captured frame, lent by whoever read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// When it was captured.
    pub time: Nanos,
    /// Frame number in the (merged) capture, from 1.
    pub number: u64,
    /// Capture interface, numbered over all files.
    pub interface: u32,
    /// Link-layer header type.
    pub link: LinkType,
    /// Length on the wire in bytes.
    pub wire_len: u32,
    /// The captured bytes.
    pub data: &'a [u8],
}
