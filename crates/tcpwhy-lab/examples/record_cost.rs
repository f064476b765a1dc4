//! What recording costs the transfer that is recorded:
//!
//! ```text
//! cargo run --release -p tcpwhy-lab --example record_cost -- lan-download 9 send-buffer-16k-20ms 5
//! ```
//!
//! Each scenario runs so many times without any recording, with socket samples and kernel events, with captures, and with all of it, in
//! turns, so that what else the machine does falls on all of them alike; medians are printed. Needs what `tcpwhy lab run` needs.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tcpwhy_lab::host::{Host, Network, become_root};
use tcpwhy_lab::link;
use tcpwhy_lab::scenario::Source;
use tcpwhy_lab::spec::{Role, Scenario};
use tcpwhy_lab::tap::Tap;
use tcpwhy_lab::workload::{self, AppLog, Clock, Site};
use tcpwhy_live::{Host as Recorded, Recorder};

/// What is recorded besides the application's own account.
const WAYS: [(&str, bool, bool); 4] = [
    ("nothing", false, false),
    ("samples and events", true, false),
    ("captures", false, true),
    ("all", true, true),
];

fn main() -> Result<(), Box<dyn Error>> {
    become_root()?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    for pair in arguments.chunks(2) {
        let [name, times] = pair else { return Err("write SCENARIO TIMES ...".into()) };
        let scenario = Source::find(name)?.read(false, &[])?.scenario;
        compare(&scenario, times.parse()?)?;
    }
    Ok(())
}

fn compare(scenario: &Scenario, times: usize) -> Result<(), Box<dyn Error>> {
    let mut rates = [const { Vec::new() }; WAYS.len()];
    for _ in 0..times {
        for (rates, (_, sockets, packets)) in rates.iter_mut().zip(WAYS) {
            rates.push(once(scenario, sockets, packets)?);
        }
    }
    println!("{}, {times} runs each", scenario.name);
    let [base, ..] = rates.each_ref().map(|rates| median(rates.clone()));
    for ((name, ..), rates) in WAYS.into_iter().zip(&rates) {
        let rate = median(rates.clone());
        println!("  {name:20} {:9.1} Mbit/s {:+6.1} %", rate / 1e6, (rate / base - 1.0) * 100.0);
    }
    Ok(())
}

/// Goodput of the judged transfer, bits per second.
fn once(scenario: &Scenario, sockets: bool, packets: bool) -> Result<f64, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let client = Host::new(Role::Client, &scenario.client, &scenario.link, Network::default())?;
    let server = Host::new(Role::Server, &scenario.server, &scenario.link, Network::default())?;
    let middle = packets.then(|| path("middle.pcapng"));
    let link = link::start(&scenario.link, client.device(), server.device(), middle.as_deref())?;
    let tap = |host, name| Tap::start(host, &path(name));
    let taps = match packets {
        true => Some([tap(&client, "client.pcapng")?, tap(&server, "server.pcapng")?]),
        false => None,
    };
    let hosts = || Ok::<_, std::io::Error>(vec![recorded(&client)?, recorded(&server)?]);
    let recorder = if sockets { Some(Recorder::start(hosts()?, folder.path())?) } else { None };
    let rate = work(scenario, &client, &server, folder.path())?;
    recorder.map(Recorder::stop).transpose()?;
    taps.map(Tap::stop).transpose()?;
    link.stop()?;
    Ok(rate)
}

fn recorded(host: &Host) -> std::io::Result<Recorded> {
    let name = if host.role() == Role::Client { "client" } else { "server" };
    Ok(Recorded { name: name.to_owned(), namespace: host.namespace().try_clone()?.into() })
}

fn work(
    scenario: &Scenario,
    client: &Host,
    server: &Host,
    case: &Path,
) -> Result<f64, Box<dyn Error>> {
    let log = AppLog::create(&case.join("app.ndjson"), Clock::start())?;
    let site = Site {
        client,
        server,
        server_addresses: server.addresses(),
        client_addresses: client.addresses(),
        log: &log,
        case,
        stop: &AtomicBool::new(false),
    };
    let outcome = workload::run(&scenario.workload, &site)?;
    log.finish()?;
    let sendings = outcome.flows.iter().filter(|f| !f.cross_traffic).flat_map(|f| &f.sendings);
    let rate = sendings.filter_map(|s| s.goodput_bps).max();
    Ok(rate.ok_or("nothing was transferred")? as f64)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
