//! Point-to-point links: PPP, PPPoE, Cisco HDLC, Frame Relay.

use super::cursor::{Cursor, Encapsulation};
use super::{Decoded, Header, Step, ethernet};

/// PPP (RFC 1661, 1662): optional address and control octets, a protocol of one or two octets.
/// Captures of serial lines may hold Cisco HDLC instead, which its address octets tell.
pub(super) fn ppp(c: &mut Cursor<'_>) -> Step {
    match *c.peek()? {
        [0xff, 0x03] => c.skip(2)?,
        [0x0f | 0x8f, 0x00] => return cisco_hdlc(c),
        _ => {}
    }
    let first = c.u8()?;
    // An odd first octet is the whole (compressed) protocol field.
    let protocol =
        if first & 1 == 1 { u16::from(first) } else { u16::from_be_bytes([first, c.u8()?]) };
    match protocol {
        0x0021 => Ok(Header::Ipv4),
        0x0057 => Ok(Header::Ipv6),
        0x0281 | 0x0283 => Ok(Header::Mpls),
        0x0053 => Err(Decoded::Encrypted),
        _ => Err(Decoded::NotTcp),
    }
}

/// PPPoE session header (RFC 2516): version and type, code, session, length.
pub(super) fn pppoe(c: &mut Cursor<'_>) -> Step {
    const SESSION_DATA: u8 = 0;
    let [_, code, s0, s1, _, _] = *c.take()?;
    if code != SESSION_DATA {
        return Err(Decoded::NotTcp);
    }
    c.enter(Encapsulation::Pppoe, u32::from(u16::from_be_bytes([s0, s1])));
    Ok(Header::Ppp)
}

/// Cisco HDLC: address, control, EtherType.
pub(super) fn cisco_hdlc(c: &mut Cursor<'_>) -> Step {
    let [_, _, k0, k1] = *c.take()?;
    Ok(Header::EtherType(u16::from_be_bytes([k0, k1])))
}

/// Frame Relay: an address of two to four octets, then RFC 2427 (control octet 3) or Cisco's
/// EtherType.
pub(super) fn frame_relay(c: &mut Cursor<'_>) -> Step {
    const LAST: u8 = 0x01;
    const UNNUMBERED: u8 = 0x03;
    let mut address = 0;
    for octets in 1.. {
        let octet = c.u8()?;
        address = (address << 8) | u32::from(octet);
        if octet & LAST != 0 {
            break;
        }
        if octets == 4 {
            return Err(Decoded::Malformed);
        }
    }
    // Congestion and discard bits change from frame to frame; they sit in the last two octets of the
    // common short form.
    c.enter(Encapsulation::FrameRelay, address & !0x0f);
    if c.peek::<1>()?[0] != UNNUMBERED {
        return Ok(Header::EtherType(c.be16()?));
    }
    c.skip(1)?;
    if c.peek::<1>()?[0] == 0 {
        c.skip(1)?;
    }
    network_layer(c)
}

/// A network layer protocol identifier (ISO/IEC TR 9577).
pub(super) fn network_layer(c: &mut Cursor<'_>) -> Step {
    match c.u8()? {
        0xcc => Ok(Header::Ipv4),
        0x8e => Ok(Header::Ipv6),
        0x80 => ethernet::snap(c),
        0xcf => Ok(Header::Ppp),
        _ => Err(Decoded::NotTcp),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{answer, ethernet, ipv4, ipv6, linked, segment, segment_of, tcp};
    use super::*;

    const PPP: u32 = 9;
    const FRAME_RELAY: u32 = 107;

    fn after(header: &[u8]) -> Vec<u8> {
        [header, &ipv4(6, &tcp(&[], b"abc"))].concat()
    }

    fn answer_of(link: u32, data: &[u8]) -> Decoded {
        linked(link, data, data.len()).0
    }

    #[test]
    fn ppp_with_and_without_framing_and_compression() {
        for header in [&[0xff, 3, 0, 0x21][..], &[0, 0x21], &[0x21], &[0xff, 3, 0x21]] {
            assert_eq!(segment_of(PPP, &after(header)).len, 3, "{header:02x?}");
        }
        let six = [&[0xff, 3, 0, 0x57][..], &ipv6(6, &tcp(&[], &[]))].concat();
        segment_of(PPP, &six);
        segment_of(PPP, &after(&[0xff, 3, 2, 0x81, 0, 1, 1, 64]));
        assert_eq!(answer_of(PPP, &after(&[0xff, 3, 0xc0, 0x21])), Decoded::NotTcp);
        assert_eq!(answer_of(PPP, &after(&[0xff, 3, 0, 0x53])), Decoded::Encrypted);
    }

    #[test]
    fn cisco_hdlc_as_itself_and_on_a_ppp_line() {
        for link in [104, PPP, 50] {
            segment_of(link, &after(&[0x0f, 0, 8, 0]));
            segment_of(link, &after(&[0x8f, 0, 8, 0]));
        }
    }

    #[test]
    fn pppoe_data_is_read_and_the_session_told_apart() {
        let frame =
            |code, session| ethernet(0x8864, &after(&[0x11, code, 0, session, 0, 45, 0, 0x21]));
        assert_eq!(segment(&frame(0, 1)).len, 3);
        assert_ne!(segment(&frame(0, 1)).scope, segment(&frame(0, 2)).scope);
        assert_eq!(answer(&frame(0xa7, 1)), Decoded::NotTcp);
    }

    #[test]
    fn frame_relay_in_every_form() {
        for header in [
            &[0x18, 0x41, 3, 0xcc][..],
            &[0x18, 0x41, 3, 0, 0xcc],
            &[0x18, 0x41, 8, 0],
            &[0x18, 0x40, 0x00, 0x01, 3, 0xcc],
            &[0x18, 0x41, 3, 0, 0x80, 0, 0, 0, 8, 0],
            &[0x18, 0x41, 3, 0xcf, 0, 0x21],
        ] {
            assert_eq!(segment_of(FRAME_RELAY, &after(header)).len, 3, "{header:02x?}");
        }
        assert_eq!(answer_of(FRAME_RELAY, &[0; 40]), Decoded::Malformed);
    }

    #[test]
    fn congestion_bits_of_frame_relay_do_not_change_the_scope() {
        let scope = |second| segment_of(FRAME_RELAY, &after(&[0x18, second, 3, 0xcc])).scope;
        assert_eq!(scope(0x41), scope(0x4d));
        assert_ne!(scope(0x41), scope(0x51));
    }
}
