//! Segments as classic pcap records: Ethernet, IPv4, TCP, cut at a snap length.

use std::io::{self, Write};
use tcpwhy_core::observe::{Segment, flags};

/// Bytes kept of each frame: all headers, and a little payload.
pub const SNAP_LENGTH: usize = 96;
/// Ethernet, IPv4, TCP without options.
const FIXED: usize = 14 + 20 + 20;

/// Writes the header of a nanosecond pcap file with Ethernet frames.
pub fn write_header(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&0xa1b2_3c4d_u32.to_le_bytes())?;
    out.write_all(&2_u16.to_le_bytes())?;
    out.write_all(&4_u16.to_le_bytes())?;
    out.write_all(&[0; 8])?;
    out.write_all(&(SNAP_LENGTH as u32).to_le_bytes())?;
    out.write_all(&1_u32.to_le_bytes())
}

/// Writes one segment as a record. Segments larger than an IPv4 datagram are cut to it.
pub fn write_segment(out: &mut impl Write, s: &Segment) -> io::Result<()> {
    let mut bytes = [0_u8; 16 + SNAP_LENGTH];
    let (record, frame) = bytes.split_at_mut(16);
    let options = put_options(frame.get_mut(FIXED..).unwrap_or_default(), s);
    let wire = FIXED + options + s.len as usize;
    let kept = wire.min(SNAP_LENGTH);
    put(record, 0, &((s.time.0 / 1_000_000_000) as u32).to_le_bytes());
    put(record, 4, &((s.time.0 % 1_000_000_000) as u32).to_le_bytes());
    put(record, 8, &(kept as u32).to_le_bytes());
    put(record, 12, &(wire as u32).to_le_bytes());
    put_headers(frame, s, options, wire);
    out.write_all(bytes.get(..16 + kept).unwrap_or_default())
}

fn put(buffer: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(slot) = buffer.get_mut(at..at + bytes.len()) {
        slot.copy_from_slice(bytes);
    }
}

fn put_headers(frame: &mut [u8], s: &Segment, options: usize, wire: usize) {
    put(frame, 0, &[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x08, 0x00]);
    let total = (wire - 14).min(65_535) as u16;
    let mut ip = [0_u8; 20];
    put(&mut ip, 0, &[0x45, 0]);
    put(&mut ip, 2, &total.to_be_bytes());
    put(&mut ip, 4, &s.ip_id.to_be_bytes());
    put(&mut ip, 6, &[0x40, 0, s.ttl, 6]);
    put(&mut ip, 12, &s.src.ip[12..]);
    put(&mut ip, 16, &s.dst.ip[12..]);
    let sum = checksum(&ip);
    put(&mut ip, 10, &sum.to_be_bytes());
    put(frame, 14, &ip);
    put(frame, 34, &s.src.port.to_be_bytes());
    put(frame, 36, &s.dst.port.to_be_bytes());
    put(frame, 38, &s.seq.0.to_be_bytes());
    put(frame, 42, &s.ack.0.to_be_bytes());
    put(frame, 46, &[((20 + options) / 4 * 16) as u8, (s.flags & 0xff) as u8]);
    put(frame, 48, &s.window.to_be_bytes());
}

/// Writes the TCP options, padded to whole words as Linux does; their length.
fn put_options(buffer: &mut [u8], s: &Segment) -> usize {
    let mut at = 0;
    let mut add = |bytes: &[u8]| {
        put(buffer, at, bytes);
        at += bytes.len();
    };
    let o = &s.options;
    if let Some(mss) = o.mss {
        add(&[2, 4]);
        add(&mss.to_be_bytes());
    }
    if o.sack_permitted {
        add(&[1, 1, 4, 2]);
    }
    if let Some((value, echo)) = o.timestamps {
        add(&[1, 1, 8, 10]);
        add(&value.to_be_bytes());
        add(&echo.to_be_bytes());
    }
    if let Some(shift) = o.window_scale.filter(|_| s.has(flags::SYN)) {
        add(&[1, 3, 3, shift]);
    }
    if o.sack_count > 0 {
        add(&[1, 1, 5, 2 + 8 * o.sack_count]);
        for (left, right) in o.sack_blocks() {
            add(&left.0.to_be_bytes());
            add(&right.0.to_be_bytes());
        }
    }
    at
}

/// RFC 1071.
fn checksum(header: &[u8; 20]) -> u16 {
    let words = header.chunks_exact(2).map(|w| u32::from(w[0]) << 8 | u32::from(w[1]));
    let sum: u32 = words.sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_core::units::{Nanos, Seq};

    #[test]
    fn a_record_holds_its_headers_and_lengths() {
        let mut s = Segment { time: Nanos(1_000_000_007), len: 1448, ..Segment::default() };
        s.options.timestamps = Some((1, 2));
        s.seq = Seq(0x0102_0304);
        let mut out = Vec::new();
        write_segment(&mut out, &s).unwrap();
        assert_eq!(out.len(), 16 + SNAP_LENGTH);
        assert_eq!(out[..16], [1, 0, 0, 0, 7, 0, 0, 0, 96, 0, 0, 0, 0xea, 5, 0, 0]);
        assert_eq!(out[16 + 38..16 + 42], [1, 2, 3, 4]);
        assert_eq!(out[16 + 46], 8 << 4, "twelve bytes of options");
        let mut ip = [0; 20];
        ip.copy_from_slice(&out[30..50]);
        assert_eq!(checksum(&ip), 0, "the sum over a valid header");
    }
}
