//! `tcpwhy live` on transfers whose limit is known by construction, behind a link of the lab with a round trip of 40 ms.
//!
//! `cargo test -p tcpwhy --test live -- --nocapture` prints the verdicts and the kernel's stopwatch side by side.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::print_stdout)] // Helpers of tests, outside of #[test] functions; a table.

mod churn;
#[path = "../common/mod.rs"]
mod common;
mod everywhere;
mod lab;
mod terminal;
mod unlock;
mod users;

use lab::{in_lab, socket};

/// What a congestion window that is held needs (see flow.py).
const CLAMPED: [&str; 2] = ["--client-sysctl", "net.ipv4.tcp_no_metrics_save=0"];
/// Packets that it is held at.
const CLAMP: u64 = 20;

/// Kind of flow, options of the lab, and the limit that it was built to have.
const FLOWS: [(&str, &[&str], &str); 9] = [
    ("sndbuf", &[], "send_buffer"),
    ("sndbuf-epoll", &[], "send_buffer"),
    ("rcvbuf", &[], "receive_window"),
    ("reader", &[], "receive_window"),
    ("application", &[], "application"),
    ("cwnd", &CLAMPED, "congestion_window"),
    ("pacing", &[], "congestion_window"),
    // The writer waits for the low-water mark, and the data for the congestion window.
    ("lowat", &CLAMPED, "congestion_window"),
    // What bbr is paced at is the rate that the path has.
    ("path", &["--rate", "50mbit"], "path_bandwidth"),
];

/// The limit with most of the time that the kernel's program told, and its share; `None` where the program may not run.
fn at_each_ack(limited_ns: &serde_json::Value) -> Option<(String, f64)> {
    let times = limited_ns.as_object()?.iter();
    let times: Vec<_> = times.filter_map(|(limit, ns)| Some((limit, ns.as_f64()?))).collect();
    let all: f64 = times.iter().map(|(_, ns)| ns).sum();
    let (limit, most) = times.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((limit.clone(), most / all))
}

fn verdicts(congestion: &str) {
    let mut wrong = Vec::new();
    for (kind, link, right) in FLOWS {
        let look = "$TCPWHY live --json --interval 1500ms --netns self --port 8000";
        let Some(answer) = in_lab(congestion, link, kind, look) else { return };
        let socket = socket(&answer);
        if link == CLAMPED && socket["cwnd_packets"] != CLAMP {
            println!(
                "{congestion:6} {kind:13} skipped: this kernel does not hold the congestion window: {socket}"
            );
            continue;
        }
        let watch = &socket["kernel_stopwatch"];
        let limit = socket["limit"].as_str().unwrap_or("none").to_owned();
        println!(
            "{congestion:6} {kind:13} {limit:18} {:5.1} %   kernel: busy {} rwnd {} sndbuf {}",
            socket["shares"][&limit].as_f64().unwrap_or(0.0) * 100.0,
            watch["busy"],
            watch["rwnd_limited"],
            watch["sndbuf_limited"],
        );
        let at_each_ack = at_each_ack(&socket["events"]["limited_ns"]);
        println!("{:20} at each ACK, in the kernel: {at_each_ack:?}", "");
        // bbr paces at the rate that a buffer or window sets: at most moments, pacing is what holds the next byte.
        let is_exact = congestion != "bbr" && ["send_buffer", "receive_window"].contains(&right);
        let other = at_each_ack.filter(|(limit, _)| limit != right);
        if limit != right || (is_exact && other.is_some()) {
            wrong.push(format!("{congestion} {kind}: {socket}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn verdicts_under_cubic() {
    verdicts("cubic");
}

#[test]
fn verdicts_under_reno() {
    verdicts("reno");
}

#[test]
fn verdicts_under_bbr() {
    verdicts("bbr");
}

#[test]
fn the_lock_is_seen_and_who_has_the_socket() {
    let look = "$TCPWHY live --json --interval 500ms --netns self --port 8000";
    let Some(answer) = in_lab("cubic", &[], "sndbuf", look) else { return };
    let socket = socket(&answer);
    assert_eq!(socket["send_buffer"]["held_by"], "application", "{socket}");
    assert_eq!(socket["send_buffer"]["bytes"], 32_768);
    assert_eq!(socket["receive_buffer"]["held_by"], "not grown yet");
    assert!(socket["command"].as_str().unwrap().starts_with("python3"));
    assert_eq!(socket["congestion_control"], "cubic");
    assert_eq!(socket["holder"], "locked by the application at 16.0 KiB");
}

#[test]
fn a_buffer_at_the_systems_maximum_is_told_from_a_locked_one() {
    let look = "$TCPWHY live --json --interval 500ms --port 8000; \
                $TCPWHY live --once --interval 500ms --port 8000";
    let most = ["--client-sysctl", "net.ipv4.tcp_wmem=4096 16384 65536"];
    let Some(answer) = in_lab("cubic", &most, "small", look) else { return };
    let (json, text) = answer.split_once('\n').unwrap();
    let socket = socket(json);
    assert_eq!(socket["limit"], "send_buffer", "{socket}");
    assert_eq!(socket["send_buffer"]["held_by"], "system maximum");
    assert_eq!(socket["send_buffer"]["bytes"], 65_536);
    assert_eq!(socket["holder"], "64.0 KiB, held by tcp_wmem max");
    assert!(text.contains(": 64.0 KiB, held by tcp_wmem max"), "{text}");
}

#[test]
fn what_is_asked_for_and_is_not_there_is_said() {
    let live = |args: &[&str]| {
        let binary = env!("CARGO_BIN_EXE_tcpwhy");
        let fast =
            ["live", "--lang", "en", "--once", "--no-bpf", "--interval", "50ms", "--netns", "self"];
        let output = std::process::Command::new(binary).args(fast).args(args).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), text.concat())
    };
    for (args, told) in [
        (["--pid", "4194304"], "there is no process 4194304"),
        (["--container", "no such/container"], "with \"no such/container\" in its path"),
    ] {
        let (code, text) = live(&args);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(told), "{text}");
    }
    let own = std::process::id().to_string();
    let (code, text) = live(&["--pid", &own]);
    assert_eq!(code, Some(1), "{text}");
    assert_eq!(text.lines().next(), Some(&*format!("No socket fits --netns self --pid {own}.")));
}

#[test]
fn a_limit_that_does_not_hold_shows_nothing_and_exit_code_1() {
    let look =
        "$TCPWHY live --json --interval 500ms --netns self --port 8000 --limit handshake; echo $?";
    let Some(answer) = in_lab("cubic", &[], "sndbuf", look) else { return };
    let (json, code) = answer.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(code, "1");
    let round: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(round["schema"], "tcpwhy.live/1");
    assert_eq!(round["sockets"].as_array().unwrap().len(), 0);
}
