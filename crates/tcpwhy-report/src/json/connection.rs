//! A connection under its published names.

use super::direction::Direction;
use super::{Translations, Words, unit};
use serde::Serialize;
use tcpwhy_core::{advice, model, observe};

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
struct Finding {
    kind: &'static str,
    side: &'static str,
    count: u64,
    value: u64,
    frame: u64,
    text: String,
    #[serde(skip_serializing_if = "Translations::is_empty")]
    translations: Translations<Said>,
}

#[derive(Serialize)]
struct Said {
    text: String,
}

impl<'a> Connection<'a> {
    pub(super) fn of(c: &'a model::Connection, words: Words) -> Self {
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
            directions: [Direction::of(c, client, words), Direction::of(c, server, words)],
            findings: c.findings.iter().map(|f| Finding::of(c, f, words)).collect(),
        }
    }
}

impl Endpoint {
    fn of(e: &observe::Endpoint) -> Self {
        Self { addr: e.addr().to_string(), port: e.port }
    }
}

impl Finding {
    fn of(c: &model::Connection, f: &model::Finding, words: Words) -> Self {
        let text = |language| advice::finding_sentence(c, f, language);
        Self {
            kind: kind(f.kind),
            side: f.side.name(),
            count: f.count,
            value: f.value,
            frame: f.frame,
            text: text(words.first()),
            translations: words.others(|language| Said { text: text(language) }),
        }
    }
}

/// The published name of a finding.
fn kind(kind: model::FindingKind) -> &'static str {
    use model::FindingKind as K;
    match kind {
        K::SynRetries => "syn_retries",
        K::Refused => "refused",
        K::Reset => "reset",
        K::ZeroWindowDeath => "zero_window_death",
        K::WindowUpdateLost => "window_update_lost",
        K::NotAccepted => "not_accepted",
        K::LateReset => "late_reset",
        K::DataAfterClose => "data_after_close",
        K::PmtuBlackHole => "pmtu_black_hole",
        K::MssClamped => "mss_clamped",
        K::Policer => "policer",
        K::RandomLoss => "random_loss",
        K::WindowScaleStripped => "window_scale_stripped",
        K::KeepAliveOnly => "keep_alive_only",
        K::Corked => "corked",
        K::AckQueue => "ack_queue",
        K::CaptureHole => "capture_hole",
        K::OutOfWindow => "out_of_window",
        K::SeenTwice => "seen_twice",
        K::OutOfOrderTime => "out_of_order_time",
        K::Reordered => "reordered",
        K::SpuriousRetransmissions => "spurious_retransmissions",
        K::EcnMarks => "ecn_marks",
        K::SharedPath => "shared_path",
        K::ScaleInferred => "scale_inferred",
        K::OneWay => "one_way",
        K::Fragments => "fragments",
        K::Midstream => "midstream",
    }
}
