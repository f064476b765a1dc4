//! Against connections that do not open, and paths that fall silent.

use crate::advice::figures::Figures;
use crate::advice::opening::Opening;
use crate::advice::step::{Life, Step};
use crate::model::{Cause, Side};
use std::net::IpAddr;

pub(super) fn handshake(f: &Figures) -> Vec<Step> {
    let reuse = Step::Life(Life::ReuseAgainstHandshake { rtt: f.rtt_floor });
    let server = f.place(Side::Server);
    match f.verdict.cause {
        _ if f.opening == Opening::Refused => vec![Step::Life(Life::CheckListener { at: server })],
        _ if f.not_accepted => vec![Step::Life(Life::CheckListenQueue { at: server }), reuse],
        _ if f.opening == Opening::AnswerUnheard => {
            vec![Step::Life(Life::CheckAnswer { at: f.place(Side::Client) })]
        }
        // The server is the end whose queue the SYN could not enter.
        Cause::SynRetry => {
            let mut steps = vec![
                Step::Life(Life::CheckListenQueue { at: server }),
                Step::Life(Life::CheckSynPath),
            ];
            steps.extend((f.opening == Opening::Done).then_some(reuse));
            steps
        }
        _ => vec![reuse],
    }
}

/// How to see whether large packets alone vanish, where those of the handshake passed and no full segment did.
fn compare_sizes(f: &Figures) -> Option<Step> {
    let none_passed = f.peak_bps == 0 && f.most_in_flight >= u64::from(f.mss.max(1));
    // The payload of an ICMP echo in as large a packet: on Ethernet all of 1,500 bytes, however long a segment's header is.
    let ping = match f.receiver.end.addr() {
        _ if f.mss > 1_460 => f.mss + 24,
        IpAddr::V4(_) => 1_500 - 20 - 8,
        IpAddr::V6(_) => 1_500 - 40 - 8,
    };
    let step = Life::CompareSizes { to: f.receiver, mss: f.mss, ping };
    (f.is_whole && none_passed).then_some(Step::Life(step))
}

pub(super) fn silent_path(f: &Figures) -> Vec<Step> {
    // Without a cause it is the receiver who waits.
    let at = if f.verdict.cause == Cause::None { f.receiver } else { f.sender };
    match f.verdict.cause {
        Cause::PmtuBlackHole => {
            vec![
                Step::Life(Life::AllowIcmp),
                Step::Life(Life::ProbeMtu { at }),
                Step::Life(Life::ClampMss { mss: f.mss }),
            ]
        }
        Cause::ConnectionForgotten => {
            vec![Step::Life(Life::KeepStateAlive), Step::Life(Life::DetectDeadPeer { at })]
        }
        // What was sent in vain only a capture at the other end shows.
        Cause::None if f.owed.is_some() => vec![
            Step::Life(Life::CaptureBetter { at: f.sender, one_way: f.one_way }),
            Step::Life(Life::CheckPath { frames: f.frames }),
            Step::Life(Life::DetectDeadPeer { at }),
        ],
        _ => {
            let path = Step::Life(Life::CheckPath { frames: f.frames });
            let dead = Step::Life(Life::DetectDeadPeer { at });
            compare_sizes(f).into_iter().chain([path, dead]).collect()
        }
    }
}
