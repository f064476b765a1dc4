//! A segment as an Ethernet frame without its payload, and a pcap file around such frames.

use std::io::{self, Write};
use std::net::IpAddr;
use tcpwhy_core::observe::Segment;

const ETHERNET: u32 = 1;
/// Ethernet and IPv4 headers, and the longest TCP header.
const SNAPLEN: u32 = 14 + 20 + 60;
const MAC_AND_IPV4: [u8; 14] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00];
const PROTOCOL_TCP: u8 = 6;

/// Writes the header of a pcap file with nanoseconds, in little-endian order.
pub(crate) fn write_header(out: &mut impl Write) -> io::Result<()> {
    for word in [0xa1b2_3c4d_u32, 0x0004_0002, 0, 0, SNAPLEN, ETHERNET] {
        out.write_all(&word.to_le_bytes())?;
    }
    Ok(())
}

/// Writes one packet; `buffer` is only there to be used again.
pub(crate) fn write(
    out: &mut impl Write,
    segment: &Segment,
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    buffer.clear();
    buffer.extend_from_slice(&MAC_AND_IPV4);
    let options = options(segment);
    let lengths = 40 + options.len();
    ipv4(buffer, segment, lengths);
    tcp(buffer, segment, &options);
    let nanos = segment.time.0.max(0);
    let captured = buffer.len() as u32;
    let words = [
        (nanos / 1_000_000_000) as u32,
        (nanos % 1_000_000_000) as u32,
        captured,
        captured + segment.len,
    ];
    for word in words {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(buffer)
}

/// The checksums stay 0, as where the network card fills them in.
fn ipv4(buffer: &mut Vec<u8>, segment: &Segment, headers: usize) {
    let total = u16::try_from(headers + segment.len as usize).unwrap_or(0);
    buffer.extend_from_slice(&[0x45, 0]);
    buffer.extend_from_slice(&total.to_be_bytes());
    buffer.extend_from_slice(&segment.ip_id.to_be_bytes());
    buffer.extend_from_slice(&[0x40, 0, segment.ttl, PROTOCOL_TCP, 0, 0]);
    for end in [segment.src, segment.dst] {
        if let IpAddr::V4(address) = end.addr() {
            buffer.extend_from_slice(&address.octets());
        }
    }
}

fn tcp(buffer: &mut Vec<u8>, segment: &Segment, options: &[u8]) {
    buffer.extend_from_slice(&segment.src.port.to_be_bytes());
    buffer.extend_from_slice(&segment.dst.port.to_be_bytes());
    buffer.extend_from_slice(&segment.seq.0.to_be_bytes());
    buffer.extend_from_slice(&segment.ack.0.to_be_bytes());
    let words = (5 + options.len() / 4) as u8;
    buffer.extend_from_slice(&[words << 4, segment.flags as u8]);
    buffer.extend_from_slice(&segment.window.to_be_bytes());
    buffer.extend_from_slice(&[0; 4]);
    buffer.extend_from_slice(options);
}

/// The TCP options, padded with NOPs to whole words (RFC 9293 section 3.1, RFC 7323, RFC 2018).
fn options(segment: &Segment) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(40);
    let options = &segment.options;
    if let Some(mss) = options.mss {
        bytes.extend_from_slice(&[2, 4]);
        bytes.extend_from_slice(&mss.to_be_bytes());
    }
    if options.sack_permitted {
        bytes.extend_from_slice(&[4, 2]);
    }
    if let Some((value, echo)) = options.timestamps {
        bytes.extend_from_slice(&[8, 10]);
        bytes.extend_from_slice(&value.to_be_bytes());
        bytes.extend_from_slice(&echo.to_be_bytes());
    }
    if let Some(shift) = options.window_scale {
        bytes.extend_from_slice(&[3, 3, shift]);
    }
    let room = (40 - bytes.len()).saturating_sub(2) / 8;
    let blocks = options.sack_blocks();
    let blocks = &blocks[..blocks.len().min(room)];
    if !blocks.is_empty() {
        bytes.extend_from_slice(&[5, 2 + 8 * blocks.len() as u8]);
        for (left, right) in blocks {
            bytes.extend_from_slice(&left.0.to_be_bytes());
            bytes.extend_from_slice(&right.0.to_be_bytes());
        }
    }
    bytes.resize(bytes.len().next_multiple_of(4), 1);
    bytes
}
