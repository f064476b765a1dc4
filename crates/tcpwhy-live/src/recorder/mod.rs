//! Records the sockets of network namespaces into a case folder until it is told to stop.

mod locks;
mod samples;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use serde::Serialize;

use crate::events::{self, Clock, Scope, Stream};
use crate::filter::Filter;
use crate::parts::{Keep, Parts};
use crate::sample::Dump;
use samples::Sampler;

/// Bytes of samples at which recording ends: a forgotten recorder must not fill the disk.
const MOST_SAMPLES: u64 = 2 << 30;
/// The same for events.
const MOST_EVENTS: u64 = 1 << 30;

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

/// What to record, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// Which connections; events do not know addresses, only ports.
    pub filter: Filter,
    /// For machines with other work to do: of a socket only what changes, in a tenth of the time at most, with its lock bits.
    pub sparing: bool,
    /// How much of the samples is kept.
    pub samples: Keep,
    /// How much of the events is kept.
    pub events: Keep,
}

impl Default for Options {
    /// Every sample of every socket, as the lab wants it.
    fn default() -> Self {
        Self {
            filter: Filter::default(),
            sparing: false,
            samples: Keep::first(MOST_SAMPLES),
            events: Keep::first(MOST_EVENTS),
        }
    }
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
    /// Why samples or events end early, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// A running recording; dropped, it stops.
#[derive(Debug)]
pub struct Recorder {
    stop: Arc<AtomicBool>,
    bytes: Arc<AtomicU64>,
    path: PathBuf,
    thread: Option<JoinHandle<Summary>>,
    events: Events,
}

/// The kernel's events, or why there are none.
#[derive(Debug)]
enum Events {
    Recorded { recorder: events::Recorder, not_attached: Vec<String> },
    Missing(String),
}

impl Recorder {
    /// Samples all TCP sockets of `hosts` into `folder/samples.ndjson`, and writes what happens to them into `folder/events.ndjson`
    /// where the kernel tells; where it does not, the summary says why.
    ///
    /// # Errors
    /// A namespace cannot be entered (it takes CAP_SYS_ADMIN over it), or the file cannot be made.
    pub fn start(hosts: Vec<Host>, folder: &Path) -> Result<Self, Error> {
        Self::open(hosts, folder, &Options::default(), enter)
    }

    /// As [`Recorder::start`], of the caller's own network namespace, which takes no rights.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`, or the file cannot be made.
    pub fn start_here(name: &str, folder: &Path, options: &Options) -> Result<Self, Error> {
        let failed = |source| Error::Sample { host: name.to_owned(), source };
        let namespace = std::fs::File::open("/proc/thread-self/ns/net").map_err(failed)?;
        let host = Host { name: name.to_owned(), namespace: namespace.into() };
        Self::open(vec![host], folder, options, |host| {
            Dump::open()
                .map(|dump| (host.name.clone(), dump))
                .map_err(|source| Error::Sample { host: host.name, source })
        })
    }

    fn open(
        hosts: Vec<Host>,
        folder: &Path,
        options: &Options,
        dump: impl Fn(Host) -> Result<(String, Dump), Error>,
    ) -> Result<Self, Error> {
        let path = folder.join("samples.ndjson");
        let parts = Parts::create(&path, options.samples)
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        let clock = Clock::start();
        let (stop, bytes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let named = hosts.iter().map(named).collect::<Result<Vec<_>, _>>()?;
        let dumps = hosts.into_iter().map(dump).collect::<Result<Vec<_>, _>>()?;
        let mut sampler = Sampler::new(dumps, clock, parts, options, Arc::clone(&bytes));
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            sampler.run(&told);
            sampler.end()
        });
        let events = Events::Missing("they were not started".to_owned());
        let mut recorder = Self { stop, bytes, path, thread: Some(thread), events };
        // The kernel takes a while to check the programs: samples are there meanwhile.
        match Events::start(named, clock, folder, options, &recorder.bytes) {
            Ok(events) => recorder.events = events,
            // Whoever is told that nothing is recorded must not have a thread that samples on.
            Err(why) => {
                let _ = recorder.end();
                return Err(why);
            }
        }
        Ok(recorder)
    }

    /// Bytes of samples and events so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether the samples have ended by themselves: their bound is reached, or the disk is full.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Why there are no kernel events, if there are none.
    #[must_use]
    pub fn no_events(&self) -> Option<&str> {
        match &self.events {
            Events::Missing(why) => Some(why),
            Events::Recorded { .. } => None,
        }
    }

    /// Ends the recording with a last sample.
    ///
    /// # Errors
    /// The kernel refused a dump, or a file could not be written whole.
    pub fn stop(self) -> Result<Summary, Error> {
        let path = self.path.clone();
        let summary = self.end();
        match summary.stopped {
            Some(why) => Err(Error::Write { path, source: io::Error::other(why) }),
            None => Ok(summary),
        }
    }

    /// As [`Recorder::stop`]; what went wrong is said in the summary, and what was recorded until then is there.
    #[must_use]
    pub fn end(mut self) -> Summary {
        self.stop.store(true, Ordering::Relaxed);
        let joined = self.thread.take().and_then(|thread| thread.join().ok());
        let mut summary = joined.unwrap_or_else(|| Summary {
            stopped: Some("the sampling thread panicked".to_owned()),
            ..Summary::default()
        });
        let none = Events::Missing("they were taken already".into());
        std::mem::replace(&mut self.events, none).stop(&mut summary);
        summary
    }
}

impl Events {
    fn start(
        hosts: Vec<(u32, String)>,
        clock: Clock,
        folder: &Path,
        options: &Options,
        bytes: &Arc<AtomicU64>,
    ) -> Result<Self, Error> {
        let scope = Scope::Namespaces(hosts.iter().map(|(inode, _)| *inode).collect());
        let stream = match Stream::open(&scope) {
            Ok(stream) => stream,
            Err(why) => return Ok(Self::Missing(why.to_string())),
        };
        let told = |refused: &events::Refused| format!("{}: {}", refused.program, refused.why);
        let not_attached = stream.refused().iter().map(told).collect();
        let path = folder.join("events.ndjson");
        let parts = Parts::create(&path, options.events)
            .map_err(|source| Error::Write { path: path.clone(), source })?;
        let output = events::Output { parts, filter: options.filter.clone(), bytes: bytes.clone() };
        let recorder = events::Recorder::start(stream, hosts, clock, output);
        Ok(Self::Recorded { recorder, not_attached })
    }

    fn stop(self, summary: &mut Summary) {
        match self {
            Self::Missing(why) => summary.no_events = Some(why),
            Self::Recorded { recorder, not_attached } => {
                let recorded = recorder.stop();
                summary.events = recorded.events;
                summary.events_lost = recorded.lost;
                summary.events_full = recorded.full;
                summary.not_attached = not_attached;
                let stopped = recorded.stopped.map(|why| format!("events.ndjson: {why}"));
                summary.stopped = summary.stopped.take().or(stopped);
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// The inode of a host's namespace, by which events name it.
fn named(host: &Host) -> Result<(u32, String), Error> {
    let stat = rustix::fs::fstat(&host.namespace).map_err(io::Error::from);
    let inode = stat.and_then(|s| u32::try_from(s.st_ino).map_err(io::Error::other));
    inode
        .map(|inode| (inode, host.name.clone()))
        .map_err(|source| Error::Sample { host: host.name.clone(), source })
}

/// Opens the host's netlink socket on a thread of its own, which alone changes its namespace.
fn enter(host: Host) -> Result<(String, Dump), Error> {
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
