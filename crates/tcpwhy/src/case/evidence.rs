//! What the kernel knew of the sockets of a case, for the rules of the core.

use super::Files;
use crate::error::Error;
use serde::Deserialize;
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::count;
use tcpwhy_core::model::Connection;
use tcpwhy_core::socket::{Histories, connections, settle};
use tcpwhy_report::Warning;

/// What the kernel's programs told.
const EVENTS: &str = "events.ndjson";

/// The sockets' samples, and who decides over their buffers.
#[derive(Debug)]
pub(crate) struct Evidence {
    sockets: Histories,
    /// The third value of `net.ipv4.tcp_wmem`, bytes; 0 where it is not known.
    wmem_most: u64,
    /// Lines of samples and of events that cannot be read.
    unread: [u64; 2],
}

impl Evidence {
    /// Makes an answer from packets surer, and settles what they leave open.
    pub(crate) fn settle(&self, connection: &mut Connection) {
        settle(connection, &self.sockets, self.wmem_most);
    }

    /// Whether some of it could not be read.
    pub(crate) fn is_damaged(&self) -> bool {
        self.unread.iter().any(|lines| *lines > 0)
    }

    /// What could not be read, a sentence a file.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = Warning> {
        let files = [super::SAMPLES, EVENTS].into_iter().zip(self.unread);
        files.filter(|(_, lines)| *lines > 0).map(|(file, lines)| {
            Warning::new(|language| match language {
                Language::En if lines == 1 => {
                    format!("{file}: 1 line cannot be read, and was left out")
                }
                Language::En => {
                    format!("{file}: {} lines cannot be read, and were left out", count(lines))
                }
                Language::Zh => format!("{file}：{} 行无法读取，已略去", count(lines)),
            })
        })
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
    let mut unread = [samples.unread, 0];
    for text in super::parts::lines_of(case.parts(EVENTS)?) {
        let Ok(event) = serde_json::from_str::<Event>(&text) else {
            unread[1] += 1;
            continue;
        };
        let locks = event.socket.as_ref().map(|socket| socket.locks);
        sockets.event(&event.host, event.cookie, event.t_ns, locks, event.waits());
    }
    sockets.finish();
    Ok(Evidence { sockets, wmem_most: wmem_most(case).unwrap_or(0), unread })
}

/// The largest of all hosts: the lab's two may differ, and a buffer below the maximum is not at it.
fn wmem_most(case: &impl Files) -> Option<u64> {
    let hosts = case.facts(super::HOSTS)?;
    let most = |facts: &serde_json::Value| {
        let values = facts.pointer("/effective/net.ipv4.tcp_wmem")?.as_str()?;
        values.split_whitespace().nth(2)?.parse().ok()
    };
    hosts.as_object()?.values().filter_map(most).max()
}
