//! The link's end of a host's device.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};

use super::Error;

/// Packets that may wait in a host's device before the link reads them (its `txqueuelen`, to be set by whoever configures
/// it): 20,000 MTU packets are 40 ms of the fastest link that the emulator can do. TUN's own default is 500.
pub const TX_QUEUE_LEN: u32 = 20_000;

/// What stands before the IP packet in each read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Framing {
    /// A `virtio_net_hdr` of 10 bytes.
    pub(super) vnet: bool,
}

/// Length of `virtio_net_hdr` without the count of buffers.
pub(super) const VNET_BYTES: usize = 10;

impl Framing {
    pub(super) fn bytes(self) -> usize {
        if self.vnet { VNET_BYTES } else { 0 }
    }
}

/// A host's device, opened inside the host's network namespace; whoever holds it keeps the device alive.
#[derive(Debug)]
pub struct HostDevice {
    pub(super) name: String,
    pub(super) fd: OwnedFd,
    pub(super) framing: Framing,
    /// `/proc/net/dev` of the namespace: it stays bound to the one in which it was opened.
    stats: File,
}

impl HostDevice {
    pub(super) fn new(name: &str, fd: OwnedFd, framing: Framing) -> Result<Self, Error> {
        let stats = File::open("/proc/thread-self/net/dev").map_err(|source| Error::Device {
            name: name.to_owned(),
            what: "read counters of",
            source,
        })?;
        Ok(Self { name: name.to_owned(), fd, framing, stats })
    }

    /// The device's name in its namespace.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        let error = |source| Error::Device { name: self.name.clone(), what: "share", source };
        Ok(Self {
            name: self.name.clone(),
            fd: self.fd.as_fd().try_clone_to_owned().map_err(error)?,
            framing: self.framing,
            stats: self.stats.try_clone().map_err(error)?,
        })
    }

    /// Packets that the host sent and that its device threw away because the link was too slow to read them.
    pub(super) fn overruns(&mut self) -> io::Result<u64> {
        let mut text = String::new();
        self.stats.seek(SeekFrom::Start(0))?;
        self.stats.read_to_string(&mut text)?;
        Ok(transmit_drops(&text, &self.name).unwrap_or(0))
    }
}

/// The column `drop` of the transmit side in `/proc/net/dev`.
fn transmit_drops(table: &str, device: &str) -> Option<u64> {
    let line =
        table.lines().find_map(|l| l.trim_start().strip_prefix(device)?.strip_prefix(':'))?;
    line.split_ascii_whitespace().nth(11)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transmit_drops_are_the_twelfth_number() {
        let table = "head\nhead\n    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n  lab0:1 2 3 4 5 6 7 8 9 10 11 42 13 14 15 16\n";
        assert_eq!(transmit_drops(table, "lab0"), Some(42));
        assert_eq!(transmit_drops(table, "lab1"), None);
    }
}
