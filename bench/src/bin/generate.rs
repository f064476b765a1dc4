//! `generate one FILE PACKETS`, `generate jitter FILE PACKETS`, `generate many FILE CONNECTIONS` or `generate idle FILE CONNECTIONS`.
#![forbid(unsafe_code)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use tcpwhy_bench::Jitter;
use tcpwhy_bench::frame::{write_header, write_segment};
use tcpwhy_bench::many::Many;
use tcpwhy_bench::one::One;
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;

/// A new connection every 50 us: some 20,000 are open at the same time.
const EVERY: Nanos = Nanos::from_micros(50);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, path, size] = arguments.as_slice() else { return usage() };
    let Ok(size) = size.parse::<u32>() else { return usage() };
    let written = match kind.as_str() {
        "one" => write(path, One::new().take(size as usize)),
        "jitter" => write(path, Jitter::of(One::new().take(size as usize))),
        "many" => write(path, Many::new(size, EVERY, true)),
        "idle" => write(path, Many::new(size, EVERY, false)),
        _ => return usage(),
    };
    match written {
        Ok(packets) => {
            let _ = writeln!(io::stdout(), "{packets}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "{path}: {error}");
            ExitCode::from(2)
        }
    }
}

fn usage() -> ExitCode {
    let _ = writeln!(io::stderr(), "usage: generate one|jitter|many|idle FILE SIZE");
    ExitCode::from(2)
}

/// Writes all segments; how many there were.
fn write(path: &str, segments: impl Iterator<Item = Segment>) -> io::Result<u64> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    write_header(&mut out)?;
    let mut packets = 0;
    for segment in segments {
        write_segment(&mut out, &segment)?;
        packets += 1;
    }
    out.flush()?;
    Ok(packets)
}
