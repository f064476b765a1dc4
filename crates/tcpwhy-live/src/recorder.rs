//! Records the sockets of network namespaces into a case folder until it is told to stop.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use serde::Serialize;

use crate::events::{self, Clock, Scope, Stream};
use crate::sample::{Dump, Sample};
use tcpwhy_core::kernel::tcp_info::to_hex;

/// Between two samples: a round trip of 10 ms wants a few; a dump of two hosts' sockets takes a tenth of this.
const INTERVAL: Duration = Duration::from_millis(2);
/// Bytes of samples at which recording ends: a forgotten recorder must not fill the disk.
const MOST_BYTES: u64 = 2 << 30;

/// Why nothing could be recorded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file of samples.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The namespace or its `sock_diag`.
    #[error("cannot sample the sockets of host {host}: {source}")]
    Sample {
        /// Its name in the files.
        host: String,
        /// What the system said.
        source: io::Error,
    },
}

/// A network namespace to record.
#[derive(Debug)]
pub struct Host {
    /// Its name in the files: `client`, `server`.
    pub name: String,
    /// Its descriptor.
    pub namespace: OwnedFd,
}

/// What was recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Lines in `samples.ndjson`.
    pub samples: u64,
    /// Rounds that began later than they should have, by more than an interval.
    pub late: u64,
    /// The file reached its bound, and later samples are missing.
    pub full: bool,
    /// Lines in `events.ndjson`.
    pub events: u64,
    /// Events that found the kernel's ring full, and are missing.
    pub events_lost: u64,
    /// The file of events reached its bound, and later ones are missing.
    pub events_full: bool,
    /// Tracepoints that this kernel did not let attach, with the reason.
    pub not_attached: Vec<String>,
    /// Why there are no kernel events, if there are none.
    pub no_events: Option<String>,
}

/// A running recording; dropped, it stops.
#[derive(Debug)]
pub struct Recorder {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Summary, Error>>>,
    events: Events,
}

/// The kernel's events, or why there are none.
#[derive(Debug)]
enum Events {
    Recorded { recorder: events::Recorder, path: PathBuf, not_attached: Vec<String> },
    Missing(String),
}

impl Recorder {
    /// Samples all TCP sockets of `hosts` into `folder/samples.ndjson`, and writes what happens to them into `folder/events.ndjson`
    /// where the kernel tells; where it does not, the summary says why.
    ///
    /// # Errors
    /// A namespace cannot be entered (it takes CAP_SYS_ADMIN over it), or the file cannot be made.
    pub fn start(hosts: Vec<Host>, folder: &Path) -> Result<Self, Error> {
        let path = folder.join("samples.ndjson");
        let file =
            File::create(&path).map_err(|source| Error::Write { path: path.clone(), source })?;
        let clock = Clock::start();
        let events = Events::start(&hosts, clock, folder)?;
        let dumps = hosts.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread =
            std::thread::spawn(move || record(&dumps, clock, BufWriter::new(file), &path, &told));
        Ok(Self { stop, thread: Some(thread), events })
    }

    /// Ends the recording with a last sample.
    ///
    /// # Errors
    /// The kernel refused a dump, or the file could not be written.
    pub fn stop(mut self) -> Result<Summary, Error> {
        self.stop.store(true, Ordering::Relaxed);
        let joined = self.thread.take().and_then(|thread| thread.join().ok());
        let mut summary = joined.unwrap_or_else(|| Ok(Summary::default()))?;
        let none = Events::Missing("they were taken already".into());
        std::mem::replace(&mut self.events, none).stop(&mut summary)?;
        Ok(summary)
    }
}

impl Events {
    fn start(hosts: &[Host], clock: Clock, folder: &Path) -> Result<Self, Error> {
        let inode = |host: &Host| {
            let stat = rustix::fs::fstat(&host.namespace).map_err(io::Error::from);
            let inode = stat.and_then(|s| u32::try_from(s.st_ino).map_err(io::Error::other));
            inode.map(|inode| (inode, host.name.clone()))
        };
        let named = |host: &Host| {
            inode(host).map_err(|source| Error::Sample { host: host.name.clone(), source })
        };
        let hosts = hosts.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let scope = Scope::Namespaces(hosts.iter().map(|(inode, _)| *inode).collect());
        let stream = match Stream::open(&scope) {
            Ok(stream) => stream,
            Err(why) => return Ok(Self::Missing(why.to_string())),
        };
        let told = |refused: &events::Refused| format!("{}: {}", refused.program, refused.why);
        let not_attached = stream.refused().iter().map(told).collect();
        let path = folder.join("events.ndjson");
        let recorder = events::Recorder::start(stream, hosts, clock, &path)
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(Self::Recorded { recorder, path, not_attached })
    }

    fn stop(self, summary: &mut Summary) -> Result<(), Error> {
        match self {
            Self::Missing(why) => summary.no_events = Some(why),
            Self::Recorded { recorder, path, not_attached } => {
                let recorded = recorder.stop().map_err(|source| Error::Write { path, source })?;
                summary.events = recorded.events;
                summary.events_lost = recorded.lost;
                summary.events_full = recorded.full;
                summary.not_attached = not_attached;
            }
        }
        Ok(())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Opens the host's netlink socket on a thread of its own, which alone changes its namespace.
fn open(host: Host) -> Result<(String, Dump), Error> {
    let Host { name, namespace } = host;
    let entered = std::thread::spawn(move || {
        move_into_link_name_space(
            std::os::fd::AsFd::as_fd(&namespace),
            Some(LinkNameSpaceType::Network),
        )?;
        Dump::open()
    });
    let dump = entered.join().unwrap_or_else(|_| Err(io::Error::other("the thread ended")));
    dump.map(|dump| (name.clone(), dump)).map_err(|source| Error::Sample { host: name, source })
}

fn record(
    dumps: &[(String, Dump)],
    clock: Clock,
    mut file: BufWriter<File>,
    path: &Path,
    stop: &AtomicBool,
) -> Result<Summary, Error> {
    let mut summary = Summary::default();
    let (mut next, mut written) = (Instant::now(), 0);
    loop {
        let last = stop.load(Ordering::Relaxed);
        for (host, dump) in dumps {
            let t_ns = clock.now_ns();
            let sockets =
                dump.sockets().map_err(|source| Error::Sample { host: host.clone(), source })?;
            for sample in &sockets {
                let text = line(t_ns, host, sample);
                file.write_all(text.as_bytes())
                    .map_err(|source| Error::Write { path: path.into(), source })?;
                written += text.len() as u64;
                summary.samples += 1;
            }
        }
        summary.full = written >= MOST_BYTES;
        if last || summary.full {
            file.flush().map_err(|source| Error::Write { path: path.into(), source })?;
            return Ok(summary);
        }
        next += INTERVAL;
        let now = Instant::now();
        if now > next + INTERVAL {
            summary.late += 1;
            next = now;
        }
        std::thread::sleep(next.saturating_duration_since(now));
    }
}

fn line(t_ns: u64, host: &str, sample: &Sample) -> String {
    let hex = to_hex(&sample.tcp_info);
    let value = serde_json::json!({
        "t_ns": t_ns, "host": host, "local": sample.local, "remote": sample.remote,
        "cookie": sample.cookie, "rqueue": sample.rqueue, "wqueue": sample.wqueue, "tcp_info": hex, "skmem": sample.skmem,
    });
    format!("{value}\n")
}
