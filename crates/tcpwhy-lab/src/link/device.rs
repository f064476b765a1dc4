//! The link's end of a host's device.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::net::{AddressFamily, SocketFlags, SocketType};

use super::{Error, steer, sys};

/// Packets that may wait in a host's device before the link reads them (its `txqueuelen`, to be set by whoever configures
/// it): 20,000 MTU packets are 40 ms of the fastest link that the emulator can do. TUN's own default is 500.
pub const TX_QUEUE_LEN: u32 = 20_000;

/// What carries a device's packets, and so what stands before the IP packet in each read and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A TUN device; nothing.
    Tun,
    /// A TUN device with offloads; a `virtio_net_hdr`.
    TunVnet,
    /// A packet socket on the other end of a veth pair; a `virtio_net_hdr` and an Ethernet header.
    Packet,
    /// A veth pair whose other end the kernel's own queues serve.
    Netem,
}

/// Length of `virtio_net_hdr` without the count of buffers.
pub(super) const VNET_BYTES: usize = 10;
const ETHERNET_BYTES: usize = 14;

impl Kind {
    /// Bytes before the IP packet.
    pub(super) fn framing(self) -> usize {
        match self {
            Self::Tun | Self::Netem => 0,
            Self::TunVnet => VNET_BYTES,
            Self::Packet => VNET_BYTES + ETHERNET_BYTES,
        }
    }

    /// Its name in the report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tun | Self::TunVnet => "tun",
            Self::Packet => "packet",
            Self::Netem => "netem",
        }
    }
}

/// A host's device, opened inside the host's network namespace; whoever holds it, or the link that carries its packets, keeps it alive.
#[derive(Debug)]
pub struct HostDevice {
    pub(super) name: String,
    /// The TUN file, the packet socket, or (netem) the network namespace of its other end.
    pub(super) fd: OwnedFd,
    pub(super) kind: Kind,
    /// `/proc/net/dev` of the namespace: it stays bound to the one in which it was opened.
    stats: File,
    /// Any socket of the namespace, to ask for the device's MTU.
    socket: OwnedFd,
    /// Says which processors take in what is written to it, where that can be said (TUN).
    pub(super) steering: Option<File>,
}

impl HostDevice {
    pub(super) fn new(name: &str, fd: OwnedFd, kind: Kind) -> Result<Self, Error> {
        let error = |what| move |source| Error::Device { name: name.to_owned(), what, source };
        let stats = File::open("/proc/thread-self/net/dev").map_err(error("read counters of"))?;
        let (family, kind_of) = (AddressFamily::INET, SocketType::DGRAM);
        let socket = rustix::net::socket_with(family, kind_of, SocketFlags::CLOEXEC, None);
        let socket = socket.map_err(io::Error::from).map_err(error("ask for the MTU of"))?;
        let is_tun = matches!(kind, Kind::Tun | Kind::TunVnet);
        let steering = is_tun.then(|| steer::control(name)).flatten();
        Ok(Self { name: name.to_owned(), fd, kind, stats, socket, steering })
    }

    /// The device's name in its namespace.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        let error = |source| Error::Device { name: self.name.clone(), what: "share", source };
        let steering = self.steering.as_ref().map(File::try_clone).transpose().map_err(error)?;
        Ok(Self {
            name: self.name.clone(),
            fd: self.fd.as_fd().try_clone_to_owned().map_err(error)?,
            kind: self.kind,
            stats: self.stats.try_clone().map_err(error)?,
            socket: self.socket.as_fd().try_clone_to_owned().map_err(error)?,
            steering,
        })
    }

    /// Whether it may hand over packets that fill `bytes`, with their framing.
    pub(super) fn fills(&self, bytes: usize) -> bool {
        let offloads = self.kind != Kind::Tun;
        offloads || sys::device_mtu(self.socket.as_fd(), &self.name).is_ok_and(|mtu| mtu >= bytes)
    }

    /// Packets that the host sent and that were thrown away because the link was too slow to read them.
    pub(super) fn overruns(&mut self) -> io::Result<u64> {
        if self.kind == Kind::Packet {
            return sys::packet_drops(self.fd.as_fd()).map(u64::from);
        }
        self.counter(SENT_DROPPED)
    }

    /// Packets that were written to it and got lost on the way to the host's protocols. A veth pair counts them elsewhere.
    pub(super) fn not_taken_in(&mut self) -> io::Result<u64> {
        if self.kind == Kind::Packet { Ok(0) } else { self.counter(RECEIVED_DROPPED) }
    }

    fn counter(&mut self, column: usize) -> io::Result<u64> {
        let mut text = String::new();
        self.stats.seek(SeekFrom::Start(0))?;
        self.stats.read_to_string(&mut text)?;
        Ok(counter(&text, &self.name, column))
    }
}

/// What is read from it the host sent, what is written to it the host receives; not so with netem.
impl AsFd for HostDevice {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Columns of `/proc/net/dev`.
pub(super) const RECEIVED_PACKETS: usize = 1;
const RECEIVED_DROPPED: usize = 3;
pub(super) const SENT_BYTES: usize = 8;
pub(super) const SENT_PACKETS: usize = 9;
const SENT_DROPPED: usize = 11;

/// One number of a device in `/proc/net/dev`; 0 when the device is not there.
pub(super) fn counter(table: &str, device: &str, column: usize) -> u64 {
    let numbers =
        |line: &str| Some(line.trim_start().strip_prefix(device)?.strip_prefix(':')?.to_owned());
    let line = table.lines().find_map(numbers).unwrap_or_default();
    line.split_ascii_whitespace().nth(column).and_then(|n| n.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_by_column() {
        let table = "head\nhead\n    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n  lab0:1 2 3 4 5 6 7 8 9 10 11 42 13 14 15 16\n";
        assert_eq!(counter(table, "lab0", SENT_DROPPED), 42);
        assert_eq!(counter(table, "lab0", SENT_BYTES), 9);
        assert_eq!(counter(table, "lab1", SENT_DROPPED), 0);
    }
}
