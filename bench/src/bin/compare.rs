//! `compare DIRECTORY [ROUNDS]`: times programs over the captures that `bench/run.sh` made there and prints a
//! Markdown table. Programs take turns, round by round, so that a busy moment of the machine meets them all.
#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// GNU time: the only portable way to a child's peak memory without unsafe code.
const TIME: &str = "/usr/bin/time";
/// What everything else is compared with.
const OURS: &str = "tcpwhy explain";

/// A command over one capture.
struct Job {
    name: &'static str,
    command: Vec<String>,
    capture: Capture,
    /// Slow programs run in the first half of the rounds only.
    rounds: usize,
    runs: Vec<Run>,
}

#[derive(Clone, Copy)]
struct Run {
    seconds: f64,
    peak_kb: u64,
}

#[derive(Clone)]
struct Capture {
    name: &'static str,
    path: PathBuf,
    packets: u64,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(directory) = arguments.first() else {
        let _ = writeln!(io::stderr(), "usage: compare DIRECTORY [ROUNDS]");
        return ExitCode::from(2);
    };
    let rounds = arguments.get(1).and_then(|r| r.parse().ok()).unwrap_or(5);
    match run(Path::new(directory), rounds) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "compare: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(directory: &Path, rounds: usize) -> io::Result<()> {
    let mut jobs = jobs(directory, rounds)?;
    let mut captures: Vec<PathBuf> = jobs.iter().map(|j| j.capture.path.clone()).collect();
    captures.sort_unstable();
    captures.dedup();
    for round in 0..rounds {
        // Programs that take gigabytes push them out of the page cache.
        for path in &captures {
            io::copy(&mut std::fs::File::open(path)?, &mut io::sink())?;
        }
        for job in jobs.iter_mut().filter(|j| round < j.rounds) {
            let run = measure(&job.command, directory)?;
            job.runs.push(run);
        }
    }
    print(&jobs)
}

/// A capture and its number of packets, which the generator wrote beside it.
fn capture(directory: &Path, name: &'static str) -> io::Result<Capture> {
    let path = directory.join(format!("{name}.pcap"));
    let text = std::fs::read_to_string(directory.join(format!("{name}.packets")))?;
    let packets = text.trim().parse().map_err(io::Error::other)?;
    Ok(Capture { name, path, packets })
}

fn jobs(directory: &Path, rounds: usize) -> io::Result<Vec<Job>> {
    let tcpwhy = std::env::var("TCPWHY").unwrap_or_else(|_| "target/release/tcpwhy".into());
    let answer: &[&str] = &[&tcpwhy, "explain"];
    let json: &[&str] = &[&tcpwhy, "explain", "--json"];
    let ndjson: &[&str] = &[&tcpwhy, "explain", "--ndjson"];
    let tcptrace: &[&str] = &["tcptrace", "-n", "-l"];
    let tshark: &[&str] = &["tshark", "-q", "-z", "conv,tcp", "-r"];
    let slow = rounds.div_ceil(2);
    let decode: &[&str] = &["target/release/decode"];
    let plan: [(&'static str, &[&str], &[&'static str], usize); 7] = [
        ("cat", &["cat"], &["one", "many"], rounds),
        ("decode", decode, &["one", "many"], rounds),
        (OURS, answer, &["one", "many"], rounds),
        ("tcpwhy explain --json", json, &["one-short", "one", "many-half", "many"], rounds),
        ("tcpwhy explain --ndjson", ndjson, &["many-half", "many"], rounds),
        ("tcptrace -n -l", tcptrace, &["one", "many"], slow),
        ("tshark -q -z conv,tcp", tshark, &["one", "many"], slow),
    ];
    let mut jobs = Vec::new();
    for (name, command, captures, rounds) in plan {
        if !exists(command) {
            let _ = writeln!(io::stderr(), "skipped, not there: {name}");
            continue;
        }
        for file in captures {
            let capture = capture(directory, file)?;
            let mut command: Vec<String> = command.iter().map(|w| (*w).to_owned()).collect();
            command.push(capture.path.display().to_string());
            jobs.push(Job { name, command, capture, rounds, runs: Vec::new() });
        }
    }
    Ok(jobs)
}

fn exists(command: &[&str]) -> bool {
    let Some(program) = command.first() else { return false };
    let path = std::env::var_os("PATH").unwrap_or_default();
    Path::new(program).is_file() || std::env::split_paths(&path).any(|d| d.join(program).is_file())
}

/// One run: wall-clock time, and the peak memory that GNU time reports.
fn measure(command: &[String], directory: &Path) -> io::Result<Run> {
    let report = directory.join("time.txt");
    let start = Instant::now();
    let status = Command::new(TIME)
        .args(["-f", "%M", "-o"])
        .arg(&report)
        .args(command)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let seconds = start.elapsed().as_secs_f64();
    if !status.success() {
        return Err(io::Error::other(format!("{}: {status}", command.join(" "))));
    }
    let text = std::fs::read_to_string(report)?;
    let peak_kb = text.lines().last().and_then(|l| l.trim().parse().ok()).unwrap_or(0);
    Ok(Run { seconds, peak_kb })
}

impl Job {
    /// The median; of an even number of runs the mean of the middle two.
    fn seconds(&self) -> f64 {
        let mut all: Vec<f64> = self.runs.iter().map(|r| r.seconds).collect();
        all.sort_by(f64::total_cmp);
        let [low, high] = [all.len().saturating_sub(1) / 2, all.len() / 2].map(|at| all.get(at));
        low.zip(high).map_or(f64::INFINITY, |(low, high)| (low + high) / 2.0)
    }

    fn rate(&self) -> f64 {
        self.capture.packets as f64 / self.seconds()
    }

    fn peak_kb(&self) -> u64 {
        self.runs.iter().map(|r| r.peak_kb).max().unwrap_or(0)
    }
}

/// The table of `bench/README.md`, then what more costs.
fn print(jobs: &[Job]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| program | capture | million packets | runs | million packets/s | `{OURS}` is | peak memory |"
    )?;
    writeln!(out, "| --- | --- | ---: | ---: | ---: | ---: | ---: |")?;
    for job in jobs {
        let ours = jobs.iter().find(|j| j.name == OURS && j.capture.name == job.capture.name);
        let times = match ours {
            Some(ours) if job.name != OURS => {
                let times = ours.rate() / job.rate();
                let digits = if times < 1.0 { 2 } else { 1 };
                format!("{times:.digits$} times as fast")
            }
            _ => String::new(),
        };
        writeln!(
            out,
            "| `{}` | {} | {:.2} | {} | {:.2} | {times} | {:.0} MB |",
            job.name,
            job.capture.name,
            job.capture.packets as f64 / 1e6,
            job.runs.len(),
            job.rate() / 1e6,
            job.peak_kb() as f64 / 1024.0,
        )?;
    }
    writeln!(out)?;
    print_memory(&mut out, jobs)
}

/// What one more finished connection, and one more packet, costs.
fn print_memory(out: &mut impl Write, jobs: &[Job]) -> io::Result<()> {
    let find = |mode: &str, capture: &str| {
        jobs.iter().find(|j| j.name.ends_with(mode) && j.capture.name == capture)
    };
    for mode in ["--json", "--ndjson"] {
        let (Some(half), Some(all)) = (find(mode, "many-half"), find(mode, "many")) else {
            continue;
        };
        let connections = std::env::var("CONNECTIONS").ok().and_then(|c| c.parse::<f64>().ok());
        let more = connections.unwrap_or(100_000.0) / 2.0;
        let bytes = (all.peak_kb() as f64 - half.peak_kb() as f64) * 1024.0 / more;
        writeln!(out, "- memory for each further connection, {mode}: {bytes:.0} bytes")?;
    }
    if let (Some(short), Some(long)) = (find("--json", "one-short"), find("--json", "one")) {
        let more = long.peak_kb() as f64 - short.peak_kb() as f64;
        let packets = (long.capture.packets - short.capture.packets) as f64;
        writeln!(out, "- memory for each further packet: {:.2} bytes", more * 1024.0 / packets)?;
    }
    Ok(())
}
