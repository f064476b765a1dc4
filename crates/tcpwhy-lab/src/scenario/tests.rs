use super::*;

fn read(text: &str, changes: &[&str]) -> Result<Read, Error> {
    let source = Source { name: "test".to_owned(), text: text.to_owned() };
    let changes: Vec<_> = changes.iter().map(|c| Assignment::parse(c)).collect::<Result<_, _>>()?;
    source.read(false, &changes)
}

const SMALL: &str = "title = 'x'\n[[phase]]\nfrom = 'server'\nbytes = '1MB'\n";

#[test]
fn every_built_in_scenario_can_be_read_and_says_what_must_come_out() {
    assert!(builtins().len() >= 30, "{}", builtins().len());
    for b in builtins() {
        let source = Source { name: b.name.to_owned(), text: b.text.to_owned() };
        for full in [false, true] {
            let read = source.read(full, &[]).unwrap_or_else(|e| panic!("{}: {e}", b.name));
            assert!(!read.scenario.expect.is_empty(), "{} expects nothing", b.name);
        }
    }
}

#[test]
fn changes_reach_the_scenario() {
    let read = read(SMALL, &["link.rtt=40ms", "server.sndbuf=16K"]).expect("it is right");
    assert_eq!(read.scenario.link.up.delay.millis(), 20.0);
    let crate::spec::Workload::Flows(flows) = &read.scenario.workload else { panic!("no flows") };
    assert_eq!(flows[0].server_socket.sndbuf, Some(16_384));
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

/// The documentation is the schema's only description for people.
#[test]
fn every_key_of_a_scenario_is_in_the_documentation() {
    let schema = include_str!("file.rs");
    let text = include_str!("../../../../docs/scenario.md");
    let keys: Vec<_> = schema
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub(super) ")?.split_once(':'))
        .map(|(key, _)| key)
        .filter(|key| !key.starts_with('_') && !key.contains(' '))
        .collect();
    assert!(keys.len() > 60, "{}", keys.len());
    for key in keys {
        assert!(text.contains(key), "docs/scenario.md does not tell of {key}");
    }
}
