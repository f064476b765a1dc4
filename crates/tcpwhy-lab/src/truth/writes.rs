//! When each application was inside of a write: `app.ndjson`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use super::spans::Spans;
use crate::ndjson;

#[derive(Deserialize)]
struct Line {
    t_ns: u64,
    local: SocketAddr,
    remote: SocketAddr,
    kind: String,
}

/// The spans of every writer, by its socket's ends.
#[derive(Debug, Default)]
pub(super) struct Writes(BTreeMap<(SocketAddr, SocketAddr), Spans>);

impl Writes {
    /// Whether the application that owns this socket was inside of a write, or waited to be told that it can write; `None` where it
    /// keeps no account.
    pub(super) fn is_writing(
        &self,
        local: &SocketAddr,
        remote: &SocketAddr,
        t_ns: u64,
    ) -> Option<bool> {
        self.0.get(&(*local, *remote)).map(|spans| spans.contains(t_ns))
    }
}

/// Reads the file; none is no writes (programs keep no account).
///
/// # Errors
/// The file cannot be read.
pub(super) fn read(path: &Path) -> io::Result<Writes> {
    let mut open = BTreeMap::new();
    let mut writes = Writes::default();
    for line in ndjson::lines_if_any::<Line>(path)?.into_iter().flatten() {
        let line = line?;
        let ends = (line.local, line.remote);
        match line.kind.as_str() {
            // A buffer that is full without blocking goes on until the writer is told.
            "write" | "blocked" => {
                open.entry(ends).or_insert(line.t_ns);
            }
            "wrote" | "writable" => {
                if let Some(from) = open.remove(&ends) {
                    writes.0.entry(ends).or_default().push(from, line.t_ns);
                }
            }
            _ => {}
        }
    }
    // One that never returned: the connection died in it.
    for (ends, from) in open {
        writes.0.entry(ends).or_default().push(from, u64::MAX);
    }
    writes.0.values_mut().for_each(Spans::sort);
    Ok(writes)
}
