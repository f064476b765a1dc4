//! A capture on a host's device, as tcpdump would take it there: headers, the kernel's own times, both directions.

use std::io;
use std::path::Path;

use serde::Serialize;
use tcpwhy_live::capture::{self, Capture, Order};
use tcpwhy_live::filter::Filter;
use tcpwhy_live::parts::Keep;

use crate::host::Host;

/// Why there is no capture, or not a whole one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The host's namespace.
    #[error("cannot capture on the host's device ({0})")]
    Namespace(#[from] io::Error),
    /// No packet socket, or no file.
    #[error("cannot capture on the host's device ({0})")]
    Start(#[from] capture::Error),
    /// It ended before its time.
    #[error("cannot write the capture ({0})")]
    Stopped(String),
}

/// What a capture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TapReport {
    /// Packets written.
    pub packets: u64,
    /// Packets that the kernel could not hand over.
    pub drops: u64,
}

/// A capture that runs.
#[derive(Debug)]
pub struct Tap(Capture);

impl Tap {
    /// Starts; from its return on every TCP packet is seen.
    ///
    /// # Errors
    /// No packet socket, or no file.
    pub fn start(host: &Host, path: &Path) -> Result<Self, Error> {
        let order = Order {
            path: path.to_owned(),
            interface: Some(host.device().name().to_owned()),
            filter: Filter::default(),
            keep: Keep::first(u64::MAX),
        };
        Ok(Self(host.namespace().inside(|| Capture::start(&order))??))
    }

    /// Writes what the kernel still holds, and ends; all of them at the same time, as each waits for its last packets.
    ///
    /// # Errors
    /// A file could not be written.
    pub fn stop<const N: usize>(taps: [Self; N]) -> Result<[TapReport; N], Error> {
        taps.iter().for_each(|Self(capture)| capture.end());
        let mut reports = [TapReport { packets: 0, drops: 0 }; N];
        for (report, Self(capture)) in reports.iter_mut().zip(taps) {
            let captured = capture.stop();
            *report = TapReport { packets: captured.packets, drops: captured.drops };
            if let Some(why) = captured.stopped {
                return Err(Error::Stopped(why));
            }
        }
        Ok(reports)
    }
}
