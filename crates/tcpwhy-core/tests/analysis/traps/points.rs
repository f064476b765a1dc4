//! 9: a connection that several capture points show.

use super::*;
use crate::segments::analyse;
use tcpwhy_core::model::{FindingKind, Side};
use tcpwhy_core::whatif::traffic::Loss;

/// 64 KiB a round trip.
fn small_buffer(bytes: u64) -> Scenario {
    Scenario { send_buffer: 65_536, ..fast(bytes) }
}

/// What `one` point shows, and `another` one whose clock is so far ahead.
fn together(one: &[Segment], another: &[Segment], ahead: Nanos) -> Vec<Segment> {
    let ahead = |s: &Segment| Segment { scope: 1, time: s.time + ahead, ..*s };
    let mut all: Vec<Segment> = one.iter().copied().chain(another.iter().map(ahead)).collect();
    all.sort_by_key(|s| s.time);
    all
}

/// Each segment of data as two: offload sends as many what a host's own interfaces show as one.
fn halved(segments: &[Segment]) -> Vec<Segment> {
    let halves = |s: &Segment| {
        let first = Segment { len: s.len / 2, ..*s };
        let rest = Segment { seq: s.seq + first.len, len: s.len - first.len, ..*s };
        [Some(first).filter(|first| first.len > 0), Some(rest)]
    };
    segments.iter().flat_map(halves).flatten().collect()
}

#[test]
fn trap_09_the_captures_of_both_ends_are_one_transfer_however_their_clocks_are_set() {
    let lossy = Scenario { loss: Loss::PerMille(5), ..fast(3_000_000) };
    for scenario in [small_buffer(3_000_000), lossy] {
        let simulated = simulate(&scenario);
        let [sender, receiver] = [0.0, 1.0].map(|position| simulated.capture(position));
        let expected = direction(&connection(&sender), Side::Server).clone();
        for ahead in [-700, -30, -3, 0, 3, 30, 700] {
            let both = connection(&together(&sender, &halved(&receiver), ms(ahead)));
            let d = direction(&both, Side::Server);
            assert_eq!(d.bytes, 3_000_000, "{ahead}");
            assert_eq!(d.verdict.limit, expected.verdict.limit, "{ahead}: {:?}", d.limits());
            assert!(d.retransmitted <= expected.retransmitted, "{ahead}: {}", d.retransmitted);
        }
    }
}

#[test]
fn trap_09_captures_that_were_merged_into_one_are_one_transfer() {
    let lossy = Scenario { loss: Loss::PerMille(5), ..fast(3_000_000) };
    for scenario in [small_buffer(3_000_000), lossy] {
        let simulated = simulate(&scenario);
        let ends = [0.0, 1.0].map(|position| simulated.capture(position));
        let expected = direction(&connection(&ends[0]), Side::Server).clone();
        let [sender, receiver] = &ends;
        for (one, another) in [(sender, &halved(receiver)), (&halved(sender), receiver)] {
            for (identified, ahead) in [(true, 0), (false, 0), (true, 300), (false, -300)] {
                let mut both = together(one, another, ms(ahead));
                let id = |s: &Segment| if identified { s.ip_id } else { 0 };
                both.iter_mut().for_each(|s| (s.scope, s.ip_id) = (0, id(s)));
                let both = connection(&both);
                let d = direction(&both, Side::Server);
                assert_eq!(d.bytes, 3_000_000);
                // Where the receiver's clock is behind, what was lost is seen after what replaced it.
                let most =
                    if ahead < 0 { 2 * expected.retransmitted } else { expected.retransmitted };
                assert!((expected.retransmitted..=most).contains(&d.retransmitted));
                assert_eq!(d.verdict.limit, expected.verdict.limit, "{:?}", d.limits());
            }
        }
    }
}

#[test]
fn trap_09_a_capture_of_another_point_that_seems_to_follow_begins_anew() {
    // Cut while the transfer goes on.
    let whole = simulate(&small_buffer(3_000_000)).capture(0.0);
    let end = whole[0].time + ms(900);
    let first: Vec<Segment> = whole.into_iter().filter(|s| s.time < end).collect();
    // What comes soon may be a clock's difference: it is the same transfer in either case, told once or twice.
    let [once, twice] = [1_000, 3_000].map(|later| {
        let mut both = together(&first, &first, ms(later));
        both.iter_mut().for_each(|s| s.scope = 0);
        let told = analyse(&both);
        told.iter().map(|c| direction(c, Side::Server).clone()).collect::<Vec<_>>()
    });
    assert_eq!((once.len(), twice.len()), (1, 2));
    for told in [&once[0], &twice[1]] {
        assert_eq!((told.bytes, told.verdict.limit), (twice[0].bytes, twice[0].verdict.limit));
        assert_eq!(told.retransmitted, 0);
    }
}

#[test]
fn trap_09_where_one_point_ends_another_tells_the_rest() {
    let capture = simulate(&small_buffer(20_000_000)).capture(0.5);
    let transfer = direction(&connection(&capture), Side::Server).clone();
    let end = capture[0].time + ms(400);
    let first: Vec<Segment> = capture.iter().copied().filter(|s| s.time < end).collect();
    let both = connection(&together(&first, &halved(&capture), ms(1)));
    let d = direction(&both, Side::Server);
    assert_eq!(d.verdict.limit, transfer.verdict.limit, "{:?}", d.limits());
    assert_eq!(d.bytes, transfer.bytes, "of what nobody told the ACKs tell");
}

#[test]
fn trap_09_what_another_point_shows_while_one_has_just_ended_is_not_lost() {
    let capture = simulate(&small_buffer(3_000_000)).capture(0.0);
    let alone = connection(&capture);
    let (begin, end) = (capture[0].time, capture[capture.len() - 1].time);
    let part = |from: i64, to: i64| {
        let at = |percent| begin + (end - begin).scale(percent, 100);
        let within = move |s: &&Segment| (at(from)..=at(to)).contains(&s.time);
        capture.iter().filter(within).copied().collect::<Vec<_>>()
    };
    for (first, second) in [((0, 60), (40, 100)), ((0, 30), (0, 100)), ((0, 100), (50, 70))] {
        let (first, second) = (part(first.0, first.1), part(second.0, second.1));
        let copies = first.len() + second.len() - capture.len();
        let both = connection(&together(&first, &second, Nanos::ZERO));
        let [d, whole] = [&both, &alone].map(|c| direction(c, Side::Server));
        assert_eq!((d.bytes, d.limits()), (whole.bytes, whole.limits()));
        let seen_twice = both.findings.iter().filter(|f| f.kind == FindingKind::SeenTwice);
        assert_eq!(seen_twice.map(|f| f.count).sum::<u64>(), copies as u64);
    }
}
