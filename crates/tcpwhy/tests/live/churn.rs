//! Sockets and processes that come and go while they are looked at.

use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

#[test]
fn a_thousand_connects_a_second_are_no_error_and_no_leak() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let end = listener.local_addr().unwrap();
    let (stop, made) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    // It ends with the test's process.
    std::thread::spawn(move || while listener.accept().is_ok() {});
    let connect = std::thread::spawn({
        let (stop, made) = (Arc::clone(&stop), Arc::clone(&made));
        move || {
            let (began, mut count) = (Instant::now(), 0);
            while !stop.load(Ordering::Relaxed) {
                drop(TcpStream::connect(end));
                count = made.fetch_add(1, Ordering::Relaxed) + 1;
                let due = began + Duration::from_millis(count.into());
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            count
        }
    });
    let output = Command::new(env!("CARGO_BIN_EXE_tcpwhy"))
        .args(["live", "--json", "--all", "--interval", "2s", "--port", &end.port().to_string()])
        .output()
        .unwrap();
    stop.store(true, Ordering::Relaxed);
    let count = connect.join().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(count > 200, "{count} connects only");
    let round: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // Each is gone from memory with the round in which it closed; what is left is that round.
    assert!(round["sockets"].as_array().unwrap().len() < 2 * count as usize + 10);
}

#[test]
fn a_namespace_that_vanishes_is_no_error() {
    let script =
        "ip link set lo up 2>/dev/null; sleep 0.1 & exec \"$0\" live --json --all --interval 300ms";
    let output = Command::new("unshare")
        .args(["-rn", "sh", "-c", script, env!("CARGO_BIN_EXE_tcpwhy")])
        .output();
    match output {
        Ok(output) if String::from_utf8_lossy(&output.stderr).contains("unshare") => {
            eprintln!("skipped: {}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(output) => {
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
            assert_eq!(output.status.code(), Some(1), "an empty namespace has no sockets");
        }
        Err(e) => eprintln!("skipped: unshare: {e}"),
    }
}
