//! The link between two hosts: takes packets from one device, holds them as long as asked, and puts them into the other.
//!
//! ```text
//! client's lab0 -> read -> middleboxes -> tcpwhy_core::link::Way (gate, queue, rate, delay) -> write -> server's lab0
//! ```
//!
//! The queue is pure code; here are what drives it (TUN devices, packet sockets, or the kernel's own netem), the sleep
//! until a packet is due, and the account of how late packets were.

mod breaks;
mod buffer;
pub mod busy;
mod checksum;
mod command;
mod device;
mod engine;
mod intake;
mod lane;
mod lateness;
mod middle;
mod middlebox;
mod netem;
mod open;
pub mod packet;
mod report;
mod segment;
mod steer;
mod sys;
mod tcp;
pub mod tun;
mod view;
mod vnet;
mod wait;

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

pub use breaks::{Break, Lost};
pub use device::{HostDevice, TX_QUEUE_LEN};
pub use lateness::LatenessReport;
pub use open::open;
pub use report::{DirectionReport, LinkReport, MiddleReport};

use self::device::Kind;
use crate::spec::LinkSpec;

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `/dev/net/tun` is missing or closed.
    #[error(
        "cannot open /dev/net/tun ({source}); load the kernel module tun, or choose the packet backend"
    )]
    NoTun {
        /// What the kernel said.
        source: io::Error,
    },
    /// Netem is missing or cannot do it.
    #[error("{0}")]
    Netem(String),
    /// No namespace for what lies between the hosts.
    #[error("cannot make a network namespace for the wire ({source}); run it as root")]
    Wire {
        /// What the kernel said.
        source: io::Error,
    },
    /// That namespace cannot be used.
    #[error("cannot work in the network namespace of the wire ({source})")]
    Inside {
        /// What the kernel said.
        source: io::Error,
    },
    /// The devices are not of the same kind.
    #[error(
        "the client's device is of the kind {client}, the server's of the kind {server}; open both with the same link"
    )]
    Mixed {
        /// One kind.
        client: &'static str,
        /// The other.
        server: &'static str,
    },
    /// A program of the system is missing.
    #[error("the program {0} is missing; install iproute2")]
    NoProgram(String),
    /// A program of the system failed.
    #[error("`{command}` failed ({said})")]
    Command {
        /// The command line.
        command: String,
        /// What it wrote.
        said: String,
    },
    /// A device cannot be made, configured or used.
    #[error("cannot {what} the device {name} ({source})")]
    Device {
        /// The device.
        name: String,
        /// A verb and what it was about.
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// The emulator cannot sleep.
    #[error("cannot wait for packets ({source})")]
    Wait {
        /// What the kernel said.
        source: io::Error,
    },
    /// The account of lateness cannot be kept.
    #[error("cannot allocate the histogram of lateness")]
    Histogram,
    /// The middle capture cannot be written.
    #[error("cannot write the middle capture {path} ({what})")]
    Middle {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        what: String,
    },
    /// The emulator's thread did not start or ended by itself.
    #[error("the link's thread failed ({0})")]
    Thread(String),
}

/// A link at work. Dropping it stops it too.
#[derive(Debug)]
pub struct Running {
    thread: Option<JoinHandle<Result<LinkReport, Error>>>,
    stop: Arc<AtomicBool>,
    wake: OwnedFd,
}

/// Starts to carry packets between the two devices, which the caller keeps and configures. Netem makes no middle capture.
///
/// # Errors
/// When the emulator's thread cannot be made.
pub fn start(
    spec: &LinkSpec,
    client: &HostDevice,
    server: &HostDevice,
    middle: Option<&Path>,
) -> Result<Running, Error> {
    if client.kind != server.kind {
        let (client, server) = (client.kind.name(), server.kind.name());
        return Err(Error::Mixed { client, server });
    }
    let stop = Arc::new(AtomicBool::new(false));
    let flags = rustix::event::EventfdFlags::CLOEXEC;
    let wait_error = |source| Error::Wait { source };
    let wake = rustix::event::eventfd(0, flags).map_err(|errno| wait_error(errno.into()))?;
    let woken = wake.as_fd().try_clone_to_owned().map_err(wait_error)?;
    let run: Box<dyn FnOnce() -> Result<LinkReport, Error> + Send> = if client.kind == Kind::Netem {
        let wire = netem::connect(spec, [client, server])?;
        Box::new(move || {
            // Blocks until the eventfd is written.
            let _ = rustix::io::read(&woken, &mut [0_u8; 8]);
            wire.report()
        })
    } else {
        let behind = (spec.up.delay + spec.up.jitter).max(spec.down.delay + spec.down.jitter);
        let engine = engine::Engine {
            spec: spec.clone(),
            devices: [client.try_clone()?, server.try_clone()?],
            middle: middle.map(|path| middle::Middle::start(path, behind)).transpose()?,
            stop: Arc::clone(&stop),
            wake: woken,
        };
        Box::new(move || engine.run())
    };
    let thread = std::thread::Builder::new().name("lab-link".to_owned());
    let thread = thread.spawn(run).map_err(|e| Error::Thread(e.to_string()))?;
    Ok(Running { thread: Some(thread), stop, wake })
}

impl Running {
    /// Ends it; packets inside are lost.
    ///
    /// # Errors
    /// When the emulator had failed before.
    pub fn stop(mut self) -> Result<LinkReport, Error> {
        self.end().unwrap_or_else(|| Err(Error::Thread("it was stopped before".to_owned())))
    }

    fn end(&mut self) -> Option<Result<LinkReport, Error>> {
        self.stop.store(true, Ordering::Relaxed);
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
        let ended = self.thread.take()?.join();
        Some(ended.unwrap_or_else(|_| Err(Error::Thread("it panicked".to_owned()))))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}
