//! This host is read as the kernel shows it, and fixed buffers are seen on a descriptor.
#![cfg(target_os = "linux")]

use rustix::fs::fstat;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use tcpwhy_live::host;

#[test]
fn settings_memory_and_sockets_are_read() {
    let found = host::read().expect("this host");
    let rmem = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_rmem").expect("a setting");
    let words: Vec<_> = rmem.split_whitespace().collect();
    assert_eq!(found.setting("net.ipv4.tcp_rmem"), Some(words.join(" ").as_str()));
    assert!(found.memory > Some(1 << 20) && found.tcp_pages.is_some());
    assert!(found.settings.keys().all(|name| !name.ends_with("_key")));
    assert!(found.sockets.iter().all(|socket| !socket.remote.ip().is_loopback()));
}

#[test]
fn a_buffer_that_a_program_fixed_is_seen() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let stream = TcpStream::connect(listener.local_addr().expect("a port")).expect("a connection");
    let pid = std::process::id();
    let fd = u32::try_from(stream.as_raw_fd()).expect("a descriptor");
    let locks = match host::buffer_locks(pid, fd) {
        Ok(locks) => locks,
        Err(e) => return eprintln!("skipped: no pidfd_getfd or SO_BUF_LOCK here: {e}"),
    };
    assert!(!locks.send && !locks.receive);
    rustix::net::sockopt::set_socket_send_buffer_size(&stream, 16_384).expect("a buffer");
    let locks = host::buffer_locks(pid, fd).expect("as before");
    assert!(locks.send && !locks.receive);
    let cookie = rustix::net::sockopt::socket_cookie(&stream).expect("a cookie");
    let inode = u32::try_from(fstat(&stream).expect("a file").st_ino).expect("a socket's inode");
    let holders = host::holders(&[(inode, cookie)]);
    assert!(holders.iter().any(|h| h.pid == pid && h.locks.send), "{holders:?}");
    assert!(host::holders(&[(inode, cookie + 1)]).is_empty(), "another socket by now");
    assert!(host::buffer_locks(pid, u32::MAX).is_err());
}

#[test]
fn a_refused_connection_is_a_round_trip() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    assert!(host::connect_time(port).is_ok_and(|rtt| rtt.0 > 0), "the listener is gone");
    assert_eq!(host::route_to(port.ip()).map(|r| r.device).ok().as_deref(), Some("lo"));
}
