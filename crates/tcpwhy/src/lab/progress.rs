//! Many runs: a line for each on standard error, and how long the others will still take.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// What was run, of what.
pub(super) struct Progress {
    bar: ProgressBar,
    since: Instant,
    run: u32,
    done: usize,
    all: usize,
}

impl Progress {
    /// Nothing yet, of so many runs.
    pub(super) fn new(all: usize) -> Self {
        // indicatif itself draws only on terminals.
        let bar = ProgressBar::with_draw_target(Some(all as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_bar} {msg}") {
            bar.set_style(style);
        }
        Self { bar, since: Instant::now(), run: 0, done: 0, all }
    }

    /// A result was there from before.
    pub(super) fn kept(&mut self) {
        self.done += 1;
        self.bar.inc(1);
    }

    /// A run is over; `line` tells how.
    pub(super) fn ran(&mut self, line: &str) {
        self.done += 1;
        self.run += 1;
        self.bar.inc(1);
        let left = HumanDuration(self.left()).to_string();
        self.bar.set_message(format!("{left} left"));
        let last = if self.done < self.all { format!(" ({left} left)") } else { String::new() };
        let line = format!("{}/{} {line}{last}", self.done, self.all);
        self.bar.suspend(|| anstream::eprintln!("{}", tcpwhy_report::printable(&line)));
    }

    /// Takes the bar off the terminal.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// By the mean of the runs so far; what was kept took no time.
    fn left(&self) -> Duration {
        let open = u32::try_from(self.all - self.done).unwrap_or(u32::MAX);
        (self.since.elapsed() / self.run.max(1)).saturating_mul(open)
    }
}
