//! The times, each thing in its turn, so that whatever else the machine does meets them all.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::process::{Command, Stdio};
use std::time::Instant;
use tcpwhy_live::sample::{Dump, Selection};
use tcpwhy_live::watch::Watch;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Turns.
const TURNS: usize = 15;

/// What is timed, in the order of the turns.
const NAMES: [&str; 3] = ["asked, nothing kept", "a full sample", "ss -tinmH"];

/// One run: by the clock, and on processors; milliseconds.
type Took = [f64; 2];

/// Times samples of the namespace's sockets and prints what came out.
pub(crate) fn measure() -> Result<()> {
    let dump = Dump::open()?;
    let mut watch = Watch::open()?;
    let found = watch.sample()?;
    let mut turns: [Vec<Took>; NAMES.len()] = Default::default();
    for _ in 0..TURNS {
        let [kernel, sample, ss] = &mut turns;
        let own = UsageWho::RUSAGE_SELF;
        kernel.push(took(own, || Ok(dump.each(Selection::default(), |_| ())?))?);
        sample.push(took(own, || Ok(watch.sample().map(drop)?))?);
        ss.push(took(UsageWho::RUSAGE_CHILDREN, || {
            run(Command::new("ss").arg("-tinmH").stdout(Stdio::null()))
        })?);
    }
    println!("{found} sockets, {TURNS} turns, ms");
    println!("{:25}  clock           processor", "");
    println!("{:25} median   least  median   least", "");
    let [kernel, sample, ss] = turns.map(figures);
    for (name, figures) in NAMES.iter().zip([&kernel, &sample, &ss]) {
        line(name, figures);
    }
    let ratio: Vec<f64> = ss.iter().zip(&sample).map(|(ss, ours)| ss / ours.max(0.1)).collect();
    line("ss / a full sample", &ratio);
    first_round()
}

/// What a program pays once: all processes are looked through, and all locks read.
fn first_round() -> Result<()> {
    let mut watch = Watch::open()?;
    let took = took(UsageWho::RUSAGE_SELF, || {
        watch.sample()?;
        watch.round(|_, _| true).for_each(drop);
        Ok(())
    })?;
    println!("a first round, with the processes and the locks of all: {:.0} ms", took[0]);
    Ok(())
}

fn line(name: &str, figures: &[f64]) {
    let cells: Vec<String> = figures.iter().map(|figure| format!("{figure:7.1}")).collect();
    println!("{name:25}{}", cells.join(" "));
}

fn took(who: UsageWho, once: impl FnOnce() -> Result<()>) -> Result<Took> {
    let used = || -> Result<f64> {
        let used = getrusage(who)?;
        let both = used.user_time() + used.system_time();
        Ok(both.num_microseconds() as f64 / 1e3)
    };
    let (began, before) = (Instant::now(), used()?);
    once()?;
    Ok([began.elapsed().as_secs_f64() * 1e3, used()? - before])
}

/// Median and least of each. The least is what it takes where nothing else runs.
fn figures(turns: Vec<Took>) -> Vec<f64> {
    let sorted = |at: usize| {
        let mut column: Vec<f64> = turns.iter().filter_map(|t| t.get(at).copied()).collect();
        column.sort_unstable_by(f64::total_cmp);
        column
    };
    let both = |column: Vec<f64>| [column.get(column.len() / 2).copied(), column.first().copied()];
    (0..2).flat_map(|at| both(sorted(at))).map(Option::unwrap_or_default).collect()
}

/// Runs a program to its end.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed").into()) }
}
