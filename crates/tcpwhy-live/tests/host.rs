//! This host is read as the kernel shows it.
#![cfg(target_os = "linux")]

use std::net::TcpListener;
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
fn a_refused_connection_is_a_round_trip() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    assert!(host::connect_time(port).is_ok_and(|rtt| rtt.0 > 0), "the listener is gone");
    assert_eq!(host::route_to(port.ip()).map(|r| r.device).ok().as_deref(), Some("lo"));
}
