//! Who set a buffer, and where threads sleep, is told of real sockets.
#![cfg(all(target_os = "linux", feature = "bpf"))]
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::thread;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketType, bind, listen, socket, sockopt};
use tcpwhy_live::causes::stack::Names;
use tcpwhy_live::causes::{Causes, Slept, SocketOption};

/// `None`, and a word, where the kernel refuses.
fn open(stacks: bool, needed: &[&str]) -> Option<Causes> {
    let causes = support::allowed(Causes::open(stacks))?;
    let refused = causes.refused().iter().find(|r| needed.contains(&r.program));
    if let Some(refused) = refused {
        eprintln!("skipped: {} was refused: {}", refused.program, refused.why);
        return None;
    }
    Some(causes)
}

fn inode(socket: impl AsFd) -> u32 {
    u32::try_from(rustix::fs::fstat(socket).unwrap().st_ino).unwrap()
}

fn netns() -> u32 {
    u32::try_from(rustix::fs::stat("/proc/self/ns/net").unwrap().st_ino).unwrap()
}

fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (client, listener.accept().unwrap().0)
}

#[test]
fn who_set_a_buffer_is_told_with_value_and_stack() {
    let Some(mut causes) = open(false, &["sys_enter"]) else { return };
    let (client, _server) = connection();
    let before = thread::Builder::new().name("buffer-setter".into());
    let set = move || sockopt::set_socket_send_buffer_size(&client, 16_384).map(|()| client);
    let client = before.spawn(set).unwrap().join().unwrap().unwrap();
    sockopt::set_tcp_nodelay(&client, true).unwrap();
    causes.drain();
    let port = client.local_addr().unwrap().port();
    let asked = causes.asked(inode(&client), netns(), port);
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!((asked[0].option, asked[0].value), (SocketOption::SendBuffer, Some(16_384)));
    assert_eq!(
        (asked[0].process, asked[0].command.as_str()),
        (std::process::id(), "buffer-setter")
    );
    assert!(!asked[0].inherited);
    let stack = Names::read(false).user(asked[0].process, &asked[0].frames);
    assert!(stack[0].function.is_some() || stack[0].module.is_some(), "{stack:?}");
}

#[test]
fn what_was_set_before_listening_is_told_of_what_is_accepted() {
    let Some(mut causes) = open(false, &["sys_enter", "inet_sock_set_state"]) else { return };
    let listener = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    sockopt::set_socket_recv_buffer_size(&listener, 20_000).unwrap();
    bind(&listener, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    listen(&listener, 5).unwrap();
    let listener = TcpListener::from(listener);
    let end = listener.local_addr().unwrap();
    let _client = TcpStream::connect(end).unwrap();
    let (server, _) = listener.accept().unwrap();
    causes.drain();
    let asked = causes.asked(inode(&server), netns(), end.port());
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert!(asked[0].inherited);
    assert_eq!((asked[0].option, asked[0].value), (SocketOption::ReceiveBuffer, Some(20_000)));
}

#[test]
fn a_writer_and_a_reader_that_sleep_are_told_with_time_and_stack() {
    let Some(mut causes) = open(true, &["sched_switch"]) else { return };
    let (mut client, mut server) = connection();
    let (writes, reads) = (inode(&client), inode(&server));
    let inodes = HashSet::from([writes, reads]);
    let writer = thread::Builder::new().name("full-writer".into());
    let writer = writer.spawn(move || client.write_all(&vec![0; 30_000_000]).map(|()| client));
    let (mut slept, since): (Vec<Slept>, _) = (Vec::new(), Instant::now());
    // It sleeps already, and has not woken.
    while slept.iter().map(|s| s.ns).sum::<u64>() < 20_000_000 {
        assert!(since.elapsed() < Duration::from_secs(10), "{slept:?}");
        thread::sleep(Duration::from_millis(10));
        let (blocked, more) = causes.slept(&inodes);
        assert!(blocked.get(&reads).is_none_or(|b| b.reading_ns == 0));
        slept.extend(more);
    }
    assert!(slept.iter().all(|s| s.writes && s.command == "full-writer"), "{slept:?}");
    let names = Names::read(true);
    let kernel = names.kernel(&slept[0].kernel);
    let has = |name: &str| kernel.iter().any(|f| f.function.as_deref() == Some(name));
    let hidden = kernel.iter().all(|frame| frame.function.is_none());
    assert!(has("sk_stream_wait_memory") || hidden && !kernel.is_empty(), "{kernel:?}");
    assert!(!slept[0].user.is_empty());

    let mut rest = vec![0; 30_000_000];
    server.read_exact(&mut rest).unwrap();
    let mut client = writer.unwrap().join().unwrap().unwrap();
    causes.slept(&inodes);
    let reader = thread::spawn(move || server.read(&mut [0; 100]).map(|_| server));
    thread::sleep(Duration::from_millis(50));
    client.write_all(b"wake up").unwrap();
    let _server = reader.join().unwrap().unwrap();
    let (blocked, _) = causes.slept(&inodes);
    assert!(blocked[&reads].reading_ns > 1_000_000, "{blocked:?}");
    assert!(causes.lost().is_none(), "{:?}", causes.lost());
    causes.keep(&inodes, &HashSet::new());
    causes.keep(&HashSet::new(), &HashSet::new());
    causes.keep(&HashSet::new(), &HashSet::new());
    assert!(causes.slept(&inodes).0.is_empty(), "forgotten");
}

#[test]
fn a_raised_receive_buffer_is_counted() {
    let Some(causes) = open(false, &["tcp_rcvbuf_grow"]) else { return };
    let (mut client, mut server) = connection();
    let cookies = HashSet::from([sockopt::socket_cookie(&server).unwrap()]);
    let writer = thread::spawn(move || client.write_all(&vec![0; 50_000_000]));
    let (mut rest, mut raised) = (Vec::new(), 0);
    server.read_to_end(&mut rest).unwrap();
    writer.join().unwrap().unwrap();
    for counts in causes.counts(&cookies).values() {
        raised += counts.receive_buffer_raised;
    }
    let raised_by_sysctl = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_moderate_rcvbuf");
    assert!(raised > 0 || raised_by_sysctl.unwrap().trim() == "0");
}
