//! One row a transfer.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::{connection, connections, golden};
use tcpwhy_core::model::{Cause, Connection, Limit};
use tcpwhy_core::units::Nanos;
use tcpwhy_report::csv;

fn rows(connections: &[Connection]) -> String {
    let mut out = Vec::new();
    csv::write(&mut out, connections).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_golden_rows() {
    golden("all.csv", &rows(&connections()));
}

#[test]
fn the_limit_is_that_of_the_transfers_own_time() {
    let text = rows(&[connection(0, (Limit::SendBuffer, Cause::None))]);
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], csv::HEADER.join(","));
    let tells = |line: &str, what: &str| assert!(line.contains(what), "{line}");
    tells(lines[1], ",congestion_window,slow start,1.0000,");
    tells(lines[2], ",send_buffer,,0.9825,");
    tells(lines[3], ",,,,0,,");
}

#[test]
fn the_time_before_a_transfer_and_what_held_then_are_in_its_row() {
    let mut one = connection(0, (Limit::SendBuffer, Cause::None));
    let d = &mut one.directions[1];
    // The first 400 ms of what held longest lie between the first two transfers.
    d.transfers[1].from = d.transfers[0].to + Nanos::from_millis(400);
    let text = rows(&[one]);
    let ends: Vec<_> = text.lines().skip(1).take(2).collect();
    assert!(ends[0].ends_with(",20000000,handshake,"), "{}", ends[0]);
    assert!(ends[1].ends_with(",400000000,send_buffer,"), "{}", ends[1]);
}

#[test]
fn an_answer_that_did_not_come_is_a_row_of_no_bytes() {
    let mut one = connection(0, (Limit::Application, Cause::SenderApplication));
    let d = &mut one.directions[1];
    (d.owes, d.transfers, d.bytes) = (true, Box::default(), 0);
    d.timeline.iter_mut().for_each(|i| i.cause = Cause::SenderApplication);
    let text = rows(&[one]);
    let line = text.lines().nth(1).unwrap();
    assert!(line.contains(",server,1,") && line.contains(",0,0,0,0,"), "{line}");
    assert!(line.ends_with(",application,sender application"), "{line}");
}

#[test]
fn no_connections_is_a_header() {
    assert_eq!(rows(&[]).lines().count(), 1);
}
