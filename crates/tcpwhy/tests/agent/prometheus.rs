//! A real Prometheus scrapes the agent.

use crate::agent::{Agent, PATIENCE, file};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Killed when dropped.
struct Prometheus {
    child: Child,
    address: String,
}

impl Prometheus {
    /// In a folder of its own, on a free port; `None`, and `skipped:`, where it is not installed.
    fn start(folder: &std::path::Path, target: &str) -> Option<Self> {
        let config = format!(
            "global: {{scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 1s}}\n\
             rule_files: [{:?}]\n\
             scrape_configs:\n- job_name: tcpwhy\n  static_configs: [{{targets: [\"{target}\"]}}]\n",
            file("deploy/prometheus-rules.yml").canonicalize().unwrap()
        );
        let path = folder.join("prometheus.yml");
        std::fs::write(&path, config).unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", path.display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("data").display()))
            .arg(format!("--web.listen-address={address}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("log")).unwrap())
            .spawn();
        match child {
            Ok(child) => Some(Self { child, address }),
            Err(e) => {
                eprintln!("skipped: prometheus: {e}");
                None
            }
        }
    }

    fn get(&self, path: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        // HTTP/1.0: the answer is not cut into chunks.
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", self.address).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        serde_json::from_str(text.split_once("\r\n\r\n")?.1).ok()
    }

    /// The answer's data, as soon as it satisfies `enough`.
    fn until(&self, path: &str, enough: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        let mut last = None;
        while began.elapsed() < PATIENCE {
            last = self.get(path);
            if let Some(answer) = last.as_ref().filter(|a| enough(&a["data"])) {
                return answer["data"].clone();
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("{path}: {last:?}");
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_real_prometheus_takes_the_metrics_and_the_rules() {
    let Some(agent) = Agent::start(&[]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let Some(prometheus) = Prometheus::start(folder.path(), &agent.address) else { return };
    // The scrapes themselves are connections that transfer: two ends on this host.
    let path = "/api/v1/query?query=sum(tcpwhy_transferred_bytes_total)";
    prometheus.until(path, |data| {
        let value = data["result"][0]["value"][1].as_str().and_then(|v| v.parse::<f64>().ok());
        value.is_some_and(|v| v > 0.0)
    });
    let targets =
        prometheus.until("/api/v1/targets", |data| data["activeTargets"][0]["health"] != "unknown");
    assert_eq!(targets["activeTargets"][0]["health"], "up", "{targets}");
    assert_eq!(targets["activeTargets"][0]["lastError"], "", "{targets}");
    let known =
        prometheus.until("/api/v1/metadata", |data| data.get("tcpwhy_limited_seconds").is_some());
    assert_eq!(known["tcpwhy_limited_seconds"][0]["type"], "counter", "{known}");
    assert_eq!(known["tcpwhy_connection_limited_share"][0]["type"], "histogram", "{known}");
    // Rules are evaluated once a second: all of them without an error.
    let rules = prometheus.until("/api/v1/rules", |data| {
        let rules = data["groups"][0]["rules"].as_array();
        rules.is_some_and(|rules| rules.iter().all(|rule| rule["health"] != "unknown"))
    });
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    assert!(rules.iter().all(|rule| rule["health"] == "ok"), "{rules:?}");
}
