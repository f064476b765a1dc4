//! What streams is told as it would be if nothing did: of generated traffic, and of the same traffic badly captured.

use crate::analysis::Analyzer;
use crate::flow::Flow;
use crate::flow::packet::Packet;
use crate::flow::placed::Taker;
use crate::model::Side;
use crate::observe::{Segment, flags};
use crate::random::Rng;
use crate::units::{Nanos, Seq};
use crate::whatif::traffic::{Control, Loss, Reader, Scenario, Window, Workload, simulate};
use std::cell::Cell;

thread_local! {
    static FORBIDDEN: Cell<bool> = const { Cell::new(false) };
    static STREAMED: Cell<u32> = const { Cell::new(0) };
}

/// Whether a segment that streams may be taken as such; counts those that are.
pub(super) fn allows() -> bool {
    let allowed = !FORBIDDEN.get();
    STREAMED.set(STREAMED.get() + u32::from(allowed));
    allowed
}

/// The whole answer, and how many segments streamed.
fn answer(segments: &[Segment], forbidden: bool) -> (String, u32) {
    FORBIDDEN.set(forbidden);
    STREAMED.set(0);
    let mut analyzer = Analyzer::new();
    segments.iter().for_each(|s| analyzer.push(s));
    (format!("{:?}", analyzer.finish()), STREAMED.get())
}

/// Says the same both ways; how many segments streamed.
fn agrees(segments: &[Segment]) -> u32 {
    let ((general, none), (fast, streamed)) = (answer(segments, true), answer(segments, false));
    assert_eq!(none, 0);
    assert_eq!(fast, general);
    streamed
}

/// All that is written down of each stretch, of a connection captured at its server; more than the answer shows.
fn records(segments: &[Segment], forbidden: bool) -> String {
    FORBIDDEN.set(forbidden);
    let first = &segments[0];
    let mut flow = Flow::new(1, [first.src, first.dst], first.time);
    for segment in segments {
        let side = if segment.src == first.src { Side::Client } else { Side::Server };
        flow.take(&Packet::of(segment, side), segment.time, None);
    }
    flow.end();
    format!("{:?}", flow.senders.map(|sender| sender.map(|sender| sender.record)))
}

fn scenarios() -> Vec<Scenario> {
    let workload = |messages, message_bytes| Workload {
        messages,
        message_bytes,
        peer_think: Nanos::from_millis(15),
        ..Workload::default()
    };
    let base = Scenario { workload: workload(2, 400_000), ..Scenario::default() };
    let slow = Reader { bytes_per_second: 1_000_000, read_bytes: 4_000, pauses: Vec::new() };
    let little =
        Workload { write_bytes: 3_000, write_every: Nanos::from_millis(3), ..base.workload };
    let often = Workload { write_bytes: 300, write_every: Nanos::from_micros(50), ..base.workload };
    vec![
        base.clone(),
        Scenario { workload: often, ..base.clone() },
        Scenario { loss: Loss::PerMille(10), control: Control::Cubic, ..base.clone() },
        Scenario { window: Window::fixed(20_000), tso: true, ..base.clone() },
        Scenario { window: Window::fixed(64_000), reader: slow, ..base.clone() },
        Scenario { send_buffer: 32_768, sack: false, ..base.clone() },
        Scenario { workload: little, nagle: true, timestamps: false, ..base.clone() },
        Scenario { control: Control::Paced, handshake: false, scale: None, ..base.clone() },
        Scenario { workload: workload(20, 15_000), handshake: false, ..base },
    ]
}

/// The same segments as a bad tap, or a hostile one, would have them.
fn mutated(segments: &[Segment], rng: &mut Rng) -> Vec<Segment> {
    let mut all = Vec::new();
    for segment in segments {
        let mut s = *segment;
        match rng.below(60) {
            0 => continue,
            1 => all.push(s),
            2 => s.time += Nanos(rng.below(40_000_000) as i64 - 20_000_000),
            3 => s.window = rng.below(1 << 16) as u16 >> rng.below(16),
            4 => s.len = s.len * rng.below(4) as u32 / 2,
            5 => s.flags ^= flags::PSH,
            6 => s.seq = Seq(s.seq.0.wrapping_add(rng.below(6_000) as u32).wrapping_sub(3_000)),
            7 => s.ack = Seq(s.ack.0.wrapping_add(rng.below(6_000) as u32).wrapping_sub(3_000)),
            8 => s.flags ^= [flags::FIN, flags::ECE, flags::RST, flags::ACK][rng.below(4) as usize],
            9 => s.options = Default::default(),
            10 => s.len = 1,
            _ => {}
        }
        all.push(s);
    }
    all.iter_mut().zip(1..).for_each(|(s, frame)| s.frame = frame);
    all
}

#[test]
fn generated_traffic_is_judged_the_same() {
    let (mut streamed, mut all) = (0, 0);
    for scenario in scenarios() {
        let trace = simulate(&scenario);
        for position in [0.0, 0.3, 1.0] {
            let segments = trace.capture(position);
            assert_eq!(records(&segments, false), records(&segments, true));
            streamed += agrees(&segments) as usize;
            all += segments.len();
        }
    }
    assert!(streamed > all / 4, "{streamed} of {all}");
}

#[test]
fn mutated_captures_are_judged_the_same() {
    let mut rng = Rng::new(20_261_122);
    let mut streamed = 0;
    for scenario in scenarios() {
        let segments = simulate(&scenario).capture(0.5);
        for _ in 0..12 {
            streamed += agrees(&mutated(&segments, &mut rng));
        }
    }
    assert!(streamed > 10_000, "{streamed}");
}
