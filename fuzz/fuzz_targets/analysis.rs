//! Any sequence of segments: the analyser never panics, every timeline partitions its time, and taking
//! the answers bit by bit or at the end makes no difference.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::net::{IpAddr, Ipv4Addr};
use tcpwhy_core::analysis::Analyzer;
use tcpwhy_core::model::{Connection, Direction};
use tcpwhy_core::observe::{Endpoint, Options, Segment, flags};
use tcpwhy_core::units::{Nanos, Seq};

/// Few connections, so that segments meet.
const CONNECTIONS: usize = 3;

/// One segment, said relative to what its direction sent before: plain steps make plausible
/// traffic, and every field can still be pushed to its extremes.
#[derive(Arbitrary, Debug)]
struct Step {
    connection: u8,
    from_server: bool,
    /// Time since the segment before, in microseconds; negative runs backwards.
    gap_us: i32,
    /// First byte, relative to the next in order.
    seq_jump: Jump,
    /// Acknowledged byte, relative to the highest that the other side sent.
    ack_jump: Jump,
    flags: u8,
    window: u16,
    len: Length,
    options: StepOptions,
    frame_skip: u8,
    ip_id: u16,
    ttl: u8,
    scope: u8,
    ce: bool,
    options_cut: bool,
    fragment: bool,
}

#[derive(Arbitrary, Debug)]
enum Jump {
    None,
    Near(i16),
    Anywhere(u32),
}

impl Jump {
    fn from(&self, base: Seq) -> Seq {
        match *self {
            Self::None => base,
            Self::Near(bytes) => base + i32::from(bytes) as u32,
            Self::Anywhere(seq) => Seq(seq),
        }
    }
}

#[derive(Arbitrary, Debug)]
enum Length {
    None,
    FullSized,
    Wire(u16),
    Any(u32),
}

impl Length {
    fn bytes(&self) -> u32 {
        match *self {
            Self::None => 0,
            Self::FullSized => 1448,
            Self::Wire(bytes) => u32::from(bytes),
            Self::Any(bytes) => bytes,
        }
    }
}

#[derive(Arbitrary, Debug)]
enum StepOptions {
    None,
    Syn {
        mss: Option<u16>,
        window_scale: Option<u8>,
        sack_permitted: bool,
    },
    Timestamps(u32, u32),
    /// SACK blocks, relative to the acknowledged byte.
    Sack {
        count: u8,
        blocks: [(i16, i16); 4],
    },
}

impl StepOptions {
    fn options(&self, ack: Seq) -> Options {
        let mut options = Options::default();
        match *self {
            Self::None => {}
            Self::Syn { mss, window_scale, sack_permitted } => {
                (options.mss, options.window_scale) = (mss, window_scale);
                options.sack_permitted = sack_permitted;
            }
            Self::Timestamps(value, echo) => options.timestamps = Some((value, echo)),
            Self::Sack { count, blocks } => {
                options.sack_count = count % 5;
                let near = |bytes: i16| ack + i32::from(bytes) as u32;
                options.sack = blocks.map(|(left, right)| (near(left), near(right)));
            }
        }
        options
    }
}

/// Where the traffic stands: the clock, and the next byte of each direction.
#[derive(Default)]
struct Traffic {
    time: Nanos,
    frame: u64,
    next: [[Seq; 2]; CONNECTIONS],
}

impl Traffic {
    fn segment(&mut self, step: &Step) -> Segment {
        self.time += Nanos::from_micros(i64::from(step.gap_us));
        self.frame = self.frame.saturating_add(u64::from(step.frame_skip)).saturating_add(1);
        let connection = usize::from(step.connection) % CONNECTIONS;
        let (from, to) = (usize::from(step.from_server), usize::from(!step.from_server));
        let seq = step.seq_jump.from(self.next[connection][from]);
        let ack = step.ack_jump.from(self.next[connection][to]);
        let len = step.len.bytes();
        let step_flags = u16::from(step.flags);
        let control = u32::from(step_flags & (flags::SYN | flags::FIN) != 0);
        let end = seq + len + control;
        if end.distance(self.next[connection][from]) > 0 {
            self.next[connection][from] = end;
        }
        let ends = [endpoint(1, 40_000 + connection as u16), endpoint(2, 443)];
        Segment {
            time: self.time,
            frame: self.frame,
            src: ends[from],
            dst: ends[to],
            scope: u32::from(step.scope % 3),
            ip_id: step.ip_id,
            ttl: step.ttl,
            ce: step.ce,
            seq,
            ack,
            flags: step_flags,
            window: step.window,
            len,
            options: step.options.options(ack),
            options_cut: step.options_cut,
            fragment: step.fragment,
        }
    }
}

fn endpoint(host: u8, port: u16) -> Endpoint {
    Endpoint::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, host)), port)
}

/// Intervals that a picture can show; more would grow with the capture.
const MOST_INTERVALS: usize = 1024;

/// No gap, no overlap, no empty interval, a bounded list, and shares that mean something; nothing takes
/// longer with a limit lifted.
fn check(direction: &Direction) {
    for interval in &direction.timeline {
        assert!(interval.from < interval.to, "an interval without time: {interval:?}");
        assert!(interval.first_frame <= interval.last_frame, "frames run backwards: {interval:?}");
    }
    for pair in direction.timeline.windows(2) {
        assert_eq!(pair[0].to, pair[1].from, "gap or overlap: {pair:?}");
    }
    assert!(direction.timeline.len() <= MOST_INTERVALS);
    let total = direction.limits().iter().fold(Nanos::ZERO, |sum, share| sum + share.duration);
    assert_eq!(total, direction.span());
    for part in [direction.verdict.share, direction.verdict.confidence] {
        assert!((0.0..=1.0).contains(&part), "not a part: {part}");
    }
    for lifted in &direction.what_if {
        assert!((Nanos::ZERO..=direction.transfer).contains(&lifted.transfer), "{lifted:?}");
    }
}

fn check_all(connections: &[Connection]) {
    connections.iter().flat_map(|connection| &connection.directions).for_each(check);
}

/// All answers, taken after every segment.
fn bit_by_bit(segments: &[Segment]) -> Vec<Connection> {
    let mut analyzer = Analyzer::new();
    let mut finished = Vec::new();
    for segment in segments {
        analyzer.push(segment);
        finished.extend(analyzer.take_finished());
    }
    finished.extend(analyzer.finish());
    finished.sort_by_key(|connection| connection.id);
    finished
}

/// All answers, taken at the end.
fn at_once(segments: &[Segment]) -> Vec<Connection> {
    let mut analyzer = Analyzer::new();
    segments.iter().for_each(|segment| analyzer.push(segment));
    analyzer.finish()
}

fuzz_target!(|steps: Vec<Step>| {
    let mut traffic = Traffic::default();
    let segments: Vec<Segment> = steps.iter().map(|step| traffic.segment(step)).collect();
    let connections = bit_by_bit(&segments);
    check_all(&connections);
    assert_eq!(connections, at_once(&segments));
});
