//! The line on the terminal that tells how far the recording has come.

use super::recording::Recording;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tcpwhy_core::advice::quantity::{count, data};

/// Between two changes of the line.
const STEP: Duration = Duration::from_millis(250);

/// The line; indicatif draws it on terminals only.
pub(super) struct Line {
    bar: ProgressBar,
    began: Instant,
    shown: Instant,
}

impl Line {
    /// `hidden`: a command has the terminal, or nobody wants to be told.
    pub(super) fn new(hidden: bool) -> Self {
        let target =
            if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        // The template is a constant; should indicatif refuse it, its default does.
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self { bar, began: now, shown: now }
    }

    /// Shows how far it has come.
    pub(super) fn show(&mut self, recording: &Recording) {
        let now = Instant::now();
        if now - self.shown < STEP {
            return;
        }
        self.shown = now;
        let seconds = (now - self.began).as_secs();
        let packets = recording.packets().map_or(String::new(), |counts| {
            let number = |n: &std::sync::atomic::AtomicU64| count(n.load(Ordering::Relaxed));
            format!("{} packets ({} dropped), ", number(&counts.packets), number(&counts.drops))
        });
        let size = data(recording.bytes());
        self.bar.set_message(format!("recording: {seconds} s, {packets}{size}; Ctrl-C ends it"));
        self.bar.tick();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
