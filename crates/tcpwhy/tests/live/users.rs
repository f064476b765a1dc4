//! What other users see, and what they are told.

use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

/// `nobody` on most systems; any user without rights will do.
const NOBODY: u32 = 65_534;

fn tcpwhy(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcpwhy"));
    command.args(args);
    command
}

/// As a user without rights; `None`, and `skipped:`, where this user cannot become another.
fn as_nobody(args: &[&str]) -> Option<Output> {
    match tcpwhy(args).uid(NOBODY).gid(NOBODY).output() {
        Ok(output) => Some(output),
        Err(e) => {
            eprintln!("skipped: cannot run as another user: {e}");
            None
        }
    }
}

/// Both ends of a connection of this process, and its port.
fn connection() -> (TcpStream, TcpStream, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let end = listener.local_addr().unwrap();
    let client = TcpStream::connect(end).unwrap();
    (client, listener.accept().unwrap().0, end.port().to_string())
}

fn sockets(output: &Output) -> Vec<serde_json::Value> {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let round: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    round["sockets"].as_array().unwrap().clone()
}

#[test]
fn a_user_sees_his_own_processes_and_of_others_only_the_sockets() {
    let (_client, _server, port) = connection();
    let look = ["live", "--json", "--all", "--interval", "100ms", "--port", &port];
    let own = sockets(&tcpwhy(&look).output().unwrap());
    assert_eq!(own.len(), 2);
    for socket in &own {
        assert_eq!(socket["pid"], std::process::id(), "{socket}");
        // bbr on loopback, whose segments are large, begins with tcp_wmem's maximum. Where pidfd_getfd or SO_BUF_LOCK is refused, that is
        // said instead.
        let held = socket["send_buffer"]["held_by"].as_str().unwrap();
        assert!(["not grown yet", "system maximum", "not permitted"].contains(&held), "{socket}");
    }
    let Some(output) = as_nobody(&look) else { return };
    let foreign = sockets(&output);
    assert_eq!(foreign.len(), 2);
    for (socket, own) in foreign.iter().zip(&own) {
        assert!(socket["pid"].is_null() && socket["command"].is_null(), "{socket}");
        // At tcp_wmem's maximum its size says enough, whoever asks.
        let held = socket["send_buffer"]["held_by"].as_str().unwrap();
        assert!(["not permitted", "system maximum"].contains(&held), "{socket}");
        assert_eq!(socket["limit"], own["limit"]);
    }
}

#[test]
fn a_foreign_socket_is_not_unlocked_and_the_reason_said() {
    let (client, _server, _) = connection();
    let (pid, fd) = (std::process::id().to_string(), client.as_raw_fd().to_string());
    let Some(output) = as_nobody(&["live", "unlock", &pid, &fd, "--yes"]) else { return };
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("may not be touched by this user"), "{said}");
    assert!(said.contains("CAP_SYS_PTRACE"), "{said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
}

#[test]
fn where_bpf_is_refused_the_sockets_are_still_seen() {
    // In a user namespace of its own nobody may load programs into the kernel.
    let script = "ip link set lo up || exit 77; exec \"$0\" live --json --all --interval 100ms";
    let output = Command::new("unshare")
        .args(["-rn", "sh", "-c", script])
        .arg(env!("CARGO_BIN_EXE_tcpwhy"))
        .output();
    let output = match output {
        Ok(output) => output,
        Err(e) => return eprintln!("skipped: unshare: {e}"),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || said.starts_with("unshare: ") {
        return eprintln!("skipped: {said}");
    }
    assert_eq!(output.status.code(), Some(1), "there is no socket: {said}");
    assert_eq!(sockets(&output).len(), 0);
}

#[test]
fn help_has_examples() {
    for (args, example) in [
        (&["live", "--help"][..], "tcpwhy live --ndjson --limit send_buffer"),
        (&["live", "unlock", "--help"][..], "tcpwhy live unlock 4711 12 --yes --for 30s"),
    ] {
        let output = tcpwhy(args).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("Examples:"), "{text}");
        assert!(text.contains(example), "{text}");
    }
}
