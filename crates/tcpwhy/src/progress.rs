//! A progress bar for captures that take a while.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Smallest input, in bytes, that gets a bar.
const LARGE: u64 = 64 << 20;

/// How far reading has come, for whoever wants to know.
pub(crate) enum Progress {
    /// Nobody looks.
    Hidden,
    /// A bar on the terminal.
    Bar(ProgressBar),
    /// A number that somebody else reads: bytes of the file.
    Counter(Arc<AtomicU64>),
}

impl Progress {
    /// For an input of `total` bytes, if that is known: a bar, if it is large. indicatif itself draws only on terminals.
    pub(crate) fn shown(total: Option<u64>) -> Self {
        match total.filter(|bytes| *bytes >= LARGE) {
            Some(bytes) => Self::Bar(start(bytes)),
            None => Self::Hidden,
        }
    }

    /// `done` bytes are read.
    pub(crate) fn set(&self, done: u64) {
        match self {
            Self::Hidden => {}
            Self::Bar(bar) => bar.set_position(done),
            Self::Counter(counter) => counter.store(done, Ordering::Relaxed),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn start(bytes: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template(
        "{bar:30} {percent:>3} %  {decimal_bytes_per_sec}, {eta} left",
    );
    // The template is a constant; should indicatif refuse it, its default does.
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}
