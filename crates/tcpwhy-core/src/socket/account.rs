//! The time of one sender, added up by limit.

use crate::model::{Cause, Limit};
use crate::units::Nanos;

use super::cause::most;
use super::{State, cause, judge, round};

/// Timeouts in a row after which nobody is there: with the usual backoff the path was silent for seven round trips or more.
const SILENT: u8 = 3;
/// Steps from sample to sample with small flights, and with large ones, that tell how fast data arrives with each.
const TELLING: usize = 16;
/// So many times higher are flights that differ: a window that a loss cuts is higher by 1.4 and more before (RFC 9438 section 4.6).
const FULLER: f64 = 1.2;

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

/// A piece of time with one limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Nanoseconds since the Unix epoch, or since whenever the states count.
    pub from_ns: u64,
    /// Its end.
    pub to_ns: u64,
    /// What held the sender for most of it.
    pub limit: Limit,
}

/// The time of one sender in pieces of a round trip, and of `shortest_ns` at least; `tuned` as for [`Account::of`].
pub(super) fn pieces(
    mut states: &[State],
    tuned: bool,
    shortest_ns: u64,
) -> impl Iterator<Item = Piece> {
    let has_room = tuned && !grew(states);
    let grows = carries_more(states);
    std::iter::from_fn(move || {
        let first = states.first().filter(|_| states.len() > 1)?;
        let enough = first.t_ns.saturating_add(shortest_ns);
        let shortest = states.partition_point(|s| s.t_ns < enough).min(states.len() - 1);
        let end = round(states).max(shortest);
        let piece = states.get(..=end)?;
        let limit = match limit(piece) {
            Limit::SendBuffer if has_room => Limit::Application,
            Limit::PathBandwidth if grows => Limit::CongestionWindow,
            limit => limit,
        };
        let to_ns = piece.last().map_or(first.t_ns, |last| last.t_ns);
        states = states.get(end..).unwrap_or_default();
        Some(Piece { from_ns: first.t_ns, to_ns, limit })
    })
}

/// Whether time that `limit` held is lost: something other than the application and the path's rate made the sender wait.
pub fn is_lost(limit: Limit) -> bool {
    !matches!(limit, Limit::Handshake | Limit::Application | Limit::PathBandwidth | Limit::Unknown)
}

/// As [`judge`], for samples that are a good part of a round trip apart, without an account of the application's writes. The lab's truth,
/// which sees every event, is derived without these two: on its runs the second one would move 0.4 % of the time, and verdicts between a
/// window and a path of 1 ms that are both nearly full.
fn limit(piece: &[State]) -> Limit {
    match judge(piece, false) {
        _ if is_silent(piece) => Limit::SilentPath,
        // Between two openings of the window bbr paces at the rate that the window set.
        Limit::PathBandwidth | Limit::CongestionWindow if met_edge(piece) => Limit::ReceiveWindow,
        // What lets its data go at a rate of its own is not held by the queue that others make.
        Limit::PathBandwidth if most(piece, State::is_capped) => Limit::CongestionWindow,
        // What arrives as fast as it is paced is paced by the path.
        Limit::CongestionWindow if most(piece, State::is_paced_as_it_arrives) => {
            Limit::PathBandwidth
        }
        limit => limit,
    }
}

/// Whether, where round trips look like a queue, data arrives the faster the more of it is in flight (Little's law): the path has become longer, or
/// varies. A link that is full carries no more however much waits before it. Only flights that differ tell.
fn carries_more(states: &[State]) -> bool {
    let mut steps: Vec<(u32, u64, u64)> = states
        .windows(2)
        .filter(|pair| pair[0].limit() == Limit::PathBandwidth)
        .map(|pair| {
            let arrived = pair[1].delivered().saturating_sub(pair[0].delivered());
            (pair[0].outstanding, arrived, pair[1].t_ns.saturating_sub(pair[0].t_ns))
        })
        .collect();
    steps.sort_unstable();
    let third = steps.len() / 3;
    if third < TELLING {
        return false;
    }
    let mean = |part: &[(u32, u64, u64)]| {
        let (flight, arrived, ns) = part.iter().fold((0.0, 0.0, 0.0), |(f, a, t), step| {
            (f + f64::from(step.0), a + step.1 as f64, t + step.2 as f64)
        });
        (flight / part.len() as f64, arrived / f64::max(ns, 1.0))
    };
    let ((low, slow), (high, fast)) = (mean(&steps[..third]), mean(&steps[steps.len() - third..]));
    high >= low * FULLER
        && slow > 0.0
        && (fast / slow - 1.0) * 2.0 >= high / f64::max(low, 1.0) - 1.0
}

/// Whether the sender came to the window's edge and was never held by cwnd or a loss.
fn met_edge(piece: &[State]) -> bool {
    let held = |s: &State| s.is_held_back() && !s.is_at_edge();
    piece.iter().any(State::is_at_edge) && !piece.iter().any(held)
}

/// Whether the send buffer grew. The kernel grows it as soon as a writer waits for it while cwnd has room (`net/ipv4/tcp_input.c`,
/// `tcp_new_space`), so one that it may grow and that did not, however full it looks, held nobody: its writer pauses by itself.
fn grew(states: &[State]) -> bool {
    states.first().map(|s| s.sndbuf) < states.last().map(|s| s.sndbuf)
}

/// Timeout after timeout, or probe after probe, and nothing comes back.
fn is_silent(piece: &[State]) -> bool {
    let (Some(first), Some(last)) = (piece.first(), piece.last()) else { return false };
    first.acked == last.acked && last.outstanding > 0 && last.timeouts >= SILENT
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
