//! What a scenario is made to be limited by: the least of link, pacing, send buffer / RTT, window / RTT, reader and writer; and when slow start
//! gets there. The schedule that the truth is laid beside must not come from the model that is scored.

use crate::spec::{Flow, HostSpec, Pace, Role, Scenario, Sending, SocketOptions};
use tcpwhy_core::link::Rate;

/// Payload of a full segment with timestamps, and its bytes on the wire.
const MSS: f64 = 1448.0;
const ON_THE_WIRE: f64 = 1500.0;
/// RFC 6928: segments in the first flight.
const FIRST_FLIGHT: f64 = 10.0;
/// What sendmsg may add to a queue that is not yet full: one skb's worth (kernel.md: `size_goal`).
const OVERSHOOT: f64 = 65_536.0;

/// What sets a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Link,
    /// SO_MAX_PACING_RATE.
    Pacing,
    SendBuffer,
    ReceiveWindow,
    Reader,
    Application,
}

/// What holds one sending, once slow start is over.
#[derive(Debug, Clone, Copy)]
pub(super) struct Held {
    pub(super) bound: Bound,
    /// What it allows; infinite where nothing bounds it.
    pub(super) bytes_per_second: f64,
    /// Until slow start reaches the bound.
    pub(super) slow_start_ns: i64,
}

/// Reckons one sending.
pub(super) fn bound(scenario: &Scenario, flow: &Flow, sending: &Sending) -> Held {
    let rtt = round_trip(scenario);
    let (bytes_per_second, bound) = steady(scenario, flow, sending, rtt);
    let rounds = slow_start(sending.bytes as f64, bytes_per_second * rtt).1;
    Held { bound, bytes_per_second, slow_start_ns: (rounds * rtt * 1e9) as i64 }
}

fn round_trip(scenario: &Scenario) -> f64 {
    scenario.link.round_trip().secs().max(1e-5)
}

/// How long congestion avoidance takes at least until as much is in flight as the bound allows, nanoseconds, when packet number `nth` was the first that was lost:
/// the window was no larger than all that had been sent.
pub(super) fn avoidance_ns(scenario: &Scenario, sending: &Sending, held: Held, nth: u64) -> i64 {
    let rtt = round_trip(scenario);
    let (full, lost_at) = (held.bytes_per_second * rtt / MSS, nth as f64);
    let host = if sending.from == Role::Client { &scenario.client } else { &scenario.server };
    let control = host.congestion.as_ref().map_or("", |c| c.0.as_str());
    let more = full - lost_at;
    if more <= 0.0 {
        return 0;
    }
    let seconds = match control {
        // RFC 5681: a segment a round trip.
        "reno" => more * rtt,
        // RFC 9438: W(t) = 0.4 (t - K)^3 + Wmax, K = cbrt(0.3 Wmax / 0.4).
        "cubic" => (0.3 * lost_at / 0.4).cbrt() + (more / 0.4).cbrt(),
        // bbr does not avoid: it measures.
        _ => 0.0,
    };
    (seconds * 1e9) as i64
}

/// The least of all bounds, in bytes per second, and its name.
fn steady(s: &Scenario, flow: &Flow, sending: &Sending, rtt: f64) -> (f64, Bound) {
    let (way, sender, receiver, from, to) = match sending.from {
        Role::Client => {
            (&s.link.up, &s.client, &s.server, &flow.client_socket, &flow.server_socket)
        }
        Role::Server => {
            (&s.link.down, &s.server, &s.client, &flow.server_socket, &flow.client_socket)
        }
    };
    let link = match &way.rate {
        Rate::Constant(bps) => *bps as f64 / 8.0 * MSS / ON_THE_WIRE,
        Rate::Trace(ms) => {
            let period = f64::from(ms.last().copied().unwrap_or(1).max(1)) / 1000.0;
            ms.len() as f64 * 1504.0 / period * MSS / ON_THE_WIRE
        }
        Rate::Unlimited => f64::INFINITY,
    };
    let policer = way.policer.map_or(f64::INFINITY, |p| p.rate_bps as f64 / 8.0);
    // The kernel paces by `skb->len`, which is payload (`tcp_update_skb_after_send`).
    let pacing = from.pacing.map_or(f64::INFINITY, |bytes| bytes as f64);
    let reader = match &sending.reader {
        Pace::Rate { bytes_per_second, .. } => *bytes_per_second as f64,
        _ => f64::INFINITY,
    };
    let writer = if sending.think.0 > 0 {
        sending.write as f64 / sending.think.secs()
    } else {
        f64::INFINITY
    };
    let bounds = [
        (link.min(policer) / f64::from(flow.count.max(1)), Bound::Link),
        (pacing, Bound::Pacing),
        (send_buffer(from, sender, sending) / rtt, Bound::SendBuffer),
        (window(to, receiver) / rtt, Bound::ReceiveWindow),
        (reader, Bound::Reader),
        (writer, Bound::Application),
    ];
    bounds.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, Bound::Link))
}

/// Bytes in flight that a send buffer allows: twice the option (`sock_setsockopt`), or the largest that autotuning may reach;
/// large writes overshoot it by an skb, single-segment skbs pay their overhead (truesize 2,304 for 1,448).
fn send_buffer(socket: &SocketOptions, host: &HostSpec, sending: &Sending) -> f64 {
    let locked = socket.sndbuf.map(|b| 2.0 * b as f64);
    let space = locked.or_else(|| third(host, "net.ipv4.tcp_wmem")).unwrap_or(4_194_304.0);
    if host.gso_max_segs == Some(1) || sending.write <= 1460 {
        return (space * MSS / 2304.0).max(MSS);
    }
    space + (sending.write as f64).min(OVERSHOOT)
}

/// The window that a receive buffer allows: half of it, as `scaling_ratio` gives for full segments, roughly.
fn window(socket: &SocketOptions, host: &HostSpec) -> f64 {
    let locked = socket.rcvbuf.map(|b| 2.0 * b as f64);
    let space = locked.or_else(|| third(host, "net.ipv4.tcp_rmem")).unwrap_or(6_291_456.0);
    let clamp = socket.window_clamp.map_or(f64::INFINITY, |c| c as f64);
    let scaled = if host.sysctls.get("net.ipv4.tcp_window_scaling").is_some_and(|v| v == "0") {
        65_535.0
    } else {
        f64::INFINITY
    };
    (space / 2.0).min(clamp).min(scaled)
}

/// The largest of three values of a sysctl.
fn third(host: &HostSpec, name: &str) -> Option<f64> {
    host.sysctls.get(name)?.split_whitespace().nth(2)?.parse().ok()
}

/// Bytes left when the flight has grown to `most`, and the rounds until then.
fn slow_start(bytes: f64, most: f64) -> (f64, f64) {
    let (mut left, mut rounds, mut flight) = (bytes, 0.0, FIRST_FLIGHT * MSS);
    while left > flight && flight < most {
        left -= flight;
        rounds += 1.0;
        flight *= 2.0;
    }
    (left, rounds)
}
