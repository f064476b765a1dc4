//! A position in a frame that knows both what was captured and what was on the wire.

use super::{Decoded, Frame};

/// The rest of a frame, from some header on.
///
/// Invariant: `bytes.len() <= wire`.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    /// Captured bytes not yet read.
    bytes: &'a [u8],
    /// How many bytes follow on the wire, captured or not.
    wire: usize,
    /// Hash of interface and encapsulation, see [`crate::observe::Segment::scope`].
    pub(super) scope: u32,
    /// Some layer is the first fragment of a larger packet.
    pub(super) fragment: bool,
    /// The protocol was guessed from a UDP port: what does not parse is not damage.
    pub(super) guessed: bool,
}

impl<'a> Cursor<'a> {
    /// At the start of a frame.
    #[inline]
    pub(super) fn new(frame: &Frame<'a>) -> Self {
        Self {
            bytes: frame.data,
            wire: (frame.wire_len as usize).max(frame.data.len()),
            scope: frame.interface,
            fragment: false,
            guessed: false,
        }
    }

    /// At the end of nothing.
    pub(super) fn empty() -> Self {
        Self { bytes: &[], wire: 0, scope: 0, fragment: false, guessed: false }
    }

    /// The captured bytes not yet read.
    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// How many bytes follow on the wire.
    #[inline]
    pub(super) fn wire(&self) -> usize {
        self.wire
    }

    /// The next `N` bytes, without reading them.
    #[inline]
    pub(super) fn peek<const N: usize>(&self) -> Result<&'a [u8; N], Decoded> {
        self.bytes.first_chunk::<N>().ok_or_else(|| self.too_short(N))
    }

    /// Reads the next `N` bytes.
    #[inline]
    pub(super) fn take<const N: usize>(&mut self) -> Result<&'a [u8; N], Decoded> {
        match self.bytes.split_first_chunk::<N>() {
            Some((head, rest)) => {
                self.bytes = rest;
                self.wire -= N;
                Ok(head)
            }
            None => Err(self.too_short(N)),
        }
    }

    /// Passes over `n` bytes.
    #[inline]
    pub(super) fn skip(&mut self, n: usize) -> Result<(), Decoded> {
        match self.bytes.get(n..) {
            Some(rest) => {
                self.bytes = rest;
                self.wire -= n;
                Ok(())
            }
            None => Err(self.too_short(n)),
        }
    }

    /// Reads one byte.
    pub(super) fn u8(&mut self) -> Result<u8, Decoded> {
        self.take::<1>().map(|b| b[0])
    }

    /// Reads a big-endian 16-bit number.
    pub(super) fn be16(&mut self) -> Result<u16, Decoded> {
        self.take().map(|b| u16::from_be_bytes(*b))
    }

    /// Reads a big-endian 32-bit number.
    pub(super) fn be32(&mut self) -> Result<u32, Decoded> {
        self.take().map(|b| u32::from_be_bytes(*b))
    }

    /// Ends the packet `len` wire bytes from here, as an IP header says; what follows is padding.
    /// Where the wire is shorter than that, it stays as it is.
    #[inline]
    pub(super) fn end_at(&mut self, len: usize) {
        if len <= self.wire {
            self.bytes = self.bytes.get(..len).unwrap_or(self.bytes);
            self.wire = len;
        }
    }

    /// The wire was longer than the frame says: up to `len` bytes from here. Not so in a fragment,
    /// where only a part of the packet is here.
    #[inline]
    pub(super) fn extend_to(&mut self, len: usize) {
        if !self.fragment {
            self.wire = self.wire.max(len);
        }
    }

    /// Mixes an encapsulation (`kind` tells one sort from another) and its identifier into the scope.
    pub(super) fn enter(&mut self, kind: Encapsulation, id: u32) {
        let mixed = self.scope ^ id ^ ((kind as u32) << 24);
        self.scope = mixed.wrapping_mul(0x9E37_79B1).rotate_left(15).wrapping_add(kind as u32);
    }

    /// Why `n` more bytes cannot be read.
    #[inline]
    fn too_short(&self, n: usize) -> Decoded {
        if n <= self.wire { Decoded::Cut } else { Decoded::Malformed }
    }
}

/// What a packet can be wrapped in; part of the scope.
#[derive(Debug, Clone, Copy)]
pub(super) enum Encapsulation {
    Interface = 1,
    Vlan,
    ETag,
    VnTag,
    ServiceInstance,
    Trill,
    ServicePath,
    Mpls,
    Pppoe,
    FrameRelay,
    Ip,
    Gre,
    Erspan,
    Vxlan,
    Geneve,
    Gtp,
    L2tp,
    Teredo,
    Ayiya,
    Capwap,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_snap_length_cut_is_not_what_the_packet_lacks() {
        let mut c = Cursor { bytes: &[1, 2, 3], wire: 5, ..Cursor::empty() };
        assert_eq!(c.take::<4>(), Err(Decoded::Cut));
        assert_eq!(c.take::<6>(), Err(Decoded::Malformed));
        assert_eq!(c.skip(5), Err(Decoded::Cut));
        assert_eq!(c.take::<3>(), Ok(&[1, 2, 3]));
        assert_eq!(c.wire(), 2);
    }

    #[test]
    fn the_order_of_encapsulations_matters_to_the_scope() {
        let scope = |ids: [(Encapsulation, u32); 2]| {
            let mut c = Cursor::empty();
            ids.into_iter().for_each(|(kind, id)| c.enter(kind, id));
            c.scope
        };
        let (one, two) = ((Encapsulation::Vlan, 1), (Encapsulation::Vlan, 2));
        assert_ne!(scope([one, two]), scope([two, one]));
        assert_ne!(scope([one, two]), scope([(Encapsulation::Mpls, 1), two]));
    }
}
