//! What the model says of a scenario, before it is run.

use crate::host::{kernel_release, setting};
use crate::spec::{
    Flow, HostSpec, LinkSpec, Middlebox, Pace, Role, Scenario, Sending, SocketOptions, Workload,
};
use serde::Serialize;
use tcpwhy_core::kernel::Version;
use tcpwhy_core::kernel::buffers::Asked;
use tcpwhy_core::link::{Queue, QueueLimit, Rate, WaySpec};
use tcpwhy_core::whatif::transfer::{self, Control, End, Phase, Transfer};

/// IPv4 and TCP headers with timestamps.
const HEADERS: u64 = 52;
const MTU: u32 = 1500;

/// A rate and a time.
#[derive(Debug, Clone, Serialize)]
pub struct Prediction {
    /// Seconds from the first write to the last byte; 0: the model does not know such a scenario.
    pub seconds: f64,
    /// Bits per second over all of that time.
    pub mean_bps: f64,
    /// Bits per second once it runs.
    pub steady_bps: f64,
    /// What sets the rate: a limit's name, or `application`; empty where the model does not know.
    pub bound: &'static str,
}

impl Prediction {
    /// The model says nothing.
    pub(super) const NONE: Self = Self { seconds: 0.0, mean_bps: 0.0, steady_bps: 0.0, bound: "" };
}

/// Predicts the first flow on this machine's kernel. Programs, relays, traces, middleboxes that drop, readers that stop, whoever sends more
/// than once (its window is neither new nor what it was) and whatever else the model does not know give no prediction.
pub fn predict(scenario: &Scenario) -> Prediction {
    modelled(scenario).unwrap_or(Prediction::NONE)
}

fn modelled(scenario: &Scenario) -> Option<Prediction> {
    let Workload::Flows(flows) = &scenario.workload else { return None };
    let [flow] = flows.as_slice() else { return None };
    let again = |side: Role| {
        let own = flow.phases.iter().filter(|sending| sending.from == side);
        own.map(|sending| u64::from(sending.rounds.max(1))).sum::<u64>() > 1
    };
    let together = flow.phases.iter().any(|sending| sending.together);
    if flow.relay.is_some() || together || again(Role::Client) || again(Role::Server) {
        return None;
    }
    let parts =
        flow.phases.iter().map(|sending| once(&transfer(scenario, flow, sending)?, sending));
    let parts = parts.collect::<Option<Vec<_>>>()?;
    // The rate is that of the longest: a request is over before it has one.
    let longest = parts.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let seconds = parts.iter().map(|p| p.seconds).sum();
    let bytes: u64 = flow.phases.iter().map(|sending| sending.bytes).sum();
    Some(Prediction { seconds, mean_bps: mean(bytes, seconds), ..longest.clone() })
}

fn mean(bytes: u64, seconds: f64) -> f64 {
    bytes as f64 * 8.0 / seconds.max(1e-9)
}

/// One sending.
fn once(t: &Transfer, sending: &Sending) -> Option<Prediction> {
    let mut p = transfer::predict(t);
    if !p.complete {
        return None;
    }
    // The measured time begins with the first write, which is when the connection is open.
    let handshake = std::mem::take(&mut p.phases[Phase::Handshake as usize]);
    let seconds = (p.time - handshake).secs();
    let steady_bps = p.steady_bps as f64;
    // The application's own pauses between its writes; what is not spent in them the transfer takes meanwhile.
    let calls = sending.bytes.div_ceil(sending.write.max(1));
    let pauses = sending.think.secs() * calls.saturating_sub(1) as f64;
    let before = sending.before.secs();
    let (seconds, steady_bps, bound) = if pauses > seconds {
        (before + pauses, mean(sending.bytes, pauses), "application")
    } else {
        (before + seconds, steady_bps, p.limit().name())
    };
    Some(Prediction { seconds, mean_bps: mean(sending.bytes, seconds), steady_bps, bound })
}

/// The model's transfer; `None`: something in it is beyond the model.
fn transfer(s: &Scenario, flow: &Flow, sending: &Sending) -> Option<Transfer> {
    let (way, sender, receiver, from, to) = match sending.from {
        Role::Client => {
            (&s.link.up, &s.client, &s.server, &flow.client_socket, &flow.server_socket)
        }
        Role::Server => {
            (&s.link.down, &s.server, &s.client, &flow.server_socket, &flow.client_socket)
        }
    };
    let (rate_bps, queue) = narrowest(way)?;
    let count = u64::from(flow.count.max(1));
    let read_rate = match &sending.reader {
        Pace::Fast => 0,
        Pace::Rate { bytes_per_second, .. } => *bytes_per_second,
        Pace::Stops(_) => return None,
    };
    if from.pacing.is_some() || to.window_clamp.is_some() {
        return None;
    }
    let mut ends = [end(sender)?, end(receiver)?];
    change(&s.link, &mut ends)?;
    let [mut sender_end, receiver_end] = ends;
    sender_end.sysctls.tcp_notsent_lowat =
        from.notsent_lowat.unwrap_or(sender_end.sysctls.tcp_notsent_lowat);
    let mtu = sender.mtu.unwrap_or(MTU).min(receiver.mtu.unwrap_or(MTU));
    let maxseg = from.maxseg.unwrap_or(u64::MAX).min(to.maxseg.unwrap_or(u64::MAX));
    Some(Transfer {
        size: sending.bytes,
        rate_bps: rate_bps / count,
        rtt: s.link.up.delay + s.link.down.delay,
        loss: way.loss.random,
        queue: queue / count,
        policer: way.policer,
        control: control(from, sender)?,
        sndbuf: from.sndbuf.map_or(Asked::Automatic, Asked::Set),
        rcvbuf: to.rcvbuf.map_or(Asked::Automatic, Asked::Set),
        sender: sender_end,
        receiver: receiver_end,
        initcwnd: sender.initcwnd.map(u64::from),
        initrwnd: receiver.initrwnd.map(u64::from),
        share: None,
        read_rate,
        write: sending.write,
        nagle: !from.nodelay,
        offload: sender.gso_max_segs != Some(1),
        warm: false,
        mss: (u64::from(mtu) - HEADERS).min(maxseg.saturating_sub(12)),
        seed: way.seed,
    })
}

/// Rate and queue in bytes of a way that the model knows: a constant rate, drop-tail, random losses.
fn narrowest(way: &WaySpec) -> Option<(u64, u64)> {
    let plain = way.jitter.0 == 0
        && way.reorder == 0.0
        && way.loss.burst.is_none()
        && way.loss.nth.is_empty()
        && way.outages.is_empty()
        && way.mtu.is_none();
    let rate = match way.rate {
        Rate::Unlimited => 0,
        Rate::Constant(bps) => bps,
        Rate::Trace(_) => return None,
    };
    let queue = match way.queue {
        Queue::DropTail(QueueLimit::Bytes(bytes)) => bytes,
        Queue::DropTail(QueueLimit::Packets(packets)) => packets * u64::from(MTU),
        Queue::CoDel { .. } | Queue::Ecn { .. } => return None,
    };
    plain.then_some((rate, queue))
}

fn change(link: &LinkSpec, ends: &mut [End; 2]) -> Option<()> {
    for middlebox in &link.middleboxes {
        match middlebox {
            Middlebox::StripWindowScale => {
                for end in ends.iter_mut() {
                    end.sysctls.tcp_window_scaling = false;
                }
            }
            _ => return None,
        }
    }
    Some(())
}

/// This machine's kernel with the host's settings.
fn end(host: &HostSpec) -> Option<End> {
    let mut end = End::default();
    if let Some(version) = Version::parse(&kernel_release()) {
        end.version = version;
    }
    // A namespace of its own begins with these, and shares the ones of net.core.
    for name in ["net.core.wmem_max", "net.core.rmem_max", "net.ipv4.tcp_wmem", "net.ipv4.tcp_rmem"]
    {
        if let Some(value) = setting(name) {
            end.sysctls.set(name, &value).ok()?;
        }
    }
    for (name, value) in &host.sysctls {
        // What no rule depends on changes nothing.
        let _ = end.sysctls.set(name, value);
    }
    Some(end)
}

fn control(socket: &SocketOptions, host: &HostSpec) -> Option<Control> {
    let named = socket.congestion.clone().or_else(|| host.congestion.clone().map(|cc| cc.0));
    match named.or_else(|| setting("net.ipv4.tcp_congestion_control"))?.as_str() {
        "reno" => Some(Control::Reno),
        "cubic" => Some(Control::Cubic),
        "bbr" => Some(Control::Bbr),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Source;

    /// A request of 50 bytes and an answer of 50 over 20 ms, so many times.
    fn exchange(rounds: u32) -> Prediction {
        let phase = |from| format!("[[phase]]\nfrom = '{from}'\nbytes = 50\nrounds = {rounds}\n");
        let (request, answer) = (phase("client"), phase("server"));
        let text = format!("title = 'x'\n[link]\nrtt = '20ms'\n{request}{answer}");
        predict(&Source::new("x", &text).read(false, &[]).expect("it is right").scenario)
    }

    #[test]
    fn a_request_and_its_answer_take_a_round_trip() {
        let p = exchange(1);
        assert!((0.020..0.021).contains(&p.seconds), "{p:?}");
        assert_ne!(p.bound, "handshake", "it is over before the first write");
    }

    #[test]
    fn of_many_rounds_nothing_is_said() {
        assert_eq!(exchange(50).bound, "");
    }
}
