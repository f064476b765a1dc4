//! `tcpwhy.live/1` as published: the schema, and a golden file.

use super::*;
use crate::live::fixture::{at_edge, row, starved};
use std::time::Duration;
use tcpwhy_core::socket::State;
use tcpwhy_live::events::Refused;
use tcpwhy_live::memory::{Bounds, Memory, Pressure};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../../schema/tcpwhy.live-1.schema.json")).unwrap()
}

/// What is wrong with it. Every object of the schema is closed: what is written and not described is wrong, too.
fn wrong(value: &Value) -> Vec<String> {
    fn close(value: &mut Value) {
        if let Value::Object(map) = value {
            if map.contains_key("properties") {
                map.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            map.values_mut().for_each(close);
        }
    }
    let mut schema = schema();
    close(&mut schema);
    let schema = jsonschema::validator_for(&schema).unwrap();
    schema.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

/// A locked sender, one at the window's edge, an idle one that nobody may look into, and a receiver that is closed.
fn rows() -> Vec<Row> {
    let mut hidden = row(3, "nobody", State { established: true, ..State::default() }).seen;
    hidden.last.acked = hidden.first.acked;
    (hidden.owner, hidden.locks) = (None, None);
    let mut receiver = row(4, "reader", State { established: true, ..State::default() }).seen;
    receiver.last.acked = receiver.first.acked;
    receiver.last.received = 1_000_000;
    receiver.last.stopwatch = None;
    receiver.closed = true;
    let of = |seen| Row::new(seen, &crate::live::fixture::SETTINGS);
    vec![row(1, "mysqld", starved()), row(2, "nginx", at_edge()), of(hidden), of(receiver)]
}

/// Attached but for one program, with the memory told.
fn status() -> Status {
    let memory = Memory {
        pages: 260,
        bounds: Some(Bounds { pressure: 92_000, most: 180_000 }),
        is_short: false,
    };
    let refused = |program, optional| Refused { program, why: "not here".to_owned(), optional };
    let refused = vec![refused("sock_rcvqueue_full", false), refused("fentry/sk_wait_data", true)];
    let pressure = Pressure { times: 2, long: Duration::from_millis(340) };
    Status { refused, memory: Some(memory), pressure, ..Status::default() }
}

#[test]
fn a_round_and_a_line_are_what_the_schema_describes_and_nothing_else() {
    assert_eq!(wrong(&round(&rows(), &status())), [""; 0]);
    assert_eq!(wrong(&round(&[], &status())), [""; 0]);
    for row in rows() {
        assert_eq!(wrong(&line(&row)), [""; 0]);
    }
    let mut other = round(&rows(), &status());
    other["sockets"][0]["limit"] = "bad weather".into();
    assert_ne!(wrong(&other), [""; 0]);
    // A socket alone is no line: it does not say what it is.
    assert_ne!(wrong(&socket(&rows()[0])), [""; 0]);
}

#[test]
fn the_schema_knows_every_limit() {
    let names = schema()["$defs"]["limit"]["enum"].clone();
    assert_eq!(names, json!(Limit::ALL.map(Limit::name)));
}

#[test]
fn the_golden_file_is_what_is_written() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/live/json/golden.json");
    let mut value = round(&rows(), &status());
    value["time_ns"] = 0.into();
    let text = serde_json::to_string_pretty(&value).unwrap() + "\n";
    if std::env::var_os("TCPWHY_BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), text, "TCPWHY_BLESS=1 renews it");
}

#[test]
fn a_process_s_name_steers_no_terminal_and_a_program_reads_the_same() {
    let evil = "ev\u{9b}31m\u{7f}\u{202e}il";
    let mut row = row(1, evil, starved());
    let set = Set { asked: crate::live::fixture::asked(evil), time_ns: 0, stack: Vec::new() };
    row.hear(Told { asked: vec![set], ..Told::default() });
    let mut text = Vec::new();
    write(&mut text, &line(&row)).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(!text.contains(['\u{9b}', '\u{7f}', '\u{202e}']), "{text}");
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&read["command"], &read["set_by"][0]["command"]), (&json!(evil), &json!(evil)));
}
