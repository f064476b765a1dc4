//! How far the truth from kernel events and the truth from samples agree: `truth_agreement CASE...`, of case folders that
//! `tcpwhy lab run` wrote. Prints, for each direction that carried data, the share of time under the same limit, and what the time was
//! taken for where they differ.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use tcpwhy_lab::scenario;
use tcpwhy_lab::truth::{Interval, Source, read};

fn main() -> Result<(), Box<dyn Error>> {
    let mut all = (0, 0);
    for folder in std::env::args_os().skip(1) {
        let folder = Path::new(&folder);
        let file = folder.join("scenario.toml");
        let scenario = scenario::Source::find(&file.to_string_lossy())?.read(false, &[])?.scenario;
        let truth = |source| read(folder, &scenario.link, source, &[]);
        let (events, samples) = (truth(Source::KernelEvents)?, truth(Source::Samples)?);
        for told in &events.directions {
            let same = |d: &&tcpwhy_lab::truth::Direction| {
                (&d.client, &d.server, &d.from) == (&told.client, &told.server, &told.from)
            };
            let Some(sampled) = samples.directions.iter().find(same) else { continue };
            let (same, time, rest) = compare(&told.timeline, &sampled.timeline);
            all = (all.0 + same, all.1 + time);
            let share = 100.0 * same as f64 / time.max(1) as f64;
            let seconds = time as f64 / 1e9;
            println!(
                "{:40} {:6} {seconds:7.2} s {share:6.1} %  {rest}",
                folder.display(),
                told.from
            );
        }
    }
    println!("together: {:.1} %", 100.0 * all.0 as f64 / all.1.max(1) as f64);
    Ok(())
}

/// Nanoseconds under the same limit, all, and the largest difference in words.
fn compare(told: &[Interval], sampled: &[Interval]) -> (u64, u64, String) {
    let mut times: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for one in told {
        for other in sampled {
            let (from, to) = (one.from_ns.max(other.from_ns), one.to_ns.min(other.to_ns));
            if from < to {
                *times.entry((&one.limit, &other.limit)).or_default() += to - from;
            }
        }
    }
    let same = times.iter().filter(|((a, b), _)| a == b).map(|(_, t)| t).sum();
    let apart = times.iter().filter(|((a, b), _)| a != b).max_by_key(|(_, t)| **t);
    let words = apart.map_or(String::new(), |((told, sampled), time)| {
        format!("events {told}, samples {sampled}: {:.2} s", *time as f64 / 1e9)
    });
    (same, times.values().sum(), words)
}
