//! What the kernel's programs told of the sockets of a round.

use super::Live;
use super::flame::Flame;
use super::row::Row;
use crate::error::Error;
use std::collections::{HashMap, HashSet};
use tcpwhy_live::causes::stack::{Frame, Names};
use tcpwhy_live::causes::{Asked, Blocked, Causes, Counts, Limited, Lost, Step, Tuned};
use tcpwhy_live::events::{Clock, Refused};
use tcpwhy_live::memory::{Memory, Pressure};
use tcpwhy_live::process::Descriptors;

/// What was told of one socket.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told {
    /// Who asked for its buffers since this began, in order of time.
    pub asked: Vec<Set>,
    /// For how long threads slept on it in the round.
    pub blocked: Blocked,
    /// What the kernel did to it since this began.
    pub counts: Counts,
    /// Memory for sending was refused in the round.
    pub refused: bool,
    /// For how long each limit held it in the round, judged in the kernel at every ACK; `None` where it sent nothing.
    pub limited: Option<Limited>,
    /// How autotuning changed its buffers since this began; times are since the Unix epoch.
    pub tuned: Tuned,
}

/// One setsockopt(2).
#[derive(Debug, Clone)]
pub(crate) struct Set {
    /// The call.
    pub asked: Asked,
    /// When, nanoseconds since the Unix epoch.
    pub time_ns: u64,
    /// The program's functions, the innermost first.
    pub stack: Vec<Frame>,
}

/// Whether the kernel's programs run, and what they could not tell.
#[derive(Debug, Clone, Default)]
pub(crate) struct Status {
    /// Why there are none at all.
    pub absent: Option<String>,
    /// What could not be attached.
    pub refused: Vec<Refused>,
    /// What did not fit.
    pub lost: Lost,
    /// Namespaces that could not be entered, and why the first could not.
    pub closed: Option<(usize, String)>,
    /// The machine's memory for TCP.
    pub memory: Option<Memory>,
    /// How often it was short since this began, in the namespaces that are watched.
    pub pressure: Pressure,
}

/// The kernel's programs, where they are permitted.
#[derive(Debug)]
pub(super) struct Kernel {
    causes: Option<Causes>,
    absent: Option<String>,
    names: Names,
    clock: Clock,
    flame: Option<Flame>,
    /// Sums of the last round, by cookie.
    limited: HashMap<u64, Limited>,
    counts: HashMap<u64, Counts>,
}

impl Kernel {
    /// Attaches them.
    ///
    /// # Errors
    /// A flame graph is asked for, and its file cannot be written or nothing can be attached.
    pub(super) fn open(live: &Live) -> Result<Self, Error> {
        let stacks = live.flame.is_some() || live.folded.is_some();
        let causes = if live.no_bpf {
            Err("switched off by --no-bpf".to_owned())
        } else {
            Causes::open(stacks).map_err(|e| e.to_string())
        };
        if let (true, Err(why)) = (stacks, &causes) {
            return Err(Error::Live(format!("a flame graph takes the kernel's events: {why}")));
        }
        let flame = Flame::open(live)?;
        Ok(Self {
            absent: causes.as_ref().err().cloned(),
            causes: causes.ok(),
            names: Names::read(flame.is_some()),
            clock: Clock::start(),
            flame,
            limited: HashMap::new(),
            counts: HashMap::new(),
        })
    }

    /// Whether this thread may read what the programs told.
    pub(super) fn is_readable(&mut self) -> bool {
        self.causes.as_mut().is_none_or(Causes::is_readable)
    }

    /// The iterator over what processes have open, where it is permitted.
    pub(super) fn take_descriptors(&mut self) -> Option<Descriptors> {
        self.causes.as_mut()?.take_descriptors()
    }

    /// To be called with every sample.
    pub(super) fn drain(&mut self) {
        if let Some(causes) = &mut self.causes {
            causes.drain();
        }
    }

    /// Adds to each row what was told of its socket.
    pub(super) fn tell(&mut self, rows: &mut [Row]) {
        let Some(causes) = &mut self.causes else { return };
        let samples = || rows.iter().map(|row| &row.seen.sample);
        let inodes: HashSet<u32> = samples().map(|s| s.inode).filter(|i| *i != 0).collect();
        let cookies: HashSet<u64> = samples().map(|sample| sample.cookie).collect();
        causes.drain();
        let (blocked, slept) = causes.slept(&inodes);
        let counts = causes.counts(&cookies);
        let mut sums = HashMap::new();
        for row in rows {
            let sample = &row.seen.sample;
            let limited = causes.limited(sample.cookie).map(|sum| {
                sums.insert(sample.cookie, sum);
                let before = self.limited.get(&sample.cookie).copied().unwrap_or_default();
                sum.since(&before, row.span.0.try_into().unwrap_or(0))
            });
            let asked = causes.asked(sample.inode, row.seen.netns, sample.local.port());
            let names = &mut self.names;
            let set = |asked: Asked| Set {
                time_ns: self.clock.at_ns(asked.t_ns),
                stack: names.user(asked.process, &asked.frames),
                asked,
            };
            let counted = counts.get(&sample.cookie).copied().unwrap_or_default();
            let before = self.counts.get(&sample.cookie).copied().unwrap_or_default();
            let told = Told {
                asked: asked.into_iter().map(set).collect(),
                blocked: blocked.get(&sample.inode).copied().unwrap_or_default(),
                counts: counted,
                refused: counted.refused_sending > before.refused_sending,
                limited,
                tuned: causes.tuned(sample.cookie).map(|t| at(self.clock, t)).unwrap_or_default(),
            };
            row.hear(told);
        }
        (self.limited, self.counts) = (sums, counts);
        if let Some(flame) = &mut self.flame {
            flame.add(&slept, &mut self.names);
        }
        causes.keep(&inodes, &cookies);
        self.names.forget_ended();
    }

    /// How it went so far.
    pub(super) fn status(&self) -> Status {
        let causes = self.causes.as_ref();
        Status {
            absent: self.absent.clone(),
            refused: causes.map(|c| c.refused().to_vec()).unwrap_or_default(),
            lost: causes.map(Causes::lost).unwrap_or_default(),
            memory: Memory::read(),
            ..Status::default()
        }
    }

    /// Writes the flame graph, if it is asked for.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn finish(self) -> Result<(), Error> {
        let lost = self.status().lost;
        self.flame.map_or(Ok(()), |flame| flame.write(lost))
    }
}

/// Times of the kernel's clock -> since the Unix epoch.
fn at(clock: Clock, tuned: Tuned) -> Tuned {
    let step = |step: Step| Step { t_ns: clock.at_ns(step.t_ns), ..step };
    Tuned { newest: tuned.newest.into_iter().map(step).collect(), ..tuned }
}
