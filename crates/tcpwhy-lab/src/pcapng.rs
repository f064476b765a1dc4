//! Captures as pcapng with nanoseconds: what the lab writes, by the link in the middle.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::{DataLink, PcapError};

/// A file with one interface of raw IP packets.
pub(crate) struct Pcapng {
    writer: PcapNgWriter<BufWriter<File>>,
    snaplen: u32,
}

impl Pcapng {
    /// Makes (or overwrites) the file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub(crate) fn create(path: &Path, interface: &str, snaplen: u32) -> Result<Self, PcapError> {
        let file =
            BufWriter::with_capacity(1 << 20, File::create(path).map_err(PcapError::IoError)?);
        let mut writer = PcapNgWriter::new(file)?;
        // 10^-9 seconds: pcap-file writes the timestamp in nanoseconds and leaves it to us to say so.
        let options = vec![
            InterfaceDescriptionOption::IfName(Cow::Owned(interface.to_owned())),
            InterfaceDescriptionOption::IfTsResol(9),
        ];
        writer.write_pcapng_block(InterfaceDescriptionBlock {
            linktype: DataLink::RAW,
            snaplen,
            options,
        })?;
        Ok(Self { writer, snaplen })
    }

    /// Writes one packet: its time since the epoch in nanoseconds, its whole length, and its first bytes.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn write(&mut self, ns: u64, length: u32, bytes: &[u8]) -> Result<(), PcapError> {
        let kept = bytes.len().min(self.snaplen as usize);
        self.writer.write_pcapng_block(EnhancedPacketBlock {
            interface_id: 0,
            timestamp: Duration::from_nanos(ns),
            original_len: length,
            data: Cow::Borrowed(bytes.get(..kept).unwrap_or_default()),
            options: Vec::new(),
        })?;
        Ok(())
    }

    /// Hands everything to the kernel.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(crate) fn finish(self) -> Result<(), PcapError> {
        self.writer.into_inner().flush().map_err(PcapError::IoError)
    }
}
