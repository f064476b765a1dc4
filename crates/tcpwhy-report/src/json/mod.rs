//! JSON, one object ([`write()`]) or one connection a line ([`write_line`]).
//!
//! The names are a published contract: `schema/tcpwhy.analysis-1.schema.json`. Fields may be added
//! under the same schema name; none changes its meaning or goes away.

mod connection;
mod direction;

use crate::Source;
use serde::Serialize;
use std::borrow::Borrow;
use std::io::{self, Write};
use tcpwhy_core::model::Connection;

/// Name and version of the contract, as in the `schema` field.
pub const SCHEMA: &str = "tcpwhy.analysis/1";

/// Writes one object with the source and all connections.
///
/// # Errors
/// Whatever `out` returns.
pub fn write<C: Borrow<Connection>>(
    mut out: impl Write,
    source: &Source,
    connections: impl IntoIterator<Item = C>,
) -> io::Result<()> {
    write!(out, "{{\"schema\":\"{SCHEMA}\",\"source\":")?;
    serde_json::to_writer(&mut out, source)?;
    out.write_all(b",\"connections\":[")?;
    for (i, connection) in connections.into_iter().enumerate() {
        out.write_all(if i == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut out, &connection::Connection::of(connection.borrow()))?;
    }
    out.write_all(b"\n]}\n")
}

/// Writes one connection as one line, which names its schema itself.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_line(mut out: impl Write, connection: &Connection) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        schema: &'static str,
        #[serde(flatten)]
        connection: connection::Connection<'a>,
    }
    let line = Line { schema: SCHEMA, connection: connection::Connection::of(connection) };
    serde_json::to_writer(&mut out, &line)?;
    out.write_all(b"\n")
}

/// A number that must lie between 0 and 1; what is not a number counts as 0, for JSON has none.
fn unit(x: f64) -> f64 {
    if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 }
}
