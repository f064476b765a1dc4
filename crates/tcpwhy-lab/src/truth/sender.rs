//! What is known of one sender: its states from samples and from events, laid in one row.

use std::net::SocketAddr;

use tcpwhy_core::socket::Receiver;

use super::events::Told;
use super::load::Sent;
use super::writes::Writes;
use super::{State, Stopwatch};

/// A state at one moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub(super) state: State,
    /// `SOCK_NOSPACE` was set.
    pub(super) nospace: bool,
}

/// A socket's samples, which are also those of a receiver.
#[derive(Debug, Default)]
pub(super) struct Samples {
    pub(super) cookie: u64,
    pub(super) states: Vec<State>,
    pub(super) receiver: Vec<(u64, Receiver)>,
    pub(super) sent: Sent,
    pub(super) stopwatch: Stopwatch,
}

impl Samples {
    /// Whether it sent data. The SYN counts as an acknowledged byte.
    pub(super) fn carried(&self) -> bool {
        self.states.last().is_some_and(|s| s.acked > 1)
            || self.states.iter().any(|s| s.unsent + s.outstanding > 1)
    }

    /// The states from samples alone: each holds until the next.
    pub(super) fn sampled(&self, ends: [SocketAddr; 2], writes: &Writes) -> Vec<State> {
        let writing = |s: &State| writes.is_writing(&ends[0], &ends[1], s.t_ns);
        self.states.iter().map(|s| State { writing: writing(s), ..*s }).collect()
    }

    /// The states from events, and from samples where nothing happened.
    ///
    /// An event's state is the one before it takes effect: what the sender had come to when the event ended its wait, so it is the
    /// state of the time since the event before it. A writer waits while it sleeps in its write, or since it was refused: merely being
    /// inside of a write, as its own account has it, is no wait.
    /// What only `tcp_info` has comes from the sample before.
    pub(super) fn told(&self, told: &Told) -> Vec<State> {
        let sample = |state: &State| Moment { state: *state, nospace: false };
        let mut moments: Vec<Moment> = self.states.iter().map(sample).collect();
        moments.extend(&told.moments);
        // A stable sort: of a sample and an event at one time the sample stays first.
        moments.sort_by_key(|m| m.state.t_ns);
        let mut known = State::default();
        let mut states: Vec<State> = Vec::with_capacity(moments.len());
        for (begin, end) in moments.iter().zip(moments.iter().skip(1)) {
            let middle = begin.state.t_ns.midpoint(end.state.t_ns);
            if end.state.scaled {
                known = end.state;
            }
            states.push(State {
                t_ns: begin.state.t_ns,
                writing: Some(
                    told.writer_asleep.contains(middle) || (begin.nospace && end.nospace),
                ),
                timeouts: known.timeouts,
                probes: known.probes,
                scaled: known.scaled,
                ..end.state
            });
        }
        states.extend(moments.last().map(|last| last.state));
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::spans::Spans;

    fn moment(t_ns: u64, unsent: u32, nospace: bool) -> Moment {
        Moment { state: State { t_ns, unsent, ..State::default() }, nospace }
    }

    #[test]
    fn an_event_tells_of_the_time_before_it() {
        let mut writer_asleep = Spans::default();
        writer_asleep.push(12, 18);
        let moments = vec![moment(10, 1, true), moment(20, 2, true), moment(30, 3, false)];
        let told = Told { moments, writer_asleep, ..Told::default() };
        let samples = Samples {
            states: vec![State {
                t_ns: 25,
                unsent: 9,
                probes: 1,
                scaled: true,
                ..State::default()
            }],
            ..Samples::default()
        };
        let row = samples.told(&told);
        let seen: Vec<_> = row.iter().map(|s| (s.t_ns, s.unsent, s.writing, s.probes)).collect();
        assert_eq!(
            seen,
            [
                (10, 2, Some(true), 0),
                (20, 9, Some(false), 1),
                (25, 3, Some(false), 1),
                (30, 3, None, 0)
            ]
        );
    }
}
