//! What went wrong besides: silent failures, and what the capture itself is not able to show.

use super::verdict::depends_on_scale;
use crate::flow::after_close::AfterClose;
use crate::flow::placing::Placing;
use crate::flow::sender::Sender;
use crate::flow::stretch::Stretch;
use crate::flow::tally::{Count, Tally};
use crate::flow::{BUSY_HOST, Flow};
use crate::limits::Losses;
use crate::model::{Direction, Finding, FindingKind, Side, WindowScale};
use crate::units::Nanos;

/// What comes as late as a timer does so often has not been written at that time by chance.
const OFTEN: u64 = 3;
/// Copies that no host is too busy for: the last of them comes more than a second after the first (RFC 6298 section 5.5).
const MANY_COPIES: u64 = 3;
/// ACKs of which a mean tells.
const MANY_ACKS: u32 = 64;

/// The findings of a connection.
pub(super) fn of(flow: &Flow, placing: &Placing) -> Vec<Finding> {
    let mut list = Vec::new();
    of_handshake(flow, &mut list);
    list.extend(broken_off(flow));
    of_capture(flow, placing, &mut list);
    if let Some(Tally { unheard, .. }) = not_accepted(flow, placing) {
        list.push(finding(FindingKind::NotAccepted, Side::Client, unheard.times, 0, unheard.frame));
    }
    for side in [Side::Client, Side::Server] {
        let sender = flow.senders[side as usize].as_ref();
        if let Some(sender) = sender {
            // The rest of a datagram whose first fragment was read is in the capture.
            let fragments = flow.fragments[side as usize].times;
            let captured = placing.packets[side as usize] > 0;
            let lacks = captured && sender.tally.holes.times > fragments;
            of_sender(side, sender, lacks, &mut list);
            list.extend(ack_queue(side, sender));
        }
        list.extend(late_reset(flow, side));
        list.extend(after_close(flow, side));
        list.extend(sender.and_then(|sender| of_silence(side, sender)));
    }
    list
}

/// Leaves out what other packets show than those of two directions' timelines; what the handshake has settled holds ever after.
pub(super) fn keep_shown(list: &mut Vec<Finding>, directions: [&Direction; 2]) {
    let intervals = || directions.iter().flat_map(|direction| direction.timeline.iter());
    let first = intervals().map(|i| i.first_frame).filter(|frame| *frame > 0).min().unwrap_or(0);
    let last = intervals().map(|i| i.last_frame).max().unwrap_or(0);
    list.retain(|f| match f.kind {
        FindingKind::MssClamped | FindingKind::WindowScaleStripped => true,
        _ => f.frame == 0 || (first..=last).contains(&f.frame),
    });
}

fn finding(kind: FindingKind, side: Side, count: u64, value: u64, frame: u64) -> Finding {
    Finding { kind, side, count, value, frame }
}

fn of_handshake(flow: &Flow, list: &mut Vec<Finding>) {
    let syns = flow.handshake.syn;
    for (side, syn) in [Side::Client, Side::Server].into_iter().zip(syns) {
        if let Some(syn) = syn.filter(|s| s.times > 1) {
            let frame = syn.second_frame;
            list.push(finding(FindingKind::SynRetries, side, syn.times - 1, 0, frame));
        }
    }
    match syns {
        [Some(client), Some(server)] => {
            let (c, s) = (client.offer, server.offer);
            if let Some((a, b)) = c.mss.zip(s.mss).filter(|(a, b)| a != b) {
                let (side, syn) =
                    if a < b { (Side::Client, client) } else { (Side::Server, server) };
                let value = u64::from(a.min(b));
                list.push(finding(FindingKind::MssClamped, side, 0, value, syn.frame));
            }
            if c.window_scale.is_some() != s.window_scale.is_some() {
                let side = if c.window_scale.is_none() { Side::Client } else { Side::Server };
                list.push(finding(FindingKind::WindowScaleStripped, side, 0, 0, server.frame));
            }
        }
        [None, None] => list.push(finding(FindingKind::Midstream, Side::Client, 0, 0, 0)),
        _ => {}
    }
}

fn of_capture(flow: &Flow, placing: &Placing, list: &mut Vec<Finding>) {
    for (kind, counts) in [
        (FindingKind::SeenTwice, placing.copies),
        (FindingKind::OutOfOrderTime, placing.backwards),
        (FindingKind::Fragments, flow.fragments),
    ] {
        for (side, count) in [Side::Client, Side::Server].into_iter().zip(counts) {
            if count.times > 0 {
                list.push(finding(kind, side, count.times, 0, count.frame));
            }
        }
    }
    let other = match placing.packets {
        [0, n] if n > 1 => Some(Side::Server),
        [n, 0] if n > 1 => Some(Side::Client),
        _ => None,
    };
    if let Some(side) = other.filter(|_| flow.senders.iter().any(Option::is_some)) {
        list.push(finding(FindingKind::OneWay, side, 0, 0, 0));
    }
}

/// `lacks`: what is missing of this side's packets the capture lacks. If none is in it, that is said by [`FindingKind::OneWay`].
fn of_sender(side: Side, sender: &Sender, lacks: bool, list: &mut Vec<Finding>) {
    let t = &sender.tally;
    let holes = if lacks { t.holes } else { Count::default() };
    let corked = if t.corked.times >= OFTEN { t.corked } else { Count::default() };
    for (kind, side, count, value) in [
        (FindingKind::CaptureHole, side, holes, sender.board.missed),
        (FindingKind::OutOfWindow, side, t.out_of_window, 0),
        (FindingKind::Reordered, side, t.reordered, 0),
        (FindingKind::SpuriousRetransmissions, side, t.needless(), 0),
        (FindingKind::EcnMarks, side, t.marks, 0),
        (FindingKind::Corked, side, corked, 0),
        (FindingKind::WindowUpdateLost, side.other(), t.updates_lost, 0),
    ] {
        if count.times > 0 {
            list.push(finding(kind, side, count.times, value, count.frame));
        }
    }
    if t.keep_alives.times > t.data_segments {
        let (times, frame) = (t.keep_alives.times, t.keep_alives.frame);
        list.push(finding(FindingKind::KeepAliveOnly, side, times, 0, frame));
    }
}

/// What the client's sender counted, where its first data came in beside the server time after time and was not acknowledged: it was not lost.
pub(super) fn not_accepted<'a>(flow: &'a Flow, placing: &Placing) -> Option<&'a Tally> {
    let opened = flow.handshake.established.is_some();
    let beside = placing.legs.to[Side::Server as usize].near;
    let tally = &flow.senders[Side::Client as usize].as_ref()?.tally;
    (opened && beside && tally.unheard.times >= MANY_COPIES).then_some(tally)
}

/// ACKs of what `side` sent waited on their way back, for a good part of what the path takes and far longer than the data: then no queue before
/// a link of the data's own is what makes round trips long.
fn ack_queue(side: Side, sender: &Sender) -> Option<Finding> {
    let sum =
        |(back, rtt, n), s: &Stretch| (back + s.queued_back, rtt + s.rtt_sum, n + s.rtt_count);
    let all = sender.record.closed().iter();
    // What was kept back for an answer did not wait in a queue.
    let none = Nanos::ZERO - sender.tally.kept;
    let (back, rtt, samples) = all.fold((none, none, 0), sum);
    let mean = |sum: Nanos| Nanos(sum.0 / i64::from(samples.max(1)));
    let floor = sender.rtt.floor_or_zero();
    let (waited, forth) = (mean(back), mean(rtt - back) - floor);
    let long = waited >= BUSY_HOST.scale(2, 1).max(Nanos(floor.0 / 2));
    let shown = samples >= MANY_ACKS && long && waited >= forth.scale(2, 1);
    let value = u64::try_from(waited.0).unwrap_or_default();
    shown.then(|| finding(FindingKind::AckQueue, side.other(), samples.into(), value, 0))
}

fn of_silence(side: Side, sender: &Sender) -> Option<Finding> {
    if !sender.is_left_unanswered() {
        return None;
    }
    let answers = &sender.answers;
    let of = |kind, value| {
        let count = u64::from(answers.unanswered());
        finding(kind, side, count, value, answers.first_unanswered())
    };
    if sender.window.is_closed() {
        return Some(of(FindingKind::ZeroWindowDeath, 0));
    }
    answers.too_large().map(|size| of(FindingKind::PmtuBlackHole, size))
}

/// A reset of an end that had given up and said nothing: what came late (a window update, data, a FIN) met a connection that no longer
/// existed. It may have retried before.
fn late_reset(flow: &Flow, side: Side) -> Option<Finding> {
    let reset = flow.resets[side as usize].filter(|reset| reset.is_late)?;
    let sender = flow.senders[side as usize].as_ref();
    let tried = sender.map_or(0, |sender| sender.answers.most_unanswered());
    Some(finding(FindingKind::LateReset, side, tried.into(), 0, reset.frame))
}

fn after_close(flow: &Flow, side: Side) -> Option<Finding> {
    let AfterClose { bytes, late, frame } = flow.after_close(side)?;
    let value = u64::try_from(late.0).unwrap_or_default();
    Some(finding(FindingKind::DataAfterClose, side, bytes, value, frame))
}

/// An RST where neither end had closed the connection.
fn broken_off(flow: &Flow) -> Option<Finding> {
    let over = flow.broken_off()?;
    let side = over.side;
    if let [Some(_), None] = flow.handshake.syn
        && side == Side::Server
    {
        return Some(finding(FindingKind::Refused, side, 0, 0, over.frame));
    }
    let transfers =
        flow.senders.iter().flatten().filter_map(|sender| sender.transfers.all().0.last());
    let after = transfers.map(|last| over.time - last.to).min().unwrap_or_default();
    let value = u64::try_from(after.0).unwrap_or_default();
    Some(finding(FindingKind::Reset, side, 0, value, over.frame))
}

/// What the pattern of the losses of `side`'s data says.
pub(super) fn of_losses(side: Side, losses: Losses) -> Option<Finding> {
    match losses {
        Losses::Plain | Losses::Overflowed { .. } => None,
        Losses::Policed { at_least, .. } => {
            Some(finding(FindingKind::Policer, side, 0, at_least.saturating_mul(8), 0))
        }
        Losses::Random { count } => {
            Some(finding(FindingKind::RandomLoss, side, count as u64, 0, 0))
        }
    }
}

/// Said where the verdict rests on a window scale that nobody saw.
pub(super) fn of_scale(directions: [&Direction; 2]) -> Vec<Finding> {
    directions
        .into_iter()
        .filter(|d| depends_on_scale((d.verdict.limit, d.verdict.cause), &d.facts))
        .map(|d| {
            let value = match d.facts.scale {
                WindowScale::Inferred { min, .. } => u64::from(min),
                _ => 0,
            };
            finding(FindingKind::ScaleInferred, d.from.other(), 0, value, 0)
        })
        .collect()
}
