//! `tcpwhy report` through the binary: what it takes, what it writes, and what it refuses.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::{assert_one_sentence_error, code, run, stderr, stdout, transfer};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder with `slow.pcap` in it, and how to name a file in it.
fn scratch() -> (TempDir, impl Fn(&str) -> String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let name = move |file: &str| path.join(file).display().to_string();
    fs::write(name("slow.pcap"), transfer()).unwrap();
    (folder, name)
}

/// A sample of the server's socket of [`transfer`], so many milliseconds after its start.
fn sample(ms: u64) -> String {
    let mut info = [0u8; 104];
    info[16..20].copy_from_slice(&1448u32.to_ne_bytes());
    info[76..80].copy_from_slice(&0x7fff_ffffu32.to_ne_bytes());
    info[80..84].copy_from_slice(&10u32.to_ne_bytes());
    let hex: String = info.iter().map(|b| format!("{b:02x}")).collect();
    let t = 1_767_323_045_000_000_000 + ms * 1_000_000;
    format!(
        "{{\"t_ns\":{t},\"host\":\"server\",\"local\":\"10.0.0.1:3306\",\"remote\":\"10.0.0.2:51234\",\"rqueue\":0,\
         \"wqueue\":1448,\"tcp_info\":\"{hex}\",\"skmem\":[0,131072,0,16384,0,2304,0,0,0],\"cookie\":1}}\n"
    )
}

#[test]
fn a_case_folder_is_its_senders_capture_with_the_samples() {
    let (_folder, name) = scratch();
    fs::create_dir(name("case")).unwrap();
    fs::write(name("case/server.pcapng"), transfer()).unwrap();
    fs::write(name("case/samples.ndjson"), (5..100).map(sample).collect::<String>()).unwrap();
    let judged = r#"{"judgements":[{"from":"server","at_sender":true}]}"#;
    fs::write(name("case/result.json"), judged).unwrap();
    let page = run(&["report", &name("case"), "-o", &name("case.html")]);
    assert_eq!(code(&page), 0, "{}", stderr(&page));
    let drawn = run(&["report", &name("case"), "--chart", "samples", "--svg", "-"]);
    assert_eq!(code(&drawn), 0, "{}", stderr(&drawn));
    assert!(stdout(&drawn).contains("What the sockets held"));
    let beside = run(&["report", &name("case"), &name("slow.pcap"), "-o", "-"]);
    assert_one_sentence_error(&beside, "name it alone");
}

#[test]
fn a_case_folder_without_a_capture_is_refused() {
    let (_folder, name) = scratch();
    fs::create_dir(name("case")).unwrap();
    fs::write(name("case/samples.ndjson"), "").unwrap();
    let refused = run(&["report", &name("case"), "-o", "-"]);
    assert_one_sentence_error(&refused, "no packets to draw");
}

#[test]
fn an_analysis_makes_a_page_of_the_connections_that_are_selected() {
    let (_folder, name) = scratch();
    let json = run(&[&name("slow.pcap"), "--json"]);
    fs::write(name("slow.json"), &json.stdout).unwrap();
    let page = run(&["report", &name("slow.json"), "-o", "-"]);
    assert_eq!(code(&page), 0, "{}", stderr(&page));
    assert!(stdout(&page).contains("id=\"analysis-1\""));
    assert!(!stdout(&page).contains("id=\"picture-1-0\""), "it has no packets");
    let none = run(&["report", &name("slow.json"), "--conn", "7", "-o", "-"]);
    assert_eq!((code(&none), stdout(&none).as_str()), (1, ""));
    let cut = run(&["report", &name("slow.json"), "--since", "1", "-o", "-"]);
    assert_one_sentence_error(&cut, "no packets to choose from");
    let drawn = run(&["report", &name("slow.json"), "--svg", "-"]);
    assert_one_sentence_error(&drawn, "no packets to draw");
}

#[test]
fn other_json_is_refused() {
    let (_folder, name) = scratch();
    for (file, text, told) in [
        ("other.json", "{\"schema\":\"something/1\"}", "not a tcpwhy.analysis/1 object"),
        ("lines.json", "{}\n{}\n", "more than one object"),
        ("bare.json", "{\"schema\":\"tcpwhy.analysis/1\"}", "not a tcpwhy.analysis/1 object"),
        ("list.json", "{\"schema\":\"tcpwhy.analysis/1\",\"source\":{}}", "no list of connections"),
        (
            "entry.json",
            "{\"schema\":\"tcpwhy.analysis/1\",\"source\":{},\"connections\":[1]}",
            "entry 0 of its connections is none",
        ),
    ] {
        fs::write(name(file), text).unwrap();
        assert_one_sentence_error(&run(&["report", &name(file), "-o", "-"]), told);
    }
    assert_one_sentence_error(&run(&["report", &name("no.json"), "-o", "-"]), "no.json");
}

#[test]
fn an_analysis_that_no_browser_would_show_is_not_read_to_its_end() {
    let (_folder, name) = scratch();
    // Its bytes were never written: no disk is filled.
    fs::File::create(name("huge.json")).unwrap().set_len(1 << 30).unwrap();
    assert_one_sentence_error(
        &run(&["report", &name("huge.json"), "-o", "-"]),
        "larger than a page",
    );
}

#[test]
fn two_captures_stand_on_one_page() {
    let (_folder, name) = scratch();
    fs::write(name("after.pcap"), transfer()).unwrap();
    let page = run(&["report", &name("slow.pcap"), "--compare", &name("after.pcap"), "-o", "-"]);
    assert_eq!(code(&page), 0, "{}", stderr(&page));
    for id in ["analysis-1", "picture-1-0", "analysis-2", "picture-2-0"] {
        assert!(stdout(&page).contains(&format!("id=\"{id}\"")), "{id}");
    }
}

#[test]
fn one_chart_is_written_and_nothing_is_replaced_unasked() {
    let (folder, name) = scratch();
    let draw = |more: &[&str]| {
        let (capture, svg) = (name("slow.pcap"), name("flight.svg"));
        let args = ["report", &capture, "--chart", "flight", "--svg", &svg];
        run(&[args.as_slice(), more].concat())
    };
    assert_eq!(code(&draw(&[])), 0);
    assert!(fs::read_to_string(name("flight.svg")).unwrap().starts_with("<svg"));
    assert_one_sentence_error(&draw(&[]), "is there already");
    assert_eq!(code(&draw(&["--force"])), 0);
    let files: Vec<PathBuf> =
        fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().path()).collect();
    assert_eq!(files.len(), 2, "a chart, and no page beside it: {files:?}");
}

#[test]
fn an_input_is_never_written_over() {
    let (_folder, name) = scratch();
    let capture = name("slow.pcap");
    fs::create_dir(name("ring")).unwrap();
    fs::write(name("ring/other.pcap"), transfer()).unwrap();
    fs::hard_link(&capture, name("same.pcap")).unwrap();
    let refused = |args: &[&str]| {
        assert_one_sentence_error(&run(&[&["report", "-f"], args].concat()), "is an input");
    };
    refused(&[&capture, "-o", &capture]);
    refused(&[&capture, "-o", &name("same.pcap")]);
    refused(&[&capture, "--svg", &name("ring/../slow.pcap")]);
    refused(&[&capture, "--svg", &name("a.svg"), "--png", &capture]);
    refused(&[&capture, "--compare", &name("ring"), "-o", &name("ring/other.pcap")]);
    for file in [capture, name("same.pcap"), name("ring/other.pcap")] {
        assert_eq!(fs::read(&file).unwrap(), transfer(), "{file}");
    }
    // A page beside the captures of a directory is none of them.
    for _ in 0..2 {
        let page = run(&["report", "-f", &name("ring"), "-o", &name("ring/page.html")]);
        assert_eq!(code(&page), 0, "{}", stderr(&page));
    }
}

#[test]
fn two_pictures_are_two_files() {
    let (_folder, name) = scratch();
    let (capture, picture) = (name("slow.pcap"), name("a"));
    for [svg, png] in [[picture.as_str(), &name("./a")], ["-", "-"], ["-", "/dev/stdout"]] {
        let both = run(&["report", &capture, "--svg", svg, "--png", png]);
        assert_one_sentence_error(&both, "cannot be written twice");
    }
    assert!(!PathBuf::from(picture).exists());
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_pipes_are_written_to() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let (folder, name) = scratch();
    let capture = name("slow.pcap");
    let page = |to: &str, more: &[&str]| run(&[&["report", &capture, "-o", to][..], more].concat());
    symlink("page.html", name("link.html")).unwrap();
    assert_eq!(code(&page(&name("link.html"), &[])), 0, "it leads to nothing yet");
    assert_one_sentence_error(&page(&name("link.html"), &[]), "is there already");
    assert_eq!(code(&page(&name("link.html"), &["-f"])), 0);
    assert!(fs::symlink_metadata(name("link.html")).unwrap().is_symlink());
    let whole = fs::read_to_string(name("page.html")).unwrap();
    assert_eq!(stdout(&page("/dev/stdout", &[])), whole);

    let pipe = name("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    assert_eq!(code(&page(&pipe, &[])), 0);
    assert_eq!(reader.join().unwrap(), whole);
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    assert_one_sentence_error(&page(&folder.path().display().to_string(), &["-f"]), "directory");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "nothing is left beside them");
}

#[test]
fn lines_of_a_case_that_cannot_be_read_are_damage_and_the_rest_is_used() {
    let (_folder, name) = scratch();
    fs::create_dir(name("case")).unwrap();
    fs::write(name("case/server.pcapng"), transfer()).unwrap();
    let samples = (5..100).map(sample).collect::<String>();
    for (end, cut) in [("", false), ("{\"t_ns\":", true)] {
        fs::write(name("case/samples.ndjson"), format!("{samples}{end}")).unwrap();
        let told = "samples.ndjson: 1 line cannot be read, and was left out";
        for args in [&["explain"][..], &["report", "-o", "-"]] {
            let output = run(&[args, &[&name("case")]].concat());
            assert_eq!(code(&output), if cut { 2 } else { 0 }, "{args:?} {}", stderr(&output));
        }
        let text = stdout(&run(&[&name("case")]));
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>().join(" ").contains(told),
            cut,
            "{text}"
        );
    }
}

/// Without host.json it is not known whether a buffer is at its maximum, without result.json whose capture is the sender's.
#[test]
fn facts_of_a_case_that_cannot_be_read_are_damage_and_missing_ones_are_not() {
    let (_folder, name) = scratch();
    fs::create_dir(name("case")).unwrap();
    fs::write(name("case/server.pcapng"), transfer()).unwrap();
    fs::write(name("case/samples.ndjson"), (5..100).map(sample).collect::<String>()).unwrap();
    let code_of = |args: &[&str]| code(&run(&[args, &[&name("case")]].concat()));
    for file in ["host.json", "record.json", "result.json"] {
        let path = name(&format!("case/{file}"));
        for (text, expected) in [("{}", 0), ("{\"client\": {", 2), ("[]", 2), ("", 2)] {
            fs::write(&path, text).unwrap();
            for args in [&["explain"][..], &["explain", "--ndjson"], &["report", "-o", "-"]] {
                assert_eq!(code_of(args), expected, "{file} {text:?} {args:?}");
            }
            let json = stdout(&run(&["--json", &name("case")]));
            assert_eq!(json.contains(&format!("{file}: cannot be read")), expected == 2, "{json}");
        }
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert_eq!(code_of(&["explain"]), 2, "{file} is a folder");
        fs::remove_dir(&path).unwrap();
    }
    assert_eq!(code_of(&["explain"]), 0);
}

#[test]
fn why_there_is_nothing_to_show_is_said_as_explain_says_it() {
    let (_folder, name) = scratch();
    let page =
        |file: &str, more: &[&str]| run(&[&["report", &name(file), "-o", "-"][..], more].concat());
    let late = page("slow.pcap", &["--since", "500"]);
    assert_eq!(code(&late), 1);
    assert!(stderr(&late).contains("no packet is of the time asked for"), "{}", stderr(&late));
    for chart in ["flight", "ladder", "warehouses"] {
        for part in [["--since", "500"], ["--until", "0"]] {
            let of = ["report", &name("slow.pcap"), "--chart", chart, "--svg", "-"];
            let drawn = run(&[&of[..], &part].concat());
            assert_eq!((code(&drawn), stdout(&drawn).as_str()), (1, ""), "{chart} {part:?}");
            assert!(stderr(&drawn).contains("no packet "), "{}", stderr(&drawn));
        }
    }
    // The record of the only packet is cut.
    fs::write(name("cut.pcap"), &transfer()[..60]).unwrap();
    let cut = page("cut.pcap", &[]);
    assert_eq!((code(&cut), stdout(&cut).as_str()), (2, ""), "{}", stderr(&cut));
    assert_eq!(stderr(&cut), stderr(&run(&[&name("cut.pcap")])));
}

#[test]
fn packets_of_a_stretch_are_arrows_with_the_numbers_of_the_whole() {
    let (_folder, name) = scratch();
    let capture = name("slow.pcap");
    let ladder = |more: &[&str]| {
        run(&[&["report", &capture, "--chart", "ladder", "--svg", "-"], more].concat())
    };
    let drawn = ladder(&["--since", "50ms", "--until", "60ms"]);
    assert_eq!(code(&drawn), 0, "{}", stderr(&drawn));
    let texts = stdout(&drawn);
    let numbers: Vec<u64> = texts
        .lines()
        .filter_map(|line| {
            line.trim().split_once(": ")?.1.strip_suffix(" B")?.split_once(" + ")?.0.parse().ok()
        })
        .collect();
    assert!(!numbers.is_empty() && numbers.iter().all(|n| *n > 1448), "{texts}");
}

#[test]
fn errors_are_in_the_readers_language() {
    let (_folder, name) = scratch();
    fs::write(name("bad.pcap"), "this is no capture").unwrap();
    let told = |args: &[&str]| stderr(&run(&[&["report", "--lang", "zh"], args].concat()));
    assert!(told(&[&name("bad.pcap"), "-o", "-"]).contains("是文本，不是抓包文件"));
    assert!(told(&["-"]).contains("标准输入"));
    fs::write(name("bad.json"), "{}").unwrap();
    assert!(told(&[&name("bad.json"), "-o", "-"]).contains("不是 tcpwhy FILE --json 写出的"));
    let samples = told(&[&name("slow.pcap"), "--chart", "samples", "--svg", "-"]);
    assert!(samples.contains("没有套接字采样"), "{samples}");
}

#[test]
fn charts_that_cannot_be_drawn_say_why() {
    let (_folder, name) = scratch();
    let capture = name("slow.pcap");
    let refused = |args: &[&str]| run(&[&["report", &capture], args].concat());
    assert_one_sentence_error(&refused(&["--chart", "samples", "--svg", "-"]), "case folder");
    assert_one_sentence_error(&refused(&["--chart", "nonsense", "--svg", "-"]), "nonsense");
    assert_one_sentence_error(&refused(&["--svg", "-", "-o", "page.html"]), "cannot be used");
    assert_one_sentence_error(&refused(&["--svg", &name("no/where.svg")]), "cannot write");
    assert_one_sentence_error(&refused(&["--chart", "band"]), "add --svg FILE or --png FILE");
    let none = refused(&["--conn", "9", "--svg", "-"]);
    assert_eq!((code(&none), stdout(&none).as_str()), (1, ""));
}
