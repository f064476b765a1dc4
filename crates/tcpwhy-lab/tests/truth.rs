//! The truth about a real connection, from its kernel's state.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use tcpwhy_lab::spec::LinkSpec;
use tcpwhy_lab::truth::{Source, read};
use tcpwhy_live::{Host, Recorder};

/// What the machine refuses. Any other failure is ours, and fails the test.
fn skip(why: &str) {
    // EPERM, EACCES, ENOSYS.
    let refused = ["namespace", "/dev/net/tun", "(os error 1)", "(os error 13)", "(os error 38)"];
    assert!(refused.iter().any(|words| why.contains(words)), "{why}");
    eprintln!("skipped: {why}");
}

#[test]
fn a_reader_that_never_reads_is_the_receive_window() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let _server = listener.accept().unwrap();
    let port = client.local_addr().unwrap().port();
    let folder = tempfile::tempdir().unwrap();
    let host =
        Host { name: "client".into(), namespace: File::open("/proc/self/ns/net").unwrap().into() };
    let recorder = match Recorder::start(vec![host], folder.path()) {
        Ok(recorder) => recorder,
        Err(why) => return skip(&why.to_string()),
    };
    client.set_nonblocking(true).unwrap();
    while client.write(&[0; 65_536]).is_ok() {}
    std::thread::sleep(Duration::from_millis(300));
    recorder.stop().unwrap();
    let truth = read(folder.path(), &LinkSpec::default(), Source::Samples, &[]).unwrap();
    let sent = truth.directions.iter().find(|d| d.client.port == port).unwrap();
    assert_eq!(sent.timeline.last().unwrap().limit, "receive_window", "{sent:?}");
}

/// The writer sleeps on a buffer that its application locked: the kernel's events say so, and the truth rests on them.
#[test]
fn a_locked_send_buffer_is_told_by_its_sleeping_writer() {
    let scenario = tcpwhy_lab::scenario::Source::find("send-buffer-16k-20ms").unwrap();
    let scenario = scenario.read(false, &[]).unwrap().scenario;
    let folder = tempfile::tempdir().unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let result = match tcpwhy_lab::run::run(&scenario, None, folder.path(), &stop) {
        Ok(result) => result,
        Err(why) => return skip(&why.to_string()),
    };
    if let Some(why) = result.recorded.no_events {
        return eprintln!("skipped: {why}");
    }
    if !result.recorded.not_attached.is_empty() || result.recorded.events_lost > 0 {
        return eprintln!(
            "skipped: {:?}, {} lost",
            result.recorded.not_attached, result.recorded.events_lost
        );
    }
    let text = std::fs::read_to_string(folder.path().join("truth.json")).unwrap();
    let truth: tcpwhy_lab::truth::Truth = serde_json::from_str(&text).unwrap();
    assert_eq!(truth.source, Source::KernelEvents.name());
    let sent = truth.directions.iter().find(|d| d.from == "server").unwrap();
    let length = |i: &tcpwhy_lab::truth::Interval| i.to_ns - i.from_ns;
    let all: u64 = sent.timeline.iter().map(length).sum();
    let held = sent.timeline.iter().filter(|i| i.limit == "send_buffer");
    assert!(held.map(length).sum::<u64>() * 10 > all * 8, "{:?}", sent.timeline);
    let watched = sent.watched.unwrap();
    assert!(watched.sndbuf_locked && watched.writer_asleep_us > 0, "{watched:?}");
    assert!(sent.scheduled.iter().any(|i| i.limit == "send_buffer"), "{:?}", sent.scheduled);
}
