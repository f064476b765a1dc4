//! A capture of this network namespace's TCP headers: a ring in memory that the kernel fills (TPACKET_V3), written as pcapng.

mod block;
mod filter;
mod sys;
mod writer;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use pcap_file::PcapError;
use rustix::net::netdevice::name_to_index;

use crate::filter::Filter;
use crate::parts::Keep;
use crate::pcapng::Pcapng;
use sys::Ring;
use writer::Writer;

/// Bytes of each packet that are kept: the longest headers, and a little.
pub const SNAPLEN: u32 = 128;

/// Why there is no capture.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no device of that name.
    #[error("there is no network interface {0:?} here (ip link lists them)")]
    NoInterface(String),
    /// The filter is too long.
    #[error("the filter is too long: name at most 8 hosts and 8 ports")]
    TooLong,
    /// The kernel refuses a packet socket.
    #[error("capturing packets is not permitted ({0}; it takes CAP_NET_RAW)")]
    NotPermitted(io::Error),
    /// The packet socket.
    #[error("cannot capture packets ({0})")]
    Open(io::Error),
    /// The file.
    #[error("cannot write {0} ({1})")]
    Write(PathBuf, PcapError),
}

/// What to capture, and where to.
#[derive(Debug, Clone)]
pub struct Order {
    /// The file.
    pub path: PathBuf,
    /// One interface, or all.
    pub interface: Option<String>,
    /// Which connections.
    pub filter: Filter,
    /// How much of it.
    pub keep: Keep,
}

/// What was captured.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Captured {
    /// Packets written, those of parts that were let go included.
    pub packets: u64,
    /// Packets that the kernel could not hand over.
    pub drops: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Bytes of older parts that were let go.
    pub discarded_bytes: u64,
    /// The bound of the file was reached.
    pub full: bool,
    /// Why it ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// How far a capture has come.
#[derive(Debug, Default)]
pub struct Counts {
    /// Packets written.
    pub packets: AtomicU64,
    /// Packets dropped.
    pub drops: AtomicU64,
    /// Bytes written.
    pub bytes: AtomicU64,
    /// It has ended.
    pub ended: AtomicBool,
}

/// A capture that runs; dropped, it stops.
#[derive(Debug)]
pub struct Capture {
    stop: Arc<AtomicBool>,
    counts: Arc<Counts>,
    thread: Option<JoinHandle<Captured>>,
}

impl Capture {
    /// Starts, in the caller's network namespace; from its return on every packet is seen.
    ///
    /// # Errors
    /// No such interface, no right to a packet socket, or no file.
    pub fn start(order: &Order) -> Result<Self, Error> {
        let program = filter::program(&order.filter, SNAPLEN).ok_or(Error::TooLong)?;
        let ring = open(order.interface.as_deref(), &program)?;
        let name = order.interface.as_deref().unwrap_or("any");
        let file = Pcapng::in_parts(&order.path, name, SNAPLEN, order.keep)
            .map_err(|why| Error::Write(order.path.clone(), why))?;
        let (stop, counts) = (Arc::new(AtomicBool::new(false)), Arc::new(Counts::default()));
        let alone = order.interface.is_some();
        let writer = Writer::new(file, alone, Arc::clone(&counts)).map_err(Error::Open)?;
        let told = Arc::clone(&stop);
        let work = move || writer.run(ring, &told);
        let thread = std::thread::Builder::new().name("capture".to_owned()).spawn(work);
        Ok(Self { stop, counts, thread: Some(thread.map_err(Error::Open)?) })
    }

    /// How far it has come.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Lets it come to its end, which takes as long as the kernel may hold packets back; [`Capture::stop`] waits for that.
    pub fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Writes what the kernel still holds, and ends.
    #[must_use]
    pub fn stop(mut self) -> Captured {
        self.end();
        let ended = self.thread.take().and_then(|thread| thread.join().ok());
        ended.unwrap_or_else(|| Captured {
            stopped: Some("the capturing thread panicked".to_owned()),
            ..Captured::default()
        })
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.end();
    }
}

fn open(interface: Option<&str>, program: &[libc::sock_filter]) -> Result<Ring, Error> {
    let index = match interface {
        None => 0,
        Some(name) => {
            let socket = writer::any_socket().map_err(Error::Open)?;
            name_to_index(socket, name).map_err(|_| Error::NoInterface(name.to_owned()))?
        }
    };
    Ring::open(index, program).map_err(|why| match why.kind() {
        io::ErrorKind::PermissionDenied => Error::NotPermitted(why),
        _ => Error::Open(why),
    })
}
