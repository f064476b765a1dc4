//! Sockets of this process, watched.

use super::*;
use std::io::Write;
use std::net::{TcpListener, TcpStream};

fn of(watch: &mut Watch, port: u16) -> Vec<Observed> {
    watch.sample().unwrap();
    let of_port = |s: &Sample| s.local.port() == port || s.remote.port() == port;
    watch.round(|sample, _| of_port(sample)).cloned().collect()
}

#[test]
fn a_socket_is_seen_with_its_owner_and_what_it_carried() {
    let Ok(mut watch) = Watch::open() else { return println!("skipped: no sock_diag") };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let end = listener.local_addr().unwrap();
    let mut client = TcpStream::connect(end).unwrap();
    let _server = listener.accept().unwrap();
    watch.sample().unwrap();
    client.write_all(&[0; 1000]).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(20));
    let seen = of(&mut watch, end.port());
    assert_eq!(seen.len(), 2);
    let sender = seen.iter().find(|s| s.sample.remote == end).unwrap();
    assert_eq!(sender.last.acked - sender.first.acked, 1000);
    assert_eq!(sender.owner.as_ref().unwrap().pid, std::process::id());
    assert!(!sender.sample.congestion.is_empty());
    let receiver = seen.iter().find(|s| s.sample.local == end).unwrap();
    assert_eq!(receiver.last.received - receiver.first.received, 1000);
}

#[test]
fn a_closed_socket_is_handed_out_once_more_and_forgotten() {
    let Ok(mut watch) = Watch::open() else { return println!("skipped: no sock_diag") };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let end = listener.local_addr().unwrap();
    for _ in 0..50 {
        let client = TcpStream::connect(end).unwrap();
        let server = listener.accept().unwrap();
        watch.sample().unwrap();
        drop((client, server));
    }
    let closed = of(&mut watch, end.port());
    assert_eq!(closed.len(), 100);
    assert!(closed.iter().filter(|s| s.closed).count() >= 98);
    let left = |watch: &mut Watch| of(watch, end.port()).iter().filter(|s| s.closed).count();
    assert!(left(&mut watch) <= 2);
    assert_eq!(left(&mut watch), 0);
}

#[test]
fn a_resting_socket_keeps_two_states() {
    let Ok(mut watch) = Watch::open() else { return println!("skipped: no sock_diag") };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let end = listener.local_addr().unwrap();
    let _both = (TcpStream::connect(end).unwrap(), listener.accept().unwrap());
    for _ in 0..20 {
        watch.sample().unwrap();
    }
    let seen = of(&mut watch, end.port());
    assert!(seen.iter().all(|s| s.states.len() <= 3), "{seen:?}");
}

#[test]
fn a_sample_that_was_refused_closes_nothing() {
    let Ok(mut watch) = Watch::open() else { return println!("skipped: no sock_diag") };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let end = listener.local_addr().unwrap();
    let both = (TcpStream::connect(end).unwrap(), listener.accept().unwrap());
    assert_eq!(of(&mut watch, end.port()).len(), 2);
    watch.start_round();
    // As a dump that fails leaves it.
    watch.dumps += 1;
    let is_open = |s: &&Observed| !s.closed && s.sample.inode != 0;
    let of_port = |s: &Sample| s.local.port() == end.port() || s.remote.port() == end.port();
    assert_eq!(watch.round(|sample, _| of_port(sample)).filter(is_open).count(), 2);
    assert_eq!(of(&mut watch, end.port()).iter().filter(is_open).count(), 2);
    drop(both);
}
