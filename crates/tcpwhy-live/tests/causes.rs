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
use rustix::pipe::{SpliceFlags, pipe, splice};
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

/// Pours what comes out of a pipe into a socket that nobody reads, until the other end closes.
fn splice_into(socket: TcpStream) {
    let (out, into) = pipe().unwrap();
    let feeder = thread::spawn(move || {
        let data = vec![0; 1 << 20];
        while rustix::io::write(&into, &data).is_ok() {}
    });
    while splice(&out, None, &socket, None, 1 << 16, SpliceFlags::empty()).is_ok_and(|n| n > 0) {}
    drop(out);
    feeder.join().unwrap();
}

#[test]
fn a_thread_that_sleeps_in_splice_is_told_where_the_kernel_allows_fentry() {
    let needed = ["sched_switch", "fentry/sk_stream_wait_memory"];
    let Some(mut causes) = open(false, &needed) else { return };
    let (client, server) = connection();
    let inodes = HashSet::from([inode(&client)]);
    let writer = thread::Builder::new().name("full-splicer".into());
    let writer = writer.spawn(move || splice_into(client)).unwrap();
    let (mut slept, since): (Vec<Slept>, _) = (Vec::new(), Instant::now());
    while slept.iter().map(|s| s.ns).sum::<u64>() < 20_000_000 {
        assert!(since.elapsed() < Duration::from_secs(10), "{slept:?}");
        thread::sleep(Duration::from_millis(10));
        slept.extend(causes.slept(&inodes).1);
    }
    assert!(slept.iter().all(|s| s.writes && s.command == "full-splicer"), "{slept:?}");
    // A connection with unread data that is closed is reset, which ends the splice.
    drop(server);
    writer.join().unwrap();
}

#[test]
fn steps_of_both_buffers_are_told_with_their_sizes_and_none_of_what_is_fixed() {
    let Some(causes) = open(false, &["tcp_probe"]) else { return };
    let (mut client, mut server) = connection();
    let (sends, receives) =
        (sockopt::socket_cookie(&client).unwrap(), sockopt::socket_cookie(&server).unwrap());
    let before = [
        sockopt::socket_send_buffer_size(&client).unwrap() as u32,
        sockopt::socket_recv_buffer_size(&server).unwrap() as u32,
    ];
    let writer = thread::spawn(move || client.write_all(&vec![0; 50_000_000]).map(|()| client));
    server.read_exact(&mut vec![0; 50_000_000]).unwrap();
    // A last segment finds what the one before it changed.
    let mut client = writer.join().unwrap().unwrap();
    server.write_all(b"seen").unwrap();
    client.read_exact(&mut [0; 4]).unwrap();
    client.write_all(b"seen").unwrap();
    server.read_exact(&mut [0; 4]).unwrap();
    let sent = causes.tuned(sends).unwrap_or_default();
    let received = causes.tuned(receives).unwrap_or_default();
    let after = [
        sockopt::socket_send_buffer_size(&client).unwrap() as u32,
        sockopt::socket_recv_buffer_size(&server).unwrap() as u32,
    ];
    for (send, tuned, before, after) in
        [(true, sent, before[0], after[0]), (false, received, before[1], after[1])]
    {
        let steps: Vec<_> = tuned.newest.iter().filter(|step| step.send == send).collect();
        // Without growth there is no step (tcp_moderate_rcvbuf=0, tcp_wmem fixed).
        assert_eq!(steps.is_empty(), before == after, "{send}: {before} {after} {tuned:?}");
        assert!(steps.windows(2).all(|two| two[0].to == two[1].from), "{tuned:?}");
        assert_eq!(steps.last().map_or(after, |step| step.to), after, "{tuned:?}");
    }
    sockopt::set_socket_send_buffer_size(&client, 20_000).unwrap();
    let steps = causes.tuned(sends).unwrap_or_default();
    client.write_all(b"more").unwrap();
    server.read_exact(&mut [0; 4]).unwrap();
    server.write_all(b"more").unwrap();
    client.read_exact(&mut [0; 4]).unwrap();
    assert_eq!(causes.tuned(sends).unwrap_or_default(), steps, "the application's, no step");
}

#[test]
fn what_a_kernel_refuses_is_named_and_only_fentry_and_the_iterator_may_be() {
    let Some(causes) = open(false, &[]) else { return };
    for refused in causes.refused() {
        let is_optional = ["fentry/", "iter/"].iter().any(|kind| refused.program.starts_with(kind));
        assert_eq!(refused.optional, is_optional, "{refused:?}");
        assert!(!refused.why.is_empty() && !refused.why.contains('\n'), "{refused:?}");
        eprintln!("{}: {}", refused.program, refused.why);
    }
}
