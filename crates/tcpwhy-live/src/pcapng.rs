//! Captures as pcapng with nanoseconds: what the lab and the recorder write.

use std::borrow::Cow;
use std::io;
use std::path::Path;
use std::time::Duration;

use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::blocks::interface_statistics::{
    InterfaceStatisticsBlock, InterfaceStatisticsOption,
};
use pcap_file::pcapng::{PcapNgBlock, PcapNgWriter};
use pcap_file::{DataLink, Endianness, PcapError};

use crate::parts::{Keep, Parts};

/// A file of raw IP packets; dropped without [`Pcapng::finish`], it lacks its last packets.
#[derive(Debug)]
pub struct Pcapng {
    writer: Encoder,
    parts: Parts,
    snaplen: u32,
    interfaces: u32,
}

/// Encodes block after block into memory.
struct Encoder(PcapNgWriter<Vec<u8>>);

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

impl Pcapng {
    /// Makes (or overwrites) the file, with one interface, 0.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(path: &Path, interface: &str, snaplen: u32) -> Result<Self, PcapError> {
        Self::in_parts(path, interface, snaplen, Keep::first(u64::MAX))
    }

    /// As [`Pcapng::create`], of which as much is kept as `keep` says.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn in_parts(
        path: &Path,
        interface: &str,
        snaplen: u32,
        keep: Keep,
    ) -> Result<Self, PcapError> {
        let mut parts = Parts::create(path, keep).map_err(PcapError::IoError)?;
        let mut writer = PcapNgWriter::with_endianness(Vec::new(), Endianness::Little)?;
        parts.push_head(writer.get_ref()).map_err(PcapError::IoError)?;
        writer.get_mut().clear();
        let mut file = Self { writer: Encoder(writer), parts, snaplen, interfaces: 0 };
        file.add_interface(interface)?;
        Ok(file)
    }

    /// Describes a further interface and returns its number.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn add_interface(&mut self, name: &str) -> Result<u32, PcapError> {
        // 10^-9 seconds: pcap-file writes the timestamp in nanoseconds and leaves it to us to say so.
        let options = vec![
            InterfaceDescriptionOption::IfName(Cow::Owned(name.to_owned())),
            InterfaceDescriptionOption::IfTsResol(9),
        ];
        let (linktype, snaplen) = (DataLink::RAW, self.snaplen);
        let block = InterfaceDescriptionBlock { linktype, snaplen, options };
        let number = self.interfaces;
        self.interfaces += 1;
        self.encode(block)?;
        let bytes = self.writer.0.get_mut();
        let done = self.parts.push_head(bytes).map_err(PcapError::IoError);
        bytes.clear();
        done.map(|()| number)
    }

    /// Writes one packet of interface 0: its time since the epoch in nanoseconds, its whole length, and its first bytes.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn write(&mut self, ns: u64, length: u32, bytes: &[u8]) -> Result<(), PcapError> {
        self.write_on(0, ns, length, bytes)
    }

    /// As [`Pcapng::write`], of another interface.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn write_on(
        &mut self,
        interface: u32,
        ns: u64,
        length: u32,
        bytes: &[u8],
    ) -> Result<(), PcapError> {
        let kept = bytes.len().min(self.snaplen as usize);
        self.put(EnhancedPacketBlock {
            interface_id: interface,
            timestamp: Duration::from_nanos(ns),
            original_len: length,
            data: Cow::Borrowed(bytes.get(..kept).unwrap_or_default()),
            options: Vec::new(),
        })
    }

    /// Writes what interface 0 received until `ns`, and how many packets of that the system dropped; both since the beginning.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn statistics(&mut self, ns: u64, received: u64, dropped: u64) -> Result<(), PcapError> {
        self.put(InterfaceStatisticsBlock {
            interface_id: 0,
            // Two words, the high one first, in either byte order; pcap-file 2.0 writes one number.
            timestamp: ns.rotate_left(32),
            options: vec![
                InterfaceStatisticsOption::IsbIfRecv(received),
                InterfaceStatisticsOption::IsbOsDrop(dropped),
            ],
        })
    }

    fn put<'a>(&mut self, block: impl PcapNgBlock<'a>) -> Result<(), PcapError> {
        self.encode(block)?;
        let bytes = self.writer.0.get_mut();
        let done = self.parts.push(bytes).map_err(PcapError::IoError);
        bytes.clear();
        done
    }

    fn encode<'a>(&mut self, block: impl PcapNgBlock<'a>) -> Result<(), PcapError> {
        self.writer.0.write_pcapng_block(block).map(drop)
    }

    /// The file as bytes on the disk.
    #[must_use]
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Hands what was written so far to the kernel.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn flush(&mut self) -> io::Result<()> {
        self.parts.flush()
    }

    /// Hands everything to the kernel.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn finish(mut self) -> Result<(), PcapError> {
        self.flush().map_err(PcapError::IoError)
    }
}
