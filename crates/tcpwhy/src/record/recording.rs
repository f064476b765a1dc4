//! Packets, samples and events of this host, together.

use super::Record;
use super::facts;
use super::memory::{Seen, Watch};
use crate::error::Error;
use serde::Serialize;
use std::sync::atomic::Ordering;
use tcpwhy_lab::run::Case;
use tcpwhy_live::capture::{self, Capture, Captured, Counts};
use tcpwhy_live::filter::Filter;
use tcpwhy_live::parts::Keep;
use tcpwhy_live::{Options, Recorder, Summary};

/// A recording that runs.
pub(super) struct Recording {
    /// The capture, or why there is none.
    capture: Result<Capture, String>,
    recorder: Recorder,
    memory: Watch,
}

/// What was recorded: `record.json`.
#[derive(Debug, Serialize)]
pub(super) struct Recorded {
    /// `tcpwhy.record/1`.
    pub(super) schema: &'static str,
    /// False as long as the recording runs, and for good where it was killed.
    pub(super) complete: bool,
    /// The packets; `None` where there could be no capture.
    pub(super) capture: Option<Captured>,
    /// Why there is none.
    pub(super) no_capture: Option<String>,
    /// Samples and events.
    pub(super) sockets: Summary,
    /// The machine's memory for TCP.
    pub(super) memory: Seen,
}

impl Recording {
    /// Starts; packets are left out where capturing is not permitted.
    ///
    /// # Errors
    /// A filter or an interface that is none, a file that cannot be made, a kernel without `sock_diag`.
    pub(super) fn start(args: &Record, case: &Case) -> Result<Self, Error> {
        let failed = |e: &dyn std::error::Error| Error::Record(e.to_string());
        let filter = Filter { hosts: args.host.clone(), ports: args.port.clone() };
        if filter.hosts.len().max(filter.ports.len()) > Filter::MOST {
            return Err(failed(&capture::Error::TooLong));
        }
        let order = capture::Order {
            path: case.path(&format!("{}.pcapng", facts::NAME)),
            interface: args.interface.clone(),
            filter: filter.clone(),
            keep: keep(args, 2),
        };
        let capture = match Capture::start(&order) {
            Ok(capture) => Ok(capture),
            Err(why @ capture::Error::NotPermitted(_)) => Err(why.to_string()),
            Err(why) => return Err(failed(&why)),
        };
        let options =
            Options { filter, sparing: true, samples: keep(args, 4), events: keep(args, 4) };
        let recorder = Recorder::start_here(facts::NAME, case.folder(), &options);
        Ok(Self {
            capture,
            recorder: recorder.map_err(|why| failed(&why))?,
            memory: Watch::start(),
        })
    }

    /// Looks at what has to be looked at; to be called often.
    pub(super) fn look(&mut self) {
        self.memory.look();
    }

    /// Why there are no packets, if there are none.
    pub(super) fn no_capture(&self) -> Option<&str> {
        self.capture.as_ref().err().map(String::as_str)
    }

    /// Why there are no kernel events, if there are none.
    pub(super) fn no_events(&self) -> Option<&str> {
        self.recorder.no_events()
    }

    /// How far the capture has come.
    pub(super) fn packets(&self) -> Option<&Counts> {
        self.capture.as_ref().ok().map(Capture::counts)
    }

    /// Bytes written so far.
    pub(super) fn bytes(&self) -> u64 {
        let packets = self.packets().map_or(0, |counts| counts.bytes.load(Ordering::Relaxed));
        packets + self.recorder.bytes()
    }

    /// Whether a part of it has ended by itself: its bound is reached, or the disk is full.
    pub(super) fn has_ended(&self) -> bool {
        let capture = self.packets().is_some_and(|counts| counts.ended.load(Ordering::Relaxed));
        capture || self.recorder.has_ended()
    }

    /// Writes what is left, and ends.
    pub(super) fn end(self) -> Recorded {
        let (capture, no_capture) = match self.capture {
            Ok(capture) => (Some(capture.stop()), None),
            Err(why) => (None, Some(why)),
        };
        let sockets = self.recorder.end();
        let memory = self.memory.end();
        Recorded { schema: SCHEMA, complete: true, capture, no_capture, sockets, memory }
    }
}

const SCHEMA: &str = "tcpwhy.record/1";

impl Recorded {
    /// Before anything is recorded.
    pub(super) fn nothing() -> Self {
        let (sockets, memory) = (Summary::default(), Seen::default());
        Self { schema: SCHEMA, complete: false, capture: None, no_capture: None, sockets, memory }
    }

    /// Whether neither packets nor sockets were seen.
    pub(super) fn is_empty(&self) -> bool {
        let packets = self.capture.as_ref().map_or(0, |capture| capture.packets);
        packets == 0 && self.sockets.samples == 0 && self.sockets.events == 0
    }

    /// Why it ended early, if it did.
    pub(super) fn stopped(&self) -> Option<&str> {
        let capture = self.capture.as_ref().and_then(|capture| capture.stopped.as_deref());
        capture.or(self.sockets.stopped.as_deref())
    }
}

/// One of so many equal parts of what may be kept; of a bound, all of it.
fn keep(args: &Record, part: u64) -> Keep {
    match args.max_size {
        Some(most) => Keep::first(most),
        None => Keep::newest(args.ring_size / part, u64::MAX),
    }
}
