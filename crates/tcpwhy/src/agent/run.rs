//! The agent from start to end: one thread samples, one answers, one exports.

use super::Agent;
use super::export::Exporter;
use super::sampler::{Sampler, Shared, duration};
use super::server;
use super::totals::Totals;
use crate::error::Error;
use crate::say;
use crate::serve::{Limits, listen};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;
use tcpwhy_live::privileges;
use tokio::net::TcpListener;

/// A scraper asks at once, and takes a few kilobytes; descriptors are for network namespaces.
const SCRAPERS: Limits =
    Limits { connections: 64, head: Duration::from_secs(5), answer: Duration::from_secs(10) };

/// Samples, answers and exports until it is told to stop.
pub(super) fn run(agent: &Agent) -> Result<ExitCode, Error> {
    let shared: Shared = Arc::new(Mutex::new(Totals::new(agent.services)));
    let sampler = Sampler::open(agent, Arc::clone(&shared))?;
    let exporter =
        |url: &String| Exporter::new(url, duration(agent.otlp_interval), Arc::clone(&shared));
    let exporter = agent.otlp.as_ref().map(exporter).transpose()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Error::Wait)?;
    let served = runtime.block_on(async {
        let refused = |e| Error::Listen(agent.listen, e);
        let listener = TcpListener::bind(agent.listen).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let stop = crate::serve::stop()?;
        let app = server::router(Arc::clone(&shared), duration(agent.interval));
        // What there is to open is open.
        privileges::keep_only(privileges::READING)
            .map_err(|e| Error::Live(format!("the kernel does not let go of capabilities: {e}")))?;
        let threads = Threads::start(sampler, exporter)?;
        say(&format!("metrics at http://{address}/metrics; Ctrl-C stops"));
        tokio::select! {
            () = listen(listener, app, SCRAPERS) => {}
            () = stop => {}
        }
        threads.stop();
        Ok(())
    });
    // A scraper that is slow to read does not keep us.
    runtime.shutdown_background();
    served.map(|()| ExitCode::SUCCESS)
}

/// What works beside the server. Dropping the sender of each ends it.
struct Threads {
    sampler: (Sender<()>, JoinHandle<()>),
    exporter: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Threads {
    fn start(sampler: Sampler, exporter: Option<Exporter>) -> Result<Self, Error> {
        let sampler = spawn("sampler", move |stop| sampler.run(&stop))?;
        let exporter = exporter.map(|e| spawn("exporter", move |stop| e.run(&stop))).transpose()?;
        Ok(Self { sampler, exporter })
    }

    /// The sampler first, so that the last export has all of it.
    fn stop(self) {
        for (sender, thread) in [self.sampler].into_iter().chain(self.exporter) {
            drop(sender);
            // One that panicked has said so.
            let _ = thread.join();
        }
    }
}

fn spawn(
    name: &str,
    work: impl FnOnce(Receiver<()>) + Send + 'static,
) -> Result<(Sender<()>, JoinHandle<()>), Error> {
    let (sender, stop) = channel();
    let thread = Builder::new().name(name.to_owned()).spawn(move || work(stop));
    Ok((sender, thread.map_err(Error::Thread)?))
}
