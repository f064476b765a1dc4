//! What to do to a locked socket, and what cannot be done any more. Measured on Linux 6.18; see docs/limits.md.

use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_live::locks::Locks;
use tcpwhy_live::settings::Settings;

/// SO_RCVBUF to ask for: the kernel doubles it, which holds a window for 100 Mbit/s over 160 ms.
const RECEIVE: u64 = 2 << 20;
/// Largest window without scaling (RFC 7323 section 2.2).
const UNSCALED: u64 = 65_535;

/// One change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::live) enum Step {
    /// SO_BUF_LOCK without the send bit: send autotuning resumes by itself.
    UnlockSend,
    /// SO_RCVBUF and TCP_WINDOW_CLAMP: receive autotuning does not restart when the lock goes, so the size is set, and the clamp, which
    /// SO_RCVBUF does not move after the handshake, with it.
    GrowReceive {
        /// Bytes to ask for.
        ask: u32,
        /// Largest window that the scale can say.
        most: u64,
    },
}

/// Why a lock cannot be taken off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::live) enum Refused {
    /// Neither buffer is locked; their sizes, bytes.
    NothingLocked {
        send: u64,
        receive: u64,
    },
    /// The receive buffer was set before the SYN, which fixed a window scale of 0.
    Unscaled,
    /// It listens; or it is not connected (yet, or any more).
    Listens,
    NotConnected,
    /// The receive buffer is as large as `net.core.rmem_max` allows, or larger; bytes.
    LargeAlready {
        receive: u64,
        most: u64,
    },
}

/// What was decided.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// To be done, in order.
    pub steps: Vec<Step>,
    /// What cannot work.
    pub refused: Vec<Refused>,
}

/// Decides from what the socket says.
pub(super) fn plan(locks: &Locks, info: TcpInfo<'_>, settings: &Settings) -> Plan {
    let mut plan = Plan::default();
    // TCP_CLOSE, TCP_SYN_SENT, TCP_SYN_RECV, TCP_TIME_WAIT, TCP_LISTEN (include/net/tcp_states.h)
    if let Some(state @ (2 | 3 | 6 | 7 | 10)) = info.state() {
        let why = if state == 10 { Refused::Listens } else { Refused::NotConnected };
        return Plan { refused: vec![why], ..plan };
    }
    if locks.send {
        plan.steps.push(Step::UnlockSend);
    }
    if locks.receive {
        match receive(locks, info, settings) {
            Ok(step) => plan.steps.push(step),
            Err(why) => plan.refused.push(why),
        }
    }
    if !locks.send && !locks.receive {
        let (send, receive) = (locks.sndbuf.into(), locks.rcvbuf.into());
        plan.refused.push(Refused::NothingLocked { send, receive });
    }
    plan
}

fn receive(locks: &Locks, info: TcpInfo<'_>, settings: &Settings) -> Result<Step, Refused> {
    let scale = info.rcv_wscale().unwrap_or(0).min(14);
    let most = UNSCALED << scale;
    if scale == 0 {
        return Err(Refused::Unscaled);
    }
    // Older kernels show it in the first namespace only; the kernel clamps what is asked for anyway.
    let allowed = if settings.rmem_max > 0 { settings.rmem_max } else { RECEIVE };
    let ask = RECEIVE.min(allowed).min(most);
    if ask * 2 <= u64::from(locks.rcvbuf) {
        return Err(Refused::LargeAlready { receive: locks.rcvbuf.into(), most: allowed });
    }
    Ok(Step::GrowReceive { ask: u32::try_from(ask).unwrap_or(u32::MAX), most })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Settings =
        Settings { tcp_wmem_most: 4 << 20, tcp_rmem_most: 32 << 20, rmem_max: 4 << 20 };

    fn locks(send: bool, receive: bool) -> Locks {
        Locks {
            send,
            receive,
            sndbuf: 32_768,
            rcvbuf: 65_536,
            window_clamp: 81_920,
            notsent_lowat: None,
        }
    }

    /// `tcp_info` with a window scale for receiving.
    fn scaled(scale: u8) -> Vec<u8> {
        let mut raw = vec![0; 240];
        (raw[0], raw[6]) = (1, scale << 4);
        raw
    }

    fn planned(locks: &Locks, scale: u8) -> Plan {
        plan(locks, TcpInfo(&scaled(scale)), &SETTINGS)
    }

    #[test]
    fn a_send_lock_is_taken_off_whatever_the_window_scale() {
        assert_eq!(planned(&locks(true, false), 0).steps, [Step::UnlockSend]);
    }

    #[test]
    fn a_receive_buffer_of_an_unscaled_connection_is_refused_with_the_reason() {
        let plan = planned(&locks(false, true), 0);
        assert_eq!(plan.steps, []);
        assert_eq!(plan.refused, [Refused::Unscaled]);
        // The other half is done all the same.
        assert_eq!(planned(&locks(true, true), 0).steps, [Step::UnlockSend]);
    }

    #[test]
    fn a_receive_buffer_grows_as_far_as_scale_and_rmem_max_allow() {
        let grown = planned(&locks(false, true), 10).steps;
        assert_eq!(grown, [Step::GrowReceive { ask: 2 << 20, most: 65_535 << 10 }]);
        let unknown = Settings { rmem_max: 0, ..SETTINGS };
        assert_eq!(plan(&locks(false, true), TcpInfo(&scaled(10)), &unknown).steps, grown);
        let small = Settings { rmem_max: 32_768, ..SETTINGS };
        let refused = plan(&locks(false, true), TcpInfo(&scaled(10)), &small).refused;
        assert_eq!(refused, [Refused::LargeAlready { receive: 65_536, most: 32_768 }]);
    }

    #[test]
    fn what_is_no_connection_is_left_as_it_is() {
        for (state, why) in [(10, Refused::Listens), (7, Refused::NotConnected)] {
            let mut raw = scaled(10);
            raw[0] = state;
            let plan = plan(&locks(true, true), TcpInfo(&raw), &SETTINGS);
            assert_eq!(plan, Plan { steps: Vec::new(), refused: vec![why] });
        }
    }

    #[test]
    fn nothing_locked_is_nothing_to_do() {
        let refused = Refused::NothingLocked { send: 32_768, receive: 65_536 };
        assert_eq!(planned(&locks(false, false), 10).refused, [refused]);
    }
}
