//! The order of a recording.

use super::program::{Ask, Program, Signals};
use super::progress::Line;
use super::recording::{Recorded, Recording};
use super::{Record, facts};
use crate::error::Error;
use crate::{exit, say};
use std::io::Write;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};
use tcpwhy_core::advice::quantity::count;
use tcpwhy_lab::run::Case;

/// Between two looks at signals, the command and the clock.
const LOOK: Duration = Duration::from_millis(20);
/// The last acknowledgements are under way when a command has ended.
const LINGER: Duration = Duration::from_millis(300);
/// The summary of the recording.
const RECORD: &str = "record.json";

/// Records as asked for.
///
/// # Errors
/// The folder is not empty or cannot be written, the filter or the interface is none, or the command does not start. Nothing is left behind
/// then: the next attempt has the folder again.
pub(crate) fn run(args: &Record) -> Result<ExitCode, Error> {
    let failed = |e: tcpwhy_lab::run::Error| Error::Record(e.to_string());
    let case = Case::create(&args.output).map_err(failed)?;
    let signals =
        Signals::catch().map_err(|e| Error::Record(format!("cannot wait for signals: {e}")))?;
    let began = Instant::now();
    let (recording, program) = start(args, &case).inspect_err(|_| case.clear())?;
    let (recorded, code) = watch(args, recording, program, signals, began)?;
    if let Err(why) = save(&case, &recorded) {
        say(&why.to_string());
    }
    tell(args, &recorded, code, began.elapsed());
    Ok(ExitCode::from(code.unwrap_or(match recorded.stopped() {
        Some(_) => exit::ERROR,
        None => 0,
    })))
}

/// The recording, and the command beside it.
fn start(args: &Record, case: &Case) -> Result<(Recording, Option<Program>), Error> {
    let host = facts::json(&crate::check::this_host()?);
    case.json("host.json", &host).map_err(|e| Error::Record(e.to_string()))?;
    save(case, &Recorded::nothing())?;
    let recording = Recording::start(args, case)?;
    begin(args, &recording);
    match Program::start(&args.command) {
        Ok(program) => Ok((recording, program)),
        Err(why) => {
            recording.end();
            Err(why)
        }
    }
}

/// On a full disk the one that was there before stays.
fn save(case: &Case, recorded: &Recorded) -> Result<(), Error> {
    crate::target::save(&case.path(RECORD), |out| {
        serde_json::to_writer_pretty(&mut *out, recorded)?;
        writeln!(out)
    })
}

/// Until the command ends, or without one until a signal, the time or the size ends it. The command's exit code, if there is one.
fn watch(
    args: &Record,
    recording: Recording,
    mut program: Option<Program>,
    mut signals: Signals,
    began: Instant,
) -> Result<(Recorded, Option<u8>), Error> {
    let mut line = Line::new(args.quiet || program.is_some());
    let (mut recording, mut recorded) = (Some(recording), None);
    loop {
        thread::sleep(LOOK);
        let asked = signals.asked();
        let code = program.as_mut().map(Program::ended).transpose();
        let code = code.map_err(|e| Error::Record(format!("cannot wait for the command: {e}")))?;
        let code = code.flatten();
        if let Some(program) = program.as_ref().filter(|_| asked == Ask::Both && code.is_none()) {
            program.terminate();
        }
        let over = match &mut recording {
            Some(running) => {
                running.look();
                line.show(running);
                is_over(args, running, began) || (program.is_none() && asked != Ask::Nothing)
            }
            None => false,
        };
        if code.is_some() && recording.is_some() {
            thread::sleep(LINGER);
        }
        if (over || code.is_some())
            && let Some(running) = recording.take()
        {
            recorded = Some(running.end());
        }
        if (program.is_none() || code.is_some())
            && let Some(recorded) = recorded
        {
            return Ok((recorded, code));
        }
    }
}

fn is_over(args: &Record, recording: &Recording, began: Instant) -> bool {
    let long = args.duration.and_then(|span| u64::try_from(span.0).ok()).map(Duration::from_nanos);
    long.is_some_and(|long| began.elapsed() >= long)
        || args.max_size.is_some_and(|most| recording.bytes() >= most)
        || recording.has_ended()
}

/// What is missing, and what is not.
fn begin(args: &Record, recording: &Recording) {
    if let Some(why) = recording.no_capture() {
        say(&format!("no packets: {why}; samples of the sockets are recorded"));
    }
    if let Some(why) = recording.no_events() {
        say(&format!("no kernel events: {why}"));
    }
    if !args.quiet && args.command.is_empty() {
        say(&format!("recording into {}; Ctrl-C ends it", args.output.display()));
    }
}

fn tell(args: &Record, recorded: &Recorded, code: Option<u8>, long: Duration) {
    let sockets = &recorded.sockets;
    if let Some(why) = recorded.stopped() {
        say(&format!("the recording ended early: {why}; what was recorded until then can be read"));
    }
    if let Some(capture) = recorded.capture.as_ref().filter(|capture| capture.drops > 0) {
        say(&format!(
            "{} packets were dropped while capturing: the kernel's ring was full",
            count(capture.drops)
        ));
    }
    if args.quiet {
        return;
    }
    if recorded.is_empty() {
        return say(&nothing(args, code, long));
    }
    let packets = recorded.capture.as_ref().map_or("no packets".to_owned(), |capture| {
        format!("{} packets, {} dropped", count(capture.packets), count(capture.drops))
    });
    let (samples, events) = (count(sockets.samples), count(sockets.events));
    say(&format!(
        "recorded {:.1} s: {packets}, {samples} samples, {events} kernel events; tcpwhy {} explains it",
        long.as_secs_f64(),
        args.output.display()
    ));
}

/// That nothing was seen, and what that may be due to.
fn nothing(args: &Record, code: Option<u8>, long: Duration) -> String {
    let hosts = args.host.iter().map(|host| format!("--host {host}"));
    let ports = args.port.iter().map(|port| format!("--port {port}"));
    let interface = args.interface.iter().map(|name| format!("--interface {name}"));
    let asked = hosts.chain(ports).chain(interface).collect::<Vec<_>>().join(" ");
    let fits = if asked.is_empty() { String::new() } else { format!(" that fits {asked}") };
    let why = match code {
        None => "there was no TCP connection at work".to_owned(),
        Some(0) => "the command ended with exit code 0, and had no TCP connection".to_owned(),
        Some(code) => {
            format!("the command failed with exit code {code}, before there was a TCP connection")
        }
    };
    let (long, case) = (long.as_secs_f64(), args.output.display());
    format!(
        "recorded {long:.1} s, and nothing was seen: {why}{fits}; {case} has nothing to explain"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        record: Record,
    }

    #[test]
    fn an_empty_case_says_why_it_may_be_empty() {
        let said = |options: &[&str], code| {
            let line = [&["record", "-o", "case"], options].concat();
            nothing(&Line::parse_from(line).record, code, Duration::from_millis(300))
        };
        let text = said(&["--", "false"], Some(1));
        assert!(text.starts_with("recorded 0.3 s, and nothing was seen: the command failed"));
        assert!(text.contains("exit code 1"), "{text}");
        let text = said(&["--port", "80", "--interface", "lo"], None);
        assert!(text.contains("no TCP connection at work that fits --port 80 --interface lo"));
        assert!(Line::try_parse_from(["record", "-o", "case", "--for", "0s"]).is_err());
    }
}
