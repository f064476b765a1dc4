//! One row a transfer.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::{connection, connections, golden};
use tcpwhy_core::model::{Cause, Connection, Limit};
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
    assert!(lines[1].ends_with("congestion_window,slow start,1.0000"), "{}", lines[1]);
    assert!(lines[2].ends_with("send_buffer,,0.9825"), "{}", lines[2]);
    assert!(lines[3].ends_with(",,,"), "no time, no limit: {}", lines[3]);
}

#[test]
fn no_connections_is_a_header() {
    assert_eq!(rows(&[]).lines().count(), 1);
}
