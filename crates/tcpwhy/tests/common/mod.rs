//! Runs the binary, and makes small captures for it.
#![allow(dead_code)] // No test uses all of it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The binary, with an environment that says nothing about colours, width or language.
pub(crate) fn tcpwhy() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcpwhy"));
    for name in
        ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LC_ALL", "LC_MESSAGES", "LANG"]
    {
        command.env_remove(name);
    }
    command
}

/// Whether this machine lets this user have no lab, by what `tcpwhy lab` has `said` (or by other words, `besides`): then that is printed.
pub(crate) fn has_no_lab(said: &str, besides: &[&str]) -> bool {
    const REFUSED: [&str; 4] = [
        "cannot make a network namespace",
        "cannot make namespaces",
        "without root",
        "/dev/net/tun",
    ];
    let is = REFUSED.iter().chain(besides).any(|words| said.contains(words));
    if is {
        eprintln!("skipped: {said}");
    }
    is
}

/// Runs it with `args` on `input` as standard input.
pub(crate) fn run_on(input: &[u8], args: &[&str]) -> Output {
    let mut child = tcpwhy()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // It may refuse the command line without reading.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// Runs it with `args` and no input.
pub(crate) fn run(args: &[&str]) -> Output {
    run_on(&[], args)
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// One sentence on standard error, and exit code 2.
pub(crate) fn assert_one_sentence_error(output: &Output, part: &str) {
    let text = stderr(output);
    assert_eq!(code(output), 2, "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.starts_with("tcpwhy: "), "{text}");
    assert!(text.contains(part), "{text}");
    assert_eq!(stdout(output), "");
}

const CLIENT: ([u8; 4], u16) = ([10, 0, 0, 2], 51_234);
const SERVER: ([u8; 4], u16) = ([10, 0, 0, 1], 3306);
const FIN: u8 = 1;
const SYN: u8 = 2;
const ACK: u8 = 16;

/// A pcap file that is being written: microseconds, little-endian.
pub(crate) struct Pcap {
    bytes: Vec<u8>,
    micros: u32,
}

impl Pcap {
    /// Without packets.
    pub(crate) fn new(link: u32) -> Self {
        let mut bytes = vec![0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(65_535_u32.to_le_bytes());
        bytes.extend(link.to_le_bytes());
        Self { bytes, micros: 0 }
    }

    /// Adds a packet a millisecond after the last one; the first at 2026-01-02 03:04:05 UTC.
    pub(crate) fn packet(&mut self, data: &[u8]) {
        self.micros += 1000;
        let (seconds, micros) = (self.micros / 1_000_000, self.micros % 1_000_000);
        let len = data.len() as u32;
        for field in [1_767_323_045 + seconds, micros, len, len] {
            self.bytes.extend(field.to_le_bytes());
        }
        self.bytes.extend(data);
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// A request of 100 bytes and an answer of 50 segments, as Ethernet frames, from SYN to FIN.
pub(crate) fn transfer() -> Vec<u8> {
    let mut pcap = Pcap::new(1);
    let mut send = |from_client, flags, seq, ack, len| {
        pcap.packet(&frame(from_client, flags, seq, ack, len));
    };
    send(true, SYN, 1000, 0, 0);
    send(false, SYN | ACK, 5000, 1001, 0);
    send(true, ACK, 1001, 5001, 0);
    send(true, ACK, 1001, 5001, 100);
    send(false, ACK, 5001, 1101, 0);
    let end = 5001 + 50 * 1448;
    for n in 0..50 {
        send(false, ACK, 5001 + n * 1448, 1101, 1448);
        send(true, ACK, 1101, 5001 + (n + 1) * 1448, 0);
    }
    send(false, FIN | ACK, end, 1101, 0);
    send(true, FIN | ACK, 1101, end + 1, 0);
    send(false, ACK, end + 1, 1102, 0);
    pcap.finish()
}

/// So many requests of 100 bytes, each with an answer of 200.
pub(crate) fn exchanges(turns: u32) -> Vec<u8> {
    let mut pcap = Pcap::new(1);
    pcap.packet(&frame(true, SYN, 1000, 0, 0));
    pcap.packet(&frame(false, SYN | ACK, 5000, 1001, 0));
    for turn in 0..turns {
        let (asked, answered) = (1001 + 100 * turn, 5001 + 200 * turn);
        pcap.packet(&frame(true, ACK, asked, answered, 100));
        pcap.packet(&frame(false, ACK, answered, asked + 100, 200));
    }
    pcap.finish()
}

/// An Ethernet frame with a UDP packet in it.
pub(crate) fn udp() -> Vec<u8> {
    let mut frame = frame(true, ACK, 0, 0, 0);
    frame[14 + 9] = 17;
    frame
}

/// Ethernet, IPv4, TCP with checksums left out.
fn frame(from_client: bool, flags: u8, seq: u32, ack: u32, len: usize) -> Vec<u8> {
    let (src, dst) = if from_client { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
    let mut frame = vec![0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x08, 0x00];
    frame.extend([0x45, 0]);
    frame.extend((40 + len as u16).to_be_bytes());
    frame.extend([0, 0, 0x40, 0, 64, 6, 0, 0]);
    frame.extend(src.0);
    frame.extend(dst.0);
    frame.extend(src.1.to_be_bytes());
    frame.extend(dst.1.to_be_bytes());
    frame.extend(seq.to_be_bytes());
    frame.extend(ack.to_be_bytes());
    frame.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    frame.resize(frame.len() + len, 0);
    frame
}
