//! Packets as a script, one line a packet:
//!
//! ```text
//! 0    C S  win 64240 mss 1460 ws 7
//! 10   S S. win 65160 mss 1460 ws 7
//! 20   C .  win 502
//! 21   C P. len 100
//! 31   S .
//! ```
//!
//! Time in milliseconds, the sending end (Client or Server), flags as tcpdump writes them, then any of
//! `seq N`, `ack N` (relative: 1 is the first byte), `len N`, `win N` (as in the header), `mss N`, `ws N`,
//! `ts VAL,ECR`, `sack FROM-TO`, `scope N`, `id N`, `cut`. What is not said follows: the next byte in
//! order, everything that the other end has sent, the window of the line before, the next identification.

use std::net::{IpAddr, Ipv4Addr};
use tcpwhy_core::observe::{Endpoint, Segment, flags};
use tcpwhy_core::units::{Nanos, Seq};

/// Initial sequence numbers of client and server: the server's wraps after 4 kB.
const ISN: [u32; 2] = [7_000, u32::MAX - 4_000];

/// What the lines so far leave behind for each end.
#[derive(Default)]
struct End {
    next: u32,
    window: u16,
    id: u16,
}

/// The segments of a script; lines without a word are left out.
pub(crate) fn script(text: &str) -> Vec<Segment> {
    let mut ends = [End::default(), End::default()];
    let lines = text.lines().filter(|l| !l.trim().is_empty());
    lines.zip(1..).map(|(line, frame)| segment(line, frame, &mut ends)).collect()
}

fn endpoint(end: usize) -> Endpoint {
    let port = [50_000, 443][end];
    Endpoint::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, end as u8 + 1)), port)
}

fn segment(line: &str, frame: u64, ends: &mut [End; 2]) -> Segment {
    let mut words = line.split_whitespace();
    let mut word = || words.next();
    let millis: f64 = word().and_then(|w| w.parse().ok()).expect(line);
    let from = usize::from(word() == Some("S"));
    let mut s = Segment {
        time: Nanos((millis * 1e6) as i64),
        frame,
        src: endpoint(from),
        dst: endpoint(1 - from),
        ttl: 64,
        flags: flags_of(word().expect(line)),
        seq: Seq(ends[from].next),
        ack: Seq(ends[1 - from].next),
        window: ends[from].window,
        ip_id: ends[from].id + 1,
        ..Segment::default()
    };
    while let Some(name) = word() {
        if name == "cut" {
            s.options_cut = true;
        } else {
            set(&mut s, name, word().expect(line));
        }
    }
    let syn_fin = u32::from(s.has(flags::SYN)) + u32::from(s.has(flags::FIN));
    let end = s.seq.0 + s.len + syn_fin;
    ends[from] = End { next: ends[from].next.max(end), window: s.window, id: s.ip_id };
    s.seq = Seq(ISN[from]) + s.seq.0;
    s.ack = if s.has(flags::ACK) { Seq(ISN[1 - from]) + s.ack.0 } else { Seq(0) };
    for edges in &mut s.options.sack {
        *edges = (Seq(ISN[1 - from]) + edges.0.0, Seq(ISN[1 - from]) + edges.1.0);
    }
    s
}

fn flags_of(word: &str) -> u16 {
    let of = |letter| match letter {
        'S' => flags::SYN,
        'F' => flags::FIN,
        'R' => flags::RST,
        'P' => flags::PSH,
        'E' => flags::ECE,
        '.' => flags::ACK,
        other => panic!("no flag: {other}"),
    };
    word.chars().map(of).fold(0, |all, flag| all | flag)
}

fn set(s: &mut Segment, name: &str, value: &str) {
    let pair = || {
        let (a, b) = value.split_once([',', '-']).expect(value);
        (a.parse::<u32>().expect(a), b.parse::<u32>().expect(b))
    };
    let number = || value.parse::<u32>().expect(value);
    match name {
        "seq" => s.seq = Seq(number()),
        "ack" => s.ack = Seq(number()),
        "len" => s.len = number(),
        "win" => s.window = number() as u16,
        "mss" => s.options.mss = Some(number() as u16),
        "ws" => s.options.window_scale = Some(number() as u8),
        "ts" => s.options.timestamps = Some(pair()),
        "sack" => {
            let (from, to) = pair();
            s.options.sack[usize::from(s.options.sack_count)] = (Seq(from), Seq(to));
            s.options.sack_count += 1;
        }
        "scope" => s.scope = number(),
        "id" => s.ip_id = number() as u16,
        other => panic!("no such field: {other}"),
    }
}

#[test]
fn what_a_line_leaves_out_follows_from_the_lines_before() {
    let s = script(
        "0  C S  win 1000 mss 1460 ws 7
         5  S S. win 2000
         10 C .
         11 C P. len 10
         12 S .  ts 7,9 sack 20-30",
    );
    let relative = |k: usize, from: usize| {
        (s[k].seq.0.wrapping_sub(ISN[from]), s[k].ack.0.wrapping_sub(ISN[1 - from]))
    };
    assert_eq!((relative(2, 0), relative(3, 0), relative(4, 1)), ((1, 1), (1, 1), (1, 11)));
    assert_eq!((s[3].window, s[4].window, s[4].ip_id), (1000, 2000, 2));
    assert_eq!(s[4].options.sack_blocks(), [(Seq(ISN[0]) + 20, Seq(ISN[0]) + 30)]);
    assert_eq!(s[4].options.timestamps, Some((7, 9)));
}
