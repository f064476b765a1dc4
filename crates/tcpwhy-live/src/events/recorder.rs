//! Keeps the kernel's events: `events.ndjson`.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;

use super::{Clock, Event, Stream};

/// Between two looks at the ring: it holds some 50,000 records, twice what one fast processor makes in this time.
const INTERVAL: Duration = Duration::from_millis(4);
/// Bytes of events at which recording ends: a forgotten recorder must not fill the disk.
const MOST_BYTES: u64 = 1 << 30;

/// What was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Lines in `events.ndjson`.
    pub events: u64,
    /// Events that found the ring full, and are missing.
    pub lost: u64,
    /// The file reached its bound, and later events are missing.
    pub full: bool,
}

/// A running recording; dropped, it stops.
#[derive(Debug)]
pub struct Recorder {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<Recorded>>>,
}

impl Recorder {
    /// Writes the events of `stream` into `path`, a line each; `hosts` names the namespaces by their inodes, events of others are
    /// left out.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn start(
        stream: Stream,
        hosts: Vec<(u32, String)>,
        clock: Clock,
        path: &Path,
    ) -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 16, File::create(path)?);
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || record(stream, &hosts, clock, file, &told));
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Takes what the ring still holds, and ends.
    ///
    /// # Errors
    /// The file could not be written whole.
    pub fn stop(mut self) -> io::Result<Recorded> {
        self.stop.store(true, Ordering::Relaxed);
        let joined = self.thread.take().and_then(|thread| thread.join().ok());
        joined.unwrap_or_else(|| Ok(Recorded::default()))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

#[derive(Serialize)]
struct Line<'a> {
    host: &'a str,
    #[serde(flatten)]
    event: &'a Event,
}

fn record(
    mut stream: Stream,
    hosts: &[(u32, String)],
    clock: Clock,
    mut file: BufWriter<File>,
    stop: &AtomicBool,
) -> io::Result<Recorded> {
    let (mut recorded, mut written, mut failed) = (Recorded::default(), 0, None);
    loop {
        let last = stop.load(Ordering::Relaxed);
        stream.drain(|mut event| {
            let Some((_, host)) = hosts.iter().find(|(inode, _)| *inode == event.netns) else {
                return;
            };
            if failed.is_some() || written >= MOST_BYTES {
                return;
            }
            event.t_ns = clock.at_ns(event.t_ns);
            match write(&mut file, &Line { host, event: &event }) {
                Ok(bytes) => written += bytes,
                Err(error) => failed = Some(error),
            }
            recorded.events += 1;
        });
        recorded.full = written >= MOST_BYTES;
        if let Some(error) = failed.take() {
            return Err(error);
        }
        if last || recorded.full {
            recorded.lost = stream.lost();
            return file.flush().map(|()| recorded);
        }
        std::thread::sleep(INTERVAL);
    }
}

fn write(file: &mut impl Write, line: &Line<'_>) -> io::Result<u64> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    file.write_all(&text)?;
    Ok(text.len() as u64)
}
