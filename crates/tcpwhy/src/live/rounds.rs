//! The rounds: sampling, selecting, showing.

use super::row::{Role, Row};
use super::{Live, json, text, ui};
use crate::error::Error;
use crate::interrupt;
use crate::output::Output;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tcpwhy_live::process::Owner;
use tcpwhy_live::sample::{Sample, Selection};
use tcpwhy_live::settings::Settings;
use tcpwhy_live::watch::Watch;

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
        show(live, &rows)?;
        if !live.ndjson || live.once || stop.load(Ordering::Relaxed) {
            return Ok(if shown > 0 { ExitCode::SUCCESS } else { crate::exit::NOTHING.into() });
        }
    }
}

fn show(live: &Live, rows: &[Row]) -> Result<(), Error> {
    let machine = live.json || live.ndjson;
    let mut output = if machine { Output::raw() } else { Output::new(live.color) };
    if live.json {
        writeln!(output.to, "{}", json::round(rows))?;
    } else if live.ndjson {
        for row in rows {
            writeln!(output.to, "{}", json::line(row))?;
        }
    } else {
        text::write(&mut output.to, rows, live.verbose)?;
    }
    output.to.flush()?;
    Ok(())
}

/// Watches the sockets that were asked for.
pub(super) struct Sampler {
    watch: Watch,
    settings: Settings,
    live: Live,
}

impl Sampler {
    /// In the caller's network namespace.
    pub(super) fn open(live: &Live) -> Result<Self, Error> {
        let watch = Watch::open().map(|watch| {
            // The kernel leaves out what is not asked for, which is most of a large machine.
            watch.only(Selection::default().with_port(live.port))
        });
        let watch = watch.map_err(|e| {
            Error::Live(format!(
                "cannot ask the kernel for its sockets: {e} (is tcp_diag built in or loaded?)"
            ))
        })?;
        Ok(Self { watch, settings: Settings::read(), live: live.clone() })
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
            let cost = began.elapsed();
            let now = Instant::now();
            if now >= end || stop.load(Ordering::Relaxed) {
                break;
            }
            std::thread::sleep(STEP.max(cost * REST).saturating_sub(cost).min(end - now));
        }
        let live = &self.live;
        let seen = self.watch.round(|sample, owner| wants(live, sample, owner));
        let rows = seen.into_iter().map(|seen| Row::new(seen, &self.settings));
        let mut rows: Vec<Row> = rows.filter(|row| shows(live, row)).collect();
        rows.sort_by_key(|row| {
            (std::cmp::Reverse((row.lost(), row.out_bps + row.in_bps)), row.seen.sample.cookie)
        });
        Ok(rows)
    }
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
