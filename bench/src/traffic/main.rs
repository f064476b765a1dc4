//! Writes a capture of simulated transfers to standard output, the same bytes in every run.
//!
//! `traffic one PACKETS`: one connection of at least that many packets, one long answer after the other.
//! `traffic many CONNECTIONS`: short connections, a new one every 100 us, about 50 packets each.

mod frame;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use tcpwhy_core::model::Side;
use tcpwhy_core::observe::{Endpoint, Segment, flags};
use tcpwhy_core::units::{Nanos, Seq};
use tcpwhy_core::whatif::traffic::{Loss, Scenario, Window, Workload, simulate};

/// One answer of the long connection.
const ANSWER_BYTES: u64 = 40_000_000;
const REQUEST_BYTES: u64 = 100;
const BETWEEN_CONNECTIONS: Nanos = Nanos::from_micros(100);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    frame::write_header(&mut out)?;
    match words.as_slice() {
        ["one", packets] => one(&mut out, packets.parse()?)?,
        ["many", connections] => many(&mut out, connections.parse()?)?,
        _ => return Err("usage: traffic one PACKETS | many CONNECTIONS".into()),
    }
    Ok(out.flush()?)
}

/// One answer, again and again, with sequence numbers and times that go on.
fn one(out: &mut impl Write, packets: u64) -> io::Result<()> {
    let answer = Scenario {
        workload: Workload {
            message_bytes: ANSWER_BYTES,
            request_bytes: REQUEST_BYTES,
            ..Workload::default()
        },
        rate_bps: 1_000_000_000,
        loss: Loss::PerMille(1),
        ..Scenario::default()
    };
    let segments = without_the_end(simulate(&answer).capture(0.0));
    let (Some(first), Some(last)) = (segments.first(), segments.last()) else { return Ok(()) };
    let length = last.time - first.time + answer.rtt;
    let mut buffer = Vec::new();
    let (mut written, mut round) = (0, 0_u32);
    while written < packets {
        for segment in segments.iter().filter(|s| round == 0 || !s.has(flags::SYN)) {
            frame::write(out, &in_round(segment, round, length), &mut buffer)?;
            written += 1;
        }
        round += 1;
    }
    Ok(())
}

/// The same without its end: no FIN, and nothing that counts one.
fn without_the_end(segments: Vec<Segment>) -> Vec<Segment> {
    let ends: Vec<(Endpoint, Seq)> =
        segments.iter().filter(|s| s.has(flags::FIN)).map(|s| (s.src, s.seq + s.len)).collect();
    let mut kept = segments;
    kept.retain(|s| s.len > 0 || !s.has(flags::FIN));
    for segment in &mut kept {
        segment.flags &= !flags::FIN;
        for (owner, end) in &ends {
            let number = if *owner == segment.src { &mut segment.seq } else { &mut segment.ack };
            if number.distance(*end) > 0 {
                *number = *end;
            }
        }
    }
    kept
}

fn in_round(segment: &Segment, round: u32, length: Nanos) -> Segment {
    let answered = round.wrapping_mul(ANSWER_BYTES as u32);
    let asked = round.wrapping_mul(REQUEST_BYTES as u32);
    let from_server = segment.src.port < segment.dst.port;
    let (sent, acknowledged) = if from_server { (answered, asked) } else { (asked, answered) };
    let later = Nanos(length.0.saturating_mul(i64::from(round)));
    let ticks = (later.0 / 1_000_000) as u32;
    let mut segment = *segment;
    segment.time += later;
    segment.seq = segment.seq + sent;
    segment.ack = segment.ack + acknowledged;
    segment.options.timestamps = segment
        .options
        .timestamps
        .map(|(value, echo)| (value.wrapping_add(ticks), echo.wrapping_add(ticks)));
    for (left, right) in &mut segment.options.sack {
        (*left, *right) = (*left + acknowledged, *right + acknowledged);
    }
    segment
}

/// Short connections that overlap, merged by time.
fn many(out: &mut impl Write, connections: u32) -> io::Result<()> {
    let kinds: Vec<Vec<Segment>> = kinds().iter().map(|kind| simulate(kind).capture(0.5)).collect();
    let kind = |connection: u32| {
        kinds.get(connection as usize % kinds.len()).map_or(&[][..], Vec::as_slice)
    };
    let mut waiting = BinaryHeap::new();
    let mut buffer = Vec::new();
    let mut opened = 0;
    loop {
        // A connection opens when its first packet comes before everything that waits.
        let opens = kind(opened).first().filter(|_| opened < connections).map(|s| at(s, opened));
        let next = waiting.peek().map(|Reverse((time, _, _))| *time);
        if let Some(opens) = opens.filter(|opens| next.is_none_or(|next| *opens <= next)) {
            waiting.push(Reverse((opens, opened, 0)));
            opened += 1;
            continue;
        }
        let Some(Reverse((_, connection, index))) = waiting.pop() else { return Ok(()) };
        if let Some(segment) = kind(connection).get(index) {
            frame::write(out, &of_connection(segment, connection), &mut buffer)?;
        }
        if let Some(after) = kind(connection).get(index + 1) {
            waiting.push(Reverse((at(after, connection), connection, index + 1)));
        }
    }
}

/// A transfer that nothing limits but its start, and three that something does.
fn kinds() -> Vec<Scenario> {
    let workload = Workload { message_bytes: 40_000, ..Workload::default() };
    let plain = Scenario { workload, ..Scenario::default() };
    vec![
        plain.clone(),
        Scenario { send_buffer: 8_192, ..plain.clone() },
        Scenario { window: Window::fixed(8_192), ..plain.clone() },
        Scenario { loss: Loss::Numbers(vec![12, 13]), data_from: Side::Client, ..plain },
    ]
}

fn at(segment: &Segment, connection: u32) -> Nanos {
    segment.time + BETWEEN_CONNECTIONS.scale(i64::from(connection), 1)
}

fn of_connection(segment: &Segment, connection: u32) -> Segment {
    let [_, a, b, c] = connection.to_be_bytes();
    let host = IpAddr::V4(Ipv4Addr::new(10, a, b, c));
    let mut segment = *segment;
    segment.time = at(&segment, connection);
    let client =
        if segment.src.port > segment.dst.port { &mut segment.src } else { &mut segment.dst };
    *client = Endpoint::new(host, client.port);
    segment.seq = segment.seq + connection.wrapping_mul(7919);
    segment.ack =
        if segment.has(flags::ACK) { segment.ack + connection.wrapping_mul(7919) } else { Seq(0) };
    for (left, right) in &mut segment.options.sack {
        *left = *left + connection.wrapping_mul(7919);
        *right = *right + connection.wrapping_mul(7919);
    }
    segment
}
