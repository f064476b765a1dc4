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
        Err(why) => return println!("skipped: {why}"),
    };
    client.set_nonblocking(true).unwrap();
    while client.write(&[0; 65_536]).is_ok() {}
    std::thread::sleep(Duration::from_millis(300));
    recorder.stop().unwrap();
    let truth = read(folder.path(), &LinkSpec::default(), Source::Samples, &[]).unwrap();
    let sent = truth.directions.iter().find(|d| d.client.port == port).unwrap();
    assert_eq!(sent.timeline.last().unwrap().limit, "receive_window", "{sent:?}");
}
