//! The lab's scenario run by the simulator of the core: a case folder in milliseconds of virtual time, with exact truth.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use tcpwhy_bench::frame::{write_header, write_segment};
use tcpwhy_core::link::{Queue, QueueLimit, Rate, WaySpec};
use tcpwhy_core::model::Side;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{
    Control, Loss, Reader, Scenario as Simulated, Trace, Window, Workload as Work, simulate,
};
use tcpwhy_lab::spec::{Flow, Pace, Role, Scenario, Sending, Workload};

/// Writes what [`tcpwhy_lab::score`] reads of a run.
pub(crate) fn run(scenario: &Scenario, folder: &Path) -> Result<(), String> {
    let flow = flow(scenario).ok_or("only flows can be simulated")?;
    let trace = simulate(&simulated(scenario, flow)?);
    let sender = flow.phases.last().map(|p| p.from);
    let at_the_client = if sender == Some(Role::Client) { 0.0 } else { 1.0 };
    for (name, position) in
        [("client", at_the_client), ("middle", 0.5), ("server", 1.0 - at_the_client)]
    {
        let path = folder.join(format!("{name}.pcapng"));
        capture(&path, &trace, position, flow.port).map_err(|e| e.to_string())?;
    }
    let from = if sender == Some(Role::Client) { Side::Client } else { Side::Server };
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text);
    write("truth.json", &truth(&trace, flow.port, from)).map_err(|e| e.to_string())?;
    write("link.json", r#"{"faithful":true}"#).map_err(|e| e.to_string())
}

fn flow(scenario: &Scenario) -> Option<&Flow> {
    match &scenario.workload {
        Workload::Flows(flows) => flows.first(),
        Workload::Programs(_) => None,
    }
}

fn simulated(scenario: &Scenario, flow: &Flow) -> Result<Simulated, String> {
    let [sending] = flow.phases.as_slice() else {
        return Err("one sending at a time can be simulated".to_owned());
    };
    let up = sending.from == Role::Client;
    let way = if up { &scenario.link.up } else { &scenario.link.down };
    let (sender, receiver) = if up {
        (&flow.client_socket, &flow.server_socket)
    } else {
        (&flow.server_socket, &flow.client_socket)
    };
    let host = if up { &scenario.client } else { &scenario.server };
    let control = match host.congestion.as_ref().map(|c| c.0.as_str()) {
        Some("bbr") => Control::Paced,
        Some("reno") => Control::Reno,
        _ => Control::Cubic,
    };
    Ok(Simulated {
        data_from: if up { Side::Client } else { Side::Server },
        workload: work(sending),
        rtt: scenario.link.up.delay + scenario.link.down.delay,
        rate_bps: rate(way),
        queue_bytes: queue(way),
        loss: loss(way),
        send_buffer: sender.sndbuf.map_or(0, |v| v * 3 / 2),
        window: receiver.rcvbuf.map_or_else(Window::default, Window::fixed),
        reader: reader(&sending.reader),
        control,
        seed: way.seed,
        ..Simulated::default()
    })
}

fn work(sending: &Sending) -> Work {
    Work {
        message_bytes: sending.bytes,
        request_bytes: 0,
        write_bytes: sending.write,
        write_every: sending.think,
        ..Work::default()
    }
}

fn rate(way: &WaySpec) -> u64 {
    match way.rate {
        Rate::Constant(bps) => bps,
        Rate::Unlimited | Rate::Trace(_) => 0,
    }
}

fn queue(way: &WaySpec) -> u64 {
    match way.queue {
        Queue::DropTail(QueueLimit::Bytes(bytes)) => bytes,
        _ => 1_000_000,
    }
}

fn loss(way: &WaySpec) -> Loss {
    if let Some(policer) = way.policer {
        Loss::Policer { rate_bps: policer.rate_bps, burst: policer.burst }
    } else if way.loss.random > 0.0 {
        Loss::PerMille((way.loss.random * 1000.0) as u32)
    } else if let Some(outage) = way.outages.first() {
        Loss::Outage(outage.from, outage.to)
    } else {
        Loss::Numbers(way.loss.nth.clone())
    }
}

fn reader(pace: &Pace) -> Reader {
    match pace {
        Pace::Fast => Reader::default(),
        Pace::Rate { bytes_per_second, chunk } => {
            Reader { bytes_per_second: *bytes_per_second, read_bytes: *chunk, pauses: Vec::new() }
        }
        Pace::Stops(stops) => {
            let pauses = stops.iter().map(|(stop, resume)| (*stop, resume.unwrap_or(Nanos::MAX)));
            Reader { pauses: pauses.collect(), ..Reader::default() }
        }
    }
}

fn capture(path: &Path, trace: &Trace, position: f64, port: u16) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    write_header(&mut out)?;
    for mut segment in trace.capture(position) {
        // The simulator's server listens on port 80.
        for end in [&mut segment.src, &mut segment.dst] {
            end.port = if end.port == 80 { port } else { end.port };
        }
        write_segment(&mut out, &segment)?;
    }
    out.flush()
}

fn truth(trace: &Trace, port: u16, from: Side) -> String {
    let mut spans = String::new();
    for t in trace.truth() {
        let cause = t.cause.name().map_or_else(|| "null".to_owned(), |c| format!("{c:?}"));
        let comma = if spans.is_empty() { "" } else { "," };
        let _ = write!(
            spans,
            r#"{comma}{{"from_ns":{},"to_ns":{},"limit":"{}","cause":{cause}}}"#,
            t.from.0,
            t.to.0,
            t.limit.name()
        );
    }
    format!(
        r#"{{"schema":"tcpwhy.truth/1","source":"a simulation","directions":[{{"client":{{"addr":"192.0.2.1","port":40000}},
        "server":{{"addr":"198.51.100.1","port":{port}}},"from":"{}","timeline":[{spans}],"scheduled":[]}}]}}"#,
        from.name()
    )
}
