//! `tcpwhy check`: this host and saved ones, JSON by its schema, the drop-in, one sentence for bad input.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::*;

const SAVED: &str = "kernel.osrelease = 5.15.0-91-generic\nnet.ipv4.tcp_rmem = 4096\t131072\t6291456\n\
    net.ipv4.tcp_wmem = 4096\t16384\t4194304\nnet.core.rmem_max = 212992\nnet.core.wmem_max = 212992\n\
    net.ipv4.tcp_mem = 190000\t254000\t380000\nnet.ipv4.tcp_sack = 0\nnet.ipv4.tcp_moderate_rcvbuf = 1\n";
const PATH: [&str; 6] = ["--rate", "1gbit", "--rtt", "40ms", "--size", "20MB"];

fn saved(text: impl AsRef<[u8]>) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

fn check(file: &tempfile::NamedTempFile, more: &[&str]) -> std::process::Output {
    run(&[&["check", "--from", file.path().to_str().unwrap()], more].concat())
}

fn valid(text: &str) -> serde_json::Value {
    let schema = include_str!("../../../schema/tcpwhy.check-1.schema.json");
    let schema = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let value = serde_json::from_str(text).unwrap();
    let wrong: Vec<_> = schema.iter_errors(&value).map(|e| e.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    value
}

#[test]
fn a_saved_host_is_judged_over_a_path() {
    let file = saved(SAVED);
    let output = check(&file, &PATH);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    let text = stdout(&output);
    for part in [
        "Linux 5.15.0-91-generic",
        "net.ipv4.tcp_wmem: 4096 16384 4194304 -> 4096 16384 10485760",
        "held by slow start ",
        " of the time\n",
        "gain by the model: 20.0 MB in",
        "memory at worst: 6.0 MiB more a connection",
        "harms   net.ipv4.tcp_sack: 0 -> 1",
        "pressure at 992 MiB, at most 1.4 GiB",
        "net.ipv4.tcp_moderate_rcvbuf = 1: 1 lets",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Without a path nothing is known of buffers: that comes before any bill of health.
#[test]
fn without_a_path_it_is_said_first_what_was_not_looked_at() {
    let text = stdout(&check(&saved(SAVED.replace("tcp_sack = 0", "tcp_sack = 1")), &[]));
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    let not_looked = place("No path is known: only settings that harm every transfer");
    assert!(not_looked < place("Nothing that harms every transfer was found."), "{text}");
}

/// What `args` print on a terminal of so many columns.
#[cfg(target_os = "linux")]
fn on_a_terminal(columns: usize, args: &str) -> String {
    let command =
        format!("stty rows 24 cols {columns}; exec {} {args}", env!("CARGO_BIN_EXE_tcpwhy"));
    let script = ["-qec", &command, "/dev/null"];
    let output = std::process::Command::new("script")
        .args(script)
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    stdout(&output)
}

#[cfg(target_os = "linux")]
#[test]
fn lines_fit_a_terminal_and_stay_whole_in_a_pipe() {
    let file = saved(SAVED);
    let asked = format!("check --from {} {}", file.path().display(), PATH.join(" "));
    for (args, widest) in [(asked.as_str(), 66), ("lab list", 72)] {
        let wrapped = on_a_terminal(widest, args);
        let wide = wrapped.lines().find(|line| line.trim_end().chars().count() > widest);
        assert_eq!(wide, None, "{wrapped}");
        let whole = stdout(&run(&args.split(' ').collect::<Vec<_>>()));
        assert!(whole.lines().any(|line| line.chars().count() > 80), "{whole}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&wrapped), words(&whole));
    }
}

#[test]
fn a_check_speaks_chinese_and_its_json_does_not() {
    let file = saved(SAVED);
    let zh = |more: &[&str]| stdout(&check(&file, &[&PATH[..], &["--lang", "zh"], more].concat()));
    let text = zh(&[]);
    for part in [
        "发送缓冲区",
        "net.ipv4.tcp_wmem: 4096 16384 4194304 -> 4096 16384 10485760",
        "按模型的收益：20.0 MB 用时",
        "有害    net.ipv4.tcp_sack: 0 -> 1",
        "保持不变",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!["buffer", "held", "memory", "path"].iter().any(|w| text.contains(w)), "{text}");
    assert!(zh(&["--sysctl-conf"]).contains("\nnet.ipv4.tcp_sack = 1\n"));
    assert_eq!(zh(&["--json"]), stdout(&check(&file, &[&PATH[..], &["--json"]].concat())));
}

#[test]
fn json_follows_its_schema() {
    let value = valid(&stdout(&check(&saved(SAVED), &[&PATH[..], &["--json"]].concat())));
    let host = &value["hosts"][0];
    assert_eq!(host["findings"][0]["weight"], "limit");
    assert_eq!(host["host"]["rules_of"], "5.15");
    assert_eq!(host["host"]["tcp_mem_bytes"][2], 380_000_u64 * 4_096);
    assert_eq!(host["paths"][0]["bdp_bytes"], 5_000_000);
}

#[test]
fn the_drop_in_says_why_and_is_read_back() {
    let text = stdout(&check(&saved(SAVED), &[&PATH[..], &["--sysctl-conf"]].concat()));
    assert!(text.contains("\nnet.ipv4.tcp_sack = 1\n"), "{text}");
    assert!(
        text.contains("\n# net.core.wmem_max = "),
        "what helps some programs is a comment: {text}"
    );
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        assert!(line.starts_with("net.") && line.contains(" = "), "{line}");
    }
    // With its settings in place, nothing of it is left to say.
    let again =
        stdout(&check(&saved(format!("{SAVED}{text}")), &[&PATH[..], &["--json"]].concat()));
    let findings = valid(&again)["hosts"][0]["findings"].as_array().unwrap().clone();
    assert!(findings.iter().all(|f| f["weight"] == "note"), "{findings:#?}");
}

#[test]
fn a_case_folder_has_two_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let end = serde_json::json!({
        "kernel": "6.1.0", "effective": {"net.ipv4.tcp_rmem": "4096 131072 6291456"},
        "route": {"congestion": "reno", "initcwnd": 2, "initrwnd": null}, "device": {"name": "lab0", "mtu": 1500},
    });
    let text = serde_json::json!({"client": end, "server": end}).to_string();
    std::fs::write(folder.path().join("host.json"), text).unwrap();
    let args = ["check", "--json", "--from", folder.path().to_str().unwrap()];
    let value = valid(&stdout(&run(&[&args[..], &PATH[..]].concat())));
    assert_eq!(value["hosts"].as_array().unwrap().len(), 2);
    let found = value["hosts"][0]["findings"].as_array().unwrap();
    assert!(found.iter().any(|f| f["what"] == "initcwnd"), "{found:#?}");
    std::fs::write(folder.path().join("host.json"), "{}").unwrap();
    assert_one_sentence_error(&run(&args), "is not the host.json of a case folder");
}

/// A line of `samples.ndjson`: an established socket with this lowest round trip and delivery rate.
fn sample(host: &str, remote: &str, us: u32, bytes_per_second: u64) -> String {
    let mut info = [0u8; 280];
    info[0] = 1;
    info[16..20].copy_from_slice(&1_448u32.to_ne_bytes());
    info[148..152].copy_from_slice(&us.to_ne_bytes());
    info[160..168].copy_from_slice(&bytes_per_second.to_ne_bytes());
    let hex: String = info.iter().map(|b| format!("{b:02x}")).collect();
    format!(
        "{{\"host\":\"{host}\",\"local\":\"10.77.0.1:9\",\"remote\":\"{remote}\",\"tcp_info\":\"{hex}\",\"skmem\":[0,131072,0,87040]}}\n"
    )
}

#[test]
fn a_case_folders_sockets_are_paths() {
    let folder = tempfile::tempdir().unwrap();
    let end = serde_json::json!({"kernel": "6.18.1", "effective": {"net.ipv4.tcp_rmem": "4096 131072 6291456"}});
    let text = serde_json::json!({"client": end, "server": end}).to_string();
    std::fs::write(folder.path().join("host.json"), text).unwrap();
    let samples = [
        sample("client", "10.77.0.2:80", 50_000, 1_000_000),
        sample("client", "10.77.0.2:80", 40_000, 12_500_000),
        sample("server", "10.77.0.3:80", 1_000, 1_000_000),
        "{\"host\":\"client\"".to_owned(),
    ];
    std::fs::write(folder.path().join("samples.ndjson"), samples.concat()).unwrap();
    let args = ["check", "--json", "--from", folder.path().to_str().unwrap()];
    let value = valid(&stdout(&run(&args)));
    let paths = |host: usize| value["hosts"][host]["paths"].as_array().unwrap().clone();
    assert_eq!((paths(0).len(), paths(1).len()), (1, 1), "{value:#}");
    assert_eq!(paths(0)[0]["bdp_bytes"], 500_000, "the last sample counts: {value:#}");
}

/// A case folder comes from somebody else: a device behind a name of it would never end.
#[cfg(unix)]
#[test]
fn what_never_ends_is_not_read_of_a_case_folder() {
    let case = tempfile::tempdir().unwrap();
    let endless = |name| std::os::unix::fs::symlink("/dev/zero", case.path().join(name)).unwrap();
    let from = ["check", "--from", case.path().to_str().unwrap()];
    endless("samples.ndjson");
    endless("samples.000001.ndjson");
    let facts = r#"{"host":{"effective":{"net.ipv4.tcp_wmem":"4096 16384 4194304"}}}"#;
    std::fs::write(case.path().join("host.json"), facts).unwrap();
    assert_eq!(code(&run(&[&from[..], &PATH].concat())), 0);
    std::fs::remove_file(case.path().join("host.json")).unwrap();
    endless("host.json");
    assert_one_sentence_error(&run(&[&from[..], &PATH].concat()), "neither the host.json");
}

#[test]
fn a_folder_of_texts_is_as_many_hosts() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["check", "--json", "--from", folder.path().to_str().unwrap()];
    assert_one_sentence_error(&run(&args), "neither the host.json");
    for name in ["web1.sysctl", "sysctl-db.txt", "notes.txt"] {
        std::fs::write(folder.path().join(name), SAVED).unwrap();
    }
    let value = valid(&stdout(&run(&[&args[..], &PATH[..]].concat())));
    let names: Vec<_> =
        value["hosts"].as_array().unwrap().iter().map(|h| h["host"]["name"].as_str()).collect();
    assert_eq!(names.len(), 2);
    assert!(names[0].unwrap().ends_with("sysctl-db.txt"), "{names:?}");
    std::fs::write(folder.path().join("web2.sysctl"), "hello").unwrap();
    assert_one_sentence_error(&run(&args), "no setting of TCP");
}

#[test]
fn bad_input_is_one_sentence() {
    for (text, part) in [
        (&b"hello"[..], "no setting of TCP"),
        (b"", "no setting of TCP"),
        (b"\xff\xfe\x00\x00=\x00", "no setting of TCP"),
        (b"net.ipv4.tcp_rmem = lots", "net.ipv4.tcp_rmem"),
        (b"net.ipv4.tcp_rmem = 1 2 99999999999999999999999", "net.ipv4.tcp_rmem"),
        (b"net.core.wmem_max = -5", "net.core.wmem_max"),
    ] {
        assert_one_sentence_error(&check(&saved(text), &PATH), part);
    }
    let cases: [(&[&str], &str); 11] = [
        (&["--rate", "1gbit"], "both --rate and --rtt"),
        (&["--rate", "0mbit", "--rtt", "1ms"], "--rate must be more than 0"),
        (&["--rate", "1mbit", "--rtt", "0"], "--rtt must be more than 0"),
        (&["--rate", "100", "--rtt", "1ms"], "does not say bits or bytes"),
        (&["--rate", "1mbit", "--rtt", "-1ms"], "is negative"),
        (&["--from", "/nowhere/at/all"], "cannot read /nowhere/at/all"),
        (&["--port", "70000", "--peer", "x"], "70000"),
        (&["--json", "--sysctl-conf"], "--sysctl-conf"),
        (&["--kernel", "6.1"], "--from"),
        (&["--loss", "100%"], "no packet arrives"),
        (&["--peer", ""], "--peer needs a name"),
    ];
    for (args, part) in cases {
        assert_one_sentence_error(&run(&[&["check"], args].concat()), part);
    }
    let sack = saved("net.ipv4.tcp_sack=1");
    for kernel in ["new", "0.0", "6"] {
        assert_one_sentence_error(
            &check(&sack, &["--kernel", kernel]),
            "is not a kernel's version",
        );
    }
    for path in [
        ["--rate", "1gbit", "--rtt", "99999h", "--size", "1MB"],
        ["--rate", "1bit", "--rtt", "40ms", "--size", "1MB"],
        ["--loss", "99%", "--rate", "1gbit", "--rtt", "40ms"],
    ] {
        assert_one_sentence_error(&check(&sack, &path), "no transfer over this path moves");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn this_host_and_a_peer_are_read() {
    let value = valid(&stdout(&run(&[&["check", "--json"], &PATH[..]].concat())));
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    assert_eq!(value["hosts"][0]["host"]["kernel"], release.trim());
    assert!(value["hosts"][0]["host"]["memory_bytes"].as_u64() > Some(0));
    // A port of the loopback that refuses tells the round trip all the same.
    let peer = [
        "check",
        "--json",
        "--peer",
        "127.0.0.1",
        "--port",
        "1",
        "--rate",
        "1gbit",
        "--size",
        "1MB",
    ];
    let value = valid(&stdout(&run(&peer)));
    let path = &value["hosts"][0]["paths"][0];
    assert_eq!((&path["rtt_from"], &path["route"]["device"]), (&"connect".into(), &"lo".into()));
}

#[test]
#[cfg(not(target_os = "linux"))]
fn this_host_is_for_linux_only() {
    assert_one_sentence_error(&run(&["check"]), "on Linux only");
}
