//! The bytes of a dump (`include/uapi/linux/inet_diag.h`): the request, and the sockets in an answer.
//!
//! Not by `netlink-packet-sock-diag` (0.5): it makes a vector of attributes of every socket, each with a vector of its own, where a
//! sample of 10,000 sockets copies just the four that are wanted; and one attribute that is shorter than its struct (older kernels' memory
//! information) refuses the whole socket, where here it is only a shorter list. `netlink-sys` does the socket itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::Sample;

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST_DUMP: u16 = 0x301;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const HEADER: usize = 16;
const DIAG_MSG: usize = 72;
const INET_DIAG_INFO: u16 = 2;
const INET_DIAG_CONG: u16 = 4;
const INET_DIAG_CGROUP_ID: u16 = 21;
const INET_DIAG_SKMEMINFO: u16 = 7;
const IPPROTO_TCP: u8 = 6;
/// Every state but LISTEN (10), TIME_WAIT (6) and NEW_SYN_RECV (12), which have no `tcp_info` of a transfer; a bit each.
const STATES: u32 = 0xfff & !(1 << 10) & !(1 << 6);

/// AF_INET and AF_INET6.
pub(super) const FAMILIES: [u8; 2] = [2, 10];

/// Asks for all sockets of a family, with `tcp_info`, congestion control and memory.
pub(super) fn request(family: u8) -> Vec<u8> {
    let mut raw = Vec::with_capacity(HEADER + 56);
    raw.extend((HEADER as u32 + 56).to_ne_bytes());
    raw.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    raw.extend(NLM_F_REQUEST_DUMP.to_ne_bytes());
    raw.extend([0; 8]);
    // The cgroup comes without being asked for.
    let wanted = [INET_DIAG_INFO, INET_DIAG_CONG, INET_DIAG_SKMEMINFO]
        .iter()
        .fold(0_u8, |bits, attribute| bits | 1 << (attribute - 1));
    raw.extend([family, IPPROTO_TCP, wanted, 0]);
    raw.extend(STATES.to_ne_bytes());
    raw.extend([0; 48]);
    raw
}

/// What one datagram of the answer ended with.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    More,
    Done,
    /// The kernel's error number, positive.
    Refused(i32),
}

/// Adds the sockets of one datagram to `out`. Messages that are cut off are left out.
pub(super) fn sockets(mut raw: &[u8], out: &mut Vec<Sample>) -> End {
    while let (Some(length), Some(kind)) = (u32_at(raw, 0), u16_at(raw, 4)) {
        let Some(body) = raw.get(HEADER..length as usize) else { break };
        match kind {
            NLMSG_DONE => return End::Done,
            NLMSG_ERROR => {
                return End::Refused(u32_at(body, 0).map_or(0, |e| (e as i32).wrapping_neg()));
            }
            SOCK_DIAG_BY_FAMILY => out.extend(socket(body)),
            _ => {}
        }
        raw = raw.get((length as usize).next_multiple_of(4)..).unwrap_or_default();
    }
    End::More
}

fn socket(body: &[u8]) -> Option<Sample> {
    let family = *body.first()?;
    let mut sample = Sample {
        local: SocketAddr::new(
            address(family, body.get(8..24)?)?,
            u16::from_be_bytes(body.get(4..6)?.try_into().ok()?),
        ),
        remote: SocketAddr::new(
            address(family, body.get(24..40)?)?,
            u16::from_be_bytes(body.get(6..8)?.try_into().ok()?),
        ),
        cookie: u64::from(u32_at(body, 44)?) | u64::from(u32_at(body, 48)?) << 32,
        rqueue: u32_at(body, 56)?,
        wqueue: u32_at(body, 60)?,
        uid: u32_at(body, 64)?,
        inode: u32_at(body, 68)?,
        congestion: String::new(),
        cgroup: 0,
        tcp_info: Vec::new(),
        skmem: Vec::new(),
    };
    let mut rest = body.get(DIAG_MSG..)?;
    while let (Some(length), Some(kind)) = (u16_at(rest, 0), u16_at(rest, 2)) {
        let Some(value) = rest.get(4..usize::from(length)) else { break };
        match kind {
            INET_DIAG_INFO => sample.tcp_info = value.to_vec(),
            INET_DIAG_CONG => sample.congestion = text(value),
            INET_DIAG_CGROUP_ID => sample.cgroup = u64_at(value).unwrap_or(0),
            INET_DIAG_SKMEMINFO => {
                sample.skmem = value.chunks_exact(4).filter_map(|word| u32_at(word, 0)).collect()
            }
            _ => {}
        }
        rest = rest.get(usize::from(length).next_multiple_of(4)..).unwrap_or_default();
    }
    Some(sample)
}

/// A string that a zero byte ends.
fn text(raw: &[u8]) -> String {
    let end = raw.iter().position(|byte| *byte == 0).unwrap_or(raw.len());
    String::from_utf8_lossy(raw.get(..end).unwrap_or_default()).into_owned()
}

fn u64_at(raw: &[u8]) -> Option<u64> {
    Some(u64::from_ne_bytes(raw.get(..8)?.try_into().ok()?))
}

fn address(family: u8, raw: &[u8]) -> Option<IpAddr> {
    if family == FAMILIES[0] {
        let four: [u8; 4] = raw.get(..4)?.try_into().ok()?;
        return Some(Ipv4Addr::from(four).into());
    }
    let sixteen: [u8; 16] = raw.try_into().ok()?;
    Some(Ipv6Addr::from(sixteen).to_canonical())
}

fn u32_at(raw: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(raw.get(at..at + 4)?.try_into().ok()?))
}

fn u16_at(raw: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(raw.get(at..at + 2)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_answer_gives_no_socket_and_no_panic() {
        let mut raw = request(2);
        for length in 0..raw.len() {
            sockets(&raw[..length], &mut Vec::new());
        }
        raw[4] = NLMSG_DONE as u8;
        assert_eq!(sockets(&raw, &mut Vec::new()), End::Done);
    }
}
