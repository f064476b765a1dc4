//! The samples and events of a case folder -> its truth.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use serde::Deserialize;
use tcpwhy_core::kernel::tcp_info::{TcpInfo, from_hex};
use tcpwhy_core::link::{Rate, WaySpec};
use tcpwhy_core::socket::Receiver;

use crate::link::busy;
use crate::ndjson;
use crate::spec::LinkSpec;

use super::cause::{self, Beside};
use super::events::{self, Told};
use super::load::Load;
use super::sender::Samples;
use super::writes::{self, Writes};
use super::{Direction, End, Interval, SCHEMA, Scheduled, Source, State, Stopwatch, Truth, derive};

#[derive(Deserialize)]
struct Line {
    t_ns: u64,
    host: String,
    local: SocketAddr,
    remote: SocketAddr,
    #[serde(default)]
    cookie: u64,
    rqueue: u32,
    wqueue: u32,
    tcp_info: String,
    skmem: Vec<u32>,
}

/// Host, local and remote address.
type Ends = (String, SocketAddr, SocketAddr);
type Sockets = BTreeMap<Ends, Samples>;

/// As [`read`], into `truth.json` of the folder: its last step, or again after a change of the rules.
///
/// # Errors
/// As [`read`]; the file cannot be written.
pub fn write(
    folder: &Path,
    link: &LinkSpec,
    source: Source,
    scheduled: &[Scheduled],
) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&read(folder, link, source, scheduled)?)?;
    std::fs::write(folder.join("truth.json"), text + "\n")
}

/// Derives the truth of a finished case folder anew, from what the last truth rested on: after a change of the rules.
///
/// # Errors
/// As [`write()`].
pub fn again(folder: &Path, link: &LinkSpec) -> io::Result<()> {
    let before = match std::fs::read_to_string(folder.join("truth.json")) {
        Ok(text) => serde_json::from_str::<Truth>(&text)?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return write(folder, link, Source::Samples, &[]);
        }
        Err(e) => return Err(e),
    };
    let events = before.source == Source::KernelEvents.name();
    let source = if events { Source::KernelEvents } else { Source::Samples };
    let scheduled: Vec<Scheduled> = before.directions.iter().flat_map(of_direction).collect();
    write(folder, link, source, &scheduled)
}

fn of_direction(direction: &Direction) -> impl Iterator<Item = Scheduled> {
    let ends = direction.ends();
    let put =
        move |interval: &Interval| Some(Scheduled { ends: ends?, interval: interval.clone() });
    direction.scheduled.iter().filter_map(put)
}

/// Reads `samples.ndjson`, `app.ndjson`, and for [`Source::KernelEvents`] `events.ndjson` of a case folder. A line cut off by a killed
/// recorder is left out. `scheduled` is laid beside what was found.
///
/// # Errors
/// A file cannot be read.
pub fn read(
    folder: &Path,
    link: &LinkSpec,
    source: Source,
    scheduled: &[Scheduled],
) -> io::Result<Truth> {
    let writers = writes::read(&folder.join("app.ndjson"))?;
    let sockets = samples(&folder.join("samples.ndjson"))?;
    let told = match source {
        Source::KernelEvents => events::read(&folder.join("events.ndjson"))?,
        Source::Samples => BTreeMap::new(),
    };
    let load = match busy::read(folder)? {
        Some(steps) => Load::told([&link.up, &link.down], steps),
        None => load_of(&sockets, link),
    };
    let directions = sockets.iter().filter(|(_, samples)| samples.carried());
    let directions = directions.map(|((host, local, remote), samples)| {
        let told = told.get(&(host.clone(), samples.cookie));
        let other = sockets.iter().find(|((h, l, r), _)| h != host && l == remote && r == local);
        let receiver = other.map_or(&[][..], |(_, samples)| &samples.receiver);
        let link = (link, &load);
        let mut found = direction(host, [*local, *remote], samples, &writers, told, link, receiver);
        let beside = |s: &&Scheduled| s.ends == [*local, *remote];
        found.scheduled = scheduled.iter().filter(beside).map(|s| s.interval.clone()).collect();
        found
    });
    let directions = directions.collect();
    Ok(Truth { schema: SCHEMA.into(), source: source.name().into(), directions })
}

fn samples(path: &Path) -> io::Result<Sockets> {
    let mut sockets = Sockets::new();
    for line in ndjson::lines::<Line>(path)? {
        let line = line?;
        let raw = from_hex(&line.tcp_info);
        let info = TcpInfo(&raw);
        let Some(state) = State::from_sample(line.t_ns, info, line.wqueue, &line.skmem, "") else {
            continue;
        };
        let socket = sockets.entry((line.host, line.local, line.remote)).or_default();
        let memory = |at| line.skmem.get(at).copied().unwrap_or(0);
        let receiver = Receiver { unread: line.rqueue, rmem_alloc: memory(0), rcvbuf: memory(1) };
        socket.cookie = line.cookie;
        socket.receiver.push((line.t_ns, receiver));
        socket.states.push(state);
        socket.sent.add(line.t_ns, info);
        socket.stopwatch = Stopwatch {
            busy_us: info.busy_us().unwrap_or(0),
            rwnd_limited_us: info.rwnd_limited_us().unwrap_or(0),
            sndbuf_limited_us: info.sndbuf_limited_us().unwrap_or(0),
        };
    }
    Ok(sockets)
}

/// What all sockets of either host send over the link.
fn load_of(sockets: &Sockets, link: &LinkSpec) -> Load {
    let of = |host: &str| {
        let its = |(h, local, _): &Ends| h == host && !is_within_a_host(local);
        sockets.iter().filter(|(ends, _)| its(ends)).map(|(_, samples)| &samples.sent).collect()
    };
    Load::sent([(&link.up, of("client")), (&link.down, of("server"))])
}

/// What a relay and a program on the same host send each other crosses no link.
fn is_within_a_host(local: &SocketAddr) -> bool {
    local.ip().is_loopback()
}

fn direction(
    from: &str,
    ends: [SocketAddr; 2],
    samples: &Samples,
    writers: &Writes,
    told: Option<&Told>,
    (link, load): (&LinkSpec, &Load),
    receiver: &[(u64, Receiver)],
) -> Direction {
    let [local, remote] = ends;
    let way = if from == "client" { &link.up } else { &link.down };
    let (client, server) = if from == "client" { (local, remote) } else { (remote, local) };
    let (mut states, source) = match told {
        Some(told) => (samples.told(told), Source::KernelEvents),
        None => (samples.sampled(ends, writers), Source::Samples),
    };
    without_queue(&mut states, link);
    let crosses = !is_within_a_host(&local);
    let loaded = crosses.then(|| load.without_queue(&states, from == "client"));
    let rate = payload_rate(way).filter(|_| crosses);
    let mut timeline = derive(loaded.as_deref().unwrap_or(&states), source, rate);
    let reading = told.map(|told| &told.reader_asleep);
    cause::fill(&mut timeline, &states, &Beside { receiver, reading, way });
    Direction {
        client: End::new(client),
        server: End::new(server),
        from: from.to_owned(),
        timeline,
        scheduled: Vec::new(),
        stopwatch: Some(samples.stopwatch),
        watched: told.map(|told| told.watched),
    }
}

/// The shortest round trip that a sender has measured is one of a packet that overtook others, or that the jitter favoured: up to what the
/// link's delays may come to, nothing waits in its queue.
fn without_queue(states: &mut [State], link: &LinkSpec) {
    let delays = [&link.up, &link.down].map(|way| way.delay.0 + way.jitter.0);
    let longest = u32::try_from(delays.iter().sum::<i64>() / 1000).unwrap_or(u32::MAX);
    states.iter_mut().for_each(|s| s.min_rtt_us = s.min_rtt_us.max(longest));
}

/// Payload bytes per second that a link carries: what its rate and its policer leave, of packets of 1,500 bytes with 1,448 in them.
fn payload_rate(way: &WaySpec) -> Option<f64> {
    let policer = way.policer.map_or(f64::INFINITY, |p| p.rate_bps as f64);
    let rate = match &way.rate {
        Rate::Constant(bps) => (*bps as f64).min(policer),
        // A trace's rate is another one at every moment.
        Rate::Unlimited | Rate::Trace(_) => policer,
    };
    rate.is_finite().then_some(rate / 8.0 * 1448.0 / 1500.0)
}

#[cfg(test)]
mod tests {
    use tcpwhy_core::units::Nanos;

    use super::*;

    #[test]
    fn jitter_and_overtaking_are_no_queue() {
        let way = |ms: i64| WaySpec {
            delay: Nanos::from_millis(ms),
            jitter: Nanos::from_millis(1),
            ..WaySpec::default()
        };
        let link = LinkSpec { up: way(4), down: way(4), ..LinkSpec::default() };
        let state = |srtt_us| State {
            established: true,
            unsent: 9000,
            mss: 1448,
            cwnd: 10,
            snd_wnd: 60_000,
            srtt_us,
            min_rtt_us: 4000,
            ..State::default()
        };
        let told = |srtt_us| {
            let mut states = [state(srtt_us)];
            without_queue(&mut states, &link);
            states[0].limit().name()
        };
        assert_eq!(told(9000), "congestion_window");
        assert_eq!(told(14_000), "path_bandwidth");
    }
}
