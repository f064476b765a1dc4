//! The bytes of a dump's answer (`include/uapi/linux/inet_diag.h`).
//!
//! Not by `netlink-packet-sock-diag` (0.5): it makes a vector of attributes of every socket, each with a vector of its own, where a
//! sample of 10,000 sockets looks at just the four that are wanted, in place; and one attribute that is shorter than its struct (older
//! kernels' memory information) refuses the whole socket, where here it is only a shorter list. `netlink-sys` does the socket itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Type of the messages of the interface's first form, whose answers have it, too.
pub(super) const TCPDIAG_GETSOCK: u16 = 18;
/// Type of the messages of its second form.
pub(super) const SOCK_DIAG_BY_FAMILY: u16 = 20;
pub(super) const NLMSG_ERROR: u16 = 2;
pub(super) const NLMSG_DONE: u16 = 3;
pub(super) const HEADER: usize = 16;
pub(super) const DIAG_MSG: usize = 72;
pub(super) const INET_DIAG_INFO: u16 = 2;
pub(super) const INET_DIAG_CONG: u16 = 4;
pub(super) const INET_DIAG_SKMEMINFO: u16 = 7;
const INET_DIAG_CGROUP_ID: u16 = 21;

/// AF_INET and AF_INET6.
pub(super) const FAMILIES: [u8; 2] = [2, 10];

/// One socket in an answer, where the kernel put it.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// See [`super::Sample::inode`].
    pub inode: u32,
    /// Owner of the socket's file.
    pub uid: u32,
    /// Congestion control.
    pub congestion: &'a str,
    /// See [`super::Sample::cgroup`].
    pub cgroup: u64,
    /// See [`super::Sample::cookie`].
    pub cookie: u64,
    /// Bytes received and not read.
    pub rqueue: u32,
    /// Bytes written and not acknowledged.
    pub wqueue: u32,
    /// Raw `struct tcp_info`, as long as this kernel's is.
    pub tcp_info: &'a [u8],
    pub(super) skmem: &'a [u8],
}

impl View<'_> {
    /// See [`super::Sample::skmem`].
    pub fn skmem(&self) -> impl Iterator<Item = u32> {
        self.skmem.chunks_exact(4).filter_map(|word| u32_at(word, 0))
    }
}

/// What one datagram of the answer ended with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    More,
    Done,
    /// The kernel's error number, positive.
    Refused(i32),
}

/// Hands the sockets of one datagram to `take`. Messages that are cut off, and those that answer another question, are left out.
pub(super) fn sockets(mut raw: &[u8], number: u32, mut take: impl FnMut(&View<'_>)) -> End {
    while let (Some(length), Some(kind)) = (u32_at(raw, 0), u16_at(raw, 4)) {
        let Some(body) = raw.get(HEADER..length as usize) else { break };
        match kind {
            _ if u32_at(raw, 8) != Some(number) => {}
            // A dump that fails half-way says so in its last message; one that did not has a zero there.
            NLMSG_DONE if errno(body) == 0 => return End::Done,
            NLMSG_DONE | NLMSG_ERROR => return End::Refused(errno(body)),
            SOCK_DIAG_BY_FAMILY | TCPDIAG_GETSOCK => {
                if let Some(view) = socket(body) {
                    take(&view);
                }
            }
            _ => {}
        }
        raw = raw.get((length as usize).next_multiple_of(4)..).unwrap_or_default();
    }
    End::More
}

fn errno(body: &[u8]) -> i32 {
    u32_at(body, 0).map_or(0, |e| (e as i32).wrapping_neg())
}

fn socket(body: &[u8]) -> Option<View<'_>> {
    let family = *body.first()?;
    let mut view = View {
        local: SocketAddr::new(address(family, body.get(8..24)?)?, port_at(body, 4)?),
        remote: SocketAddr::new(address(family, body.get(24..40)?)?, port_at(body, 6)?),
        cookie: u64::from(u32_at(body, 44)?) | u64::from(u32_at(body, 48)?) << 32,
        rqueue: u32_at(body, 56)?,
        wqueue: u32_at(body, 60)?,
        uid: u32_at(body, 64)?,
        inode: u32_at(body, 68)?,
        congestion: "",
        cgroup: 0,
        tcp_info: &[],
        skmem: &[],
    };
    let mut rest = body.get(DIAG_MSG..)?;
    while let (Some(length), Some(kind)) = (u16_at(rest, 0), u16_at(rest, 2)) {
        let Some(value) = rest.get(4..usize::from(length)) else { break };
        match kind {
            INET_DIAG_INFO => view.tcp_info = value,
            INET_DIAG_CONG => view.congestion = text(value),
            INET_DIAG_CGROUP_ID => view.cgroup = u64_at(value).unwrap_or(0),
            INET_DIAG_SKMEMINFO => view.skmem = value,
            _ => {}
        }
        rest = rest.get(usize::from(length).next_multiple_of(4)..).unwrap_or_default();
    }
    Some(view)
}

/// A string that a zero byte ends; one that is no text is none.
fn text(raw: &[u8]) -> &str {
    let end = raw.iter().position(|byte| *byte == 0).unwrap_or(raw.len());
    raw.get(..end).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default()
}

fn address(family: u8, raw: &[u8]) -> Option<IpAddr> {
    if family == FAMILIES[0] {
        let four: [u8; 4] = raw.get(..4)?.try_into().ok()?;
        return Some(Ipv4Addr::from(four).into());
    }
    let sixteen: [u8; 16] = raw.try_into().ok()?;
    Some(Ipv6Addr::from(sixteen).to_canonical())
}

fn port_at(raw: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(raw.get(at..at + 2)?.try_into().ok()?))
}

fn u64_at(raw: &[u8]) -> Option<u64> {
    Some(u64::from_ne_bytes(raw.get(..8)?.try_into().ok()?))
}

fn u32_at(raw: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(raw.get(at..at + 4)?.try_into().ok()?))
}

fn u16_at(raw: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(raw.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests;
