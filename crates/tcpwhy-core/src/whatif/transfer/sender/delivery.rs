//! The rate at which data are delivered (`net/ipv4/tcp_rate.c`).

use super::board::{Segment, Stamp};
use crate::units::Nanos;

#[derive(Debug, Default)]
pub(super) struct Delivery {
    /// Bytes delivered, and when the last of them was.
    pub(super) bytes: u64,
    at: Nanos,
    first_sent: Nanos,
    /// Bytes delivered when what was sent until the application was too slow has arrived; 0: it was not.
    app_limited: u64,
    sent: u64,
}

/// What one ACK says.
#[derive(Debug, Default)]
pub(super) struct Sample {
    newest: Option<Stamp>,
    /// Bytes delivered when the newest of them left.
    pub(super) before: u64,
    /// Bytes per second; 0: not known.
    pub(super) rate: f64,
    pub(super) app_limited: bool,
}

impl Delivery {
    /// Transmissions so far.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }

    /// `tcp_rate_skb_sent`.
    pub(super) fn stamp(&mut self, now: Nanos, out: u64) -> Stamp {
        if out == 0 {
            (self.first_sent, self.at) = (now, now);
        }
        self.sent += 1;
        Stamp {
            number: self.sent,
            sent: now,
            delivered: self.bytes,
            delivered_at: self.at,
            first_sent: self.first_sent,
            app_limited: self.app_limited > 0,
        }
    }

    /// `tcp_rate_check_app_limited`: less than a segment waits, and neither window nor repetitions are why.
    pub(super) fn check(&mut self, waiting: u64, mss: u64, flight: u64, free: bool) {
        if waiting < mss && free {
            self.app_limited = (self.bytes + flight * mss).max(1);
        }
    }

    /// `tcp_rate_skb_delivered`.
    pub(super) fn delivered(&mut self, sample: &mut Sample, segment: &Segment) {
        self.bytes += segment.len;
        if sample.newest.is_none_or(|newest| segment.stamp.number > newest.number) {
            sample.newest = Some(segment.stamp);
        }
    }

    /// `tcp_rate_gen`; a sample over less than the lowest round trip says nothing.
    pub(super) fn conclude(&mut self, sample: &mut Sample, now: Nanos, least_rtt: Nanos) {
        if self.app_limited > 0 && self.bytes > self.app_limited {
            self.app_limited = 0;
        }
        let Some(newest) = sample.newest else { return };
        let span = (newest.sent - newest.first_sent).max(now - newest.delivered_at);
        (self.at, self.first_sent) = (now, newest.sent);
        sample.before = newest.delivered;
        sample.app_limited = newest.app_limited;
        if span >= least_rtt && span.0 > 0 {
            sample.rate = (self.bytes - newest.delivered) as f64 / span.secs();
        }
    }
}
