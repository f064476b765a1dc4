//! A running agent.

use crate::common::tcpwhy;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::time::{Duration, Instant};

/// How long anything may take, on a machine that has other things to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running agent, killed when dropped.
pub(crate) struct Agent {
    child: Option<Child>,
    /// `127.0.0.1:PORT`.
    pub(crate) address: String,
}

impl Agent {
    /// Rounds of 100 ms, so that tests are short, of this network namespace: in others, other tests run. `None`, and `skipped:`, where
    /// the kernel has no `sock_diag`.
    pub(crate) fn start(args: &[&str]) -> Option<Self> {
        Self::start_everywhere(&[&["--netns", "self"], args].concat())
    }

    /// The same of every network namespace.
    pub(crate) fn start_everywhere(args: &[&str]) -> Option<Self> {
        let mut command = tcpwhy();
        command.args(["agent", "--listen", "127.0.0.1:0", "--interval", "100ms", "--cpu", "50"]);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut agent = Self { child: Some(command.spawn().unwrap()), address: String::new() };
        let mut line = String::new();
        let said = agent.child.as_mut().and_then(|child| child.stderr.take()).unwrap();
        BufReader::new(said).read_line(&mut line).unwrap();
        if line.contains("cannot ask the kernel") {
            eprintln!("skipped: {line}");
            return None;
        }
        let address = line.strip_prefix("tcpwhy: metrics at http://");
        assert!(address.is_some(), "{line}");
        agent.address = address.unwrap().split('/').next().unwrap().to_owned();
        Some(agent)
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Asks for a path.
    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// The metrics, as soon as they satisfy `enough`.
    pub(crate) fn metrics(&self, enough: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let text = self.get("/metrics");
            if enough(&text) {
                return text;
            }
            assert!(began.elapsed() < PATIENCE, "{text}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Ends it with a signal, and waits.
    pub(crate) fn stop(mut self, signal: &str) -> Output {
        let child = self.child.take().unwrap();
        let kill =
            std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        child.wait_with_output().unwrap()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The sum of all points of a metric whose labels hold all of `labels`.
pub(crate) fn sum(text: &str, name: &str, labels: &[&str]) -> f64 {
    let is_of = |line: &&str| {
        line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['{', ' ']))
            && labels.iter().all(|label| line.contains(label))
    };
    let value = |line: &str| line.rsplit(' ').next().unwrap().parse::<f64>().unwrap();
    text.lines().filter(is_of).map(value).sum()
}

/// The names of all series that the text announces, as a query calls them.
pub(crate) fn names(text: &str) -> Vec<String> {
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let of = |line: &str| {
        let (name, kind) = line.split_once(' ').unwrap();
        let suffixes: &[&str] = match kind {
            "counter" => &["_total"],
            "histogram" => &["_bucket", "_sum", "_count"],
            _ => &[""],
        };
        suffixes.iter().map(|suffix| format!("{name}{suffix}")).collect::<Vec<_>>()
    };
    types.flat_map(of).collect()
}

/// A file of the repository.
pub(crate) fn file(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name)
}
