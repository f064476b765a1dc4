//! From the file's keys to what the lab runs; what cannot be is refused here, with the key's path.

mod link;

use super::Error;
use super::file::{self, OneOrMore};
use crate::spec::*;
use std::fmt;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::units::Nanos;

/// More connections than this do not fit into two hosts' ports and descriptors.
const MOST_FLOWS: u32 = 1000;

fn wrong<T>(key: impl fmt::Display, why: impl fmt::Display) -> Result<T, Error> {
    Err(Error::Impossible { key: key.to_string(), why: why.to_string() })
}

/// The whole file.
pub(super) fn scenario(name: &str, f: &file::File) -> Result<Scenario, Error> {
    let workload = workload(f)?;
    Ok(Scenario {
        name: name.to_owned(),
        title: f.title.clone(),
        case: f.case.clone(),
        published: f.published.clone(),
        link: link::link(&f.link)?,
        client: host("client", &f.client)?,
        server: host("server", &f.server)?,
        workload,
        expect: f.expect.iter().enumerate().map(|(i, e)| expect(i, e)).collect::<Result<_, _>>()?,
    })
}

fn host(name: &str, h: &file::Host) -> Result<HostSpec, Error> {
    if h.mtu.is_some_and(|mtu| !(576..=65_535).contains(&mtu)) {
        return wrong(format!("{name}.mtu"), "an MTU lies between 576 and 65535");
    }
    if h.initcwnd == Some(0) || h.initrwnd == Some(0) || h.gso_max_segs == Some(0) {
        return wrong(name, "initcwnd, initrwnd and gso_max_segs count segments from 1");
    }
    Ok(HostSpec {
        sysctls: h.sysctl.clone(),
        congestion: Some(
            h.congestion.clone().map_or_else(CongestionControl::default, CongestionControl),
        ),
        initcwnd: h.initcwnd,
        initrwnd: h.initrwnd,
        mtu: h.mtu,
        gso_max_segs: h.gso_max_segs,
    })
}

fn socket(h: &file::Host) -> SocketOptions {
    SocketOptions {
        sndbuf: h.sndbuf.map(|b| b.0),
        rcvbuf: h.rcvbuf.map(|b| b.0),
        window_clamp: h.window_clamp.map(|b| b.0),
        when: match h.set {
            Some(file::When::After) => When::After,
            _ => When::Before,
        },
        nodelay: h.nodelay,
        notsent_lowat: h.notsent_lowat.map(|b| b.0),
        maxseg: h.maxseg.map(|b| b.0),
        pacing: h.pacing.map(|r| r.0 / 8),
        ..SocketOptions::default()
    }
}

fn small(s: &file::Socket) -> SocketOptions {
    SocketOptions {
        sndbuf: s.sndbuf.map(|b| b.0),
        rcvbuf: s.rcvbuf.map(|b| b.0),
        nodelay: s.nodelay,
        ..SocketOptions::default()
    }
}

fn workload(f: &file::File) -> Result<Workload, Error> {
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
    let phases = f.phase.iter().enumerate().map(|(i, p)| phase(i, p)).collect::<Result<_, _>>()?;
    let main = Flow {
        port: f.flow.port.unwrap_or(5001),
        count,
        start: f.flow.start.map_or(Nanos::ZERO, |s| s.0),
        client_socket: socket(&f.client),
        server_socket: socket(&f.server),
        ipv6: f.flow.ipv6,
        phases,
        relay: f.relay.as_ref().map(relay),
        give_up: f.flow.give_up.map_or(Nanos::from_secs(60), |g| g.0),
        cross_traffic: false,
    };
    let cross = f.cross.iter().map(|c| Flow {
        port: c.port,
        count: c.count.unwrap_or(1).clamp(1, MOST_FLOWS),
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
    let reader = match p.read_rate {
        Some(rate) if rate.0 < 8 => {
            return wrong(key("read_rate"), "a reader takes a byte a second at least");
        }
        Some(rate) => Pace::Rate {
            bytes_per_second: rate.0 / 8,
            chunk: p.read_chunk.map_or(16_384, |c| c.0.max(1)),
        },
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

fn relay(r: &file::Relay) -> Relay {
    Relay {
        on: r.on.into(),
        front: small(&r.front),
        back: small(&r.back),
        shards: r.shards.unwrap_or(1).clamp(1, 16),
    }
}

fn programs(all: &[file::Program]) -> Result<Vec<Program>, Error> {
    let one = |(i, p): (usize, &file::Program)| {
        if p.command.is_empty() {
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
    let relay = Relay { on: Role::Server, front: small(&m.front), back: small(&m.back), shards: 1 };
    match (m.query, m.insert_rows, m.insert) {
        (Some(bytes), None, None) => Ok(crate::workload::mariadb::query(bytes.0, relay)),
        (None, Some(rows), Some(bytes)) => {
            Ok(crate::workload::mariadb::insert(rows, bytes.0, relay))
        }
        _ => wrong("mariadb", "say query, or insert_rows and insert"),
    }
}

fn expect(i: usize, e: &file::Expect) -> Result<Expect, Error> {
    let all = |names: &OneOrMore| match names {
        OneOrMore::One(name) => vec![name.clone()],
        OneOrMore::More(names) => names.clone(),
    };
    let limit = |name: &String| match Limit::from_name(name) {
        Some(limit) => Ok(limit),
        None => wrong(format!("expect.{i}.limit"), format!("there is no limit {name:?}")),
    };
    let cause = |name: &String| match Cause::from_name(name) {
        Some(cause) => Ok(cause),
        None => wrong(format!("expect.{i}.cause"), format!("there is no cause {name:?}")),
    };
    Ok(Expect {
        from: e.from.into(),
        port: e.port,
        limits: all(&e.limit).iter().map(limit).collect::<Result<_, _>>()?,
        causes: e
            .cause
            .as_ref()
            .map(all)
            .unwrap_or_default()
            .iter()
            .map(cause)
            .collect::<Result<_, _>>()?,
        rate_bps: e.rate.map(|(low, high)| (low.0, high.0)),
    })
}
