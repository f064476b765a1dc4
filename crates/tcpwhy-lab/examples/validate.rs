//! The model against the lab: runs transfers, predicts them, and writes docs/validation.md.
//!
//! `cargo run --release -p tcpwhy-lab --example validate -- FOLDER` keeps each run's result in FOLDER and goes on where it was
//! interrupted; what is kept is predicted again, not run again. Runs whose link was late do not count. `FOLDER long-fat` measures the
//! cases with that in their names only, and takes the rest from the page. With `--again` instead of the folder nothing runs: what the
//! page says was measured is compared with what the model says now.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;
use tcpwhy_lab::run::predict;
use tcpwhy_lab::scenario::{Assignment, Source, combinations, expand};
use tcpwhy_lab::spec::{Scenario, Workload};
use tcpwhy_lab::sweep::Sweep;

/// The published cases, as far as one transfer over a plain link makes them.
const CASES: [&str; 23] = [
    "send-buffer-16k-20ms",
    "send-buffer-16k-large-writes",
    "send-buffer-16k-one-segment",
    "send-buffer-130k-20ms",
    "send-buffer-256k-20ms",
    "send-buffer-1m-20ms",
    "send-buffer-default-20ms",
    "receive-buffer-4k-40ms",
    "receive-buffer-8k-40ms",
    "receive-buffer-default-40ms",
    "lan-download-100ms",
    "client-rmem-4096-100ms",
    "client-rmem-4096-10ms",
    "server-wmem-4096-100ms",
    "server-rmem-4096-100ms",
    "reader-limited-100k",
    "reader-limited-1m",
    "long-fat-default",
    "long-fat-wmem-50m",
    "long-fat-both-50m",
    "long-fat-rmem-100m",
    "blocks-read-buffer",
    "policer-10mbit",
];
/// Of a transfer that chance decides the model, too, draws one time of many: it is asked this often, and the median counts.
const SEEDS: u64 = 15;
/// Runs of a case on a long fat path, of which the median counts: a reader that is late by chance costs round trips of 400 ms.
const LONG_FAT_RUNS: usize = 5;
const PAGE: &str = "docs/validation.md";
/// The scenario that the grids vary, and what all of them vary.
const BASE: &str = "send-buffer-default-20ms";
const COMMON: [&str; 4] = [
    "server.congestion=cubic,reno,bbr",
    "link.rtt=10ms,40ms,100ms",
    "link.rate=10mbit,100mbit",
    "phase.0.bytes=3MB",
];
/// Name, what it varies, and runs of each transfer, of which the median counts: a small send buffer under large writes makes bursts that
/// overflow a queue or do not, by chance.
const GRIDS: [(&str, &str, usize); 3] = [
    ("auto", "link.queue=1MB,100KB", 1),
    ("snd", "server.sndbuf=16K,64K,256K", 3),
    ("rcv", "client.rcvbuf=16K,64K", 1),
];

/// Why the largest errors are there; to be checked when the model or the grid changes.
const WHERE_NOT: &str = "
Transfers with a locked send buffer were run three times, and the median counts. What leaves the only packet buffer makes room in it,
so a woken writer pours much more than the buffer out at once, until an ACK lets a small last segment go: the burst overflows the queue
or does not by a few microseconds of the writer. Three runs of reno with 16K took 0.42, 0.50 and 0.59 s (10 ms, 100 Mbit/s), 0.74, 1.12
and 1.48 s (40 ms), 1.59, 3.50 and 4.11 s (100 ms): no model predicts single ones. The model draws how quickly a writer runs, too, so
all that is predicted here is the median of 15 seeds; one seed alone gives 15.7 % instead of the 95th percentile above.

The long fat cases were run five times, and the median counts. There the lab's reader is late: its processors are shared by the link, both
ends and the captures, and at 1 Gbit/s some packets have come before it runs. The receive buffer grows by what was read in a round trip less
what still waits where the first packet of a burst is read (`tcp_rcv_space_adjust`), and the last ACK of a burst offers what is free with the
unread packets in the buffer, so that a late reader costs whole round trips of 400 ms: `long-fat-both-50m` took 6.3 to 9.2 s and once 26.7, `long-fat-default`
9.6 to 11.2 s and twice 15, and one run of `long-fat-wmem-50m` was given up. The model's reader is not late (docs/cases.md, G). Where the
threads that read and write had a real-time priority (`chrt --fifo --pid 1` on each of them as soon as it ran, as the link's own thread has), three
runs of `long-fat-both-50m` took 6.4 s each, with a dozen other processes at work, and one of `long-fat-default` 10.0 s: the model says 6.3 and
10.7.
`server-rmem-4096-100ms` took 2.7, 45.7 and 5.6 s in three more runs; its row is a fourth. Runs that did not carry all of their bytes are left out.
";

/// One transfer.
struct Compared {
    name: String,
    control: String,
    measured: f64,
    predicted: f64,
}

impl Compared {
    fn new(name: String, scenario: &Scenario, measured: f64) -> Self {
        let predicted = typical(scenario);
        let control = scenario.server.congestion.clone().map_or_else(String::new, |c| c.0);
        Self { name, control, measured, predicted }
    }

    /// Whether it was measured and the model knows such a scenario.
    fn is_known(&self) -> bool {
        self.measured > 0.0 && self.predicted > 0.0
    }

    fn error(&self) -> f64 {
        (self.predicted - self.measured) / self.measured
    }
}

/// The median of what the model says with several seeds.
fn typical(scenario: &Scenario) -> f64 {
    let mut scenario = scenario.clone();
    let mut seconds: Vec<f64> = (1..=SEEDS)
        .map(|seed| {
            scenario.link.up.seed = seed;
            scenario.link.down.seed = seed;
            predict(&scenario).seconds
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds.get(seconds.len() / 2).copied().unwrap_or_default()
}

type Failed = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failed> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let folder = folder.ok_or("name a folder in which the runs' results are kept, or --again")?;
    let only = std::env::args().nth(2);
    let (cases, grids) = match only {
        _ if folder.as_os_str() == "--again" => again(&[])?,
        Some(part) => {
            tcpwhy_lab::host::become_root()?;
            again(&measured_cases(&folder, &part))?
        }
        None => measured(&folder)?,
    };
    fs::write(PAGE, page(&cases, &grids))?;
    eprintln!("wrote {PAGE}");
    Ok(())
}

/// What the page says was measured, predicted anew; what is `newer` takes the page's place.
fn again(newer: &[Compared]) -> Result<(Vec<Compared>, Vec<Compared>), Failed> {
    let table = fs::read_to_string(PAGE)?;
    let mut rows: HashMap<&str, f64> = table.lines().filter_map(row).collect();
    rows.extend(newer.iter().map(|row| (row.name.as_str(), row.measured)));
    let predicted = |source: &str, assignments: &[Assignment]| -> Result<Compared, Failed> {
        let scenario = Source::find(source)?.read(false, assignments)?.scenario;
        let name = named(source, assignments.iter().map(|a| a.text.clone()));
        let measured = rows.get(name.as_str()).copied().unwrap_or(0.0);
        Ok(Compared::new(name, &scenario, measured))
    };
    let cases = CASES.iter().map(|name| predicted(name, &[])).collect::<Result<Vec<_>, _>>()?;
    let mut grids = Vec::new();
    for (_, varied, _) in GRIDS {
        let texts = COMMON.iter().chain([&varied]);
        let lists = texts.map(|text| expand(text)).collect::<Result<Vec<_>, _>>()?;
        for assignments in combinations(&lists) {
            grids.push(predicted(BASE, &assignments)?);
        }
    }
    let known = |rows: Vec<Compared>| rows.into_iter().filter(Compared::is_known).collect();
    Ok((known(cases), known(grids)))
}

/// A row of the tables: the transfer and the seconds measured.
fn row(line: &str) -> Option<(&str, f64)> {
    let mut cells = line.split('|').map(str::trim).skip(1);
    let (name, measured) = (cells.next()?, cells.next()?);
    Some((name, measured.strip_suffix(" s")?.parse().ok()?))
}

fn measured(folder: &Path) -> Result<(Vec<Compared>, Vec<Compared>), Failed> {
    tcpwhy_lab::host::become_root()?;
    let grids: Vec<Compared> = thread::scope(|scope| {
        let runs: Vec<_> = GRIDS
            .iter()
            .map(|(name, varied, runs)| {
                scope.spawn(move || {
                    let texts = COMMON.iter().chain([varied]);
                    let lists = texts.map(|text| expand(text)).collect::<Result<Vec<_>, _>>()?;
                    let mut all = Vec::new();
                    for run in 0..*runs {
                        let path = folder.join(format!("{name}-{run}"));
                        all.append(&mut compare(BASE, &path, combinations(&lists))?);
                    }
                    Ok(all)
                })
            })
            .collect();
        runs.into_iter()
            .map(|run| run.join().map_err(|_| Failed::from("a grid's thread ended early"))?)
            .collect::<Result<Vec<_>, Failed>>()
    })?
    .into_iter()
    .flatten()
    .collect();
    Ok((measured_cases(folder, ""), medians(grids)))
}

/// The cases with `part` in their names, the median of several runs.
fn measured_cases(folder: &Path, part: &str) -> Vec<Compared> {
    let mut cases = Vec::new();
    for name in CASES.iter().filter(|name| name.contains(part)) {
        let runs = if name.starts_with("long-fat") { LONG_FAT_RUNS } else { 1 };
        for run in 0..runs {
            let path = folder.join(format!("cases-{run}")).join(name);
            let rows = Assignment::parse("link.tap=0.5")
                .map_err(Failed::from)
                .and_then(|middle| compare(name, &path, vec![vec![middle]]));
            match rows {
                Ok(mut rows) => cases.append(&mut rows),
                Err(why) => eprintln!("{name}: {why}"),
            }
        }
    }
    medians(cases)
}

/// Of several runs of a transfer the one of median time, in the order in which transfers first appear.
fn medians(runs: Vec<Compared>) -> Vec<Compared> {
    let mut groups: Vec<Vec<Compared>> = Vec::new();
    for run in runs {
        match groups.iter_mut().find(|group| group.iter().any(|other| other.name == run.name)) {
            Some(group) => group.push(run),
            None => groups.push(vec![run]),
        }
    }
    let median = |mut group: Vec<Compared>| {
        group.sort_by(|a, b| a.measured.total_cmp(&b.measured));
        group.swap_remove((group.len() - 1) / 2)
    };
    groups.into_iter().map(median).collect()
}

fn compare(
    name: &str,
    folder: &Path,
    combinations: Vec<Vec<Assignment>>,
) -> Result<Vec<Compared>, Failed> {
    let source = Source::find(name)?;
    let scenarios: Vec<_> =
        combinations.iter().map(|v| source.read(false, v)).collect::<Result<_, _>>()?;
    let sweep = Sweep { source: &source, full: false, combinations, folder, keep: false, jobs: 1 };
    let rows = sweep.run(&AtomicBool::new(false), |_, _| {})?;
    let ran = rows.iter().zip(&scenarios).filter_map(|(row, read)| Some((row.as_ref()?, read)));
    let compared = ran.filter(|(row, read)| {
        // A transfer that was given up has no time.
        row.faithful && row.bytes == asked(&read.scenario)
    });
    let compared = compared.map(|(row, read)| {
        let name = named(name, row.values.iter().cloned());
        Compared::new(name, &read.scenario, row.seconds)
    });
    Ok(compared.filter(Compared::is_known).collect())
}

/// What a row is called: what the grid varies, or the case.
fn named(name: &str, values: impl Iterator<Item = String>) -> String {
    let values: Vec<_> =
        values.filter(|v| !v.starts_with("link.tap") && !v.starts_with("phase")).collect();
    if values.is_empty() { name.to_owned() } else { values.join(" ") }
}

fn asked(scenario: &Scenario) -> u64 {
    let Workload::Flows(flows) = &scenario.workload else { return 0 };
    let phases = flows.iter().flat_map(|flow| &flow.phases);
    phases.map(|phase| phase.bytes * u64::from(phase.rounds)).sum()
}

fn page(cases: &[Compared], grid: &[Compared]) -> String {
    let kernel = tcpwhy_lab::host::kernel_release();
    let mut out = format!(
        "# The model against the lab\n\n\
         Predicted and measured time of the same transfer, from the first write to the last byte read, on Linux {}. Written by\n\
         `cargo run --release -p tcpwhy-lab --example validate -- FOLDER`; runs whose link was late are left out. Asked: median\n\
         at most 5 %, 95th percentile at most 15 %.\n\n\
         | transfers | number | median error | 95th percentile |\n| --- | --- | --- | --- |\n",
        kernel.split('-').next().unwrap_or_default()
    );
    let mut line = |name: &str, rows: &[&Compared]| {
        let mut errors: Vec<f64> = rows.iter().map(|row| row.error().abs() * 100.0).collect();
        errors.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let index = (part * errors.len() as f64).ceil() as usize;
            errors.get(index.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        let _ =
            writeln!(out, "| {name} | {} | {:.1} % | {:.1} % |", errors.len(), at(0.5), at(0.95));
    };
    line("all", &cases.iter().chain(grid).collect::<Vec<_>>());
    line("the cases", &cases.iter().collect::<Vec<_>>());
    line("the grid", &grid.iter().collect::<Vec<_>>());
    for control in ["cubic", "reno", "bbr"] {
        let rows: Vec<_> = grid.iter().filter(|row| row.control == control).collect();
        line(&format!("the grid, {control}"), &rows);
    }
    out += WHERE_NOT;
    for (title, rows) in [("The cases", cases), ("The grid: 3 MB, 64K a write", grid)] {
        let _ = write!(
            out,
            "\n## {title}\n\n| transfer | measured | predicted | error |\n| --- | --- | --- | --- |\n"
        );
        for row in rows {
            let _ = writeln!(
                out,
                "| {} | {:.3} s | {:.3} s | {:+.1} % |",
                row.name,
                row.measured,
                row.predicted,
                row.error() * 100.0
            );
        }
    }
    out
}
