//! Any bytes, of any link type and stated length: the decoder answers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tcpwhy_core::decode::{Decoded, Frame, LinkType, decode};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;

fuzz_target!(|input: (u16, u32, &[u8])| {
    let (link, wire_len, data) = input;
    let frame = Frame {
        time: Nanos::ZERO,
        number: 1,
        interface: 0,
        // Numbers above those in use are all refused alike.
        link: LinkType(u32::from(link % 320)),
        wire_len,
        data,
    };
    let mut segment = Segment::default();
    if decode(&frame, &mut segment) == Decoded::Segment {
        assert!(segment.options.sack_count <= 4);
    }
});
