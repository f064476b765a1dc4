//! The flame graph of time slept in writes and reads.

use super::Live;
use crate::error::Error;
use crate::target;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use tcpwhy_live::causes::stack::{Frame, Names};
use tcpwhy_live::causes::{Lost, Slept};

/// Different stacks that are kept.
const MOST: usize = 1 << 16;

/// Stacks and their times, and where they go in the end.
#[derive(Debug)]
pub(super) struct Flame {
    svg: Option<(PathBuf, File)>,
    folded: Option<(PathBuf, File)>,
    /// Nanoseconds by folded stack: the thread's name and its functions, the outermost first.
    stacks: BTreeMap<String, u64>,
    /// Time of stacks that came when there were too many, nanoseconds.
    lost_ns: u64,
}

impl Flame {
    /// Opens the files while everything may be written; they keep what they hold until the end.
    ///
    /// # Errors
    /// A file cannot be written, or is there already and may not be replaced.
    pub(super) fn open(live: &Live) -> Result<Option<Self>, Error> {
        let outputs: Vec<&Path> =
            live.flame.iter().chain(&live.folded).map(AsRef::as_ref).collect();
        target::check(&outputs, &[], live.force)?;
        let open = |path: &PathBuf| {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
            file.map(|file| (path.clone(), file)).map_err(|e| failed(path, e))
        };
        let svg = live.flame.as_ref().map(open).transpose()?;
        let folded = live.folded.as_ref().map(open).transpose()?;
        let is_wanted = svg.is_some() || folded.is_some();
        Ok(is_wanted.then_some(Self { svg, folded, stacks: BTreeMap::new(), lost_ns: 0 }))
    }

    /// Adds what threads slept.
    pub(super) fn add(&mut self, slept: &[Slept], names: &mut Names) {
        for one in slept {
            let stack = fold(one, &names.user(one.process, &one.user), &names.kernel(&one.kernel));
            if self.stacks.len() < MOST || self.stacks.contains_key(&stack) {
                *self.stacks.entry(stack).or_default() += one.ns;
            } else {
                self.lost_ns += one.ns;
            }
        }
    }

    /// Lines `stack microseconds`.
    fn lines(&self) -> Vec<String> {
        let rounded = self.stacks.iter().map(|(stack, ns)| (stack, ns / 1000));
        rounded.filter(|(_, us)| *us > 0).map(|(stack, us)| format!("{stack} {us}")).collect()
    }

    /// Writes the files, and says on standard error what is not in them.
    ///
    /// # Errors
    /// A file cannot be written, or nobody slept: there is nothing to draw.
    pub(super) fn write(mut self, lost: Lost) -> Result<(), Error> {
        let lines = self.lines();
        if let Some((path, file)) = self.folded.take() {
            let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
            put(&file, text.as_bytes()).map_err(|e| failed(&path, e))?;
        }
        if let Some((path, file)) = self.svg.take() {
            let picture = draw(&lines).map_err(|e| failed(&path, e))?;
            put(&file, &picture).map_err(|e| failed(&path, e))?;
        }
        let short = lost.stacks + lost.places + lost.sleepers;
        if short > 0 || self.lost_ns > 0 {
            anstream::eprintln!(
                "tcpwhy: the flame graph lacks {short} sleeps and {} ms for want of room",
                self.lost_ns / 1_000_000
            );
        }
        Ok(())
    }
}

fn failed(path: &Path, e: io::Error) -> Error {
    Error::Page(path.display().to_string(), e)
}

/// Over what the file held.
fn put(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(bytes)?;
    // A device or a pipe has no length.
    if file.metadata()?.is_file() { file.set_len(bytes.len() as u64) } else { Ok(()) }
}

fn draw(lines: &[String]) -> io::Result<Vec<u8>> {
    let mut options = inferno::flamegraph::Options::default();
    options.title = "Time slept in writes to and reads from TCP".to_owned();
    options.count_name = "us".to_owned();
    options.colors = "io".parse().unwrap_or_default();
    let mut picture = BufWriter::new(Vec::new());
    if lines.is_empty() {
        // inferno takes no stacks for a mistake; nobody slept.
        let nobody = "nobody slept 1";
        inferno::flamegraph::from_lines(&mut options, [nobody], &mut picture)
    } else {
        inferno::flamegraph::from_lines(
            &mut options,
            lines.iter().map(String::as_str),
            &mut picture,
        )
    }
    .map_err(io::Error::other)?;
    picture.into_inner().map_err(io::IntoInnerError::into_error)
}

/// `command;outermost;...;innermost_[k]`.
fn fold(slept: &Slept, user: &[Frame], kernel: &[Frame]) -> String {
    let mut parts = vec![clean(&slept.command)];
    parts.extend(user.iter().rev().map(|frame| clean(&frame.to_string())));
    // What the scheduler calls is our own program.
    let scheduler = kernel.iter().position(|f| f.function.as_deref() == Some("__schedule"));
    let kernel = kernel.iter().skip(scheduler.unwrap_or(0)).rev();
    parts.extend(kernel.map(|frame| format!("{}_[k]", clean(&frame.to_string()))));
    if slept.kernel.is_empty() {
        parts.push(if slept.writes { "[write]" } else { "[read]" }.to_owned());
    }
    parts.join(";")
}

/// A name without what separates names, and nothing that would steer a terminal.
fn clean(name: &str) -> String {
    name.chars().map(|c| if c == ';' || c.is_control() { '_' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slept(command: &str, ns: u64) -> Slept {
        Slept {
            command: command.into(),
            process: 0,
            writes: true,
            ns,
            user: vec![],
            kernel: vec![],
        }
    }

    #[test]
    fn stacks_are_folded_added_and_drawn() {
        let frame = |name: &str| Frame { function: Some(name.into()), module: None, offset: 0 };
        let user = [frame("write"), frame("ma;in")];
        let kernel = ["bpf_prog", "__schedule", "tcp_sendmsg"].map(frame);
        let with = Slept { kernel: vec![1], ..slept("app\n", 1) };
        assert_eq!(fold(&with, &user, &kernel), "app_;ma_in;write;tcp_sendmsg_[k];__schedule_[k]");
        let mut flame = Flame { svg: None, folded: None, stacks: BTreeMap::new(), lost_ns: 0 };
        let mut names = Names::read(false);
        flame.add(&[slept("a", 1_500_000), slept("a", 500_000), slept("b", 900)], &mut names);
        assert_eq!(flame.lines(), ["a;[write] 2000"]);
        let picture = String::from_utf8(draw(&flame.lines()).unwrap()).unwrap();
        assert!(picture.contains("<svg") && picture.contains("[write]"));
        assert!(String::from_utf8(draw(&[]).unwrap()).unwrap().contains("nobody slept"));
    }
}
