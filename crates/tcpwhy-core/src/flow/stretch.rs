//! A stretch of a direction's time, about a round trip long: what the sender waited for and the
//! numbers that tell the limits apart.

use super::spread::Spread;
use super::wait::Wait;
use super::window::widened;
use crate::kernel::RTO_MIN;
use crate::units::{Nanos, lower};

/// One loss, as its repair shows it (the stall causes of TAPO, CoNEXT 2015).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Loss {
    /// No duplicate ACK or SACK block had revealed it: a timer did.
    pub(crate) timeout: bool,
    /// Nothing newer had been sent.
    pub(crate) tail: bool,
    /// It had been sent again before.
    pub(crate) double: bool,
    /// Fewer than four segments were in flight.
    pub(crate) few: bool,
    /// It had been acknowledged already.
    pub(crate) needless: bool,
}

/// One stretch of a direction's time.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stretch {
    pub(crate) from: Nanos,
    pub(crate) to: Nanos,
    pub(crate) wait: Wait,
    pub(crate) first_frame: u64,
    pub(crate) last_frame: u64,
    /// Payload bytes newly acknowledged.
    pub(crate) acked: u64,
    /// Payload bytes newly arrived, as ACKs and SACK blocks tell; what turns out not to have is taken back.
    pub(crate) arrived: i64,
    /// Largest flight after a sending.
    pub(crate) flight: u64,
    /// Smallest and largest advertised window.
    pub(crate) window_min: u64,
    pub(crate) window_max: u64,
    /// Smallest room at the start of a stall.
    pub(crate) room: u64,
    pub(crate) rtt_min: Nanos,
    /// As `rtt_min`, without the queues that ACKs came through.
    pub(crate) forth_min: Nanos,
    pub(crate) rtt_sum: Nanos,
    /// For how long, of that, ACKs waited in queues.
    pub(crate) queued_back: Nanos,
    pub(crate) rtt_count: u32,
    /// ACKs that told of bytes newly arrived. Not all of them give a round trip: of what came out of order, or twice, none is known.
    pub(crate) acks: u32,
    /// Waits longer than a quarter of a round trip, and how many of them followed a PSH.
    pub(crate) stalls: u32,
    pub(crate) dry_stalls: u32,
    pub(crate) longest_stall: Nanos,
    /// Waits longer than a wake-up, and how many of them ended just after an ACK.
    pub(crate) waits: u32,
    pub(crate) prompt: u32,
    /// How long they were, in nanoseconds.
    pub(crate) lengths: Spread,
    /// Of them, those that no ACK ended; how many of them began with a dry queue, and
    /// how many with a short segment.
    pub(crate) pauses: u32,
    pub(crate) dry_pauses: u32,
    pub(crate) short_pauses: u32,
    /// Of the stalls: how many followed a short segment, ended just after an ACK, ended when no ACK had come for long, ended long after
    /// the flight had fallen.
    pub(crate) short_stalls: u32,
    pub(crate) woken: u32,
    /// How long, of those just after an ACK, that had come before, all together.
    pub(crate) woken_after: Nanos,
    /// Bytes that were acknowledged in those of them that the first ACK had not ended.
    pub(crate) passed_over: Spread,
    pub(crate) unprompted: u32,
    /// Of the stalls: how many ended just after data of the peer.
    pub(crate) answered: u32,
    /// Lengths of the waits that ended so.
    pub(crate) answers: Spread,
    /// Packets with data of the peer.
    pub(crate) spoken: u32,
    pub(crate) forgone: u32,
    /// How long before the ends of stalls the last ACK had come, in nanoseconds.
    pub(crate) late: Spread,
    /// Of the stalls in which most of the flight drained: what was in flight, and what was left when the next data left.
    pub(crate) top: Spread,
    pub(crate) left: Spread,
    /// Waits twice as long as others, and of them those that an ACK ended.
    pub(crate) breaks: u32,
    pub(crate) breaks_woken: u32,
    /// Times between ends of writes (new data with PSH that is no whole number of MSS), in nanoseconds.
    pub(crate) ends: Spread,
    /// Intervals between bursts that were as long as the one before and shorter than a round trip, in nanoseconds.
    pub(crate) repeated: Spread,
    /// Longest time with nothing in flight.
    pub(crate) idle: Nanos,
    /// The packet with which that rest began.
    pub(crate) rest_frame: u64,
    /// Time of all stalls together.
    pub(crate) stalled_time: Nanos,
    /// New data segments, and how many of them carried PSH.
    pub(crate) segments: u32,
    pub(crate) pushes: u32,
    /// New data segments that were shorter than the MSS.
    pub(crate) short_segments: u32,
    /// Of those, what left while another one was under way, and no ACK had just come.
    pub(crate) small_behind: u32,
    /// New data segments of several whole MSS, as a kernel cuts them from a queue (TSO).
    pub(crate) whole_segments: u32,
    /// New data segments after which the window had no room for another.
    pub(crate) filled: u32,
    pub(crate) resent: u32,
    pub(crate) timeouts: u32,
    pub(crate) tail_losses: u32,
    pub(crate) double_losses: u32,
    pub(crate) small_flights: u32,
    pub(crate) needless: u32,
    /// ECN echoes and marks.
    pub(crate) marks: u32,
    /// Window shift that was in use: an inferred one may have been found wrong later.
    pub(crate) shift: u8,
    /// The window was zero at some time.
    pub(crate) zero_window: bool,
    /// Its last wait ended with the short end of a write, which Nagle's rule had kept back.
    pub(crate) held_back: bool,
    /// Window probes or keep-alives sent.
    pub(crate) probes: u32,
    /// ACKs that acknowledged nothing new and only opened the window.
    pub(crate) updates: u32,
}

impl Stretch {
    pub(crate) fn starting(from: Nanos, wait: Wait) -> Self {
        Self {
            from,
            to: from,
            wait,
            window_min: u64::MAX,
            room: u64::MAX,
            rtt_min: Nanos::MAX,
            forth_min: Nanos::MAX,
            ..Self::default()
        }
    }

    pub(crate) fn duration(&self) -> Nanos {
        self.to - self.from
    }

    /// Nothing was in flight and nothing was to be sent.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self.wait, Wait::IdleSelf | Wait::IdlePeer)
    }

    /// Idle for as long as a retransmission timer: cwnd falls back to its initial value (RFC 5681 section 4.1; kernel: `tcp_cwnd_restart`), and
    /// Linux never has such a timer below 200 ms.
    pub(crate) fn restarts(&self) -> bool {
        self.is_idle() && self.duration() >= RTO_MIN
    }

    /// Something was repaired, or sent again.
    pub(crate) fn is_repair(&self) -> bool {
        self.wait == Wait::Recovery || self.resent > 0
    }

    /// Payload bytes that arrived.
    pub(crate) fn arrived(&self) -> u64 {
        u64::try_from(self.arrived).unwrap_or(0)
    }

    /// Mean RTT, when there were samples.
    pub(crate) fn rtt_mean(&self) -> Option<Nanos> {
        (self.rtt_count > 0).then(|| Nanos(self.rtt_sum.0 / i64::from(self.rtt_count)))
    }

    /// As `rtt_mean`, without the queues that ACKs came through: those are before the data of the other end.
    pub(crate) fn forth_mean(&self) -> Option<Nanos> {
        let forth = self.rtt_sum - self.queued_back;
        (self.rtt_count > 0).then(|| Nanos(forth.0 / i64::from(self.rtt_count)))
    }

    /// For how long, on the mean, ACKs waited in queues; nothing without samples.
    pub(crate) fn back_mean(&self) -> Nanos {
        Nanos(self.queued_back.0 / i64::from(self.rtt_count.max(1)))
    }

    /// A packet that shows what happened here; 0 is none.
    pub(crate) fn touch(&mut self, frame: u64) {
        if self.first_frame == 0 {
            self.first_frame = frame;
        }
        self.last_frame = self.last_frame.max(frame);
    }

    /// It ended with a rest of that length, which began with the packet of that number.
    pub(crate) fn rests(&mut self, length: Nanos, frame: u64) {
        if length > self.idle {
            (self.idle, self.rest_frame) = (length, frame);
        }
    }

    pub(crate) fn saw_window(&mut self, window: u64) {
        lower(&mut self.window_min, window);
        if window > self.window_max && window != u64::MAX {
            self.window_max = window;
        }
        if window == 0 {
            self.zero_window = true;
        }
    }

    /// The window scale was found to be larger by so many bits. The room beside a flight is larger by as much as the window.
    pub(crate) fn widen_windows(&mut self, bits: u8) {
        let smallest = self.window_min;
        self.window_min = widened(smallest, bits);
        self.window_max = widened(self.window_max, bits);
        self.room = self.room.saturating_add(self.window_min - smallest);
    }

    /// A round trip; for `queue` of it an ACK waited in queues, or for what its sender had to say.
    pub(crate) fn sampled(&mut self, rtt: Nanos, queue: Nanos) {
        lower(&mut self.rtt_min, rtt);
        lower(&mut self.forth_min, rtt - queue);
        self.rtt_sum += rtt;
        self.queued_back += queue;
        self.rtt_count += 1;
    }

    /// Its ACKs had waited for so much longer than was known then; no round trip is shorter than `floor` without that.
    pub(crate) fn waited_longer(&mut self, by: Nanos, floor: Nanos) {
        let by = by.min(self.forth_min - floor);
        if self.rtt_count > 0 && by > Nanos::ZERO {
            self.forth_min = self.forth_min - by;
            self.queued_back += by.scale(self.rtt_count.into(), 1);
        }
    }

    /// A segment was sent again.
    #[cold]
    pub(crate) fn lost(&mut self, loss: Loss) {
        self.resent += 1;
        self.timeouts += u32::from(loss.timeout);
        self.tail_losses += u32::from(loss.tail);
        self.double_losses += u32::from(loss.double);
        self.small_flights += u32::from(loss.few);
        self.needless += u32::from(loss.needless);
    }

    /// What was sent again here had arrived before, and nothing followed from it.
    #[cold]
    pub(crate) fn repaired_nothing(&mut self) {
        if self.wait == Wait::Recovery {
            self.wait = Wait::Ack;
        }
        self.resent = 0;
        self.timeouts = 0;
        self.tail_losses = 0;
        self.double_losses = 0;
        self.small_flights = 0;
    }

    /// The sender stopped for `length` with `flight` out and `room` left in the window; `dry`: its
    /// queue was empty.
    pub(crate) fn stalled(&mut self, length: Nanos, flight: u64, room: u64, dry: bool) {
        self.stalls += 1;
        self.flight = self.flight.max(flight);
        self.dry_stalls += u32::from(dry);
        self.longest_stall = self.longest_stall.max(length);
        self.stalled_time += length;
        self.room = self.room.min(room);
    }

    /// Most of `flight` drained before more was sent: `left` bytes were left of it.
    pub(crate) fn drained(&mut self, flight: u64, left: u64) {
        if left < flight / 2 {
            self.top.add(flight);
            self.left.add(left);
        }
    }

    /// Takes in what follows it directly; the longer one says what was waited for.
    pub(crate) fn absorb(&mut self, next: &Self) {
        if next.duration() > self.duration() {
            self.wait = next.wait;
        }
        self.to = next.to;
        if self.first_frame == 0 {
            self.first_frame = next.first_frame;
        }
        self.last_frame = self.last_frame.max(next.last_frame);
        self.acked += next.acked;
        self.arrived += next.arrived;
        self.flight = self.flight.max(next.flight);
        self.window_min = self.window_min.min(next.window_min);
        self.window_max = self.window_max.max(next.window_max);
        self.room = self.room.min(next.room);
        self.rtt_min = self.rtt_min.min(next.rtt_min);
        self.forth_min = self.forth_min.min(next.forth_min);
        self.rtt_sum += next.rtt_sum;
        self.queued_back += next.queued_back;
        self.rtt_count = self.rtt_count.saturating_add(next.rtt_count);
        self.acks = self.acks.saturating_add(next.acks);
        self.longest_stall = self.longest_stall.max(next.longest_stall);
        self.rests(next.idle, next.rest_frame);
        self.stalled_time += next.stalled_time;
        self.repeated.join(&next.repeated);
        self.shift = self.shift.max(next.shift);
        self.zero_window |= next.zero_window;
        self.held_back = next.held_back;
        self.lengths.join(&next.lengths);
        self.top.join(&next.top);
        self.left.join(&next.left);
        self.late.join(&next.late);
        self.woken_after += next.woken_after;
        self.passed_over.join(&next.passed_over);
        self.ends.join(&next.ends);
        self.answers.join(&next.answers);
        // By themselves: a longer list than the next one is not unrolled any more.
        for (mine, more) in [
            (&mut self.unprompted, next.unprompted),
            (&mut self.answered, next.answered),
            (&mut self.spoken, next.spoken),
        ] {
            *mine = mine.saturating_add(more);
        }
        for (mine, more) in [
            (&mut self.stalls, next.stalls),
            (&mut self.dry_stalls, next.dry_stalls),
            (&mut self.short_stalls, next.short_stalls),
            (&mut self.waits, next.waits),
            (&mut self.prompt, next.prompt),
            (&mut self.woken, next.woken),
            (&mut self.forgone, next.forgone),
            (&mut self.breaks, next.breaks),
            (&mut self.breaks_woken, next.breaks_woken),
            (&mut self.pauses, next.pauses),
            (&mut self.dry_pauses, next.dry_pauses),
            (&mut self.short_pauses, next.short_pauses),
            (&mut self.segments, next.segments),
            (&mut self.pushes, next.pushes),
            (&mut self.short_segments, next.short_segments),
            (&mut self.whole_segments, next.whole_segments),
            (&mut self.filled, next.filled),
            (&mut self.resent, next.resent),
            (&mut self.timeouts, next.timeouts),
            (&mut self.tail_losses, next.tail_losses),
            (&mut self.double_losses, next.double_losses),
            (&mut self.small_flights, next.small_flights),
            (&mut self.needless, next.needless),
            (&mut self.marks, next.marks),
            (&mut self.probes, next.probes),
            (&mut self.updates, next.updates),
        ] {
            *mine = mine.saturating_add(more);
        }
    }
}
