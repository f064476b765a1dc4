//! A real connection over the loopback device is found in the samples, with its end, its queue and its window.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_live::{Error, Host, Options, Recorder};

/// To enter a namespace, even one's own, takes CAP_SYS_ADMIN.
fn is_refused(why: &Error) -> bool {
    matches!(why, Error::Sample { source, .. } if source.kind() == ErrorKind::PermissionDenied)
}

#[test]
fn a_connection_with_an_unread_byte_is_sampled() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let _server = listener.accept().unwrap();
    client.write_all(b"x").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let host =
        Host { name: "client".into(), namespace: File::open("/proc/self/ns/net").unwrap().into() };
    let recorder = match Recorder::start(vec![host], folder.path()) {
        Ok(recorder) => recorder,
        Err(why) if is_refused(&why) => return println!("skipped: {why}"),
        Err(why) => panic!("{why}"),
    };
    std::thread::sleep(Duration::from_millis(50));
    assert!(recorder.stop().unwrap().samples > 0);
    let text = std::fs::read_to_string(folder.path().join("samples.ndjson")).unwrap();
    let local = client.local_addr().unwrap().to_string();
    let mut lines =
        text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let reader = lines.rfind(|line| line["remote"] == local.as_str()).unwrap();
    assert_eq!(reader["rqueue"], 1);
    assert_eq!(reader["skmem"].as_array().unwrap().len(), 9);
    let hex = reader["tcp_info"].as_str().unwrap();
    let raw: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect();
    assert_eq!(TcpInfo(&raw).state(), Some(1));
    assert!(TcpInfo(&raw).snd_mss() > Some(0));
}

#[test]
fn where_recording_cannot_begin_nothing_samples_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("events.ndjson")).unwrap();
    match Recorder::start_here("client", folder.path(), &Options::default()) {
        Err(Error::Write { path, .. }) => assert!(path.ends_with("events.ndjson"), "{path:?}"),
        Err(why) if is_refused(&why) => return println!("skipped: {why}"),
        Err(why) => panic!("{why}"),
        Ok(_) => return println!("skipped: no kernel events are written here"),
    }
    let samples = folder.path().join("samples.ndjson").canonicalize().unwrap();
    let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let open = open.filter(|fd| std::fs::read_link(fd.path()).is_ok_and(|file| file == samples));
    assert_eq!(open.count(), 0);
}
