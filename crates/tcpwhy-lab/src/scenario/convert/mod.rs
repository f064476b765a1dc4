//! From the file's keys to what the lab runs; what cannot be is refused here, with the key's path.

mod link;
mod work;

use super::Error;
use super::file::{self, OneOrMore};
use crate::spec::*;
use std::fmt;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::units::Nanos;

fn wrong<T>(key: impl fmt::Display, why: impl fmt::Display) -> Result<T, Error> {
    Err(Error::Impossible { key: key.to_string(), why: why.to_string() })
}

/// The whole file.
pub(super) fn scenario(name: &str, f: &file::File) -> Result<Scenario, Error> {
    for (key, text) in
        [("title", Some(&f.title)), ("case", f.case.as_ref()), ("published", f.published.as_ref())]
    {
        if text.is_some_and(|text| text.chars().any(char::is_control)) {
            return wrong(key, "a line of text has no control characters");
        }
    }
    let workload = work::workload(f)?;
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
    // TCP_KEEPIDLE counts whole seconds up to MAX_TCP_KEEPIDLE.
    let seconds =
        |k: Nanos| k.0 % 1_000_000_000 == 0 && (1..=32_767).contains(&(k.0 / 1_000_000_000));
    if h.keepalive.is_some_and(|k| !seconds(k.0)) {
        return wrong(format!("{name}.keepalive"), "write whole seconds, 1 to 32767");
    }
    Ok(HostSpec {
        sysctls: h.sysctl.iter().map(|(k, v)| (k.clone(), v.0.clone())).collect(),
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
        keepalive: h.keepalive.map(|k| k.0),
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
    if e.rate.is_some_and(|(low, high)| low.0 > high.0) {
        return wrong(format!("expect.{i}.rate"), "the lowest rate comes first");
    }
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
