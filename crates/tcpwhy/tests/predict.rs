//! `tcpwhy predict`: answers, sweeps, and one sentence for bad input.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::*;

const A: [&str; 7] = ["predict", "--size", "22MB", "--rate", "100mbit", "--rtt", "20ms"];

fn with(more: &[&str]) -> std::process::Output {
    run(&[&A[..], more].concat())
}

fn schema(text: &str) -> jsonschema::Validator {
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
}

#[test]
fn a_small_send_buffer_is_named_and_priced() {
    let output = with(&["--sndbuf", "16K", "--no-offload"]);
    let text = stdout(&output);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    for part in [
        "held by the send buffer",
        "BDP = 100 Mbit/s x 20.0 ms = 250 kB",
        "SO_SNDBUF not set",
        "handshake",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_prediction_speaks_chinese_and_its_json_does_not() {
    let text = stdout(&with(&["--sndbuf", "16K", "--no-offload", "--lang", "zh"]));
    for part in [
        "瓶颈是发送缓冲区",
        "时间花在哪里",
        "BDP = 100 Mbit/s x 20.0 ms = 250 kB",
        "不设置 SO_SNDBUF",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let words = ["held", "buffer", "time", "rate"];
    assert!(!words.iter().any(|w| text.contains(w)), "{text}");
    let json = |lang| stdout(&with(&["--sndbuf", "16K", "--no-offload", "--json", "--lang", lang]));
    assert_eq!(json("zh"), json("en"));
    let sweep = ["--sweep", "rtt=1ms..400ms", "--lang", "zh"];
    let small = ["predict", "--size", "200K", "--rate", "100mbit", "--rtt", "20ms"];
    assert!(stdout(&run(&[&small[..], &sweep].concat())).starts_with("速率占链路的比例"));
}

#[test]
fn json_holds_what_the_text_holds() {
    let output = with(&["--sndbuf", "16K", "--no-offload", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(value["limit"], "send_buffer");
    assert_eq!(value["bdp_bytes"], 250_000);
    let seconds = value["time_ns"].as_f64().unwrap() / 1e9;
    assert!((23.0..28.0).contains(&seconds), "published 25 s, {seconds}");
    let phases = value["phases_ns"].as_object().unwrap();
    let sum: i64 = phases.values().map(|v| v.as_i64().unwrap()).sum();
    assert_eq!(Some(sum), value["time_ns"].as_i64());
    let free = value["alternatives"]
        .as_array()
        .unwrap()
        .iter()
        .find(|a| a["change"] == "SO_SNDBUF not set")
        .unwrap();
    assert_eq!(free["limit"], "path_bandwidth");
}

/// The published form, and every field of one answer. What changes here is a change of the contract or of the model:
/// `TCPWHY_BLESS=1 cargo test -p tcpwhy --test predict` writes the file anew, which is then read.
#[test]
fn json_follows_its_schema_and_stays_what_it_was() {
    let args = ["--policer", "50mbit:100K", "--sndbuf", "64K", "--read-rate", "4MB/s", "--json"];
    let text = stdout(&with(&args));
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let schema = schema(include_str!("../../../schema/tcpwhy.prediction-1.schema.json"));
    let wrong: Vec<_> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/prediction.json");
    let pretty = serde_json::to_string_pretty(&value).unwrap() + "\n";
    if std::env::var_os("TCPWHY_BLESS").is_some() {
        std::fs::write(golden, &pretty).unwrap();
    }
    let kept = std::fs::read_to_string(golden).unwrap().replace("\r\n", "\n");
    assert!(kept == pretty, "look at it, then bless it with TCPWHY_BLESS=1:\n{pretty}");
}

#[test]
fn a_policer_holds_the_rate_down() {
    let value = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&stdout(&with(args))).unwrap()
    };
    let policed = value(&["--policer", "10mbit:60K", "--json"]);
    let seconds = policed["time_ns"].as_f64().unwrap() / 1e9;
    assert!((17.0..25.0).contains(&seconds), "22 MB at 10 Mbit/s: {seconds}");
    assert!(policed["resent"].as_u64() > Some(0));
    let free = policed["alternatives"].as_array().unwrap();
    assert!(free.iter().any(|a| a["change"] == "no policer"), "{free:?}");
    for (text, part) in [
        ("fast", "--policer"),
        ("10mbit:", "--policer"),
        ("0mbit", "rate of more than 0"),
        ("10mbit:100", "at least 1500 bytes"),
    ] {
        assert_one_sentence_error(&with(&["--policer", text]), part);
    }
}

#[test]
fn a_clamped_buffer_is_said() {
    let text = stdout(&with(&["--sndbuf", "256K", "--sysctl", "wmem_max=130000"]));
    assert!(text.contains("SO_SNDBUF is clamped in silence to net.core.wmem_max"), "{text}");
}

#[test]
fn sweeps_are_a_surface_or_rows() {
    let sweep = [
        "--size",
        "200K",
        "--rate",
        "100mbit",
        "--rtt",
        "20ms",
        "--sweep",
        "rtt=1ms..400ms",
        "--sweep",
        "sndbuf=4K..16M",
    ];
    let drawn = run(&[&["predict"], &sweep[..]].concat());
    assert_eq!(
        stdout(&drawn).lines().filter(|l| l.contains('|')).count(),
        12,
        "{}",
        stdout(&drawn)
    );
    let rows = stdout(&run(&[&["predict", "--csv"], &sweep[..]].concat()));
    let mut lines = rows.lines();
    assert_eq!(
        lines.next(),
        Some("rtt_ns,sndbuf_bytes,time_ns,p10_ns,p90_ns,runs,steady_bps,limit")
    );
    assert!(lines.next().unwrap().starts_with("1000000,4096,"), "{rows}");
    assert_eq!(rows.lines().count(), 1 + 12 * 24);
    let few = ["predict", "--size", "2K", "--rate", "100mbit", "--rtt", "20ms", "--csv", "--sweep"];
    let rows = stdout(&run(&[&few[..], &["size=1..3"]].concat()));
    assert_eq!(rows.lines().count(), 1 + 3, "no value twice: {rows}");
}

#[test]
fn lines_of_a_sweep_follow_their_schema() {
    let schema = schema(include_str!("../../../schema/tcpwhy.sweep-1.schema.json"));
    let small = ["predict", "--size", "50K", "--rate", "100mbit", "--rtt", "20ms", "--json"];
    let sweep = ["--sweep", "rtt=1ms..400ms", "--sweep", "loss=0.1%..100%"];
    let text = stdout(&run(&[&small[..], &sweep].concat()));
    let lines: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 12 * 24);
    for line in &lines {
        let wrong: Vec<_> = schema.iter_errors(line).map(|e| e.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?} {line}");
    }
    assert_eq!((&lines[0]["rtt_ns"], &lines[0]["loss"]), (&1_000_000.into(), &0.001.into()));
    assert!(lines[12 * 24 - 1]["time_ns"].is_null(), "with everything lost it does not end");
}

#[test]
fn chance_is_told_as_a_range() {
    let value = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&stdout(&with(&[args, &["--json"]].concat()))).unwrap()
    };
    let lossy = value(&["--loss", "0.1%"]);
    let (range, time) = (&lossy["range"], lossy["time_ns"].as_i64());
    assert_eq!(range["runs"], 15);
    assert!(range["p10_ns"].as_i64() < time && time < range["p90_ns"].as_i64(), "{lossy}");
    let other = value(&["--loss", "0.1%", "--seed", "100"]);
    assert!(other["time_ns"].as_i64() >= range["p10_ns"].as_i64(), "{other}");
    assert!(other["time_ns"].as_i64() <= range["p90_ns"].as_i64(), "{other}");
    assert_eq!(value(&[])["range"]["runs"], 3);
    let text = stdout(&with(&["--loss", "0.1%"]));
    assert!(text.contains("the median of 15 runs, of which eight in ten take"), "{text}");
    let zh = stdout(&with(&["--loss", "0.1%", "--lang", "zh"]));
    assert!(zh.contains("这是 15 次运行的中位数"), "{zh}");
    assert!(!stdout(&with(&[])).contains("median"));
}

#[test]
fn a_buffer_below_the_kernels_least_is_said() {
    let text = stdout(&with(&["--sndbuf", "0", "--rcvbuf", "1K"]));
    assert!(
        text.contains("SO_SNDBUF of 0 bytes is legal and gives the kernel's least, 4608 bytes")
    );
    assert!(text.contains("SO_RCVBUF of 1024 bytes is legal and gives the kernel's least, 2304"));
    assert!(!stdout(&with(&["--sndbuf", "2304"])).contains("legal"));
}

#[test]
fn bad_input_is_one_sentence() {
    let cases: [(&[&str], &str); 28] = [
        (&["--sysctl", "tcp_rmem=0 0 0"], "is not three numbers from 1 on"),
        (&["--write", "1"], "--write makes more calls"),
        (&["--loss", "100%"], "no packet arrives"),
        (&["--loss", "99%"], "hardly moves"),
        (&["--loss", "NaN"], "is not a share"),
        (&["--kernel", "0.0"], "is not a kernel's version"),
        (&["--kernel", "6,18"], "is not a kernel's version"),
        (&["--kernel", "99.99"], "is not a kernel's version that is known: 2.6 to 19.x"),
        (&["--sysctl", "tcp_notsent_lowat=0"], "lets no program write"),
        (&["--sysctls", "/"], "cannot read /"),
        (&["--seed", "99999999999999999999999"], "--seed"),
        (&["--initcwnd", "-5"], "-5 is not in 1..=65535"),
        (&["--queue", "9e99"], "is not a size"),
        (&["--sweep", "size=1MB..1TB"], "the sweep would take minutes"),
        (&["--sndbuf", "16Q"], "is not a size"),
        (&["--loss", "120%"], "is not a share"),
        (&["--kernel", "new"], "is not a kernel's version"),
        (&["--sysctl", "tcp_rmem=lots"], "tcp_rmem"),
        (&["--sysctl", "tcp_magic=1"], "tcp_magic"),
        (&["--sysctl", "tcp_rmem"], "NAME=VALUE"),
        (&["--sweep", "colour=1..2"], "cannot be swept"),
        (&["--sweep", "rtt=5ms..1ms"], "something larger"),
        (&["--sweep", "rtt=1ms..9ms", "--sweep", "rtt=1ms..9ms"], "twice"),
        (&["--csv"], "--sweep"),
        (&["--streams", "0"], "--streams"),
        (&["--cc", "vegas"], "vegas"),
        (&["--write", "0"], "--write must be more than 0"),
        (&["--read-rate", "0mbit"], "--read-rate must be at least a byte a second"),
    ];
    for (args, part) in cases {
        assert_one_sentence_error(&with(args), part);
    }
    let others: [(&[&str], &str); 8] = [
        (&["--size", "0", "--rate", "1mbit", "--rtt", "1ms"], "--size must be more than 0"),
        (&["--size", "1", "--rate", "1mbit", "--rtt", "0"], "--rtt must be more than 0"),
        (&["--size=-1", "--rate", "1mbit", "--rtt", "1ms"], "is not a size"),
        (&["--size", "-5MB", "--rate", "1mbit", "--rtt", "1ms"], "is negative"),
        (&["--size", "1", "--rate", "5", "--rtt", "1ms"], "does not say bits or bytes"),
        (&["--size", "22Mb", "--rate", "1gbit", "--rtt", "1ms"], "does not say bits or bytes"),
        (&["--size", "22MB", "--rate", "100Mb/s", "--rtt", "1ms"], "does not say bits or bytes"),
        (
            &["--size", "9999999999GB", "--rate", "1gbit", "--rtt", "1ms"],
            "more than can be counted",
        ),
    ];
    for (args, part) in others {
        assert_one_sentence_error(&run(&[&["predict"], args].concat()), part);
    }
}

#[test]
fn a_sweep_is_drawn_into_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (svg, html) = (file("a.svg"), file("a.html"));
    let sweep = ["predict", "--size", "200K", "--rate", "100mbit", "--rtt", "20ms", "--sweep"];
    let more = ["rtt=1ms..400ms", "--sweep", "sndbuf=4K..16M", "--svg", &svg, "--html", &html];
    assert_eq!(code(&run(&[&sweep[..], &more[..]].concat())), 0);
    let picture = std::fs::read_to_string(&svg).unwrap();
    // The ground and a cell for each prediction.
    assert_eq!(picture.matches("<rect").count(), 1 + 12 * 24, "{picture}");
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg"), "{page}");
    assert_eq!(page.matches("<tr>").count(), 1 + 12 * 24);
    assert_one_sentence_error(&with(&["--svg", &svg]), "--sweep");
    let again = [&sweep[..], &["rtt=1ms..9ms", "--svg", &svg]].concat();
    assert_one_sentence_error(&run(&again), "is there already");
    assert_eq!(code(&run(&[&again[..], &["--force"]].concat())), 0);
    let nowhere = ["rtt=1ms..9ms", "--svg", "/nowhere/a.svg"];
    let output = run(&[&sweep[..], &nowhere[..]].concat());
    assert_one_sentence_error(&output, "cannot write /nowhere/a.svg");
}

#[test]
fn sysctls_are_read_and_never_guessed() {
    let clamped = "SO_SNDBUF is clamped in silence to net.core.wmem_max = 208 KiB";
    for kernel in ["6.1", "6.18"] {
        let text = stdout(&with(&["--sndbuf", "256K", "--kernel", kernel]));
        assert!(text.contains(clamped), "{text}");
    }
    // Four times as much as this is, too.
    let alternatives = |asked| stdout(&with(&["--sndbuf", asked])).contains(clamped);
    assert!(alternatives("64K") && !alternatives("32K"));
    let file = tempfile::NamedTempFile::new().unwrap();
    let saved = "kernel.osrelease = 5.15.0\nnet.core.wmem_max = 4194304\n";
    std::fs::write(file.path(), saved).unwrap();
    let from = ["--sndbuf", "256K", "--sysctls", file.path().to_str().unwrap()];
    assert!(!stdout(&with(&from)).contains("clamped"));
    let before = [&from[..], &["--sysctl", "wmem_max=130000"]].concat();
    assert!(stdout(&with(&before)).contains("clamped"), "--sysctl comes before the file");
    std::fs::write(file.path(), "hello").unwrap();
    assert_one_sentence_error(&with(&from), "no setting of TCP");
    #[cfg(target_os = "linux")]
    assert_eq!(code(&with(&["--host-sysctls"])), 0);
}

/// A burst has no rate, and what changes nothing brings no gain: neither is said.
#[test]
fn a_burst_is_no_rate_and_nothing_gained_is_no_gain() {
    let short = ["predict", "--size", "100KB", "--rate", "1gbit", "--rtt", "100ms", "--lang", "en"];
    let text = stdout(&run(&short));
    assert!(text.contains("\nmean rate 2.0 Mbit/s of 1.0 Gbit/s\n"), "{text}");
    assert!(text.contains(" no gain ") && !text.contains(" 1.0x"), "{text}");
    // Nor in a sweep: 2 Mbit/s of a gigabit is nothing.
    let cells = stdout(&run(&[&short[..], &["--sweep", "rtt=90ms..110ms"]].concat()));
    assert!(cells.contains(&format!("|{}|", ".".repeat(48))), "{cells}");
    let text = stdout(&run(&["predict", "--size", "22MB", "--rate", "100mbit", "--rtt", "20ms"]));
    assert!(text.contains(", steady 96."), "{text}");
}

/// The ten segments came with 2.6.39: three take a round trip more.
#[test]
fn old_kernels_start_with_three_segments() {
    let time = |kernel| {
        let path = ["--size", "14KB", "--rate", "1gbit", "--rtt", "100ms", "--kernel", kernel];
        let output = run(&[&["predict", "--json"], &path[..]].concat());
        serde_json::from_str::<serde_json::Value>(&stdout(&output)).unwrap()["time_ns"].as_i64()
    };
    assert_eq!(time("2.6.32"), time("2.6.18"));
    assert_eq!(time("2.6.39"), time("3.2"));
    assert!(time("2.6.38").unwrap() - time("2.6.39").unwrap() > 90_000_000);
}
