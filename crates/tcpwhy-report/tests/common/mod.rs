//! Hand-made answers: one connection per limit and cause, with every kind of finding.
#![allow(dead_code)] // No test uses all of it.

use std::net::IpAddr;
use std::path::PathBuf;
use tcpwhy_core::advice::Language;
use tcpwhy_core::model::*;
use tcpwhy_core::observe::Endpoint;
use tcpwhy_core::units::Nanos;
use tcpwhy_report::{Source, Warning};

/// Every limit with every cause that it may have.
pub(crate) const CASES: [(Limit, Cause); 30] = [
    (Limit::SendBuffer, Cause::None),
    (Limit::Handshake, Cause::None),
    (Limit::Handshake, Cause::SynRetry),
    (Limit::Application, Cause::SenderApplication),
    (Limit::Application, Cause::WaitingForPeer),
    (Limit::Application, Cause::KeepAlive),
    (Limit::ReceiveWindow, Cause::SmallBuffer),
    (Limit::ReceiveWindow, Cause::NoWindowScaling),
    (Limit::ReceiveWindow, Cause::SlowReader),
    (Limit::ReceiveWindow, Cause::ZeroWindow),
    (Limit::ReceiveWindow, Cause::AutotuningLag),
    (Limit::CongestionWindow, Cause::SlowStart),
    (Limit::CongestionWindow, Cause::IdleRestart),
    (Limit::CongestionWindow, Cause::CongestionAvoidance),
    (Limit::CongestionWindow, Cause::Pacing),
    (Limit::PathBandwidth, Cause::StandingQueue),
    (Limit::PathBandwidth, Cause::SteadyRate),
    (Limit::PathBandwidth, Cause::EcnMarked),
    (Limit::PathBandwidth, Cause::Policer),
    (Limit::LossRecovery, Cause::FastRetransmit),
    (Limit::LossRecovery, Cause::Timeout),
    (Limit::LossRecovery, Cause::TailLoss),
    (Limit::LossRecovery, Cause::DoubleLoss),
    (Limit::LossRecovery, Cause::SmallFlight),
    (Limit::LossRecovery, Cause::Spurious),
    (Limit::DelayedAck, Cause::Nagle),
    (Limit::SilentPath, Cause::PeerVanished),
    (Limit::SilentPath, Cause::PmtuBlackHole),
    (Limit::SilentPath, Cause::ConnectionForgotten),
    (Limit::Unknown, Cause::None),
];

const FINDINGS: [FindingKind; 26] = [
    FindingKind::SynRetries,
    FindingKind::ZeroWindowDeath,
    FindingKind::LateReset,
    FindingKind::PmtuBlackHole,
    FindingKind::MssClamped,
    FindingKind::Policer,
    FindingKind::WindowScaleStripped,
    FindingKind::RandomLoss,
    FindingKind::KeepAliveOnly,
    FindingKind::CaptureHole,
    FindingKind::OutOfWindow,
    FindingKind::SeenTwice,
    FindingKind::OutOfOrderTime,
    FindingKind::Reordered,
    FindingKind::SpuriousRetransmissions,
    FindingKind::EcnMarks,
    FindingKind::SharedPath,
    FindingKind::ScaleInferred,
    FindingKind::OneWay,
    FindingKind::Fragments,
    FindingKind::Midstream,
    FindingKind::DataAfterClose,
    FindingKind::Corked,
    FindingKind::AckQueue,
    FindingKind::WindowUpdateLost,
    FindingKind::NotAccepted,
];

/// First packet of every connection: 2026-01-02 03:04:05 UTC.
const START: Nanos = Nanos(1_767_323_045_000_000_000);

pub(crate) fn source() -> Source {
    Source {
        files: vec!["slow.pcapng".to_owned()],
        began: Some(START - Nanos::from_millis(1_500)),
        packets: 31_402,
        tcp_packets: 31_388,
        warnings: vec![Warning::new(|language| match language {
            Language::En => "slow.pcapng is cut off at byte 1048576 (block 2042)".to_owned(),
            Language::Zh => "slow.pcapng 在第 1048576 字节（块 2042）处中断".to_owned(),
        })],
    }
}

/// All cases, the first by far the slowest.
pub(crate) fn connections() -> Vec<Connection> {
    CASES.iter().enumerate().map(|(n, case)| connection(n as u64, *case)).collect()
}

/// One connection whose server sends under `case`.
pub(crate) fn connection(id: u64, (limit, cause): (Limit, Cause)) -> Connection {
    let findings = FINDINGS.get(id as usize).map(|&kind| Finding {
        kind,
        side: Side::Server,
        count: id + 1,
        value: 1_500 * id,
        frame: 100 + id,
    });
    let port = 50_000 + id as u16;
    let ip = |s: &str| s.parse::<IpAddr>().unwrap();
    let v6 = id % 2 == 1;
    Connection {
        id,
        client: Endpoint::new(ip(if v6 { "2001:db8::2" } else { "10.0.0.2" }), port),
        server: Endpoint::new(ip(if v6 { "2001:db8::1" } else { "10.0.0.1" }), 3306),
        opened: START,
        start: START,
        duration: Nanos::from_millis(25_140),
        packets: 31_388,
        vantage: Vantage { position: 0.98, confidence: 0.9 },
        rtt: RttSummary {
            min: Nanos::from_micros(20_100),
            median: Nanos::from_micros(20_300),
            p95: Nanos::from_micros(21_900),
            hides_queues: false,
        },
        directions: [acks_only(), sending(id, limit, cause)],
        findings: findings.into_iter().collect(),
    }
}

/// A direction without data.
fn acks_only() -> Direction {
    let verdict =
        Verdict { limit: Limit::Unknown, cause: Cause::None, share: 0.0, confidence: 0.0 };
    let facts = Facts {
        mss: 0,
        rtt_floor: Nanos::ZERO,
        peak_bps: 0,
        path_bps: 0,
        max_flight: 0,
        first_flight: 0,
        resent: false,
        max_window: 0,
        min_window: 0,
        scale: WindowScale::Absent,
        tail: Nanos::ZERO,
    };
    Direction::without_data(Side::Client, Box::default(), verdict, facts)
}

fn sending(id: u64, limit: Limit, cause: Cause) -> Direction {
    let transfer = Nanos::from_millis(25_100);
    let best = if id == 0 { Nanos::from_millis(2_010) } else { Nanos(transfer.0 - 1_000_000) };
    let inferred = limit == Limit::ReceiveWindow && cause == Cause::SmallBuffer;
    let scale =
        if inferred { WindowScale::Inferred { min: 5, max: 7 } } else { WindowScale::Known(7) };
    Direction {
        from: Side::Server,
        bytes: 22_000_000 - id,
        transfer,
        retransmitted: 1_448 * (id % 3),
        verdict: Verdict {
            limit,
            cause,
            share: 0.97,
            confidence: if id % 5 == 4 { 0.6 } else { 0.9 },
        },
        what_if: Box::new([
            WhatIf { lift: limit, transfer: best, next: Limit::PathBandwidth, at_most: id == 1 },
            WhatIf { lift: Limit::Handshake, transfer, next: limit, at_most: false },
        ]),
        timeline: timeline(limit, cause),
        transfers: transfers(),
        transfers_omitted: 0,
        progress: None,
        owes: false,
        facts: Facts {
            mss: 1448,
            rtt_floor: Nanos::from_micros(20_100),
            peak_bps: 98_300_000,
            path_bps: 98_300_000,
            max_flight: 17_376,
            first_flight: 0,
            resent: false,
            max_window: 4 << 20,
            min_window: 1 << 20,
            scale,
            tail: Nanos::ZERO,
        },
        traits: None,
    }
}

/// Handshake, slow start, the case, the application's end.
fn timeline(limit: Limit, cause: Cause) -> Box<[Interval]> {
    let plateau = Evidence {
        acked: 21_400_000,
        flight: 16_384,
        window: 4 << 20,
        room: 4_100_000,
        rtt_min: Nanos::from_micros(20_100),
        rtt_mean: Nanos::from_micros(20_300),
        stalls: 1_203,
        longest_stall: Nanos::from_micros(20_400),
        retransmissions: 0,
    };
    let start = Evidence { acked: 14_480, flight: 14_480, stalls: 1, ..Evidence::default() };
    let steps = [
        (20, Limit::Handshake, Cause::None, (1, 3), Evidence::default()),
        (330, Limit::CongestionWindow, Cause::SlowStart, (4, 119), start),
        (24_347, limit, cause, (120, 31_100), plateau),
        (403, Limit::Application, Cause::SenderApplication, (31_101, 31_388), Evidence::default()),
    ];
    let mut from = START;
    let mut timeline = Vec::new();
    for (millis, limit, cause, (first_frame, last_frame), evidence) in steps {
        let to = from + Nanos::from_millis(millis);
        let confidence = if limit == Limit::Handshake { 100 } else { 90 };
        timeline.push(Interval {
            from,
            to,
            limit,
            cause,
            confidence,
            source: Default::default(),
            first_frame,
            last_frame,
            evidence,
        });
        from = to;
    }
    timeline.into()
}

fn transfers() -> Box<[Transfer]> {
    let transfer = |from, to, bytes, first_frame, last_frame| Transfer {
        from: START + Nanos::from_millis(from),
        to: START + Nanos::from_millis(to),
        bytes,
        retransmitted: 0,
        first_frame,
        last_frame,
    };
    Box::new([
        transfer(20, 320, 600_000, 4, 110),
        transfer(320, 25_100, 21_400_000, 111, 31_388),
        // A single segment whose acknowledgment was not seen takes no time.
        transfer(25_100, 25_100, 10, 31_388, 31_388),
    ])
}

/// Compares `actual` with the golden file; `TCPWHY_BLESS=1` writes the file instead.
pub(crate) fn golden(name: &str, actual: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("TCPWHY_BLESS").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    // Git may have changed the line ends on Windows.
    let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        actual == expected,
        "{name} differs; look at it, then bless it with TCPWHY_BLESS=1.\n{}",
        first_difference(&expected, actual)
    );
}

fn first_difference(expected: &str, actual: &str) -> String {
    let line = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
    let n = line.unwrap_or_else(|| expected.lines().count().min(actual.lines().count()));
    format!(
        "line {}:\n- {}\n+ {}",
        n + 1,
        expected.lines().nth(n).unwrap_or("(end)"),
        actual.lines().nth(n).unwrap_or("(end)")
    )
}
