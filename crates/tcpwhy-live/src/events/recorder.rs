//! Keeps the kernel's events: `events.ndjson`.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::{Clock, Event, Stream};
use crate::filter::Filter;
use crate::parts::Parts;

/// Between two looks at the ring: it holds some 50,000 records, twice what one fast processor makes in this time.
const INTERVAL: Duration = Duration::from_millis(4);
/// What is told is on the disk after so long.
const FLUSH: Duration = Duration::from_millis(500);

/// What was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Lines in `events.ndjson`.
    pub events: u64,
    /// Events that found the ring full, and are missing.
    pub lost: u64,
    /// The file reached its bound, and later events are missing.
    pub full: bool,
    /// Why it ends early, if it does.
    pub stopped: Option<String>,
}

/// Where events go.
#[derive(Debug)]
pub struct Output {
    /// The file.
    pub parts: Parts,
    /// Of which ports; addresses are not known.
    pub filter: Filter,
    /// Counts what is written.
    pub bytes: Arc<AtomicU64>,
}

/// A running recording; dropped, it stops.
#[derive(Debug)]
pub struct Recorder {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Recorded>>,
}

impl Recorder {
    /// Writes the events of `stream`, a line each; `hosts` names the namespaces by their inodes,
    /// events of others are left out.
    #[must_use]
    pub fn start(stream: Stream, hosts: Vec<(u32, String)>, clock: Clock, output: Output) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let mut writer = Writer { hosts, clock, output, recorded: Recorded::default() };
        let thread = std::thread::spawn(move || writer.run(stream, &told));
        Self { stop, thread: Some(thread) }
    }

    /// Takes what the ring still holds, and ends.
    #[must_use]
    pub fn stop(mut self) -> Recorded {
        self.stop.store(true, Ordering::Relaxed);
        let joined = self.thread.take().and_then(|thread| thread.join().ok());
        joined.unwrap_or_else(|| Recorded {
            stopped: Some("the thread of the events panicked".to_owned()),
            ..Recorded::default()
        })
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

struct Writer {
    hosts: Vec<(u32, String)>,
    clock: Clock,
    output: Output,
    recorded: Recorded,
}

impl Writer {
    fn run(&mut self, mut stream: Stream, stop: &AtomicBool) -> Recorded {
        let mut flushed = Instant::now();
        loop {
            let last = stop.load(Ordering::Relaxed);
            stream.drain(|event| self.take(event));
            let now = Instant::now();
            if last || now - flushed >= FLUSH {
                flushed = now;
                self.write_out();
            }
            self.recorded.full = self.output.parts.is_full();
            if last || self.recorded.full || self.recorded.stopped.is_some() {
                self.recorded.lost = stream.lost();
                self.write_out();
                return std::mem::take(&mut self.recorded);
            }
            std::thread::sleep(INTERVAL);
        }
    }

    fn take(&mut self, mut event: Event) {
        let named = self.hosts.iter().find(|(inode, _)| *inode == event.netns);
        let Some((_, host)) = named else { return };
        let wanted = self.output.filter.takes_ports(event.local_port, event.remote_port);
        if !wanted || self.recorded.stopped.is_some() || self.output.parts.is_full() {
            return;
        }
        event.t_ns = self.clock.at_ns(event.t_ns);
        match write(&mut self.output, &Line { host, event: &event }) {
            Ok(()) => self.recorded.events += 1,
            Err(why) => self.recorded.stopped = Some(why.to_string()),
        }
    }

    fn write_out(&mut self) {
        if let Err(why) = self.output.parts.flush() {
            self.recorded.stopped.get_or_insert(why.to_string());
        }
    }
}

fn write(output: &mut Output, line: &Line<'_>) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    output.bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
    output.parts.push(&text)
}
