//! English.

use super::{Gain, Measured, Section, Spot, Words, finest, measured, times};
use crate::Source;
use crate::terminal::shown::Quiet;
use tcpwhy_core::advice::quantity::{self, SHORTEST_ROUND_TRIP, buffer, count, data, rate, span};
use tcpwhy_core::advice::{Language, cause_label, limit_label};
use tcpwhy_core::model::{Cause, Direction, Interval, Limit, RttSummary, Source as Basis};
use tcpwhy_core::units::Nanos;

/// The English texts.
pub(super) struct En;

impl Words for En {
    fn language(&self) -> Language {
        Language::En
    }

    fn section(&self, section: Section) -> &'static str {
        match section {
            Section::Shares => "Where the time went",
            Section::Evidence => "Evidence",
            Section::WhatIf => "What if",
            Section::Advice => "What to do",
            Section::Findings => "Also noticed",
            Section::Intervals => "Intervals",
            Section::Overview => "All transfers, by what held them most",
        }
    }

    fn no_data(&self, quiet: Option<Quiet>) -> String {
        let Some(Quiet { time, id }) = quiet else {
            return "No data crossed; --all shows every connection.".to_owned();
        };
        format!(
            "No data crossed, though connection {id} was open for {}. If its server is one that speaks first \
             (MySQL, SMTP, SSH, FTP), it did not, and the client waited for it; --all shows every connection.",
            span(time)
        )
    }

    fn header(&self, source: &Source, connections: usize) -> String {
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
        let connections = plural(connections as u64, "connection", "connections");
        format!("{name}: {packets}{tcp}, {connections}")
    }

    fn warning(&self, text: &str) -> String {
        format!("Note: {text}")
    }

    fn hidden(&self, directions: usize, bytes: u64) -> String {
        format!(
            "{} with {} not shown; --all shows everything, --conn ID one connection.",
            plural(directions as u64, "more direction", "more directions"),
            data(bytes)
        )
    }

    fn overview(&self) -> [&'static str; 5] {
        ["", "directions", "data", "could save", "see --conn"]
    }

    fn kind(&self, [name, directions, data, saving, example]: &[String; 5]) -> String {
        let row = format!("{name}: {directions} with {data}, {saving} could be saved");
        if example.is_empty() { row } else { format!("{row}; see --conn {example}") }
    }

    fn title(&self, id: u64, from: &str, to: &str) -> String {
        format!("Connection {id}: {from} → {to}")
    }

    fn amount(&self, d: &Direction, later: Option<Nanos>, stuck: Option<Nanos>) -> String {
        let resent = match d.retransmitted {
            0 => String::new(),
            n => format!(", {} resent", data(n)),
        };
        let time = match d.transfer {
            Nanos::ZERO => String::new(),
            time => format!(" in {}, {}", span(time), rate(d.goodput_bps())),
        };
        let stuck =
            stuck.map(|time| format!(", then no progress for {}", span(time))).unwrap_or_default();
        let later = later
            .map(|time| format!("; begins {} into the capture", span(time)))
            .unwrap_or_default();
        let (from, to) = (d.from.name(), d.from.other().name());
        format!("{from} to {to}: {}{time}{resent}{stuck}{later}", data(d.bytes))
    }

    fn path(&self, rtt: &RttSummary, captured: Option<(Spot, bool)>) -> String {
        let spot = |spot| match spot {
            Spot::Client => "at the client",
            Spot::Server => "at the server",
            Spot::OnTheWay => "on the way",
        };
        let captured = match captured {
            None => String::new(),
            Some((place, false)) => format!("; captured probably {}", spot(place)),
            Some((place, true)) => format!("; captured {}", spot(place)),
        };
        if rtt.min < SHORTEST_ROUND_TRIP {
            return format!("round trip shorter than the capture's clock can tell{captured}");
        }
        let (min, median, p95) = (span(rtt.min), span(rtt.median), span(rtt.p95));
        let hidden = if rtt.hides_queues {
            ", without what waited in queues before the capture (no timestamps)"
        } else {
            ""
        };
        format!("round trip {min}, median {median}, 95 % under {p95}{hidden}{captured}")
    }

    fn limit(&self, limit: Limit, cause: Cause) -> String {
        let limit = limit_label(limit, Language::En);
        match cause_label(cause, Language::En) {
            Some(cause) => format!("{limit}, {cause}"),
            None => limit.to_owned(),
        }
    }

    fn others(&self, count: usize) -> String {
        plural(count as u64, "other", "others")
    }

    fn share(&self, name: &str, percent: &str, time: &str) -> String {
        format!("{name}: {percent}, {time}")
    }

    fn evidence(&self, i: &Interval) -> String {
        let name = finest(i.limit, i.cause, Language::En);
        match (numbers(i), shown_by(i)) {
            (numbers, None) if numbers.is_empty() => name.to_owned(),
            (numbers, None) => format!("{name}: {numbers}"),
            (numbers, Some(frames)) if numbers.is_empty() => format!("{name}: {frames}"),
            (numbers, Some(frames)) => format!("{name}: {numbers}; {frames}"),
        }
    }

    fn interval(&self, i: &Interval, from: f64, to: f64) -> String {
        let name = self.limit(i.limit, i.cause);
        let frames = shown_by(i).map(|frames| format!(", {frames}")).unwrap_or_default();
        let sure = self.percent(f64::from(i.confidence) / 100.0);
        let text = format!("{from:.6}-{to:.6} s  {name}, {sure} sure{frames}");
        match numbers(i) {
            numbers if numbers.is_empty() => text,
            numbers => format!("{text}: {numbers}"),
        }
    }

    fn finding(&self, text: &str, frame: u64) -> String {
        if frame > 0 { format!("{text} ({})", frames(frame, frame)) } else { text.to_owned() }
    }

    fn lifted(&self, limit: Limit) -> &'static str {
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

    fn as_it_is(&self) -> &'static str {
        "now, from the first byte on"
    }

    fn still_turns(&self, turns: u64) -> String {
        format!("no thinking, still {} turns", count(turns))
    }

    fn predicted(&self, span: String, at_most: bool) -> String {
        if at_most { format!("at most {span}") } else { span }
    }

    fn gain(&self, gain: Gain) -> String {
        match gain {
            Gain::AtOnce => "at once".to_owned(),
            Gain::Less(saved) => format!("{} less", self.percent(saved)),
            Gain::Times(n) => format!("{}x faster", times(n)),
        }
    }

    fn next(&self, limit: Limit) -> String {
        format!("next: {}", limit_label(limit, Language::En))
    }

    fn what_if(&self, [lift, time, gain, next]: &[String; 4]) -> String {
        format!("{lift}: {time}, {gain}, {next}").trim_end_matches(", ").to_owned()
    }

    fn percent(&self, part: f64) -> String {
        quantity::percent(part)
    }
}

/// "up to 16.0 KiB in flight, 1,203 waits of up to 20.4 ms".
fn numbers(i: &Interval) -> String {
    let parts: Vec<_> = measured(i).iter().map(number).collect();
    parts.join(", ")
}

fn number(number: &Measured) -> String {
    match *number {
        Measured::Flight(bytes) => format!("up to {} in flight", buffer(bytes)),
        Measured::Window(bytes) => format!("window {} or more", buffer(bytes)),
        Measured::Room(0) => "no room left".to_owned(),
        Measured::Room(bytes) => format!("room for {} or more", buffer(bytes)),
        Measured::Rtt(min, None) => format!("round trip {}", span(min)),
        Measured::Rtt(min, Some(mean)) => {
            format!("round trip {} (mean {})", span(min), span(mean))
        }
        Measured::Stalls(n, Nanos::ZERO) => plural(n, "wait", "waits"),
        Measured::Stalls(1, longest) => format!("1 wait of {}", span(longest)),
        Measured::Stalls(n, longest) => format!("{} waits of up to {}", count(n), span(longest)),
        Measured::Resent(n) => plural(n, "segment resent", "segments resent"),
        Measured::Acked(bytes, bps) => format!("{} acknowledged at {}", data(bytes), rate(bps)),
    }
}

/// "frames 120-188", and the sockets' samples where there are any; `None` where no packet of its own shows an interval.
fn shown_by(i: &Interval) -> Option<String> {
    let frames = (i.last_frame > 0).then(|| frames(i.first_frame, i.last_frame));
    match (i.source, frames) {
        (Basis::Packets, frames) => frames,
        (_, None) => Some("from the kernel's samples".to_owned()),
        (Basis::Both, Some(frames)) => Some(format!("{frames} and the kernel's samples")),
        (Basis::Samples, Some(frames)) => Some(format!("from the kernel's samples, {frames}")),
    }
}

/// "frames 120-188".
fn frames(first: u64, last: u64) -> String {
    if last <= first { format!("frame {first}") } else { format!("frames {first}-{last}") }
}

fn plural(n: u64, one: &str, more: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { more })
}
