//! What runs.

use super::super::Error;
use super::super::file;
use super::super::quantity::Bytes;
use super::{small, socket, wrong};
use crate::spec::{Flow, Front, Pace, Program, Relay, Role, Sending, Workload};
use tcpwhy_core::units::Nanos;

/// More connections than this do not fit into two hosts' ports and descriptors.
const MOST_FLOWS: u32 = 1000;
/// Each phase has buffers of its own.
const MOST_PHASES: usize = 100;

pub(super) fn workload(f: &file::File) -> Result<Workload, Error> {
    if let Some(m) = &f.mariadb {
        return match f.phase.is_empty() && f.program.is_empty() {
            true => mariadb(m).map(Workload::Programs),
            false => {
                wrong("mariadb", "a scenario has phases, programs or MariaDB, not two of them")
            }
        };
    }
    match (f.phase.is_empty(), f.program.is_empty()) {
        (true, true) => wrong("phase", "a scenario needs a [[phase]] or a [[program]]"),
        (false, false) => wrong("program", "a scenario has phases or programs, not both"),
        (true, false) => programs(&f.program).map(Workload::Programs),
        (false, true) => flows(f).map(Workload::Flows),
    }
}

fn flows(f: &file::File) -> Result<Vec<Flow>, Error> {
    let count = f.flow.count.unwrap_or(1);
    if count == 0 || count > MOST_FLOWS {
        return wrong("flow.count", format!("there can be 1 to {MOST_FLOWS} connections"));
    }
    if f.phase.len() > MOST_PHASES {
        return wrong("phase", format!("more than {MOST_PHASES} phases; use rounds"));
    }
    let phases = f.phase.iter().enumerate().map(|(i, p)| phase(i, p)).collect::<Result<_, _>>()?;
    let relay = f.relay.as_ref().map(relay).transpose()?;
    let main = Flow {
        port: f.flow.port.unwrap_or(5001),
        count,
        start: f.flow.start.map_or(Nanos::ZERO, |s| s.0),
        client_socket: socket(&f.client),
        server_socket: socket(&f.server),
        ipv6: f.flow.ipv6,
        phases,
        relay,
        give_up: f.flow.give_up.map_or(Nanos::from_secs(60), |g| g.0),
        cross_traffic: false,
    };
    let others = f.cross.iter().map(|c| c.count.unwrap_or(1));
    if others.clone().any(|count| count == 0)
        || others.map(u64::from).sum::<u64>() > MOST_FLOWS.into()
    {
        return wrong(
            "cross.count",
            format!("there can be 1 to {MOST_FLOWS} connections beside the transfer"),
        );
    }
    if let Some(i) = f.cross.iter().position(|c| c.bytes.0 == 0) {
        return wrong(format!("cross.{i}.bytes"), "nothing to send");
    }
    let cross = f.cross.iter().map(|c| Flow {
        port: c.port,
        count: c.count.unwrap_or(1),
        start: c.start.map_or(Nanos::ZERO, |s| s.0),
        phases: vec![Sending { from: c.from.into(), bytes: c.bytes.0, ..Sending::default() }],
        cross_traffic: true,
        ..Flow::default()
    });
    Ok(std::iter::once(main).chain(cross).collect())
}

fn phase(i: usize, p: &file::Phase) -> Result<Sending, Error> {
    let key = |k: &str| format!("phase.{i}.{k}");
    if p.bytes.0 == 0 {
        return wrong(key("bytes"), "nothing to send");
    }
    if p.write.is_some_and(|w| w.0 == 0 || w.0 > 64 << 20) {
        return wrong(key("write"), "a write is 1 byte to 64 MiB");
    }
    if p.read_rate.is_some() && !p.stop.is_empty() {
        return wrong(key("stop"), "a reader has a read_rate or stops, not both");
    }
    if p.rounds == Some(0) {
        return wrong(key("rounds"), "rounds count from 1");
    }
    if p.read_chunk.is_some_and(|c| c.0 == 0 || c.0 > 64 << 20) {
        return wrong(key("read_chunk"), "a read is 1 byte to 64 MiB");
    }
    if p.stop.iter().any(|s| s.resume.is_some_and(|resume| resume.0 <= s.at.0)) {
        return wrong(key("stop"), "a reader goes on after it stops");
    }
    let reader = match p.read_rate {
        Some(rate) if rate.0 < 8 => {
            return wrong(key("read_rate"), "a reader takes a byte a second at least");
        }
        Some(rate) => {
            Pace::Rate { bytes_per_second: rate.0 / 8, chunk: p.read_chunk.map_or(16_384, |c| c.0) }
        }
        None if p.stop.is_empty() => Pace::Fast,
        None => Pace::Stops(p.stop.iter().map(|s| (s.at.0, s.resume.map(|r| r.0))).collect()),
    };
    Ok(Sending {
        from: p.from.into(),
        bytes: p.bytes.0,
        write: p.write.map_or(65_536, |w| w.0),
        think: p.think.map_or(Nanos::ZERO, |t| t.0),
        before: p.before.map_or(Nanos::ZERO, |b| b.0),
        epoll: p.epoll,
        reader,
        rounds: p.rounds.unwrap_or(1),
        together: p.together,
    })
}

fn relay(r: &file::Relay) -> Result<Relay, Error> {
    let shards = r.shards.unwrap_or(1);
    if !(1..=16).contains(&shards) {
        return wrong("relay.shards", "a relay has 1 to 16 backends");
    }
    Ok(Relay { on: r.on.into(), front: small(&r.front), back: small(&r.back), shards })
}

fn programs(all: &[file::Program]) -> Result<Vec<Program>, Error> {
    let one = |(i, p): (usize, &file::Program)| {
        if p.command.first().is_none_or(|name| name.trim().is_empty()) {
            return wrong(format!("program.{i}.command"), "a program needs a name");
        }
        let on: Role = p.on.into();
        let front = p.front.map(|f| Front {
            port: f.port,
            relay: Relay { on, front: small(&f.front), back: small(&f.back), shards: 1 },
        });
        Ok(Program {
            on,
            command: p.command.clone(),
            serves: p.serves,
            prepare: p.prepare,
            stdin: p.stdin.clone(),
            front,
            give_up: p.give_up.map_or(Nanos::from_secs(60), |g| g.0),
        })
    };
    all.iter().enumerate().map(one).collect()
}

fn mariadb(m: &file::Mariadb) -> Result<Vec<Program>, Error> {
    sized(m.query, "mariadb.query")?;
    sized(m.insert, "mariadb.insert")?;
    if m.insert_rows.is_some_and(|rows| rows == 0 || rows > 10_000_000) {
        return wrong("mariadb.insert_rows", "1 to 10,000,000 rows");
    }
    let relay = Relay { on: Role::Server, front: small(&m.front), back: small(&m.back), shards: 1 };
    match (m.query, m.insert_rows, m.insert) {
        (Some(bytes), None, None) => Ok(crate::workload::mariadb::query(bytes.0, relay)),
        (None, Some(rows), Some(bytes)) => {
            Ok(crate::workload::mariadb::insert(rows, bytes.0, relay))
        }
        _ => wrong("mariadb", "say query, or insert_rows and insert"),
    }
}

/// What a server takes in one statement (max_allowed_packet), and so what is worth asking.
fn sized(bytes: Option<Bytes>, key: &str) -> Result<(), Error> {
    match bytes {
        Some(b) if b.0 == 0 || b.0 > 1 << 30 => wrong(key, "1 byte to 1 GiB"),
        _ => Ok(()),
    }
}
