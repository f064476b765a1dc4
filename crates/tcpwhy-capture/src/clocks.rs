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
/// Clocks that are less apart than this are left alone: what crosses a path may take as long, and copies that come within it are known.
const APART: Nanos = Nanos::from_secs(1);

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

/// How far ahead the clock is by which these packets were `seen`, and of which file's. What goes forth is later at one end, and what comes back
/// at the other, so clocks are as far apart as the mean of both.
fn ahead(seen: &[Seen], known: &Known) -> Option<(Nanos, usize)> {
    let [forth, back] = [true, false].map(|way| {
        let found = seen.iter().filter(|one| one.forth == way).filter_map(|one| {
            let (before, of) = known.get(&one.print)?;
            Some((one.time - *before, *of))
        });
        middle(found.collect())
    });
    let (ahead, of) = match (forth, back) {
        (Some(forth), Some(back)) => (Nanos(forth.0.0.midpoint(back.0.0)), forth.1),
        (one, other) => one.or(other)?,
    };
    (Nanos(ahead.0.saturating_abs()) > APART).then_some((ahead, of))
}

/// The median of the times by which packets are later; none where they do not agree.
fn middle(mut later: Vec<(Nanos, usize)>) -> Option<(Nanos, usize)> {
    later.sort_unstable();
    let middle = *later.get(later.len() / 2).filter(|_| later.len() >= COMMON)?;
    let is_near = |other: &&(Nanos, usize)| Nanos((other.0 - middle.0).0.saturating_abs()) <= APART;
    // Three of four: an end may have sent packets that look like others.
    (later.iter().filter(is_near).count() * 4 >= later.len() * 3).then_some(middle)
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
