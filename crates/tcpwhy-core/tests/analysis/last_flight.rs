//! The way of what was sent last: nothing was left to send then, which is nobody's fault.

use crate::script::script;
use crate::segments::{analyse_one, check_all, direction};
use crate::silence::OPENING;
use tcpwhy_core::advice::{Language, sentence, steps};
use tcpwhy_core::model::{Connection, Direction, Limit, Side};
use tcpwhy_core::units::Nanos;

/// A client that asks, captured there, and gets the answer `packets`; the last of it is acknowledged at `last` ms.
fn answered(packets: &str, last: f64) -> Connection {
    let text = format!(
        "{OPENING} 20.1 C P. len 100\n 40.2 S . win 502\n {packets} {last} C .
         900 C F.\n 920 S F.\n 920 C ."
    );
    let connection = analyse_one(&script(&text));
    check_all(std::slice::from_ref(&connection));
    connection
}

/// So many full segments and the end of a write at `at` ms, every second one acknowledged.
fn flight(at: f64, full: u32) -> String {
    let mut text = String::new();
    for k in 1..=full {
        let now = at + f64::from(k) * 0.01;
        text += &format!("{now} S . len 1448\n");
        text += &if k % 2 == 0 { format!("{now} C .\n") } else { String::new() };
    }
    text + &format!("{} S P. len 500\n", at + f64::from(full + 1) * 0.01)
}

fn server(connection: &Connection) -> &Direction {
    direction(connection, Side::Server)
}

/// What is said of the server and advised.
fn told(connection: &Connection) -> (String, Vec<String>) {
    let server = server(connection);
    (sentence(connection, server, Language::En), steps(connection, server, Language::En))
}

/// The time without waits for an application, or as it was where there is nothing to save.
fn without_waits(direction: &Direction) -> Nanos {
    let lifted = direction.what_if.iter().find(|w| w.lift == Limit::Application);
    lifted.map_or(direction.transfer, |w| w.transfer)
}

#[test]
fn a_delayed_ack_of_a_short_answer_is_not_its_servers_fault() {
    for full in [1, 2, 5] {
        let connection = answered(&flight(41.0, full), 82.0);
        let (text, steps) = told(&connection);
        let nothing = "Nothing held it back: the server sent all of its data at once, and heard";
        assert!(text.starts_with(nothing), "{text}");
        assert!(text.contains("the client may delay its last acknowledgement"), "{text}");
        assert!(steps.is_empty(), "{steps:?}");
        let server = server(&connection);
        let gain = server.transfer - without_waits(server);
        assert!(gain < Nanos::from_millis(5), "{:?} of {:?}", server.what_if, server.transfer);
    }
}

#[test]
fn a_server_that_thinks_between_its_writes_is_asked_why_however_late_the_last_ack_is() {
    let writes = format!("{} {}", flight(41.0, 3), flight(241.0, 3));
    let connection = answered(&writes, 282.0);
    let (text, steps) = told(&connection);
    assert!(text.starts_with("The application on the server held it back"), "{text}");
    assert!(steps[0].starts_with("Look at what the application on the server ("), "{steps:?}");
    // Its pause goes, the delayed ACK stays.
    let left = without_waits(server(&connection));
    assert!((Nanos::from_millis(40)..Nanos::from_millis(90)).contains(&left), "{left:?}");
}

#[test]
fn what_held_it_for_longer_than_the_last_flight_took_is_the_answer() {
    let rounds = |n: u32| {
        let flights = (0..n).map(|k| {
            let at = 41.0 + 20.1 * f64::from(k);
            // The window has room for all of it.
            let full = flight(at, 10 << k).replace("C .", "C . win 8000");
            if k + 1 < n { full.replace("P. len 500", ". len 1448") } else { full }
        });
        flights.collect::<String>()
    };
    let limit = |n: u32| {
        let connection = answered(&rounds(n), 41.0 + 20.1 * f64::from(n) + 40.0);
        server(&connection).verdict.limit
    };
    assert_eq!(limit(2), Limit::Application);
    assert_eq!(limit(6), Limit::CongestionWindow);
}
