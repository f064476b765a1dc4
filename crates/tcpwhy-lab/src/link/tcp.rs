//! The fields of a TCP header that the link looks at.

use super::view::View;

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;

/// One TCP header and the addresses around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tcp<'a> {
    addresses: &'a [u8],
    header: &'a [u8; 20],
    payload: usize,
}

impl<'a> Tcp<'a> {
    /// `None` when the packet is not TCP or is cut short.
    pub(super) fn new(ip: &'a [u8], view: &View) -> Option<Self> {
        view.tcp_bytes?;
        let addresses = if view.v6 { ip.get(8..40)? } else { ip.get(12..20)? };
        let header = ip.get(view.ip_bytes..)?.first_chunk::<20>()?;
        Some(Self { addresses, header, payload: view.payload() })
    }

    /// Source and destination, address and port, as one key.
    pub(super) fn key(&self) -> Vec<u8> {
        let (source, destination) = self.addresses.split_at(self.addresses.len() / 2);
        [source, &self.header[..2], destination, &self.header[2..4]].concat()
    }

    /// The key of the other direction.
    pub(super) fn reverse_key(&self) -> Vec<u8> {
        let (source, destination) = self.addresses.split_at(self.addresses.len() / 2);
        [destination, &self.header[2..4], source, &self.header[..2]].concat()
    }

    /// Source and destination.
    pub(super) fn ports(&self) -> [u16; 2] {
        let h = self.header;
        [u16::from_be_bytes([h[0], h[1]]), u16::from_be_bytes([h[2], h[3]])]
    }

    pub(super) fn is_syn(&self) -> bool {
        self.header[13] & SYN != 0
    }

    /// Bytes of payload.
    pub(super) fn payload(&self) -> usize {
        self.payload
    }

    pub(super) fn seq(&self) -> u32 {
        let h = self.header;
        u32::from_be_bytes([h[4], h[5], h[6], h[7]])
    }

    /// The acknowledgment number, if it counts.
    pub(super) fn ack(&self) -> Option<u32> {
        let h = self.header;
        (h[13] & ACK != 0).then(|| u32::from_be_bytes([h[8], h[9], h[10], h[11]]))
    }

    /// Neither payload nor SYN, FIN or RST.
    pub(super) fn is_bare(&self) -> bool {
        self.payload == 0 && self.header[13] & (SYN | FIN | RST) == 0
    }
}
