//! The terminal UI: a top for TCP limits. The loop only; `app` is the state, `draw` and `detail` are what is seen of it.

mod app;
mod detail;
mod draw;
#[cfg(test)]
mod tests;

use super::rounds::Sampler;
use super::row::Row;
use super::{Live, text};
use crate::error::Error;
use crate::output::Output;
use app::App;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::Duration;

/// Longest wait for a key before new samples are looked for.
const TICK: Duration = Duration::from_millis(100);

/// Runs until it is told to end. The terminal is put back whatever happens: `ratatui::try_init` hooks panics, Ctrl-C comes as a key.
pub(super) fn run(live: &Live, mut sampler: Sampler) -> Result<ExitCode, Error> {
    let color = Output::new(live.color).color;
    sampler.keep_idle();
    let notice = sampler.status().words().join(" ");
    let stop = Arc::new(AtomicBool::new(false));
    let (told, (send, rounds)) = (Arc::clone(&stop), sync_channel(1));
    let sampling = std::thread::Builder::new().name("samples".to_owned());
    let sampling = sampling
        .spawn(move || -> Result<(), Error> {
            while !told.load(Ordering::Relaxed) {
                if send.send(sampler.round(&told)?).is_err() {
                    break;
                }
            }
            sampler.finish()
        })
        .map_err(Error::Thread)?;
    let mut app = App::new(live.all, live.interval, color);
    app.notice = notice;
    let mut terminal = ratatui::try_init()?;
    let shown = show(&mut terminal, &mut app, &rounds);
    ratatui::try_restore()?;
    stop.store(true, Ordering::Relaxed);
    drop(rounds);
    shown?;
    sampling.join().unwrap_or(Ok(())).map(|()| ExitCode::SUCCESS)
}

fn show(
    terminal: &mut DefaultTerminal,
    app: &mut App,
    rounds: &Receiver<Vec<Row>>,
) -> Result<(), Error> {
    loop {
        terminal.draw(|frame| draw::draw(frame, app))?;
        if event::poll(TICK)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
            && app.key(key)
        {
            return Ok(());
        }
        match rounds.try_recv() {
            Ok(rows) => app.round(rows),
            Err(TryRecvError::Empty) => {}
            // The sampler failed: it says why when it is joined.
            Err(TryRecvError::Disconnected) => return Ok(()),
        }
    }
}
