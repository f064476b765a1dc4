//! The arguments of `tcpwhy report`.

use super::Selection;
use crate::lang::Lang;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "\
Examples:
  tcpwhy report slow.pcapng -o slow.html      one file: works from disk, can be mailed
  tcpwhy report slow.pcapng --conn 3 -o 3.html
  tcpwhy report before.pcapng --compare after.pcapng -o both.html
  tcpwhy lab run send-buffer-16k-20ms -o case && tcpwhy report case -o case.html
                                              with the sockets' own account of their buffers
  tcpwhy slow.pcapng --json > slow.json && tcpwhy report slow.json -o slow.html
  tcpwhy report slow.pcapng --chart flight --svg flight.svg --png flight.png
  tcpwhy report slow.pcapng --conn 3 --chart band --svg - > band.svg
  tcpwhy report ring/ --since 40s --until 60s -o ring.html

Exit status: 0 written, 1 nothing to show, 2 error or damaged input (what could be read of it is
shown).";

/// What to show on a page.
#[derive(Debug, Clone, Args)]
pub(crate) struct Report {
    /// Captures (pcap or pcapng, also .gz or .zst) and directories of them (not their
    /// subdirectories); or a case folder of record or of the lab; or an analysis that --json wrote
    /// (no charts: it has no packets)
    #[arg(value_name = "FILE|CASE|JSON", required = true)]
    pub files: Vec<PathBuf>,
    /// Show this one, too, on the same axes: before and after a fix, sender and receiver
    #[arg(long, value_name = "FILE|CASE|JSON")]
    pub compare: Option<PathBuf>,
    /// The page to write; - for standard output
    #[arg(short, long, value_name = "HTML", default_value = "tcpwhy.html")]
    pub output: PathBuf,
    /// Replace the page if it is there already
    #[arg(short, long)]
    pub force: bool,
    /// Connections with charts, those with most to save first; the others are listed with their verdicts
    #[arg(long, value_name = "N", default_value_t = crate::look::CHARTS)]
    pub charts: usize,
    /// Write one chart as SVG instead of a page; - for standard output
    #[arg(long, value_name = "SVG", conflicts_with_all = ["output", "compare", "charts"], help_heading = "One chart")]
    pub svg: Option<PathBuf>,
    /// Write one chart as PNG instead of a page; - for standard output
    #[arg(long, value_name = "PNG", conflicts_with_all = ["output", "compare", "charts"], help_heading = "One chart")]
    pub png: Option<PathBuf>,
    /// Which chart, of the connection with most to save or that of --conn; without, time-sequence
    #[arg(long, value_name = "NAME", help_heading = "One chart")]
    pub chart: Option<Chart>,
    /// Language that the page begins in, auto: that of the reader's browser; or of a chart, auto: that of the locale
    #[arg(long, value_name = "LANG", default_value = "auto")]
    pub lang: Lang,
    #[command(flatten)]
    pub selection: Selection,
}

/// A chart of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Chart {
    /// Segments, acknowledgments, window edge, SACK blocks and marks
    #[default]
    TimeSequence,
    /// Bytes in flight and the ceilings that they touch
    Flight,
    /// The advertised window
    Window,
    /// Round-trip times
    Rtt,
    /// Sent and acknowledged data over time
    Throughput,
    /// What limited the transfer, and when
    Band,
    /// Queues, buffers and congestion window of the sockets (of a case folder)
    Samples,
    /// Packets as arrows between the hosts, 80 at most (--since, --until)
    Ladder,
    /// Send buffer, road and receive buffer to one scale, filled as in the middle of the transfer (--since, --until)
    Warehouses,
}
