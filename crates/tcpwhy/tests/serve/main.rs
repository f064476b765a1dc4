//! `tcpwhy serve` through the binary: what visitors get, and what they do not.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod attacks;
#[path = "../common/mod.rs"]
mod common;
mod server;
mod uploads;

use server::{Server, capture, eventually, house};
use std::fs;
use std::path::Path;

#[test]
fn a_capture_is_listed_analysed_and_shown() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let list = server.list();
    let (name, id) = &list[0];
    assert_eq!(Path::new(name), Path::new("deep").join("slow.pcap.gz"));
    let progress = || server.get(&format!("/api/progress/{id}")).body;
    assert!(progress().contains("unknown"));
    assert_eq!(server.get(&format!("/c/{id}")).status, 200);
    eventually("the analysis ends", || progress().contains("finished"));
    let report = server.get(&format!("/c/{id}"));
    assert!(report.body.contains("id=\"picture-"), "a report with charts");
    assert!(server.get("/api/captures").body.contains("\"limit\":\"send_buffer\""));
    // A page that nobody asked for is never analysed, and what is not there is not.
    assert_eq!(server.get("/c/00000000000000000000000000000000").status, 404);
}

#[test]
fn each_packet_of_a_stretch_is_read_when_it_is_asked_for() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let id = server.list().remove(0).1;
    let ask = |query: &str| server.get(&format!("/api/packets/{id}{query}"));
    assert_eq!(ask("?conn=0&from=0&to=9").status, 404, "no page of it was made");
    server.get(&format!("/c/{id}"));
    let done = || server.get(&format!("/api/progress/{id}")).body.contains("finished");
    eventually("the analysis ends", done);
    let (few, all) =
        (ask("?conn=0&from=500000000&to=600000000"), ask("?conn=0&from=0&to=9000000000"));
    for answer in [&few, &all] {
        assert_eq!(
            (answer.status, answer.header("content-type").unwrap()),
            (200, "application/octet-stream")
        );
    }
    assert!(few.body.len() * 5 < all.body.len(), "{} {}", few.body.len(), all.body.len());
    assert_eq!(ask("?conn=1&from=0&to=9").status, 404);
    assert_eq!(ask(&format!("?conn=0&from={}&to={}", i64::MIN, i64::MAX)).status, 200);
    for nonsense in ["", "?conn=0", "?conn=x&from=0&to=1", "?conn=0&from=0&to=1e99"] {
        assert_eq!(ask(nonsense).status, 400, "{nonsense}");
    }
    // What is there in its place is another capture.
    fs::write(dir.join("deep/slow.pcap.gz"), b"nonsense").unwrap();
    assert_eq!(ask("?conn=0&from=0&to=9").status, 404);
}

#[test]
fn a_bad_capture_fails_in_a_sentence() {
    let (_outside, dir) = house();
    fs::write(dir.join("bad.pcap"), b"nonsense").unwrap();
    let server = Server::of(&dir);
    let id = server.list().into_iter().find(|(name, _)| name == "bad.pcap").unwrap().1;
    assert_eq!(server.get(&format!("/c/{id}")).status, 200);
    let progress = || server.get(&format!("/api/progress/{id}")).body;
    eventually("it fails", || progress().contains("failed"));
    assert!(progress().contains("not a capture file"), "{}", progress());
    // What is there in its place is looked at anew.
    fs::write(dir.join("bad.pcap"), capture()).unwrap();
    server.get(&format!("/c/{id}"));
    eventually("it is read", || progress().contains("finished"));
}

#[test]
fn a_directory_that_is_none_and_an_address_that_is_taken_are_errors() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let output = common::run(&["serve", file.path().to_str().unwrap(), "--listen", "127.0.0.1:0"]);
    common::assert_one_sentence_error(&output, "cannot serve");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = common::run(&["serve", "--listen", &address]);
    common::assert_one_sentence_error(&output, "cannot listen");
    let output = common::run(&["serve", "--listen", "127.0.0.1:0", "--max-upload", "0"]);
    common::assert_one_sentence_error(&output, "must be more than 0");
}
