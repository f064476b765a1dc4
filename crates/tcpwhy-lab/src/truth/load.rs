//! How busy the link's two ways are, by its own account or by what all connections together send, and when the queue of one is empty.

use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::link::{Rate, WaySpec};

use super::State;
use super::derive::SHORTEST_NS;
use crate::link::busy::Step;

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

/// How busy the link is. Where nothing is known of it, nothing is said.
#[derive(Debug, Default)]
pub(super) struct Load {
    /// By the link's own account, the client's way and the server's; `None`: it has no rate, or keeps none.
    told: [Option<Way>; 2],
    /// By what the sockets send, where the link keeps no account: the ways that a rate bounds.
    sent: Vec<Way>,
}

/// What went over one way.
#[derive(Debug)]
struct Way {
    /// What it carries in a nanosecond, and for which part of the time it does so where it is full.
    rate: f64,
    full: f64,
    /// What it has carried, by time.
    carried: Vec<(u64, u64)>,
}

impl Load {
    /// By the link's own account of the ways with these `specs`.
    pub(super) fn told(specs: [&WaySpec; 2], [up, down]: [Vec<Step>; 2]) -> Self {
        let [client, server] = specs;
        let way = |spec: &WaySpec, steps: Vec<Step>| {
            (!matches!(spec.rate, Rate::Unlimited)).then(|| Way::told(&steps))
        };
        Self { told: [way(client, up), way(server, down)], sent: Vec::new() }
    }

    /// `sockets`: of each way, those that send over it.
    pub(super) fn sent(ways: [(&WaySpec, Vec<&Sent>); 2]) -> Self {
        // A trace's rate is another one at every moment.
        if ways.iter().any(|(spec, _)| matches!(spec.rate, Rate::Trace(_))) {
            return Self::default();
        }
        let bounded = ways.into_iter().filter_map(|(spec, sockets)| match spec.rate {
            Rate::Constant(bps) => Some(Way::sent(bps as f64 / 8.0 / 1e9, &sockets)),
            Rate::Unlimited | Rate::Trace(_) => None,
        });
        Self { sent: bounded.collect(), ..Self::default() }
    }

    /// The states of a sender, the client or not, but that where its way rests there is no queue on it: round trips above their floor are those of ACKs that
    /// wait, behind the peer's data or for a receiver's timer, or of a busy host, and so the floor of that moment.
    pub(super) fn without_queue(&self, states: &[State], client: bool) -> Vec<State> {
        let rests = |s: &State| match &self.told[usize::from(!client)] {
            Some(way) => way.rests(s),
            None => !self.sent.is_empty() && self.sent.iter().all(|way| way.rests(s)),
        };
        let floor = |s: &State| if rests(s) { s.min_rtt_us.max(s.srtt_us) } else { s.min_rtt_us };
        states.iter().map(|s| State { min_rtt_us: floor(s), ..*s }).collect()
    }
}

impl Way {
    /// A way that is full has something to carry all the time, but for what bunches of ACKs leave.
    fn told(steps: &[Step]) -> Self {
        let amounts = steps.iter().flat_map(|s| [(s.from_ns, 0), (s.to_ns, s.busy_ns)]);
        Self::new(1.0, 0.9, amounts.collect())
    }

    /// What the sockets send comes in bursts, and what is lost of it goes nowhere.
    fn sent(rate: f64, sockets: &[&Sent]) -> Self {
        let mut amounts: Vec<(u64, u64)> = sockets.iter().flat_map(|s| s.steps()).collect();
        amounts.sort_unstable();
        Self::new(rate, 0.5, amounts)
    }

    /// What it carried until each of these times since the one before, in their order.
    fn new(rate: f64, full: f64, mut amounts: Vec<(u64, u64)>) -> Self {
        let mut sum = 0_u64;
        for (_, amount) in &mut amounts {
            sum = sum.saturating_add(*amount);
            *amount = sum;
        }
        Self { rate, full, carried: amounts }
    }

    /// What it had carried by then, between two moments of the account in proportion.
    fn until(&self, t_ns: u64) -> f64 {
        let next = self.carried.partition_point(|(t, _)| *t <= t_ns);
        let Some(&(from, before)) = next.checked_sub(1).map(|last| &self.carried[last]) else {
            return 0.0;
        };
        let Some(&(to, after)) = self.carried.get(next) else { return before as f64 };
        let part = t_ns.saturating_sub(from) as f64 / to.saturating_sub(from).max(1) as f64;
        before as f64 + part * after.saturating_sub(before) as f64
    }

    /// It was full neither in the round trip before this state nor in the one after it.
    fn rests(&self, state: &State) -> bool {
        let (round, at) = ((u64::from(state.srtt_us) * 1000).max(SHORTEST_NS), state.t_ns);
        let rests = |from: u64, to: u64| {
            let carried = self.until(to) - self.until(from);
            carried < self.rate * self.full * (to - from) as f64
        };
        rests(at.saturating_sub(round), at) && rests(at, at.saturating_add(round))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sender 20 ms away whose round trips take 30, in the 50th of them.
    fn state() -> State {
        State {
            t_ns: 1_000_000_000,
            established: true,
            unsent: 9000,
            mss: 1448,
            cwnd: 10,
            snd_wnd: 60_000,
            srtt_us: 30_000,
            min_rtt_us: 20_000,
            ..State::default()
        }
    }

    fn way(rate: Rate) -> WaySpec {
        WaySpec { rate, ..WaySpec::default() }
    }

    /// A link of 8 Mbit/s, over which each sender sends `bytes` in each of 100 rounds of 20 ms, and the other way carries ACKs at 80 kbit/s.
    fn limit(bytes: u64, senders: usize, acks: u64) -> &'static str {
        let sent = |bytes: u64| Sent((0..100).map(|i| (i * 20_000_000, i * bytes)).collect());
        let (there, back) = (way(Rate::Constant(8_000_000)), way(Rate::Constant(80_000)));
        let (data, acks) = (sent(bytes), sent(acks));
        let load = Load::sent([(&there, vec![&data; senders]), (&back, vec![&acks])]);
        load.without_queue(&[state()], true)[0].limit().name()
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

    /// What both senders are limited by, where the client's way is busy for so much of each step of 2 ms until then, and the server's all the time.
    fn limits(rate: Rate, percent: u64, until_ms: u64) -> [&'static str; 2] {
        let steps = |percent: u64, until: u64| {
            let step = |ms| Step {
                from_ns: ms * 1_000_000,
                to_ns: (ms + 2) * 1_000_000,
                busy_ns: percent * 20_000,
            };
            (0..until).step_by(2).map(step).collect()
        };
        let (there, back) = (way(rate), way(Rate::Constant(8_000_000)));
        let load = Load::told([&there, &back], [steps(percent, until_ms), steps(100, 2_000)]);
        [true, false].map(|client| load.without_queue(&[state()], client)[0].limit().name())
    }

    #[test]
    fn what_waits_on_the_way_back_is_no_queue_of_this_sender() {
        let (path, window) = ("path_bandwidth", "congestion_window");
        let rate = || Rate::Constant(8_000_000);
        assert_eq!(limits(rate(), 80, 2_000), [window, path]);
        assert_eq!(limits(rate(), 95, 2_000), [path, path]);
        assert_eq!(limits(rate(), 100, 1_000), [path, path], "it ends there");
        assert_eq!(limits(rate(), 100, 900), [window, path]);
        assert_eq!(limits(Rate::Unlimited, 0, 2_000), [path, path], "nothing is known");
    }
}
