//! `struct tcp_info` by offset (`include/uapi/linux/tcp.h`). It only ever grows at its end, so a field that an older kernel's shorter
//! struct does not reach is `None`, and what a newer kernel appends is left alone.

/// The raw bytes of one `TCP_INFO`.
#[derive(Debug, Clone, Copy)]
pub struct TcpInfo<'a>(pub &'a [u8]);

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $at:literal;)*) => {
        impl TcpInfo<'_> {$(
            $(#[$doc])*
            pub fn $name(&self) -> Option<$type> {
                let bytes = self.0.get($at..$at + size_of::<$type>())?;
                Some(<$type>::from_ne_bytes(bytes.try_into().ok()?))
            }
        )*}
    };
}

fields! {
    /// `TCP_ESTABLISHED` is 1.
    state: u8 = 0;
    /// 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    ca_state: u8 = 1;
    /// Retransmission timeouts in a row without an answer.
    retransmits: u8 = 2;
    /// Unanswered window probes.
    probes: u8 = 3;
    /// `TCPI_OPT_*` that both ends agreed on: 1 timestamps, 2 SACK, 4 window scale, 8 ECN.
    options: u8 = 5;
    /// Largest segment sent, bytes.
    snd_mss: u32 = 16;
    /// Packets sent and not acknowledged.
    unacked: u32 = 24;
    /// Of them, acknowledged selectively.
    sacked: u32 = 28;
    /// Of them, taken for lost.
    lost: u32 = 32;
    /// Resent and not acknowledged.
    retrans: u32 = 36;
    /// Smoothed round trip, microseconds.
    rtt_us: u32 = 68;
    /// Slow start threshold, packets.
    snd_ssthresh: u32 = 76;
    /// Congestion window, packets.
    snd_cwnd: u32 = 80;
    /// Round trip as the receiver measures it, microseconds; 0 before the first.
    rcv_rtt_us: u32 = 92;
    /// Packets resent since the connection began.
    total_retrans: u32 = 100;
    /// Bytes a second.
    pacing_rate: u64 = 104;
    /// `SO_MAX_PACING_RATE`, bytes a second; all ones where nobody set it.
    max_pacing_rate: u64 = 112;
    /// Bytes acknowledged by the peer.
    bytes_acked: u64 = 120;
    /// Bytes received from the peer.
    bytes_received: u64 = 128;
    /// Packets sent, with data or without.
    segs_out: u32 = 136;
    /// Bytes written and not sent yet.
    notsent_bytes: u32 = 144;
    /// Lowest round trip, microseconds; `u32::MAX` before the first.
    min_rtt_us: u32 = 148;
    /// Bytes a second, as acknowledged last (Linux 4.9).
    delivery_rate: u64 = 160;
    /// Microseconds with data outstanding.
    busy_us: u64 = 168;
    /// Of them, limited by the receive window, as the kernel counts.
    rwnd_limited_us: u64 = 176;
    /// Of them, limited by the send buffer, as the kernel counts.
    sndbuf_limited_us: u64 = 184;
    /// Bytes of data sent, those resent included (Linux 4.19).
    bytes_sent: u64 = 200;
    /// Window that the peer offers, bytes (Linux 5.4).
    snd_wnd: u32 = 228;
    /// Window offered to the peer, bytes (Linux 6.2).
    rcv_wnd: u32 = 232;
}

impl TcpInfo<'_> {
    /// Window scale of the windows that this end offers, fixed by its SYN.
    pub fn rcv_wscale(&self) -> Option<u8> {
        // A byte of two bit fields, the sender's first: C fills a byte from the end that the machine's order says.
        let both = self.0.get(6)?;
        Some(if cfg!(target_endian = "little") { both >> 4 } else { both & 15 })
    }
}

/// The raw bytes as text, as files of samples hold them.
#[must_use]
pub fn to_hex(raw: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble & 15)]);
    raw.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// The bytes of such a text; what is no pair of digits is left out.
#[must_use]
pub fn from_hex(text: &str) -> Vec<u8> {
    let digit = |at: u8| char::from(at).to_digit(16);
    let byte = |pair: &[u8]| {
        let [high, low] = pair else { return None };
        u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
    };
    text.as_bytes().chunks_exact(2).filter_map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_the_same_bytes_and_nonsense_none() {
        let raw: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&to_hex(&raw)), raw);
        assert_eq!(to_hex(&[0, 10, 255]), "000aff");
        assert_eq!(from_hex("0Aff1"), [10, 255]);
        assert_eq!(from_hex("+1zzé01"), [1]);
    }

    #[test]
    fn a_short_struct_lacks_fields_and_a_long_one_is_read_all_the_same() {
        let mut raw = vec![0; 400];
        raw[80..84].copy_from_slice(&77u32.to_ne_bytes());
        assert_eq!(TcpInfo(&raw).snd_cwnd(), Some(77));
        assert_eq!(TcpInfo(&raw[..84]).snd_cwnd(), Some(77));
        assert_eq!(TcpInfo(&raw[..83]).snd_cwnd(), None);
        assert_eq!(TcpInfo(&[]).state(), None);
    }
}
