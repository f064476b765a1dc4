//! `decode FILE`: reads and decodes every frame and does nothing else: the floor under any analysis.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use tcpwhy_capture::{Error, Input, open};
use tcpwhy_core::decode::{Decoded, Frame, decode};
use tcpwhy_core::observe::Segment;

fn main() -> Result<(), Error> {
    let inputs: Vec<Input> = std::env::args().skip(1).map(|a| Input::Path(a.into())).collect();
    let mut capture = open(&inputs)?;
    let mut segment = Segment::default();
    let (mut segments, mut bytes) = (0_u64, 0_u64);
    let mut count = |frame: &Frame<'_>| {
        if decode(frame, &mut segment) == Decoded::Segment {
            segments += 1;
            bytes += u64::from(segment.len);
        }
    };
    while capture.next_frames(1024, &mut count) {}
    let _ = writeln!(io::stdout(), "{segments} segments, {bytes} bytes");
    Ok(())
}
