//! The thread that samples, counts, and writes events.

use super::Agent;
use super::connections::Connections;
use super::events::Events;
use super::missed::Missed;
use super::pace::Pace;
use super::totals::{Totals, now_ns};
use super::warn;
use crate::error::Error;
use crate::live::place;
use hashbrown::HashMap;
use rustix::time::{ClockId, clock_gettime};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tcpwhy_core::units::Nanos;
use tcpwhy_live::memory::{Memory, Since};
use tcpwhy_live::namespaces::Namespaces;
use tcpwhy_live::settings::Settings;
use tcpwhy_live::watch::Watch;

/// Between two looks at the machine's memory for TCP, whose counters miss nothing: a look takes a file of each namespace.
const MEMORY: Duration = Duration::from_secs(10);

/// Totals that the sampler writes and others read.
pub(super) type Shared = Arc<Mutex<Totals>>;

/// The totals; what a thread that panicked left is still a number.
pub(super) fn lock(shared: &Shared) -> MutexGuard<'_, Totals> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Samples until it is told to stop.
#[derive(Debug)]
pub(super) struct Sampler {
    watch: Watch,
    connections: Connections,
    events: Events,
    pace: Pace,
    shared: Shared,
    top: usize,
    interval: Duration,
    events_interval: Duration,
    events_began: Instant,
    missed: Missed,
    pressures: Since,
    /// When the machine's memory was looked at.
    looked: Option<Instant>,
    /// Processor time of this thread at the end of the last round.
    used: Duration,
    /// Samples that failed since the last one that did not.
    refused: u32,
    /// Whether the last events failed: that is said once.
    unwritten: bool,
}

impl Sampler {
    /// Opens what it reads and writes.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`, there is no such namespace, or the file of events cannot be opened.
    pub(super) fn open(agent: &Agent, shared: Shared) -> Result<Self, Error> {
        let watch = Watch::of(place::namespaces(agent.netns.as_deref())?);
        let interval = duration(agent.interval);
        Ok(Self {
            watch,
            connections: Connections::default(),
            events: Events::open(&agent.events)?,
            pace: Pace::new(interval, agent.cpu),
            shared,
            top: agent.top.into(),
            interval,
            events_interval: duration(agent.events_interval),
            events_began: Instant::now(),
            missed: Missed::default(),
            pressures: Since::default(),
            looked: None,
            used: Duration::ZERO,
            refused: 0,
            unwritten: false,
        })
    }

    /// Rounds until the other end of `stop` is dropped; the last one is cut short.
    pub(super) fn run(mut self, stop: &Receiver<()>) {
        self.sample();
        let mut due = Instant::now();
        loop {
            let plan = self.pace.plan();
            due = self.next(due, plan.intervals);
            self.expect(due);
            let stopped = self.collect(due, plan.step, stop);
            self.end_round();
            if stopped || self.events_began.elapsed() >= self.events_interval {
                self.write_events();
            }
            if stopped {
                return;
            }
        }
    }

    /// The end of the round after the one that was due to end at `last`. After a long sleep (of the machine, say) time begins anew.
    fn next(&mut self, last: Instant, intervals: u32) -> Instant {
        let now = Instant::now();
        let due = last + self.interval * intervals;
        lock(&self.shared).own.spared += u64::from(intervals.saturating_sub(1));
        if due > now {
            return due;
        }
        let late = now.duration_since(due).as_secs_f64() / self.interval.as_secs_f64();
        lock(&self.shared).own.late += late.ceil() as u64;
        now + self.interval
    }

    /// Tells when a sample is due. Of those that fail only the first is overlooked: they must not seem to come.
    fn expect(&self, due: Instant) {
        if self.refused <= 1 {
            lock(&self.shared).own.due = due;
        }
    }

    /// Samples every `step` until the round is over but for its last sample; tells whether to stop.
    fn collect(&mut self, due: Instant, step: Duration, stop: &Receiver<()>) -> bool {
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if stop.recv_timeout(left.min(step)) != Err(RecvTimeoutError::Timeout) {
                return true;
            }
            if left <= step {
                return false;
            }
            let began = used();
            self.sample();
            self.pace.sampled(used().saturating_sub(began));
        }
    }

    fn sample(&mut self) {
        let began = Instant::now();
        let result = self.watch.sample();
        let took = began.elapsed();
        let mut totals = lock(&self.shared);
        match result {
            Ok(_) => {
                totals.own.samples += 1;
                totals.own.durations.add(took.as_secs_f64());
                totals.own.last_sample_ns = now_ns();
                self.refused = 0;
            }
            Err(e) => {
                totals.own.refused += 1;
                self.refused = self.refused.saturating_add(1);
                if self.refused == 1 {
                    warn(&format!("the kernel refused to list its sockets: {e}; trying again"));
                }
            }
        }
    }

    fn end_round(&mut self) {
        let began = used();
        // Before the sample: what opens meanwhile is not called missed.
        let spaces = self.watch.namespaces().iter();
        let counts: HashMap<u32, u64> =
            spaces.filter_map(|space| Some((space.inode, space.opens.count()?))).collect();
        self.sample();
        self.pace.sampled(used().saturating_sub(began));
        let settings = settings(self.watch.namespaces());
        let seen = self.watch.round(|_, _| true);
        let mut totals = lock(&self.shared);
        let new = self.connections.add(seen, &settings, &mut totals);
        let namespaces = self.watch.namespaces();
        if self.looked.is_none_or(|at| at.elapsed() >= MEMORY) {
            self.looked = Some(Instant::now());
            totals.own.memory = Memory::read();
            totals.own.pressure = self.pressures.add(namespaces.pressures());
        }
        totals.own.missed = totals.own.missed.max(self.missed.round(&counts, &new));
        totals.own.namespaces = namespaces.iter().count() as u64;
        totals.own.namespaces_closed = namespaces.refused().map_or(0, |(count, _)| count as u64);
        drop(totals);
        self.connections.forget(self.top);
        let now = used();
        self.pace.ended(now.saturating_sub(began), now.saturating_sub(self.used));
        self.used = now;
    }

    fn write_events(&mut self) {
        let span = self.events_began.elapsed();
        self.events_began = Instant::now();
        let worst = self.connections.worst(self.top);
        let result = self.events.write(&worst, span);
        let count = u64::try_from(worst.len()).unwrap_or(u64::MAX);
        let mut totals = lock(&self.shared);
        match result {
            Ok(()) => {
                totals.own.events += count;
                self.unwritten = false;
            }
            Err(e) => {
                totals.own.events_lost += count;
                if !std::mem::replace(&mut self.unwritten, true) {
                    warn(&format!("cannot write events: {e}; going on without"));
                }
            }
        }
    }
}

/// Those of all namespaces. Ours may be changed while it is watched.
fn settings(namespaces: &Namespaces) -> HashMap<u32, Settings> {
    let found = namespaces.iter().map(|space| (space.inode, space.settings));
    found.chain([(namespaces.own_inode(), Settings::read())]).collect()
}

/// Processor time of this thread: the time that passes says nothing on a machine that is busy.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// Of a time that the command line checked.
pub(super) fn duration(time: Nanos) -> Duration {
    Duration::from_nanos(time.0.try_into().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    #[test]
    fn a_sample_is_due_when_the_round_ends_unless_samples_fail() {
        let line = Agent::augment_args(Command::new("agent"));
        let matches = line.get_matches_from(["agent", "--netns", "self", "--interval", "1s"]);
        let shared: Shared = Arc::new(Mutex::new(Totals::new(1)));
        let agent = Agent::from_arg_matches(&matches).unwrap();
        let Ok(mut sampler) = Sampler::open(&agent, Arc::clone(&shared)) else {
            return println!("skipped: no sock_diag");
        };
        let due = || lock(&shared).own.due;
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        for (refused, after, expected) in [(0, 100, 100), (1, 200, 200), (2, 300, 200)] {
            sampler.refused = refused;
            sampler.expect(now + second * after);
            assert_eq!(due(), now + second * expected);
        }
    }
}
