//! The rules of `kernel/` against the running kernel: sockets on the loopback, read back with getsockopt and `ss`. Those that need a link
//! are in `tcpwhy-lab/tests/kernel`.
#![cfg(not(target_family = "wasm"))]
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

#[cfg(not(target_os = "linux"))]
#[test]
fn rules_match_the_running_kernel() {
    println!("skipped: the rules are Linux's");
}

#[cfg(target_os = "linux")]
mod linux {
    use socket2::{Domain, Socket, Type};
    use std::net::{Ipv4Addr, SocketAddr};
    use std::process::Command;
    use tcpwhy_core::kernel::buffers::{Asked, receive_buffer, send_buffer};
    use tcpwhy_core::kernel::window::{Share, opening};
    use tcpwhy_core::kernel::{Sysctls, Version, send};

    const GRID: [u64; 14] = [
        0,
        1,
        1_152,
        2_304,
        4_096,
        8_192,
        16_384,
        32_768,
        65_536,
        212_992,
        212_993,
        1 << 20,
        4 << 20,
        (4 << 20) + 1,
    ];
    /// The loopback: MTU 65,536 less headers and timestamps.
    const MSS: u64 = 65_483;

    fn host() -> Option<(Version, Sysctls)> {
        let read = |path: &str| std::fs::read_to_string(format!("/proc/sys/{path}")).ok();
        let version = Version::parse(&read("kernel/osrelease")?)?;
        let mut sysctls = Sysctls::default();
        for name in
            ["net/ipv4/tcp_wmem", "net/ipv4/tcp_rmem", "net/core/wmem_max", "net/core/rmem_max"]
        {
            sysctls.set(name, &read(name)?).ok()?;
        }
        if let Some(text) = read("net/ipv4/tcp_adv_win_scale") {
            sysctls.set("tcp_adv_win_scale", &text).ok()?;
        }
        Some((version, sysctls))
    }

    fn socket() -> Socket {
        Socket::new(Domain::IPV4, Type::STREAM, None).unwrap()
    }

    #[test]
    fn buffers_read_back_as_computed() {
        let Some((_, sysctls)) = host() else {
            println!("skipped: /proc/sys cannot be read");
            return;
        };
        assert_eq!(
            socket().send_buffer_size().unwrap() as u64,
            send_buffer(Asked::Automatic, &sysctls)
        );
        assert_eq!(
            socket().recv_buffer_size().unwrap() as u64,
            receive_buffer(Asked::Automatic, &sysctls)
        );
        for asked in GRID {
            let s = socket();
            s.set_send_buffer_size(asked as usize).unwrap();
            s.set_recv_buffer_size(asked as usize).unwrap();
            assert_eq!(
                s.send_buffer_size().unwrap() as u64,
                send_buffer(Asked::Set(asked), &sysctls),
                "SO_SNDBUF {asked}"
            );
            assert_eq!(
                s.recv_buffer_size().unwrap() as u64,
                receive_buffer(Asked::Set(asked), &sysctls),
                "SO_RCVBUF {asked}"
            );
        }
    }

    /// A connected client whose SO_RCVBUF was set before connect, and its server's end, as `ss` shows them.
    fn seen(rcvbuf: Option<u64>) -> Option<[String; 2]> {
        let listener = socket();
        listener.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
        listener.listen(1).unwrap();
        let client = socket();
        if let Some(bytes) = rcvbuf {
            client.set_recv_buffer_size(bytes as usize).unwrap();
        }
        client.connect(&listener.local_addr().unwrap()).unwrap();
        let port = client.local_addr().unwrap().as_socket().unwrap().port();
        let shown = |end: &str| {
            let output = Command::new("ss").args(["-tinmH", &format!("{end} = :{port}")]).output();
            let text = String::from_utf8_lossy(&output.ok()?.stdout).into_owned();
            Some(text).filter(|text| text.contains("skmem"))
        };
        let accepted = listener.accept().unwrap();
        let both = [shown("sport")?, shown("dport")?];
        drop((accepted, client));
        Some(both)
    }

    fn field(text: &str, name: &str) -> Option<u64> {
        let digits = text.split_once(name)?.1;
        digits.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    #[test]
    fn window_scales_and_first_send_buffers_are_those_of_ss() {
        let Some((version, sysctls)) = host() else {
            println!("skipped: /proc/sys cannot be read");
            return;
        };
        let set = [2_304, 4_096, 8_192, 16_384, 30_000, 65_536, 200_000, 1 << 20];
        for asked in [None].into_iter().chain(set.map(Some)) {
            let Some([text, other]) = seen(asked) else {
                println!("skipped: no `ss` that shows memory");
                return;
            };
            let how = asked.map_or(Asked::Automatic, Asked::Set);
            let rcvbuf = receive_buffer(how, &sysctls);
            let share = Share::first(version, &sysctls);
            let open = opening(version, how, None, share, MSS, 0, &sysctls);
            // wscale:SENDER,OURS; not shown when both are 0.
            let ours = text.split_once("wscale:").and_then(|(_, t)| field(t, ","));
            assert_eq!(ours.unwrap_or(0), u64::from(open.scale), "SO_RCVBUF {asked:?}: {text}");
            // The window of the SYN, in units of the scale as the ACK after it says it; from a segment of the loopback on it says more.
            let room = Share::first(version, &sysctls).window(rcvbuf);
            if let Some(window) =
                field(&other, "snd_wnd:").filter(|_| asked.is_none() || room < MSS)
            {
                let first = open.window.next_multiple_of(1 << open.scale);
                assert_eq!(window, first, "SO_RCVBUF {asked:?}: {other}");
            }
            // The kernel remembers reordering of earlier connections with the same host; `ss` shows it where it is not 3.
            let reordering = field(&text, " reordering:").unwrap_or(3);
            let grown = |factor| {
                send::expanded(
                    sysctls.tcp_wmem[1],
                    MSS,
                    10,
                    reordering,
                    factor,
                    sysctls.tcp_wmem[2],
                )
            };
            // bbr asks for three windows.
            let (sndbuf, bbr) = (grown(2), grown(3));
            let shown = field(&text, ",tb").unwrap();
            assert!(shown == sndbuf || shown == bbr, "send buffer {sndbuf} or {bbr}: {text}");
        }
    }
}
