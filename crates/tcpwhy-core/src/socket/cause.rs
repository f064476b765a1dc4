//! Why a limit held, as far as the sender's samples tell.

use crate::model::{Cause, Limit};

use super::State;

/// The cause of `limit` in `states`, the samples of one sender in order of time.
pub fn cause(limit: Limit, states: &[State]) -> Cause {
    match limit {
        Limit::ReceiveWindow => window(states),
        Limit::CongestionWindow => congestion(states),
        Limit::PathBandwidth if most(states, State::queue_stands) => Cause::StandingQueue,
        Limit::PathBandwidth => Cause::SteadyRate,
        Limit::LossRecovery if most(states, State::has_timed_out) => Cause::Timeout,
        Limit::LossRecovery => Cause::FastRetransmit,
        Limit::DelayedAck => Cause::Nagle,
        Limit::SilentPath if states.last().is_some_and(|s| s.probes > 0) => Cause::ProbesUnanswered,
        Limit::SilentPath => Cause::PeerVanished,
        Limit::Application if moved(states) => Cause::SenderApplication,
        Limit::Handshake | Limit::Application | Limit::SendBuffer | Limit::Unknown => Cause::None,
    }
}

/// A window that falls below half of itself is one whose reader lags: the right edge only moves when data is read. A buffer that is too
/// small shows a window that stays. A window that stays while ACKs come late is either: a reader that reads in small steps, and is
/// acknowledged when it does, and a queue on the path look the same from here.
fn window(states: &[State]) -> Cause {
    let Some(last) = states.last() else { return Cause::None };
    let peak = |part: &[State]| part.iter().map(|s| s.snd_wnd).max().unwrap_or(0);
    let least = states.iter().map(|s| s.snd_wnd).min().unwrap_or(0);
    let most = peak(states);
    // A window that is opened and closed all the time has grown only if it opens further than before.
    let third = states.len().div_ceil(3);
    let (before, lately) = (peak(&states[..third]), peak(&states[states.len() - third..]));
    if last.snd_wnd < last.mss || last.probes > 0 {
        Cause::ZeroWindow
    } else if least < most / 2 && last.snd_wnd <= most / 4 * 3 {
        Cause::SlowReader
    } else if lately > before / 4 * 5 {
        Cause::AutotuningLag
    } else if last.queue_stands() {
        Cause::None
    } else if !last.scaled && most > 32_767 {
        Cause::NoWindowScaling
    } else {
        Cause::SmallBuffer
    }
}

/// Data that waits though cwnd has room waits for the pacing timer (`tcp_pacing_check`) or for the queue below (`tcp_small_queue_check`).
fn congestion(states: &[State]) -> Cause {
    let waiting = |s: &State| s.unsent > 0;
    let paced = states.iter().filter(|s| waiting(s) && s.in_flight < s.cwnd).count();
    if paced * 2 > states.iter().filter(|s| waiting(s)).count() {
        Cause::Pacing
    } else if states.last().is_some_and(|s| s.cwnd < s.ssthresh) {
        Cause::SlowStart
    } else {
        Cause::CongestionAvoidance
    }
}

fn moved(states: &[State]) -> bool {
    states.first().map(|s| s.acked) != states.last().map(|s| s.acked)
}

/// Whether most of the states are so.
pub(super) fn most(states: &[State], is: impl Fn(&State) -> bool) -> bool {
    states.iter().filter(|s| is(s)).count() * 2 > states.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(windows: &[u32]) -> Vec<State> {
        let state = |snd_wnd: &u32| State {
            snd_wnd: *snd_wnd,
            mss: 1448,
            scaled: true,
            unsent: 1,
            ..State::default()
        };
        windows.iter().map(state).collect()
    }

    #[test]
    fn windows_tell_reader_buffer_and_autotuning_apart() {
        let told = |windows: &[u32]| cause(Limit::ReceiveWindow, &offered(windows));
        assert_eq!(told(&[32_000, 31_000, 32_000]), Cause::SmallBuffer);
        assert_eq!(told(&[64_000, 12_000, 20_000]), Cause::SlowReader);
        assert_eq!(told(&[64_000, 12_000, 0]), Cause::ZeroWindow);
        assert_eq!(told(&[64_000, 80_000, 120_000]), Cause::AutotuningLag);
        let dips = [14_000, 24_000, 17_000, 25_000, 15_000, 24_000];
        assert_eq!(told(&dips), Cause::SmallBuffer, "the last is higher than the first by chance");
        let mut unscaled = offered(&[65_535, 65_535]);
        unscaled.iter_mut().for_each(|s| s.scaled = false);
        assert_eq!(cause(Limit::ReceiveWindow, &unscaled), Cause::NoWindowScaling);
    }

    #[test]
    fn a_flight_below_cwnd_is_paced() {
        let state = State { unsent: 1, in_flight: 5, cwnd: 10, ssthresh: 5, ..State::default() };
        assert_eq!(cause(Limit::CongestionWindow, &[state]), Cause::Pacing);
        let full = State { in_flight: 10, ..state };
        assert_eq!(cause(Limit::CongestionWindow, &[full]), Cause::CongestionAvoidance);
        let opening = State { ssthresh: 0x7fff_ffff, ..full };
        assert_eq!(cause(Limit::CongestionWindow, &[opening]), Cause::SlowStart);
    }
}
