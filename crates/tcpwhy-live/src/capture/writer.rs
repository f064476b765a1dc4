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
use super::sys::{BLOCKS, RETIRE_MS, Ring};
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
            let due = flushed + FLUSH;
            self.take(
                |to| to.block(&mut ring),
                || stop.load(Ordering::Relaxed) || Instant::now() >= due,
            );
            let now = Instant::now();
            let begins = !begun && self.captured.packets > 0;
            if begins || now >= due {
                self.settle(&ring);
                // On a slow disk that took its time.
                flushed = Instant::now();
                begun |= begins;
            }
            if stop.load(Ordering::Relaxed) {
                end.get_or_insert(now + LAST_BLOCK);
            }
            if self.is_over() || end.is_some_and(|end| now >= end) {
                // Where the disk is behind, what was captured until now is still in the ring.
                self.take(|to| to.block(&mut ring), || false);
                return self.end(&ring);
            }
            let wait = Timespec { tv_sec: 0, tv_nsec: LOOK_NS };
            // Interrupted or not: the next look tells.
            let _ = poll(&mut [PollFd::new(ring.socket(), PollFlags::IN)], Some(&wait));
        }
    }

    /// Writes blocks while there is a `next` one, until there are `enough`, and as many as the ring has at most: where packets come
    /// faster than the disk takes them there is always another one, and whoever wants to stop or to count would wait forever.
    fn take(&mut self, mut next: impl FnMut(&mut Self) -> bool, enough: impl Fn() -> bool) {
        for _ in 0..BLOCKS {
            if self.is_over() || !next(self) || enough() {
                return;
            }
        }
    }

    /// Writes the next block of the ring; false where there is none.
    fn block(&mut self, ring: &mut Ring) -> bool {
        ring.block(|block| packets(block, |packet| self.packet(&packet)))
    }

    /// Whether no more is to be written: the disk takes none, or the file has its bound.
    fn is_over(&self) -> bool {
        self.failed.is_some() || self.file.parts().is_full()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::Keep;
    use std::cell::Cell;

    /// Blocks that are taken where there is always another one; `each` is told how many there were.
    fn taken(each: impl Fn(&mut Writer, usize), enough: impl Fn(usize) -> bool) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.pcapng");
        let file = Pcapng::in_parts(&path, "any", 128, Keep::first(1000)).unwrap();
        let mut writer = Writer::new(file, true, Arc::default()).unwrap();
        let count = Cell::new(0);
        let next = |writer: &mut Writer| {
            count.set(count.get() + 1);
            assert!(count.get() <= 2 * BLOCKS, "it never ends");
            each(writer, count.get());
            true
        };
        writer.take(next, || enough(count.get()));
        count.get()
    }

    #[test]
    fn packets_without_end_leave_time_to_stop_and_to_count() {
        assert_eq!(taken(|_, _| (), |_| false), BLOCKS);
        assert_eq!(taken(|_, _| (), |count| count == 3), 3);
    }

    #[test]
    fn a_disk_that_takes_no_more_and_a_full_file_end_it_among_packets_without_end() {
        let fail = |writer: &mut Writer, count| {
            if count == 2 {
                writer.failed = Some(PcapError::IoError(io::ErrorKind::StorageFull.into()));
            }
        };
        assert_eq!(taken(fail, |_| false), 2);
        let fill = |writer: &mut Writer, _| writer.file.write(0, 500, &[0; 128]).unwrap();
        assert!(taken(fill, |_| false) < 10);
    }
}
