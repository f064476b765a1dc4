//! Timelines from packets, beside the samples of a sender whose buffer is full, 20 ms away.

use super::*;
use crate::model::{Facts, RttSummary, Side, Transfer, Vantage, Verdict, WindowScale};
use crate::observe::Endpoint;
use crate::socket::{Receiver, Seen, connections};

const START: i64 = 1_700_000_000_000_000_000;

fn end(port: u16) -> Endpoint {
    Endpoint::new(std::net::Ipv4Addr::LOCALHOST.into(), port)
}

fn moment(ms: i64) -> Nanos {
    Nanos(START + ms * 1_000_000)
}

/// The sender's state: 16 KiB in flight, its buffer full, 5 ms a sample.
fn full(ms: i64) -> State {
    State {
        t_ns: u64::try_from(moment(ms).0).unwrap(),
        established: true,
        outstanding: 16_384,
        in_flight: 12,
        cwnd: 40,
        snd_wnd: 65_000,
        mss: 1448,
        srtt_us: 20_000,
        min_rtt_us: 20_000,
        wmem_queued: 33_000,
        sndbuf: 32_768,
        acked: u64::try_from(ms).unwrap() * 800,
        ssthresh: u32::MAX,
        scaled: true,
        ..State::default()
    }
}

fn sampled(until_ms: i64, locks: Option<u8>) -> Histories {
    let mut all = Histories::default();
    for ms in (0..until_ms).step_by(5) {
        let seen = Seen { state: full(ms), receiver: Receiver::default() };
        all.push("host", 1, [end(40_000), end(80)], seen, locks);
    }
    all.finish();
    all
}

fn connection(intervals: &[(i64, Limit, u8)]) -> Connection {
    let mut from = 0;
    let mut timeline = Vec::new();
    for (ms, limit, confidence) in intervals {
        timeline.push(Interval {
            from: moment(from),
            to: moment(from + ms),
            limit: *limit,
            cause: Cause::None,
            confidence: *confidence,
            source: Source::Packets,
            first_frame: 1,
            last_frame: 9,
            evidence: Evidence { acked: 1000, ..Evidence::default() },
        });
        from += ms;
    }
    let whole = Transfer {
        from: moment(0),
        to: moment(from),
        bytes: 3000,
        retransmitted: 0,
        first_frame: 1,
        last_frame: 9,
    };
    let facts = Facts {
        mss: 1448,
        rtt_floor: Nanos::from_millis(20),
        peak_bps: 6_000_000,
        path_bps: 0,
        max_flight: 16_384,
        first_flight: 0,
        resent: false,
        max_window: 65_000,
        min_window: 65_000,
        scale: WindowScale::Known(7),
        tail: Nanos::ZERO,
    };
    let up = Direction {
        from: Side::Client,
        bytes: 3000,
        transfer: Nanos::from_millis(from),
        retransmitted: 0,
        verdict: Verdict { limit: Limit::Unknown, cause: Cause::None, share: 1.0, confidence: 0.5 },
        what_if: Box::default(),
        timeline: timeline.into(),
        transfers: Box::new([whole]),
        transfers_omitted: 0,
        progress: None,
        owes: false,
        facts,
        traits: None,
    };
    let down = Direction { from: Side::Server, bytes: 0, timeline: Box::default(), ..up.clone() };
    Connection {
        id: 0,
        client: end(40_000),
        server: end(80),
        opened: moment(0),
        start: moment(0),
        duration: Nanos::from_millis(from),
        packets: 9,
        vantage: Vantage { position: 0.0, confidence: 0.9 },
        rtt: RttSummary::default(),
        directions: [up, down],
        findings: Box::default(),
    }
}

fn told(c: &Connection) -> Vec<(i64, Limit, Cause, u8, Source)> {
    let ms = |i: &Interval| (i.to - i.from).0 / 1_000_000;
    let told = |i: &Interval| (ms(i), i.limit, i.cause, i.confidence, i.source);
    c.directions[0].timeline.iter().map(told).collect()
}

#[test]
fn what_packets_leave_open_the_kernel_settles_and_the_lock_is_the_cause() {
    let mut c = connection(&[(400, Limit::Unknown, 50), (400, Limit::CongestionWindow, 60)]);
    settle(&mut c, &sampled(900, Some(1)), 4_194_304);
    let locked = Cause::LockedByApplication;
    assert_eq!(told(&c), [(800, Limit::SendBuffer, locked, SURE, Source::Samples)]);
    let verdict = c.directions[0].verdict;
    assert_eq!((verdict.limit, verdict.cause), (Limit::SendBuffer, locked));
    assert!(verdict.confidence > 0.9);
    assert!(c.directions[0].what_if.iter().any(|w| w.lift == Limit::SendBuffer));
}

#[test]
fn what_samples_settle_is_predicted_over_the_path_that_the_packets_show() {
    let lifted = |capacity| {
        let mut c = connection(&[(800, Limit::Unknown, 50)]);
        c.directions[0].traits = Some(Traits { capacity, ..Traits::default() });
        settle(&mut c, &sampled(900, Some(1)), 4_194_304);
        assert!(c.directions[0].traits.is_some(), "the model comes after it");
        let mut what_if = c.directions[0].what_if.iter();
        what_if.find(|w| w.lift == Limit::SendBuffer).unwrap().transfer
    };
    let seen = connection(&[]).directions[0].facts.peak_bps / 8;
    assert!(lifted(seen * 4) < lifted(seen).scale(2, 3));
}

#[test]
fn what_packets_say_of_themselves_is_made_surer_or_left_alone() {
    let mut c = connection(&[(400, Limit::SendBuffer, 60), (400, Limit::LossRecovery, 90)]);
    settle(&mut c, &sampled(900, None), 32_768);
    let most = Cause::SystemMaximum;
    assert_eq!(
        told(&c),
        [
            (400, Limit::SendBuffer, most, SURE, Source::Both),
            (400, Limit::LossRecovery, Cause::None, 90, Source::Packets)
        ]
    );
}

#[test]
fn where_the_windows_scale_is_guessed_the_kernel_knows_the_window() {
    let mut all = Histories::default();
    for ms in (0..1300).step_by(5) {
        let state = State { snd_wnd: 16_384, unsent: 500_000, ..full(ms) };
        let seen = Seen { state, receiver: Receiver::default() };
        all.push("host", 1, [end(40_000), end(80)], seen, None);
    }
    all.finish();
    let answer = |scale| {
        let intervals = [
            (400, Limit::SendBuffer, 90),
            (400, Limit::LossRecovery, 90),
            (400, Limit::SendBuffer, 90),
        ];
        let mut c = connection(&intervals);
        c.directions[0].facts.scale = scale;
        let (kind, side) = (FindingKind::ScaleInferred, Side::Server);
        c.findings = Box::new([Finding { kind, side, count: 0, value: 6, frame: 0 }]);
        settle(&mut c, &all, 4_194_304);
        let rests = c.directions[0].rests_on_samples();
        assert_eq!(c.findings.is_empty(), rests, "it is said where the verdict depends on it");
        told(&c).iter().map(|(ms, limit, _, _, source)| (*ms, *limit, *source)).collect::<Vec<_>>()
    };
    let lost = (400, Limit::LossRecovery, Source::Packets);
    let window = (400, Limit::ReceiveWindow, Source::Samples);
    let buffer = (400, Limit::SendBuffer, Source::Packets);
    assert_eq!(answer(WindowScale::Inferred { min: 6, max: 14 }), [window, lost, window]);
    assert_eq!(answer(WindowScale::Inferred { min: 7, max: 7 }), [buffer, lost, buffer]);
    assert_eq!(answer(WindowScale::Known(7)), [buffer, lost, buffer]);
}

#[test]
fn whether_the_process_had_more_to_send_only_its_kernel_knows() {
    let mut c = connection(&[(400, Limit::Application, 95), (400, Limit::LossRecovery, 95)]);
    settle(&mut c, &sampled(900, Some(1)), 4_194_304);
    let locked = Cause::LockedByApplication;
    assert_eq!(
        told(&c),
        [
            (400, Limit::SendBuffer, locked, SURE, Source::Samples),
            (400, Limit::LossRecovery, Cause::None, 95, Source::Packets)
        ]
    );
}

#[test]
fn a_window_that_nothing_waits_for_held_nobody_however_slowly_it_seems_to_grow() {
    let mut c = connection(&[(400, Limit::CongestionWindow, 85), (400, Limit::PathBandwidth, 85)]);
    settle(&mut c, &sampled(900, None), 4_194_304);
    let limits: Vec<_> = told(&c).into_iter().map(|told| (told.0, told.1)).collect();
    // Whether the path is full, packets tell.
    assert_eq!(limits, [(400, Limit::SendBuffer), (400, Limit::PathBandwidth)]);
}

#[test]
fn where_nothing_was_sampled_nothing_changes() {
    let before = connection(&[(100, Limit::Unknown, 50), (700, Limit::Unknown, 50)]);
    let mut c = before.clone();
    settle(&mut c, &Histories::default(), 0);
    assert_eq!(c, before);
    // A recorder that stops after 200 ms: less than half of the second interval.
    settle(&mut c, &sampled(200, None), 0);
    let parts = told(&c);
    assert_eq!(parts[0].4, Source::Samples);
    assert_eq!(parts.last().unwrap(), &(700, Limit::Unknown, Cause::None, 50, Source::Packets));
}

#[test]
fn a_timeline_stays_a_partition_of_its_time() {
    let mut sockets = Histories::default();
    for ms in (0..2000).step_by(5) {
        // Of every 100 ms the sender has nothing to send for 40.
        let idle = State { outstanding: 0, in_flight: 0, wmem_queued: 0, ..full(ms) };
        let state = if ms % 100 < 40 { idle } else { full(ms) };
        let seen = Seen { state, receiver: Receiver::default() };
        sockets.push("host", 1, [end(40_000), end(80)], seen, None);
    }
    sockets.finish();
    let mut c = connection(&[(300, Limit::Handshake, 90), (900, Limit::Unknown, 50)]);
    settle(&mut c, &sockets, 0);
    let timeline = &c.directions[0].timeline;
    assert!(timeline.windows(2).all(|pair| pair[0].to == pair[1].from), "{timeline:?}");
    assert_eq!((timeline[0].from, timeline.last().unwrap().to), (moment(0), moment(1200)));
    assert_eq!(timeline[0].limit, Limit::Handshake);
    assert!(timeline.iter().any(|i| i.limit == Limit::Application));
}

#[test]
fn a_receiver_that_does_not_read_is_a_slow_reader() {
    let behind = Receiver { unread: 60_000, rmem_alloc: 70_000, rcvbuf: 131_072 };
    let mut sockets = Histories::default();
    for ms in (0..900).step_by(5) {
        let seen = Seen { state: State { outstanding: 0, ..full(ms) }, receiver: behind };
        sockets.push("host", 2, [end(80), end(40_000)], seen, None);
    }
    sockets.finish();
    let mut c = connection(&[(400, Limit::ReceiveWindow, 60), (400, Limit::SendBuffer, 90)]);
    settle(&mut c, &sockets, 0);
    let parts = told(&c);
    assert_eq!(parts[0].1, Limit::ReceiveWindow);
    assert_eq!((parts[0].2, parts[0].3), (Cause::SlowReader, SURE));
    assert_eq!(parts[1], (400, Limit::SendBuffer, Cause::None, 90, Source::Packets));
}

#[test]
fn samples_alone_are_a_connection_too() {
    let found = connections(&sampled(900, Some(1)), 4_194_304);
    assert_eq!(found.len(), 1);
    let up = &found[0].directions[0];
    assert_eq!((found[0].client, found[0].server), (end(40_000), end(80)));
    assert_eq!(up.verdict.limit, Limit::SendBuffer);
    assert_eq!(up.verdict.cause, Cause::LockedByApplication);
    assert_eq!(up.bytes, 895 * 800);
    assert!(connections(&Histories::default(), 0).is_empty());
}

#[test]
fn samples_tell_that_a_loss_was_repaired() {
    let resent = |ca_state: u8| {
        let mut all = Histories::default();
        for ms in (0..900).step_by(5) {
            let state = State { ca_state: if ms == 400 { ca_state } else { 0 }, ..full(ms) };
            let seen = Seen { state, receiver: Receiver::default() };
            all.push("host", 1, [end(40_000), end(80)], seen, None);
        }
        all.finish();
        connections(&all, 0)[0].directions[0].facts.resent
    };
    assert!(resent(3));
    assert!(!resent(2), "a window that was cut for a mark");
}
