//! The sender's state at one moment, and the limit that it means.

use crate::kernel::tcp_info::TcpInfo;
use crate::model::Limit;

/// `TCPI_OPT_WSCALE` (`include/uapi/linux/tcp.h`).
const WINDOW_SCALE: u8 = 4;

/// `TCP_CA_Recovery` and `TCP_CA_Loss` (`include/uapi/linux/tcp.h`).
const RECOVERY: u8 = 3;
const LOSS: u8 = 4;

/// `GSO_LEGACY_MAX_SIZE`: what one packet holds at most, bytes.
const LARGEST_PACKET: u32 = 65_536;

/// What decides, at the sender. Bytes and packets as the kernel counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct State {
    /// Nanoseconds since the Unix epoch.
    pub t_ns: u64,
    /// The three-way handshake is over.
    pub established: bool,
    /// `TCP_CA_*`: 3 recovery, 4 loss.
    pub ca_state: u8,
    /// Bytes written and not sent.
    pub unsent: u32,
    /// Bytes sent and not acknowledged.
    pub outstanding: u32,
    /// `tcp_packets_in_flight()`.
    pub in_flight: u32,
    /// Congestion window, packets.
    pub cwnd: u32,
    /// Window that the receiver offers, bytes.
    pub snd_wnd: u32,
    /// Segment size, bytes.
    pub mss: u32,
    /// Smoothed round trip, microseconds.
    pub srtt_us: u32,
    /// Lowest round trip, microseconds.
    pub min_rtt_us: u32,
    /// Memory that written data holds, bytes.
    pub wmem_queued: u32,
    /// Send buffer, bytes.
    pub sndbuf: u32,
    /// Bytes acknowledged since the connection began.
    pub acked: u64,
    /// The congestion control is BBR; where that is not known, none is.
    pub bbr: bool,
    /// Bytes a second that the congestion control paces at; zero where that is not known.
    pub pacing_rate: u64,
    /// What the application bounds that to (`SO_MAX_PACING_RATE`), bytes a second.
    pub max_pacing_rate: u64,
    /// Bytes a second that arrived when something was acknowledged last.
    pub delivery_rate: u64,
    /// Packets beyond a loss that the receiver has reported (SACK).
    pub sacked: u32,
    /// Slow start threshold, packets; a huge number before the first loss.
    pub ssthresh: u32,
    /// Timeouts in a row without an answer.
    pub timeouts: u8,
    /// Unanswered window probes.
    pub probes: u8,
    /// Both ends scale their windows.
    pub scaled: bool,
    /// Whether the application is inside of a write, by its own account; `None` where it keeps none.
    pub writing: Option<bool>,
}

impl State {
    /// From a socket sample; `None` where the kernel's struct is too short (before Linux 5.4: no `snd_wnd`).
    /// `congestion` is the congestion control's name, empty where it is not known.
    pub fn from_sample(
        t_ns: u64,
        info: TcpInfo<'_>,
        wqueue: u32,
        skmem: &[u32],
        congestion: &str,
    ) -> Option<Self> {
        let unsent = info.notsent_bytes()?;
        Some(Self {
            t_ns,
            // SYN_SENT is 2 and SYN_RECV 3; all later states have shaken hands.
            established: !matches!(info.state()?, 2 | 3),
            ca_state: info.ca_state()?,
            unsent,
            outstanding: wqueue.saturating_sub(unsent),
            in_flight: info
                .unacked()?
                .saturating_add(info.retrans()?)
                .saturating_sub(info.sacked()?.saturating_add(info.lost()?)),
            cwnd: info.snd_cwnd()?,
            snd_wnd: info.snd_wnd()?,
            mss: info.snd_mss()?,
            srtt_us: info.rtt_us()?,
            min_rtt_us: info.min_rtt_us()?,
            wmem_queued: *skmem.get(5)?,
            sndbuf: *skmem.get(3)?,
            acked: info.bytes_acked()?,
            bbr: congestion == "bbr",
            pacing_rate: info.pacing_rate()?,
            max_pacing_rate: info.max_pacing_rate()?,
            delivery_rate: info.delivery_rate()?,
            sacked: info.sacked()?,
            ssthresh: info.snd_ssthresh()?,
            timeouts: info.retransmits()?,
            probes: info.probes()?,
            scaled: info.options()? & WINDOW_SCALE != 0,
            writing: None,
        })
    }

    /// Bytes that have arrived, those beyond a loss included.
    pub(super) fn delivered(&self) -> u64 {
        self.acked + u64::from(self.sacked) * u64::from(self.mss)
    }

    /// A loss is being repaired.
    pub(super) fn repairs(&self) -> bool {
        self.ca_state == RECOVERY || self.has_timed_out()
    }

    /// A timer has fired for data that is still missing.
    pub fn has_timed_out(&self) -> bool {
        self.ca_state == LOSS
    }

    /// Why the next byte was not sent at this moment.
    pub fn limit(&self) -> Limit {
        if !self.established {
            Limit::Handshake
        } else if self.repairs() {
            Limit::LossRecovery
        } else if self.is_at_edge() {
            Limit::ReceiveWindow
        } else if self.waits_for_an_ack() {
            Limit::DelayedAck
        } else if self.can_send() && self.queue_stands() {
            Limit::PathBandwidth
        } else if self.can_send() {
            // The window of the congestion control, or its pacing below that window.
            Limit::CongestionWindow
        } else if self.is_starved() {
            Limit::SendBuffer
        } else {
            Limit::Application
        }
    }

    /// Less than a segment waits for the rest of it (Nagle) unless cwnd holds it.
    fn can_send(&self) -> bool {
        self.unsent >= self.mss || (self.unsent > 0 && self.in_flight >= self.cwnd)
    }

    /// Data waits and the advertised window has no room for it. `tcp_tso_should_defer()` saves up room for a larger packet, to a
    /// third of the window at most and 64 KB: of two windows that both have room, the tighter one makes the sender wait.
    pub fn is_at_edge(&self) -> bool {
        let room = self.snd_wnd.saturating_sub(self.outstanding);
        let cwnd_room = self.cwnd.saturating_sub(self.in_flight).saturating_mul(self.mss);
        let deferred = room < (self.snd_wnd / 3).min(LARGEST_PACKET) && room < cwnd_room;
        self.unsent > 0 && (room < self.mss || (deferred && self.unsent > room))
    }

    /// Nagle (RFC 9293 section 3.7.4): less than a segment waits while anything is unacknowledged, though cwnd has room. With two
    /// full segments out no ACK is held back (RFC 1122 section 4.2.3.2): what waits then is the end of a write, for the next one.
    fn waits_for_an_ack(&self) -> bool {
        (1..self.mss).contains(&self.unsent)
            && (1..self.mss.saturating_mul(2)).contains(&self.outstanding)
            && self.in_flight < self.cwnd
            && !self.is_starved()
    }

    /// The send buffer is full and nothing of it is left to send: only ACKs make room for more. A full buffer whose writer has gone to
    /// do something else holds nobody.
    pub fn is_starved(&self) -> bool {
        let waits = self.writing.unwrap_or_else(|| self.writer_waits());
        self.unsent == 0 && self.outstanding > 0 && waits
    }

    /// Held by something outside of the process: a window, or a loss.
    pub fn is_held_back(&self) -> bool {
        self.repairs() || self.is_at_edge() || (self.unsent > 0 && self.in_flight >= self.cwnd)
    }

    /// Data waits for the pacing timer, though the application would allow a higher rate, and arrives as fast as that lets it go. BBR paces at
    /// the highest rate that arrived, and in one round of eight at a quarter more, to see whether that arrives, too
    /// (draft-ietf-ccwg-bbr section 4.3.3). Who counts a window paces at 1.2 windows a round trip and more
    /// (`tcp_update_pacing_rate`), of which one arrives.
    pub(super) fn is_paced_as_it_arrives(&self) -> bool {
        let waits = self.can_send() && self.in_flight < self.cwnd;
        let paced = (1..self.max_pacing_rate).contains(&self.pacing_rate);
        let percent = if self.bbr { 75 } else { 90 };
        waits && paced && self.delivery_rate >= self.pacing_rate / 100 * percent
    }

    /// Data waits for the pacing timer, at the highest rate that the application allows (`SO_MAX_PACING_RATE`).
    pub(super) fn is_capped(&self) -> bool {
        let capped = self.max_pacing_rate > 0 && self.pacing_rate >= self.max_pacing_rate;
        capped && self.unsent > 0 && self.in_flight < self.cwnd
    }

    /// A quarter above the floor, and at least 1 ms, is more than a timer's lateness.
    pub(super) fn queue_stands(&self) -> bool {
        let excess = self.srtt_us.saturating_sub(self.min_rtt_us);
        self.min_rtt_us != u32::MAX && excess >= 1000 && excess >= self.min_rtt_us / 4
    }

    /// `sk_stream_is_writeable()`: a writer is woken only when the free part is half of the queued one.
    fn writer_waits(&self) -> bool {
        self.sndbuf.saturating_sub(self.wmem_queued) < self.wmem_queued / 2
    }
}
