//! The wording of `tcpwhy check`, a catalogue for each language: typed values in, whole texts out.

mod en;
mod zh;

use tcpwhy_core::advice::Language;
use tcpwhy_core::check::{Gain, Judged, Path, Source, Weight, What};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::Phase;

/// What a line about the host tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Congestion,
    SendBuffers,
    ReceiveBuffers,
    Memory,
    Device,
    Route,
}

/// Titles, and what is said instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// Nothing was found; over the paths, where there are some.
    Nothing {
        paths: bool,
    },
    LookAt,
    Leave,
    NoPath,
    NothingToChange,
    HowToUse,
}

/// What the host does over a path, in numbers.
#[derive(Debug, Clone)]
pub(super) struct Course {
    /// It sends, not receives.
    pub(super) sends: bool,
    pub(super) time: Nanos,
    /// Of the end where the rate was steady there, else the mean.
    pub(super) bps: u64,
    pub(super) steady: bool,
    /// Of the path's rate, 0 to 1.
    pub(super) part: f64,
    /// What held it the longest, each with its part of the time.
    pub(super) held: Vec<(Phase, f64)>,
}

impl Course {
    /// Of the host as it sends or receives; what holds it where that has no end.
    pub(super) fn of(judged: &Judged, sends: bool) -> Result<Self, Phase> {
        let p = if sends { &judged.sending } else { &judged.receiving };
        if !p.complete {
            return Err(p.limit());
        }
        let (size, rtt) = (judged.size, judged.path.rtt);
        let (steady, bps) = (p.steady(size, rtt).is_some(), p.typical_bps(size, rtt));
        let part = (bps as f64 / judged.path.rate_bps.max(1) as f64).min(1.0);
        let held = p.foremost();
        Ok(Self { sends, time: p.time, bps, steady, part, held })
    }
}

/// One language's texts.
pub(super) trait Words {
    fn line(&self, line: Line) -> &'static str;
    fn label(&self, label: Label) -> &'static str;
    /// A kernel's version that nothing told.
    fn assumed(&self, version: &str) -> String;
    fn unknown(&self) -> &'static str;
    /// Pages of TCP in bytes: what is used, the pressure mark, the most.
    fn memory(&self, used: Option<u64>, pressure: u64, most: u64) -> String;
    /// From one number of bytes to another.
    fn range(&self, from: u64, to: u64) -> String;
    fn note(&self, text: &str) -> String;
    /// The title of a path, by its number.
    fn path(&self, n: usize, path: &Path) -> String;
    /// The device and segments of a path's route.
    fn route(&self, device: &str, mss: u64, initcwnd: Option<u32>) -> String;
    fn by_the_model(&self, judged: &Judged) -> String;
    /// What the host does over a path, as it sends or receives.
    fn course(&self, course: &Course) -> String;
    /// As `course`, where that has no end, and what holds it.
    fn endless(&self, sends: bool, limit: Phase) -> String;
    /// How much a finding matters, in a column.
    fn weight(&self, weight: Weight) -> &'static str;
    /// What a finding does to a transfer, and what to change.
    fn why(&self, what: What) -> &'static str;
    /// Why a setting should stay.
    fn stay(&self, setting: &str) -> &'static str;
    /// Where a number comes from.
    fn source(&self, source: Source) -> &'static str;
    /// What a change brings, on a path where there are several.
    fn gain(&self, gain: &Gain, path: Option<usize>) -> String;
    /// Memory that a change costs a connection, and all of them.
    fn cost(&self, each: u64, all: Option<u64>) -> String;
    /// In a drop-in: the host it is for, a path, and what a setting is now.
    fn of_host(&self, name: &str) -> String;
    fn of_path(&self, path: &Path) -> String;
    fn now(&self, current: &str, what: What) -> String;
}

/// The texts of a language.
pub(super) fn of(language: Language) -> &'static dyn Words {
    match language {
        Language::En => &en::En,
        Language::Zh => &zh::Zh,
    }
}
