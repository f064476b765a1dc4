//! Records the sockets of network namespaces into a case folder until it is told to stop.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use serde::Serialize;

use crate::sample::{Dump, Sample};

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
    /// Why there are no kernel events, if there are none.
    pub no_events: Option<String>,
}

/// A running recording; dropped, it stops.
#[derive(Debug)]
pub struct Recorder {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<Summary, Error>>>,
}

impl Recorder {
    /// Samples all TCP sockets of `hosts` into `folder/samples.ndjson`.
    ///
    /// # Errors
    /// A namespace cannot be entered (it takes CAP_SYS_ADMIN over it), or the file cannot be made.
    pub fn start(hosts: Vec<Host>, folder: &Path) -> Result<Self, Error> {
        let path = folder.join("samples.ndjson");
        let file =
            File::create(&path).map_err(|source| Error::Write { path: path.clone(), source })?;
        let dumps = hosts.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || record(&dumps, BufWriter::new(file), &path, &told));
        Ok(Self { stop, thread: Some(thread) })
    }

    /// Ends the recording with a last sample.
    ///
    /// # Errors
    /// The kernel refused a dump, or the file could not be written.
    pub fn stop(mut self) -> Result<Summary, Error> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread
            .take()
            .and_then(|thread| thread.join().ok())
            .unwrap_or_else(|| Ok(Summary::default()))
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
    mut file: BufWriter<File>,
    path: &Path,
    stop: &AtomicBool,
) -> Result<Summary, Error> {
    let mut summary = Summary {
        no_events: Some("kernel events are not recorded by this version".into()),
        ..Summary::default()
    };
    let (began, epoch) =
        (Instant::now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default());
    let (mut next, mut written) = (began, 0);
    loop {
        let last = stop.load(Ordering::Relaxed);
        for (host, dump) in dumps {
            let t_ns = (epoch + began.elapsed()).as_nanos();
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

fn line(t_ns: u128, host: &str, sample: &Sample) -> String {
    let hex = sample.tcp_info.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let value = serde_json::json!({
        "t_ns": u64::try_from(t_ns).unwrap_or(u64::MAX), "host": host, "local": sample.local, "remote": sample.remote,
        "cookie": sample.cookie, "rqueue": sample.rqueue, "wqueue": sample.wqueue, "tcp_info": hex, "skmem": sample.skmem,
    });
    format!("{value}\n")
}
