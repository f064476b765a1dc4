//! The arguments of `tcpwhy explain`.

use super::{Color, Selection};
use crate::lang::Lang;
use clap::Args;
use std::path::PathBuf;

/// What to explain, and how to show it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Explain {
    /// Captures (pcap or pcapng, also .gz or .zst), directories of them (not their subdirectories),
    /// or - for standard input
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Write one JSON object (schema/tcpwhy.analysis-1.schema.json)
    #[arg(long, group = "format", help_heading = "Output")]
    pub json: bool,
    /// Write one JSON object per connection and line, as each connection ends
    #[arg(long, group = "format", help_heading = "Output")]
    pub ndjson: bool,
    /// Write one row per transfer
    #[arg(long, group = "format", help_heading = "Output")]
    pub csv: bool,
    /// Show every direction, not only those that matter most
    #[arg(long, help_heading = "Output")]
    pub all: bool,
    /// List the intervals of each timeline with their frames; times count from the capture's first packet
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
    /// Language of the answer, and of the sentences in JSON; auto: that of LC_ALL, LC_MESSAGES or
    /// LANG, in JSON English
    #[arg(long, value_name = "LANG", default_value = "auto", help_heading = "Output")]
    pub lang: Lang,

    #[command(flatten)]
    pub selection: Selection,
}
