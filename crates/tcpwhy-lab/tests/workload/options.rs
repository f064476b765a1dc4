//! What was asked of a socket is read back as it is.

use crate::place::run;
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::spec::{Flow, Role, Sending, SocketOptions, When};

fn flow(client_socket: SocketOptions, server_socket: SocketOptions) -> Flow {
    let sending = Sending { from: Role::Client, bytes: 10_000, ..Sending::default() };
    Flow { phases: vec![sending], client_socket, server_socket, ..Flow::default() }
}

#[test]
fn every_option_is_read_back() {
    let socket = SocketOptions {
        sndbuf: Some(16_384),
        rcvbuf: Some(8_192),
        window_clamp: None,
        when: When::Before,
        nodelay: true,
        notsent_lowat: Some(12_345),
        congestion: Some("reno".to_owned()),
        maxseg: Some(1_200),
        pacing: Some(50_000_000),
        keepalive: Some(Nanos::from_secs(7)),
    };
    let Some(ran) = run("options", vec![flow(socket.clone(), socket)]) else { return };
    let flow = ran.flow();
    for end in [&flow.client, flow.server.as_ref().unwrap()] {
        let effective = end.effective.as_ref().unwrap();
        assert_eq!((effective.sndbuf, effective.sndbuf_locked), (Some(32_768), Some(true)));
        assert_eq!((effective.rcvbuf, effective.rcvbuf_locked), (Some(16_384), Some(true)));
        assert_eq!((effective.nodelay, effective.notsent_lowat), (Some(true), Some(12_345)));
        assert_eq!(effective.congestion.as_deref(), Some("reno"));
        assert!(effective.maxseg.unwrap() <= 1_200);
        assert_eq!((effective.pacing, effective.keepalive), (Some(50_000_000), Some(7)));
    }
}

#[test]
fn a_window_clamp_holds_when_it_is_set_before_and_after() {
    for when in [When::Before, When::After] {
        let socket = SocketOptions { window_clamp: Some(5_000), when, ..SocketOptions::default() };
        let name = format!("clamp-{when:?}");
        let Some(ran) = run(&name, vec![flow(socket, SocketOptions::default())]) else { return };
        assert_eq!(ran.flow().client.effective.as_ref().unwrap().window_clamp, Some(5_000));
    }
}

#[test]
fn nothing_asked_leaves_the_buffers_to_the_kernel() {
    let plain = SocketOptions::default();
    let Some(ran) = run("plain", vec![flow(plain.clone(), plain)]) else { return };
    let effective = ran.flow().client.effective.as_ref().unwrap();
    assert_eq!((effective.sndbuf_locked, effective.rcvbuf_locked), (Some(false), Some(false)));
    assert_eq!(effective.nodelay, Some(false));
}

#[test]
fn buffers_set_after_the_handshake_are_locked_too() {
    let late = SocketOptions { rcvbuf: Some(8_192), when: When::After, ..SocketOptions::default() };
    let Some(ran) = run("late", vec![flow(SocketOptions::default(), late)]) else { return };
    let flow = ran.flow();
    let effective = flow.server.as_ref().unwrap().effective.as_ref().unwrap();
    assert_eq!((effective.rcvbuf, effective.rcvbuf_locked), (Some(16_384), Some(true)));
    assert_eq!(effective.sndbuf_locked, Some(false));
}

#[test]
fn an_option_that_the_kernel_refuses_ends_the_run_with_a_sentence() {
    let odd = SocketOptions { congestion: Some("warp".to_owned()), ..SocketOptions::default() };
    let Some(ran) = run("odd", vec![flow(odd, SocketOptions::default())]) else { return };
    let error = ran.outcome.as_ref().unwrap_err().to_string();
    assert!(error.starts_with("the kernel refuses TCP_CONGESTION=warp: "), "{error}");
}
