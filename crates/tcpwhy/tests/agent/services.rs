//! Services by the cgroup that a socket was made in.

use crate::agent::{Agent, sum};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Joins a cgroup, goes to a network namespace of its own if it is told to, opens a connection to itself there, and holds it until
/// standard input ends.
const HOLD: &str = "\
import ctypes, os, socket, subprocess, sys
open(sys.argv[1], 'w').write(str(os.getpid()))
if sys.argv[2] == 'elsewhere':
    CLONE_NEWNET = 0x40000000
    if ctypes.CDLL(None).unshare(CLONE_NEWNET):
        sys.exit('no network namespace can be made')
    subprocess.check_call(['ip', 'link', 'set', 'lo', 'up'])
server = socket.create_server(('127.0.0.1', 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
client.sendall(bytes(100000))
print('ready', flush=True)
sys.stdin.read()
";

/// A cgroup of the test's own, and the program in it; both are gone when dropped.
struct Group {
    folder: PathBuf,
    holder: Child,
}

impl Group {
    /// `None`, and `skipped:`, where this user may make no cgroups.
    fn new(name: &str, place: &str) -> Option<Self> {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let line = mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2"));
        let Some(root) = line.and_then(|line| line.split(' ').nth(1)) else {
            eprintln!("skipped: no cgroups of version 2");
            return None;
        };
        let folder = PathBuf::from(root).join(name);
        if let Err(e) = fs::create_dir(&folder) {
            eprintln!("skipped: {}: {e}", folder.display());
            return None;
        }
        let holder = Command::new("python3")
            .args(["-c", HOLD])
            .arg(folder.join("cgroup.procs"))
            .arg(place)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut group = Self { folder, holder };
        let mut line = String::new();
        BufReader::new(group.holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line.trim() != "ready" {
            eprintln!("skipped: this process may not be moved to another cgroup or namespace");
            return None;
        }
        Some(group)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
        let _ = fs::remove_dir(&self.folder);
    }
}

#[test]
fn a_socket_belongs_to_the_unit_that_it_was_made_in() {
    let name = format!("tcpwhy-test-{}.service", std::process::id());
    let Some(_group) = Group::new(&name, "here") else { return };
    let Some(agent) = Agent::start(&[]) else { return };
    let label = format!("service=\"{name}\"");
    agent.metrics(|text| sum(text, "tcpwhy_connections", &[&label]) >= 2.0);
}

#[test]
fn sockets_of_every_namespace_are_counted_and_one_that_vanishes_is_no_error() {
    let name = format!("tcpwhy-test-{}-elsewhere.service", std::process::id());
    let Some(group) = Group::new(&name, "elsewhere") else { return };
    let Some(everywhere) = Agent::start_everywhere(&[]) else { return };
    let Some(here) = Agent::start(&[]) else { return };
    let label = format!("service=\"{name}\"");
    let connections = |text: &str| sum(text, "tcpwhy_connections", &[&label]);
    let namespaces = |text: &str, state| sum(text, "tcpwhy_agent_namespaces", &[state]);
    let samples = |text: &str| sum(text, "tcpwhy_agent_samples_total", &[]);
    let first = everywhere.metrics(|text| samples(text) >= 3.0);
    if namespaces(&first, "state=\"refused\"") > 0.0 {
        return eprintln!("skipped: another network namespace may not be entered");
    }
    everywhere.metrics(|text| connections(text) >= 2.0);
    let text = here.metrics(|text| samples(text) >= 5.0);
    assert_eq!((connections(&text), namespaces(&text, "state=\"watched\"")), (0.0, 1.0), "{text}");
    drop(group);
    let text = everywhere.metrics(|text| connections(text) == 0.0);
    let closed = sum(&text, "tcpwhy_connections_closed_total", &[&label]);
    let refused = sum(&text, "tcpwhy_agent_samples_lost_total", &["reason=\"refused\""]);
    assert_eq!((closed, refused), (2.0, 0.0), "{text}");
}
