//! Two hosts, a link, and connections between them.

use std::net::SocketAddr;
use std::os::fd::AsRawFd;

use nix::sys::socket::getsockopt;
use nix::{getsockopt_impl, sockopt_impl};
use socket2::{Domain, Protocol, Socket, Type};
use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::kernel::{Sysctls, Version};
use tcpwhy_core::link::{Rate, WaySpec};
use tcpwhy_core::units::Nanos;
use tcpwhy_lab::host::{Host, Network, kernel_release};
use tcpwhy_lab::link::{self, Running};
use tcpwhy_lab::spec::{CongestionControl, HostSpec, LinkSpec, Role};
use tcpwhy_live::locks::Borrowed;

const SETTINGS: [(&str, &str); 4] = [
    ("net.ipv4.tcp_rmem", "4096 131072 6291456"),
    ("net.ipv4.tcp_wmem", "4096 16384 4194304"),
    // No probes: they would cut packets.
    ("net.ipv4.tcp_early_retrans", "0"),
    ("net.ipv4.tcp_window_scaling", "1"),
];

/// Segment size of a packet of 1,500 bytes, with timestamps.
pub(crate) const MSS: u64 = 1_448;

pub(crate) struct Pair {
    client: Host,
    server: Host,
}

/// What the socket knows of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    /// `sk_wmem_queued`.
    pub(crate) queued: u64,
    /// SIOCOUTQNSD.
    pub(crate) unsent: u64,
    pub(crate) cwnd: u64,
    pub(crate) snd_wnd: u64,
    pub(crate) rcv_wscale: u8,
    pub(crate) resent: u32,
}

#[allow(unreachable_pub)] // The macro's.
mod option {
    use super::*;
    sockopt_impl!(
        /// `SK_MEMINFO_*`.
        MemInfo,
        GetOnly,
        nix::libc::SOL_SOCKET,
        nix::libc::SO_MEMINFO,
        [u32; 9]
    );
}

/// Both hosts and the link between them; `None`, in plain words, where the machine does not permit it.
pub(crate) fn pair(delay: Nanos, rate: Option<u64>) -> Option<(Pair, Running)> {
    let made = make(delay, rate);
    made.inspect_err(|why| {
        use tcpwhy_lab::host::Error;
        let refused = matches!(why, Error::Namespace(_) | Error::Link(link::Error::NoTun { .. }));
        assert!(refused, "{why}");
        println!("skipped: {why}");
    })
    .ok()
}

fn make(delay: Nanos, rate: Option<u64>) -> Result<(Pair, Running), tcpwhy_lab::host::Error> {
    let rate = rate.map_or(Rate::Unlimited, Rate::Constant);
    let way = WaySpec { delay, rate, ..WaySpec::default() };
    let spec = LinkSpec { up: way.clone(), down: way, ..LinkSpec::default() };
    let host = HostSpec {
        sysctls: SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        congestion: Some(CongestionControl("reno".to_owned())),
        ..HostSpec::default()
    };
    let client = Host::new(Role::Client, &host, &spec, Network::default())?;
    let server = Host::new(Role::Server, &host, &spec, Network::default())?;
    let running = link::start(&spec, client.device(), server.device(), None)?;
    Ok((Pair { client, server }, running))
}

impl Pair {
    /// Runs something in the client's namespace.
    pub(crate) fn inside_client<T: Send>(&self, run: impl FnOnce() -> T + Send) -> T {
        self.client.namespace().inside(run).unwrap()
    }

    /// As many connections, client's end first. `prepare` sees each client's socket before it connects.
    pub(crate) fn connect(
        &self,
        count: usize,
        prepare: impl Fn(usize, &Socket) + Sync,
    ) -> Vec<(Socket, Socket)> {
        let server = self.server.addresses()[0];
        let listener = self.server.namespace().inside(|| {
            let listener = tcp();
            listener.bind(&SocketAddr::from((server, 0)).into()).unwrap();
            listener.listen(1_024).unwrap();
            listener
        });
        let listener = listener.unwrap();
        let to = listener.local_addr().unwrap();
        let clients = self.client.namespace().inside(|| {
            let connect = |at| {
                let socket = tcp();
                prepare(at, &socket);
                socket.set_nonblocking(true).unwrap();
                let _ = socket.connect(&to);
                socket
            };
            (0..count).map(connect).collect::<Vec<_>>()
        });
        let mut accepted: Vec<_> = (0..count).map(|_| listener.accept().unwrap()).collect();
        let of = |client: Socket| {
            let from = client.local_addr().unwrap().as_socket();
            let at = accepted.iter().position(|(_, peer)| peer.as_socket() == from).unwrap();
            (client, accepted.swap_remove(at).0)
        };
        clients.unwrap().into_iter().map(of).collect()
    }
}

fn tcp() -> Socket {
    Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).unwrap()
}

/// A socket that is not connected; of the caller's namespace.
pub(crate) fn unconnected() -> Socket {
    tcp()
}

/// The options for which there is no safe wrapper.
pub(crate) fn borrow(socket: &Socket) -> Borrowed {
    Borrowed::new(std::process::id(), socket.as_raw_fd() as u32).unwrap()
}

pub(crate) fn state(socket: &Socket) -> State {
    let raw = borrow(socket).tcp_info().unwrap();
    let info = TcpInfo(&raw);
    let memory = getsockopt(socket, option::MemInfo).unwrap();
    State {
        queued: u64::from(memory[5]),
        unsent: u64::from(info.notsent_bytes().unwrap()),
        cwnd: u64::from(info.snd_cwnd().unwrap()),
        snd_wnd: u64::from(info.snd_wnd().unwrap()),
        rcv_wscale: info.rcv_wscale().unwrap(),
        resent: info.total_retrans().unwrap(),
    }
}

pub(crate) fn version() -> Version {
    Version::parse(&kernel_release()).unwrap()
}

/// The settings of the hosts, and the machine's limits.
pub(crate) fn sysctls() -> Sysctls {
    let mut sysctls = Sysctls::default();
    for (name, value) in &SETTINGS[..2] {
        sysctls.set(name, value).unwrap();
    }
    for name in ["net/core/wmem_max", "net/core/rmem_max", "net/ipv4/tcp_adv_win_scale"] {
        if let Ok(value) = std::fs::read_to_string(format!("/proc/sys/{name}")) {
            sysctls.set(name, &value).unwrap();
        }
    }
    sysctls
}
