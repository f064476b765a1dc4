//! An ACK arrives (`tcp_ack`).

use super::super::control::Ack;
use super::super::path::Path;
use super::super::receiver::Told;
use super::delivery::Sample;
use super::recovery::{Next, State};
use super::{Push, Sender};
use crate::units::Nanos;

/// What is new in an ACK (the `FLAG_*` of `tcp_ack`).
#[derive(Debug, Default)]
pub(super) struct News {
    /// `FLAG_SND_UNA_ADVANCED`.
    pub(super) advanced: bool,
    /// `FLAG_DATA_SACKED`.
    pub(super) sacked: bool,
    /// `FLAG_ORIG_SACK_ACKED`: something arrived that was sent once only.
    pub(super) original: bool,
    /// `FLAG_RETRANS_DATA_ACKED`.
    repeated: bool,
    /// Segments delivered.
    delivered: u64,
    sample: Sample,
    /// When the first and the last segment left that were acknowledged, and those that were selectively.
    acked: Option<(Nanos, Nanos)>,
    picked: Option<(Nanos, Nanos)>,
}

impl News {
    fn note(span: &mut Option<(Nanos, Nanos)>, sent: Nanos) {
        *span = Some((span.map_or(sent, |s| s.0), sent));
    }
}

impl Sender {
    pub(in super::super) fn on_ack(&mut self, now: Nanos, told: &Told, path: &mut Path) {
        let flight_before = self.board.flight();
        let losses = self.board.losses;
        let mut news = News { advanced: told.ack > self.una, ..News::default() };
        self.echo = told.left;
        self.take_sacks(now, told, &mut news);
        self.take_ack(now, told, &mut news);
        self.edge = self.edge.max(told.edge);
        self.largest_window = self.largest_window.max(told.edge.saturating_sub(told.ack));
        let rtt = self.take_rtt(now, told, &news);
        self.answer_to_probe(told);
        let state = self.recovery.state;
        let dubious = !news.advanced || news.sacked || state != State::Open;
        let next = if dubious { self.alert(now, &news) } else { Next::Nothing };
        let reordering = std::mem::take(&mut self.rack.armed);
        if !reordering && (news.advanced || self.is_older_than_first(&news)) {
            self.arm(now);
        }
        self.delivery.conclude(&mut news.sample, now, self.window.least_rtt);
        let losses = self.board.losses - losses;
        if self.recovery.state == State::Recovery && !self.window.is_modelled() {
            self.reduce(news.delivered, losses, news.advanced);
        } else {
            let ack = self.told(now, rtt, flight_before, losses, &news);
            self.window.on_ack(&ack);
        }
        match next {
            Next::Nothing => {}
            Next::Lost => self.repeat_lost(now, path),
            Next::New => {
                self.send(now, path, Push::Everything);
                if self.nxt <= self.recovery.end {
                    self.repeat_lost(now, path);
                }
            }
        }
    }

    /// `tcp_sacktag_write_queue`.
    fn take_sacks(&mut self, now: Nanos, told: &Told, news: &mut News) {
        let Self { board, delivery, rack, recovery, window, .. } = self;
        for block in told.sacks() {
            board.sack(block, |segment| {
                rack.advance(
                    segment.stamp.number,
                    now - segment.stamp.sent,
                    segment.ever,
                    window.least_rtt,
                );
                news.sacked = true;
                news.delivered += 1;
                delivery.delivered(&mut news.sample, segment);
                if !segment.ever {
                    news.original |= segment.end() <= recovery.end;
                    News::note(&mut news.picked, segment.stamp.sent);
                }
            });
        }
    }

    /// `tcp_clean_rtx_queue`.
    fn take_ack(&mut self, now: Nanos, told: &Told, news: &mut News) {
        if !news.advanced {
            return;
        }
        self.una = told.ack;
        self.echoed = told.echo;
        self.recovery.timeouts = 0;
        while let Some(segment) = self.board.pop(told.ack) {
            if segment.ever {
                news.repeated = true;
            } else if !segment.sacked {
                news.original |= segment.end() <= self.recovery.end;
                News::note(&mut news.acked, segment.stamp.sent);
            }
            if !segment.sacked {
                let (stamp, least) = (segment.stamp, self.window.least_rtt);
                self.rack.advance(stamp.number, now - stamp.sent, segment.ever, least);
                self.delivery.delivered(&mut news.sample, &segment);
                news.delivered += 1;
            }
        }
        self.buffer.free(told.ack);
    }

    /// `tcp_ack_update_rtt`; the sample of the congestion control comes back.
    fn take_rtt(&mut self, now: Nanos, told: &Told, news: &News) -> Option<Nanos> {
        let acked = news.acked.filter(|_| !news.repeated);
        let (first, mut last) = match (acked, news.picked) {
            (Some(acked), picked) => (acked.0, picked.map_or(acked.1, |p| p.1)),
            (None, Some(picked)) => picked,
            // Repetitions only: the echoed timestamp tells (`tcp_rtt_tsopt_us`).
            (None, None) if news.advanced => (told.echo, told.echo),
            (None, None) => return None,
        };
        if now < last {
            last = now;
        }
        self.rtt.add(now - first, self.una, self.nxt);
        self.backoff = 0;
        self.window.least_rtt = self.window.least_rtt.min(now - last);
        Some(now - last)
    }

    /// `tcp_process_tlp_ack`: the tail was lost if only the probe's repetition repaired it.
    fn answer_to_probe(&mut self, told: &Told) {
        let Some(end) = self.probe_end.filter(|end| told.ack >= *end) else { return };
        if !self.probe_repeats || told.duplicate {
            self.probe_end = None;
        } else if told.ack > end {
            self.reduce_once();
        }
    }

    /// Whether what was picked left before the first segment's last transmission, so that the timeout may run from now.
    fn is_older_than_first(&self, news: &News) -> bool {
        let first = self.board.front().map(|s| s.stamp.sent);
        matches!((news.picked, first), (Some((picked, _)), Some(first)) if picked < first)
    }

    fn told(
        &self,
        now: Nanos,
        rtt: Option<Nanos>,
        flight_before: u64,
        losses: u64,
        news: &News,
    ) -> Ack {
        // tcp_is_cwnd_limited
        let limited = self.usage.limited
            || (self.window.slow_start() && self.window.segments < 2.0 * self.usage.most as f64);
        Ack {
            now,
            newly: news.delivered,
            advanced: news.advanced,
            una: self.una,
            nxt: self.nxt,
            before: news.sample.before,
            delivered: self.delivery.bytes,
            flight_before,
            flight: self.board.flight(),
            rtt,
            rate: news.sample.rate,
            app_limited: news.sample.app_limited,
            limited,
            state: self.recovery.state,
            losses,
            burst: self.burst(),
            train_slack: self.train_slack(),
        }
    }
}
