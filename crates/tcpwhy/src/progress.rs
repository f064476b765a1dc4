//! A progress bar for captures that take a while.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Smallest input, in bytes, that gets a bar.
const LARGE: u64 = 64 << 20;

/// How far reading has come; draws nothing where nobody would see it or wait.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
}

impl Progress {
    /// For an input of `total` bytes, if that is known. indicatif itself draws only on terminals.
    pub(crate) fn new(total: Option<u64>) -> Self {
        let large = total.filter(|bytes| *bytes >= LARGE);
        Self { bar: large.map(start) }
    }

    /// `done` bytes are read.
    pub(crate) fn set(&self, done: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
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
