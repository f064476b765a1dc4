//! The wording of the terminal report beside that of the advice.

use crate::Source;
use tcpwhy_core::advice::quantity::{buffer, count, data, percent, rate, span};
use tcpwhy_core::advice::{cause_label, limit_label};
use tcpwhy_core::model::{Cause, Connection, Direction, Evidence, Interval, Limit, WhatIf};
use tcpwhy_core::observe::Endpoint;
use tcpwhy_core::units::Nanos;

/// Section titles.
pub(super) const SHARES: &str = "Where the time went";
pub(super) const EVIDENCE: &str = "Evidence";
pub(super) const WHAT_IF: &str = "What if";
pub(super) const NO_DATA: &str = "No data crossed; --all shows every connection.";
pub(super) const ADVICE: &str = "What to do";
pub(super) const FINDINGS: &str = "Also noticed";
pub(super) const INTERVALS: &str = "Intervals";

/// "slow.pcapng: 31,402 packets, 31,388 of them TCP, in 2 connections".
pub(super) fn header(source: &Source, connections: usize) -> String {
    let name = match source.files.as_slice() {
        [] => "capture".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    let tcp = if source.tcp_packets == source.packets {
        String::new()
    } else {
        format!(", {} of them TCP", count(source.tcp_packets))
    };
    let packets = plural(source.packets, "packet", "packets");
    format!("{name}: {packets}{tcp}, {}", plural(connections as u64, "connection", "connections"))
}

/// A warning of the source.
pub(super) fn warning(text: &str) -> String {
    format!("Note: {text}")
}

/// The line for what is not shown.
pub(super) fn hidden(directions: usize, bytes: u64) -> String {
    format!(
        "{} with {} not shown; --all shows everything, --conn ID one connection.",
        plural(directions as u64, "more direction", "more directions"),
        data(bytes)
    )
}

/// A direction's title.
pub(super) fn title(c: &Connection, d: &Direction) -> String {
    let (from, to) = (c.endpoint(d.from), c.endpoint(d.from.other()));
    format!("Connection {}: {} → {}", c.id, end(&from), end(&to))
}

/// What was transferred.
pub(super) fn amount(d: &Direction) -> String {
    let resent = match d.retransmitted {
        0 => String::new(),
        n => format!(", {} resent", data(n)),
    };
    let time = match d.transfer {
        Nanos::ZERO => String::new(),
        time => format!(" in {}, {}", span(time), rate(d.goodput_bps())),
    };
    let (from, to) = (d.from.name(), d.from.other().name());
    format!("{from} to {to}: {}{time}{resent}{}", data(d.bytes), stuck(d))
}

/// ", then no progress for 13.9 s": what the transfer time, which ends with the last
/// acknowledgment, leaves out.
fn stuck(d: &Direction) -> String {
    match (d.transfers.last(), d.timeline.last()) {
        (Some(transfer), Some(end)) if d.transfers_omitted == 0 => {
            let after = end.to - transfer.to;
            let long = after > d.transfer && end.limit != Limit::Application;
            if long { format!(", then no progress for {}", span(after)) } else { String::new() }
        }
        _ => String::new(),
    }
}

/// The path and where it was watched, as far as known.
pub(super) fn path(c: &Connection) -> Option<String> {
    let rtt = c.rtt;
    let place = match c.vantage.position {
        p if p < 0.15 => "at the client",
        p if p > 0.85 => "at the server",
        _ => "on the way",
    };
    let captured = match c.vantage.confidence {
        // A guess helps nobody.
        sure if sure < 0.5 => String::new(),
        sure if sure < 0.75 => format!("; captured probably {place}"),
        _ => format!("; captured {place}"),
    };
    (rtt.min > Nanos::ZERO).then(|| {
        format!(
            "round trip {}, median {}, 95 % under {}{captured}",
            span(rtt.min),
            span(rtt.median),
            span(rtt.p95)
        )
    })
}

fn end(e: &Endpoint) -> String {
    std::net::SocketAddr::new(e.addr(), e.port).to_string()
}

/// "receive window, slow reader".
pub(super) fn limit(limit: Limit, cause: Cause) -> String {
    match cause_label(cause) {
        Some(cause) => format!("{}, {cause}", limit_label(limit)),
        None => limit_label(limit).to_owned(),
    }
}

/// The finest name: "slow reader", or the limit's where no cause is known.
pub(super) fn finest(limit: Limit, cause: Cause) -> &'static str {
    cause_label(cause).unwrap_or_else(|| limit_label(limit))
}

/// What is not worth a row each.
pub(super) fn others(count: usize) -> String {
    plural(count as u64, "other", "others")
}

/// The numbers of an interval that were measured.
pub(super) fn evidence(i: &Interval) -> String {
    let e = &i.evidence;
    let mut parts = Vec::new();
    let mut part = |measured: bool, text: String| {
        if measured {
            parts.push(text);
        }
    };
    part(e.flight > 0, format!("up to {} in flight", buffer(e.flight)));
    part(e.window > 0, format!("window {} or more", buffer(e.window.into())));
    // Room is measured where the sender stopped.
    let room = e.stalls > 0 && e.window > 0 && e.room < e.window;
    part(room && e.room > 0, format!("room for {} or more", buffer(e.room.into())));
    part(room && e.room == 0, "no room left".to_owned());
    part(e.rtt_min.0 > 0, rtt(e));
    part(e.stalls > 0, stalls(e));
    let again = plural(e.retransmissions.into(), "segment resent", "segments resent");
    part(e.retransmissions > 0, again);
    let rate = rate(i.rate_bps());
    part(e.acked > 0, format!("{} acknowledged at {rate}", data(e.acked)));
    parts.join(", ")
}

fn rtt(e: &Evidence) -> String {
    if e.rtt_mean > e.rtt_min {
        format!("round trip {} (mean {})", span(e.rtt_min), span(e.rtt_mean))
    } else {
        format!("round trip {}", span(e.rtt_min))
    }
}

fn stalls(e: &Evidence) -> String {
    let stalls = plural(e.stalls.into(), "wait", "waits");
    match e.longest_stall {
        Nanos::ZERO => stalls,
        longest if e.stalls == 1 => format!("{stalls} of {}", span(longest)),
        longest => format!("{stalls} of up to {}", span(longest)),
    }
}

/// "frames 120-188".
pub(super) fn frames(first: u64, last: u64) -> String {
    if last <= first { format!("frame {first}") } else { format!("frames {first}-{last}") }
}

/// " (frame 120)", or nothing where none is known.
pub(super) fn first_frame(frame: u64) -> String {
    if frame > 0 { format!(" ({})", frames(frame, frame)) } else { String::new() }
}

/// How sure an interval is.
pub(super) fn sure(confidence: u8) -> String {
    format!("{} sure", percent(f64::from(confidence) / 100.0))
}

/// The world without a limit.
fn lifted(limit: Limit) -> &'static str {
    match limit {
        Limit::Handshake => "no handshake",
        Limit::Application => "no waiting for applications",
        Limit::SendBuffer => "no send buffer limit",
        Limit::ReceiveWindow => "no receive window limit",
        Limit::CongestionWindow => "no congestion window limit",
        Limit::PathBandwidth => "a path without a rate limit",
        Limit::LossRecovery => "no packet loss",
        Limit::DelayedAck => "no delayed ACKs",
        Limit::SilentPath => "no silence",
        Limit::Unknown => "nothing unexplained",
    }
}

/// One row of the what-if table: what is lifted, the time then, what that gains, what holds next.
pub(super) fn what_if(d: &Direction, w: &WhatIf) -> [String; 4] {
    [
        lifted(w.lift).to_owned(),
        span(w.transfer),
        gain(d.transfer, w.transfer).unwrap_or_default(),
        match w.next {
            Limit::Unknown => String::new(),
            next => format!("next: {}", limit_label(next)),
        },
    ]
}

/// "12x faster", "8 % less"; `None` where nothing worth saying is gained.
pub(super) fn gain(now: Nanos, then: Nanos) -> Option<String> {
    let (now, then) = (now.secs(), then.secs());
    let saved = 1.0 - then / now;
    if !saved.is_finite() || saved < 0.005 {
        return None;
    }
    Some(match now / then {
        _ if then <= 0.0 => "at once".to_owned(),
        _ if saved < 0.5 => format!("{} less", percent(saved)),
        times if times < 9.95 => format!("{times:.1}x faster"),
        times => format!("{times:.0}x faster"),
    })
}

fn plural(n: u64, one: &str, more: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { more })
}
