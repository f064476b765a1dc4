//! Acknowledgments on their way from the capture point to the sender.

use super::WAKE_UP;
use super::line::Line;
use super::packet::Packet;
use crate::units::Nanos;

/// Events that may be under way; beyond it the oldest is taken as arrived.
const MAX_UNDER_WAY: usize = 1 << 16;
/// Room made with the first: a flight's ACKs.
const AT_FIRST: usize = 32;
/// So many ACKs are looked at for the first with another stamp: more in a tick come too closely to tell.
const IN_A_TICK: usize = 32;
/// Coarsest timestamp clocks tick this slowly (RFC 7323 section 5.4 allows a second; 10 ms is usual).
const STALE_ECHO: Nanos = Nanos::from_millis(20);

/// An event on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event {
    pub(crate) packet: Packet,
    /// For how long it had waited in queues when it passed, as far as its end's clock tells.
    pub(crate) queued: Nanos,
}

impl Event {
    /// Its stamp is newer than what an `echo` names.
    pub(crate) fn is_newer_than(&self, echo: u32) -> bool {
        self.packet.stamp().is_some_and(|stamp| (echo.wrapping_sub(stamp) as i32) < 0)
    }
}

/// The events between the capture point and the sender, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnderWay {
    events: Line<Event>,
    /// Timestamp of the last event that arrived.
    arrived: Option<u32>,
}

impl UnderWay {
    /// Adds the newest event; whether there are too many now.
    #[inline]
    pub(crate) fn push(&mut self, event: Event) -> bool {
        self.events.push_back(event, AT_FIRST);
        self.events.len() > MAX_UNDER_WAY
    }

    /// The event at the front, if it had reached the sender when that sent a packet that passed at
    /// `now` and echoed `tsecr`. The echo names the newest ACK seen (RFC 7323 section 4): better than the
    /// shift by the shortest `leg`, which decides where there is no echo and among the later ACKs of a
    /// clock tick: the first of them has been seen, or its tick could not be echoed. `queued` is the
    /// leg with the queue of the moment.
    #[inline(always)]
    pub(crate) fn arrived(
        &self,
        now: Nanos,
        tsecr: Option<u32>,
        leg: Nanos,
        queued: Nanos,
    ) -> Option<&Event> {
        let event = self.events.front()?;
        let front = &event.packet;
        let in_time = || front.time + leg <= now;
        let seen = match (front.stamp(), tsecr) {
            (Some(val), Some(ecr)) => match ecr.wrapping_sub(val) as i32 {
                0 => {
                    let first = self.arrived != Some(val);
                    first || in_time() || front.len > 0 && is_request_in_time(front, now, leg)
                }
                newer => newer > 0,
            },
            _ => in_time(),
        };
        // An echo that stands still (it moves only with segments that advance the window, RFC 7323
        // section 4.3) cannot hold an ACK back for longer than the path can.
        (seen || is_overdue(front, now, queued)).then_some(event)
    }

    /// Since when at most the event at the front has been there `now` that its stamp `tsecr` is echoed: the next one with a newer stamp, which passed
    /// so much later, has not come. Not where it may be lost, overdue with the leg as it is `queued`. Only of bare ACKs: what comes behind data
    /// may have come, and not be echoed (RFC 7323 section 4.3).
    #[inline(always)]
    pub(crate) fn came_after(
        &self,
        now: Nanos,
        tsecr: Option<u32>,
        queued: Nanos,
    ) -> Option<Nanos> {
        let front = &self.events.front()?.packet;
        if front.len > 0 || front.stamp() != tsecr || is_overdue(front, now, queued) {
            return None;
        }
        // What is not due yet says nothing.
        let due = |next: &&Packet| next.time + queued < now;
        let mut near =
            self.events.iter().take(IN_A_TICK).map(|event| &event.packet).take_while(due);
        let next = near.find(|next| next.stamp() != tsecr)?;
        (next.seq == front.seq).then(|| now - (next.time - front.time))
    }

    /// The event at the front, which had this stamp, has been told to the sender: the next one comes to the front.
    #[inline]
    pub(crate) fn told(&mut self, stamp: Option<u32>) {
        self.arrived = stamp;
        self.events.drop_front(1);
    }

    /// The next event, whether it had arrived or not: the capture is over, or it never will.
    pub(crate) fn pop(&mut self) -> Option<Event> {
        self.events.pop_front()
    }
}

/// Whether the path cannot hold this back until `now`, where it takes as long as `queued`.
fn is_overdue(event: &Packet, now: Nanos, queued: Nanos) -> bool {
    event.time + queued + queued + STALE_ECHO <= now
}

/// Whether this data of the peer had arrived `now`, which is not the first of its tick. The shortest `leg` begins with the first packet of a tick:
/// where a later one is a request, its answer takes less.
#[inline(never)]
fn is_request_in_time(event: &Packet, now: Nanos, leg: Nanos) -> bool {
    event.time + leg <= now + WAKE_UP.min(Nanos(leg.0 / 16))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Side;
    use crate::observe::{Segment, flags};

    fn comes(q: &mut UnderWay, now: Nanos, tsecr: Option<u32>, leg: Nanos) -> bool {
        let event = q.arrived(now, tsecr, leg, leg).copied();
        if let Some(event) = event {
            q.told(event.packet.stamp());
        }
        event.is_some()
    }

    fn event(ms: i64, tsval: Option<u32>) -> Event {
        let segment = Segment {
            time: Nanos::from_millis(ms),
            flags: flags::ACK,
            options: crate::observe::Options {
                timestamps: tsval.map(|v| (v, 0)),
                ..Default::default()
            },
            ..Default::default()
        };
        Event { packet: Packet::of(&segment, Side::Client), queued: Nanos::ZERO }
    }

    #[test]
    fn without_echo_the_leg_decides() {
        let mut q = UnderWay::default();
        q.push(event(0, None));
        q.push(event(5, None));
        let leg = Nanos::from_millis(10);
        assert!(comes(&mut q, Nanos::from_millis(10), None, leg));
        assert!(!comes(&mut q, Nanos::from_millis(10), None, leg));
    }

    #[test]
    fn what_is_echoed_came_when_the_next_ack_had_not_come_yet() {
        let (now, leg) = (Nanos::from_millis(40), Nanos::from_millis(10));
        let came = |next: Event, echo: u32| {
            let mut q = UnderWay::default();
            q.push(event(5, Some(7)));
            q.push(next);
            q.came_after(now, Some(echo), leg).map(|time| now - time)
        };
        let later = event(8, Some(10));
        assert_eq!(came(later, 7), Some(Nanos::from_millis(3)));
        assert_eq!(came(event(8, Some(7)), 7), None, "of the same tick");
        assert_eq!(came(later, 10), None, "it has come");
        let mut behind_data = later;
        behind_data.packet.seq = behind_data.packet.seq + 1;
        assert_eq!(came(behind_data, 7), None, "its stamp may not be taken");
        let mut q = UnderWay::default();
        q.push(event(5, Some(7)));
        q.push(later);
        assert_eq!(q.came_after(Nanos::from_millis(400), Some(7), leg), None, "it may be lost");
    }

    #[test]
    fn a_request_of_a_tick_that_is_echoed_had_arrived_though_its_answer_took_less_than_others() {
        let comes_before = |len: u32| {
            let mut q = UnderWay::default();
            q.push(event(0, Some(7)));
            let mut later = event(0, Some(7));
            later.packet.len = len;
            q.push(later);
            let (leg, now) = (Nanos::from_millis(10), Nanos::from_micros(9_900));
            assert!(comes(&mut q, now, Some(7), leg), "the first of the tick");
            comes(&mut q, now, Some(7), leg)
        };
        assert!(comes_before(120));
        assert!(!comes_before(0));
    }

    #[test]
    fn the_echo_overrules_the_leg() {
        let mut q = UnderWay::default();
        q.push(event(0, Some(7)));
        q.push(event(5, Some(8)));
        q.push(event(6, Some(9)));
        let (leg, now) = (Nanos::from_millis(10), Nanos::from_millis(100));
        assert!(comes(&mut q, now, Some(8), leg));
        assert!(comes(&mut q, now, Some(8), leg));
        assert!(!comes(&mut q, Nanos::from_millis(40), Some(8), leg));
    }
}
