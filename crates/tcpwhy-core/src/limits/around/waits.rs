//! What the waits between sendings say: whether a clock, ACKs or a writer who waits for room ended them.

use super::{Around, PAUSES};
use crate::flow::{PROMPT_PART, WAKE_UP};
use crate::units::{Nanos, bytes_in};

/// Standard deviations beyond which nothing lies by chance.
const SURELY: f64 = 3.0;

/// Longer than interrupts that are held back and a wake-up take together.
const LATE: Nanos = Nanos(3 * WAKE_UP.0);

/// So little of a lateness, in nanoseconds, is not told from afar.
const UNTOLD: f64 = 100_000.0;

/// Links as slow as the slowest one before the capture: a host's and a switch's, and one more.
const LINKS: f64 = 3.0;

/// So many times what is free of a buffer when its writer is woken is all of it.
const WAKES_AT: f64 = 3.0;

/// Part of the time for which a path that a buffer holds is not busy; where it is busy for longer, it hardly matters what holds the sender.
const RESTS: f64 = 1.0 / 3.0;

/// So many times sooner than at any time on the average (half of the time between two ACKs) nothing ends by chance time after time.
const SOONER: f64 = 8.0;

/// Part of the waits that is hardly one.
const RARE: f64 = 0.25;

/// Percent of segments with PSH from which on each may be a write of its own.
const WRITES: u32 = 75;

/// As `WRITES`, of writes that are full segments each: whoever writes so much at a time has every one marked, if only by chance it is what fits.
const FULL_WRITES: u32 = 95;

/// Waits that show how even they are.
pub(in crate::limits) const EVEN: u32 = 16;

impl Around {
    /// So many writes end that it shows how evenly.
    pub(crate) fn ends_often(&self) -> bool {
        self.ends.count() >= EVEN
    }

    /// So many intervals between bursts repeat that they are no coincidence.
    pub(crate) fn repeats_often(&self) -> bool {
        self.repeated.count() >= EVEN / 2
    }

    /// Writes end at intervals that are too even for a full buffer. Wherever a queue forms in the sender, segments are filled up by what is
    /// written next (`tcp_sendmsg_locked`). But a writer that waits for room writes a third of its buffer at once (`sk_stream_write_space`):
    /// n writes, spaced by a path that they keep busy for a part r of the time, end at intervals that deviate by sqrt(n - 1) (1 - r) of
    /// their mean.
    pub(crate) fn ends_evenly(&self) -> bool {
        let written = self.arrived as f64 / f64::from(self.ends.count().max(1));
        let at_once = self.flight() as f64 / WAKES_AT / written.max(1.0);
        let full = (at_once - 1.0).max(0.0).sqrt() * RESTS * self.ends.mean();
        // What is closer together a host may have spaced.
        let apart = self.ends.mean() >= WAKE_UP.0 as f64;
        self.ends_often() && apart && self.ends.deviation() < full
    }

    /// Writes end by a clock: at intervals that are more regular than how long after an ACK the sender goes on. What an ACK releases at time
    /// a, late by d, ends at intervals whose variance is that of the intervals of a and twice that of d besides. How late that is, stamps from
    /// afar do not tell to a tenth of their tick.
    pub(crate) fn ends_by_a_clock(&self) -> bool {
        let many = self.ends_often() && self.late.count() >= EVEN;
        let (deviation, late) = (self.ends.deviation(), self.late.deviation());
        let regular = deviation <= self.ends.mean() / 16.0;
        many && regular && late > (2.0 * deviation).max(UNTOLD)
    }

    /// Every second wait or more ends just after an ACK, those left out that do so by chance because ACKs are many.
    pub(crate) fn is_woken_by_acks(&self) -> bool {
        let (prompt, waits) = (f64::from(self.prompt), f64::from(self.waits));
        // Where most do, the others say nothing.
        let chance = self.chance();
        let by_chance = if chance <= 0.5 { chance } else { 0.0 };
        (prompt - waits * by_chance) * 2.0 >= waits * (1.0 - by_chance)
    }

    /// Nearly every wait ends just after an ACK, and hardly one would by chance.
    pub(crate) fn is_woken_by_acks_alone(&self) -> bool {
        self.prompt * 4 >= self.waits * 3 && self.chance() <= RARE
    }

    /// No more stalls end just after an ACK than would if ACKs ended none, which are too few to be there all the time.
    pub(crate) fn is_woken_by_chance(&self) -> bool {
        let chance = self.chance();
        chance <= 0.75 && f64::from(self.woken) <= f64::from(self.stalls) * chance
    }

    /// The part of waits that would end just after an ACK if ACKs ended none.
    fn chance(&self) -> f64 {
        let just_after = (self.lengths.mean() / PROMPT_PART as f64).max(WAKE_UP.0 as f64);
        f64::from(self.acks) * just_after / (self.time.0 as f64).max(1.0)
    }

    /// Data leaves at even intervals, much shorter than a round trip. No ACKs make them even: they come back in the bursts that were sent.
    pub(crate) fn is_even(&self) -> bool {
        self.stalls == 0 && self.is_regular()
    }

    /// Bursts leave by a clock, several in a round trip, though the sender rests for half of the time and more; the bytes of each. What ACKs
    /// release keeps its distances: all that fills a buffer has left at once, or as fast as the path carries it, and then comes the rest, which no
    /// other interval is as long as. So only while the path is busy intervals repeat.
    pub(crate) fn bursts_by_a_clock(&self) -> Option<u64> {
        let half = self.time.0 as f64 / 2.0;
        let rests = self.lengths.sum().max(self.stalled.0 as f64) >= half;
        let repeats = self.repeats_often() && self.repeated.sum() >= half;
        (rests && repeats).then(|| bytes_in(self.rate(), Nanos(self.repeated.mean() as i64)))
    }

    /// There are waits within bursts that come at intervals which repeat: the sender paces.
    pub(crate) fn spreads_bursts(&self) -> bool {
        self.waits >= 2 * self.repeated.count()
    }

    /// Bursts follow ACKs, and are spread by a pacer or do not repeat all the time: a writer's clock may beat as ACKs come back, but then it does
    /// so all along. A pacer may leave no stall between them, but breaks.
    pub(crate) fn is_released_by_acks(&self) -> bool {
        let beats = self.keeps_a_beat();
        let all_repeat = beats || self.repeated.count() * 8 >= self.waits * 7;
        let stalls_follow = self.follows_acks() && (self.spreads_bursts() || !all_repeat);
        stalls_follow || self.spreads_bursts() && !beats && self.breaks_follow_acks()
    }

    /// Waits that are twice as long as others end just after an ACK nearly all, and hardly one would by chance.
    fn breaks_follow_acks(&self) -> bool {
        let most = self.breaks_woken * 4 >= self.breaks * 3;
        self.breaks >= EVEN / 2 && most && self.chance() <= RARE
    }

    /// Intervals that repeat take nearly all of the time. What ACKs release of a full buffer has a rest in each round trip, as long as the path is not
    /// busy in it, that no other interval is as long as.
    pub(crate) fn keeps_a_beat(&self) -> bool {
        self.repeated.sum() * 8.0 >= self.time.0 as f64 * 7.0
    }

    /// Waits take one time each, an eighth of it more or less.
    pub(crate) fn is_regular(&self) -> bool {
        self.is_regular_within(8)
    }

    /// The same, such a part of it more or less: from afar it is not known to the moment when what comes has left.
    pub(crate) fn is_regular_within(&self, part: u32) -> bool {
        let most = self.lengths.mean() / f64::from(part);
        self.lengths.count() >= EVEN && self.lengths.deviation() <= most
    }

    /// Each segment may be a write of its own: where a kernel marks what it hands over as a pair (`__tcp_transmit_skb`), no more than every
    /// second one carries PSH.
    pub(crate) fn marks_each(&self) -> bool {
        self.push_rate() >= WRITES
    }

    /// No more segments carry PSH than a kernel marks of what it hands over as pairs, the last of which may be a single one.
    pub(crate) fn marks_pairs_at_most(&self) -> bool {
        self.pushes <= self.segments.div_ceil(2)
    }

    /// Hardly more than a segment leaves between one wait and the next.
    pub(crate) fn leaves_one_by_one(&self, mss: u64) -> bool {
        self.burst() < mss / 2 * 3
    }

    /// Full segments come one by one, at even intervals, and are not each a write: a stack that marks more of them than ends of writes (lwIP) leaves some
    /// out.
    pub(crate) fn is_single_file(&self, mss: u64) -> bool {
        self.push_rate() < FULL_WRITES
            && self.is_of_full_segments()
            && self.is_regular()
            && self.leaves_one_by_one(mss)
    }

    /// As `is_even`, and ACKs come in between now and then: a timer lets it go. ACKs of what left by it come back at its beat, and most of them
    /// just before it by chance; what waits for them is late where one of them is.
    pub(crate) fn is_timed(&self) -> bool {
        self.is_even() && self.prompt * 8 < self.waits * 7
    }

    /// As `is_timed`, on a host that is late now and then: hardly any wait ends with an ACK.
    pub(crate) fn is_nearly_timed(&self) -> bool {
        let apart = self.prompt * 8 <= self.waits && self.stalls * 32 <= self.waits;
        self.lengths.count() >= 2 * EVEN && apart && !self.is_uneven()
    }

    /// Bursts and pauses of all lengths: waits differ by more than half of what they are long. Where a clock has each of them take one or two of
    /// its ticks, they differ by 0.35 of that at most.
    pub(crate) fn is_erratic(&self) -> bool {
        self.lengths.count() >= EVEN && self.lengths.deviation() > self.lengths.mean() / 2.0
    }

    /// Waits of one length, or of a clock's one or two ticks.
    pub(crate) fn is_ticking(&self) -> bool {
        self.lengths.count() >= EVEN && !self.is_erratic()
    }

    /// A good part of the time goes in waits, and as much leaves between them as a writer writes that is woken when a third of its buffer is free.
    pub(crate) fn comes_in_lumps(&self) -> bool {
        let waited = f64::from(self.lengths.count()) * self.lengths.mean();
        waited * 100.0 >= self.time.0 as f64 * PAUSES as f64 && !self.is_little_at_once()
    }

    /// Waits differ by more than a quarter: no timer of a sender that paces has it so, however late its host is now and then.
    pub(crate) fn is_uneven(&self) -> bool {
        self.lengths.count() >= 2 * EVEN && self.lengths.deviation() > self.lengths.mean() / 4.0
    }

    /// Stalls end longer after the last ACK than a wake-up takes, all of them as far as that varies: a path that jitters would let some end
    /// sooner, and so would a writer that waits for room, however busy its host. A full segment, of `mss` bytes, takes longer over each link
    /// before the capture than the handshake did, by which the way is known: as much at most as there is between the segments of a burst.
    pub(crate) fn is_late(&self, mss: u64) -> bool {
        let least = self.late.mean() - SURELY * self.late.deviation();
        let segment = mss.min(self.between_stalls()) as f64;
        let link = segment * 1e9 / self.sending_rate().max(1) as f64;
        self.late.count() >= EVEN && least >= LATE.0 as f64 + LINKS * link
    }

    /// Nearly every stall ends after an ACK so much sooner than the next one comes that no clock of a writer does it by chance, however many
    /// ACKs there are.
    pub(crate) fn follows_acks(&self) -> bool {
        self.woken >= EVEN / 2 && self.is_soon_after_acks()
    }

    /// As `follows_acks`, of however few stalls. Of many that are alike in that, as wake-ups are, half as soon will do: by chance they end at any time
    /// between two ACKs, and deviate by more than half of the mean.
    pub(crate) fn is_soon_after_acks(&self) -> bool {
        let apart = self.time.0 as f64 / f64::from(self.acks.max(1));
        let after = self.woken_after.0 as f64 / f64::from(self.woken.max(1));
        let alike = self.late.count() >= EVEN && self.late.deviation() * 3.0 <= self.late.mean();
        let sooner = if alike { SOONER / 2.0 } else { SOONER };
        self.most_stalls(self.woken) && after <= apart / sooner
    }

    /// In every second stall and more ACKs made room, more than so many bytes, before one ended it. (Where a window is hardly larger than what fills
    /// a buffer, both hold each flight once, and a first ACK ends every other stall.)
    pub(crate) fn passes_over(&self, bytes: u64) -> bool {
        let more = self.passed_over.mean() >= (bytes + self.per_ack()) as f64;
        self.stalls > 0 && self.passed_over.count() * 2 >= self.stalls && more
    }

    /// A writer that waits for room is woken when a third of its buffer is free (`sk_stream_write_space`), and fills it: what leaves at once
    /// is less. Where much of the time goes in stalls, shorter waits say nothing: what leaves between stalls does, unless some of the waits
    /// are stalls only because all of them take about as long as a stall at least.
    pub(crate) fn is_little_at_once(&self) -> bool {
        let rests = self.stalled_percent() >= PAUSES && !self.is_regular();
        let burst = if rests { self.between_stalls() } else { self.burst() };
        self.waits > 0 && burst < self.flight() / 4
    }
}
