//! The times, each thing in its turn, so that whatever else the machine does meets them all.

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::Instant;
use tcpwhy_live::causes::Causes;
use tcpwhy_live::process::Descriptors;
use tcpwhy_live::sample::{Dump, Selection};
use tcpwhy_live::watch::Watch;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Turns.
const TURNS: usize = 15;

/// Turns of what a program does once.
const FIRST_ROUNDS: usize = 5;

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
    rounds()
}

/// What a program pays once, and again for every new connection: who has each socket open is looked for, and all locks are read, by
/// `/proc` and the sockets themselves, and by the kernel's iterator, where BPF is permitted.
fn rounds() -> Result<()> {
    let mut turns: [Vec<Took>; 4] = Default::default();
    for _ in 0..FIRST_ROUNDS {
        let [first_walk, first_pass, walk, pass] = &mut turns;
        let took = first_rounds(None)?;
        first_walk.push(took[0]);
        walk.push(took[1]);
        if let Some(descriptors) = Causes::open(false).ok().and_then(|mut c| c.take_descriptors()) {
            let took = first_rounds(Some(descriptors))?;
            first_pass.push(took[0]);
            pass.push(took[1]);
        }
    }
    let names =
        ["first round, by /proc", "by the iterator", "new connection, by /proc", "by the iterator"];
    for (name, turns) in names.into_iter().zip(turns) {
        if turns.is_empty() {
            println!("{name:25}skipped: the kernel refuses it");
        } else {
            line(name, &figures(turns));
        }
    }
    Ok(())
}

/// The first round, and one with a new connection.
fn first_rounds(descriptors: Option<Descriptors>) -> Result<[Took; 2]> {
    let mut watch = Watch::open()?.with_descriptors(descriptors);
    watch.sample()?;
    let first = took(UsageWho::RUSAGE_SELF, || {
        let unknown = watch.round(|_, _| true).filter(|seen| seen.locks.is_none()).count();
        if unknown == 0 { Ok(()) } else { Err(format!("nothing is known of {unknown}").into()) }
    })?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let _connection = (TcpStream::connect(listener.local_addr()?)?, listener.accept()?);
    watch.sample()?;
    let later = took(UsageWho::RUSAGE_SELF, || {
        watch.round(|_, _| true).for_each(drop);
        Ok(())
    })?;
    Ok([first, later])
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
