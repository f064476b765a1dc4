//! Records the events of this network namespace: `record_events FOLDER SECONDS`; to measure what the recording costs a transfer.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::os::linux::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tcpwhy_live::events::{Clock, Output, Recorder, Scope, Stream};
use tcpwhy_live::filter::Filter;
use tcpwhy_live::parts::{Keep, Parts};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder?")?;
    let seconds = arguments.next().ok_or("how many seconds?")?.parse()?;
    let inode = u32::try_from(std::fs::metadata("/proc/self/ns/net")?.st_ino())?;
    let stream = Stream::open(&Scope::Namespaces(vec![inode]))?;
    let path = Path::new(&folder).join("events.ndjson");
    let parts = Parts::create(&path, Keep::first(1 << 30))?;
    let (hosts, clock) = (vec![(inode, "here".into())], Clock::start());
    let output = Output { parts, filter: Filter::default(), bytes: Arc::default() };
    let recorder = Recorder::start(stream, hosts, clock, output);
    std::thread::sleep(Duration::from_secs(seconds));
    println!("{:?}", recorder.stop());
    Ok(())
}
