//! What limits a run, and how it is brought about.

use super::Cell;
use super::made::Made;
use super::path::Rtt;
use crate::spec::{Pace, Role, Scenario, Sending};
use tcpwhy_core::link::{Outage, Policer};
use tcpwhy_core::units::Nanos;

/// What limits a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// SO_SNDBUF of the sender.
    SendBuffer,
    /// SO_RCVBUF of the receiver.
    ReceiveWindow,
    /// An application that reads at a share of the link's rate.
    SlowReader,
    /// An application that stops reading for a second.
    ReaderStops,
    /// An application that writes at a share of the link's rate.
    Writes,
    /// Requests and responses with think time.
    Exchange,
    /// A transfer that ends while its window doubles.
    SlowStart,
    /// One loss on a fast path, then slow growth.
    AfterLoss,
    /// The link's rate, with a queue before it.
    Bottleneck,
    /// The link's rate, enforced by drops.
    Policer,
    /// Packets lost by chance.
    RandomLoss,
    /// Small writes, each behind the ACK of the one before.
    Nagle,
    /// Requests in two small writes: the second waits for a delayed ACK.
    DelayedAck,
    /// The path goes dark for good.
    Vanishes,
    /// A small send buffer, and a reader that stops twice.
    MixedReader,
    /// Bulk, a pause of the application, bulk.
    MixedPauses,
    /// The link is the limit, then an outage, then the link again.
    MixedOutage,
    /// A small window, then the application's own pace.
    MixedWindow,
}

impl Kind {
    /// All.
    pub const ALL: [Self; 18] = [
        Self::SendBuffer,
        Self::ReceiveWindow,
        Self::SlowReader,
        Self::ReaderStops,
        Self::Writes,
        Self::Exchange,
        Self::SlowStart,
        Self::AfterLoss,
        Self::Bottleneck,
        Self::Policer,
        Self::RandomLoss,
        Self::Nagle,
        Self::DelayedAck,
        Self::Vanishes,
        Self::MixedReader,
        Self::MixedPauses,
        Self::MixedOutage,
        Self::MixedWindow,
    ];

    /// As files and tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SendBuffer => "send-buffer",
            Self::ReceiveWindow => "receive-window",
            Self::SlowReader => "slow-reader",
            Self::ReaderStops => "reader-stops",
            Self::Writes => "writes",
            Self::Exchange => "exchange",
            Self::SlowStart => "slow-start",
            Self::AfterLoss => "after-loss",
            Self::Bottleneck => "bottleneck",
            Self::Policer => "policer",
            Self::RandomLoss => "random-loss",
            Self::Nagle => "nagle",
            Self::DelayedAck => "delayed-ack",
            Self::Vanishes => "vanishes",
            Self::MixedReader => "mixed-reader",
            Self::MixedPauses => "mixed-pauses",
            Self::MixedOutage => "mixed-outage",
            Self::MixedWindow => "mixed-window",
        }
    }

    /// How hard it limits: buffers and windows as shares of the bandwidth-delay product, applications as shares of
    /// the rate, queues as multiples of it, losses in percent.
    pub fn severities(self) -> &'static [f64] {
        match self {
            Self::SendBuffer | Self::ReceiveWindow => &[0.1, 0.25, 0.5, 0.8, 1.0, 1.5],
            Self::SlowReader | Self::Writes => &[0.1, 0.5, 0.8],
            Self::Bottleneck => &[0.5, 1.0, 4.0],
            Self::RandomLoss => &[0.1, 1.0, 3.0],
            _ => &[1.0],
        }
    }

    /// The severity of the quick runs.
    pub fn typical(self) -> f64 {
        match self {
            Self::SendBuffer | Self::ReceiveWindow => 0.25,
            Self::SlowReader | Self::Writes => 0.5,
            _ => 1.0,
        }
    }

    /// Whether it can be seen over that path: on a short one windows open at once.
    pub fn fits(self, rtt: Rtt) -> bool {
        match self {
            Self::SlowStart | Self::AfterLoss => rtt > Rtt::Ms1,
            // A round trip longer than a delayed ACK hides it.
            Self::Nagle | Self::DelayedAck => rtt < Rtt::Ms40,
            _ => true,
        }
    }
}

/// The run of a cell, without its offloads.
pub(super) fn scenario(cell: &Cell) -> Scenario {
    let mut made = Made::of(cell);
    match cell.kind {
        Kind::SendBuffer => made.lock_sndbuf(cell.severity, cell.offload),
        Kind::ReceiveWindow => made.lock_rcvbuf(cell.severity),
        Kind::SlowReader => made.sending.reader = made.reads(cell.severity),
        Kind::ReaderStops => made.sending.reader = stops(&[(500, 1500)]),
        Kind::Writes => made.writes_at(cell.severity),
        Kind::Exchange => exchange(cell, &mut made),
        Kind::SlowStart => made.on_a_fast_link(0.5),
        Kind::AfterLoss => {
            made.on_a_fast_link(20.0);
            made.way().loss.nth = vec![60];
        }
        Kind::Bottleneck => {}
        Kind::Policer => {
            let rate_bps = cell.rtt.rate_bps() / 4;
            made.way().policer = Some(Policer { rate_bps, burst: cell.rtt.bdp().max(30_000) });
            made.sending.bytes /= 4;
        }
        Kind::RandomLoss => {
            made.way().loss.random = cell.severity / 100.0;
            made.sending.bytes /= 4;
        }
        Kind::Nagle => nagle(&mut made),
        Kind::DelayedAck => two_writes(cell, &mut made),
        Kind::Vanishes => vanishes(&mut made),
        Kind::MixedReader => {
            made.lock_sndbuf(0.3, cell.offload);
            made.sending.bytes /= 2;
            made.sending.reader = stops(&[(700, 1500), (2200, 3000)]);
        }
        Kind::MixedPauses => pauses(&mut made),
        Kind::MixedOutage => {
            let (from, to) = (Nanos::from_millis(800), Nanos::from_millis(1400));
            made.both_ways(|way| way.outages.push(Outage { from, to }));
        }
        Kind::MixedWindow => window_then_writes(cell, &mut made),
    }
    made.finish(cell)
}

/// A reader that stops and goes on at these milliseconds.
fn stops(at: &[(i64, i64)]) -> Pace {
    let times = |&(stop, resume)| (Nanos::from_millis(stop), Some(Nanos::from_millis(resume)));
    Pace::Stops(at.iter().map(times).collect())
}

/// Twenty requests of 200 bytes, each answered by 50 KB after 30 ms of work.
fn exchange(cell: &Cell, made: &mut Made) {
    let before = Nanos::from_millis(30);
    let response = Sending { bytes: 50_000, rounds: 20, before, ..made.sending.clone() };
    let from = match response.from {
        Role::Client => Role::Server,
        Role::Server => Role::Client,
    };
    let request = Sending { from, bytes: 200, before: cell.rtt.time(), ..response.clone() };
    made.phases = vec![request, response];
}

/// Small writes faster than delayed ACKs: under Nagle each waits for the ACK of the one before it.
fn nagle(made: &mut Made) {
    made.sending.bytes = 8_000;
    made.sending.write = 100;
    made.sending.think = Nanos::from_millis(5);
}

/// Thirty requests in two writes, each answered at once: an end that answers delays its ACKs (`inet_csk_in_pingpong_mode`).
fn two_writes(cell: &Cell, made: &mut Made) {
    let request = Sending { bytes: 300, write: 150, rounds: 30, ..made.sending.clone() };
    let from = match request.from {
        Role::Client => Role::Server,
        Role::Server => Role::Client,
    };
    let response = Sending { from, bytes: 200, before: cell.rtt.time(), ..request.clone() };
    made.phases = vec![request, response];
}

/// Dark from half a second on; the sender gives up after a few tries instead of minutes.
fn vanishes(made: &mut Made) {
    let dark = Outage { from: Nanos::from_millis(500), to: Nanos::from_secs(3600) };
    made.both_ways(|way| way.outages.push(dark));
    made.both_hosts(|host| {
        host.sysctls.insert("net.ipv4.tcp_retries2".to_owned(), "4".to_owned());
    });
    made.give_up = Nanos::from_secs(12);
}

/// Three parts with pauses of a second and of a third of one between them.
fn pauses(made: &mut Made) {
    let part = Sending { bytes: made.sending.bytes / 6, ..made.sending.clone() };
    let after = |ms| Sending { before: Nanos::from_millis(ms), ..part.clone() };
    made.phases = vec![part.clone(), after(1000), after(300)];
}

/// Bulk through a small window, then writes at a fifth of what that window carries.
fn window_then_writes(cell: &Cell, made: &mut Made) {
    made.lock_rcvbuf(0.4);
    let bulk = Sending { bytes: made.sending.bytes / 4, ..made.sending.clone() };
    made.writes_at(0.08);
    let writes = Sending { bytes: cell.rtt.rate_bps() / 8 / 10, ..made.sending.clone() };
    made.phases = vec![bulk, writes];
}
