//! Socket options: set as asked, read back as they are.

use super::{Error, raw};
use crate::spec::{SocketOptions, When};
use serde::Serialize;
use socket2::{Socket, TcpKeepalive};
use std::io;
use std::time::Duration;

/// What the kernel says about a socket's options; `None` where this kernel does not say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effective {
    /// SO_SNDBUF in bytes: twice what was asked, bounded by `net.core.wmem_max`.
    pub sndbuf: Option<u64>,
    /// SO_RCVBUF in bytes: twice what was asked, bounded by `net.core.rmem_max`.
    pub rcvbuf: Option<u64>,
    /// SO_SNDBUF was fixed by the application (SO_BUF_LOCK).
    pub sndbuf_locked: Option<bool>,
    /// SO_RCVBUF was fixed by the application (SO_BUF_LOCK).
    pub rcvbuf_locked: Option<bool>,
    /// TCP_WINDOW_CLAMP in bytes.
    pub window_clamp: Option<u64>,
    /// TCP_NODELAY.
    pub nodelay: Option<bool>,
    /// TCP_NOTSENT_LOWAT in bytes; 0: the namespace's `net.ipv4.tcp_notsent_lowat` holds.
    pub notsent_lowat: Option<u64>,
    /// TCP_CONGESTION.
    pub congestion: Option<String>,
    /// TCP_MAXSEG in bytes.
    pub maxseg: Option<u64>,
    /// SO_MAX_PACING_RATE in bytes per second; all ones: none.
    pub pacing: Option<u64>,
    /// TCP_KEEPIDLE in seconds, where SO_KEEPALIVE is on.
    pub keepalive: Option<u64>,
}

impl Effective {
    /// Reads every option back.
    pub(super) fn of(socket: &Socket) -> Self {
        let locks = raw::get_u32(socket, raw::BUF_LOCK).ok();
        let keepalive = socket.keepalive().ok().filter(|on| *on);
        let congestion = socket
            .tcp_congestion()
            .ok()
            .map(|name| String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned());
        Self {
            sndbuf: socket.send_buffer_size().ok().map(|n| n as u64),
            rcvbuf: socket.recv_buffer_size().ok().map(|n| n as u64),
            sndbuf_locked: locks.map(|bits| bits & 1 != 0),
            rcvbuf_locked: locks.map(|bits| bits & 2 != 0),
            window_clamp: raw::get_u32(socket, raw::WINDOW_CLAMP).ok().map(u64::from),
            nodelay: socket.tcp_nodelay().ok(),
            notsent_lowat: socket.tcp_notsent_lowat().ok().map(u64::from),
            congestion,
            maxseg: socket.tcp_mss().ok().map(u64::from),
            pacing: raw::get_u64(socket, raw::MAX_PACING_RATE).ok(),
            keepalive: keepalive.and_then(|_| Some(socket.tcp_keepalive_time().ok()?.as_secs())),
        }
    }
}

/// Sets what belongs before connect or listen.
pub(super) fn set_before(socket: &Socket, asked: &SocketOptions) -> Result<(), Error> {
    if asked.when == When::Before {
        set_buffers(socket, asked)?;
    }
    if asked.nodelay {
        refused("TCP_NODELAY", 1, socket.set_tcp_nodelay(true))?;
    }
    if let Some(n) = asked.notsent_lowat {
        refused("TCP_NOTSENT_LOWAT", n, narrow(n).and_then(|v| socket.set_tcp_notsent_lowat(v)))?;
    }
    if let Some(name) = &asked.congestion {
        refused("TCP_CONGESTION", name, socket.set_tcp_congestion(name.as_bytes()))?;
    }
    if let Some(n) = asked.maxseg {
        refused("TCP_MAXSEG", n, narrow(n).and_then(|v| socket.set_tcp_mss(v)))?;
    }
    if let Some(every) = asked.keepalive {
        let every = Duration::from_nanos(every.0.unsigned_abs());
        let keepalive = TcpKeepalive::new().with_time(every).with_interval(every);
        let text = format!("{} s", every.as_secs());
        refused("SO_KEEPALIVE", text, socket.set_tcp_keepalive(&keepalive))?;
    }
    if let Some(n) = asked.pacing {
        let set = raw::set(socket, raw::MAX_PACING_RATE, &n.to_ne_bytes());
        refused("SO_MAX_PACING_RATE", n, set)?;
    }
    Ok(())
}

/// Sets what belongs after connect or accept.
pub(super) fn set_after(socket: &Socket, asked: &SocketOptions) -> Result<(), Error> {
    if asked.when == When::After { set_buffers(socket, asked) } else { Ok(()) }
}

fn set_buffers(socket: &Socket, asked: &SocketOptions) -> Result<(), Error> {
    if let Some(n) = asked.sndbuf {
        refused("SO_SNDBUF", n, size(n).and_then(|v| socket.set_send_buffer_size(v)))?;
    }
    if let Some(n) = asked.rcvbuf {
        refused("SO_RCVBUF", n, size(n).and_then(|v| socket.set_recv_buffer_size(v)))?;
    }
    if let Some(n) = asked.window_clamp {
        let set = narrow(n).and_then(|v| raw::set(socket, raw::WINDOW_CLAMP, &v.to_ne_bytes()));
        refused("TCP_WINDOW_CLAMP", n, set)?;
    }
    Ok(())
}

/// These options are C ints.
fn narrow(n: u64) -> io::Result<u32> {
    i32::try_from(n).map(i32::unsigned_abs).map_err(|_| {
        io::Error::new(io::ErrorKind::InvalidInput, "2,147,483,647 is the most it takes")
    })
}

fn size(n: u64) -> io::Result<usize> {
    narrow(n).map(|v| v as usize)
}

fn refused(
    option: &'static str,
    value: impl ToString,
    result: io::Result<()>,
) -> Result<(), Error> {
    result.map_err(|cause| Error::Option { option, value: value.to_string(), cause })
}
