//! From the ring to the file.

use std::collections::HashMap;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use pcap_file::PcapError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::netdevice::index_to_name;
use rustix::net::{AddressFamily, SocketType};

use super::block::{Packet, packets};
use super::sys::{RETIRE_MS, Ring};
use super::{Captured, Counts};
use crate::pcapng::Pcapng;

/// What is read is on the disk after so long: this much a killed recorder loses at most.
const FLUSH: Duration = Duration::from_millis(500);
/// Between two looks whether to stop.
const LOOK_NS: i64 = 20_000_000;
/// A block that is not full comes a timeout late, by a timer that may be late as well.
const LAST_BLOCK: Duration = Duration::from_millis(3 * RETIRE_MS as u64);

/// Any socket will do to ask for the names of interfaces.
pub(super) fn any_socket() -> io::Result<OwnedFd> {
    Ok(rustix::net::socket(AddressFamily::INET, SocketType::DGRAM, None)?)
}

/// What writes.
pub(super) struct Writer {
    file: Pcapng,
    counts: Arc<Counts>,
    /// To ask for names.
    socket: OwnedFd,
    /// Numbers in the file by the kernel's index; none where there is but one interface.
    interfaces: Option<HashMap<u32, u32>>,
    failed: Option<PcapError>,
    captured: Captured,
    received: u64,
}

impl Writer {
    /// `alone`: interface 0 of the file is the only one; else it stands for all, and each gets its own as it is met.
    pub(super) fn new(file: Pcapng, alone: bool, counts: Arc<Counts>) -> io::Result<Self> {
        Ok(Self {
            file,
            counts,
            socket: any_socket()?,
            interfaces: (!alone).then(HashMap::new),
            failed: None,
            captured: Captured::default(),
            received: 0,
        })
    }

    /// Writes until told to stop, until the file has its bound, or until the disk takes no more.
    ///
    /// What comes first is on the disk at once: whatever fills that in the first moments, there is a capture with packets in it.
    pub(super) fn run(mut self, mut ring: Ring, stop: &AtomicBool) -> Captured {
        self.failed = self.file.flush().map_err(PcapError::IoError).err();
        let (mut flushed, mut begun, mut end) = (Instant::now(), false, None);
        loop {
            while !self.file.parts().is_full()
                && ring.block(|block| packets(block, |packet| self.packet(&packet)))
            {}
            let now = Instant::now();
            let begins = !begun && self.captured.packets > 0;
            if begins || now - flushed >= FLUSH {
                self.settle(&ring);
                flushed = now;
                begun |= begins;
            }
            if stop.load(Ordering::Relaxed) {
                end.get_or_insert(now + LAST_BLOCK);
            }
            let over = self.failed.is_some() || self.file.parts().is_full();
            if over || end.is_some_and(|end| now >= end) {
                return self.end(&ring);
            }
            let wait = Timespec { tv_sec: 0, tv_nsec: LOOK_NS };
            // Interrupted or not: the next look tells.
            let _ = poll(&mut [PollFd::new(ring.socket(), PollFlags::IN)], Some(&wait));
        }
    }

    fn packet(&mut self, packet: &Packet<'_>) {
        if self.failed.is_some() {
            return;
        }
        let number = self.interface(packet.interface);
        let write = |number| self.file.write_on(number, packet.ns, packet.length, packet.bytes);
        match number.and_then(write) {
            Ok(()) => self.captured.packets += 1,
            Err(why) => self.failed = Some(why),
        }
    }

    fn interface(&mut self, index: u32) -> Result<u32, PcapError> {
        let Some(known) = &mut self.interfaces else { return Ok(0) };
        if let Some(number) = known.get(&index) {
            return Ok(*number);
        }
        // It may be gone by now.
        let name = index_to_name(&self.socket, index).unwrap_or_else(|_| format!("if{index}"));
        let number = self.file.add_interface(&name)?;
        known.insert(index, number);
        Ok(number)
    }

    /// Counts, writes what is waiting, and begins a new part where it is time to.
    fn settle(&mut self, ring: &Ring) {
        // The kernel's counts begin anew each time.
        if let Ok((received, dropped)) = ring.statistics() {
            self.received += u64::from(received);
            self.captured.drops += u64::from(dropped);
        }
        if self.failed.is_none() {
            self.failed = self.write_out().err();
        }
        let parts = self.file.parts();
        self.counts.packets.store(self.captured.packets, Ordering::Relaxed);
        self.counts.drops.store(self.captured.drops, Ordering::Relaxed);
        self.counts.bytes.store(parts.total(), Ordering::Relaxed);
    }

    fn write_out(&mut self) -> Result<(), PcapError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
        self.file.statistics(now, self.received, self.captured.drops)?;
        self.file.flush().map_err(PcapError::IoError)
    }

    fn end(mut self, ring: &Ring) -> Captured {
        self.settle(ring);
        let parts = self.file.parts();
        self.captured.bytes = parts.total();
        self.captured.discarded_bytes = parts.discarded();
        self.captured.full = parts.is_full();
        self.captured.stopped = self.failed.map(|why| match why {
            PcapError::IoError(why) => why.to_string(),
            why => why.to_string(),
        });
        self.counts.ended.store(true, Ordering::Relaxed);
        self.captured
    }
}
