//! How fast the path carries data, by the spacing of ACKs (packet-train probing: the narrowest link spaces what follows each other).
//!
//! Each ACK's bytes came through the narrowest link in the time since the ACK before it, as long as data stood in a queue
//! there; after a pause they came slower, and ACKs that bunch on their way back seem faster. Both are a minority of the bytes
//! of a sender that sends in bursts, so the median tells the link's rate even where pauses leave half of it unused.
//!
//! A sender that a buffer, a window or pacing holds in every round is spread out evenly in the end, and the median tells its own rate.
//! But its first window left at once (RFC 6928; Linux paces nothing before ten segments have left, `tcp_update_skb_after_send`), and its
//! ACKs are spaced as the narrowest link let it through.

mod stamped;
mod train;

use self::stamped::Stamped;
use self::train::{HANDLED, Train};
use super::BUSY_HOST;
use super::distribution::Distribution;
use crate::units::{Nanos, bytes_per_second};

/// Paces are kept as the time for so many bytes.
const UNIT: u64 = 1 << 20;
/// Fewer ACKs say nothing.
const FEWEST: u64 = 16;
/// ACKs that are spaced by the link come faster than the fastest round trip carried by this part of it and more: a sender that is spread out
/// spaces them by what holds it, give or take what hosts do.
const APART: u64 = 4;
/// Where ACKs come so many times faster than all together, pauses included, and not evenly, they bunch: a bucket of tokens lets a burst through
/// at once and what follows as it fills, and radio sends many packets at a time. What the link carries lies between the two.
const IN_BUNCHES: u64 = 4;

/// What the narrowest link carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Bytes per second.
    pub(crate) carries: u64,
    pub(crate) known: Known,
}

/// What is known by a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// The link itself has spaced the ACKs so: more came than in the fastest round trip, or an even first window tells.
    Shown,
    /// The link carries that, and may carry more: what held the sender, or a host, may have spaced them.
    Least,
    /// Faster than a host handles what has waited for it: the link's rate, or that of a host that was late.
    Guessed,
}

/// The `first` window came at this rate, give or take an eighth.
pub(crate) fn agrees(first: Option<u64>, rate: u64) -> bool {
    first.is_some_and(|first| first.abs_diff(rate) <= rate / 8)
}

/// Time for `UNIT` bytes, if so many took that `time`.
fn pace(bytes: u64, time: Nanos) -> Nanos {
    Nanos(time.0.saturating_mul(UNIT as i64) / i64::try_from(bytes).unwrap_or(i64::MAX).max(1))
}

/// The paces of one direction's ACKs, weighted with their bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Capacity {
    last: Option<Nanos>,
    /// Bytes of ACKs with the same time as the one before them: it took them as long as the next tick of the clock that stamps them tells.
    within_tick: u64,
    /// How many of them, and the shortest time between others; zero before it is known.
    together: u64,
    shortest: Nanos,
    acks: u64,
    paces: Distribution,
    first: Train,
    /// Few connections have ACKs that queue.
    stamped: Option<Box<Stamped>>,
    /// Bytes of all ACKs that have a pace, and the time that they took.
    bytes: u64,
    time: Nanos,
}

impl Capacity {
    /// The next ACK's round trip; only that of the first one counts.
    pub(crate) fn begins(&mut self, rtt: Nanos) {
        if self.last.is_none() && !self.first.is_over() {
            self.first.begin(rtt);
        }
    }

    /// The next ACK is not spaced from the one before it by the link: it came after a pause, or on the peer's data, for then it left when that was
    /// written, whenever what it acknowledges came through.
    pub(crate) fn breaks_off(&mut self) {
        if self.last.take().is_some() {
            self.first.end();
        }
        self.within_tick = 0;
    }

    /// An ACK for `bytes`, more than none, passed at `time`; `mss` is the unit of weight. After a `pause` the link had stood still.
    pub(crate) fn acknowledged(&mut self, bytes: u64, time: Nanos, mss: u64, pause: Nanos) {
        if let Some(last) = self.last {
            self.note_step(time - last);
        }
        if let Some(last) = self.last.filter(|&last| time - last < pause) {
            let bytes = bytes + std::mem::take(&mut self.within_tick);
            if time == last {
                self.within_tick = bytes;
                return;
            }
            let weight = u32::try_from(bytes / mss.max(1)).unwrap_or(u32::MAX).max(1);
            self.paces.add_weighted(pace(bytes, time - last), weight);
            self.acks += 1;
            self.bytes += bytes;
            self.time += time - last;
            // What is far less than a segment tells of the clock that stamped it.
            if !self.first.is_over() && bytes >= mss / 2 {
                self.first.add(bytes, time - last, mss);
            }
        } else {
            self.breaks_off();
        }
        self.last = Some(time);
    }

    /// An ACK for `bytes`, which has been told of already, had queued when it passed and `left` before that.
    #[cold]
    pub(crate) fn acknowledged_late(&mut self, bytes: u64, left: Nanos, pause: Nanos) {
        self.stamped.get_or_insert_default().acknowledged(bytes, left, pause);
    }

    /// One ACK came so long after another.
    #[inline]
    fn note_step(&mut self, step: Nanos) {
        if step == Nanos::ZERO {
            self.together += 1;
        } else if step < self.shortest || self.shortest == Nanos::ZERO {
            self.shortest = step;
        }
    }

    /// The narrowest link's rate: as ACKs are spaced, where that is known, with segments of `mss` bytes.
    ///
    /// The highest rate of a round trip, `peak`, may be that of ACKs that came together, as they do behind a host that was late for as long as
    /// a round trip of `floor`: only where it is far higher has the spacing shown something else than the link, and not even then where the
    /// first window was spaced as all the rest. A path that was never `filled` may have shown itself in the first window alone: by ACKs that are
    /// spaced evenly, or by more than what hosts do to a few of them.
    pub(crate) fn narrowest(&self, peak: u64, floor: Nanos, mss: u64, filled: bool) -> Rate {
        let (first, most) = self.first_window(mss, floor).unzip();
        let apart = |carries: u64| carries.saturating_mul(APART) >= peak.saturating_mul(APART + 1);
        let by_hosts = |carries| most == Some(true) && first == Some(carries);
        let known = |carries| match carries {
            _ if by_hosts(carries) || !apart(carries) => Known::Least,
            _ if carries > bytes_per_second(mss, HANDLED) => Known::Guessed,
            _ => Known::Shown,
        };
        let seen = |carries| Rate { carries, known: known(carries) };
        let Some(rate) = self.rate() else {
            return seen(peak.max(first.filter(|_| !filled).unwrap_or(0)));
        };
        if let Some(even) = self.first.evenly().filter(|_| !filled) {
            return Rate { carries: bytes_per_second(mss, even), known: Known::Shown };
        }
        // ACKs that come twice as fast as those of the first window, though no round trip carried more than that, come in bunches.
        if let Some(first) = first.filter(|&f| f >= peak && f < rate / 2)
            && !filled
            && most == Some(false)
        {
            return seen(first);
        }
        let agrees = agrees(first, rate);
        let faster =
            |first: &u64| !filled && *first > rate && self.first.tells(*first, rate, mss, floor);
        let shown = first.filter(faster).unwrap_or(0);
        let together = agrees || floor < BUSY_HOST || peak <= rate.saturating_mul(3) / 2;
        let carries = if together { rate.max(shown) } else { peak.max(shown) };
        let on_the_mean = bytes_per_second(self.bytes, self.time).max(peak);
        if on_the_mean < carries / IN_BUNCHES && !self.are_alike(mss) {
            return Rate { carries: on_the_mean, known: Known::Least };
        }
        seen(carries)
    }

    /// Of the faster half of the ACKs, by bytes, which no pause slows down, the slower ones come alike, give or take a half, and by more apart than a
    /// host is busy with each.
    fn are_alike(&self, mss: u64) -> bool {
        let [fast, slow] = [25, 50].map(|percent| self.paces.quantile(percent));
        slow <= fast.scale(3, 2) && fast >= pace(mss, HANDLED)
    }

    /// Bytes per second by the first window, with segments of `mss` bytes, where the shortest round trip is `floor`; at most what a host that
    /// is slow to wake up can tell from. `None`: too few segments.
    pub(crate) fn of_first_window(&self, mss: u64, floor: Nanos) -> Option<u64> {
        self.first_window(mss, floor).map(|(rate, _)| rate)
    }

    /// As [`of_first_window`](Self::of_first_window), and whether the link may be faster than that.
    fn first_window(&self, mss: u64, floor: Nanos) -> Option<(u64, bool)> {
        self.first.pace(floor).map(|pace| (bytes_per_second(mss, pace.segment), pace.is_most))
    }

    /// The time from one tick to the next of the clock that stamps the capture's packets, where that is seen: many ACKs have the time of another
    /// one, and none comes sooner after one than that. Zero where the clock is finer.
    pub(crate) fn tick(&self) -> Nanos {
        let coarse = self.together >= FEWEST && self.together >= self.acks / 2;
        if coarse { self.shortest } else { Nanos::ZERO }
    }

    /// Bytes per second; `None` after too few ACKs.
    pub(crate) fn rate(&self) -> Option<u64> {
        // Where most of them queued, their sender's clock tells how they were spaced.
        let by_stamps =
            self.stamped.as_deref().and_then(|stamped| stamped.of_full_link(self.bytes));
        let pace = by_stamps.unwrap_or_else(|| self.paces.median());
        (self.acks >= FEWEST).then(|| bytes_per_second(UNIT, pace))
    }
}

#[cfg(test)]
mod tests;
