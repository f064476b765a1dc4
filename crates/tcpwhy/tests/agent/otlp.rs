//! Exports to a receiver that the test plays.

use crate::agent::{Agent, PATIENCE, sum};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

/// Takes one export and answers it with `status`; its head and body.
fn receive(listener: &TcpListener, status: &str) -> (String, Value) {
    let (stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut stream = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let lower = line.to_ascii_lowercase();
        if let Some(n) = lower.strip_prefix("content-length:") {
            length = n.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
        head += &lower;
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}");
    stream.get_mut().write_all(answer.as_bytes()).unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

#[test]
fn exports_are_cumulative_and_one_that_fails_is_counted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let Some(agent) = Agent::start(&["--otlp", &url, "--otlp-interval", "200ms"]) else { return };
    receive(&listener, "503 Service Unavailable");
    let (head, body) = receive(&listener, "200 OK");
    assert!(head.starts_with("post /v1/metrics "), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    let metrics = body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    let of = |name: &str| metrics.iter().find(|m| m["name"] == name).unwrap();
    assert_eq!(of("tcpwhy.agent.samples")["sum"]["isMonotonic"], true);
    assert_eq!(of("tcpwhy.agent.samples")["sum"]["aggregationTemporality"], 2);
    let durations = &of("tcpwhy.agent.sample.duration")["histogram"]["dataPoints"][0];
    let counts = durations["bucketCounts"].as_array().unwrap();
    assert_eq!(counts.len(), durations["explicitBounds"].as_array().unwrap().len() + 1);
    let total: u64 = counts.iter().map(|n| n.as_str().unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(total.to_string(), durations["count"].as_str().unwrap());
    let text = agent.metrics(|text| sum(text, "tcpwhy_agent_exports_total", &["taken"]) >= 1.0);
    assert_eq!(sum(&text, "tcpwhy_agent_exports_total", &["failed"]), 1.0, "{text}");
}

#[test]
fn the_last_export_is_sent_when_it_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/otlp/v1/metrics", listener.local_addr().unwrap());
    let Some(agent) = Agent::start(&["--otlp", &url, "--otlp-interval", "3600s"]) else { return };
    let receiver = std::thread::spawn(move || receive(&listener, "200 OK"));
    assert!(agent.stop("-TERM").status.success());
    assert!(receiver.join().unwrap().0.starts_with("post /otlp/v1/metrics "));
}
