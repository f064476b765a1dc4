//! What all connections together put on the link's two ways, and when both rest.

use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::link::{Rate, WaySpec};

use super::State;
use super::derive::SHORTEST_NS;

/// Of a packet, by IPv4 and with timestamps.
const HEADERS: u64 = 52;

/// Bytes that one socket has sent, by time: data, what was resent of it, and headers.
#[derive(Debug, Default)]
pub(super) struct Sent(Vec<(u64, u64)>);

impl Sent {
    pub(super) fn add(&mut self, t_ns: u64, info: TcpInfo<'_>) {
        if let (Some(bytes), Some(segments)) = (info.bytes_sent(), info.segs_out()) {
            self.0.push((t_ns, bytes.saturating_add(u64::from(segments) * HEADERS)));
        }
    }

    /// What was sent since the moment before, and when.
    fn steps(&self) -> impl Iterator<Item = (u64, u64)> {
        let more = |pair: &[(u64, u64)]| (pair[1].0, pair[1].1.saturating_sub(pair[0].1));
        self.0.windows(2).map(more)
    }
}

/// The ways that a rate bounds; of a link whose rates are not known there are none, and nothing is said.
#[derive(Debug, Default)]
pub(super) struct Load(Vec<Way>);

#[derive(Debug)]
struct Way {
    /// Bytes per second.
    rate: f64,
    /// Bytes that all have sent, by time.
    sent: Vec<(u64, u64)>,
}

impl Load {
    /// `sockets`: of each way, those that send over it.
    pub(super) fn new(ways: [(&WaySpec, Vec<&Sent>); 2]) -> Self {
        // A trace's rate is another one at every moment.
        if ways.iter().any(|(spec, _)| matches!(spec.rate, Rate::Trace(_))) {
            return Self::default();
        }
        let bounded = ways.into_iter().filter_map(|(spec, sockets)| match spec.rate {
            Rate::Constant(bps) => Some(Way::new(bps as f64 / 8.0, &sockets)),
            Rate::Unlimited | Rate::Trace(_) => None,
        });
        Self(bounded.collect())
    }

    /// The states, but that where the link rests there is no queue on it: round trips above their floor are those of ACKs that wait for a receiver's timer, or of a
    /// busy host, and so the floor of that moment.
    pub(super) fn without_queue(&self, states: &[State]) -> Vec<State> {
        let rests = |s: &State| !self.0.is_empty() && self.0.iter().all(|way| way.rests(s));
        let floor = |s: &State| if rests(s) { s.min_rtt_us.max(s.srtt_us) } else { s.min_rtt_us };
        states.iter().map(|s| State { min_rtt_us: floor(s), ..*s }).collect()
    }
}

impl Way {
    fn new(rate: f64, sockets: &[&Sent]) -> Self {
        let mut sent: Vec<(u64, u64)> = sockets.iter().flat_map(|s| s.steps()).collect();
        sent.sort_unstable();
        let mut sum = 0_u64;
        for (_, bytes) in &mut sent {
            sum = sum.saturating_add(*bytes);
            *bytes = sum;
        }
        Self { rate, sent }
    }

    fn until(&self, t_ns: u64) -> u64 {
        let next = self.sent.partition_point(|(t, _)| *t <= t_ns);
        next.checked_sub(1).map_or(0, |last| self.sent[last].1)
    }

    /// For half of the round trips before and after this state, or more.
    fn rests(&self, state: &State) -> bool {
        let round = (u64::from(state.srtt_us) * 1000).max(SHORTEST_NS);
        let (from, to) = (state.t_ns.saturating_sub(round), state.t_ns.saturating_add(round));
        let bytes = self.until(to) - self.until(from);
        (bytes as f64) < self.rate * round as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link of 8 Mbit/s, over which each sender sends `bytes` in each of 100 rounds of 20 ms, which take 30 ms by its clock, and the other
    /// way carries ACKs at 80 kbit/s.
    fn limit(bytes: u64, senders: usize, acks: u64) -> &'static str {
        let sent = |bytes: u64| Sent((0..100).map(|i| (i * 20_000_000, i * bytes)).collect());
        let way = |bps| WaySpec { rate: Rate::Constant(bps), ..WaySpec::default() };
        let (data, acks) = (sent(bytes), sent(acks));
        let load =
            Load::new([(&way(8_000_000), vec![&data; senders]), (&way(80_000), vec![&acks])]);
        let state = State {
            t_ns: 1_000_000_000,
            established: true,
            unsent: 9000,
            mss: 1448,
            cwnd: 10,
            snd_wnd: 60_000,
            srtt_us: 30_000,
            min_rtt_us: 20_000,
            ..State::default()
        };
        load.without_queue(&[state])[0].limit().name()
    }

    #[test]
    fn a_link_that_rests_has_no_queue_though_round_trips_are_long() {
        assert_eq!(limit(4000, 1, 52), "congestion_window");
        assert_eq!(limit(15_000, 1, 52), "path_bandwidth");
    }

    #[test]
    fn a_link_is_busy_with_what_all_send_either_way() {
        assert_eq!(limit(4000, 4, 52), "path_bandwidth");
        assert_eq!(limit(4000, 1, 180), "path_bandwidth");
    }
}
