//! The answer about a part of the time: it lies in that part, and says there what the whole answer says.

use crate::random::scenario;
use crate::segments::{analyse, check_all, direction};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tcpwhy_core::analysis::{Conclusion, Hand, Judge, Period, Sorter, Work};
use tcpwhy_core::model::{Connection, FindingKind, Limit, Side};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Loss, Scenario, Workload, simulate};

/// What is said of a period.
fn about(period: Period, segments: &[Segment]) -> Vec<Connection> {
    let (mut sorter, mut work, mut judge) = (Sorter::new(), Work::default(), Judge::of(period));
    segments.iter().for_each(|segment| sorter.push(segment, &mut work));
    sorter.close(&mut work);
    while sorter.end_some(usize::MAX, &mut work) {}
    judge.take(work.of(Hand::First));
    Conclusion::new().take(judge.take_finished())
}

/// A part of what lies between the first and the last segment, by percent.
fn part(segments: &[Segment], from: i64, to: i64) -> Period {
    let times = || segments.iter().map(|s| s.time);
    let (first, last) = (times().min().unwrap_or_default(), times().max().unwrap_or_default());
    let at = |percent| first + (last - first).scale(percent, 100);
    Period { from: at(from), to: at(to) }
}

/// Sixteen kilobytes of send buffer over 20 ms.
fn small_buffer() -> Vec<Segment> {
    let workload = Workload { message_bytes: 1_000_000, ..Workload::default() };
    let rtt = Nanos::from_millis(20);
    simulate(&Scenario { send_buffer: 16_384, rtt, workload, ..Scenario::default() }).capture(0.0)
}

#[test]
fn a_part_says_of_its_time_what_the_whole_says_and_knows_the_handshake() {
    let segments = small_buffer();
    let whole = &analyse(&segments)[0];
    let some = &about(part(&segments, 40, 60), &segments)[0];
    let [all, here] = [whole, some].map(|c| direction(c, Side::Server));
    assert_eq!(here.verdict.limit, Limit::SendBuffer);
    assert_eq!((here.facts.scale, here.facts.rtt_floor), (all.facts.scale, all.facts.rtt_floor));
    assert!(some.findings.iter().all(|f| f.kind != FindingKind::Midstream));
    let share = here.bytes as f64 / all.bytes as f64;
    assert!((0.17..0.23).contains(&share), "{share}");
    assert_eq!((some.opened, some.duration), (whole.opened, whole.duration.scale(1, 5)));
}

#[test]
fn round_trips_are_those_of_the_part() {
    let workload = Workload { message_bytes: 5_000_000, ..Workload::default() };
    let (rate_bps, queue_bytes) = (20_000_000, 1_000_000);
    let filling = Scenario { rate_bps, queue_bytes, workload, ..Scenario::default() };
    let segments = simulate(&filling).capture(0.0);
    let whole = analyse(&segments)[0].rtt;
    let [early, late] =
        [(0, 5), (50, 90)].map(|(from, to)| about(part(&segments, from, to), &segments)[0].rtt);
    assert!(early.p95 < whole.median, "{early:?} {whole:?}");
    assert!(late.median >= whole.median && late.min == whole.min, "{late:?} {whole:?}");
}

#[test]
fn a_period_may_end_before_the_last_packet_has_reached_the_sender() {
    // The answer to the request never passes here, but for the acknowledgement of the request that was sent again.
    let workload = Workload { message_bytes: 677, request_bytes: 1, ..Workload::default() };
    let rtt = Nanos::from_millis(75);
    let loss = Loss::LargerThan(500);
    let segments = simulate(&Scenario { rtt, loss, workload, ..Scenario::default() }).capture(0.5);
    let period = part(&segments, 0, 100);
    let end = |c: &Connection| direction(c, Side::Client).timeline.last().map(|i| i.to);
    assert!(end(&analyse(&segments)[0]) > Some(period.to));
    assert_eq!(end(&about(period, &segments)[0]), Some(period.to));
}

#[test]
fn what_was_not_open_in_the_period_is_left_out_and_keeps_its_number() {
    let mut segments = small_buffer();
    let end = segments.last().map_or(Nanos::ZERO, |s| s.time) + Nanos::from_secs(1);
    let begin = segments[0].time;
    let later: Vec<Segment> = segments
        .iter()
        .map(|s| {
            let mut s = Segment { time: end + (s.time - begin), ..*s };
            for port in [&mut s.src.port, &mut s.dst.port] {
                *port += u16::from(*port > 1024);
            }
            s
        })
        .collect();
    segments.extend(later);
    let late = about(Period { from: end, to: Nanos::MAX }, &segments);
    assert_eq!(late.iter().map(|c| c.id).collect::<Vec<_>>(), [1]);
    let early = about(Period { to: end, ..Period::default() }, &segments);
    assert_eq!(early.iter().map(|c| c.id).collect::<Vec<_>>(), [0]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        rng_seed: RngSeed::Fixed(20_261_124),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_timeline_covers_what_lies_in_the_period_and_no_more(s in scenario(), from in -10_i64..110, long in 0_i64..120) {
        let segments = simulate(&s).capture(0.5);
        let period = part(&segments, from, from + long);
        let whole = analyse(&segments);
        let parts = about(period, &segments);
        check_all(&parts);
        for c in &parts {
            let Some(all) = whole.iter().find(|w| w.id == c.id) else { continue };
            for (d, whole) in c.directions.iter().zip(&all.directions) {
                let [Some(first), Some(last)] = [whole.timeline.first(), whole.timeline.last()] else { continue };
                let both = (first.from.max(period.from), last.to.min(period.to));
                let covered = d.timeline.first().zip(d.timeline.last()).map(|(a, b)| (a.from, b.to));
                prop_assert_eq!(covered, (both.0 < both.1).then_some(both));
                prop_assert!(d.bytes <= whole.bytes);
            }
        }
    }

    #[test]
    fn all_of_the_time_is_the_whole_answer(s in scenario()) {
        let segments = simulate(&s).capture(0.5);
        let hour = Nanos::from_secs(3600);
        let Period { from, to } = part(&segments, 0, 100);
        let told = |connections: Vec<Connection>| {
            let directions = connections.into_iter().flat_map(|c| c.directions);
            directions.map(|d| (d.timeline, d.bytes, d.retransmitted, d.transfers)).collect::<Vec<_>>()
        };
        let all = about(Period { from: from - hour, to: to + hour }, &segments);
        prop_assert_eq!(told(all), told(analyse(&segments)));
    }
}
