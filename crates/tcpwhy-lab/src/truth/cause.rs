//! Why a limit held: what the sender's states say, corrected by what the receiver, the sleepers and the link know better.

use tcpwhy_core::link::WaySpec;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::socket::{self, Receiver, receiver_cause};

use super::spans::Spans;
use super::{Interval, State};

/// Beside the sender's states.
pub(super) struct Beside<'a> {
    /// The other end's samples, by time.
    pub(super) receiver: &'a [(u64, Receiver)],
    /// When the sender's own application slept in a read of this connection; without events it is not known.
    pub(super) reading: Option<&'a Spans>,
    /// The data's way.
    pub(super) way: &'a WaySpec,
}

/// Fills in the causes.
pub(super) fn fill(timeline: &mut [Interval], states: &[State], beside: &Beside<'_>) {
    for interval in timeline {
        let of = |t_ns: u64| (interval.from_ns..interval.to_ns).contains(&t_ns);
        let Some(limit) = Limit::from_name(&interval.limit) else { continue };
        let first = states.partition_point(|s| s.t_ns < interval.from_ns);
        let last = states.partition_point(|s| s.t_ns < interval.to_ns);
        let states = states.get(first..last).unwrap_or_default();
        let cause = match limit {
            Limit::ReceiveWindow => {
                let receiver: Vec<Receiver> =
                    beside.receiver.iter().filter(|(t, _)| of(*t)).map(|(_, r)| *r).collect();
                window(socket::cause(limit, states), receiver_cause(&receiver))
            }
            Limit::Application => application(interval, beside.reading),
            Limit::PathBandwidth if beside.way.policer.is_some() => Cause::Policer,
            _ => socket::cause(limit, states),
        };
        interval.cause = cause.name().map(str::to_owned);
    }
}

/// Whether the reader is slow is known at the receiver: its queue stands, or does not.
fn window(sender: Cause, receiver: Cause) -> Cause {
    match (sender, receiver) {
        (Cause::ZeroWindow, _) => Cause::ZeroWindow,
        (_, Cause::SlowReader) => Cause::SlowReader,
        (Cause::SlowReader, _) => Cause::SmallBuffer,
        (other, _) => other,
    }
}

/// An application that sleeps in a read of the same connection waits for the peer; else the pause is its own.
fn application(interval: &Interval, reading: Option<&Spans>) -> Cause {
    let asleep = reading.map_or(0, |r| r.within(interval.from_ns, interval.to_ns));
    if asleep * 2 > interval.to_ns.saturating_sub(interval.from_ns) {
        Cause::WaitingForPeer
    } else {
        Cause::SenderApplication
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(limit: Limit, beside: &Beside<'_>) -> Option<String> {
        let state =
            |t_ns| State { t_ns, mss: 1448, snd_wnd: 30_000, unsent: 1, ..State::default() };
        let (from_ns, to_ns) = (0, 100);
        let mut line = [Interval { from_ns, to_ns, limit: limit.name().into(), cause: None }];
        fill(&mut line, &[state(0), state(50)], beside);
        line[0].cause.take()
    }

    #[test]
    fn the_receiver_knows_its_reader_and_a_sleeper_waits_for_the_peer() {
        let way = WaySpec::default();
        let behind = Receiver { unread: 60_000, rmem_alloc: 70_000, rcvbuf: 131_072 };
        let (slow, fast) = ([(10, behind)], [(10, Receiver::default())]);
        let mut asleep = Spans::default();
        asleep.push(10, 90);
        let one = Beside { receiver: &slow, reading: Some(&asleep), way: &way };
        let other = Beside { receiver: &fast, reading: None, way: &way };
        assert_eq!(filled(Limit::ReceiveWindow, &one).as_deref(), Some("slow reader"));
        assert_eq!(filled(Limit::ReceiveWindow, &other).as_deref(), Some("small buffer"));
        assert_eq!(filled(Limit::Application, &one).as_deref(), Some("waiting for the peer"));
        assert_eq!(filled(Limit::Application, &other).as_deref(), Some("sender application"));
        assert_eq!(filled(Limit::SendBuffer, &other), None);
    }
}
