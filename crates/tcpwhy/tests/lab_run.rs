//! `tcpwhy lab list`, `run` and `sweep`: the binary, with real namespaces where they are allowed; says `skipped:` where not.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

use std::process::{Command, Output};

fn lab(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tcpwhy")).arg("lab").args(args).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Whether this machine has no lab: then why is printed.
fn cannot(output: &Output) -> bool {
    let said = said(output);
    let cannot = ["network namespace", "/dev/net/tun"].iter().any(|w| said.contains(w));
    if cannot && output.status.code() == Some(2) {
        eprintln!("skipped: {said}");
        return true;
    }
    false
}

#[test]
fn a_run_is_judged_right_and_keeps_its_case() {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case");
    let path = case.display().to_string();
    let output = lab(&["run", "send-buffer-16k-20ms", "--set", "phase.0.bytes=600KB", "-o", &path]);
    if cannot(&output) {
        return;
    }
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        said(&output)
    );
    for file in [
        "scenario.toml",
        "host.json",
        "client.pcapng",
        "middle.pcapng",
        "server.pcapng",
        "samples.ndjson",
        "app.ndjson",
        "link.json",
        "busy.ndjson",
        "truth.json",
        "result.json",
    ] {
        assert!(case.join(file).metadata().unwrap().len() > 0, "{file} is empty");
    }
    let truth: serde_json::Value =
        serde_json::from_slice(&std::fs::read(case.join("truth.json")).unwrap()).unwrap();
    let timeline = truth["directions"][0]["timeline"].as_array().unwrap();
    let held = |limit: &str| -> i64 {
        let of = |i: &&serde_json::Value| i["limit"] == limit;
        timeline
            .iter()
            .filter(of)
            .map(|i| i["to_ns"].as_i64().unwrap() - i["from_ns"].as_i64().unwrap())
            .sum()
    };
    assert!(held("send_buffer") > held("congestion_window"), "{timeline:?}");
    // A second run must not mix with the first.
    let again = lab(&["run", "send-buffer-16k-20ms", "-o", &path]);
    assert_eq!(again.status.code(), Some(2));
    assert!(said(&again).contains("is not empty"), "{}", said(&again));
}

#[test]
fn a_scenario_that_expects_nothing_has_a_verdict_that_is_neither_right_nor_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join("own.toml");
    let text = String::from_utf8(lab(&["list", "send-buffer-16k-20ms"]).stdout).unwrap();
    std::fs::write(&own, text.split("[[expect]]").next().unwrap()).unwrap();
    let output = lab(&["run", own.to_str().unwrap(), "--set", "phase.0.bytes=600KB"]);
    if cannot(&output) {
        return;
    }
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    // Which limit it is depends on how busy the machine is.
    assert!(said.contains("sender     verdict: "), "{said}");
    assert!(!said.contains("right") && !said.contains("wrong"), "{said}");
}

#[test]
fn a_sweep_writes_a_row_for_each_combination_and_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let args = [
        "sweep",
        "slow-start-100ms",
        "--set",
        "link.rtt=2ms,4ms",
        "--set",
        "phase.0.bytes=20KB",
        "-o",
        &path,
    ];
    let first = lab(&args);
    if cannot(&first) {
        return;
    }
    assert_eq!(first.status.code(), Some(0), "{}", said(&first));
    let table = std::fs::read_to_string(folder.path().join("sweep.csv")).unwrap();
    assert_eq!(table.lines().count(), 3, "{table}");
    assert!(table.lines().nth(1).unwrap().starts_with("2ms,20KB,20000,"), "{table}");
    // Kept results are the same to the last digit; runs are not.
    assert_eq!(lab(&args).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(folder.path().join("sweep.csv")).unwrap(), table);
}

#[test]
fn several_runs_of_a_sweep_at_once_have_their_rows_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display().to_string();
    let sizes = ["--set", "phase.0.bytes=20KB,30KB", "--set", "link.rtt=2ms,4ms", "-o", &path];
    let output = lab(&[&["sweep", "slow-start-100ms", "--jobs", "3"], &sizes[..]].concat());
    if cannot(&output) {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let table = std::fs::read_to_string(folder.path().join("sweep.csv")).unwrap();
    let heads: Vec<Vec<&str>> =
        table.lines().skip(1).map(|l| l.split(",").take(2).collect()).collect();
    let expected: [Vec<&str>; 4] =
        [vec!["20KB", "2ms"], vec!["20KB", "4ms"], vec!["30KB", "2ms"], vec!["30KB", "4ms"]];
    assert_eq!(heads, expected);
    let map = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(map.lines().count() == 3 && map.contains("phase.0.bytes=30KB"), "{map}");
    assert!(said(&output).contains(" left)"), "progress tells the time left: {}", said(&output));
}

#[test]
fn a_killed_run_leaves_a_folder_only_until_the_next_one() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tcpwhy"));
        command.args(["lab", "run"]).args(args).env("TMPDIR", folder.path());
        command.stdout(std::process::Stdio::null());
        command
    };
    let left = || std::fs::read_dir(folder.path()).unwrap().count();
    let slow = ["slow-start-100ms", "--set", "phase.0.before=60s"];
    let mut killed = run(&slow).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while left() == 0 && killed.try_wait().unwrap().is_none() && std::time::Instant::now() < end {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    killed.kill().unwrap();
    let output = killed.wait_with_output().unwrap();
    if cannot(&output) {
        return;
    }
    assert_eq!(left(), 1);
    let next = run(&["slow-start-100ms", "--set", "phase.0.bytes=20KB"]).output().unwrap();
    assert!(matches!(next.status.code(), Some(0 | 1)), "{}", said(&next));
    assert_eq!(left(), 0);
}

#[test]
fn a_case_is_never_written_over_something_else() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "mine").unwrap();
    let run = |place: &std::path::Path| {
        lab(&["run", "slow-start-100ms", "-o", &place.display().to_string()])
    };
    for place in [folder.path(), &file, &file.join("case"), std::path::Path::new("/proc/case")] {
        let output = run(place);
        if cannot(&output) {
            return;
        }
        assert_eq!(output.status.code(), Some(2), "{place:?}");
        assert_eq!(said(&output).lines().count(), 1, "{}", said(&output));
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    // A name that would lead out of a folder of several cases.
    let parent = folder.path().join("...toml");
    std::fs::write(&parent, "title = 'x'\n[[phase]]\nfrom = 'server'\nbytes = 9\n").unwrap();
    let output = lab(&["run", &parent.display().to_string(), "slow-start-100ms"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("is no name for a scenario"), "{}", said(&output));
}

#[test]
fn a_program_that_is_not_there_skips_its_scenario_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing.toml");
    let text = "title = 'x'\n[[program]]\non = 'client'\ncommand = ['no-such-program-77']\n";
    std::fs::write(&path, text).unwrap();
    let output = lab(&["run", &path.display().to_string()]);
    if cannot(&output) {
        return;
    }
    assert_eq!(output.status.code(), Some(2));
    let said = said(&output);
    assert!(said.contains("no-such-program-77 is not installed"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn what_is_wrong_is_one_sentence_and_exit_code_2() {
    let cases: [(&[&str], &str); 11] = [
        (&["run", "send-buffer-16k-20ms", "--set", "phase.0.bytes=1e99GB"], "is not a size"),
        (&["run", "send-buffer-16k-20ms", "--set", "phase.9.bytes=1"], "leads nowhere"),
        (&["run", "send-buffer-16k-20ms", "--set", "=\n="], "sets nothing"),
        (&["run", "../scenarios"], "there is no scenario"),
        (&["run", "/proc/self/mem.toml"], "cannot read"),
        (&["sweep", "slow-start-100ms", "--set", "link.rtt=1ms", "--jobs", "0"], "0 is not in"),
        (&["run", "nosuch"], "there is no scenario \"nosuch\""),
        (&["run", "send-buffer-16k-20ms", "--set", "link.colour=1"], "unknown field `colour`"),
        (&["run", "send-buffer-16k-20ms", "--set", "rtt"], "sets nothing"),
        (&["sweep", "send-buffer-16k-20ms", "--set", "link.rtt=9ms..1ms"], "is no range"),
        (&["list", "nosuch"], "there is no scenario"),
    ];
    for (args, expected) in cases {
        let output = lab(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = said(&output);
        assert!(said.contains(expected) && said.lines().count() == 1, "{args:?}: {said}");
    }
}

#[test]
fn the_list_names_every_scenario_and_prints_one() {
    let list = String::from_utf8(lab(&["list"]).stdout).unwrap();
    assert!(list.lines().count() >= 50, "{list}");
    let line = list.lines().find(|l| l.starts_with("send-buffer-16k-20ms ")).unwrap();
    assert!(line.contains(" A ") && line.contains("SO_SNDBUF of 16K"), "{line}");
    let one = String::from_utf8(lab(&["list", "send-buffer-16k-20ms"]).stdout).unwrap();
    assert!(one.contains("sndbuf = \"16K\""), "{one}");
}

#[test]
fn without_root_a_run_is_the_same() {
    // The binary may lie where only root can go.
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let copy = folder.path().join("tcpwhy");
    std::fs::copy(env!("CARGO_BIN_EXE_tcpwhy"), &copy).unwrap();
    let open = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(folder.path(), open(0o777)).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(&copy)
        .args(["lab", "run", "send-buffer-16k-20ms", "--set", "phase.0.bytes=600KB"])
        .env("TMPDIR", folder.path())
        .output();
    match output {
        Ok(output) if cannot(&output) => {}
        Ok(output) if said(&output).starts_with("setpriv:") => {
            eprintln!("skipped: {}", said(&output))
        }
        Ok(output) => assert_eq!(output.status.code(), Some(0), "{}", said(&output)),
        Err(e) => eprintln!("skipped: setpriv: {e}"),
    }
}

#[test]
fn a_transfer_that_does_not_end_is_said_to_have_been_cut_short() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hole.toml");
    let text = "title = 'x'\n[link]\nmtu = 100\n[flow]\ngive_up = '1s'\n\
                [[phase]]\nfrom = 'server'\nbytes = '100KB'\n";
    std::fs::write(&path, text).unwrap();
    let output = lab(&["run", &path.display().to_string()]);
    if cannot(&output) {
        return;
    }
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("0 B of 100 kB had arrived: given up"), "{shown}{}", said(&output));
}

#[test]
fn a_score_of_no_runs_is_refused() {
    let output = lab(&["score", "--only", "no-such-run"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("no run has such a name"), "{}", said(&output));
}

#[test]
fn transfers_at_once_are_told_what_they_carry_together() {
    let folder = tempfile::tempdir().unwrap();
    let case = folder.path().join("case");
    let set = ["--set", "link.rate=50mbit", "--set", "flow.count=4"];
    let output = lab(&[&["run", "many-flows", "-o", case.to_str().unwrap()], &set[..]].concat());
    if cannot(&output) {
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for end in ["client", "middle", "server"] {
        let capture = case.join(end).with_extension("pcapng");
        let explain = [std::path::Path::new("explain"), std::path::Path::new("--json"), &capture];
        let json =
            Command::new(env!("CARGO_BIN_EXE_tcpwhy")).args(explain).output().unwrap().stdout;
        let answer: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let findings = answer["connections"].as_array().unwrap().iter().flat_map(|connection| {
            let findings = connection["findings"].as_array().unwrap();
            findings.iter().filter(|finding| finding["kind"] == "shared_path")
        });
        let found: Vec<_> = findings.collect();
        assert!(found.len() >= 2, "at the {end}: {answer}");
        for finding in found {
            assert_eq!(finding["count"], 3);
            let rate = finding["value"].as_u64().unwrap();
            // A busy machine's link is slower; what a lost packet kept back arrives at once.
            assert!((30_000_000..55_000_000).contains(&rate), "at the {end}: {finding}");
        }
    }
}
