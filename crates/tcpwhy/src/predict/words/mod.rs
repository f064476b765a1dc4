//! The wording of a prediction, a catalogue for each language: typed values in, whole texts out. What programs read (JSON, CSV)
//! has the published names instead.

mod en;
mod zh;

use tcpwhy_core::advice::Language;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::{Phase, Prediction};

/// How many times as large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Factor {
    Two = 2,
    Four = 4,
}

/// One thing that could be otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// A larger SO_SNDBUF.
    SendTimes(Factor),
    SendAutomatic,
    /// A larger SO_RCVBUF.
    ReceiveTimes(Factor),
    ReceiveAutomatic,
    NoOffload,
    WideBuffers,
    Warm,
    Bbr,
    NoLoss,
    NoPolicer,
    FastReader,
    HalfRoundTrip,
}

/// Titles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Phases,
    Buffers,
    Changes,
}

/// A column of a sweep's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Rate,
    OfTheLink,
    Limit,
}

/// A transfer's bandwidth-delay product, and what it comes from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bdp {
    pub(super) rate_bps: u64,
    pub(super) rtt: Nanos,
    pub(super) bytes: u64,
}

/// A buffer after the transfer, and what it needs for the full rate; bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Buffer {
    pub(super) sends: bool,
    pub(super) bytes: u64,
    pub(super) needed: u64,
}

/// Rates of all streams together, and of the link; bits per second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rates {
    pub(super) mean_bps: u64,
    /// Of the second half, where that is more than a burst.
    pub(super) steady_bps: Option<u64>,
    pub(super) streams: u32,
    pub(super) link_bps: u64,
}

/// How far runs that differ by chance only lie apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance {
    pub(super) runs: u64,
    pub(super) p10: Nanos,
    pub(super) p90: Nanos,
}

/// One cell of a sweep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell<'a> {
    /// Name and value across, and down where there is a second.
    pub(super) across: &'a str,
    pub(super) down: Option<&'a str>,
    /// In the end where it was steady there, else the mean.
    pub(super) rate_bps: u64,
    pub(super) prediction: &'a Prediction,
}

/// One language's texts.
pub(super) trait Words {
    /// Its tag for HTML and SVG.
    fn tag(&self) -> &'static str;
    /// The answer in a sentence.
    fn answer(&self, bytes: u64, time: Nanos, limit: Phase) -> String;
    /// Where runs differ: how far.
    fn range(&self, chance: &Chance) -> String;
    /// The mean rate, and the steady one where there is one, beside the link's.
    fn rates(&self, rates: &Rates) -> String;
    fn section(&self, section: Section) -> &'static str;
    /// A phase in a table.
    fn phase(&self, phase: Phase) -> &'static str;
    fn bdp(&self, bdp: &Bdp) -> String;
    fn buffer(&self, buffer: &Buffer) -> String;
    /// A socket option that the kernel cuts down to a sysctl.
    fn clamped(&self, option: &str, sysctl: &str, bytes: u64) -> String;
    /// A socket option that the kernel raises to its least.
    fn raised(&self, option: &str, asked: u64, least: u64) -> String;
    fn change(&self, change: Change) -> &'static str;
    /// A part of a whole, 0 to 1.
    fn percent(&self, part: f64) -> String;
    /// How many times faster; `None`: as fast.
    fn gain(&self, times: Option<f64>) -> String;
    /// Above a sweep in the terminal.
    fn shades(&self) -> &'static str;
    /// Of a sweep's picture.
    fn sweep(&self, across: &str, down: Option<&str>) -> String;
    fn column(&self, column: Column) -> &'static str;
    fn cell(&self, cell: &Cell<'_>) -> String;
}

/// The texts of a language.
pub(super) fn of(language: Language) -> &'static dyn Words {
    match language {
        Language::En => &en::En,
        Language::Zh => &zh::Zh,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGES: [Change; 12] = [
        Change::SendTimes(Factor::Two),
        Change::SendAutomatic,
        Change::ReceiveTimes(Factor::Four),
        Change::ReceiveAutomatic,
        Change::NoOffload,
        Change::WideBuffers,
        Change::Warm,
        Change::Bbr,
        Change::NoLoss,
        Change::NoPolicer,
        Change::FastReader,
        Change::HalfRoundTrip,
    ];

    /// Numbers and names of options in a text.
    fn facts(text: &str) -> Vec<&str> {
        let mut facts: Vec<_> = text
            .split(|c: char| !(c.is_ascii_alphanumeric() || "._%/".contains(c)))
            .map(|word| word.trim_matches(['.', 'x']))
            .filter(|word| word.contains(|c: char| c.is_ascii_digit()) || word.contains('_'))
            .collect();
        facts.sort_unstable();
        facts
    }

    #[test]
    fn every_language_tells_the_same_numbers_and_options() {
        let bdp = Bdp { rate_bps: 100_000_000, rtt: Nanos::from_millis(20), bytes: 250_000 };
        let buffer = Buffer { sends: true, bytes: 16_384, needed: 375_000 };
        let rates = Rates {
            mean_bps: 6_000_000,
            steady_bps: Some(7_000_000),
            streams: 3,
            link_bps: 100_000_000,
        };
        let texts = |w: &dyn Words| {
            let mut texts = vec![
                w.answer(22_000_000, Nanos::from_millis(2_500), Phase::SendBuffer),
                w.rates(&rates),
                w.rates(&Rates { steady_bps: None, streams: 1, ..rates }),
                w.bdp(&bdp),
                w.buffer(&buffer),
                w.buffer(&Buffer { sends: false, ..buffer }),
                w.clamped("SO_SNDBUF", "wmem_max", 212_992),
                w.raised("SO_RCVBUF", 0, 2_304),
                w.range(&Chance {
                    runs: 15,
                    p10: Nanos::from_millis(2_100),
                    p90: Nanos(4_000_000),
                }),
                w.gain(Some(2.5)),
                w.gain(None),
            ];
            texts.extend(CHANGES.map(|c| w.change(c).to_owned()));
            texts
        };
        for (en, zh) in texts(&en::En).iter().zip(&texts(&zh::Zh)) {
            assert_eq!(facts(en), facts(zh), "{en} / {zh}");
            assert!(!zh.is_empty());
        }
    }
}
