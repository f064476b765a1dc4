//! Services by the cgroup that a socket was made in.

use crate::agent::{Agent, sum};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// Joins a cgroup, opens a connection to itself in it, and holds it until standard input ends.
const HOLD: &str = "\
import os, socket, sys
open(sys.argv[1], 'w').write(str(os.getpid()))
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
    fn new(name: &str) -> Option<Self> {
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
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut group = Self { folder, holder };
        let mut line = String::new();
        BufReader::new(group.holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line.trim() != "ready" {
            eprintln!("skipped: this process may not be moved to another cgroup");
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
    let Some(_group) = Group::new(&name) else { return };
    let Some(agent) = Agent::start(&[]) else { return };
    let label = format!("service=\"{name}\"");
    agent.metrics(|text| sum(text, "tcpwhy_connections", &[&label]) >= 2.0);
}
