//! The command line: help, errors, exit codes, pipes and colours.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::*;
use std::io::Write;
use std::process::Stdio;

#[test]
fn nothing_asked_shows_the_short_help() {
    let output = run(&[]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    assert!(stderr(&output).contains("Usage: tcpwhy [explain] [OPTIONS] FILE..."));
}

#[test]
fn help_shows_worked_examples_and_exit_codes() {
    for args in [&["--help"][..], &["-h"], &["explain", "--help"]] {
        let output = run(args);
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
        let text = stdout(&output);
        assert!(text.contains("tcpwhy slow.pcapng --conn 3 -v"), "{text}");
        assert!(text.contains("Exit status:"), "{text}");
    }
}

#[test]
fn bad_command_lines_are_one_sentence() {
    let file = std::env::temp_dir();
    let file = file.to_str().unwrap();
    let cases: [(&[&str], &str); 13] = [
        (&["--jsno", file], "--jsno"),
        (&["--json", "--csv", file], "cannot be used with"),
        (&["--json"], "name a capture"),
        (&["explain"], "name a capture"),
        (&["--since", "yesterday", file], "2026-01-02T03:04:05Z"),
        (&["--until", "-3", file], "2026-01-02T03:04:05Z"),
        (&["--host", "example.com", file], "--host <ADDR>': expected an IP address"),
        (&["--port", "65536", file], "'65536' for '--port <PORT>': expected a number from 0"),
        (&["--port", "https", file], "expected a number from 0"),
        (&["--conn", "two", file], "expected a number, as tcpwhy"),
        (&["--since", "5", "--until", "2", file], "--until is not after --since"),
        (&["--since", "1", "--until", "1s", file], "--until is not after --since"),
        (&["report", "--since", "5s", "--until", "2s", file], "--until is not after --since"),
    ];
    for (args, part) in cases {
        assert_one_sentence_error(&run(args), part);
    }
}

#[test]
fn a_verb_without_its_own_verb_shows_which_there_are() {
    let output = run(&["lab"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    assert!(stderr(&output).contains("Usage: tcpwhy lab <COMMAND>"), "{}", stderr(&output));
}

#[test]
fn a_missing_file_and_a_file_that_is_no_capture_are_named() {
    assert_one_sentence_error(&run(&["no/such.pcap"]), "no/such.pcap");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("poem.txt");
    std::fs::write(&path, "Roses are red, violets are blue, this is no capture.\n").unwrap();
    assert_one_sentence_error(&run(&[path.to_str().unwrap()]), "poem.txt");
}

#[test]
fn a_link_type_that_cannot_be_read_is_named() {
    let mut pcap = Pcap::new(189);
    pcap.packet(&[0; 64]);
    let output = run_on(&pcap.finish(), &["-"]);
    assert_one_sentence_error(&output, "standard input: cannot read link type USB_LINUX (189)");
}

#[test]
fn without_tcp_there_is_nothing_to_analyse() {
    let mut pcap = Pcap::new(1);
    pcap.packet(&udp());
    for capture in [pcap.finish(), Pcap::new(1).finish()] {
        let output = run_on(&capture, &["-"]);
        assert_eq!((code(&output), stdout(&output).as_str()), (1, ""));
        let said = stderr(&output);
        assert!(said.contains("tcpwhy: nothing to analyse"), "{said}");
        assert!(!said.contains("time asked for"), "nobody asked for a time: {said}");
    }
}

#[test]
fn without_a_match_there_is_nothing_to_analyse() {
    for args in [
        ["--port", "3307"],
        ["--host", "10.0.0.3"],
        ["--conn", "1"],
        ["--since", "100"],
        ["--until", "2020-01-01T00:00:00Z"],
    ] {
        let output = run_on(&transfer(), &["-", args[0], args[1]]);
        assert_eq!(code(&output), 1, "{args:?} {}", stderr(&output));
    }
    for args in [
        ["--port", "3306"],
        ["--host", "::ffff:10.0.0.2"],
        ["--conn", "0"],
        ["--since", "0.01s"],
        ["--until", "2027-01-01T00:00:00Z"],
    ] {
        let output = run_on(&transfer(), &["-", args[0], args[1]]);
        assert_eq!(code(&output), 0, "{args:?} {}", stderr(&output));
    }
}

#[test]
fn a_capture_cut_in_the_middle_gives_the_partial_answer_and_exit_code_2() {
    let whole = transfer();
    let output = run_on(&whole[..whole.len() / 2], &["-"]);
    assert_eq!(code(&output), 2);
    assert!(stdout(&output).contains("Connection 0"), "{}", stdout(&output));
    assert!(stderr(&output).contains("damaged"), "{}", stderr(&output));
}

#[test]
fn the_verb_may_be_left_out_and_a_file_may_bear_its_name() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("explain"), transfer()).unwrap();
    let expected = stdout(&tcpwhy().current_dir(&dir).arg("./explain").output().unwrap());
    assert!(expected.contains("Connection 0"), "{expected}");
    for args in [&["explain"][..], &["explain", "explain"], &["explain", "./explain"]] {
        let output = tcpwhy().current_dir(&dir).args(args).output().unwrap();
        assert_eq!(code(&output), 0, "{args:?} {}", stderr(&output));
        assert!(stdout(&output).contains("Connection 0"), "{args:?}");
    }
}

#[test]
fn help_is_a_subcommand_and_a_file_may_bear_its_name() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["help", "check"] {
        std::fs::write(dir.path().join(name), transfer()).unwrap();
        for args in [&["explain", name][..], &[&format!("./{name}")], &["--", name]] {
            let output = tcpwhy().current_dir(&dir).args(args).output().unwrap();
            assert_eq!(code(&output), 0, "{args:?} {}", stderr(&output));
        }
    }
    for (args, usage) in [
        (&["help"][..], "Usage: tcpwhy [explain]"),
        (&["help", "report"], "Usage: tcpwhy report"),
        (&["--color", "never", "help", "lab", "run"], "Usage: tcpwhy lab run"),
    ] {
        let output = tcpwhy().current_dir(&dir).args(args).output().unwrap();
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
        assert!(stdout(&output).contains(usage), "{args:?} {}", stdout(&output));
    }
}

#[test]
fn a_mistyped_subcommand_is_told_from_a_missing_file() {
    for (args, meant) in [
        (&["liv"][..], "liv: there is no such file; did you mean tcpwhy live?"),
        (&["chekc", "--rate", "1gbit"], "did you mean tcpwhy check?"),
        (&["--color", "never", "pred"], "did you mean tcpwhy predict?"),
    ] {
        assert_one_sentence_error(&run(args), meant);
    }
    for missing in ["nosuch", "live.pcap", "./liv"] {
        let output = run(&[missing]);
        assert_one_sentence_error(&output, missing);
        assert!(!stderr(&output).contains("did you mean"), "{}", stderr(&output));
    }
}

#[test]
fn options_may_stand_before_the_subcommand() {
    let path = ["--rate", "1gbit", "--rtt", "40ms", "--size", "1MB"];
    let said = |args: &[&str]| stdout(&run(&[args, &path[..]].concat()));
    let chinese = said(&["predict", "--lang", "zh"]);
    assert!(!chinese.is_empty());
    assert_eq!(said(&["--lang", "zh", "predict"]), chinese);
    assert_eq!(said(&["--lang=zh", "predict"]), chinese);
    assert_one_sentence_error(&run(&["--csv", "report", "x"]), "(see tcpwhy report --help)");
    // A value is none, nor is what comes after a file.
    assert_one_sentence_error(&run(&["--color", "live", "x"]), "'live' for '--color");
    assert_one_sentence_error(&run(&["no.pcap", "check"]), "no.pcap");
}

#[test]
fn a_wrong_value_is_explained_where_help_on_it_is_found() {
    let cases: [(&[&str], &str, &str); 7] = [
        (&["predict", "--rate", "100"], "does not say bits or bytes", "predict"),
        (&["agent", "--top", "-1"], "'-1' for '--top <K>'", "agent"),
        (&["live", "--interval", "-1s"], "\"-1s\" is negative", "live"),
        (&["live", "--port", "abc"], "expected a number from 1 to 65535", "live"),
        (&["live", "--pid", "abc"], "expected a whole number that is not negative", "live"),
        (&["report", "--charts", "-2"], "'-2' for '--charts <N>': expected", "report"),
        (&["report", "--charts", "99999999999999999999"], "too large a number", "report"),
    ];
    for (args, part, command) in cases {
        let output = run(args);
        assert_one_sentence_error(&output, part);
        let end = format!("(see tcpwhy {command} --help)\n");
        assert!(stderr(&output).ends_with(&end), "{}", stderr(&output));
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    for format in ["--all", "--json", "--ndjson", "--csv"] {
        let mut child = tcpwhy()
            .args(["-", format])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Closed before there is anything to write.
        drop(child.stdout.take());
        child.stdin.take().unwrap().write_all(&transfer()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{format}");
    }
}

#[test]
fn colours_only_where_they_are_wanted() {
    let colourful = |args: &[&str], env: &[&str]| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.pcap");
        std::fs::write(&path, transfer()).unwrap();
        let mut command = tcpwhy();
        command.arg(&path).args(args).envs(env.iter().map(|name| (name, "1")));
        stdout(&command.output().unwrap()).contains('\u{1b}')
    };
    assert!(!colourful(&[], &[]), "a pipe");
    assert!(colourful(&["--color", "always"], &["NO_COLOR"]), "asked for");
    assert!(colourful(&[], &["CLICOLOR_FORCE"]));
    assert!(!colourful(&[], &["CLICOLOR_FORCE", "NO_COLOR"]));
    assert!(!colourful(&["--color", "never"], &["CLICOLOR_FORCE"]));
}

#[test]
fn people_are_answered_in_their_language_and_programs_in_english() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.pcap");
    // Damaged, so that there is a warning, too.
    std::fs::write(&path, &transfer()[..4000]).unwrap();
    let said = |args: &[&str], env: &[(&str, &str)]| {
        let mut command = tcpwhy();
        command.arg(&path).args(args).envs(env.iter().copied());
        stdout(&command.output().unwrap())
    };
    let chinese = |text: &str| text.contains(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let zh = [("LANG", "zh_CN.UTF-8")];
    assert!(!chinese(&said(&[], &[])));
    let text = said(&[], &zh);
    assert!(text.contains("\n注意：") && text.contains("时间花在哪里"), "{text}");
    assert!(!text.contains("Note:") && !text.contains("What to do"), "{text}");
    assert_eq!(text, said(&["--lang", "zh"], &[]));
    assert!(!chinese(&said(&[], &[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")])));
    assert!(!chinese(&said(&["--lang", "en"], &zh)));
    for format in ["--json", "--ndjson", "--csv"] {
        assert!(!chinese(&said(&[format], &zh)), "{format}");
    }
    for format in ["--json", "--ndjson"] {
        assert!(chinese(&said(&[format, "--lang", "zh"], &[])), "{format}");
    }
}

#[test]
fn round_trips_that_stay_when_nobody_thinks_are_told_beside_what_that_gains() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus");
    let text = stdout(&run(&[&format!("{corpus}/chatty-50x-20ms.sender.pcap.gz")]));
    assert!(text.contains("no thinking, still 50 turns"), "{text}");
}

/// `kill` stands in for the terminal, which interrupts the capturing program, too.
#[cfg(unix)]
#[test]
fn ctrl_c_on_a_capture_from_standard_input_still_gets_its_answer() {
    let mut child = tcpwhy()
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let capture = transfer();
    let (first, rest) = capture.split_at(capture.len() / 2);
    stdin.write_all(first).unwrap();
    // Until it has begun to read, there may be no handler yet.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    stdin.write_all(rest).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stdout(&output).contains("Connection 0"), "{}", stdout(&output));
}
