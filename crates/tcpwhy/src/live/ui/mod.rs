//! The terminal UI: a top for TCP limits. The loop only; `app` is the state, `draw`, `table` and `detail` are what is seen of it.

mod app;
mod detail;
mod draw;
mod screen;
mod table;
#[cfg(test)]
mod tests;

use super::kernel::Status;
use super::rounds::Sampler;
use super::row::Row;
use super::{Live, asked, text, words};
use crate::error::Error;
use crate::output::Output;
use app::App;
pub(super) use app::Sort;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use screen::{SIGNALLED, Screen};
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// Longest wait for a key before new samples, and signals, are looked for.
const TICK: Duration = Duration::from_millis(100);

/// Runs until it is told to end. The terminal is put back whatever ends it: a key, a signal, an error, a panic.
pub(super) fn run(live: &Live, mut sampler: Sampler) -> Result<ExitCode, Error> {
    let color = Output::new(live.color).color;
    let words = words::of(live.lang.of_text());
    sampler.keep_idle();
    let status = sampler.status();
    let stop = Arc::new(AtomicBool::new(false));
    let (sampling, rounds) = sample(sampler, Arc::clone(&stop))?;
    let mut app = App::new(live.all, live.interval, color, words);
    app.asked = asked::filters(live);
    app.tell(&status);
    let mut screen = Screen::open().map_err(unusable)?;
    let shown = show(&mut screen, &mut app, &rounds);
    let asked = if shown.is_ok() { screen.asked() } else { screen.asked_after_failure() };
    drop(screen);
    stop.store(true, Ordering::Relaxed);
    drop(rounds);
    let sampled = sampling.join().unwrap_or_else(|_| {
        Err(Error::Live("sampling broke off by an error of its own (see above)".to_owned()))
    });
    match asked {
        // The terminal may be gone, and nothing can be shown on it: no error of ours.
        Some(signal) => Ok((SIGNALLED + signal).into()),
        None => shown.and(sampled).map(|()| ExitCode::SUCCESS),
    }
}

type Round = (Vec<Row>, Status);
type Sampling = (JoinHandle<Result<(), Error>>, Receiver<Round>);

/// Takes samples on a thread of their own until told to stop.
fn sample(mut sampler: Sampler, stop: Arc<AtomicBool>) -> Result<Sampling, Error> {
    let (send, rounds) = sync_channel(1);
    let thread = std::thread::Builder::new().name("samples".to_owned());
    let thread = thread.spawn(move || -> Result<(), Error> {
        while !stop.load(Ordering::Relaxed) {
            let rows = sampler.round(&stop)?;
            if send.send((rows, sampler.status())).is_err() {
                break;
            }
        }
        sampler.finish()
    });
    Ok((thread.map_err(Error::Thread)?, rounds))
}

/// What the screen needs of a terminal: keys one by one, its other screen, signals.
fn unusable(why: io::Error) -> Error {
    Error::Live(format!("the terminal cannot be used: {why}; --once shows one round without it"))
}

fn show(screen: &mut Screen, app: &mut App, rounds: &Receiver<Round>) -> Result<(), Error> {
    while screen.asked().is_none() {
        screen.terminal.draw(|frame| draw::draw(frame, app)).map_err(Error::Write)?;
        if event::poll(TICK).map_err(unusable)?
            && let Event::Key(key) = event::read().map_err(unusable)?
            && key.kind != KeyEventKind::Release
            && app.key(key)
        {
            return Ok(());
        }
        match rounds.try_recv() {
            Ok((rows, status)) => {
                app.tell(&status);
                app.round(rows);
            }
            Err(TryRecvError::Empty) => {}
            // The sampler failed: it says why when it is joined.
            Err(TryRecvError::Disconnected) => return Ok(()),
        }
    }
    Ok(())
}
