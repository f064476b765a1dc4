//! A fresh network namespace with its loopback up, and what a workload said in it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use nix::sched::{CloneFlags, setns, unshare};
use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use tcpwhy_lab::spec::{Flow, Workload};
use tcpwhy_lab::workload::{self, AppLog, Clock, Enter, Error, FlowOutcome, Outcome, Site};

pub(crate) struct Namespace(File);

impl Enter for Namespace {
    fn enter(&self) -> io::Result<()> {
        Ok(setns(&self.0, CloneFlags::CLONE_NEWNET)?)
    }
}

impl Namespace {
    /// `None`, with a word, where this machine does not allow one.
    pub(crate) fn new() -> Option<Self> {
        let made = std::thread::spawn(|| -> io::Result<Self> {
            unshare(CloneFlags::CLONE_NEWNET)?;
            let up = Command::new("ip").args(["link", "set", "lo", "up"]).status()?;
            if !up.success() {
                return Err(io::Error::other("ip link set lo up failed"));
            }
            Ok(Self(File::open("/proc/thread-self/ns/net")?))
        });
        made.join().unwrap().map_err(|e| println!("skipped: no network namespace: {e}")).ok()
    }
}

/// One line of the application's account.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) t_ns: i64,
    pub(crate) host: String,
    pub(crate) local: String,
    pub(crate) remote: String,
    pub(crate) kind: String,
    pub(crate) bytes: u64,
}

pub(crate) struct Ran {
    pub(crate) outcome: Result<Outcome, Error>,
    pub(crate) lines: Vec<Line>,
    pub(crate) case: PathBuf,
}

impl Ran {
    /// The only connection.
    pub(crate) fn flow(&self) -> &FlowOutcome {
        let flows = &self.outcome.as_ref().unwrap().flows;
        assert_eq!(flows.len(), 1, "{flows:#?}");
        &flows[0]
    }

    /// Lines of one host and kind, in the order of time.
    pub(crate) fn lines(&self, host: &str, kind: &str) -> Vec<Line> {
        let wanted = |line: &&Line| line.host == host && line.kind == kind;
        let mut lines: Vec<_> = self.lines.iter().filter(wanted).cloned().collect();
        lines.sort_by_key(|line| line.t_ns);
        lines
    }
}

impl Drop for Ran {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.case);
    }
}

/// Runs flows with both hosts in one namespace; `None` where that cannot be.
pub(crate) fn run(name: &str, flows: Vec<Flow>) -> Option<Ran> {
    run_workload(name, &Workload::Flows(flows))
}

pub(crate) fn run_workload(name: &str, workload: &Workload) -> Option<Ran> {
    let namespace = Namespace::new()?;
    let case = std::env::temp_dir().join(format!("tcpwhy-work-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&case).unwrap();
    let path = case.join("app.ndjson");
    let log = AppLog::create(&path, Clock::start()).unwrap();
    let site = Site {
        client: &namespace,
        server: &namespace,
        server_addresses: [Ipv4Addr::new(127, 0, 0, 2).into(), Ipv6Addr::LOCALHOST.into()],
        client_addresses: [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
        log: &log,
        case: &case,
        stop: &AtomicBool::new(false),
    };
    let outcome = workload::run(workload, &site);
    let count = log.finish().unwrap();
    let lines: Vec<Line> = std::fs::read_to_string(&path).unwrap().lines().map(line).collect();
    assert_eq!(lines.len() as u64, count);
    Some(Ran { outcome, lines, case })
}

fn line(text: &str) -> Line {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    let word = |key: &str| value[key].as_str().unwrap().to_owned();
    Line {
        t_ns: value["t_ns"].as_i64().unwrap(),
        host: word("host"),
        local: word("local"),
        remote: word("remote"),
        kind: word("kind"),
        bytes: value["bytes"].as_u64().unwrap(),
    }
}
