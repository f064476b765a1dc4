//! The numbers that words about one direction may need, gathered once.

use super::opening::Opening;
use super::quantity::SHORTEST_ROUND_TRIP;
use super::rate_change::RateChange;
use crate::kernel::RTO_MIN;
use crate::kernel::start::INITIAL_WINDOW;
use crate::model::{
    Cause, Connection, Direction, Finding, FindingKind, Interval, Limit, Side, Vantage, Verdict,
    WhatIf, WindowScale, acked_in, time_of,
};
use crate::observe::Endpoint;
use crate::units::{Nanos, bits_per_second};
use crate::whatif::turns;

/// One end, as advice names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its role.
    pub side: Side,
    /// Its address.
    pub end: Endpoint,
}

/// Numbers of one direction; 0 where nothing was measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figures {
    /// The verdict that is put into words.
    pub verdict: Verdict,
    /// Who sends.
    pub sender: Place,
    /// Who receives.
    pub receiver: Place,
    /// Payload bytes, each counted once.
    pub bytes: u64,
    /// The capture holds the beginning of the connection.
    pub is_whole: bool,
    /// Whether it opened at all.
    pub opening: Opening,
    /// Payload bytes sent again.
    pub retransmitted: u64,
    /// Some was sent again, now or before the period that is asked for.
    pub resent: bool,
    /// What was sent again under the verdict had arrived.
    pub had_arrived: bool,
    /// For so long the receiver waited in vain for data that was due, where that is most of the verdict's time.
    pub owed: Option<Nanos>,
    /// Time that the shares are parts of.
    pub span: Nanos,
    /// Part of it under the verdict's limit and cause, 0 to 1.
    pub share: f64,
    /// The limit that held longer in all, and its part of the time: the verdict's held longest while data moved.
    pub outdone_by: Option<(Limit, f64)>,
    /// Plateau of the longest interval of the verdict, in bytes.
    pub flight: u64,
    /// Smallest window of the longest interval of the verdict, in bytes.
    pub window: u64,
    /// As `window`, but where it varied what it allowed at its best: what was in flight then.
    pub filled_window: u64,
    /// RTT floor of the direction.
    pub rtt_floor: Nanos,
    /// How far queues made the RTT rise: 95 % of the connection's samples are not above it.
    pub rtt_high: Nanos,
    /// It lacks what waited before the capture.
    pub hides_queues: bool,
    /// Waits under the verdict.
    pub stalls: u64,
    /// Payload bytes acknowledged under the verdict.
    pub acked: u64,
    /// Plateau of the interval of the verdict in which most of them were, in bytes.
    pub busiest_flight: u64,
    /// Highest of all of them.
    pub most_in_flight: u64,
    /// Part of `span` in which small segments waited for ACKs.
    pub delayed_ack: f64,
    /// Of what waited for the peer's next message, the time that the path needed for the messages.
    pub carried: Nanos,
    /// Longest wait under the verdict.
    pub longest_stall: Nanos,
    /// First and last frame of the longest interval of the verdict.
    pub frames: (u64, u64),
    /// Rate that got through a policer, in bit/s: it allows at least this.
    pub policed_bps: u64,
    /// Other connections between the same hosts that sent the same way under the verdict, and how fast all went together, in bit/s.
    pub shared: Option<(u64, u64)>,
    /// Ends of writes that left by the kernel's timer, as a corked socket's do.
    pub corked: u64,
    /// Losses that came by chance, not from congestion.
    pub chance_losses: u64,
    /// Packets were marked on the way (ECN): a queue there is managed.
    pub marked: bool,
    /// The end whose SYN lacked the window scale that the other's offered.
    pub unscaled: Option<Side>,
    /// Packets in flight in the first round trip: ten, where fewer were written or nothing is known.
    pub first_window: u64,
    /// The server took the connection in long after its handshake.
    pub not_accepted: bool,
    /// What the narrowest link carries, in bit/s; 0 where its rate did not show.
    pub path_bps: u64,
    /// First data to last acknowledgment.
    pub transfer: Nanos,
    /// Of that, what came after the last data, where nothing else held it then.
    pub tail: Nanos,
    /// The same with the verdict's limit lifted, and what would hold it then.
    pub lifted: Option<WhatIf>,
    /// Without another limit the transfer would be a good part shorter, and shorter than without the verdict's.
    pub besides: Option<WhatIf>,
    /// What came before the first data that somebody waited for.
    pub thought: Nanos,
    /// Largest payload of a segment.
    pub mss: u32,
    /// Highest rate sustained for a round trip, in bit/s.
    pub peak_bps: u64,
    /// Mean rate under the verdict, in bit/s: what a link carries that is busy. ACKs that bunch make the highest rate higher.
    pub mean_bps: u64,
    /// Where it was two rates, one after the other.
    pub rate_change: Option<RateChange>,
    /// Window scale of the receiver.
    pub scale: WindowScale,
    /// The verdict changes with the window scale, which is inferred.
    pub scale_matters: bool,
    /// Transfers of the direction.
    pub transfers: u64,
    /// Only one end's packets were captured.
    pub one_way: bool,
    /// The capture was taken at the sender.
    pub at_sender: bool,
}

/// A capture point so near to an end, as a part of the way, is at that end.
const AT_AN_END: f64 = 0.05;
/// How sure that must be.
const SURELY: f64 = 0.9;

fn is_at(side: Side, vantage: Vantage) -> bool {
    let away = match side {
        Side::Client => vantage.position,
        Side::Server => 1.0 - vantage.position,
    };
    away <= AT_AN_END && vantage.confidence >= SURELY
}

impl Figures {
    /// Whether round trips tell of a queue.
    pub(crate) fn shows_queue(&self) -> bool {
        self.rtt_floor > Nanos::ZERO && self.rtt_high > self.rtt_floor.scale(6, 5)
    }

    /// Gathers the numbers of `direction`, which is one of `connection`'s.
    pub(crate) fn of(connection: &Connection, direction: &Direction) -> Self {
        Self::by(connection, direction, direction.verdict)
    }

    /// As if another limit, with what caused it for longest, were the verdict.
    pub(crate) fn under(connection: &Connection, direction: &Direction, limit: Limit) -> Self {
        let of_limit = direction.limits().into_iter().find(|share| share.limit == limit);
        let cause = of_limit.map_or(Cause::None, |share| share.cause);
        Self::by(connection, direction, Verdict { limit, cause, ..direction.verdict })
    }

    fn by(connection: &Connection, direction: &Direction, verdict: Verdict) -> Self {
        let held = || intervals(direction, &verdict);
        let longest = held().max_by_key(|i| i.duration());
        let evidence = longest.map(|i| i.evidence).unwrap_or_default();
        let place = |side| Place { side, end: connection.endpoint(side) };
        let facts = direction.facts;
        let window = u64::from(evidence.window);
        let largest = u64::from(facts.max_window);
        // Where no whole segment had room more, all of it was filled; of a window of a few segments that room may be a good part.
        let room = u64::from(facts.mss).min(largest / 8);
        let full = evidence.flight + room > largest;
        let best = if full { largest } else { evidence.flight };
        Self {
            verdict,
            sender: place(direction.from),
            receiver: place(direction.from.other()),
            bytes: direction.bytes,
            one_way: connection.is_one_way(),
            at_sender: is_at(direction.from, connection.vantage),
            is_whole: connection.is_whole(),
            opening: Opening::of(connection),
            retransmitted: direction.retransmitted,
            resent: facts.resent || direction.retransmitted > 0,
            had_arrived: found(connection, direction, FindingKind::SpuriousRetransmissions)
                .zip(longest)
                .is_some_and(|(f, i)| (i.first_frame..=i.last_frame).contains(&f.frame)),
            owed: owed_mostly(direction),
            span: direction.span(),
            share: part_of(direction, |i| (i.limit, i.cause) == (verdict.limit, verdict.cause)),
            outdone_by: outdone(direction),
            flight: evidence.flight,
            window,
            filled_window: if window > 0 { window.max(best) } else { 0 },
            rtt_floor: measured(facts.rtt_floor),
            rtt_high: connection.rtt.p95,
            hides_queues: connection.rtt.hides_queues,
            stalls: held().map(|i| u64::from(i.evidence.stalls)).sum(),
            acked: held().map(|i| i.evidence.acked).sum(),
            busiest_flight: held()
                .max_by_key(|i| i.evidence.acked)
                .map_or(0, |i| i.evidence.flight),
            most_in_flight: held().map(|i| i.evidence.flight).max().unwrap_or(0),
            delayed_ack: part_of(direction, |i| i.limit == Limit::DelayedAck),
            carried: turns::carried(
                direction,
                &connection.directions[direction.from.other() as usize],
            ),
            longest_stall: held().map(|i| i.evidence.longest_stall).max().unwrap_or_default(),
            frames: longest.map_or((0, 0), |i| (i.first_frame, i.last_frame)),
            policed_bps: found(connection, direction, FindingKind::Policer).map_or(0, |f| f.value),
            shared: found(connection, direction, FindingKind::SharedPath)
                .map(|f| (f.count, f.value)),
            corked: found(connection, direction, FindingKind::Corked).map_or(0, |f| f.count),
            chance_losses: found(connection, direction, FindingKind::RandomLoss)
                .map_or(0, |f| f.count),
            marked: found(connection, direction, FindingKind::EcnMarks).is_some()
                || direction.timeline.iter().any(|i| i.cause == Cause::EcnMarked),
            unscaled: connection
                .findings
                .iter()
                .find(|f| f.kind == FindingKind::WindowScaleStripped)
                .map(|f| f.side),
            first_window: u64::from(facts.first_flight / facts.mss.max(1)).max(INITIAL_WINDOW),
            not_accepted: connection.findings.iter().any(|f| f.kind == FindingKind::NotAccepted),
            path_bps: facts.path_bps,
            transfer: direction.transfer,
            tail: facts.tail,
            besides: besides(direction, &verdict),
            thought: direction.thought(),
            lifted: direction.what_if.iter().find(|w| w.lift == verdict.limit).copied(),
            mss: facts.mss,
            peak_bps: facts.peak_bps,
            mean_bps: mean_rate(direction, &verdict),
            rate_change: Some(direction)
                .filter(|_| verdict.limit == Limit::PathBandwidth)
                .and_then(RateChange::of),
            scale: facts.scale,
            scale_matters: scale_matters(connection, direction),
            transfers: direction.turns(),
        }
    }
}

impl Figures {
    /// Whether most of the time nothing was sent, for the applications waited or worked.
    pub(crate) fn mostly_rests(&self) -> bool {
        matches!(self.outdone_by, Some((Limit::Application, part)) if part >= 0.5)
    }

    /// Whether no other limit took enough to be worth a thought.
    pub(crate) fn is_nearly_all(&self) -> bool {
        self.share >= 0.8
    }

    /// Whether the window is about as large as it can be without scaling (RFC 9293 section 3.1: 16 bits), and nothing shows that scaling
    /// was in use: no SYN was captured, and the data fits into the window as it stands in the header.
    pub(crate) fn may_be_unscaled(&self) -> bool {
        let most = u64::from(u16::MAX);
        let unknown = matches!(self.scale, WindowScale::Inferred { min: 0, max } if max > 0);
        unknown && (most / 4 * 3..=most).contains(&self.window)
    }

    /// Whether nothing was sent, and there is nothing to say of that, either.
    pub(crate) fn is_idle(&self) -> bool {
        let told = matches!(self.verdict.limit, Limit::Handshake | Limit::SilentPath);
        self.bytes == 0 && !told && self.owed.is_none()
    }

    /// Whether most of the verdict's time came before the first data.
    pub(crate) fn is_before(&self) -> bool {
        self.thought.scale(2, 1) > self.held()
    }

    /// Whether a cork has kept back what was written for most of the time under the verdict.
    pub(crate) fn is_mostly_corked(&self) -> bool {
        let corked = RTO_MIN.scale(i64::try_from(self.corked).unwrap_or(i64::MAX), 1);
        corked.scale(2, 1) > self.held()
    }

    /// The time under the verdict.
    pub(super) fn held(&self) -> Nanos {
        Nanos((self.span.0 as f64 * self.share) as i64)
    }

    /// The part of all time that is owed.
    pub(crate) fn owed_share(&self) -> f64 {
        self.owed.map_or(0.0, |owed| owed.secs() / self.span.secs())
    }

    /// The end of that role.
    pub(crate) fn place(&self, side: Side) -> Place {
        if self.sender.side == side { self.sender } else { self.receiver }
    }
}

/// What the direction owed at its end, where that is more than half of the time under its verdict.
fn owed_mostly(direction: &Direction) -> Option<Nanos> {
    let Verdict { limit, cause, .. } = direction.verdict;
    let held = time_of(&direction.timeline, |i| (i.limit, i.cause) == (limit, cause));
    direction.owed().filter(|owed| owed.scale(2, 1) > held)
}

/// A round trip, or zero where the capture's clock was too coarse to measure it.
fn measured(rtt: Nanos) -> Nanos {
    if rtt < SHORTEST_ROUND_TRIP { Nanos::ZERO } else { rtt }
}

/// The intervals that the verdict rests on.
fn intervals<'a>(
    direction: &'a Direction,
    verdict: &Verdict,
) -> impl Iterator<Item = &'a Interval> + use<'a> {
    let (limit, cause) = (verdict.limit, verdict.cause);
    direction.timeline.iter().filter(move |i| i.limit == limit && i.cause == cause)
}

/// Bits acknowledged in a second of the time under the verdict, or what the link carries: as much leaves its queue while what SACKs report is
/// not yet acknowledged, and where no packets were seen; but no link has been busy with more than was sent, nor carries less than it did all along.
fn mean_rate(direction: &Direction, verdict: &Verdict) -> u64 {
    let facts = &direction.facts;
    let held = intervals(direction, verdict);
    let (bytes, time) = acked_in(held);
    let mean = bits_per_second(bytes, time);
    let reported = verdict.cause == Cause::StandingQueue && direction.retransmitted > 0;
    let sent = bits_per_second(direction.bytes.saturating_add(direction.retransmitted), time);
    match facts.path_bps {
        0 if bytes == 0 => facts.peak_bps,
        shown if bytes == 0 => shown,
        shown if reported && (mean..=mean.saturating_mul(2)).contains(&shown) => {
            shown.min(sent).max(mean)
        }
        _ if verdict.limit == Limit::PathBandwidth => mean.max(direction.goodput_bps()),
        _ => mean,
    }
}

/// The limit with the most time, if it is not the verdict's, and its part of all time.
fn outdone(direction: &Direction) -> Option<(Limit, f64)> {
    let of = |limit| (limit, part_of(direction, |i| i.limit == limit));
    let most = Limit::ALL.into_iter().map(of).max_by(|a, b| a.1.total_cmp(&b.1))?;
    (most.1 > direction.verdict.share && most.0 != direction.verdict.limit).then_some(most)
}

/// The limit besides the verdict's without which a tenth of the time and more would be saved, and more than without the verdict's, or a quarter; but
/// no setting lifts a path's, whatever would be saved. What is unknown hides what else held, and where nothing moved, nothing else did.
fn besides(direction: &Direction, verdict: &Verdict) -> Option<WhatIf> {
    if matches!(verdict.limit, Limit::Unknown | Limit::Handshake | Limit::SilentPath) {
        return None;
    }
    let what_if = &direction.what_if;
    let most = what_if.iter().filter(|w| w.lift != verdict.limit).min_by_key(|w| w.transfer)?;
    let verdicts = what_if.iter().find(|w| w.lift == verdict.limit);
    let by_path = verdict.limit == Limit::PathBandwidth;
    let more = by_path || verdicts.is_none_or(|w| most.transfer < w.transfer);
    let tenth = most.transfer.scale(10, 9) <= direction.transfer;
    let quarter = most.transfer.scale(4, 3) <= direction.transfer;
    (tenth && more || quarter && most.lift != Limit::PathBandwidth).then_some(*most)
}

/// The part of all time that the intervals take that are meant.
fn part_of(direction: &Direction, is_meant: impl Fn(&Interval) -> bool) -> f64 {
    let (part, whole) = (time_of(&direction.timeline, is_meant), direction.span());
    if whole > Nanos::ZERO { part.0 as f64 / whole.0 as f64 } else { 0.0 }
}

/// Whether an inferred window scale decides between the verdict and its neighbours.
fn scale_matters(connection: &Connection, direction: &Direction) -> bool {
    let said = |kind| {
        connection.findings.iter().any(|f| f.kind == kind && f.side == direction.from.other())
    };
    let judged_by_window =
        matches!(direction.verdict.limit, Limit::ReceiveWindow | Limit::SendBuffer);
    match direction.facts.scale {
        WindowScale::Inferred { min, max } => {
            min != max
                && (judged_by_window || said(FindingKind::ScaleInferred))
                && !direction.rests_on_samples()
        }
        WindowScale::Known(_) | WindowScale::Absent => false,
    }
}

/// What was found of this kind about the packets of this direction.
fn found<'a>(
    connection: &'a Connection,
    direction: &Direction,
    kind: FindingKind,
) -> Option<&'a Finding> {
    connection.findings.iter().find(|f| f.kind == kind && f.side == direction.from)
}
