//! Frame bytes in, [`Segment`] out.
//!
//! A frame is a chain of headers, each of which names the next one; [`decode`] walks it in one loop,
//! without recursion or allocation, until it finds a TCP header or something that cannot hold one.
//! A header that the snap length cut is a normal case, not an error.

mod cooked;
mod cursor;
mod ethernet;
mod ip;
mod lan;
mod link;
mod names;
mod options;
pub(crate) mod plain;
mod protocol;
mod serial;
mod tcp;
mod tunnel;
mod udp;
mod wlan;

use crate::observe::Segment;
use crate::units::Nanos;
use cursor::Cursor;
pub use link::LinkType;

/// One captured frame, as the container gives it.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// When it was captured.
    pub time: Nanos,
    /// Its number from 1 in the (merged) capture, as Wireshark numbers frames.
    pub number: u64,
    /// The capture interface; becomes part of [`Segment::scope`].
    pub interface: u32,
    /// What the first header is.
    pub link: LinkType,
    /// Length on the wire in bytes; `data` may be shorter.
    pub wire_len: u32,
    /// The bytes that were captured.
    pub data: &'a [u8],
}

/// What a frame turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decoded {
    /// A TCP segment; `out` is complete.
    Segment,
    /// Something without a TCP segment: ARP, UDP, ICMP (also where it quotes a segment), ...
    NotTcp,
    /// A fragment of a datagram that can hold TCP, but not the first one: it has no TCP header.
    LaterFragment,
    /// The snap length or damage ended the frame before the TCP ports, sequence and acknowledgment
    /// numbers, flags and window were complete.
    Cut,
    /// A header contradicts itself or its neighbours.
    Malformed,
    /// Encrypted or compressed: protected 802.11, ESP (also in UDP), MACsec, IPComp.
    Encrypted,
    /// The link type (of the file, or one named inside the frame) is not supported.
    UnsupportedLink,
}

/// Headers in one frame, at most: sixteen encapsulations of an IP and a tunnel header each. Real
/// frames have less than ten; a deeper one was built to cost time.
const MAX_HEADERS: usize = 32;

/// The next header to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Header {
    /// Whatever frames of this link type begin with.
    Link(LinkType),
    /// Destination and source address, then [`Header::EtherType`].
    Ethernet,
    /// What follows an EtherType.
    EtherType(u16),
    /// IEEE 802.2 logical link control.
    Llc,
    /// A label stack.
    Mpls,
    /// IEEE 802.11: the header may be padded to four bytes, and its first two bytes swapped.
    Wlan {
        padded: bool,
        swapped: bool,
    },
    /// PPP, with or without address and control octets.
    Ppp,
    /// IP of either version.
    Ip,
    Ipv4,
    Ipv6,
    /// What follows an IP header that names this protocol.
    IpProtocol(u8),
    Tcp,
}

/// The next header, or what the frame is when there is none.
type Step = Result<Header, Decoded>;

/// Decodes one frame. `out` holds a segment only when the answer is [`Decoded::Segment`]; otherwise
/// its contents are unspecified.
///
/// The innermost TCP header counts: tunnels are entered, at most sixteen deep. Of several packets in one frame, the first.
pub fn decode(frame: &Frame<'_>, out: &mut Segment) -> Decoded {
    decode_first(frame, out, &mut None)
}

/// As [`decode`], of every packet in the frame, for 802.11 puts several into one (A-MSDU): `take` gets each segment in turn. The answer is
/// the first packet's, unless only a later one holds a segment.
#[inline]
pub fn decode_each(
    frame: &Frame<'_>,
    out: &mut Segment,
    mut take: impl FnMut(&Segment),
) -> Decoded {
    let mut rest = None;
    let mut decoded = decode_first(frame, out, &mut rest);
    if decoded == Decoded::Segment {
        take(out);
    }
    while let Some(mut cursor) = rest {
        rest = wlan::end_subframe(&mut cursor);
        if walk(Header::Ethernet, cursor, out, &mut None).is_ok() {
            take(out);
            decoded = Decoded::Segment;
        }
    }
    decoded
}

/// As [`decode`]; `rest` is where the packets after the first begin.
#[inline(always)]
fn decode_first<'a>(
    frame: &Frame<'a>,
    out: &mut Segment,
    rest: &mut Option<Cursor<'a>>,
) -> Decoded {
    out.time = frame.time;
    out.frame = frame.number;
    let cursor = Cursor::new(frame);
    let found = match frame.link {
        LinkType::ETHERNET => walk_ethernet(cursor, out, rest),
        link => walk(Header::Link(link), cursor, out, rest),
    };
    found.err().unwrap_or(Decoded::Segment)
}

/// Follows the chain from an Ethernet header. Nearly all frames are Ethernet, IP, TCP: spelt out, so
/// that the compiler joins the three readers and keeps the cursor in registers.
#[inline(always)]
fn walk_ethernet<'a>(
    mut c: Cursor<'a>,
    out: &mut Segment,
    rest: &mut Option<Cursor<'a>>,
) -> Result<(), Decoded> {
    let after_ip = match ethernet::ethernet(&mut c)? {
        Header::Ipv4 => ip::v4(&mut c, out)?,
        Header::Ipv6 => ip::v6(&mut c, out)?,
        other => other,
    };
    match after_ip {
        Header::Tcp => tcp::read(&mut c, out),
        other => walk(other, c, out, rest),
    }
}

/// Follows the chain of headers from `header`.
#[inline(never)]
fn walk<'a>(
    header: Header,
    mut c: Cursor<'a>,
    out: &mut Segment,
    rest: &mut Option<Cursor<'a>>,
) -> Result<(), Decoded> {
    match follow(header, &mut c, out, rest) {
        Err(Decoded::Malformed) if c.guessed => Err(Decoded::NotTcp),
        found => found,
    }
}

/// Reads one header after the other, up to and with a TCP header.
fn follow<'a>(
    mut header: Header,
    c: &mut Cursor<'a>,
    out: &mut Segment,
    rest: &mut Option<Cursor<'a>>,
) -> Result<(), Decoded> {
    for _ in 0..MAX_HEADERS {
        header = match header {
            Header::Ethernet => ethernet::ethernet(c),
            Header::Ipv4 => ip::v4(c, out),
            Header::Ipv6 => ip::v6(c, out),
            Header::Ip => ip::either(c),
            Header::Tcp => return tcp::read(c, out),
            Header::EtherType(kind) => ethernet::ether_type(kind, c),
            Header::IpProtocol(number) => protocol::follow(number, c),
            Header::Llc => ethernet::llc(c),
            Header::Mpls => ethernet::mpls(c),
            Header::Wlan { padded, swapped } => wlan::frame(padded, swapped, c, rest),
            Header::Ppp => serial::ppp(c),
            Header::Link(link) => link::enter(link, c),
        }?;
    }
    Err(Decoded::Malformed)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An Ethernet frame of `kind`.
    pub(crate) fn ethernet(kind: u16, payload: &[u8]) -> Vec<u8> {
        [&[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2], &kind.to_be_bytes()[..], payload].concat()
    }

    /// The packet that the tests put behind other headers.
    pub(crate) fn packet() -> Vec<u8> {
        ipv4(6, &tcp(&[], b"abc"))
    }

    /// `packet` behind `header`.
    pub(crate) fn after(header: &[u8]) -> Vec<u8> {
        [header, &packet()].concat()
    }

    /// An IPv4 packet from 10.0.0.1 to 10.0.0.2.
    pub(crate) fn ipv4(protocol: u8, payload: &[u8]) -> Vec<u8> {
        let len = (20 + payload.len() as u16).to_be_bytes();
        let h = [0x45, 0, len[0], len[1], 0x12, 0x34, 0x40, 0, 61, protocol, 0, 0];
        [&h[..], &[10, 0, 0, 1, 10, 0, 0, 2], payload].concat()
    }

    /// An IPv6 packet from fd00::1 to fd00::2.
    pub(crate) fn ipv6(next: u8, payload: &[u8]) -> Vec<u8> {
        let len = (payload.len() as u16).to_be_bytes();
        let mut h = vec![0x60, 0, 0, 0, len[0], len[1], next, 61];
        for last in [1, 2] {
            h.extend([0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last]);
        }
        h.extend(payload);
        h
    }

    /// A UDP datagram to `port`.
    pub(crate) fn udp(port: u16, payload: &[u8]) -> Vec<u8> {
        let len = (8 + payload.len() as u16).to_be_bytes();
        [&[0xc0, 0x00], &port.to_be_bytes()[..], &len, &[0, 0], payload].concat()
    }

    /// A TCP segment from port 443 to port 50000, ACK and PSH set.
    pub(crate) fn tcp(options: &[u8], payload: &[u8]) -> Vec<u8> {
        assert_eq!(options.len() % 4, 0);
        let offset = ((20 + options.len()) / 4 * 16) as u8;
        let ports = [0x01, 0xbb, 0xc3, 0x50];
        let numbers = [1, 2, 3, 4, 5, 6, 7, 8];
        let rest = [offset, 0x18, 0x12, 0x34, 0, 0, 0, 0];
        [&ports[..], &numbers, &rest, options, payload].concat()
    }

    /// Decodes the first `len` bytes of a frame of any type that is `data` on the wire.
    pub(crate) fn linked(link: u32, data: &[u8], len: usize) -> (Decoded, Segment) {
        let frame = Frame {
            time: Nanos(7),
            number: 9,
            interface: 3,
            link: LinkType(link),
            wire_len: data.len() as u32,
            data: &data[..len],
        };
        let mut out = Segment::default();
        (decode(&frame, &mut out), out)
    }

    pub(crate) fn cut(data: &[u8], len: usize) -> (Decoded, Segment) {
        linked(1, data, len)
    }

    pub(crate) fn answer(data: &[u8]) -> Decoded {
        cut(data, data.len()).0
    }

    /// The segment in an Ethernet frame.
    #[track_caller]
    pub(crate) fn segment(data: &[u8]) -> Segment {
        segment_of(1, data)
    }

    /// The segment in a frame of any type.
    #[track_caller]
    pub(crate) fn segment_of(link: u32, data: &[u8]) -> Segment {
        let (answer, segment) = linked(link, data, data.len());
        assert_eq!(answer, Decoded::Segment);
        segment
    }
}
