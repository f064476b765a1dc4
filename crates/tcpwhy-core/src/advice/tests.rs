//! Sentences and steps for hand-made verdicts.

use super::*;
use crate::model::*;
use crate::observe::Endpoint;
use crate::units::Nanos;
use std::net::{IpAddr, Ipv4Addr};

/// Every cause with the limit that it belongs to.
const CAUSES: [(Limit, &[Cause]); 10] = [
    (Limit::Handshake, &[Cause::None, Cause::SynRetry]),
    (
        Limit::Application,
        &[Cause::None, Cause::SenderApplication, Cause::WaitingForPeer, Cause::KeepAlive],
    ),
    (Limit::SendBuffer, &[Cause::None, Cause::LockedByApplication, Cause::SystemMaximum]),
    (
        Limit::ReceiveWindow,
        &[
            Cause::None,
            Cause::SmallBuffer,
            Cause::NoWindowScaling,
            Cause::SlowReader,
            Cause::ZeroWindow,
            Cause::AutotuningLag,
        ],
    ),
    (
        Limit::CongestionWindow,
        &[
            Cause::None,
            Cause::SlowStart,
            Cause::IdleRestart,
            Cause::CongestionAvoidance,
            Cause::Pacing,
        ],
    ),
    (
        Limit::PathBandwidth,
        &[Cause::None, Cause::StandingQueue, Cause::SteadyRate, Cause::EcnMarked, Cause::Policer],
    ),
    (
        Limit::LossRecovery,
        &[
            Cause::None,
            Cause::FastRetransmit,
            Cause::Timeout,
            Cause::TailLoss,
            Cause::DoubleLoss,
            Cause::SmallFlight,
            Cause::Spurious,
        ],
    ),
    (Limit::DelayedAck, &[Cause::Nagle]),
    (
        Limit::SilentPath,
        &[
            Cause::None,
            Cause::PeerVanished,
            Cause::ProbesUnanswered,
            Cause::PmtuBlackHole,
            Cause::ConnectionForgotten,
        ],
    ),
    (Limit::Unknown, &[Cause::None, Cause::CaptureHole]),
];

fn endpoint(last: u8, port: u16) -> Endpoint {
    Endpoint::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)), port)
}

fn facts() -> Facts {
    Facts {
        mss: 1448,
        rtt_floor: Nanos(20_100_000),
        peak_bps: 98_300_000,
        path_bps: 0,
        max_flight: 16_384,
        first_flight: 0,
        resent: false,
        max_window: 4 << 20,
        min_window: 1 << 20,
        scale: WindowScale::Known(7),
        tail: Nanos::ZERO,
    }
}

fn evidence() -> Evidence {
    Evidence {
        acked: 22_000_000,
        flight: 16_384,
        window: 4 << 20,
        room: 4 << 20,
        rtt_min: Nanos(20_100_000),
        rtt_mean: Nanos(20_300_000),
        stalls: 1203,
        longest_stall: Nanos(20_400_000),
        retransmissions: 3,
    }
}

fn direction(from: Side, limit: Limit, cause: Cause) -> Direction {
    let interval = |from, to, limit, cause| Interval {
        from,
        to,
        limit,
        cause,
        confidence: 90,
        source: Source::Packets,
        first_frame: 120,
        last_frame: 188,
        evidence: evidence(),
    };
    let (start, middle, end) = (Nanos(0), Nanos(24_347_000_000), Nanos(25_100_000_000));
    Direction {
        from,
        bytes: 22_000_000,
        transfer: end,
        retransmitted: 4_344,
        verdict: Verdict { limit, cause, share: 0.97, confidence: 0.9 },
        what_if: Box::new([]),
        timeline: Box::new([
            interval(start, middle, limit, cause),
            interval(middle, end, Limit::DelayedAck, Cause::None),
        ]),
        transfers: Box::new([]),
        transfers_omitted: 12,
        progress: None,
        owes: false,
        facts: facts(),
        traits: None,
    }
}

fn connection(server: Direction) -> Connection {
    let mut client = direction(Side::Client, Limit::Unknown, Cause::None);
    (client.bytes, client.timeline) = (0, Box::new([]));
    Connection {
        id: 0,
        client: endpoint(2, 51_234),
        server: endpoint(1, 3306),
        opened: Nanos(0),
        start: Nanos(0),
        duration: Nanos(25_100_000_000),
        packets: 31_402,
        vantage: Vantage { position: 1.0, confidence: 0.9 },
        rtt: RttSummary::default(),
        directions: [client, server],
        findings: Box::new([]),
    }
}

fn case(limit: Limit, cause: Cause) -> Connection {
    connection(direction(Side::Server, limit, cause))
}

fn said(c: &Connection) -> String {
    sentence(c, &c.directions[1], Language::En)
}

fn advised(c: &Connection) -> Vec<String> {
    steps(c, &c.directions[1], Language::En)
}

#[test]
fn the_send_buffer_sentence_carries_its_numbers() {
    assert_eq!(
        said(&case(Limit::SendBuffer, Cause::None)),
        "The server's send buffer held it back: 97 % of 25.1 s were spent waiting for \
         acknowledgements with only 16.0 KiB in flight; the path and the client's window (4.0 MiB) \
         had room for more."
    );
}

#[test]
fn a_window_that_was_as_small_as_the_buffer_at_first_is_told_by_what_it_became() {
    let mut c = case(Limit::SendBuffer, Cause::None);
    c.directions[1].timeline[0].evidence.window = 17_000;
    assert!(said(&c).contains("the client's window (up to 4.0 MiB) had room"), "{}", said(&c));
}

#[test]
fn every_limit_and_cause_has_its_own_sentence_with_its_share() {
    let mut seen = std::collections::HashSet::new();
    for (limit, causes) in CAUSES {
        for &cause in causes {
            let text = said(&case(limit, cause));
            assert!(text.contains("97 % of 25.1 s"), "{limit:?} {cause:?}: {text}");
            assert!(text.ends_with('.') && !text.contains("  "), "{limit:?} {cause:?}: {text}");
            let plain = matches!(cause, Cause::None | Cause::SenderApplication | Cause::SteadyRate)
                || (limit, cause) == (Limit::SilentPath, Cause::PeerVanished)
                || (limit, cause) == (Limit::LossRecovery, Cause::FastRetransmit);
            assert!(seen.insert(text.clone()) || plain, "said twice: {text}");
        }
    }
}

#[test]
fn what_was_not_measured_is_not_said() {
    for (limit, causes) in CAUSES {
        for &cause in causes {
            let mut c = case(limit, cause);
            let d = &mut c.directions[1];
            d.retransmitted = 0;
            (d.facts.rtt_floor, d.facts.peak_bps, d.facts.mss) = (Nanos::ZERO, 0, 0);
            for i in &mut d.timeline {
                i.evidence = Evidence::default();
            }
            let words = format!("{} {}", said(&c), advised(&c).join(" "));
            for zero in [" 0 B", " 0 s", " 0 bit/s"] {
                assert!(!words.contains(zero), "{limit:?} {cause:?}: {words}");
            }
        }
    }
}

#[test]
fn a_window_that_varied_is_told_by_what_it_allowed() {
    let told = |largest: u32| {
        let mut c = case(Limit::ReceiveWindow, Cause::SmallBuffer);
        let d = &mut c.directions[1];
        d.facts.max_window = largest;
        (d.timeline[0].evidence.window, d.timeline[0].evidence.flight) = (1_448, 2_896);
        said(&c)
    };
    assert!(told(4_096).contains("offers (2.8 KiB)") && told(4_096).contains("1.2 Mbit/s"));
    // From afar more seems to be in flight than any window allows.
    assert!(told(2_048).contains("offers (2.0 KiB)"));
}

#[test]
fn doubt_is_said() {
    let mut c = case(Limit::SendBuffer, Cause::None);
    c.directions[1].verdict.confidence = 0.6;
    assert!(said(&c).ends_with("This is likely, not certain (confidence 60 %)."));
    c.directions[1].verdict.confidence = 0.3;
    assert!(said(&c).ends_with("The evidence is thin (confidence 30 %)."));
    c.directions[1].facts.scale = WindowScale::Inferred { min: 5, max: 7 };
    assert!(said(&c).contains("inferred (2^5 to 2^7)"));
    c.directions[1].verdict.share = 0.4;
    assert!(said(&c).contains("largest of several limits"));
}

#[test]
fn the_part_of_the_cause_is_not_that_of_the_whole_limit() {
    let mut c = case(Limit::ReceiveWindow, Cause::ZeroWindow);
    let d = &mut c.directions[1];
    d.timeline[0].to = Nanos(11_546_000_000);
    d.timeline[1].from = d.timeline[0].to;
    (d.timeline[1].limit, d.timeline[1].cause) = (Limit::ReceiveWindow, Cause::SlowReader);
    let text = said(&c);
    assert!(text.contains("for 46 % of 25.1 s its window was closed"), "{text}");
    let all = "All causes together, receive window took 97 % of the time.";
    assert!(text.ends_with(all), "{text}");
}

#[test]
fn an_empty_direction_says_so_and_advises_nothing() {
    let c = case(Limit::SendBuffer, Cause::None);
    assert_eq!(sentence(&c, &c.directions[0], Language::En), "The client sent no data.");
    assert!(steps(&c, &c.directions[0], Language::En).is_empty());
}

#[test]
fn every_limit_has_advice_that_names_a_place_or_a_reason() {
    for (limit, causes) in CAUSES {
        for &cause in causes {
            let steps = advised(&case(limit, cause));
            assert!(!steps.is_empty(), "{limit:?} {cause:?}");
            for step in steps {
                assert!(step.ends_with('.') && !step.contains("  "), "{step}");
            }
        }
    }
}

#[test]
fn messages_that_let_more_go_many_times_in_a_transfer_are_a_window_of_the_protocol() {
    let mut c = case(Limit::Application, Cause::WaitingForPeer);
    let granted = |c: &Connection| advised(c)[0].starts_with("If the protocol has a window");
    for interval in &mut c.directions[1].timeline {
        (interval.evidence.stalls, interval.evidence.flight) = (100, 65_536);
        interval.evidence.acked = 65_536;
    }
    assert!(granted(&c), "{:?}", advised(&c));
    let steps = advised(&c);
    assert!(
        steps[0].contains("64.0 KiB in flight and a round trip of 20.1 ms allow 26"),
        "{steps:?}"
    );
    c.directions[1].transfers_omitted = 100;
    assert!(!granted(&c), "turns");
    // So many small ones that nobody waits for long.
    c.directions[1].transfers_omitted = 0;
    for interval in &mut c.directions[1].timeline {
        (interval.evidence.stalls, interval.evidence.acked) = (0, 10 * 65_536);
    }
    assert!(granted(&c), "{:?}", advised(&c));
}

#[test]
fn slow_growth_after_losses_is_told_as_loss() {
    let mut c = case(Limit::CongestionWindow, Cause::CongestionAvoidance);
    assert!(said(&c).starts_with("Lost packets held it back: after a loss"), "{}", said(&c));
    let (kind, side) = (FindingKind::RandomLoss, Side::Server);
    c.findings = Box::new([Finding { kind, side, count: 62, value: 0, frame: 7 }]);
    assert!(said(&c).contains("took 62 chance losses for congestion"), "{}", said(&c));
    c.directions[1].retransmitted = 0;
    assert!(said(&c).starts_with("The server held itself back"), "{}", said(&c));
    // Before the period that is asked for.
    c.directions[1].facts.resent = true;
    assert!(said(&c).starts_with("Lost packets held it back"), "{}", said(&c));
}

#[test]
fn slow_growth_after_marks_is_told_as_marks() {
    let mut c = case(Limit::CongestionWindow, Cause::CongestionAvoidance);
    c.directions[1].retransmitted = 0;
    let (kind, side) = (FindingKind::EcnMarks, Side::Server);
    c.findings = Box::new([Finding { kind, side, count: 71, value: 0, frame: 23 }]);
    assert!(said(&c).starts_with("Congestion marks (ECN) held it back"), "{}", said(&c));
    assert!(advised(&c)[0].contains("let more wait before it marks"), "{:?}", advised(&c));
}

#[test]
fn the_policed_rate_is_that_of_the_finding_not_of_the_burst() {
    let mut c = case(Limit::PathBandwidth, Cause::Policer);
    assert!(!said(&c).contains("bit/s"));
    let (kind, side) = (FindingKind::Policer, Side::Server);
    c.findings = Box::new([Finding { kind, side, count: 0, value: 1_500_000, frame: 7 }]);
    assert!(said(&c).contains("(1.5 Mbit/s or more; 7.2 Mbit/s got through)"), "{}", said(&c));
    assert!(advised(&c)[1].contains("1.5 Mbit/s or more"), "{:?}", advised(&c));
}

#[test]
fn findings_speak_in_singular_and_plural() {
    let c = case(Limit::SendBuffer, Cause::None);
    let say = |kind, count, value| {
        let finding = Finding { kind, side: Side::Server, count, value, frame: 7 };
        finding_sentence(&c, &finding, Language::En)
    };
    assert_eq!(
        say(FindingKind::SpuriousRetransmissions, 1, 0),
        "The server resent 1 segment that had arrived already."
    );
    assert_eq!(
        say(FindingKind::SynRetries, 3, 0),
        "The server had to send its SYN again (3 times)."
    );
    assert!(say(FindingKind::Policer, 0, 1_500_000).contains("1.5 Mbit/s"));
    assert!(say(FindingKind::CaptureHole, 2, 2_896).contains("2.9 kB"));
}

#[test]
fn where_nothing_but_the_handshake_passed_the_size_of_packets_may_be_why() {
    let first_step = |peak_bps: u64| {
        let mut c = case(Limit::SilentPath, Cause::PeerVanished);
        c.directions[1].facts.peak_bps = peak_bps;
        advised(&c).swap_remove(0)
    };
    let text = first_step(0);
    assert!(text.contains("no full segment (1,448 bytes)"), "{text}");
    assert!(text.contains("`ping -M do -s 1472 10.0.0.2`"), "{text}");
    assert!(first_step(9_000_000).starts_with("Find out what became of the other end"));
}

mod buffers;
mod exchange;
mod gain;
mod languages;
