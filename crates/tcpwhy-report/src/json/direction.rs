//! A direction under its published names.

use super::{Translations, Words, unit};
use serde::Serialize;
use tcpwhy_core::advice;
use tcpwhy_core::model::{self, WindowScale};
use tcpwhy_core::units::Nanos;

#[derive(Serialize)]
pub(super) struct Direction<'a> {
    from: &'static str,
    bytes: u64,
    transfer_ns: i64,
    goodput_bps: u64,
    retransmitted_bytes: u64,
    limits: Vec<Share>,
    verdict: Verdict,
    what_if: Vec<WhatIf>,
    timeline: Timeline<'a>,
    facts: Facts,
    transfers: Vec<Transfer>,
    transfers_omitted: u32,
}

#[derive(Serialize)]
struct Share {
    limit: &'static str,
    cause: Option<&'static str>,
    duration_ns: i64,
    share: f64,
}

#[derive(Serialize)]
struct Verdict {
    limit: &'static str,
    cause: Option<&'static str>,
    share: f64,
    confidence: f64,
    text: String,
    advice: Vec<String>,
    #[serde(skip_serializing_if = "Translations::is_empty")]
    translations: Translations<Said>,
}

#[derive(Serialize)]
struct Said {
    text: String,
    advice: Vec<String>,
}

#[derive(Serialize)]
struct WhatIf {
    lift: &'static str,
    transfer_ns: i64,
    next_limit: &'static str,
    at_most: bool,
}

/// The longest part: converted while it is written.
struct Timeline<'a>(&'a [model::Interval]);

#[derive(Serialize)]
struct Interval {
    from_ns: i64,
    to_ns: i64,
    limit: &'static str,
    cause: Option<&'static str>,
    first_frame: u64,
    last_frame: u64,
    confidence: f64,
    evidence: Evidence,
}

#[derive(Serialize)]
struct Evidence {
    acked_bytes: u64,
    rate_bps: u64,
    flight_bytes: u64,
    window_bytes: u32,
    room_bytes: u32,
    rtt_min_ns: i64,
    rtt_mean_ns: i64,
    stalls: u32,
    longest_stall_ns: i64,
    retransmissions: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'static str>,
}

#[derive(Serialize)]
struct Facts {
    mss: u32,
    rtt_floor_ns: i64,
    peak_bps: u64,
    path_bps: u64,
    max_flight_bytes: u64,
    max_window_bytes: u32,
    min_window_bytes: u32,
    window_scale: Scale,
}

#[derive(Serialize)]
struct Scale {
    kind: &'static str,
    min: u8,
    max: u8,
}

#[derive(Serialize)]
struct Transfer {
    from_ns: i64,
    to_ns: i64,
    bytes: u64,
    goodput_bps: u64,
    retransmitted_bytes: u64,
    first_frame: u64,
    last_frame: u64,
}

impl<'a> Direction<'a> {
    pub(super) fn of(c: &model::Connection, d: &'a model::Direction, words: Words) -> Self {
        Self {
            from: d.from.name(),
            bytes: d.bytes,
            transfer_ns: d.transfer.0,
            goodput_bps: d.goodput_bps(),
            retransmitted_bytes: d.retransmitted,
            limits: shares(d),
            verdict: Verdict::of(c, d, words),
            what_if: d.what_if.iter().map(WhatIf::of).collect(),
            timeline: Timeline(&d.timeline),
            facts: Facts::of(&d.facts),
            transfers: d.transfers.iter().map(|t| Transfer::of(d, t)).collect(),
            transfers_omitted: d.transfers_omitted,
        }
    }
}

impl Verdict {
    fn of(c: &model::Connection, d: &model::Direction, words: Words) -> Self {
        let said = |language| Said {
            text: advice::sentence(c, d, language),
            advice: advice::steps(c, d, language),
        };
        let Said { text, advice } = said(words.first());
        Self {
            limit: d.verdict.limit.name(),
            cause: d.verdict.cause.name(),
            share: unit(d.verdict.share),
            confidence: unit(d.verdict.confidence),
            text,
            advice,
            translations: words.others(said),
        }
    }
}

/// Time by limit; the shares add up to 1 wherever there is a timeline.
fn shares(d: &model::Direction) -> Vec<Share> {
    let whole = d.span();
    let share = |(i, s): (usize, model::Share)| Share {
        limit: s.limit.name(),
        cause: s.cause.name(),
        duration_ns: s.duration.0,
        share: match whole {
            // A timeline without extent: all of it is whatever it begins with.
            Nanos::ZERO => f64::from(u8::from(i == 0)),
            whole => unit(s.duration.0 as f64 / whole.0 as f64),
        },
    };
    d.limits().into_iter().enumerate().map(share).collect()
}

impl WhatIf {
    fn of(w: &model::WhatIf) -> Self {
        Self {
            lift: w.lift.name(),
            transfer_ns: w.transfer.0,
            next_limit: w.next.name(),
            at_most: w.at_most,
        }
    }
}

impl Serialize for Timeline<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(Interval::of))
    }
}

impl Interval {
    fn of(i: &model::Interval) -> Self {
        let e = &i.evidence;
        Self {
            from_ns: i.from.0,
            to_ns: i.to.0,
            limit: i.limit.name(),
            cause: i.cause.name(),
            first_frame: i.first_frame,
            last_frame: i.last_frame,
            confidence: f64::from(i.confidence.min(100)) / 100.0,
            evidence: Evidence {
                acked_bytes: e.acked,
                rate_bps: i.rate_bps(),
                flight_bytes: e.flight,
                window_bytes: e.window,
                room_bytes: e.room,
                rtt_min_ns: e.rtt_min.0,
                rtt_mean_ns: e.rtt_mean.0,
                stalls: e.stalls,
                longest_stall_ns: e.longest_stall.0,
                retransmissions: e.retransmissions,
                source: (i.source != model::Source::Packets).then(|| i.source.name()),
            },
        }
    }
}

impl Facts {
    fn of(f: &model::Facts) -> Self {
        Self {
            mss: f.mss,
            rtt_floor_ns: f.rtt_floor.0,
            peak_bps: f.peak_bps,
            path_bps: f.path_bps,
            max_flight_bytes: f.max_flight.into(),
            max_window_bytes: f.max_window,
            min_window_bytes: f.min_window,
            window_scale: match f.scale {
                WindowScale::Known(shift) => Scale { kind: "known", min: shift, max: shift },
                WindowScale::Absent => Scale { kind: "absent", min: 0, max: 0 },
                WindowScale::Inferred { min, max } => Scale { kind: "inferred", min, max },
            },
        }
    }
}

impl Transfer {
    fn of(d: &model::Direction, t: &model::Transfer) -> Self {
        Self {
            from_ns: t.from.0,
            to_ns: t.to.0,
            bytes: t.bytes,
            goodput_bps: d.goodput_of(t),
            retransmitted_bytes: t.retransmitted,
            first_frame: t.first_frame,
            last_frame: t.last_frame,
        }
    }
}
