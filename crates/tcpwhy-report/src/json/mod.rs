//! JSON, one object ([`write()`]) or one connection a line ([`write_line`]).
//!
//! The names are a published contract: `schema/tcpwhy.analysis-1.schema.json`. Fields may be added
//! under the same schema name; none changes its meaning or goes away. Sentences are in the language
//! that is asked for; names, of limits and causes too, are the same in all of them.

mod connection;
mod direction;
pub mod foreign;
mod source;

use crate::Source;
use serde::Serialize;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::thread;
use tcpwhy_core::advice::Language;
use tcpwhy_core::model::Connection;

/// Name and version of the contract, as in the `schema` field.
pub const SCHEMA: &str = "tcpwhy.analysis/1";

/// In which language the sentences are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// In one.
    In(Language),
    /// In English, and in every other language under `translations`: for readers who can switch.
    All,
}

impl Words {
    /// The language of the sentences themselves.
    fn first(self) -> Language {
        match self {
            Self::In(language) => language,
            Self::All => Language::En,
        }
    }

    /// What `say` makes of the other languages, by their codes.
    fn others<T>(self, mut say: impl FnMut(Language) -> T) -> Translations<T> {
        match self {
            Self::In(_) => BTreeMap::new(),
            Self::All => {
                let others = Language::ALL.into_iter().filter(|l| *l != self.first());
                others.map(|language| (language.code(), say(language))).collect()
            }
        }
    }
}

/// The same in other languages; left out where there is none.
type Translations<T> = BTreeMap<&'static str, T>;

/// Connections of which a thread makes text at a time: starting it costs a hundredth of that.
const SHARE: usize = 256;

/// Writes one object with the source and all connections.
///
/// # Errors
/// Whatever `out` returns.
pub fn write<C: Borrow<Connection> + Sync>(
    mut out: impl Write,
    source: &Source,
    connections: impl IntoIterator<Item = C>,
    words: Words,
) -> io::Result<()> {
    write!(out, "{{\"schema\":\"{SCHEMA}\",\"source\":")?;
    foreign::write(&mut out, &source::Source::of(source, words))?;
    out.write_all(b",\"connections\":[")?;
    let mut rest = connections.into_iter();
    let mut share = || rest.by_ref().take(SHARE).collect::<Vec<C>>();
    let mut begun = false;
    loop {
        let (one, other) = (share(), share());
        if one.is_empty() {
            return out.write_all(b"\n]}\n");
        }
        for text in texts(&one, &other, words)? {
            out.write_all(text.get(usize::from(!begun)..).unwrap_or_default())?;
            begun = true;
        }
    }
}

/// The texts of two shares, made side by side.
fn texts<C: Borrow<Connection> + Sync>(
    one: &[C],
    other: &[C],
    words: Words,
) -> io::Result<[Vec<u8>; 2]> {
    if other.is_empty() {
        return Ok([text(one, words)?, Vec::new()]);
    }
    thread::scope(|scope| {
        let helper = thread::Builder::new().spawn_scoped(scope, || text(other, words));
        let one = text(one, words)?;
        let other = match helper {
            Ok(helper) => helper.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // The system has no thread to give.
            Err(_) => text(other, words),
        };
        Ok([one, other?])
    })
}

/// The connections as elements of an array, each after a comma.
fn text<C: Borrow<Connection>>(connections: &[C], words: Words) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    for connection in connections {
        text.extend(b",\n");
        serde_json::to_writer(&mut text, &connection::Connection::of(connection.borrow(), words))?;
    }
    Ok(text)
}

/// Writes one connection as one line, which names its schema itself.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_line(mut out: impl Write, connection: &Connection, words: Words) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        schema: &'static str,
        #[serde(flatten)]
        connection: connection::Connection<'a>,
    }
    let line = Line { schema: SCHEMA, connection: connection::Connection::of(connection, words) };
    serde_json::to_writer(&mut out, &line)?;
    out.write_all(b"\n")
}

/// A number that must lie between 0 and 1; what is not a number counts as 0, for JSON has none.
fn unit(x: f64) -> f64 {
    if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 }
}
