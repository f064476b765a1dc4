//! What the kernel is asked (`include/uapi/linux/inet_diag.h`).

use super::wire::{
    FAMILIES, HEADER, INET_DIAG_CONG, INET_DIAG_INFO, INET_DIAG_SKMEMINFO, SOCK_DIAG_BY_FAMILY,
    TCPDIAG_GETSOCK,
};

const NLM_F_REQUEST_DUMP: u16 = 0x301;
const IPPROTO_TCP: u8 = 6;
const INET_DIAG_REQ_BYTECODE: u16 = 1;
/// `struct inet_diag_sockid`: all zero, for all sockets.
const SOCKID: [u8; 48] = [0; 48];
/// Every state but LISTEN (10), TIME_WAIT (6) and NEW_SYN_RECV (12), which have no `tcp_info` of a transfer; a bit each.
const STATES: u32 = 0xfff & !(1 << 10) & !(1 << 6);
/// `TCP_ESTABLISHED`'s bit.
const ESTABLISHED: u32 = 1 << 1;

/// Which sockets are wanted; the kernel leaves the others out, unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selection {
    states: u32,
    port: Option<u16>,
}

impl Default for Selection {
    /// All but listening ones and TIME_WAIT.
    fn default() -> Self {
        Self { states: STATES, port: None }
    }
}

impl Selection {
    /// Only connections that are established.
    #[must_use]
    pub fn established() -> Self {
        Self { states: ESTABLISHED, port: None }
    }

    /// Of them, those with this port at either end. A kernel that is too old to tell gives all.
    #[must_use]
    pub fn with_port(self, port: Option<u16>) -> Self {
        Self { port, ..self }
    }

    /// The same without what an older kernel refuses.
    pub(super) fn plain(self) -> Self {
        Self { port: None, ..self }
    }
}

/// Asks for the sockets of both families at once.
///
/// The first form of the interface (`net/ipv4/inet_diag.c`, `inet_diag_dump_compat`) has no family to choose: one walk through the table
/// of established sockets, which has hundreds of thousands of places on a large machine, where the second form takes one a family.
pub(super) fn both(selection: Selection, number: u32) -> Vec<u8> {
    let mut body = vec![0, 0, 0, extensions()];
    body.extend(SOCKID);
    body.extend(selection.states.to_ne_bytes());
    body.extend([0; 4]);
    message(TCPDIAG_GETSOCK, number, body, selection)
}

/// Asks for the sockets of one family.
pub(super) fn one(family: u8, selection: Selection, number: u32) -> Vec<u8> {
    debug_assert!(FAMILIES.contains(&family));
    let mut body = vec![family, IPPROTO_TCP, extensions(), 0];
    body.extend(selection.states.to_ne_bytes());
    body.extend(SOCKID);
    message(SOCK_DIAG_BY_FAMILY, number, body, selection)
}

/// `tcp_info`, congestion control and memory; the cgroup comes without being asked for.
fn extensions() -> u8 {
    [INET_DIAG_INFO, INET_DIAG_CONG, INET_DIAG_SKMEMINFO]
        .iter()
        .fold(0, |bits, attribute| bits | 1 << (attribute - 1))
}

fn message(kind: u16, number: u32, body: Vec<u8>, selection: Selection) -> Vec<u8> {
    let code = selection.port.map_or_else(Vec::new, bytecode);
    let mut raw = Vec::with_capacity(HEADER + body.len() + code.len());
    raw.extend(((HEADER + body.len() + code.len()) as u32).to_ne_bytes());
    raw.extend(kind.to_ne_bytes());
    raw.extend(NLM_F_REQUEST_DUMP.to_ne_bytes());
    raw.extend(number.to_ne_bytes());
    raw.extend([0; 4]);
    raw.extend(body);
    raw.extend(code);
    raw
}

/// A program for `inet_diag_bc_run()`: takes what ends at the program's end, refuses what jumps four bytes beyond. The audit wants every
/// jump to land where the chain of `yes` comes by, so "or" is a jump of its own, as `ss` writes it.
fn bytecode(port: u16) -> Vec<u8> {
    const JMP: u8 = 1;
    const S_EQ: u8 = 11;
    const D_EQ: u8 = 12;
    let mut code = Vec::new();
    let mut op = |code_: u8, yes: u8, no: u16| {
        code.extend([code_, yes]);
        code.extend(no.to_ne_bytes());
    };
    // Local port equal: on to the jump to the end; else past it.
    op(S_EQ, 8, 12);
    op(0, 0, port);
    op(JMP, 4, 12);
    // Remote port equal: the end; else beyond.
    op(D_EQ, 8, 12);
    op(0, 0, port);
    let mut attribute = Vec::from(((4 + code.len()) as u16).to_ne_bytes());
    attribute.extend(INET_DIAG_REQ_BYTECODE.to_ne_bytes());
    attribute.extend(code);
    attribute
}
