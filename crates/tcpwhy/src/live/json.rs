//! Rounds for programs: `tcpwhy.live/1`. The names of limits and causes are those of `explain`.

use super::kernel::{Set, Status, Told};
use super::row::Row;
use super::words;
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};
use tcpwhy_core::advice::Language;
use tcpwhy_core::model::Limit;
use tcpwhy_core::socket::Buffer;
use tcpwhy_core::units::Nanos;
use tcpwhy_live::causes::Step;
use tcpwhy_report::json::foreign;

/// The schema's name and version.
const SCHEMA: &str = "tcpwhy.live/1";

/// One value as one line. Names of processes, cgroups and functions are whatever somebody called them: they steer no terminal.
pub(super) fn write(out: &mut impl Write, value: &Value) -> io::Result<()> {
    foreign::write(&mut *out, value)?;
    writeln!(out)
}

/// One round as one object.
pub(super) fn round(rows: &[Row], status: &Status) -> Value {
    json!({
        "schema": SCHEMA,
        "time_ns": now(),
        "kernel": kernel(status),
        "sockets": rows.iter().map(socket).collect::<Vec<_>>(),
    })
}

/// One socket as one object that stands alone.
pub(super) fn line(row: &Row) -> Value {
    let mut value = socket(row);
    if let Value::Object(fields) = &mut value {
        fields.insert("schema".to_owned(), SCHEMA.into());
        fields.insert("time_ns".to_owned(), now().into());
    }
    value
}

fn socket(row: &Row) -> Value {
    let sample = &row.seen.sample;
    let info = row.info();
    let owner = row.seen.owner.as_ref();
    let resent = row.seen.last.resent.saturating_sub(row.seen.first.resent);
    json!({
        "local": sample.local, "remote": sample.remote, "cookie": sample.cookie,
        "uid": sample.uid, "cgroup": sample.cgroup, "cgroup_path": row.place.cgroup.as_deref(),
        "netns": row.place.netns, "netns_name": row.place.name(),
        "pid": owner.map(|o| o.pid), "command": owner.map(|o| &*o.command), "fd": owner.map(|o| o.fd),
        "congestion_control": sample.congestion,
        "role": row.role.name(), "closed": row.seen.closed,
        "limit": row.limit.map(Limit::name), "cause": row.cause.name(), "holder": row.holder(),
        "shares": shares(row), "lost_ns": row.lost().0,
        "span_ns": row.span.0, "samples": row.seen.receivers.len(),
        "out_bps": row.out_bps, "in_bps": row.in_bps, "resent_packets": resent,
        "rtt_us": info.rtt_us(), "min_rtt_us": info.min_rtt_us().filter(|us| *us != u32::MAX),
        "cwnd_packets": info.snd_cwnd(), "mss_bytes": info.snd_mss(), "snd_wnd_bytes": info.snd_wnd(),
        "rcv_wnd_bytes": info.rcv_wnd(), "unsent_bytes": info.notsent_bytes(),
        "unacked_bytes": sample.wqueue.saturating_sub(info.notsent_bytes().unwrap_or(0)),
        "unread_bytes": sample.rqueue,
        "send_buffer": buffer(&row.send), "receive_buffer": buffer(&row.receive),
        "window_clamp_bytes": row.seen.locks.map(|l| l.window_clamp),
        "notsent_lowat_bytes": row.seen.locks.and_then(|l| l.notsent_lowat),
        "kernel_stopwatch": stopwatch(row),
        "set_by": row.told.as_ref().map(|told| told.asked.iter().map(set).collect::<Vec<_>>()),
        "events": row.told.as_ref().map(events),
    })
}

/// One call of setsockopt(2).
fn set(set: &Set) -> Value {
    let asked = &set.asked;
    json!({
        "option": asked.option.name(), "value": asked.value, "time_ns": set.time_ns,
        "pid": asked.process, "tid": asked.thread, "command": asked.command,
        "inherited_from_listener": asked.inherited,
        "stack": set.stack.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Times of the round, counts since the events were attached.
fn events(told: &Told) -> Value {
    json!({
        "blocked_writing_ns": told.blocked.writing_ns, "blocked_reading_ns": told.blocked.reading_ns,
        "limited_ns": told.limited.map(|l| {
            l.times().map(|(limit, ns)| (limit.name().to_owned(), ns.0.into())).collect::<Map<_, _>>()
        }),
        "retransmits": told.counts.retransmits,
        "refused_sending": told.counts.refused_sending,
        "refused_receiving": told.counts.refused_receiving,
        "receive_queue_full": told.counts.queue_full,
        "autotuning": {
            "send_steps": told.tuned.send, "receive_steps": told.tuned.receive,
            "newest": told.tuned.newest.iter().map(step).collect::<Vec<_>>(),
        },
    })
}

/// One step of autotuning.
fn step(step: &Step) -> Value {
    json!({
        "buffer": if step.send { "send" } else { "receive" }, "time_ns": step.t_ns,
        "from_bytes": step.from, "to_bytes": step.to,
    })
}

fn kernel(status: &Status) -> Value {
    let refused = status.refused.iter();
    let refused =
        refused.map(|r| json!({ "program": r.program, "why": r.why, "optional": r.optional }));
    let lost = status.lost;
    json!({
        "events": status.absent.is_none(), "absent_because": status.absent,
        "refused": refused.collect::<Vec<_>>(),
        "lost": {
            "setsockopt": lost.calls, "sleepers": lost.sleepers, "places": lost.places,
            "counts": lost.counts, "stacks": lost.stacks,
        },
        "namespaces_closed": status.closed.as_ref().map_or(0, |(count, _)| *count),
        "namespaces_closed_because": status.closed.as_ref().map(|(_, why)| why),
        "memory": status.memory.map(|m| json!({
            "tcp_pages": m.pages, "pressure_pages": m.bounds.map(|b| b.pressure),
            "most_pages": m.bounds.map(|b| b.most),
            "pressure": m.is_short,
        })),
        "memory_pressures": status.pressure.times,
        "memory_pressure_ns": u64::try_from(status.pressure.long.as_nanos()).unwrap_or(u64::MAX),
    })
}

fn shares(row: &Row) -> Value {
    let held = row.account.shares().filter(|(_, held)| *held > Nanos::ZERO);
    held.map(|(limit, _)| (limit.name().to_owned(), json!(round3(row.account.share(limit)))))
        .collect::<Map<_, _>>()
        .into()
}

fn buffer(buffer: &Buffer) -> Value {
    json!({ "bytes": buffer.bytes, "held_by": buffer.holder.name() })
}

fn stopwatch(row: &Row) -> Value {
    let Some(watch) = row.stopwatch else { return Value::Null };
    let span = (row.span.0 / 1000).max(1) as f64;
    let share = |us: u64| round3((us as f64 / span).min(1.0));
    json!({
        "busy": share(watch.busy_us),
        "rwnd_limited": share(watch.rwnd_limited_us),
        "sndbuf_limited": share(watch.sndbuf_limited_us),
        "differs_because": row.difference.map(|d| words::of(Language::En).difference(d)),
    })
}

fn round3(part: f64) -> f64 {
    (part * 1000.0).round() / 1000.0
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
