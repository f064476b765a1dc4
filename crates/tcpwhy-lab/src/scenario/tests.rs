use super::*;

fn read(text: &str, changes: &[&str]) -> Result<Read, Error> {
    let source = Source::new("test", text);
    let changes: Vec<_> = changes.iter().map(|c| Assignment::parse(c)).collect::<Result<_, _>>()?;
    source.read(false, &changes)
}

const SMALL: &str = "title = 'x'\n[[phase]]\nfrom = 'server'\nbytes = '1MB'\n";

#[test]
fn every_built_in_scenario_can_be_read_and_says_what_must_come_out() {
    assert!(builtins().len() >= 30, "{}", builtins().len());
    for b in builtins() {
        let source = Source::new(b.name, b.text);
        for full in [false, true] {
            let read = source.read(full, &[]).unwrap_or_else(|e| panic!("{}: {e}", b.name));
            assert!(!read.scenario.expect.is_empty(), "{} expects nothing", b.name);
        }
    }
}

#[test]
fn changes_reach_the_scenario() {
    let sack = "server.sysctl.\"net.ipv4.tcp_sack\"=0";
    let read = read(SMALL, &["link.rtt=40ms", "server.sndbuf=16K", sack]).expect("it is right");
    assert_eq!(read.scenario.server.sysctls["net.ipv4.tcp_sack"], "0");
    assert_eq!(read.scenario.link.up.delay.millis(), 20.0);
    let crate::spec::Workload::Flows(flows) = &read.scenario.workload else { panic!("no flows") };
    assert_eq!(flows[0].server_socket.sndbuf, Some(16_384));
}

#[test]
fn a_rate_is_expected_only_of_the_values_as_written() {
    let text = format!(
        "{SMALL}[[expect]]\nfrom = 'server'\nlimit = 'send_buffer'\nrate = ['1mbit', '2mbit']\n"
    );
    let rates = |changes: &[&str]| {
        let read = read(&text, changes).expect("it is right");
        read.scenario.expect.iter().filter(|e| e.rate_bps.is_some()).count()
    };
    assert_eq!(rates(&[]), 1);
    assert_eq!(rates(&["link.rtt=40ms"]), 0);
    assert_eq!(rates(&["link.rtt=40ms", "expect.0.rate=['1mbit','9mbit']"]), 1);
}

#[test]
fn what_was_published_is_of_the_values_as_written() {
    let text = format!("published = '25 s'\n{SMALL}");
    let published =
        |changes: &[&str]| read(&text, changes).expect("it is right").scenario.published;
    assert_eq!(published(&[]).as_deref(), Some("25 s"));
    assert_eq!(published(&["link.rtt=40ms"]), None);
    assert_eq!(published(&["link.rtt=40ms", "published=\"50 s\""]).as_deref(), Some("50 s"));
}

#[test]
fn what_is_wrong_is_said_in_one_sentence_with_its_place() {
    let said = |text: &str, changes: &[&str]| {
        let text = read(text, changes).expect_err(text).to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    };
    let cases = [
        (format!("{SMALL}colour = 1\n"), "line 5: unknown field `colour`"),
        (format!("{SMALL}write = 'many'\n"), "\"many\" is not a size"),
        (format!("{SMALL}write = 0\n"), "phase.0.write: a write is 1 byte to 64 MiB"),
        (format!("{SMALL}[link]\nrtt = '3h'\n"), "link.up.delay: a delay of more than a minute"),
        (format!("{SMALL}[link]\nrtt = -1\n"), "is not a time"),
        (
            format!("{SMALL}[[expect]]\nfrom='server'\nlimit='magic'\n"),
            "there is no limit \"magic\"",
        ),
        ("title = 'x'\n".to_owned(), "needs a [[phase]] or a [[program]]"),
        ("title = ".to_owned(), "line 1"),
        (String::new(), "missing field `title`"),
    ];
    for (text, expected) in cases {
        let said = said(&text, &[]);
        assert!(said.contains(expected), "{said}");
    }
    assert!(said(SMALL, &["link.colour=1"]).contains("unknown field `colour`"));
    assert!(said(SMALL, &["title.x=1"]).contains("leads nowhere"));
    assert!(matches!(Source::find("no-such"), Err(Error::Unknown(_))));
}

/// The name alone would be that of many files.
#[test]
fn what_is_wrong_in_a_file_is_said_with_its_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("my.toml").display().to_string();
    let said = |text: &str, changes: &[&str]| {
        std::fs::write(&path, text).expect("written");
        let changes = changes.iter().map(|c| Assignment::parse(c).expect("an assignment"));
        let source = Source::find(&path).expect("a file");
        let said = source.read(true, &changes.collect::<Vec<_>>()).expect_err(text).to_string();
        said.strip_prefix(&path).unwrap_or_else(|| panic!("{said}")).to_owned()
    };
    assert!(said("title = \n", &[]).starts_with(", line 1: "));
    assert_eq!(said("case = 'A'\n", &[]), ": missing field `title`");
    assert!(said(SMALL, &["link.rtt=-2ms"]).starts_with(", rtt: \"-2ms\" is negative"));
    assert!(said(&format!("{SMALL}write = 0\n"), &[]).starts_with(", phase.0.write: a write is"));
    let full = SMALL.replace("[[phase]]", "full = { nonsense.0.bytes = '2MB' }\n[[phase]]");
    assert!(!said(&full, &[]).is_empty());
    let trace = format!("{SMALL}[link.down]\ntrace = 'none'\n");
    assert!(said(&trace, &[]).starts_with(", link.down.trace: cannot read "));
    std::fs::write(&path, [0xff]).expect("written");
    assert!(
        Source::find(&path).expect_err("no text").to_string().contains("my.toml (it is no text")
    );
}

#[test]
fn values_that_cannot_be_are_named_before_anything_is_made() {
    let line = |text: &str| {
        let (key, value) = text.split_once('=').expect("an assignment");
        let said = read(SMALL, &[text]).expect_err(text).to_string();
        assert!(!said.contains('\n') && said.len() < 300, "{key} = {value}: {said}");
    };
    for text in [
        "phase.0.bytes=99999999999999999999GB",
        "phase.0.read_chunk=1GB",
        "phase.0.stop=[{ at = '5s', resume = '1s' }]",
        "phase.0.rounds=-1",
        "phase.0.rounds=99999999999",
        "link.jitter=1h",
        "link.rate=0.5kbit",
        "link.mtu=20",
        "link.loss=101%",
        "link.loss=100%",
        "link.down={ loss = 1.0 }",
        "link.loss=nan",
        "link.down.police={ rate = '1mbit', burst = 0 }",
        "link.down.police={ rate = '0bit', burst = '9KB' }",
        "link.down.trace=[]",
        "link.down.trace=[0, 0]",
        "link.down={ trace = [1], rate = '1mbit' }",
        "link.down={ queue = '9KB', queue_packets = 3 }",
        "link.down.trace=[5, 1]",
        "link.down.trace=/nowhere/at-all",
        "link.down.trace=/proc/self/status",
        "link.middlebox=[{ kind = 'drop-acks', from = 'client', after = '1s', flow = 0 }]",
        "link.down.aqm={ kind = 'codel', interval = 0 }",
        "link.down.outage=[{ from = '2s', to = '1s' }]",
        "link.middlebox=[{ kind = 'magic' }]",
        "link.backend=carrier-pigeon",
        "client.mtu=70000",
        "server.initcwnd=0",
        "server.keepalive=1500ms",
        "flow.count=0",
        "flow.count=100000",
        "flow.port=70000",
        "flow.port=-1",
        "relay={ on = 'server', shards = 0 }",
        "relay={ on = 'nowhere' }",
        "cross=[{ from = 'client', bytes = '1MB', port = 9, count = 0 }]",
        "cross=[{ from = 'client', bytes = '1MB', port = 9, count = 4000000000 }]",
        "expect=[{ from = 'server', limit = 'send_buffer', rate = ['2mbit', '1mbit'] }]",
        "program=[{ on = 'client', command = [] }]",
        "title=[1]",
    ] {
        line(text);
    }
    let two_lines = SMALL.replace("'x'", "\"x\\n\\u001b[2J\"");
    assert!(read(&two_lines, &[]).is_err_and(|e| e.to_string().contains("control characters")));
    let server = "title = 'x'\n[mariadb]\n";
    for text in
        ["insert_rows = 0\ninsert = '1MB'", "insert_rows = 5\ninsert = '900GB'", "query = 0"]
    {
        assert!(read(&format!("{server}{text}\n"), &[]).is_err(), "{text}");
    }
}

/// Whatever a file holds, reading it ends, in a scenario or in one sentence.
#[test]
fn broken_files_are_refused_in_one_sentence() {
    let all = builtins();
    let mut dice: u64 = 7;
    let mut next = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % below
    };
    let junk = [
        "=",
        "[",
        "]]",
        "\"",
        "\n",
        "9",
        "-",
        "99999999999999999999",
        "é",
        "\u{0}",
        "{",
        "GB",
        "[[phase]]\n",
        ".",
    ];
    let mut refused = 0;
    for _ in 0..3000 {
        let mut text = all[next(all.len())].text.to_owned();
        for _ in 0..=next(3) {
            let places: Vec<usize> = text.char_indices().skip(1).map(|(at, _)| at).collect();
            if places.is_empty() {
                break;
            }
            let at = places[next(places.len())];
            match next(3) {
                0 => text.insert_str(at, junk[next(junk.len())]),
                1 => text.truncate(at),
                _ => _ = text.remove(at),
            }
        }
        for full in [false, true] {
            let source = Source::new("broken", text.clone());
            if let Err(why) = source.read(full, &[]) {
                let why = why.to_string();
                assert!(!why.contains('\n') && !why.is_empty(), "{why}\n{text}");
                refused += 1;
            }
        }
    }
    assert!(refused > 1000, "{refused}");
}

#[test]
fn a_name_leads_nowhere_and_a_file_is_no_device() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["...toml", ".toml", ".hidden.toml", "a\nb.toml"] {
        let path = folder.path().join(name);
        std::fs::write(&path, SMALL).expect("written");
        let said = Source::find(&path.display().to_string()).expect_err(name).to_string();
        assert!(!said.contains('\n'), "{said}");
    }
    let endless = folder.path().join("endless.toml");
    std::os::unix::fs::symlink("/dev/zero", &endless).expect("a link");
    let said = Source::find(&endless.display().to_string()).expect_err("endless").to_string();
    assert!(said.contains("no regular file"), "{said}");
    let large = folder.path().join("large.toml");
    std::fs::write(&large, "#".repeat(9 << 20)).expect("written");
    let said =
        Source::find(&large.display().to_string()).map(|_| ()).expect_err("large").to_string();
    assert!(said.contains("more than 8 MiB"), "{said}");
    let fine = folder.path().join("my own (2).toml");
    std::fs::write(&fine, SMALL).expect("written");
    assert_eq!(Source::find(&fine.display().to_string()).expect("fine").name, "my own (2)");
}

/// The documentation is the schema's only description for people.
#[test]
fn every_key_of_a_scenario_is_in_the_documentation() {
    let schema = [
        include_str!("file/mod.rs"),
        include_str!("file/link.rs"),
        include_str!("file/host.rs"),
        include_str!("file/work.rs"),
    ];
    let text = include_str!("../../../../docs/scenario.md");
    let keys: Vec<_> = schema
        .iter()
        .flat_map(|file| file.lines())
        .filter_map(|line| line.trim().strip_prefix("pub(in crate::scenario) ")?.split_once(':'))
        .map(|(key, _)| key)
        .filter(|key| !key.starts_with('_') && !key.contains(' '))
        .collect();
    assert!(keys.len() > 60, "{}", keys.len());
    for key in keys {
        assert!(text.contains(key), "docs/scenario.md does not tell of {key}");
    }
}

#[test]
fn a_trace_in_a_file_beside_the_scenario_becomes_part_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("radio.down"), "0\n5\n5\n12\n").expect("a file");
    let mut source = Source::new("test", format!("{SMALL}[link.down]\ntrace = 'radio.down'\n"));
    source.folder = folder.path().to_owned();
    let read = source.read(false, &[]).expect("it is right");
    assert_eq!(read.scenario.link.down.rate, tcpwhy_core::link::Rate::Trace(vec![0, 5, 5, 12]));
    let again = Source::new("again", read.text).read(false, &[]).expect("the case has all of it");
    assert_eq!(again.scenario.link, read.scenario.link);
}
