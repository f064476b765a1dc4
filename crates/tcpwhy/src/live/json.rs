//! Rounds for programs: `tcpwhy.live/1`. The names of limits and causes are those of `explain`.

use super::row::Row;
use serde_json::{Map, Value, json};
use std::time::{SystemTime, UNIX_EPOCH};
use tcpwhy_core::model::Limit;
use tcpwhy_core::socket::Buffer;
use tcpwhy_core::units::Nanos;

/// The schema's name and version.
const SCHEMA: &str = "tcpwhy.live/1";

/// One round as one object.
pub(super) fn round(rows: &[Row]) -> Value {
    json!({
        "schema": SCHEMA,
        "time_ns": now(),
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
        "uid": sample.uid, "cgroup": sample.cgroup,
        "pid": owner.map(|o| o.pid), "command": owner.map(|o| &o.command), "fd": owner.map(|o| o.fd),
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
        "differs_because": row.difference,
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
