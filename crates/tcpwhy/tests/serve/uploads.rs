//! What is uploaded: kept whole, or not at all.

use crate::common::{assert_one_sentence_error, tcpwhy};
use crate::server::{Answer, Server, capture, eventually, files, house};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::process::Stdio;

#[test]
fn an_upload_is_kept_under_a_safe_name_that_was_free() {
    let (outside, dir) = house();
    let server = Server::of(&dir);
    for (given, kept) in [
        ("new.pcap.gz", "new.pcap.gz"),
        ("new.pcap.gz", "new-2.pcap.gz"),
        ("..%2F..%2Fup.pcap", "up.pcap"),
        ("%2Fetc%2Fcron.d%2Fjob", "job.pcap"),
        ("", "capture.pcap"),
    ] {
        let answer = server.upload(given, &capture());
        assert_eq!(answer.status, 201, "{answer:?}");
        assert!(answer.body.contains(&format!("\"{kept}\"")), "{answer:?}");
        assert_eq!(fs::read(dir.join(kept)).unwrap(), capture());
    }
    assert_eq!(server.names().len(), 6);
    assert_eq!(files(outside.path()), ["captures", "secret.pcap"]);
}

#[test]
fn what_is_no_capture_is_refused_in_a_sentence_and_removed() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    for (body, why) in [
        (&b"<html><script>alert(1)</script>"[..], "not a capture"),
        (&b""[..], "empty"),
        (&b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0"[..], "no packets"),
        (
            &b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0cut"[..],
            "the file is cut",
        ),
    ] {
        let answer = server.upload("x.pcap", body);
        assert_eq!(answer.status, 415, "{answer:?}");
        assert!(answer.body.contains(why), "{answer:?}");
        assert!(answer.body.starts_with("x.pcap: "), "{answer:?}");
        assert_eq!(answer.body.lines().count(), 1, "{answer:?}");
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    }
    assert_eq!(files(&dir), ["deep"]);
}

#[test]
fn an_upload_that_is_too_large_is_refused_whether_it_says_so_or_not() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let mut large = capture();
    large.resize(100_001, 0);
    assert_eq!(server.upload("x.pcap", &large).status, 413);
    let mut stream = server.connect();
    let head = format!("POST /api/captures?name=x.pcap HTTP/1.1\r\nHost: {}", server.host);
    write!(stream, "{head}\r\nTransfer-Encoding: chunked\r\n\r\n186A1\r\n").unwrap();
    stream.write_all(&large).unwrap();
    assert_eq!(Answer::read(stream).status, 413);
    eventually("nothing is left", || files(&dir) == ["deep"]);
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let mut stream = begin_upload(&server);
    eventually("a part is stored", || files(&dir).len() == 2);
    assert_eq!(server.names().len(), 1, "it is not listed");
    stream.write_all(&[0; 100]).unwrap();
    stream.shutdown(Shutdown::Both).unwrap();
    drop(stream);
    eventually("it is removed", || files(&dir) == ["deep"]);
}

#[test]
fn the_fifth_upload_at_once_is_asked_to_come_again() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let mut streams: Vec<_> = (0..4).map(|_| begin_upload(&server)).collect();
    eventually("four parts are stored", || files(&dir).len() == 5);
    let answer = server.upload("y.pcap.gz", &capture());
    assert_eq!((answer.status, answer.body.contains("try again")), (503, true), "{answer:?}");
    assert_eq!(server.names().len(), 1, "who only looks is answered");
    drop(streams.pop());
    eventually("a place is free", || server.upload("y.pcap.gz", &capture()).status == 201);
}

/// Half an upload.
fn begin_upload(server: &Server) -> TcpStream {
    let mut stream = server.connect();
    let head = format!("POST /api/captures?name=x.pcap HTTP/1.1\r\nHost: {}", server.host);
    write!(stream, "{head}\r\nContent-Length: 90000\r\n\r\n").unwrap();
    stream.write_all(&capture()[..1000]).unwrap();
    stream
}

#[cfg(target_os = "linux")]
#[test]
fn it_stops_cleanly_in_the_middle_of_an_upload() {
    for signal in ["INT", "TERM"] {
        let (_outside, dir) = house();
        let mut server = Server::of(&dir);
        let _stream = begin_upload(&server);
        eventually("a part is stored", || files(&dir).len() == 2);
        let pid = server.child.id().to_string();
        let kill = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(kill.unwrap().success());
        let status = server.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{signal}");
        assert_eq!(files(&dir), ["deep"], "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn without_a_place_for_uploads_it_says_where_there_is_none() {
    let scratch = tempfile::tempdir().unwrap();
    let nowhere = scratch.path().join("nowhere");
    let mut command = tcpwhy();
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("TMPDIR", &nowhere);
    let place = format!("cannot make a folder in {}: ", nowhere.display());
    assert_one_sentence_error(&command.output().unwrap(), &place);
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_directory_uploads_are_gone_in_the_end() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = tcpwhy();
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("TMPDIR", scratch.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let host = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut server = Server { child, host, token: None };
    assert_eq!(server.upload("x.pcap.gz", &capture()).status, 201);
    assert_eq!(server.names(), ["x.pcap.gz"]);
    assert_eq!(files(scratch.path()).len(), 1);
    let pid = server.child.id().to_string();
    assert!(std::process::Command::new("kill").arg(&pid).status().unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert!(files(scratch.path()).is_empty());
}
