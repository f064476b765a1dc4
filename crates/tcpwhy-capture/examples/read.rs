//! Reads captures to their end and says how long a packet took: the container's own cost.
//!
//! `cargo run --release -p tcpwhy-capture --example read -- file.pcap [more files or directories]`
#![allow(clippy::print_stdout)]

use std::time::Instant;
use tcpwhy_capture::{Error, Input, open};

fn main() -> Result<(), Error> {
    let input = |name: String| if name == "-" { Input::Stdin } else { Input::Path(name.into()) };
    let inputs: Vec<Input> = std::env::args().skip(1).map(input).collect();
    let start = Instant::now();
    let mut capture = open(&inputs)?;
    let (mut frames, mut bytes) = (0_u64, 0_u64);
    while let Some(frame) = capture.next_frame() {
        frames = frame.number;
        bytes += frame.data.len() as u64;
    }
    let spent = start.elapsed();
    println!("{frames} frames, {bytes} bytes in {spent:?}");
    if frames > 0 {
        println!("{:.1} ns per frame", spent.as_nanos() as f64 / frames as f64);
    }
    for note in capture.notes() {
        println!("note: {note}");
    }
    Ok(())
}
