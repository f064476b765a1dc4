//! What `/metrics` says, and what it must not say.

use crate::agent::{Agent, PATIENCE, file, names, sum};
use crate::common::{assert_one_sentence_error, run};
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Both ends of a connection that carries `bytes` one way.
fn connection(bytes: usize) -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut server = listener.accept().unwrap().0;
    let data = vec![0; bytes];
    let sent = std::thread::spawn(move || {
        client.write_all(&data).unwrap();
        client
    });
    server.read_exact(&mut vec![0; bytes]).unwrap();
    (sent.join().unwrap(), server)
}

#[test]
fn counters_survive_the_connection_and_hold_all_of_its_bytes() {
    let Some(agent) = Agent::start(&[]) else { return };
    // The first round is over: what opens from now on is younger than the agent.
    let before = agent.metrics(|text| sum(text, "tcpwhy_agent_samples_total", &[]) >= 3.0);
    let bytes = |text: &str, way| sum(text, "tcpwhy_transferred_bytes_total", &[way]);
    let both = connection(5_000_000);
    let way = "direction=\"send\"";
    let seen = agent.metrics(|text| bytes(text, way) >= bytes(&before, way) + 5e6);
    let closed = |text: &str| sum(text, "tcpwhy_connections_closed_total", &[]);
    drop(both);
    let after = agent.metrics(|text| closed(text) >= closed(&seen) + 2.0);
    for way in ["direction=\"send\"", "direction=\"receive\""] {
        assert!(bytes(&after, way) >= bytes(&before, way) + 5e6, "{after}");
    }
    assert!(after.contains("application/openmetrics-text"), "{after}");
    assert!(after.ends_with("# EOF\n"), "{after}");
}

/// Whether an address stands in `labels`, with or without its port. A service may be named after a thread, and a test's
/// thread after its path: colons alone are none.
fn names_an_address(labels: &str) -> bool {
    let mut words =
        labels.split(|c: char| !c.is_ascii_alphanumeric() && !['.', ':', '_'].contains(&c));
    let is_address = |w: &str| w.parse::<IpAddr>().is_ok() || w.parse::<SocketAddr>().is_ok();
    words.any(is_address)
}

#[test]
fn an_address_is_told_from_the_path_of_a_test() {
    for named in ["service=\"127.0.0.1\"", "service=\"10.0.0.1:443\"", "service=\"[fe80::1]:443\""]
    {
        assert!(names_an_address(named), "{named}");
    }
    assert!(!names_an_address("limit=\"loss\",service=\"metrics::it_end\",version=\"0.1.0\""));
}

#[test]
fn no_label_holds_an_address_or_a_port() {
    let Some(agent) = Agent::start(&[]) else { return };
    let (client, server) = connection(1_000_000);
    let text = agent.metrics(|text| sum(text, "tcpwhy_transferred_bytes_total", &[]) > 0.0);
    let ports = [client.local_addr().unwrap().port(), server.local_addr().unwrap().port()];
    for line in text.lines().filter(|line| line.starts_with("tcpwhy_")) {
        let labels = line.split(['{', '}']).nth(1).unwrap_or_default();
        assert!(!names_an_address(labels), "{line}");
        assert!(ports.iter().all(|port| !labels.contains(&format!("\"{port}\""))), "{line}");
        for label in labels.split(',').filter(|l| !l.is_empty()) {
            let name = label.split('=').next().unwrap();
            let known = [
                "limit",
                "cause",
                "direction",
                "service",
                "le",
                "reason",
                "result",
                "state",
                "version",
            ];
            assert!(known.contains(&name), "{line}");
        }
    }
}

#[test]
fn visitors_who_say_nothing_take_no_more_than_their_places() {
    let Some(agent) = Agent::start(&[]) else { return };
    let silent: Vec<_> = (0..150).map(|_| TcpStream::connect(&agent.address).unwrap()).collect();
    assert!(agent.get("/metrics").contains("# EOF"), "they have lost their places");
    let open = std::fs::read_dir(format!("/proc/{}/fd", agent.id())).unwrap().count();
    assert!(open < 64 + 40, "{open} descriptors, of them {} of the silent", silent.len());
}

#[test]
fn services_beyond_the_cap_are_other() {
    let Some(agent) = Agent::start(&["--services", "1"]) else { return };
    let _both = connection(1000);
    let text = agent.metrics(|text| sum(text, "tcpwhy_connections", &[]) > 0.0);
    let mut services: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("tcpwhy_connections{"))
        .filter_map(|line| line.split('"').nth(1))
        .collect();
    services.sort_unstable();
    assert!(services.len() == 2 && services.contains(&"other"), "{services:?}");
}

#[test]
fn it_ends_in_order_when_it_is_told_to_and_writes_its_events() {
    for signal in ["-TERM", "-INT"] {
        let Some(agent) = Agent::start(&["--events-interval", "3600s"]) else { return };
        agent.metrics(|text| sum(text, "tcpwhy_agent_samples_total", &[]) >= 2.0);
        assert!(agent.get("/healthz").starts_with("HTTP/1.1 200"));
        assert!(agent.get("/").starts_with("HTTP/1.1 404"));
        let began = Instant::now();
        let output = agent.stop(signal);
        assert!(output.status.success(), "{signal}: {:?}", output.status);
        assert!(began.elapsed() < PATIENCE / 2);
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(event["schema"], "tcpwhy.agent.connection/1");
        }
    }
}

#[test]
fn connections_between_two_samples_are_missed_and_counted() {
    let Some(agent) = Agent::start(&[]) else { return };
    agent.metrics(|text| sum(text, "tcpwhy_agent_samples_total", &[]) >= 1.0);
    let missed = |text: &str| sum(text, "tcpwhy_agent_connections_missed_total", &[]);
    // Attempts that are refused are gone at once.
    let refused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let began = Instant::now();
    while missed(&agent.get("/metrics")) < 5.0 {
        assert!(began.elapsed() < PATIENCE);
        for _ in 0..5 {
            assert!(TcpStream::connect(refused).is_err());
        }
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn the_documented_metrics_are_those_that_are_exported() {
    let Some(agent) = Agent::start(&[]) else { return };
    let text = agent.metrics(|_| true);
    let mut exported: Vec<String> = names(&text)
        .iter()
        .map(|name| {
            let base = name.strip_suffix("_bucket").or(name.strip_suffix("_sum"));
            base.or(name.strip_suffix("_count")).unwrap_or(name).to_owned()
        })
        .collect();
    let manual = std::fs::read_to_string(file("docs/agent.md")).unwrap();
    let rows = manual.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut documented: Vec<_> = rows.map(str::to_owned).collect();
    for names in [&mut exported, &mut documented] {
        names.sort();
        names.dedup();
    }
    assert_eq!(documented, exported);
}

#[test]
fn what_cannot_be_done_is_one_sentence_and_exit_code_2() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    assert_one_sentence_error(&run(&["agent", "--listen", &address]), "cannot listen at");
    let secure = run(&["agent", "--listen", "127.0.0.1:0", "--otlp", "https://example.org"]);
    assert_one_sentence_error(&secure, "plain HTTP");
    let nowhere = run(&["agent", "--listen", "127.0.0.1:0", "--events", "/nowhere/at/all"]);
    assert_one_sentence_error(&nowhere, "cannot write events to /nowhere/at/all");
    assert_one_sentence_error(&run(&["agent", "--interval", "1ms"]), "100ms");
    assert_one_sentence_error(&run(&["agent", "--cpu", "0"]), "0.1 to 100");
}
