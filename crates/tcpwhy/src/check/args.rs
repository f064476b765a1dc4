//! What to check, as the command line says it.

use std::path::PathBuf;

use crate::lang::Lang;
use clap::Args;
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;

/// The host, the path, and how to show the answer.
#[derive(Debug, Clone, Args)]
pub(crate) struct Check {
    /// The other end, by name or address: its route, and its round trip unless --rtt says it
    #[arg(long, value_name = "HOST", conflicts_with = "from")]
    pub peer: Option<String>,
    /// Port that is connected to when the round trip has to be measured; a refusal will do
    #[arg(long, default_value = "443", value_parser = crate::cli::live_port, requires = "peer")]
    pub port: u16,
    /// The narrowest link of the path (100mbit is bits, 12.5MB/s bytes a second)
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::rate)]
    pub rate: Option<u64>,
    /// Round-trip time of the path (20ms)
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::span)]
    pub rtt: Option<Nanos>,
    /// Share of packets lost on the path (0.1%)
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::share, default_value = "0")]
    pub loss: f64,
    /// Bytes to transfer (22MB; 16K is 16,384); left out: so many that the start matters little
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::bytes)]
    pub size: Option<u64>,
    /// Judge other hosts: a saved `sysctl -a`, a folder of such texts (sysctl in their names), or a case folder of tcpwhy lab
    /// with the sockets that it sampled
    #[arg(long, value_name = "FILE|FOLDER")]
    pub from: Option<PathBuf>,
    /// Kernel of the other host, where the saved text does not say it
    #[arg(long, value_name = "VERSION", requires = "from")]
    pub kernel: Option<String>,
    /// Language of the answer and of the drop-in; auto: that of LC_ALL, LC_MESSAGES or LANG, in JSON always English
    #[arg(long, value_name = "LANG", default_value = "auto", help_heading = "Output")]
    pub lang: Lang,
    /// Write JSON (schema/tcpwhy.check-1.schema.json)
    #[arg(long, group = "as", help_heading = "Output")]
    pub json: bool,
    /// Write a commented drop-in for /etc/sysctl.d; nothing is changed
    #[arg(long, group = "as", help_heading = "Output")]
    pub sysctl_conf: bool,
}
