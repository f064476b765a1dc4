//! Why segments are lost: a queue that overflows, a policer, or chance.
//!
//! A full queue shows in the RTT before it drops. A policer (or a queue of a few packets) drops
//! without delay what exceeds a burst: the segments at the end of bursts (compare Flach et al., "An
//! Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016). Loss by chance takes any.

mod bucket;
mod events;

pub(super) use self::events::had_arrived;
use self::events::{Events, come_together, is_heavy, most_are_heavy};
use super::around::nearly;
use super::between::{Between, between_losses, is_even, most_refilled, parts, refilled, rounds};
use super::context::Context;
use crate::flow::drops::Dropped;
use crate::flow::overflow::Before;
use crate::flow::stretch::Stretch;
use crate::kernel::start::INITIAL_WINDOW;
use crate::units::{Nanos, bytes_in, bytes_per_second, mul_div};

/// Losses from which a pattern can be told.
const FEWEST: usize = 3;
/// Percent of the comparisons in which a lost segment must stand farther into its burst than a
/// delivered one: chance gives 50, with ten losses within 16 of it in 95 of 100 cases.
const FARTHER: u32 = 72;
/// As `FARTHER`, seen from afar: the lost segment itself is not in the capture, and one that was the
/// first of its burst looks like the last of the burst before.
const FARTHER_AFAR: u32 = 85;
/// As `FARTHER`, for what may still be chance.
const CHANCE: u32 = 62;

/// Times between losses from which the rates in them tell a policer, and from which they do where the ends of bursts are lost besides: as a
/// window grows so do its bursts, and what chance takes late stands far into its burst, too.
const FEWEST_BETWEEN: usize = 16;
const FEWEST_BETWEEN_ENDS: usize = 4;
/// Percent by which so many rates may differ. A bucket lets data through evenly, give or take a round of those between two losses. A window
/// that a short queue ends at nearly the same height every time makes them alike, too, but no more than those heights are.
const EVEN: u64 = 7;
/// Percent by which data arrives unevenly at most where it arrives at one rate: half of what CUBIC takes off after a loss (RFC 9438 section
/// 4.6).
const ONE_RATE: u64 = 15;
/// Parts of the time that show by their rates alone that one is kept, and rounds that show it besides what repairs show.
const FEWEST_PARTS: usize = 4;
const FEWEST_ROUNDS: usize = 8;
/// As `EVEN`, where there are fewer of them, and where the link could carry far more and what is lost does not stand anywhere: only a bucket
/// lets data through so evenly, give or take a round of twenty, whatever round trips look like.
const EVENER: u64 = 5;
const FEWEST_EVENER: usize = 6;
/// A link of which less than this part is used has no queue that overflows all the time: its rate may be taken for twice of what it is where
/// ACKs bunch.
const NARROW_PART: u64 = 3;
/// A queue that overflows as regularly, however short it is, leaves less of the link unused: Reno, which halves its window, fills three quarters
/// of one without any queue.
const UNUSED_PART: u64 = 2;
/// Segments that get through in a round trip, less than which a sender whose window is at its least sends anyhow: that shows no rate (after
/// a loss it is two segments, RFC 5681 section 3.1).
const LEAST_WINDOW: u64 = 2;

/// Segments that a rate lets through while the link carries others past it: where none of them arrived nothing did. It takes a host that sends so many
/// times faster than the link to send them at once.
const OUTAGE: u64 = 32;

/// The pattern of a direction's losses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Losses {
    /// Too few to tell, or a queue stood before them.
    #[default]
    Plain,
    /// What exceeds a rate is dropped without a queue.
    Policed {
        /// The stretches from the first loss to the last.
        first: usize,
        last: usize,
        /// Bytes per second that get through, what a bucket had saved left out.
        rate: u64,
        /// As `rate`, where the sender made the most of it: the policer allows at least this.
        at_least: u64,
        /// The drops themselves tell that it is no more, and that it is a policer.
        exact: bool,
    },
    /// As evenly, and the link is busy all the while, but what is lost finds its short queue full.
    Overflowed {
        /// As of `Policed`.
        first: usize,
        last: usize,
        rate: u64,
    },
    /// Without a queue, anywhere in a burst.
    Random {
        /// How many.
        count: usize,
    },
}

impl Losses {
    /// Bytes per second that a policer allows at least, if they are one's.
    pub(crate) fn allowed(self) -> Option<u64> {
        match self {
            Self::Policed { at_least, .. } => Some(at_least),
            _ => None,
        }
    }

    /// The same where no more than `resent` segments of theirs are asked about: those of a period.
    pub(crate) fn of_which(self, resent: u64) -> Self {
        match self {
            Self::Random { .. } if resent == 0 => Self::Plain,
            Self::Random { count } => {
                Self::Random { count: count.min(usize::try_from(resent).unwrap_or(usize::MAX)) }
            }
            pattern => pattern,
        }
    }
}

/// What is known of the segments that were lost.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Lost<'a> {
    /// How often they stood farther into their bursts than delivered ones, in percent.
    pub(crate) farther: Option<u32>,
    /// What stood before them.
    pub(crate) before: Before,
    /// The first ones.
    pub(crate) drops: &'a [Dropped],
}

/// Looks at all losses of a direction.
pub(crate) fn pattern(ctx: &Context<'_>, lost: Lost<'_>) -> Losses {
    let Some(events) = Events::without_deep_queue(ctx) else { return Losses::Plain };
    if let Some(policed) = by_drops(ctx, lost, &events) {
        return policed;
    }
    match by_evenness(ctx, lost, &events) {
        Losses::Policed { first, last, rate, .. } if lost.before == Before::FullQueue => {
            overflowed(ctx, first, last, rate)
        }
        Losses::Policed { .. } if lost.before == Before::Stands => Losses::Plain,
        Losses::Random { .. } if lost.before == Before::FullQueue => Losses::Plain,
        losses => losses,
    }
}

/// Losses from stretch `first` to `last` of a queue that overflows, if the link is busy between them.
fn overflowed(ctx: &Context<'_>, first: usize, last: usize, rate: u64) -> Losses {
    let is_busy = |carries| calm_rate(&ctx.stretches[first..=last]) >= nearly(carries);
    // By the spacing of ACKs: a first window may have passed by the tokens that a shaper had saved.
    match ctx.capacity.is_some_and(is_busy) {
        true => Losses::Overflowed { first, last, rate },
        false => Losses::Plain,
    }
}

/// Losses whose drops themselves tell a rate, where the link carries more and no queue stands before them: a bucket's.
fn by_drops(ctx: &Context<'_>, lost: Lost<'_>, events: &Events) -> Option<Losses> {
    if lost.before == Before::FullQueue || !events.are_without_queue() {
        return None;
    }
    // Jitter makes either look faster than it is, at times.
    let link = ctx.link()?;
    let carries = ctx.first_window.map_or(link, |first| first.min(link));
    let at_least = bucket::rate_of(lost.drops, ctx).filter(|rate| *rate < carries / 8 * 7)?;
    let (first, last) = (events.first, events.last);
    let rate = got_through(ctx, first, &between_losses(ctx)).min(at_least);
    Some(Losses::Policed { first, last, rate, at_least, exact: true })
}

/// As `pattern`, by evenness and bursts alone.
fn by_evenness(ctx: &Context<'_>, lost: Lost<'_>, events: &Events) -> Losses {
    let &Events { ref list, first, last, without_queue } = events;
    let between = between_losses(ctx);
    let rate = got_through(ctx, first, &between);
    if bytes_in(rate, ctx.floor) < LEAST_WINDOW * ctx.mss || is_cut_off(ctx, lost.drops, rate) {
        return Losses::Plain;
    }
    // Where more of what the link carries gets through, chance and short queues are as hard for a round or two.
    let link = ctx.link();
    let narrow = link.is_none_or(|carries| rate < carries / NARROW_PART);
    let unused = link.is_none_or(|carries| rate < carries / UNUSED_PART);
    // Nor does a queue drop anything where most of the link is unused all the time, however round trips vary.
    let usual = lost.before == Before::AsUsual;
    // Where queues do not show, nobody knows.
    let unqueued = ctx.sees_queues
        && (usual
            || without_queue * 20 >= events.count() * 19
            || link.is_some() && loses_much(ctx) && goes_evenly(ctx, first));
    let at_least = most_refilled(&between, ctx.floor).max(rate);
    let policed = Losses::Policed { first, last, rate, at_least, exact: false };
    // Any queue takes in what a first window brings (RFC 6928 section 2): that in a round trip overflows none.
    let tiny = bytes_in(rate, ctx.floor) <= INITIAL_WINDOW * ctx.mss;
    let uneven = !tiny && between.len() >= FEWEST_BETWEEN_ENDS && !is_even(&between, EVEN);
    if narrow
        && unqueued
        && (are_heavy(ctx, list, lost.farther, rate, uneven) || goes_on(ctx, list, last))
    {
        return policed;
    }
    let Some(farther) = lost.farther else { return Losses::Plain };
    // A sender of one rate loses by chance wherever chance takes it.
    let bucket = narrow && link.is_some() && farther > CHANCE;
    let ends = if ctx.far { FARTHER_AFAR } else { FARTHER };
    // No queue before a link so fast is so short that it drops, again and again, the end of what a first window brings. How fast a sender's few
    // segments come back between losses says little.
    let cut_short = tiny && farther >= ends && events.count() >= FEWEST_BETWEEN;
    if bucket && unqueued && cut_short {
        return policed;
    }
    // From one loss to the next data arrived at the same rate, however fast it came in between: the bucket that it empties fills at that
    // rate (Flach et al., section 4.1).
    let evenly = |fewest, percent| between.len() >= fewest && is_even(&between, percent);
    if bucket && evenly(FEWEST_EVENER, EVENER) {
        return policed;
    }
    if events.count() < FEWEST || !usual && !events.are_without_queue() {
        return Losses::Plain;
    }
    let fewest = if farther >= ends { FEWEST_BETWEEN_ENDS } else { FEWEST_BETWEEN };
    // What is lost does not stand at the ends of bursts: that rates are even does not overrule that, for those of a window or a buffer are.
    let by_chance = farther <= CHANCE;
    if by_chance && (most_are_heavy(ctx, list) || come_together(ctx, list)) {
        Losses::Plain
    } else if by_chance {
        Losses::Random { count: events.count() }
    } else if unused && evenly(fewest, if tiny { ONE_RATE } else { alike(&between) }) {
        policed
    } else if !unused && evenly(fewest, ONE_RATE) {
        overflowed(ctx, first, last, rate)
    } else {
        Losses::Plain
    }
}

/// Half of what was dropped was so in runs from which the `rate` would have let many segments through: for a while nothing got through at all.
fn is_cut_off(ctx: &Context<'_>, drops: &[Dropped], rate: u64) -> bool {
    let Some(carries) = ctx.link() else { return false };
    let passes = OUTAGE * ctx.mss;
    let lost: Vec<&Dropped> = drops.iter().filter(|d| !d.repair).collect();
    let runs = lost.chunk_by(|one, next| one.start + one.len == next.start);
    let bytes = runs.map(|run| run.iter().map(|d| d.len).sum::<u64>());
    let (all, cut) = bytes.fold((0, 0), |(all, cut), run| {
        let in_vain = mul_div(run, rate, carries.max(1)) > passes;
        (all + run, if in_vain { cut + run } else { cut })
    });
    2 * cut > all
}

/// Bytes per second that get through between losses. It is no more from the first loss on, in stretch `first`, at which a bucket was empty.
fn got_through(ctx: &Context<'_>, first: usize, between: &[Between]) -> u64 {
    let through = rate_of(ctx.stretches[first..].iter());
    refilled(between).map_or_else(|| rate_from(ctx, first), |rate| rate.max(through))
}

/// Percent by which the rates between losses may differ where a bucket makes them alike.
fn alike(between: &[Between]) -> u64 {
    if between.len() >= FEWEST_BETWEEN { EVEN } else { EVENER }
}

/// Any of these losses is heavy, and slow start has not just overshot a short queue, once: all that comes later does so at the `rate` that gets
/// through, however fast the link has been before, as from a sender that paces; or losses go on at the ends of bursts; or most are as heavy.
fn are_heavy(
    ctx: &Context<'_>,
    events: &[usize],
    farther: Option<u32>,
    rate: u64,
    uneven: bool,
) -> bool {
    let heavy = events.iter().filter(|&&i| is_heavy(ctx, i)).count();
    let spaced = ctx.capacity.is_some_and(|spaced| spaced <= rate + rate / 4);
    let at_ends = events.len() >= FEWEST && farther.is_none_or(|f| f > CHANCE) && !uneven;
    let most = heavy > 1 && 2 * heavy >= events.len();
    heavy > 0 && (spaced || at_ends || most)
}

/// Any of these losses is heavy, and what gets through while they are repaired, up to stretch `last`, gets through in every round after that: a
/// queue that has overflowed once lets as much through as its link carries while it is full.
fn goes_on(ctx: &Context<'_>, events: &[usize], last: usize) -> bool {
    let later = rounds(&ctx.stretches[last + 1..]);
    let then = rate_of(ctx.stretches[events[0]..=last].iter());
    let now = rate_from(ctx, last + 1);
    let same = then.abs_diff(now) <= now / 4 && is_even(&later, EVEN);
    same && later.len() >= FEWEST_ROUNDS && events.iter().any(|&i| is_heavy(ctx, i))
}

/// As much arrived in each of many parts of the time from stretch `first` on.
fn goes_evenly(ctx: &Context<'_>, first: usize) -> bool {
    let parts = parts(&ctx.stretches[first..], ctx.floor);
    parts.len() >= FEWEST_PARTS && is_even(&parts, ONE_RATE)
}

/// A tenth of all segments was sent again: a sender that takes losses for a full queue would have slowed down long before.
fn loses_much(ctx: &Context<'_>) -> bool {
    let count = |(sent, lost), s: &Stretch| (sent + s.segments, lost + s.resent - s.timeouts);
    let (sent, lost) = ctx.stretches.iter().fold((0, 0), count);
    lost * 10 >= sent
}

/// Bytes per second delivered from stretch `first` on, idle times left out.
fn rate_from(ctx: &Context<'_>, first: usize) -> u64 {
    rate_of(ctx.stretches[first..].iter().filter(|s| !s.is_idle()))
}

/// As `rate_from`, in all of these but repairs.
fn calm_rate(stretches: &[Stretch]) -> u64 {
    rate_of(stretches.iter().filter(|s| !s.is_idle() && !s.is_repair()))
}

fn rate_of<'a>(stretches: impl Iterator<Item = &'a Stretch>) -> u64 {
    let sum = |(bytes, time), s: &Stretch| (bytes + s.arrived(), time + s.duration());
    let (bytes, time) = stretches.fold((0, Nanos::ZERO), sum);
    bytes_per_second(bytes, time)
}

#[cfg(test)]
mod tests;
