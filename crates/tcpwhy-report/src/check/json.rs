//! For machines: times in nanoseconds, rates in bits per second, sizes in bytes.

use std::io::{self, Write};

use super::{SCHEMA, words};
use crate::json::foreign;
use serde_json::{Value, json};
use tcpwhy_core::advice::Language;
use tcpwhy_core::check::{Finding, Host, Judged, NEVER, Report, Route};
use tcpwhy_core::whatif::transfer::Prediction;

/// Writes one object with the answers about all hosts.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(mut out: impl Write, reports: &[Report]) -> io::Result<()> {
    let hosts: Vec<_> = reports.iter().map(one).collect();
    foreign::write(&mut out, &json!({"schema": SCHEMA, "hosts": hosts}))?;
    writeln!(out)
}

fn one(report: &Report) -> Value {
    let leave: Vec<_> = report
        .leave
        .iter()
        .map(|l| json!({"setting": l.setting, "current": l.current, "why": words::of(Language::En).stay(l.setting)}))
        .collect();
    json!({
        "host": host(&report.host),
        "paths": report.paths.iter().map(path).collect::<Vec<_>>(),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "leave": leave,
        "missing": report.host.missing,
    })
}

fn host(host: &Host) -> Value {
    let devices: Vec<_> = host
        .devices
        .iter()
        .map(|d| {
            let offloads: serde_json::Map<_, _> =
                d.offloads.iter().map(|(name, on)| ((*name).to_owned(), (*on).into())).collect();
            json!({
                "name": d.name, "mtu": d.mtu, "speed_bps": d.speed_bps, "qdiscs": d.qdiscs, "gso_max_segs": d.gso_max_segs,
                "offloads": offloads,
            })
        })
        .collect();
    let sockets: Vec<_> = host
        .sockets
        .iter()
        .map(|s| {
            json!({
                "local": s.local.to_string(), "remote": s.remote.to_string(), "rtt_ns": s.rtt.0, "rate_bps": s.rate_bps, "mss": s.mss,
                "sndbuf_bytes": s.sndbuf, "rcvbuf_bytes": s.rcvbuf, "sndbuf_locked": s.locks.map(|l| l.send),
                "rcvbuf_locked": s.locks.map(|l| l.receive), "owner": s.owner,
            })
        })
        .collect();
    json!({
        "name": host.name,
        "kernel": (!host.release.is_empty()).then_some(&host.release),
        "rules_of": format!("{}.{}", host.version.major, host.version.minor),
        "memory_bytes": host.memory,
        "tcp_memory_bytes": host.tcp_pages.map(|pages| pages.saturating_mul(host.page_size)),
        "tcp_mem_bytes": host.tcp_mem(),
        "settings": host.settings,
        "devices": devices,
        "routes": host.routes.iter().map(route).collect::<Vec<_>>(),
        "sockets": sockets,
    })
}

fn route(r: &Route) -> Value {
    json!({
        "destination": r.destination, "device": r.device, "initcwnd": r.initcwnd, "initrwnd": r.initrwnd, "mtu": r.mtu,
        "congestion_control": r.congestion,
    })
}

fn path(judged: &Judged) -> Value {
    let p = &judged.path;
    json!({
        "peer": p.peer,
        "rate_bps": p.rate_bps,
        "rate_from": p.rate_from.name(),
        "rtt_ns": p.rtt.0,
        "rtt_from": p.rtt_from.name(),
        "loss": p.loss,
        "mss": p.mss,
        "bdp_bytes": p.bdp(),
        "route": p.route.as_ref().map(route),
        "size_bytes": judged.size,
        "sending": said(&judged.sending),
        "receiving": said(&judged.receiving),
    })
}

fn said(p: &Prediction) -> Value {
    json!({"limit": p.limit().name(), "complete": p.complete, "time_ns": p.time.0, "steady_bps": p.steady_bps})
}

fn finding(f: &Finding) -> Value {
    let gain = f.gain.map(|g| {
        json!({
            "size_bytes": g.size, "before_ns": (g.before != NEVER).then_some(g.before.0), "after_ns": g.after.0,
            "before_bps": g.before_bps, "after_bps": g.after_bps, "together": g.together,
        })
    });
    json!({
        "what": f.what.name(),
        "weight": f.weight.name(),
        "setting": f.setting,
        "current": f.current,
        "sensible": f.sensible,
        "why": words::of(Language::En).why(f.what),
        "gain": gain,
        "cost": f.cost.map(|c| json!({"bytes_a_connection": c.each, "bytes_at_most": c.all})),
        "path": f.path,
    })
}
