//! What leaves now (`tcp_write_xmit`): windows, pacing, Nagle, and how much at once.

use super::super::path::{Path, span};
use super::{Phase, Sender};
use crate::units::Nanos;

/// `sk_pacing_shift`: an offloaded packet is about a millisecond of the rate.
const PACING_SHIFT: u32 = 10;
/// `tcp_tso_rtt_log`: near peers get larger packets, halved for each 512 us of round trip.
const RTT_SHIFT: u32 = 9;
/// Largest payload of an offloaded packet.
const GSO_MAX: u64 = 65_215;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Push {
    /// An ACK or the end of a call: small segments wait for small ones.
    Nagle,
    /// A writer that is about to sleep, or half a window was written (`TCP_NAGLE_PUSH`).
    Everything,
    /// The only skb is full: one packet (`tcp_push_one`).
    One,
}

impl Sender {
    /// What keeps the next segment back, `None`: nothing.
    pub(in super::super) fn hold(&self, now: Nanos) -> Option<Phase> {
        self.blocked_by(now, Push::Nagle)
    }

    fn blocked_by(&self, now: Nanos, push: Push) -> Option<Phase> {
        if self.flight.again.is_empty() {
            let idle = if self.buffer.blocked { Phase::SendBuffer } else { Phase::Last };
            let Some((head, last)) = self.buffer.head() else { return Some(idle) };
            let want = head.min(self.mss());
            let room = self.edge.saturating_sub(self.nxt);
            if room < want && !(room > 0 && self.flight.segments() == 0) {
                return Some(Phase::ReceiveWindow);
            }
            if want < self.mss() && last && self.waits_for_small(push) {
                return Some(idle);
            }
        }
        if self.flight.segments() >= self.cwnd() {
            return Some(self.slow_start_or_later());
        }
        (self.window.pacing().is_some() && self.pace_at > now).then(|| self.slow_start_or_later())
    }

    fn cwnd(&self) -> u64 {
        (self.window.segments as u64).max(1)
    }

    /// `tcp_nagle_check` with Minshall's variant: a small segment waits for an earlier small one only. The last of all is
    /// followed by FIN.
    fn waits_for_small(&self, push: Push) -> bool {
        push != Push::Everything && self.t.nagle && self.buffer.has_more() && self.small > self.una
    }

    /// Bytes per second (`tcp_update_pacing_rate`), or what bbr says.
    fn rate(&self) -> u64 {
        if let Some(bps) = self.window.pacing() {
            return bps / 8;
        }
        let twice = self.window.segments < self.window.threshold / 2.0;
        let gain = if twice { 2.0 } else { 1.2 };
        let segments = self.window.segments.max(self.flight.segments() as f64);
        (gain * segments * self.t.mss as f64 / self.smoothed.secs().max(1e-6)) as u64
    }

    /// Segments that leave as one (`tcp_tso_autosize`).
    pub(super) fn burst(&self) -> u64 {
        if !self.t.offload {
            return 1;
        }
        let halvings = u32::try_from(self.window.least_rtt.0 / 1_000).unwrap_or(u32::MAX);
        let near = GSO_MAX.checked_shr(halvings >> RTT_SHIFT).unwrap_or(0);
        let bytes = ((self.rate() >> PACING_SHIFT) + near).min(GSO_MAX);
        (bytes / self.mss()).max(2)
    }

    pub(super) fn train_slack(&self) -> Nanos {
        let four = span(4 * GSO_MAX, self.rate().saturating_mul(8));
        four.min(Nanos::from_millis(1))
    }

    pub(super) fn send(&mut self, now: Nanos, path: &mut Path, push: Push) {
        let before = self.flight.sent();
        while self.blocked_by(now, push).is_none() {
            let bytes = match self.flight.again.pop_front() {
                Some((seq, len)) => {
                    self.resent += 1;
                    self.flight.send(now, seq, len, path);
                    len
                }
                None => self.send_new(now, path, push),
            };
            if let Some(rate) = self.window.pacing() {
                self.pace_at = self.pace_at.max(now) + span(bytes, rate);
            }
            if push == Push::One || bytes == 0 {
                break;
            }
        }
        if self.flight.sent() > before {
            self.note_usage();
            if self.timer.is_none() {
                self.arm(now);
            }
        }
    }

    /// One packet of up to [`Self::burst`] segments (`tcp_mss_split_point`).
    fn send_new(&mut self, now: Nanos, path: &mut Path, push: Push) -> u64 {
        let Some((head, last)) = self.buffer.head() else { return 0 };
        let mss = self.mss();
        let cwnd = self.cwnd();
        let quota = (cwnd - self.flight.segments()).min((cwnd / 2).max(1));
        let most = quota.min(self.burst()) * mss;
        let mut bytes = head.min(self.edge.saturating_sub(self.nxt)).min(most);
        let part = bytes % mss;
        let small = part > 0 && bytes > part;
        if small && (!last || bytes < head || self.waits_for_small(push)) {
            bytes -= part;
        }
        let end = self.nxt + bytes;
        if bytes % mss > 0 {
            self.small = end;
        }
        self.buffer.send(end, bytes);
        while self.nxt < end {
            let len = mss.min(end - self.nxt);
            self.flight.send(now, self.nxt, len, path);
            self.nxt += len;
        }
        bytes
    }

    /// `tcp_cwnd_validate`: once full, the window counts as used for the round.
    fn note_usage(&mut self) {
        let flight = self.flight.segments();
        let full = flight >= self.cwnd();
        let usage = &mut self.usage;
        if self.una >= usage.round_end || full || (!usage.limited && flight > usage.most) {
            usage.limited = full;
            usage.most = flight;
            usage.round_end = self.nxt;
        }
    }
}
