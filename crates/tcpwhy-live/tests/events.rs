//! What happens to real sockets is told by the kernel: a writer that sleeps on a full send buffer, a reader that sleeps on an empty one.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::linux::fs::MetadataExt;
use std::thread;
use std::time::{Duration, Instant};

use tcpwhy_live::events::{Event, Kind, Scope, Stream};

/// Of this process's namespace; `None`, and a word, where the kernel refuses.
fn open() -> Option<Stream> {
    let inode = std::fs::metadata("/proc/self/ns/net").unwrap().st_ino();
    support::stream(&Scope::Namespaces(vec![u32::try_from(inode).unwrap()]))
}

fn is_attached(stream: &Stream, program: &str) -> bool {
    let refused = stream.refused().iter().find(|r| r.program == program);
    if let Some(refused) = refused {
        eprintln!("skipped: {program} was refused: {}", refused.why);
    }
    refused.is_none()
}

/// Collects the events of the connection between two ports until `enough`, for ten seconds at most.
fn until(stream: &mut Stream, ports: [u16; 2], enough: impl Fn(&[Event]) -> bool) -> Vec<Event> {
    let (mut seen, since) = (Vec::new(), Instant::now());
    while !enough(&seen) && since.elapsed() < Duration::from_secs(10) {
        stream.drain(|event| {
            if ports.contains(&event.local_port) && ports.contains(&event.remote_port) {
                seen.push(event);
            }
        });
        thread::sleep(Duration::from_millis(5));
    }
    seen
}

fn connection() -> (TcpStream, TcpStream, [u16; 2]) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let server = listener.accept().unwrap().0;
    let ports = [client.local_addr().unwrap().port(), server.local_addr().unwrap().port()];
    (client, server, ports)
}

#[test]
fn a_writer_that_sleeps_on_a_full_buffer_is_told_with_its_socket() {
    let Some(mut stream) = open() else { return };
    if !is_attached(&stream, "sched_switch") || !is_attached(&stream, "tcp_probe") {
        return;
    }
    let (mut client, mut server, ports) = connection();
    let writer = thread::Builder::new().name("full-writer".into());
    let writer = writer.spawn(move || client.write_all(&vec![0; 30_000_000])).unwrap();
    let has = |kind| move |seen: &[Event]| seen.iter().any(|e| e.kind == kind);
    let mut seen = until(&mut stream, ports, has(Kind::WriterBlocks));
    let mut rest = Vec::new();
    server.read_to_end(&mut rest).unwrap();
    writer.join().unwrap().unwrap();
    assert_eq!(rest.len(), 30_000_000);
    seen.extend(until(&mut stream, ports, has(Kind::WriterWakes)));
    let blocks = seen.iter().find(|e| e.kind == Kind::WriterBlocks).unwrap();
    assert_eq!((blocks.local_port, blocks.comm.as_str()), (ports[0], "full-writer"));
    let wakes = seen.iter().find(|e| e.kind == Kind::WriterWakes).unwrap();
    assert_eq!(wakes.task, blocks.task);
    assert!(wakes.t_ns > blocks.t_ns && wakes.value > 0, "{wakes:?}");
    let sender = |e: &&Event| e.kind == Kind::Send && e.local_port == ports[0];
    let sent = seen.iter().find(sender).unwrap();
    assert_eq!((sent.cookie, sent.task), (blocks.cookie, blocks.task));
    let socket = sent.socket.unwrap();
    assert!(socket.mss > 0 && socket.snd_cwnd > 0 && socket.sndbuf > 0, "{socket:?}");
    assert_eq!(stream.lost(), 0);
}

#[test]
fn a_reader_that_sleeps_is_told_and_a_locked_buffer_shows() {
    let Some(mut stream) = open() else { return };
    if !is_attached(&stream, "sched_switch") || !is_attached(&stream, "tcp_rcv_space_adjust") {
        return;
    }
    let (mut client, mut server, ports) = connection();
    rustix::net::sockopt::set_socket_recv_buffer_size(&server, 16_384).unwrap();
    let reader = thread::spawn(move || server.read(&mut [0; 100]).map(|_| server));
    let has = |kind| move |seen: &[Event]| seen.iter().any(|e| e.kind == kind);
    let asleep = until(&mut stream, ports, has(Kind::ReaderBlocks));
    assert!(asleep.iter().any(|e| e.kind == Kind::ReaderBlocks && e.local_port == ports[1]));
    client.write_all(b"wake up").unwrap();
    let _server = reader.join().unwrap().unwrap();
    let awake = until(&mut stream, ports, |seen| {
        has(Kind::ReaderWakes)(seen) && has(Kind::ReadSpace)(seen)
    });
    assert!(awake.iter().any(|e| e.kind == Kind::ReaderWakes && e.local_port == ports[1]));
    let read = awake.iter().find(|e| e.kind == Kind::ReadSpace).unwrap();
    assert_eq!(read.socket.unwrap().locks, 2);
}
