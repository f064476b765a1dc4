//! English.

use super::{Bdp, Buffer, Cell, Chance, Change, Column, Factor, Rates, Section, Words};
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::{buffer, data, percent, rate, span};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::Phase;
use tcpwhy_report::{phase_in_words, phase_label};

/// The English texts.
pub(super) struct En;

impl Words for En {
    fn tag(&self) -> &'static str {
        "en"
    }

    fn answer(&self, bytes: u64, time: Nanos, limit: Phase) -> String {
        format!("{} in {}: held by {}", data(bytes), span(time), phase_in_words(limit))
    }

    fn range(&self, chance: &Chance) -> String {
        let (p10, p90) = (span(chance.p10), span(chance.p90));
        format!(
            "chance decides: this is the median of {} runs, of which eight in ten take {p10} to {p90}",
            chance.runs
        )
    }

    fn rates(&self, r: &Rates) -> String {
        let all = match r.streams {
            0..=1 => String::new(),
            streams => format!(" (all {streams} streams)"),
        };
        let steady = r.steady_bps.map_or(String::new(), |bps| format!(", steady {}", rate(bps)));
        format!("mean rate {}{steady}{all} of {}", rate(r.mean_bps), rate(r.link_bps))
    }

    fn section(&self, section: Section) -> &'static str {
        match section {
            Section::Phases => "Where the time goes",
            Section::Buffers => "Buffers",
            Section::Changes => "With one thing changed",
        }
    }

    fn phase(&self, phase: Phase) -> &'static str {
        phase_label(phase, Language::En)
    }

    fn bdp(&self, bdp: &Bdp) -> String {
        format!("BDP = {} x {} = {}", rate(bdp.rate_bps), span(bdp.rtt), data(bdp.bytes))
    }

    fn buffer(&self, b: &Buffer) -> String {
        let name = if b.sends { "send buffer" } else { "receive buffer" };
        let (bytes, needed) = (buffer(b.bytes), buffer(b.needed));
        format!("{name:<14}  {bytes:>10} at the end; at least {needed} for the full rate")
    }

    fn clamped(&self, option: &str, sysctl: &str, bytes: u64) -> String {
        format!("{option} is clamped in silence to net.core.{sysctl} = {}", buffer(bytes))
    }

    fn raised(&self, option: &str, asked: u64, least: u64) -> String {
        format!("{option} of {asked} bytes is legal and gives the kernel's least, {least} bytes")
    }

    fn change(&self, change: Change) -> &'static str {
        match change {
            Change::SendTimes(Factor::Two) => "SO_SNDBUF twice as large",
            Change::SendTimes(Factor::Four) => "SO_SNDBUF four times as large",
            Change::SendAutomatic => "SO_SNDBUF not set",
            Change::ReceiveTimes(Factor::Two) => "SO_RCVBUF twice as large",
            Change::ReceiveTimes(Factor::Four) => "SO_RCVBUF four times as large",
            Change::ReceiveAutomatic => "SO_RCVBUF not set",
            Change::NoOffload => "one segment per packet buffer",
            Change::WideBuffers => "buffers automatic, maxima four BDP",
            Change::Warm => "a warm connection",
            Change::Bbr => "bbr",
            Change::NoLoss => "no loss",
            Change::NoPolicer => "no policer",
            Change::FastReader => "a reader that keeps up",
            Change::HalfRoundTrip => "half the round trip",
        }
    }

    fn percent(&self, part: f64) -> String {
        percent(part)
    }

    fn gain(&self, times: Option<f64>) -> String {
        times.map_or("no gain".to_owned(), |times| format!("{times:.1}x"))
    }

    fn shades(&self) -> &'static str {
        "rate as part of the link's: . is 0 %, █ is 100 %"
    }

    fn sweep(&self, across: &str, down: Option<&str>) -> String {
        let down = down.map_or(String::new(), |d| format!(" and {d}"));
        format!("Rate as part of the link's, by {across}{down}: white 0 %, dark 100 %")
    }

    fn column(&self, column: Column) -> &'static str {
        match column {
            Column::Time => "time",
            Column::Rate => "rate",
            Column::OfTheLink => "of the link",
            Column::Limit => "limit",
        }
    }

    fn cell(&self, c: &Cell<'_>) -> String {
        let down = c.down.map_or(String::new(), |d| format!(", {d}"));
        let p = c.prediction;
        let (rate, time, limit) = (rate(c.rate_bps), span(p.time), self.phase(p.limit()));
        format!("{}{down}: {rate} in {time}, {limit}", c.across)
    }
}
