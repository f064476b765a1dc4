//! The rounds: sampling, selecting, showing.

use super::asked;
use super::kernel::{Kernel, Status};
use super::place;
use super::row::{Role, Row};
use super::words;
use super::{Live, json, text, ui};
use crate::error::Error;
use crate::interrupt;
use crate::output::{Output, line_width};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tcpwhy_live::cgroup::Names;
use tcpwhy_live::memory::Since;
use tcpwhy_live::privileges;
use tcpwhy_live::process::Owner;
use tcpwhy_live::sample::{Sample, Selection};
use tcpwhy_live::settings::Settings;
use tcpwhy_live::watch::{Observed, Watch};
use tcpwhy_report::paragraph;

/// Between two samples of a round where they cost little: shorter than most round trips over a distance.
const STEP: Duration = Duration::from_millis(20);
/// Sampling takes at most a tenth of the time.
const REST: u32 = 9;

/// Shows rounds as asked for.
pub(super) fn run(live: &Live) -> Result<ExitCode, Error> {
    let plain = live.once || live.json || live.ndjson || !std::io::stdout().is_terminal();
    let mut sampler = Sampler::open(live)?;
    if !plain {
        return ui::run(live, sampler);
    }
    let stop = interrupt::flag();
    let mut shown = 0;
    loop {
        let rows = sampler.round(&stop)?;
        shown += rows.len();
        let status = sampler.status();
        show(live, &rows, sampler.matched, &status).map_err(Error::Write)?;
        if !live.ndjson || live.once || stop.load(Ordering::Relaxed) {
            sampler.finish()?;
            return Ok(if shown > 0 { ExitCode::SUCCESS } else { crate::exit::NOTHING.into() });
        }
    }
}

/// `matched`: how many sockets were asked for, shown or not.
fn show(live: &Live, rows: &[Row], matched: usize, status: &Status) -> io::Result<()> {
    let machine = live.json || live.ndjson;
    let mut output = if machine { Output::raw() } else { Output::new(live.color) };
    if live.json {
        json::write(&mut output.to, &json::round(rows, status))?;
    } else if live.ndjson {
        for row in rows {
            json::write(&mut output.to, &json::line(row))?;
        }
    } else {
        let words = words::of(live.lang.of_text());
        if rows.is_empty() {
            writeln!(output.to, "{}", asked::nothing(live, matched, words))?;
        } else {
            text::write(&mut output.to, rows, live.verbose, words, line_width())?;
        }
        for sentence in words.missing(status, live.verbose) {
            output.to.write_all(paragraph("", &sentence, line_width()).as_bytes())?;
        }
    }
    output.to.flush()
}

/// Watches the sockets that were asked for.
pub(super) struct Sampler {
    watch: Watch,
    kernel: Kernel,
    cgroups: Names,
    /// Of our own namespace.
    settings: Settings,
    /// When memory was short.
    pressures: Since,
    live: Live,
    /// Sockets of the last round that were asked for, idle ones and those of other limits, too.
    matched: usize,
}

impl Sampler {
    /// Opens and attaches what is permitted; then this thread, and those that it starts, have the capabilities that sampling needs, and
    /// no others.
    pub(super) fn open(live: &Live) -> Result<Self, Error> {
        asked::exist(live)?;
        let namespaces = place::namespaces(live.netns.as_deref())?;
        let mut kernel = Kernel::open(live)?;
        drop_privileges(&mut kernel)
            .map_err(|e| Error::Live(format!("the kernel does not let go of capabilities: {e}")))?;
        let mut pressures = Since::default();
        pressures.add(namespaces.pressures());
        // The kernel leaves out what is not asked for, which is most of a large machine.
        let selection = Selection::default().with_port(live.port);
        let watch = Watch::of(namespaces).with_descriptors(kernel.take_descriptors());
        Ok(Self {
            watch: watch.only(selection),
            pressures,
            kernel,
            cgroups: Names::default(),
            settings: Settings::read(),
            live: live.clone(),
            matched: 0,
        })
    }

    /// What is missing, and why.
    pub(super) fn status(&mut self) -> Status {
        let namespaces = self.watch.namespaces();
        let closed = namespaces.refused().map(|(count, why)| (count, why.to_owned()));
        let pressure = self.pressures.add(namespaces.pressures());
        Status { closed, pressure, ..self.kernel.status() }
    }

    /// Writes what is written in the end.
    pub(super) fn finish(self) -> Result<(), Error> {
        self.kernel.finish()
    }

    /// Hands out idle sockets, too: one that rests for a round keeps its history.
    pub(super) fn keep_idle(&mut self) {
        self.live.all = true;
    }

    /// Samples for an interval, or until told to stop, and judges. Sockets with the most time lost come first.
    pub(super) fn round(&mut self, stop: &AtomicBool) -> Result<Vec<Row>, Error> {
        let end =
            Instant::now() + Duration::from_nanos(self.live.interval.0.try_into().unwrap_or(0));
        loop {
            let began = Instant::now();
            self.watch
                .sample()
                .map_err(|e| Error::Live(format!("the kernel refused to list its sockets: {e}")))?;
            if self.watch.knows_nobody() {
                self.watch.meet(|sample, owner| wants(&self.live, sample, owner));
            }
            self.kernel.drain();
            let cost = began.elapsed();
            let now = Instant::now();
            if now >= end || stop.load(Ordering::Relaxed) {
                break;
            }
            std::thread::sleep(STEP.max(cost * REST).saturating_sub(cost).min(end - now));
        }
        let live = self.live.clone();
        let seen = self.watch.round(|sample, owner| wants(&live, sample, owner));
        let seen: Vec<Observed> = seen.cloned().collect();
        let mut rows: Vec<Row> = seen.into_iter().map(|seen| self.row(seen)).collect();
        rows.retain(|row| live.container.as_ref().is_none_or(|text| row.place.is_in(text)));
        self.matched = rows.len();
        self.kernel.tell(&mut rows);
        rows.retain(|row| shows(&live, row));
        rows.sort_by_key(|row| {
            (std::cmp::Reverse((row.lost(), row.out_bps + row.in_bps)), row.seen.sample.cookie)
        });
        Ok(rows)
    }

    fn row(&mut self, seen: Observed) -> Row {
        let namespaces = self.watch.namespaces();
        let place = place::of(&seen, &mut self.cgroups, namespaces);
        let settings = namespaces.get(seen.netns).map_or(&self.settings, |n| &n.settings);
        Row { place, ..Row::new(seen, settings) }
    }
}

fn drop_privileges(kernel: &mut Kernel) -> io::Result<()> {
    let reading = privileges::READING;
    let suffices = privileges::suffices(reading, || kernel.is_readable())?;
    privileges::keep_only(if suffices { reading } else { reading | privileges::BPF })
}

fn wants(live: &Live, sample: &Sample, owner: Option<&Owner>) -> bool {
    let ends = [sample.local, sample.remote];
    live.host.is_none_or(|host| ends.iter().any(|end| end.ip() == host.to_canonical()))
        && live.port.is_none_or(|port| ends.iter().any(|end| end.port() == port))
        && live.pid.is_none_or(|pid| owner.is_some_and(|owner| owner.pid == pid))
}

fn shows(live: &Live, row: &Row) -> bool {
    (live.all || row.role != Role::Idle) && live.limit.is_none_or(|limit| row.limit == Some(limit))
}
