//! Captures of several hosts, whose clocks are apart: by packets that two of them have.

use crate::interfaces::Interfaces;
use crate::note::{Note, NoteKind};
use crate::opening::Start;
use crate::source::{Source, State};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use tcpwhy_core::decode::{Decoded, decode};
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;

/// More files than this are a rotation, by one clock.
const FILES: usize = 8;
/// Packets of each file that are looked at: captures of one transfer are begun by hand, one soon after the other.
const FIRST: usize = 100_000;
/// Packets that two files have to have in common.
const COMMON: usize = 8;
/// Clocks that are less apart than this are left alone: copies that come within it are known.
const APART: Nanos = Nanos::from_millis(200);
/// As `APART`, where packets of one way only tell, which a path's delay and its queue keep as well.
const APART_ONE_WAY: Nanos = Nanos::from_secs(1);
/// A queue keeps no packet for longer; what differs by more is not the same packet.
const AGREE: Nanos = Nanos::from_secs(5);

/// A packet that is like no other.
struct Seen {
    /// Tells it from all others.
    print: u64,
    time: Nanos,
    /// Which of the two ways it goes.
    forth: bool,
}

/// Takes back each file's clock that is ahead of those of the files before it, and says so. Only regular files, which can be opened again,
/// are compared.
pub(crate) fn settle(starts: &mut [Start], notes: &mut Vec<Note>) {
    let regular = |start: &&mut Start| matches!(start.source.state, State::Waiting);
    let mut files: Vec<&mut Start> = starts.iter_mut().filter(regular).collect();
    if !(2..=FILES).contains(&files.len()) {
        return;
    }
    let names: Vec<String> = files.iter().map(|start| start.source.item.name.clone()).collect();
    let mut known: Known = HashMap::new();
    for (at, start) in files.iter_mut().enumerate() {
        let seen = packets(&mut start.source);
        if let Some((ahead, of)) = ahead(&seen, &known) {
            start.source.ahead = ahead;
            start.time = start.time - ahead;
            let of = names.get(of).cloned().unwrap_or_default();
            notes.push(Note::new(start.source.item.name.clone(), NoteKind::Clock { of, ahead }));
        }
        for one in seen {
            known.entry(one.print).or_insert((one.time - start.source.ahead, at));
        }
    }
}

/// When the first file that has it shows each packet, and which one that is.
type Known = HashMap<u64, (Nanos, usize)>;

/// How far ahead the clock is by which these packets were `seen`, and of which file's.
///
/// What goes one way is later at one end and what comes back at the other, each by the path's delay and by queues. As clocks are set over
/// a network (RFC 5905 section 8), what queued least counts, and the mean of both ways.
fn ahead(seen: &[Seen], known: &Known) -> Option<(Nanos, usize)> {
    let [forth, back] = [true, false].map(|way| {
        let found = seen.iter().filter(|one| one.forth == way).filter_map(|one| {
            let (before, of) = known.get(&one.print)?;
            Some((one.time - *before, *of))
        });
        Later::of(found.collect())
    });
    let (ahead, of, least) = match (forth, back) {
        (Some(one), Some(other)) => {
            let (to, from) = if one.most > other.most { (one, other) } else { (other, one) };
            (Nanos(to.least.0.midpoint(from.most.0)), to.of, APART)
        }
        (one, other) => one.or(other).map(|only| (only.least, only.of, APART_ONE_WAY))?,
    };
    (Nanos(ahead.0.saturating_abs()) > least).then_some((ahead, of))
}

/// By how much packets of one way are later than in another file, but for the few that are so by least or most.
struct Later {
    least: Nanos,
    most: Nanos,
    of: usize,
}

impl Later {
    /// None where they do not agree.
    fn of(mut later: Vec<(Nanos, usize)>) -> Option<Self> {
        later.sort_unstable();
        let (few, last) = (later.len() / 16, later.len().checked_sub(1)?);
        let (least, most) = (later.get(few)?.0, later.get(last - few)?.0);
        let agree = later.len() >= COMMON && most - least <= AGREE;
        agree.then_some(Self { least, most, of: later[0].1 })
    }
}

/// The first packets of a file that are like no others.
fn packets(source: &mut Source) -> Vec<Seen> {
    let Ok(mut reader) = Source::open(&mut source.item, source.lane) else { return Vec::new() };
    let (mut interfaces, mut number) = (Interfaces::default(), 0);
    let mut segment = Segment::default();
    let mut seen = Vec::new();
    for _ in 0..FIRST {
        if reader.advance(&mut interfaces).is_none() {
            break;
        }
        let Some(frame) = reader.frame(&mut number) else { break };
        if decode(&frame, &mut segment) == Decoded::Segment {
            seen.extend(seen_as(&segment));
        }
    }
    seen
}

/// Nothing where its sender neither stamps nor counts its packets: it may be sent again then.
fn seen_as(s: &Segment) -> Option<Seen> {
    let stamps = s.options.timestamps;
    let mut hasher = DefaultHasher::new();
    (s.src, s.dst, s.seq.0, s.ack.0, s.len, s.flags, s.ip_id, stamps).hash(&mut hasher);
    let seen = Seen { print: hasher.finish(), time: s.time, forth: s.src < s.dst };
    (stamps.is_some() || s.ip_id != 0).then_some(seen)
}
