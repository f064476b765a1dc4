//! The filter as a classic BPF program, which the kernel runs before it copies anything.
//!
//! It sees packets from their IP header on (a packet socket of `SOCK_DGRAM`), and keeps the headers of TCP segments. Loopback packets pass
//! the socket twice, once on their way out and once on their way in: the first is left out.

use std::net::IpAddr;

use crate::filter::Filter;

// include/uapi/linux/bpf_common.h and filter.h: class | size or operation | mode or source.
const LD_WORD: u16 = 0x20;
const LD_HALF: u16 = 0x28;
const LD_BYTE: u16 = 0x30;
/// Of the offset in the index register.
const LD_HALF_INDEXED: u16 = 0x48;
/// Index register = 4 * (byte & 15): the length of an IPv4 header.
const LDX_HEADER: u16 = 0xb1;
const LDX: u16 = 0x01;
const AND: u16 = 0x54;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_SET: u16 = 0x45;
const RETURN: u16 = 0x06;
/// `SKF_AD_OFF`: what the packet itself does not say.
const ANCILLARY: u32 = 0xffff_f000;
const PACKET_TYPE: u32 = ANCILLARY + 4;
const INTERFACE: u32 = ANCILLARY + 8;
const OUTGOING: u32 = 4;
/// `LOOPBACK_IFINDEX`: the first device of every network namespace.
const LOOPBACK: u32 = 1;
const TCP: u32 = 6;

/// Where a jump leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    /// Over so many instructions.
    Over(u8),
    Family,
    Four,
    FourPorts,
    Six,
    SixPorts,
    Ports,
    Accept,
    Drop,
}

const NEXT: Label = Label::Over(0);

/// A program under way: jumps name their targets until all are known.
#[derive(Debug, Default)]
struct Program {
    instructions: Vec<(libc::sock_filter, Label, Label)>,
    labels: Vec<(Label, usize)>,
}

impl Program {
    fn put(&mut self, code: u16, k: u32) {
        self.jump(code, k, Label::Over(0), Label::Over(0));
    }

    fn jump(&mut self, code: u16, k: u32, yes: Label, no: Label) {
        self.instructions.push((libc::sock_filter { code, jt: 0, jf: 0, k }, yes, no));
    }

    /// Without a condition.
    fn go(&mut self, label: Label) {
        self.jump(JUMP_EQUAL, 0, label, label);
    }

    fn label(&mut self, label: Label) {
        self.labels.push((label, self.instructions.len()));
    }

    /// `None`: a jump is too long for its byte.
    fn assembled(&self) -> Option<Vec<libc::sock_filter>> {
        let distance = |from: usize, label: Label| match label {
            Label::Over(count) => Some(count),
            label => {
                let (_, at) = self.labels.iter().find(|(known, _)| *known == label)?;
                u8::try_from(at.checked_sub(from + 1)?).ok()
            }
        };
        let place = |(n, (instruction, yes, no)): (usize, &(libc::sock_filter, Label, Label))| {
            Some(libc::sock_filter {
                jt: distance(n, *yes)?,
                jf: distance(n, *no)?,
                ..*instruction
            })
        };
        self.instructions.iter().enumerate().map(place).collect()
    }
}

/// The program that keeps the first `snaplen` bytes of every wanted segment; `None` where `filter` is too long for one.
pub(super) fn program(filter: &Filter, snaplen: u32) -> Option<Vec<libc::sock_filter>> {
    let mut p = Program::default();
    p.put(LD_WORD, PACKET_TYPE);
    // The interface is asked for only where there must be one.
    p.jump(JUMP_EQUAL, OUTGOING, NEXT, Label::Family);
    p.put(LD_WORD, INTERFACE);
    p.jump(JUMP_EQUAL, LOOPBACK, Label::Drop, NEXT);
    p.label(Label::Family);
    p.put(LD_BYTE, 0);
    p.put(AND, 0xf0);
    p.jump(JUMP_EQUAL, 0x40, Label::Four, NEXT);
    p.jump(JUMP_EQUAL, 0x60, Label::Six, Label::Drop);
    p.label(Label::Four);
    four(&mut p, filter);
    p.label(Label::Six);
    six(&mut p, filter);
    p.label(Label::Ports);
    for offset in [0, 2] {
        p.put(LD_HALF_INDEXED, offset);
        for port in &filter.ports {
            p.jump(JUMP_EQUAL, u32::from(*port), Label::Accept, NEXT);
        }
    }
    p.label(Label::Drop);
    p.put(RETURN, 0);
    p.label(Label::Accept);
    p.put(RETURN, snaplen);
    p.assembled()
}

/// IPv4: protocol, addresses, and no later fragment where ports are asked for.
fn four(p: &mut Program, filter: &Filter) {
    p.put(LD_BYTE, 9);
    p.jump(JUMP_EQUAL, TCP, NEXT, Label::Drop);
    if !filter.hosts.is_empty() {
        for offset in [12, 16] {
            p.put(LD_WORD, offset);
            for host in filter.hosts.iter().map(IpAddr::to_canonical) {
                if let IpAddr::V4(host) = host {
                    p.jump(JUMP_EQUAL, u32::from(host), Label::FourPorts, NEXT);
                }
            }
        }
        p.put(RETURN, 0);
    }
    p.label(Label::FourPorts);
    if filter.ports.is_empty() {
        return p.go(Label::Accept);
    }
    p.put(LD_HALF, 6);
    p.jump(JUMP_SET, 0x1fff, Label::Drop, NEXT);
    p.put(LDX_HEADER, 0);
    p.go(Label::Ports);
}

/// IPv6 without extension headers.
fn six(p: &mut Program, filter: &Filter) {
    p.put(LD_BYTE, 6);
    p.jump(JUMP_EQUAL, TCP, NEXT, Label::Drop);
    if !filter.hosts.is_empty() {
        for offset in [8, 24] {
            for host in filter.hosts.iter().map(IpAddr::to_canonical) {
                if let IpAddr::V6(host) = host {
                    six_host(p, offset, host.to_bits());
                }
            }
        }
        p.put(RETURN, 0);
    }
    p.label(Label::SixPorts);
    if filter.ports.is_empty() {
        return p.go(Label::Accept);
    }
    p.put(LDX, 40);
    p.go(Label::Ports);
}

/// Four words; the first that differs leads to the next address.
fn six_host(p: &mut Program, offset: u32, address: u128) {
    for n in 0..4_u8 {
        let word = address >> (96 - 32 * u32::from(n)) & u128::from(u32::MAX);
        p.put(LD_WORD, offset + 4 * u32::from(n));
        let same = if n == 3 { Label::SixPorts } else { NEXT };
        p.jump(JUMP_EQUAL, word as u32, same, Label::Over(2 * (3 - n)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use socket2::{Domain, SockFilter, Socket, Type};
    use std::io::Read;
    use std::time::Duration;

    /// Bytes that the kernel keeps of `packet`: any datagram socket runs the program, on its payload.
    fn kept(filter: &Filter, packet: &[u8]) -> usize {
        let (one, mut other) = Socket::pair(Domain::UNIX, Type::DGRAM, None).unwrap();
        let program = program(filter, 64).unwrap();
        let program: Vec<_> =
            program.iter().map(|i| SockFilter::new(i.code, i.jt, i.jf, i.k)).collect();
        other.attach_filter(&program).unwrap();
        other.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
        // A packet that is dropped is an error for its sender.
        let _ = one.send(packet);
        other.read(&mut [0; 4096]).unwrap_or(0)
    }

    fn four(protocol: u8, from: [u8; 4], to: [u8; 4], ports: [u16; 2]) -> Vec<u8> {
        let mut packet = vec![0x46, 0, 0, 0, 0, 0, 0x40, 0, 64, protocol, 0, 0];
        packet.extend(from.iter().chain(&to).chain(&[1, 1, 1, 1]));
        packet.extend(ports.iter().flat_map(|port| port.to_be_bytes()));
        packet.resize(1000, 0);
        packet
    }

    fn six(protocol: u8, from: &str, to: &str, ports: [u16; 2]) -> Vec<u8> {
        let mut packet = vec![0x60, 0, 0, 0, 0, 0, protocol, 64];
        for address in [from, to] {
            packet.extend(address.parse::<std::net::Ipv6Addr>().unwrap().octets());
        }
        packet.extend(ports.iter().flat_map(|port| port.to_be_bytes()));
        packet.resize(1000, 0);
        packet
    }

    #[test]
    fn without_a_wish_all_tcp_is_kept_cut_to_its_headers_and_nothing_else() {
        let all = Filter::default();
        assert_eq!(kept(&all, &four(6, [10, 0, 0, 1], [10, 0, 0, 2], [1, 2])), 64);
        assert_eq!(kept(&all, &six(6, "fd00::1", "fd00::2", [1, 2])), 64);
        assert_eq!(kept(&all, &four(17, [10, 0, 0, 1], [10, 0, 0, 2], [1, 2])), 0);
        assert_eq!(kept(&all, &six(17, "fd00::1", "fd00::2", [1, 2])), 0);
        assert_eq!(kept(&all, &[0x55; 100]), 0);
        assert_eq!(kept(&all, &[0x45; 3]), 0);
    }

    #[test]
    fn ports_are_found_behind_options_and_not_in_later_fragments() {
        let filter = Filter { ports: vec![443, 80], hosts: Vec::new() };
        let packet = |ports| four(6, [10, 0, 0, 1], [10, 0, 0, 2], ports);
        assert_eq!(kept(&filter, &packet([443, 2])), 64);
        assert_eq!(kept(&filter, &packet([2, 80])), 64);
        assert_eq!(kept(&filter, &packet([2, 81])), 0);
        let mut later = packet([443, 2]);
        later[7] = 1;
        assert_eq!(kept(&filter, &later), 0);
        assert_eq!(kept(&filter, &six(6, "fd00::1", "fd00::2", [9, 443])), 64);
        assert_eq!(kept(&filter, &six(6, "fd00::1", "fd00::2", [9, 444])), 0);
    }

    #[test]
    fn an_address_is_either_end_and_goes_with_a_port() {
        let hosts = ["10.0.0.2", "fd00::1:0:0:2", "fd00::1:0:0:3"];
        let hosts = hosts.map(|host| host.parse().unwrap()).to_vec();
        let filter = Filter { hosts, ports: vec![80] };
        let packet = |from, to, port| kept(&filter, &four(6, from, to, [1, port]));
        assert_eq!(packet([10, 0, 0, 1], [10, 0, 0, 2], 80), 64);
        assert_eq!(packet([10, 0, 0, 2], [10, 0, 0, 9], 80), 64);
        assert_eq!(packet([10, 0, 0, 2], [10, 0, 0, 9], 81), 0);
        assert_eq!(packet([10, 0, 0, 3], [10, 0, 0, 9], 80), 0);
        let packet = |from, to| kept(&filter, &six(6, from, to, [80, 5]));
        assert_eq!(packet("fd00::1:0:0:3", "::5"), 64);
        assert_eq!(packet("::5", "fd00::1:0:0:2"), 64);
        assert_eq!(packet("fd00::1:0:0:4", "fd00::1:0:1:2"), 0);
    }

    #[test]
    fn the_longest_filter_has_room() {
        let six = |n: u16| IpAddr::V6(std::net::Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, n));
        let filter = Filter {
            hosts: (0..Filter::MOST as u16).map(six).collect(),
            ports: (0..Filter::MOST as u16).collect(),
        };
        assert!(program(&filter, 64).is_some());
    }
}
