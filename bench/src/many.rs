//! Many short connections at the same time, each one of a few kinds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::{IpAddr, Ipv4Addr};
use tcpwhy_core::model::Side;
use tcpwhy_core::observe::{Endpoint, Segment};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Control, Loss, Reader, Scenario, Window, Workload, simulate};

/// Interleaved packets of many connections, in time order.
#[derive(Debug)]
pub struct Many {
    kinds: Vec<Vec<Segment>>,
    total: u32,
    every: Nanos,
    started: u32,
    /// Next packet of every open connection: time, connection, packet number.
    open: BinaryHeap<Reverse<(Nanos, u32, u32)>>,
}

impl Many {
    /// `total` connections, a new one after every `every`. `closed`: they end with FIN; else they stay open.
    pub fn new(total: u32, every: Nanos, closed: bool) -> Self {
        let kinds = scenarios().iter().map(|s| template(s, closed)).collect();
        Self { kinds, total, every, started: 0, open: BinaryHeap::new() }
    }

    /// Connections open at the moment.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    fn packet(&self, connection: u32, number: u32) -> Option<Segment> {
        let kind = self.kinds.get(connection as usize % self.kinds.len().max(1))?;
        let mut s = *kind.get(number as usize)?;
        s.time += self.every.scale(i64::from(connection), 1);
        let [a, b, c, d] = connection.to_be_bytes();
        let client = Endpoint::new(
            IpAddr::V4(Ipv4Addr::new(10 + (a & 1), b, c, d)),
            32_768 + (connection % 28_000) as u16,
        );
        match side(&s) {
            Side::Client => s.src = client,
            Side::Server => s.dst = client,
        }
        Some(s)
    }
}

impl Iterator for Many {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let starts = self.every.scale(i64::from(self.started), 1);
        let base = self.kinds.first().and_then(|k| k.first()).map_or(Nanos::ZERO, |s| s.time);
        let earlier = self.open.peek().is_none_or(|Reverse((at, ..))| *at >= base + starts);
        if self.started < self.total && earlier {
            self.started += 1;
            let first = self.packet(self.started - 1, 0)?;
            self.open.push(Reverse((first.time, self.started - 1, 0)));
        }
        let Reverse((_, connection, number)) = self.open.pop()?;
        let segment = self.packet(connection, number)?;
        if let Some(next) = self.packet(connection, number + 1) {
            self.open.push(Reverse((next.time, connection, number + 1)));
        }
        Some(segment)
    }
}

fn side(s: &Segment) -> Side {
    if s.dst.port < s.src.port { Side::Client } else { Side::Server }
}

fn template(s: &Scenario, closed: bool) -> Vec<Segment> {
    let mut packets = simulate(s).capture(0.0);
    if !closed {
        packets.truncate(packets.len().saturating_sub(4));
    }
    packets
}

/// Transfers of about 90 kB (100 packets) that differ in what limits them.
fn scenarios() -> Vec<Scenario> {
    let base = Scenario {
        workload: Workload { message_bytes: 90_000, ..Workload::default() },
        rtt: Nanos::from_millis(60),
        ..Scenario::default()
    };
    vec![
        base.clone(),
        Scenario { send_buffer: 16_384, ..base.clone() },
        Scenario { window: Window::fixed(12_000), ..base.clone() },
        Scenario { loss: Loss::Numbers(vec![7, 30]), ..base.clone() },
        Scenario { control: Control::Cubic, rate_bps: 4_000_000, ..base.clone() },
        Scenario {
            workload: Workload {
                write_bytes: 3_000,
                write_every: Nanos::from_millis(30),
                ..base.workload
            },
            ..base.clone()
        },
        Scenario {
            window: Window::fixed(16_000),
            reader: Reader { bytes_per_second: 100_000, read_bytes: 4_000, pauses: Vec::new() },
            ..base.clone()
        },
        Scenario {
            workload: Workload {
                messages: 6,
                message_bytes: 15_000,
                think: Nanos::from_millis(40),
                ..base.workload
            },
            ..base
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_open_at_the_same_time_and_in_order() {
        let mut many = Many::new(30_000, Nanos::from_micros(50), true);
        let (mut packets, mut widest, mut time) = (0_u32, 0, Nanos::ZERO);
        while let Some(s) = many.next() {
            assert!(s.time >= time);
            time = s.time;
            packets += 1;
            widest = widest.max(many.open());
        }
        assert!(widest > 10_000, "{widest} open");
        assert!((90..120).contains(&(packets / 30_000)), "{packets} packets");
    }
}
