//! `tcpwhy live unlock` on a running transfer.

use crate::lab::in_lab;

/// The descriptor of the flow's socket: the first after the standard ones.
const UNLOCK: &str = "$TCPWHY live unlock $PID 3 --measure 1s";

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
    let look = format!("{UNLOCK}; $TCPWHY live --json --interval 300ms --port 8000");
    let Some(answer) = in_lab("cubic", &[], "sndbuf", 3, &look) else { return };
    assert!(answer.contains("Nothing was changed"), "{answer}");
    assert!(answer.contains("\"held_by\":\"application\""), "{answer}");
}

#[test]
fn a_send_buffer_is_unlocked_faster_and_put_back() {
    let look =
        format!("{UNLOCK} --yes --restore; $TCPWHY live --json --interval 500ms --port 8000");
    let Some(answer) = in_lab("cubic", &[], "sndbuf", 7, &look) else { return };
    let (before, after) = (rate(&answer, "before:"), rate(&answer, "after:"));
    assert!(after > 3.0 * before, "{answer}");
    assert!(answer.contains("Everything was put back."), "{answer}");
    assert!(answer.contains("locked by the application at 16.0 KiB"), "{answer}");
}

#[test]
fn a_window_scale_fixed_by_the_syn_is_refused() {
    // The server locked its buffer before it listened; its end is the process that this command runs as, seen from the other side.
    let look =
        "P=$(pgrep -n -f 'flow.py server rcvbuf'); $TCPWHY live unlock $P 4 --yes 2>&1 || true";
    let Some(answer) = in_lab("cubic", &[], "rcvbuf", 3, look) else { return };
    if answer.contains("no process")
        || answer.contains("is not open")
        || answer.contains("required")
    {
        eprintln!("skipped: the server's process is not visible here: {answer}");
        return;
    }
    assert!(answer.contains("window scale of 0"), "{answer}");
}

#[test]
fn an_unlocked_socket_is_refused() {
    let look = format!("{UNLOCK} --yes 2>&1 || true");
    let Some(answer) = in_lab("cubic", &[], "pacing", 3, &look) else { return };
    assert!(answer.contains("neither buffer is locked"), "{answer}");
}
