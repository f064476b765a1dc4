//! What runs on the hosts.

use super::Role;
use tcpwhy_core::units::Nanos;

/// What runs.
#[derive(Debug, Clone, PartialEq)]
pub enum Workload {
    /// Our own sockets.
    Flows(Vec<Flow>),
    /// Real programs.
    Programs(Vec<Program>),
}

/// One connection and what both ends do on it.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// Port of the server.
    pub port: u16,
    /// This many connections alike, at once.
    pub count: u32,
    /// When the client connects, from the start of the run.
    pub start: Nanos,
    /// Socket of the client.
    pub client_socket: SocketOptions,
    /// Socket of the server.
    pub server_socket: SocketOptions,
    /// Over IPv6.
    pub ipv6: bool,
    /// One after the other on the same connection.
    pub phases: Vec<Sending>,
    /// Something between the two ends, on the host that it names.
    pub relay: Option<Relay>,
    /// Gives up after this.
    pub give_up: Nanos,
    /// Carries load, not the transfer that is judged.
    pub cross_traffic: bool,
}

impl Default for Flow {
    /// One connection to port 5001 with nothing to say, given up after 30 s.
    fn default() -> Self {
        Self {
            port: 5001,
            count: 1,
            start: Nanos::ZERO,
            client_socket: SocketOptions::default(),
            server_socket: SocketOptions::default(),
            ipv6: false,
            phases: Vec::new(),
            relay: None,
            give_up: Nanos::from_secs(30),
            cross_traffic: false,
        }
    }
}

/// One direction's part: `from` writes `bytes`, the other end reads them all.
#[derive(Debug, Clone, PartialEq)]
pub struct Sending {
    /// Who writes.
    pub from: Role,
    /// How much, in bytes.
    pub bytes: u64,
    /// Bytes of one write call.
    pub write: u64,
    /// Pause after each write.
    pub think: Nanos,
    /// Pause before the first write (the peer's or the own work).
    pub before: Nanos,
    /// Non-blocking with epoll instead of blocking calls.
    pub epoll: bool,
    /// How the other end reads.
    pub reader: Pace,
    /// This many times: neighbours with the same number above 1 take turns that often (request and response).
    pub rounds: u32,
    /// Runs at the same time as the sending before it (both directions at once) instead of after it.
    pub together: bool,
}

impl Default for Sending {
    /// One megabyte from the server, in writes of 64 KiB, read as it comes.
    fn default() -> Self {
        Self {
            from: Role::Server,
            bytes: 1_000_000,
            write: 65_536,
            think: Nanos::ZERO,
            before: Nanos::ZERO,
            epoll: false,
            reader: Pace::Fast,
            rounds: 1,
            together: false,
        }
    }
}

/// How an application reads.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Pace {
    /// As fast as it can.
    #[default]
    Fast,
    /// Bytes per second, in chunks of this many bytes.
    Rate {
        /// Bytes per second.
        bytes_per_second: u64,
        /// Bytes of one read.
        chunk: u64,
    },
    /// Stops reading at `stop` and goes on at `resume` (each from the first byte on); `None`: never.
    Stops(Vec<(Nanos, Option<Nanos>)>),
}

/// When an option is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum When {
    /// Before connect or listen, where it can shape the SYN.
    #[default]
    Before,
    /// After connect or accept.
    After,
}

/// Options of one end's socket; `None` leaves the kernel's default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SocketOptions {
    /// SO_SNDBUF in bytes as given to setsockopt.
    pub sndbuf: Option<u64>,
    /// SO_RCVBUF in bytes as given to setsockopt.
    pub rcvbuf: Option<u64>,
    /// TCP_WINDOW_CLAMP in bytes.
    pub window_clamp: Option<u64>,
    /// When the three above are set.
    pub when: When,
    /// TCP_NODELAY.
    pub nodelay: bool,
    /// TCP_NOTSENT_LOWAT in bytes.
    pub notsent_lowat: Option<u64>,
    /// TCP_CONGESTION; normally the route's is used.
    pub congestion: Option<String>,
    /// TCP_MAXSEG in bytes.
    pub maxseg: Option<u64>,
    /// SO_MAX_PACING_RATE in bytes per second.
    pub pacing: Option<u64>,
    /// SO_KEEPALIVE: silence after which it is asked whether the peer is there, and between two such questions; whole seconds.
    pub keepalive: Option<Nanos>,
}

/// A proxy: reads from one socket, writes to another, with its own buffers on both.
///
/// On the server's host the link lies before it (the client reaches it over the link, its backends are local: case A); on the
/// client's host the link lies behind it (its client is local, each backend is a connection over the link: case C4).
#[derive(Debug, Clone, PartialEq)]
pub struct Relay {
    /// Where it runs.
    pub on: Role,
    /// Its socket towards the client.
    pub front: SocketOptions,
    /// Its socket towards the backend.
    pub back: SocketOptions,
    /// Backends, each sending an equal share of the bytes; 1 is a plain proxy. With more, every backend gets what the client
    /// sends, and the first is read to its end before the second is read at all.
    pub shards: u32,
}

/// A real program in a host.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Where it runs.
    pub on: Role,
    /// Command and arguments; `{server}`, `{client}`, `{port}`, `{dir}` (a scratch directory) are filled in.
    pub command: Vec<String>,
    /// Port that it serves: the run goes on when it listens there, and ends it when the others are done. A program that serves
    /// nothing runs to its end before the next one starts.
    pub serves: Option<u16>,
    /// A step of preparation: outside of what is measured, and its failure ends the run.
    pub prepare: bool,
    /// Given to its standard input.
    pub stdin: Option<String>,
    /// A relay of ours in front of the port that it serves.
    pub front: Option<Front>,
    /// Killed after this, unless it serves and listens by then: it lives as long as the run.
    pub give_up: Nanos,
}

impl Default for Program {
    /// No command yet, on the client's host; killed after 60 s.
    fn default() -> Self {
        Self {
            on: Role::Client,
            command: Vec::new(),
            serves: None,
            prepare: false,
            stdin: None,
            front: None,
            give_up: Nanos::from_secs(60),
        }
    }
}

/// A relay in front of a program that serves.
#[derive(Debug, Clone, PartialEq)]
pub struct Front {
    /// Port that the relay listens on; the connection behind it goes to the program's port.
    pub port: u16,
    /// Its sockets; it runs on the program's host and has one backend.
    pub relay: Relay,
}
