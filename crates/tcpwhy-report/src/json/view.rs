//! The model under its published names.

use serde::Serialize;
use tcpwhy_core::model::{self, Side, WindowScale};
use tcpwhy_core::observe;
use tcpwhy_core::{advice, units::Nanos};

#[derive(Serialize)]
pub(super) struct Connection<'a> {
    id: u64,
    client: Endpoint,
    server: Endpoint,
    start_ns: i64,
    duration_ns: i64,
    packets: u64,
    vantage: Vantage,
    rtt_ns: Rtt,
    directions: [Direction<'a>; 2],
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Endpoint {
    addr: String,
    port: u16,
}

#[derive(Serialize)]
struct Vantage {
    position: f64,
    confidence: f64,
}

#[derive(Serialize)]
struct Rtt {
    min: i64,
    median: i64,
    p95: i64,
}

#[derive(Serialize)]
struct Direction<'a> {
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
    transfers_omitted: u64,
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
}

#[derive(Serialize)]
struct WhatIf {
    lift: &'static str,
    transfer_ns: i64,
    next_limit: &'static str,
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
    flight_bytes: u64,
    window_bytes: u64,
    room_bytes: u64,
    rtt_min_ns: i64,
    rtt_mean_ns: i64,
    stalls: u32,
    longest_stall_ns: i64,
    retransmissions: u32,
}

#[derive(Serialize)]
struct Facts {
    mss: u32,
    rtt_floor_ns: i64,
    peak_bps: u64,
    max_flight_bytes: u64,
    max_window_bytes: u64,
    min_window_bytes: u64,
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

#[derive(Serialize)]
struct Finding {
    kind: &'static str,
    side: &'static str,
    count: u64,
    value: u64,
    frame: u64,
    text: String,
}

impl<'a> Connection<'a> {
    pub(super) fn of(c: &'a model::Connection) -> Self {
        let [client, server] = &c.directions;
        Self {
            id: c.id,
            client: Endpoint::of(&c.client),
            server: Endpoint::of(&c.server),
            start_ns: c.start.0,
            duration_ns: c.duration.0,
            packets: c.packets,
            vantage: Vantage {
                position: unit(c.vantage.position),
                confidence: unit(c.vantage.confidence),
            },
            rtt_ns: Rtt { min: c.rtt.min.0, median: c.rtt.median.0, p95: c.rtt.p95.0 },
            directions: [Direction::of(c, client), Direction::of(c, server)],
            findings: c.findings.iter().map(|f| Finding::of(c, f)).collect(),
        }
    }
}

impl Endpoint {
    fn of(e: &observe::Endpoint) -> Self {
        Self { addr: e.addr().to_string(), port: e.port }
    }
}

impl<'a> Direction<'a> {
    fn of(c: &model::Connection, d: &'a model::Direction) -> Self {
        Self {
            from: d.from.name(),
            bytes: d.bytes,
            transfer_ns: d.transfer.0,
            goodput_bps: d.goodput_bps(),
            retransmitted_bytes: d.retransmitted,
            limits: shares(d),
            verdict: Verdict {
                limit: d.verdict.limit.name(),
                cause: d.verdict.cause.name(),
                share: unit(d.verdict.share),
                confidence: unit(d.verdict.confidence),
                text: advice::sentence(c, d),
                advice: advice::steps(c, d),
            },
            what_if: d.what_if.iter().map(WhatIf::of).collect(),
            timeline: Timeline(&d.timeline),
            facts: Facts::of(&d.facts),
            transfers: d.transfers.iter().map(Transfer::of).collect(),
            transfers_omitted: d.transfers_omitted,
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
        Self { lift: w.lift.name(), transfer_ns: w.transfer.0, next_limit: w.next.name() }
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
                flight_bytes: e.flight,
                window_bytes: e.window,
                room_bytes: e.room,
                rtt_min_ns: e.rtt_min.0,
                rtt_mean_ns: e.rtt_mean.0,
                stalls: e.stalls,
                longest_stall_ns: e.longest_stall.0,
                retransmissions: e.retransmissions,
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
            max_flight_bytes: f.max_flight,
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
    fn of(t: &model::Transfer) -> Self {
        Self {
            from_ns: t.from.0,
            to_ns: t.to.0,
            bytes: t.bytes,
            goodput_bps: tcpwhy_core::units::bits_per_second(t.bytes, t.to - t.from),
            retransmitted_bytes: t.retransmitted,
            first_frame: t.first_frame,
            last_frame: t.last_frame,
        }
    }
}

impl Finding {
    fn of(c: &model::Connection, f: &model::Finding) -> Self {
        Self {
            kind: kind(f.kind),
            side: Side::name(f.side),
            count: f.count,
            value: f.value,
            frame: f.frame,
            text: advice::finding_sentence(c, f),
        }
    }
}

/// The published name of a finding.
fn kind(kind: model::FindingKind) -> &'static str {
    use model::FindingKind as K;
    match kind {
        K::SynRetries => "syn_retries",
        K::ZeroWindowDeath => "zero_window_death",
        K::LateReset => "late_reset",
        K::PmtuBlackHole => "pmtu_black_hole",
        K::MssClamped => "mss_clamped",
        K::Policer => "policer",
        K::WindowScaleStripped => "window_scale_stripped",
        K::KeepAliveOnly => "keep_alive_only",
        K::CaptureHole => "capture_hole",
        K::SeenTwice => "seen_twice",
        K::OutOfOrderTime => "out_of_order_time",
        K::Reordered => "reordered",
        K::SpuriousRetransmissions => "spurious_retransmissions",
        K::EcnMarks => "ecn_marks",
        K::ScaleInferred => "scale_inferred",
        K::OneWay => "one_way",
        K::Fragments => "fragments",
        K::Midstream => "midstream",
    }
}

/// A number that must lie between 0 and 1; what is not a number counts as 0, for JSON has none.
fn unit(x: f64) -> f64 {
    if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 }
}
