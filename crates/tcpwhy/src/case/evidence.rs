//! What the kernel knew of the sockets of a case, for the rules of the core.

use super::Files;
use crate::error::Error;
use serde::Deserialize;
use serde_json::Value;
use std::io;
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::count;
use tcpwhy_core::model::Connection;
use tcpwhy_core::socket::{Histories, connections, settle};
use tcpwhy_report::Warning;

/// What the kernel's programs told.
const EVENTS: &str = "events.ndjson";
/// What `tcpwhy record` says of a recording.
const RECORD: &str = "record.json";

/// The sockets' samples, and who decides over their buffers.
#[derive(Debug)]
pub(crate) struct Evidence {
    sockets: Histories,
    /// The third value of `net.ipv4.tcp_wmem`, bytes; 0 where it is not known.
    wmem_most: u64,
    /// What could not be read, a sentence a file.
    unread: Vec<Warning>,
    /// What the reader should know of the machine on which it was recorded.
    remark: Option<Warning>,
}

impl Evidence {
    /// Makes an answer from packets surer, and settles what they leave open.
    pub(crate) fn settle(&self, connection: &mut Connection) {
        settle(connection, &self.sockets, self.wmem_most);
    }

    /// Adds to the warnings what there is to say of it; whether some of it could not be read, which is damage as that of packets is.
    pub(crate) fn note(&self, warnings: &mut Vec<Warning>) -> bool {
        warnings.extend(self.unread.iter().chain(&self.remark).cloned());
        !self.unread.is_empty()
    }

    /// The answer without packets, as far as there is one.
    pub(crate) fn connections(&self) -> Vec<Connection> {
        connections(&self.sockets, self.wmem_most)
    }
}

/// The part of a kernel's event that the rules ask for.
#[derive(Deserialize)]
struct Event {
    host: String,
    cookie: u64,
    t_ns: u64,
    kind: String,
    socket: Option<Snapshot>,
}

#[derive(Deserialize)]
struct Snapshot {
    locks: u8,
    nospace: bool,
}

impl Event {
    /// Whether the socket's writer waits for room: it sleeps in a write, or was refused (`SOCK_NOSPACE`).
    fn waits(&self) -> Option<bool> {
        match self.kind.as_str() {
            "writer_blocks" => Some(true),
            "writer_wakes" => Some(false),
            // The bit stays set as long as the writer was not told; a sleeper sets it, too.
            _ => self.socket.as_ref().map(|socket| socket.nospace),
        }
    }
}

/// Reads samples, events and host facts.
///
/// # Errors
/// A file cannot be opened.
pub(crate) fn evidence(case: &impl Files) -> Result<Evidence, Error> {
    let mut sockets = Histories::default();
    let mut samples = case.samples()?;
    for sample in samples.by_ref() {
        if let Some(seen) = sample.seen() {
            sockets.push(&sample.host, sample.cookie, sample.ends(), seen, sample.locks);
        }
    }
    let mut events_unread = 0;
    for text in super::parts::lines_of(case.parts(EVENTS)?) {
        let Ok(event) = serde_json::from_str::<Event>(&text) else {
            events_unread += 1;
            continue;
        };
        let locks = event.socket.as_ref().map(|socket| socket.locks);
        sockets.event(&event.host, event.cookie, event.t_ns, locks, event.waits());
    }
    sockets.finish();
    let lines = [(super::SAMPLES, samples.unread), (EVENTS, events_unread)];
    let mut unread: Vec<Warning> =
        lines.into_iter().filter(|(_, count)| *count > 0).map(unread_lines).collect();
    let mut facts = |name| {
        let read = case.facts(name);
        read.map_err(|why| unread.push(unread_file(name, &why))).ok().flatten()
    };
    let wmem_most = facts(super::HOSTS).as_ref().and_then(wmem_most).unwrap_or(0);
    let remark = facts(RECORD).as_ref().and_then(super::memory::remark);
    // It has told which capture is the sender's.
    facts(super::RESULT);
    Ok(Evidence { sockets, wmem_most, unread, remark })
}

fn unread_lines((file, lines): (&str, u64)) -> Warning {
    Warning::new(|language| match language {
        Language::En if lines == 1 => format!("{file}: 1 line cannot be read, and was left out"),
        Language::En => {
            format!("{file}: {} lines cannot be read, and were left out", count(lines))
        }
        Language::Zh => format!("{file}：{} 行无法读取，已略去", count(lines)),
    })
}

fn unread_file(file: &str, why: &io::Error) -> Warning {
    Warning::new(|language| match language {
        Language::En => format!("{file}: cannot be read, and was left out ({why})"),
        Language::Zh => format!("{file}：无法读取，已略去（{why}）"),
    })
}

/// The largest of all hosts: the lab's two may differ, and a buffer below the maximum is not at it.
fn wmem_most(hosts: &Value) -> Option<u64> {
    let most = |facts: &Value| {
        let values = facts.pointer("/effective/net.ipv4.tcp_wmem")?.as_str()?;
        values.split_whitespace().nth(2)?.parse().ok()
    };
    hosts.as_object()?.values().filter_map(most).max()
}
