//! Questions and answers in turns: what of their time is the way there and back, what the path needs for what is said, and what somebody's
//! thinking is.

use crate::segments::direction;
use crate::traps::{connection, ms};
use tcpwhy_core::model::{Cause, Connection, Direction, Limit, Side};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Scenario, Workload, simulate};

/// 40 answers of 100 kB over a link of 50 Mbit/s (16 ms each) and 20 ms of round trip.
fn conversation() -> Scenario {
    let workload = Workload { messages: 40, message_bytes: 100_000, ..Workload::default() };
    Scenario { workload, rate_bps: 50_000_000, ..Scenario::default() }
}

fn seen(scenario: &Scenario, position: f64) -> Connection {
    connection(&simulate(scenario).capture(position))
}

/// Its transfer with a limit lifted; as it is where nothing is predicted of that.
fn without(limit: Limit, direction: &Direction) -> Nanos {
    let lifted = direction.what_if.iter().find(|w| w.lift == limit);
    lifted.map_or(direction.transfer, |w| w.transfer)
}

fn is_about(predicted: Nanos, measured: Nanos) -> bool {
    (predicted.secs() / measured.secs() - 1.0).abs() < 0.15
}

#[test]
fn what_the_path_needs_for_answers_a_faster_path_saves_and_no_thinking() {
    let slow = conversation();
    let fast = Scenario { rate_bps: 10_000_000_000, ..conversation() };
    for position in [0.0, 0.5, 1.0] {
        let (told, faster) = (seen(&slow, position), seen(&fast, position));
        for side in [Side::Client, Side::Server] {
            let (told, faster) = (direction(&told, side), direction(&faster, side));
            let verdict = (told.verdict.limit, told.verdict.cause);
            assert_eq!(verdict, (Limit::Application, Cause::WaitingForPeer), "{position} {side:?}");
            let (path, measured) = (without(Limit::PathBandwidth, told), faster.transfer);
            assert!(is_about(path, measured), "{position} {side:?} {path:?} {measured:?}");
            let thinking = without(Limit::Application, told);
            assert!(is_about(thinking, told.transfer), "{position} {side:?} {thinking:?}");
        }
    }
}

#[test]
fn who_thinks_between_an_answer_and_the_next_question_is_told_from_an_answer_that_takes_its_time() {
    let mut slow = conversation();
    slow.workload.peer_think = ms(100);
    for position in [0.0, 0.5, 1.0] {
        let told = seen(&slow, position);
        let asks = direction(&told, Side::Client);
        let thought = asks.limits().into_iter().find(|s| s.cause == Cause::SenderApplication);
        let thought = thought.map_or(Nanos::ZERO, |s| s.duration);
        // 39 times, and what waits for the last acknowledgment.
        assert!((ms(3_800)..ms(4_200)).contains(&thought), "{position} {thought:?}");
        let quick = seen(&conversation(), position);
        let thinking = without(Limit::Application, direction(&told, Side::Server));
        assert!(is_about(thinking, direction(&quick, Side::Server).transfer), "{position}");
    }
}
