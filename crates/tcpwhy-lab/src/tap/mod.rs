//! A capture on a host's device, as tcpdump would take it there: headers, the kernel's own times, both directions.

mod raw;

use crate::host::Host;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg};
use pcap_file::PcapError;
use serde::Serialize;
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use tcpwhy_live::pcapng::Pcapng;

/// Bytes of each packet that are kept: the longest headers, and a little.
pub const SNAPLEN: u32 = 128;
/// How often the thread looks whether it shall stop.
const LOOK: u16 = 20;

/// Why there is no capture, or not a whole one.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No packet socket.
    #[error("cannot capture on the host's device ({0})")]
    Open(#[from] io::Error),
    /// The file.
    #[error("cannot write the capture ({0})")]
    Write(#[from] PcapError),
    /// A bug.
    #[error("the capturing thread panicked")]
    Panicked,
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
pub struct Tap {
    thread: Option<JoinHandle<Result<TapReport, Error>>>,
    stop: Arc<AtomicBool>,
}

impl Tap {
    /// Starts; from its return on every packet is seen.
    ///
    /// # Errors
    /// No packet socket, or no file.
    pub fn start(host: &Host, path: &Path, snaplen: u32) -> Result<Self, Error> {
        let device = host.device().name();
        let socket = host.namespace().inside(|| raw::open(device))??;
        let file = Pcapng::create(path, device, snaplen)?;
        let stop = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&stop);
        let run = move || capture(&socket, file, snaplen, &seen);
        let thread = std::thread::Builder::new().name("lab-tap".to_owned()).spawn(run)?;
        Ok(Self { thread: Some(thread), stop })
    }

    /// Writes what the kernel still holds, and ends.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn stop(mut self) -> Result<TapReport, Error> {
        self.end().unwrap_or(Err(Error::Panicked))
    }

    fn end(&mut self) -> Option<Result<TapReport, Error>> {
        self.stop.store(true, Ordering::Relaxed);
        Some(self.thread.take()?.join().unwrap_or(Err(Error::Panicked)))
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.end();
    }
}

fn capture(
    socket: &OwnedFd,
    mut file: Pcapng,
    snaplen: u32,
    stop: &AtomicBool,
) -> Result<TapReport, Error> {
    let mut report = TapReport { packets: 0, drops: 0 };
    let mut bytes = vec![0; snaplen as usize];
    let mut control = nix::cmsg_space!(nix::sys::time::TimeSpec);
    loop {
        // Asked before the last look, so that nothing that was there then is lost.
        let last = stop.load(Ordering::Relaxed);
        while let Some((ns, length)) = receive(socket, &mut bytes, &mut control)? {
            file.write(ns, length, bytes.get(..length as usize).unwrap_or(&bytes))?;
            report.packets += 1;
        }
        if last {
            break;
        }
        let mut ready = [PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
        // Interrupted or not: the next look tells.
        let _ = poll(&mut ready, PollTimeout::from(LOOK));
    }
    report.drops = u64::from(raw::drops(socket)?);
    file.finish()?;
    Ok(report)
}

/// The next packet: its time since the epoch in nanoseconds and its whole length; `None` when there is none yet.
fn receive(
    socket: &OwnedFd,
    bytes: &mut [u8],
    control: &mut [u8],
) -> io::Result<Option<(u64, u32)>> {
    let mut slices = [IoSliceMut::new(bytes)];
    // TRUNC: the length is that of the packet, not of what fitted.
    let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_TRUNC;
    match recvmsg::<SockaddrStorage>(socket.as_raw_fd(), &mut slices, Some(control), flags) {
        Ok(message) => {
            let time = message.cmsgs()?.find_map(|c| match c {
                ControlMessageOwned::ScmTimestampns(t) => Some(t),
                _ => None,
            });
            let ns = time.map_or(0, |t| {
                t.tv_sec().saturating_mul(1_000_000_000).saturating_add(t.tv_nsec())
            });
            let length = u32::try_from(message.bytes).unwrap_or(u32::MAX);
            Ok(Some((u64::try_from(ns).unwrap_or(0), length)))
        }
        Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EINTR) => Ok(None),
        Err(e) => Err(e.into()),
    }
}
