//! The samples of a case folder -> its truth.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;

use serde::Deserialize;
use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::link::{Rate, WaySpec};

use crate::spec::LinkSpec;

use super::{Direction, End, SCHEMA, State, Stopwatch, Truth, derive, writes};

#[derive(Deserialize)]
struct Line {
    t_ns: u64,
    host: String,
    local: SocketAddr,
    remote: SocketAddr,
    wqueue: u32,
    tcp_info: String,
    skmem: Vec<u32>,
}

#[derive(Default)]
struct Sender {
    states: Vec<State>,
    acked: u64,
    stopwatch: Stopwatch,
}

/// Derives the truth of a case folder and writes it there, `truth.json`; the folder's last step, or again after a change of the rules.
///
/// # Errors
/// As [`read`]; the file cannot be written.
pub fn write(folder: &Path, link: &LinkSpec) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&read(folder, link)?)?;
    std::fs::write(folder.join("truth.json"), text + "\n")
}

/// Reads `samples.ndjson` and `app.ndjson` of a case folder. A line cut off by a killed recorder is left out.
///
/// # Errors
/// The file cannot be read.
pub fn read(folder: &Path, link: &LinkSpec) -> io::Result<Truth> {
    let writers = writes::read(&folder.join("app.ndjson"))?;
    let mut senders: BTreeMap<(String, SocketAddr, SocketAddr), Sender> = BTreeMap::new();
    for text in BufReader::new(File::open(folder.join("samples.ndjson"))?).lines() {
        let Ok(line) = serde_json::from_str::<Line>(&text?) else { continue };
        let raw = bytes(&line.tcp_info);
        let info = TcpInfo(&raw);
        let Some(mut state) = State::from_sample(line.t_ns, info, line.wqueue, &line.skmem) else {
            continue;
        };
        state.writing = writers.is_writing(&line.local, &line.remote, line.t_ns);
        let sender = senders.entry((line.host, line.local, line.remote)).or_default();
        sender.states.push(state);
        sender.acked = info.bytes_acked().unwrap_or(0);
        sender.stopwatch = Stopwatch {
            busy_us: info.busy_us().unwrap_or(0),
            rwnd_limited_us: info.rwnd_limited_us().unwrap_or(0),
            sndbuf_limited_us: info.sndbuf_limited_us().unwrap_or(0),
        };
    }
    // The SYN counts as an acknowledged byte.
    let carried = senders
        .into_iter()
        .filter(|(_, s)| s.acked > 1 || s.states.iter().any(|s| s.unsent + s.outstanding > 1));
    let directions = carried
        .map(|((host, local, remote), sender)| direction(host, local, remote, &sender, link))
        .collect();
    Ok(Truth { schema: SCHEMA.into(), source: "samples and schedule".into(), directions })
}

fn direction(
    from: String,
    local: SocketAddr,
    remote: SocketAddr,
    sender: &Sender,
    link: &LinkSpec,
) -> Direction {
    let way = if from == "client" { &link.up } else { &link.down };
    let (client, server) = if from == "client" { (local, remote) } else { (remote, local) };
    let end = |end: SocketAddr| End { addr: end.ip().to_string(), port: end.port() };
    let timeline = derive(&sender.states, payload_rate(way));
    Direction {
        client: end(client),
        server: end(server),
        from,
        timeline,
        scheduled: Vec::new(),
        stopwatch: sender.stopwatch,
    }
}

/// Payload bytes per second that a link carries: what its rate and its policer leave, of packets of 1,500 bytes with 1,448 in them.
fn payload_rate(way: &WaySpec) -> Option<f64> {
    let policer = way.policer.map_or(f64::INFINITY, |p| p.rate_bps as f64);
    let rate = match &way.rate {
        Rate::Constant(bps) => (*bps as f64).min(policer),
        // A trace's rate is another one at every moment.
        Rate::Unlimited | Rate::Trace(_) => policer,
    };
    rate.is_finite().then_some(rate / 8.0 * 1448.0 / 1500.0)
}

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .filter_map(|at| u8::from_str_radix(hex.get(2 * at..2 * at + 2)?, 16).ok())
        .collect()
}
