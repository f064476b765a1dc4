//! The timeline: judged stretches, neighbours of one kind joined. No gap, no overlap.

use super::{Context, Judgement, Silence, judge};
use crate::flow::stretch::Stretch;
use crate::model::{Evidence, Interval, Source};
use crate::units::Nanos;

/// Intervals kept for one direction: enough for a picture a thousand pixels wide.
const MAX_INTERVALS: usize = 1024;

/// Room made at first: most connections have fewer.
const AT_FIRST: usize = 32;

/// Judges every stretch and joins equal neighbours.
pub(crate) fn lay(ctx: &Context<'_>, silence: Option<Silence>) -> Vec<Interval> {
    let mut list: Vec<Joined> = Vec::with_capacity(ctx.stretches.len().min(AT_FIRST));
    for (i, s) in ctx.stretches.iter().enumerate() {
        if s.duration().0 <= 0 {
            continue;
        }
        let judgement = match silence {
            Some(silence) if s.from >= silence.from => silence.judgement(),
            _ => judge(ctx, i),
        };
        match list.last_mut().filter(|j| j.same_as(judgement)) {
            Some(joined) => joined.add(s, judgement),
            None => list.push(Joined::new(s, judgement)),
        }
    }
    while list.len() > MAX_INTERVALS {
        list = thin(list);
    }
    list.iter().map(Joined::interval).collect()
}

/// Stretches under one judgement.
#[derive(Debug, Clone, Copy)]
struct Joined {
    sum: Stretch,
    judgement: Judgement,
    /// Confidence weighted with time.
    weight: i128,
}

impl Joined {
    fn new(s: &Stretch, judgement: Judgement) -> Self {
        let weight = i128::from(s.duration().0) * i128::from(judgement.confidence);
        Self { sum: *s, judgement, weight }
    }

    fn same_as(&self, j: Judgement) -> bool {
        self.judgement.limit == j.limit && self.judgement.cause == j.cause
    }

    fn add(&mut self, s: &Stretch, judgement: Judgement) {
        self.sum.absorb(s);
        self.weight += i128::from(s.duration().0) * i128::from(judgement.confidence);
    }

    fn interval(&self) -> Interval {
        let s = &self.sum;
        let confidence = self.weight / i128::from(s.duration().0.max(1));
        Interval {
            from: s.from,
            to: s.to,
            limit: self.judgement.limit,
            cause: self.judgement.cause,
            confidence: confidence.clamp(0, 100) as u8,
            source: Source::Packets,
            first_frame: s.first_frame,
            last_frame: s.last_frame,
            evidence: evidence(s),
        }
    }
}

fn evidence(s: &Stretch) -> Evidence {
    let measured = |window: u64| match window {
        u64::MAX => 0,
        bytes => u32::try_from(bytes).unwrap_or(u32::MAX),
    };
    Evidence {
        acked: s.acked,
        flight: s.flight,
        window: measured(s.window_min),
        room: measured(s.room),
        rtt_min: if s.rtt_min == Nanos::MAX { Nanos::ZERO } else { s.rtt_min },
        rtt_mean: s.rtt_mean().unwrap_or_default(),
        stalls: s.stalls,
        longest_stall: s.longest_stall,
        retransmissions: s.resent,
    }
}

/// Joins pairs of neighbours; the longer one names the pair.
fn thin(list: Vec<Joined>) -> Vec<Joined> {
    let mut thinned: Vec<Joined> = Vec::with_capacity(list.len() / 2 + 1);
    for pair in list.chunks(2) {
        let mut joined = pair[0];
        if let Some(second) = pair.get(1) {
            if second.sum.duration() > joined.sum.duration() {
                joined.judgement = second.judgement;
            }
            joined.sum.absorb(&second.sum);
            joined.weight += second.weight;
        }
        thinned.push(joined);
    }
    thinned
}
