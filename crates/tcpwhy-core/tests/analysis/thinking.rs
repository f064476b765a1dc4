//! What an application takes before it answers: part of no transfer, and what its client waits for.

use crate::script::script;
use crate::segments::{analyse_one, check_all, direction};
use crate::silence::OPENING;
use tcpwhy_core::advice::{Language, sentence, steps};
use tcpwhy_core::model::{Cause, Connection, Direction, Limit, Side};
use tcpwhy_core::units::Nanos;

/// Round trips that an answer takes: a window that doubles.
const ROUNDS: u32 = 5;

/// A client that asks at `asks` ms, captured there; the answer begins `thinks` ms after the request came.
fn answered(asks: f64, thinks: f64) -> Connection {
    let mut text = format!("{OPENING} {asks} C P. len 100\n");
    let mut now = asks + 20.2;
    text += &format!("{now:.3} S . win 502\n");
    now += thinks;
    for round in 0..ROUNDS {
        for k in 1..=(10 << round) {
            let at = now + f64::from(k) * 0.002;
            text += &format!("{at:.3} S . len 1448\n");
            text += &if k % 2 == 0 { format!("{at:.3} C . win 8000\n") } else { String::new() };
        }
        now += 20.2;
    }
    let connection = analyse_one(&script(&text));
    check_all(std::slice::from_ref(&connection));
    connection
}

fn server(connection: &Connection) -> &Direction {
    direction(connection, Side::Server)
}

#[test]
fn who_thinks_for_longer_than_its_answer_takes_is_what_it_was_waited_for() {
    let connection = answered(20.1, 300.0);
    let told = server(&connection);
    let verdict = (told.verdict.limit, told.verdict.cause);
    assert_eq!(verdict, (Limit::Application, Cause::SenderApplication));
    let thought = told.thought();
    assert!((Nanos::from_millis(299)..Nanos::from_millis(301)).contains(&thought), "{thought:?}");
    let text = sentence(&connection, told, Language::En);
    let begins = "The application on the server held it back, not the network: 300 ms of 4";
    assert!(text.starts_with(begins) && text.contains("before it began to send"), "{text}");
    let steps = steps(&connection, told, Language::En);
    assert!(steps[0].contains("does before its first write"), "{steps:?}");
}

#[test]
fn a_short_thought_and_a_client_that_has_nothing_to_ask_are_not_the_answer() {
    for (asks, thinks) in [(20.1, 30.0), (320.1, 0.0)] {
        let connection = answered(asks, thinks);
        let told = server(&connection);
        let verdict = (told.verdict.limit, told.verdict.cause);
        assert_eq!(verdict, (Limit::CongestionWindow, Cause::SlowStart), "{asks} {thinks}");
        assert!(told.thought() < Nanos::from_millis(31), "{:?}", told.thought());
    }
    // Nobody waits for a client's first word.
    let connection = answered(320.1, 0.0);
    assert_eq!(direction(&connection, Side::Client).thought(), Nanos::ZERO);
}

/// A server that writes 20 kB every 91 ms and is told twice how much of it was read, captured there: midway by 36 bytes, and by so many when all
/// has come, long before the next write.
fn granted(last: u32) -> Connection {
    let mut text = format!("{OPENING} 20.1 C P. len 100\n");
    for chunk in 0..40 {
        let begins = 41.0 + 91.0 * f64::from(chunk);
        let start = 1 + chunk * 14 * 1_448;
        for k in 0..14 {
            text += &format!("{:.3} S P. len 1448\n", begins + f64::from(k));
        }
        let end = start + 14 * 1_448;
        text += &format!("{:.3} C P. len 36 ack {} win 8000\n", begins + 30.0, start + 7 * 1_448);
        text += &format!("{:.3} C P. len {last} ack {end} win 8000\n", begins + 40.0);
    }
    analyse_one(&script(&text))
}

#[test]
fn nobody_waits_for_a_grant_of_what_is_not_used_up() {
    let (granted, asked) = (granted(36), granted(120));
    let told = |connection: &Connection| server(connection).verdict.cause;
    assert_eq!(told(&granted), Cause::SenderApplication);
    assert_eq!(server(&granted).turns(), 1);
    assert_eq!(server(&asked).turns(), 40);
    let waits = server(&asked).limits().into_iter().find(|s| s.cause == Cause::WaitingForPeer);
    assert!(waits.is_some_and(|s| s.duration > Nanos::from_millis(39 * 25)));
}
