//! The application's side of the truth: every connect, accept, read, write and close with its time (`app.ndjson`).
//!
//! Threads keep records in a buffer of their own; one more thread formats and writes them. The lines of one socket and thread are
//! in order, those of different threads are not.

use super::{Error, role_name};
use crate::spec::Role;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Instant, SystemTime};

/// Records that a thread keeps before it hands them over.
const BATCH: usize = 1024;
/// Batches that may wait for the writing thread: with 24 bytes a record, some 6 MB.
const WAITING: usize = 256;

/// Time in nanoseconds since the Unix epoch that never steps: one offset for the whole run.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    base: Instant,
    epoch_ns: i64,
}

impl Clock {
    /// A clock that agrees with the system's now.
    pub fn start() -> Self {
        let base = Instant::now();
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { base, epoch_ns: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX) }
    }

    /// Nanoseconds since the Unix epoch.
    pub fn now_ns(&self) -> i64 {
        self.at_ns(Instant::now())
    }

    /// An instant in nanoseconds since the Unix epoch.
    pub fn at_ns(&self, at: Instant) -> i64 {
        let after = at.saturating_duration_since(self.base).as_nanos();
        self.epoch_ns.saturating_add(i64::try_from(after).unwrap_or(i64::MAX))
    }
}

/// What an application did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The connection stands, at the end that asked for it.
    Connect,
    /// The connection stands, at the end that listened.
    Accept,
    /// A write of this many bytes begins.
    Write,
    /// It returned, this many bytes taken.
    Wrote,
    /// It returned without taking a byte: the buffer is full (EAGAIN), the application waits for EPOLLOUT.
    Blocked,
    /// EPOLLOUT came.
    Writable,
    /// A read returned this many bytes.
    Read,
    /// This end has written everything and says so (FIN).
    Close,
}

impl Kind {
    /// As in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Connect => "connect",
            Self::Accept => "accept",
            Self::Write => "write",
            Self::Wrote => "wrote",
            Self::Blocked => "blocked",
            Self::Writable => "writable",
            Self::Read => "read",
            Self::Close => "close",
        }
    }
}

/// Whose records these are, as the end of every line.
type Place = Arc<str>;

struct Batch {
    place: Place,
    records: Vec<(i64, Kind, u64)>,
}

/// The open log of a run.
pub struct AppLog {
    clock: Clock,
    path: PathBuf,
    sender: SyncSender<Batch>,
    writer: JoinHandle<io::Result<u64>>,
}

impl AppLog {
    /// Starts a log at `path`.
    ///
    /// # Errors
    /// The file or its thread cannot be made.
    pub fn create(path: &Path, clock: Clock) -> Result<Self, Error> {
        let refuse = |cause| Error::Log { path: path.display().to_string(), cause };
        let file = BufWriter::new(File::create(path).map_err(refuse)?);
        let (sender, receiver) = sync_channel(WAITING);
        let writer = std::thread::Builder::new()
            .name("app-log".to_owned())
            .spawn(move || write_all(file, &receiver))
            .map_err(refuse)?;
        Ok(Self { clock, path: path.to_owned(), sender, writer })
    }

    /// The clock of its records.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// A thread's own way into the log, for one socket.
    pub fn recorder(&self, host: Role, local: SocketAddr, remote: SocketAddr) -> Recorder {
        let host = role_name(host);
        let place = format!(r#""host":"{host}","local":"{local}","remote":"{remote}""#).into();
        Recorder {
            clock: self.clock,
            place,
            sender: self.sender.clone(),
            records: Vec::with_capacity(64),
        }
    }

    /// Waits until everything is on disk; all recorders must be gone. Returns the number of records.
    ///
    /// # Errors
    /// The file could not be written whole.
    pub fn finish(self) -> Result<u64, Error> {
        drop(self.sender);
        let written =
            self.writer.join().unwrap_or_else(|_| Err(io::Error::other("its thread broke")));
        written.map_err(|cause| Error::Log { path: self.path.display().to_string(), cause })
    }
}

fn write_all(mut file: BufWriter<File>, batches: &Receiver<Batch>) -> io::Result<u64> {
    let mut lines = 0;
    for Batch { place, records } in batches {
        for (t_ns, kind, bytes) in records {
            let kind = kind.name();
            writeln!(file, r#"{{"t_ns":{t_ns},{place},"kind":"{kind}","bytes":{bytes}}}"#)?;
            lines += 1;
        }
    }
    file.flush()?;
    Ok(lines)
}

/// One thread's records of one socket.
pub struct Recorder {
    clock: Clock,
    place: Place,
    sender: SyncSender<Batch>,
    records: Vec<(i64, Kind, u64)>,
}

impl Recorder {
    /// Notes that `kind` happens now; returns the time noted.
    pub fn note(&mut self, kind: Kind, bytes: u64) -> i64 {
        let t_ns = self.clock.now_ns();
        self.records.push((t_ns, kind, bytes));
        if self.records.len() >= BATCH {
            self.hand_over(Vec::with_capacity(BATCH));
        }
        t_ns
    }

    fn hand_over(&mut self, next: Vec<(i64, Kind, u64)>) {
        let records = std::mem::replace(&mut self.records, next);
        // Only a broken log file ends the other side early; `AppLog::finish` reports it.
        let _ = self.sender.send(Batch { place: Arc::clone(&self.place), records });
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if !self.records.is_empty() {
            self.hand_over(Vec::new());
        }
    }
}
