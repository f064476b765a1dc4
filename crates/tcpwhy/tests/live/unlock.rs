//! `tcpwhy live unlock` on a running transfer.

use crate::lab::in_lab;
use rustix::net::{AddressFamily, SocketType, bind, listen, socket, sockopt};
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::process::Command;

const UNLOCK: &str = "$TCPWHY live unlock $PID $FD --measure 1s";

fn rate(answer: &str, label: &str) -> f64 {
    let line = answer.lines().find(|line| line.starts_with(label)).unwrap();
    let mut words = line[label.len()..].split_whitespace();
    let number: f64 = words.next().unwrap().replace(',', "").parse().unwrap();
    let unit = words.next().unwrap().trim_end_matches([',', ':']);
    number
        * if unit == "Mbit/s" {
            1.0
        } else if unit == "kbit/s" {
            1e-3
        } else {
            1e3
        }
}

#[test]
fn without_yes_nothing_is_changed() {
    let look = format!("{UNLOCK}; $TCPWHY live --json --interval 300ms --netns self --port 8000");
    let Some(answer) = in_lab("cubic", &[], "sndbuf", &look) else { return };
    assert!(answer.contains("Nothing was changed"), "{answer}");
    assert!(answer.contains("\"held_by\":\"application\""), "{answer}");
}

#[test]
fn a_send_buffer_is_unlocked_faster_and_put_back() {
    let look = format!(
        "{UNLOCK} --yes --restore; $TCPWHY live --json --interval 500ms --netns self --port 8000"
    );
    let Some(answer) = in_lab("cubic", &[], "sndbuf", &look) else { return };
    let (before, after) = (rate(&answer, "before:"), rate(&answer, "after:"));
    assert!(after > 2.0 * before, "{answer}");
    assert!(answer.contains("Everything was put back."), "{answer}");
    assert!(answer.contains("\"held_by\":\"application\""), "{answer}");
}

#[test]
fn a_window_scale_fixed_by_the_syn_is_refused() {
    let look = format!("{UNLOCK} --yes 2>&1 || true");
    let Some(answer) = in_lab("cubic", &[], "download-locked-before", &look) else { return };
    assert!(answer.contains("window scale of 0"), "{answer}");
}

#[test]
fn a_receive_buffer_grows_with_its_clamp_and_is_put_back() {
    let look = format!("{UNLOCK} --yes --for 2s; {UNLOCK}");
    let Some(answer) = in_lab("cubic", &[], "download-locked-after", &look) else { return };
    if answer.contains("rmem_max") {
        return eprintln!("skipped: net.core.rmem_max is too small here: {answer}");
    }
    assert!(rate(&answer, "after:") > 2.0 * rate(&answer, "before:"), "{answer}");
    assert!(answer.contains("Everything was put back."), "{answer}");
    assert!(answer.contains("Nothing was changed."), "locked again: {answer}");
}

#[test]
fn what_is_no_connection_is_refused_and_left_as_it_is() {
    let listener = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    sockopt::set_socket_send_buffer_size(&listener, 20_000).unwrap();
    let locked = sockopt::socket_send_buffer_size(&listener).unwrap();
    let (pid, fd) = (std::process::id().to_string(), listener.as_raw_fd().to_string());
    let refused = || {
        let args = ["live", "unlock", &pid, &fd, "--yes", "--measure", "50ms"];
        let output = Command::new(env!("CARGO_BIN_EXE_tcpwhy")).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused();
    if said.contains("may not be touched") || said.contains("this kernel") {
        return eprintln!("skipped: {said}");
    }
    assert!(said.contains("it is not connected"), "{said}");
    bind(&listener, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    listen(&listener, 1).unwrap();
    assert!(refused().contains("it listens"));
    assert_eq!(sockopt::socket_send_buffer_size(&listener).unwrap(), locked);
}

#[test]
fn an_unlocked_socket_is_refused() {
    let look = format!("{UNLOCK} --yes 2>&1 || true");
    let Some(answer) = in_lab("cubic", &[], "pacing", &look) else { return };
    assert!(answer.contains("neither buffer is locked"), "{answer}");
}

/// A locked send buffer in a network namespace with a `tcp_wmem` of its own, below the one that runs `tcpwhy`.
const ELSEWHERE: &str = r#"
mkfifo "$FOLDER/fd" || exit 9
unshare -n sh -c 'ip link set lo up && echo 4096 16384 1000000 > /proc/sys/net/ipv4/tcp_wmem && exec python3 -c "
import socket, time
listener = socket.create_server((\"127.0.0.1\", 0))
writer = socket.create_connection(listener.getsockname())
writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 20000)
print(writer.fileno(), flush=True)
time.sleep(60)
"' > "$FOLDER/fd" &
PID=$!
read FD < "$FOLDER/fd" || exit 9
"$TCPWHY" live unlock $PID $FD
CODE=$?
kill $PID
exit $CODE
"#;

#[test]
fn a_buffer_grows_as_far_as_the_settings_of_its_own_namespace_allow() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("unshare")
        .args(["-rn", "sh", "-c", ELSEWHERE])
        .env("FOLDER", folder.path())
        .env("TCPWHY", env!("CARGO_BIN_EXE_tcpwhy"))
        .output();
    let Some(output) = output.ok().filter(|o| !matches!(o.status.code(), Some(1 | 9))) else {
        return eprintln!("skipped: no network namespace can be made here (unshare, ip, python3)");
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if said.contains("may not be touched") || said.contains("this kernel") {
        return eprintln!("skipped: {said}");
    }
    assert!(output.status.success(), "{said}");
    let answer = String::from_utf8_lossy(&output.stdout);
    assert!(answer.contains("up to tcp_wmem max (977 KiB)"), "{answer}");
}
