//! What the link looks at in an IP packet.

use tcpwhy_core::link::Parcel;

/// Positions and facts of one IP packet. Packets that are cut short or strange have no `tcp`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    /// IPv6.
    pub(super) v6: bool,
    /// Bytes of the IP header.
    pub(super) ip_bytes: usize,
    /// Bytes of TCP's header, when it is TCP.
    pub(super) tcp_bytes: Option<usize>,
    /// The whole IP packet in bytes.
    pub(super) total: usize,
    /// ECT(0), ECT(1) or CE.
    pub(super) ect: bool,
    /// Multicast or link scope: the hosts' own chatter.
    pub(super) local: bool,
}

const TCP: u8 = 6;

impl View {
    /// Reads the headers at the beginning of `packet`, an IP packet of `total` bytes. `None` when it is no IP packet.
    pub(super) fn new(packet: &[u8], total: usize) -> Option<Self> {
        let (v6, ip_bytes, protocol, traffic_class, local) = match packet.first()? >> 4 {
            4 => {
                let ip = packet.first_chunk::<20>()?;
                let header = usize::from(ip[0] & 15) * 4;
                // A later fragment has no TCP header.
                let later = u16::from_be_bytes([ip[6], ip[7]]) & 0x1fff != 0;
                let protocol = if later { 0 } else { ip[9] };
                (false, header.max(20), protocol, ip[1], ip[16] >> 4 == 14)
            }
            6 => {
                let ip = packet.first_chunk::<40>()?;
                (true, 40, ip[6], (ip[0] << 4) | (ip[1] >> 4), ip[24] == 0xff)
            }
            _ => return None,
        };
        let offset = packet.get(ip_bytes + 12).map(|byte| usize::from(byte >> 4) * 4);
        let tcp_bytes =
            offset.filter(|bytes| protocol == TCP && *bytes >= 20 && ip_bytes + bytes <= total);
        Some(Self { v6, ip_bytes, tcp_bytes, total, ect: traffic_class & 3 != 0, local })
    }

    /// Bytes before TCP's payload.
    pub(super) fn headers(&self) -> usize {
        self.ip_bytes + self.tcp_bytes.unwrap_or(0)
    }

    /// Bytes of TCP payload.
    pub(super) fn payload(&self) -> usize {
        self.tcp_bytes.map_or(0, |_| self.total - self.headers())
    }

    /// As the queue sees it; `mss` is the payload of one segment where the packet is to be cut by a later device.
    pub(super) fn parcel(&self, mss: Option<usize>) -> Parcel {
        let segments =
            mss.filter(|mss| *mss > 0).map_or(1, |mss| self.payload().div_ceil(mss).max(1));
        let bytes = self.total + (segments - 1) * self.headers();
        let largest = if segments > 1 { self.headers() + mss.unwrap_or(0) } else { self.total };
        Parcel {
            bytes: bytes as u64,
            largest: u32::try_from(largest).unwrap_or(u32::MAX),
            data: self.payload() > 0,
            ect: self.ect,
        }
    }
}
