//! The connections with other hosts, what their paths gave, and whether their buffers are fixed.

use std::io;

use tcpwhy_core::check::Socket;

use super::locks;
use crate::sample::Dump;

/// Connections that are kept, at most.
const MOST: usize = 10_000;

pub(super) fn read() -> io::Result<Vec<Socket>> {
    let samples = Dump::open()?.sockets()?;
    let far =
        samples.iter().filter(|s| !s.remote.ip().is_loopback() && s.remote.ip() != s.local.ip());
    let mut found: Vec<(u64, Socket)> = far
        .filter_map(|s| {
            Some((s.cookie, Socket::sampled(s.local, s.remote, &s.tcp_info, &s.skmem)?))
        })
        .take(MOST)
        .collect();
    let cookies: Vec<_> = found.iter().map(|(cookie, _)| *cookie).collect();
    let holders = if cookies.is_empty() { Vec::new() } else { locks::holders(&cookies) };
    for (cookie, socket) in &mut found {
        let holder = holders.iter().find(|holder| holder.cookie == *cookie);
        socket.locks = holder.map(|holder| holder.locks);
        socket.owner = holder.map(|holder| holder.name.clone());
    }
    Ok(found.into_iter().map(|(_, socket)| socket).collect())
}
