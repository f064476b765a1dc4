//! `tcpwhy record` and what `tcpwhy CASE` makes of it, on transfers whose limit is known, in network namespaces of their own.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

#[path = "../common/mod.rs"]
mod common;
mod ends;
mod lab;

use lab::{Folder, Shell, direction, explained, in_lab};

#[test]
fn a_locked_send_buffer_is_recorded_beside_its_command_and_explained() {
    let folder = Folder::new();
    let shell = Shell::new("$TCPWHY record -o $CASE --port 8000 -- $TRANSFER; echo $?");
    let Some(output) = in_lab(&folder, &shell) else { return };
    assert_eq!(output.stdout.trim(), "7", "{output:?}");
    assert!(output.stderr.contains("explains it"), "{output:?}");
    let (answer, code) = explained(&folder.case());
    assert_eq!(code, 0, "{answer}");
    let direction = direction(&answer, 8000);
    let verdict = &direction["verdict"];
    assert_eq!(verdict["limit"], "send_buffer", "{verdict}");
    assert_eq!(verdict["cause"], "locked by the application", "{verdict}");
    assert!(verdict["confidence"].as_f64().unwrap() >= 0.9, "{verdict}");
    let timeline = direction["timeline"].as_array().unwrap();
    assert!(timeline.iter().any(|i| i["evidence"]["source"] == "packets and samples"));
    assert_eq!(answer["source"]["packets"], answer["source"]["tcp_packets"]);
    // One side of a host is no reason to have each packet twice.
    let findings = answer["connections"][0]["findings"].as_array().unwrap();
    assert!(findings.iter().all(|f| f["kind"] != "seen_twice"), "{findings:?}");
    let text = lab::text(&folder.case());
    assert!(text.contains("the kernel's samples"), "{text}");
    assert!(text.contains("fixed with SO_SNDBUF"), "{text}");
}

#[test]
fn the_host_is_as_check_reads_it() {
    let folder = Folder::new();
    let shell = Shell::new("$TCPWHY record -o $CASE -- true");
    let Some(output) = in_lab(&folder, &shell) else { return };
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("nothing was seen: the command ended"), "{output:?}");
    let case = folder.case();
    let checked =
        lab::tcpwhy(&["check", "--from", &case, "--rate", "1gbit", "--rtt", "40ms", "--json"]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(checked.stdout.contains("host of "), "{checked:?}");
    let facts = std::fs::read_to_string(format!("{case}/host.json")).unwrap();
    for part in ["\"kernel\"", "net.ipv4.tcp_wmem", "\"qdiscs\"", "\"offloads\"", "lab0"] {
        assert!(facts.contains(part), "{part}: {facts}");
    }
    let record: serde_json::Value =
        serde_json::from_slice(&std::fs::read(format!("{case}/record.json")).unwrap()).unwrap();
    assert_eq!(record["complete"], true, "{record}");
    // A case is not written over.
    let again = lab::tcpwhy(&["record", "-o", &case, "--", "true"]);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("is not empty"), "{again:?}");
}

#[test]
fn loopback_is_seen_once_and_other_ports_are_left_out() {
    let folder = Folder::new();
    let transfer = "python3 -c '
import socket, sys
for port in (9000, 9001):
    l = socket.create_server((\"127.0.0.1\", port))
    c = socket.create_connection((\"127.0.0.1\", port))
    s = l.accept()[0]
    c.sendall(bytes(200000)); c.close()
    while s.recv(1 << 16): pass
    s.close()
'";
    let shell = Shell::new(&format!(
        "$TCPWHY record -q -o $CASE --port 9001 --host 127.0.0.1 -- {transfer}"
    ));
    let Some(output) = in_lab(&folder, &shell) else { return };
    assert_eq!(output.code, 0, "{output:?}");
    let (answer, code) = explained(&folder.case());
    assert_eq!(code, 0, "{answer}");
    let connections = answer["connections"].as_array().unwrap();
    assert_eq!(connections.len(), 1, "{connections:?}");
    assert_eq!(direction(&answer, 9001)["bytes"], 200_000);
    let findings = connections[0]["findings"].as_array().unwrap();
    assert!(findings.iter().all(|f| f["kind"] != "seen_twice"), "{findings:?}");
}

#[test]
fn a_case_of_the_lab_is_explained_from_its_sender_with_its_samples() {
    let folder = Folder::new();
    let case = folder.case();
    let ran = lab::tcpwhy(&[
        "lab",
        "run",
        "send-buffer-16k-20ms",
        "--set",
        "phase.0.bytes=300KB",
        "--set",
        "link.rtt=200ms",
        "-o",
        &case,
    ]);
    if lab::is_refused(&ran) {
        return;
    }
    let (answer, code) = explained(&case);
    assert_eq!(code, 0, "{answer}");
    let files = answer["source"]["files"].as_array().unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].as_str().unwrap().ends_with("server.pcapng"), "{files:?}");
    let verdict = &answer["connections"][0]["directions"][1]["verdict"];
    assert_eq!(verdict["limit"], "send_buffer", "{verdict}");
    assert!(lab::text(&case).contains("the kernel's samples"));
}

#[test]
fn what_is_wrong_is_one_sentence_and_exit_code_2() {
    let folder = Folder::new();
    let case = folder.case();
    let cases: [(&[&str], &str); 4] = [
        (&["--interface", "nosuch0", "--", "true"], "there is no network interface \"nosuch0\""),
        (&["--", "/nosuch/program"], "cannot start /nosuch/program"),
        (&["--ring-size", "10B", "--", "true"], "at least 1MB is needed"),
        (&["--port", "0x1", "--", "true"], "invalid value"),
    ];
    for (n, (args, expected)) in cases.into_iter().enumerate() {
        // Always the same folder: what never began leaves nothing in the way of the next attempt.
        let output = lab::tcpwhy(&[&["record", "-q", "-o", &case], args].concat());
        assert_eq!(output.code, 2, "{output:?}");
        let last = output.stderr.lines().last().unwrap_or_default();
        let refused = output.stderr.contains("not permitted") && n == 0;
        assert!(last.contains(expected) || refused, "{output:?}");
    }
    assert_eq!(std::fs::read_dir(&case).unwrap().count(), 0);
}
