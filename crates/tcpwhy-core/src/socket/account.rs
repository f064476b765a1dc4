//! The time of one sender, added up by limit.

use crate::model::{Cause, Limit};
use crate::units::Nanos;

use super::pieces::pieces;
use super::{State, cause};

/// How long each limit held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Account {
    /// In the order of [`Limit::ALL`].
    held: [Nanos; Limit::ALL.len()],
    /// Of the limit that held longest.
    cause: Option<Cause>,
}

impl Account {
    /// Of the states of one sender, in order of time; fewer than two are no time.
    ///
    /// `tuned`: the send buffer is known to be the kernel's to grow, and below its maximum.
    pub fn of(states: &[State], tuned: bool) -> Self {
        let mut account = Self::default();
        for piece in pieces(states, tuned, 0) {
            let span = piece.to_ns.saturating_sub(piece.from_ns);
            account.add(piece.limit, Nanos(i64::try_from(span).unwrap_or(i64::MAX)));
        }
        account.cause = account.limit().map(|limit| cause(limit, states));
        account
    }

    /// Threads slept in writes for `slept` altogether in the time of these states, because the kernel refused memory for what they write
    /// (`net/ipv4/tcp.c`, `tcp_sendmsg_locked()`: no skb, so it waits as for a full buffer). To samples that is a sender with nothing left to
    /// send and room in its buffer: as much of the sleep as the other limits leave room for was not the application's time.
    pub fn writes_were_refused(&mut self, slept: Nanos, states: &[State]) {
        let application = self
            .shares()
            .find(|(limit, _)| *limit == Limit::Application)
            .map_or(Nanos::ZERO, |(_, held)| held);
        let others = self.total() - application;
        let refused = (slept - others).clamp(Nanos::ZERO, application);
        self.add(Limit::Application, Nanos::ZERO - refused);
        self.add(Limit::SendBuffer, refused);
        self.cause = self.limit().map(|limit| cause(limit, states));
    }

    fn add(&mut self, limit: Limit, span: Nanos) {
        let place = Limit::ALL.iter().position(|l| *l == limit);
        if let Some(held) = place.and_then(|place| self.held.get_mut(place)) {
            *held += span;
        }
    }

    /// The limit that held longest; `None` without time.
    pub fn limit(&self) -> Option<Limit> {
        let most = self.shares().max_by_key(|(_, held)| *held);
        most.filter(|(_, held)| *held > Nanos::ZERO).map(|(limit, _)| limit)
    }

    /// Why that one held.
    pub fn cause(&self) -> Cause {
        self.cause.unwrap_or(Cause::None)
    }

    /// Every limit with the time that it held.
    pub fn shares(&self) -> impl Iterator<Item = (Limit, Nanos)> + use<> {
        Limit::ALL.into_iter().zip(self.held)
    }

    /// All time together.
    pub fn total(&self) -> Nanos {
        self.held.iter().fold(Nanos::ZERO, |sum, held| sum + *held)
    }

    /// Part of the time, 0 to 1, that `limit` held.
    pub fn share(&self, limit: Limit) -> f64 {
        let held = self.shares().find(|(l, _)| *l == limit).map_or(Nanos::ZERO, |(_, held)| held);
        if self.total() > Nanos::ZERO { held.secs() / self.total().secs() } else { 0.0 }
    }

    /// Time in which the sender had data, or would have had it, and neither its application nor the path's rate was the reason to wait.
    pub fn lost(&self) -> Nanos {
        self.shares().filter(|(limit, _)| is_lost(*limit)).fold(Nanos::ZERO, |sum, (_, h)| sum + h)
    }
}

/// Whether time that `limit` held is lost: something other than the application and the path's rate made the sender wait.
pub fn is_lost(limit: Limit) -> bool {
    !matches!(limit, Limit::Handshake | Limit::Application | Limit::PathBandwidth | Limit::Unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(ms: u64) -> State {
        State {
            t_ns: ms * 1_000_000,
            established: true,
            cwnd: 10,
            snd_wnd: 60_000,
            mss: 1448,
            srtt_us: 20_000,
            min_rtt_us: 20_000,
            sndbuf: 32_768,
            ..State::default()
        }
    }

    #[test]
    fn a_full_send_buffer_that_drains_for_moments_is_the_limit_of_all_the_time() {
        let full =
            |ms| State { outstanding: 16_384, in_flight: 12, wmem_queued: 33_000, ..state(ms) };
        let states: Vec<State> =
            (0..30).map(|i| if i % 5 == 4 { state(i * 4) } else { full(i * 4) }).collect();
        let account = Account::of(&states, false);
        assert_eq!(account.limit(), Some(Limit::SendBuffer));
        assert_eq!(account.total(), Nanos::from_millis(116));
        assert_eq!(account.lost(), account.total());
    }

    #[test]
    fn time_is_split_among_the_limits_and_none_is_lost_by_an_idle_application() {
        let held = |ms| State { unsent: 9000, outstanding: 59_000, in_flight: 10, ..state(ms) };
        let account = Account::of(&[held(0), held(20), state(40), state(60), state(80)], false);
        assert_eq!(account.share(Limit::ReceiveWindow), 0.5);
        assert_eq!(account.share(Limit::Application), 0.5);
        assert_eq!(account.lost(), Nanos::from_millis(40));
    }

    #[test]
    fn timeouts_without_an_answer_are_a_silent_path() {
        let lost = |ms, timeouts| State {
            outstanding: 1448,
            in_flight: 1,
            ca_state: 4,
            timeouts,
            ..state(ms)
        };
        let told = |timeouts| Account::of(&[lost(0, timeouts), lost(500, timeouts)], false).limit();
        assert_eq!(told(1), Some(Limit::LossRecovery));
        assert_eq!(told(3), Some(Limit::SilentPath));
    }

    #[test]
    fn a_paced_sender_that_meets_the_edge_is_held_by_the_window() {
        let paced = |ms| State { unsent: 9000, outstanding: 30_000, in_flight: 5, ..state(ms) };
        let at_edge = |ms| State { outstanding: 59_000, ..paced(ms) };
        let told = |states: &[State]| Account::of(states, false).limit();
        assert_eq!(told(&[paced(0), paced(10), at_edge(20)]), Some(Limit::ReceiveWindow));
        assert_eq!(told(&[paced(0), paced(10), paced(20)]), Some(Limit::CongestionWindow));
        let full = State { in_flight: 10, ..paced(10) };
        assert_eq!(told(&[paced(0), full, at_edge(20)]), Some(Limit::CongestionWindow));
    }

    #[test]
    fn a_pace_at_which_everything_arrives_is_the_paths_unless_the_application_set_it() {
        let paced = |ms, pacing_rate, max_pacing_rate| State {
            unsent: 9000,
            outstanding: 30_000,
            in_flight: 5,
            delivery_rate: 1_000_000,
            pacing_rate,
            max_pacing_rate,
            ..state(ms)
        };
        let told_of = |bbr, pacing, most| {
            let states = [0, 10, 20].map(|ms| State { bbr, ..paced(ms, pacing, most) });
            let account = Account::of(&states, false);
            (account.limit(), account.cause())
        };
        let told = |pacing, most| told_of(false, pacing, most);
        let path = (Some(Limit::PathBandwidth), Cause::SteadyRate);
        let own = (Some(Limit::CongestionWindow), Cause::Pacing);
        assert_eq!(told(1_010_000, u64::MAX), path);
        // As bbr begins, as a window is paced, as the application wants it, as it is not known.
        assert_eq!(told(2_890_000, u64::MAX), own);
        assert_eq!(told(1_200_000, u64::MAX), own);
        assert_eq!(told_of(true, 1_250_000, u64::MAX), path);
        assert_eq!(told_of(true, 2_890_000, u64::MAX), own);
        assert_eq!(told(1_010_000, 1_010_000), own);
        assert_eq!(told(0, 0), own);
    }

    #[test]
    fn where_more_arrives_as_more_is_in_flight_the_way_is_long_and_no_link_is_full() {
        // A window that grows from 10 packets to 30, over 60 ms that were 20 once: all of it arrives, or what a link carries.
        let told = |carries: u64| {
            let mut acked = 0;
            let states: Vec<State> = (0..120)
                .map(|k| {
                    let flight = 10 + k as u32 / 6;
                    acked += (u64::from(flight) * 1448 / 3).min(carries);
                    let bytes = flight * 1448;
                    let (outstanding, in_flight, cwnd) = (bytes, flight, flight);
                    State { unsent: 90_000, outstanding, in_flight, cwnd, acked, ..longer(k * 20) }
                })
                .collect();
            Account::of(&states, false).limit()
        };
        assert_eq!(told(u64::MAX), Some(Limit::CongestionWindow));
        assert_eq!(told(5_000), Some(Limit::PathBandwidth));
    }

    fn longer(ms: u64) -> State {
        State { srtt_us: 60_000, snd_wnd: 1 << 20, ..state(ms) }
    }

    #[test]
    fn what_the_application_caps_is_not_held_by_the_queue_that_others_make() {
        let told = |max_pacing_rate, in_flight| {
            let paced = |ms| State {
                unsent: 90_000,
                outstanding: 14_480,
                in_flight,
                pacing_rate: 250_000,
                max_pacing_rate,
                ..longer(ms)
            };
            Account::of(&[paced(0), paced(30), paced(60)], false).limit()
        };
        assert_eq!(told(250_000, 8), Some(Limit::CongestionWindow));
        assert_eq!(told(u64::MAX, 8), Some(Limit::PathBandwidth));
        assert_eq!(told(250_000, 10), Some(Limit::PathBandwidth), "cwnd holds it");
    }

    #[test]
    fn the_end_of_a_large_write_waits_for_no_delayed_ack() {
        let tail = |ms, outstanding| State { unsent: 100, outstanding, in_flight: 1, ..state(ms) };
        let told = |bytes| Account::of(&[tail(0, bytes), tail(20, bytes)], false).limit();
        assert_eq!(told(1448), Some(Limit::DelayedAck));
        assert_eq!(told(14_480), Some(Limit::Application));
    }

    #[test]
    fn a_buffer_that_the_kernel_may_grow_and_did_not_held_nobody() {
        let full = |ms| State { outstanding: 16_384, wmem_queued: 33_000, ..state(ms) };
        let told = |last: State, tuned| Account::of(&[full(0), full(20), last], tuned).limit();
        assert_eq!(told(full(40), true), Some(Limit::Application));
        assert_eq!(told(full(40), false), Some(Limit::SendBuffer));
        let grown = State { sndbuf: 40_000, ..full(40) };
        assert_eq!(told(grown, true), Some(Limit::SendBuffer));
    }

    #[test]
    fn a_write_that_got_no_memory_is_not_the_applications_pause() {
        let held = |ms| State { unsent: 9000, outstanding: 59_000, in_flight: 10, ..state(ms) };
        let sent = |ms| State { acked: ms, ..state(ms) };
        let states = [held(0), held(20), held(40), sent(60), sent(80), sent(140)];
        let told = |slept_ms| {
            let mut account = Account::of(&states, false);
            account.writes_were_refused(Nanos::from_millis(slept_ms), &states);
            let all = [Limit::ReceiveWindow, Limit::SendBuffer, Limit::Application];
            let ms = all.map(|limit| (account.share(limit) * 140.0).round());
            (ms, account.limit(), account.cause())
        };
        // The sleep may have been while the window held.
        let (application, alone) = (Some(Limit::Application), Cause::SenderApplication);
        assert_eq!(told(60), ([60.0, 0.0, 80.0], application, alone));
        let (window, unscaled) = (Some(Limit::ReceiveWindow), Cause::NoWindowScaling);
        assert_eq!(told(95), ([60.0, 35.0, 45.0], window, unscaled));
        let (buffer, none) = (Some(Limit::SendBuffer), Cause::None);
        assert_eq!(told(130), ([60.0, 70.0, 10.0], buffer, none));
        // Of several threads.
        assert_eq!(told(900), ([60.0, 80.0, 0.0], buffer, none));
    }

    #[test]
    fn one_sample_is_no_time() {
        assert_eq!(Account::of(&[state(1)], false).limit(), None);
        assert_eq!(Account::of(&[], false), Account::default());
    }
}
