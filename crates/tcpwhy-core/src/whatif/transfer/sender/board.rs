//! The retransmission queue (`tcp_rtx_queue`): one entry a segment that is not yet acknowledged, and what is known of it.

use crate::units::Nanos;
use std::collections::VecDeque;

/// What is noted when a segment leaves, for the rate at which data are delivered (`tcp_rate_skb_sent`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Stamp {
    /// Number among all transmissions: the order in which they left.
    pub(super) number: u64,
    pub(super) sent: Nanos,
    /// Bytes delivered by then, when the last of them was, and when the first of the sample left.
    pub(super) delivered: u64,
    pub(super) delivered_at: Nanos,
    pub(super) first_sent: Nanos,
    pub(super) app_limited: bool,
}

/// A segment and its marks (`TCP_SKB_CB(skb)->sacked`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Segment {
    pub(super) seq: u64,
    pub(super) len: u64,
    pub(super) stamp: Stamp,
    /// `TCPCB_SACKED_ACKED`.
    pub(super) sacked: bool,
    /// `TCPCB_LOST`.
    pub(super) lost: bool,
    /// `TCPCB_SACKED_RETRANS`: sent again, and believed to be under way.
    pub(super) repeated: bool,
    /// `TCPCB_EVER_RETRANS`.
    pub(super) ever: bool,
}

impl Segment {
    pub(super) fn end(&self) -> u64 {
        self.seq + self.len
    }
}

#[derive(Debug, Default)]
pub(super) struct Board {
    /// In the order of their sequence numbers.
    segments: VecDeque<Segment>,
    /// Segments acknowledged so far: the place of the first of `segments` among all.
    gone: u64,
    /// In the order in which they left (`tsorted_sent_queue`): number and place. Entries of earlier transmissions stay until they
    /// come to the front.
    order: VecDeque<(u64, u64)>,
    sacked: u64,
    lost: u64,
    repeated: u64,
    /// The first place that may have to be sent again (`retransmit_skb_hint`).
    hint: u64,
    /// Segments marked as lost so far (`tp->lost`).
    pub(super) losses: u64,
}

impl Board {
    /// `tp->packets_out`.
    pub(super) fn out(&self) -> u64 {
        self.segments.len() as u64
    }

    /// `tcp_packets_in_flight`.
    pub(super) fn flight(&self) -> u64 {
        (self.out() + self.repeated).saturating_sub(self.sacked + self.lost)
    }

    pub(super) fn sacked(&self) -> u64 {
        self.sacked
    }

    pub(super) fn lost(&self) -> u64 {
        self.lost
    }

    pub(super) fn repeated(&self) -> u64 {
        self.repeated
    }

    pub(super) fn front(&self) -> Option<&Segment> {
        self.segments.front()
    }

    pub(super) fn push(&mut self, seq: u64, len: u64, stamp: Stamp) {
        self.order.push_back((stamp.number, self.gone + self.out()));
        let marks = (false, false, false, false);
        let (sacked, lost, repeated, ever) = marks;
        self.segments.push_back(Segment { seq, len, stamp, sacked, lost, repeated, ever });
    }

    /// The first segment leaves the queue when all of it is acknowledged.
    pub(super) fn pop(&mut self, una: u64) -> Option<Segment> {
        let first = self.segments.front().filter(|s| s.end() <= una).copied()?;
        self.segments.pop_front();
        self.gone += 1;
        self.sacked -= u64::from(first.sacked);
        self.lost -= u64::from(first.lost);
        self.repeated -= u64::from(first.repeated);
        while self.order.front().is_some_and(|(_, place)| *place < self.gone) {
            self.order.pop_front();
        }
        Some(first)
    }

    /// `tcp_sacktag_one` for each segment of a block that was not known to have arrived; `with` gets it as it was before.
    pub(super) fn sack(&mut self, (from, to): (u64, u64), mut with: impl FnMut(&Segment)) {
        let start = self.segments.partition_point(|s| s.seq < from);
        for segment in self.segments.range_mut(start..).take_while(|s| s.end() <= to) {
            if segment.sacked {
                continue;
            }
            with(segment);
            // A repetition of what was not lost is still believed to be under way.
            if segment.lost {
                self.lost -= 1;
                self.repeated -= u64::from(segment.repeated);
                (segment.lost, segment.repeated) = (false, false);
            }
            segment.sacked = true;
            self.sacked += 1;
        }
    }

    /// `tcp_mark_skb_lost`; a repetition that was lost again is to be repeated once more.
    fn mark(&mut self, place: u64) {
        let Some(segment) = self.segments.get_mut((place - self.gone) as usize) else { return };
        if segment.sacked {
            return;
        }
        if segment.lost {
            self.repeated -= u64::from(segment.repeated);
            segment.repeated = false;
        } else {
            segment.lost = true;
            self.lost += 1;
        }
        self.losses += 1;
        self.hint = self.hint.min(place);
    }

    /// Marks what left before transmission `newest` and `is_late`; what of that is not yet late comes back as the last of its
    /// kind to have left (`tcp_rack_detect_loss`).
    pub(super) fn mark_late(
        &mut self,
        newest: u64,
        is_late: impl Fn(Nanos) -> bool,
    ) -> Option<Nanos> {
        let mut waiting = None;
        let mut at = 0;
        while let Some((number, place)) = self.order.get(at).copied().filter(|o| o.0 < newest) {
            match self.current(number, place) {
                Some(sent) if is_late(sent) => self.mark(place),
                Some(sent) => {
                    waiting = Some(sent);
                    at += 1;
                    continue;
                }
                None => {}
            }
            if at > 0 {
                at += 1;
            } else {
                self.order.pop_front();
            }
        }
        waiting
    }

    /// When a transmission left, if it is the segment's last and waits for its answer.
    fn current(&self, number: u64, place: u64) -> Option<Nanos> {
        let segment = self.segments.get(place.checked_sub(self.gone)? as usize)?;
        let waits = segment.stamp.number == number && !segment.sacked;
        (waits && (!segment.lost || segment.repeated)).then_some(segment.stamp.sent)
    }

    /// `tcp_timeout_mark_lost`: the first, and whatever `is_late`.
    pub(super) fn mark_all(&mut self, is_late: impl Fn(Nanos) -> bool) {
        for place in self.gone..self.gone + self.out() {
            let segment = &self.segments[(place - self.gone) as usize];
            if place == self.gone || is_late(segment.stamp.sent) {
                self.mark(place);
            }
        }
        self.hint = self.gone;
    }

    /// Nothing is lost after all (`tcp_undo_cwnd_reduction` with `unmark_loss`).
    pub(super) fn unmark(&mut self) {
        self.segments.iter_mut().for_each(|s| s.lost = false);
        self.lost = 0;
    }

    /// The next segment to send again: lost, and not yet on its way (`tcp_xmit_retransmit_queue`).
    pub(super) fn next_to_repeat(&mut self) -> Option<u64> {
        if self.repeated >= self.lost {
            return None;
        }
        self.hint = self.hint.max(self.gone);
        let start = (self.hint - self.gone) as usize;
        let skipped =
            self.segments.iter().skip(start).position(|s| s.lost && !s.sacked && !s.repeated)?;
        self.hint += skipped as u64;
        Some(self.hint)
    }

    /// It leaves again (`tcp_retransmit_skb`); a probe (`is_probe`) is not counted as a repetition.
    pub(super) fn repeat(
        &mut self,
        place: u64,
        stamp: Stamp,
        is_probe: bool,
    ) -> Option<(u64, u64)> {
        let segment = self.segments.get_mut(place.checked_sub(self.gone)? as usize)?;
        segment.stamp = stamp;
        segment.ever = true;
        self.repeated += u64::from(!is_probe && !segment.repeated);
        segment.repeated |= !is_probe;
        self.order.push_back((stamp.number, place));
        Some((segment.seq, segment.len))
    }

    /// Places of the first and the last segment.
    pub(super) fn first(&self) -> u64 {
        self.gone
    }

    pub(super) fn last(&self) -> u64 {
        (self.gone + self.out()).saturating_sub(1)
    }
}
