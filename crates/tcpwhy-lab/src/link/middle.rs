//! The capture in the middle: what a tap on the way would see, with the times at which packets pass it.
//!
//! The emulator copies the first bytes of each packet into a batch; a second thread sorts and writes them, so that the
//! disk never delays a packet.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use tcpwhy_core::units::Nanos;

use super::report::MiddleReport;
use super::{Error, wait};
use tcpwhy_live::pcapng::Pcapng;

/// Bytes of each packet that are kept: the longest IPv6 and TCP headers, and a little.
const SNAPLEN: usize = 128;
/// Packets in a batch, and batches that may wait for the disk (20 MB).
const BATCH: usize = 256;
const WAITING: usize = 512;

#[derive(Debug, PartialEq, Eq)]
struct Record {
    at: Nanos,
    /// Counted as they pass: without a rate several pass at one instant, and a heap keeps no order among equals.
    number: u64,
    length: u32,
    /// In place: memory of its own for each packet would cost the emulator more than the copy.
    bytes: [u8; SNAPLEN],
    kept: usize,
}

impl Ord for Record {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl PartialOrd for Record {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Packets, and the time before which no more come.
#[derive(Debug)]
struct Batch {
    records: Vec<Record>,
    complete_until: Nanos,
}

/// The emulator's end.
#[derive(Debug)]
pub(super) struct Middle {
    sender: SyncSender<Batch>,
    records: Vec<Record>,
    recorded: u64,
    sent_at: Nanos,
    /// A packet is recorded when it is delivered, up to this long after it passed the tap.
    behind: Nanos,
    missed: u64,
    path: PathBuf,
    writer: JoinHandle<Result<u64, String>>,
}

impl Middle {
    /// Makes the file and starts its writer. `behind`: the longest time from the tap to a host.
    pub(super) fn start(path: &Path, behind: Nanos) -> Result<Self, Error> {
        let error = |what: String| Error::Middle { path: path.to_owned(), what };
        let file =
            Pcapng::create(path, "middle", SNAPLEN as u32).map_err(|e| error(e.to_string()))?;
        let (sender, receiver) = sync_channel(WAITING);
        let offset = wait::epoch_offset();
        let writer = std::thread::Builder::new()
            .name("lab-middle".to_owned())
            .spawn(move || write(file, &receiver, offset).map_err(|e| e.to_string()))
            .map_err(|e| error(e.to_string()))?;
        let records = Vec::with_capacity(BATCH);
        let path = path.to_owned();
        let (recorded, missed, sent_at) = (0, 0, Nanos::ZERO);
        Ok(Self { sender, records, recorded, sent_at, behind, missed, path, writer })
    }

    /// A packet passes the tap.
    pub(super) fn record(&mut self, at: Nanos, head: &[u8], length: usize) {
        let head = head.get(..SNAPLEN).unwrap_or(head);
        let (mut bytes, kept) = ([0; SNAPLEN], head.len());
        if let Some(bytes) = bytes.get_mut(..kept) {
            bytes.copy_from_slice(head);
        }
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        self.records.push(Record { at, number: self.recorded, length, bytes, kept });
        self.recorded += 1;
    }

    /// Whether a batch should be handed over.
    pub(super) fn is_due(&self, now: Nanos) -> bool {
        self.records.len() >= BATCH
            || (!self.records.is_empty() && now - self.sent_at > Nanos::from_millis(50))
    }

    /// Hands over what there is. `delivered_until`: every packet due before was recorded.
    pub(super) fn pass_on(&mut self, now: Nanos, delivered_until: Nanos) {
        self.sent_at = now;
        let records = std::mem::replace(&mut self.records, Vec::with_capacity(BATCH));
        let batch = Batch { records, complete_until: delivered_until - self.behind };
        if let Err(TrySendError::Full(batch) | TrySendError::Disconnected(batch)) =
            self.sender.try_send(batch)
        {
            self.missed += batch.records.len() as u64;
        }
    }

    /// Ends the file.
    pub(super) fn stop(self) -> Result<MiddleReport, Error> {
        // The emulator carries nothing any more: it may wait for the disk.
        let _ = self.sender.send(Batch { records: self.records, complete_until: Nanos::MAX });
        drop(self.sender);
        let error = |what: String| Error::Middle { path: self.path, what };
        let written = self.writer.join().unwrap_or_else(|_| Err("its writer panicked".to_owned()));
        Ok(MiddleReport { packets: written.map_err(error)?, missed: self.missed })
    }
}

fn write(
    mut file: Pcapng,
    batches: &Receiver<Batch>,
    offset: Nanos,
) -> Result<u64, pcap_file::PcapError> {
    let mut sorted: BinaryHeap<Reverse<Record>> = BinaryHeap::new();
    let mut packets = 0;
    for batch in batches {
        sorted.extend(batch.records.into_iter().map(Reverse));
        while sorted.peek().is_some_and(|Reverse(first)| first.at < batch.complete_until) {
            let Some(Reverse(record)) = sorted.pop() else { break };
            let ns = u64::try_from((record.at + offset).0).unwrap_or(0);
            file.write(ns, record.length, record.bytes.get(..record.kept).unwrap_or_default())?;
            packets += 1;
        }
    }
    file.finish()?;
    Ok(packets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_at_one_instant_stays_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("middle.pcapng");
        let mut middle = Middle::start(&path, Nanos::ZERO).unwrap();
        // Both ways are recorded as their packets are delivered, and one of them is behind.
        for (at, byte) in [(2, 9), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 10)] {
            middle.record(Nanos::from_millis(at), &[byte; 20], 20);
        }
        assert_eq!(middle.stop().unwrap().packets, 7);
        let file = std::fs::File::open(&path).unwrap();
        let mut reader = pcap_file::pcapng::PcapNgReader::new(file).unwrap();
        let mut order = Vec::new();
        while let Some(block) = reader.next_block() {
            if let pcap_file::pcapng::Block::EnhancedPacket(packet) = block.unwrap() {
                order.push(packet.data[0]);
            }
        }
        assert_eq!(order, [0, 1, 2, 3, 4, 9, 10]);
    }
}
