//! The terminal while it is ours, and how it is given back.

use ratatui::DefaultTerminal;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use signal_hook::consts::signal::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// What asks a program to end. Ctrl-C comes as a key, but another program may send the signal.
const ASKS: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// Added to a signal's number for the exit code, as shells do.
pub(super) const SIGNALLED: u8 = 128;
/// Time from a signal to the end of the program at the latest. Reading keys from a terminal that was closed never returns.
const GRACE: Duration = Duration::from_secs(1);

/// The terminal in raw mode, on its other screen. Dropped, it is as it was before; a panic puts it back, too (`ratatui::try_init`).
pub(super) struct Screen {
    /// Never dropped: it would tell on standard error that it cannot show the cursor, and that may be gone with the terminal.
    pub terminal: ManuallyDrop<DefaultTerminal>,
    asked: Arc<AtomicU8>,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// There is none, or it is no terminal.
    pub(super) fn open() -> io::Result<Self> {
        let asked = Arc::new(AtomicU8::new(0));
        let (mut signals, told) = (Signals::new(ASKS)?, Arc::clone(&asked));
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            if let Some(signal) = signals.forever().next() {
                told.store(u8::try_from(signal).unwrap_or(0), Ordering::Relaxed);
                std::thread::sleep(GRACE);
                let _ = ratatui::try_restore();
                std::process::exit(i32::from(SIGNALLED) + signal);
            }
        })?;
        let terminal = ManuallyDrop::new(ratatui::try_init()?);
        show_cursor_on_panic();
        Ok(Self { terminal, asked })
    }

    /// The signal that asked to end.
    pub(super) fn asked(&self) -> Option<u8> {
        Some(self.asked.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    /// As `asked`, after the terminal has failed: it may be closed, and then a signal says so, a moment before or after.
    pub(super) fn asked_after_failure(&self) -> Option<u8> {
        let since = Instant::now();
        while self.asked().is_none() && since.elapsed() < GRACE / 2 {
            std::thread::sleep(GRACE / 50);
        }
        self.asked()
    }
}

/// The terminal itself shows it when it is dropped, but a panic that aborts drops nothing.
fn show_cursor_on_panic() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let _ = execute!(io::stdout(), Show);
        hook(info);
    }));
}

impl Drop for Screen {
    fn drop(&mut self) {
        // After SIGHUP there may be no terminal any more.
        let _ = self.terminal.show_cursor();
        let _ = ratatui::try_restore();
    }
}
