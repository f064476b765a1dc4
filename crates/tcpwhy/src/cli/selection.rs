//! Which connections of a capture, and which part of its time.

use crate::when::When;
use clap::Args;
use std::net::IpAddr;

/// Which connections, and which part of the captures.
#[derive(Debug, Clone, Args)]
pub(crate) struct Selection {
    /// Only the connection with this number (as Wireshark's tcp.stream)
    #[arg(long, value_name = "ID", value_parser = connection, help_heading = "Selection")]
    pub conn: Option<u64>,
    /// Only connections of this address
    #[arg(long, value_name = "ADDR", value_parser = address, help_heading = "Selection")]
    pub host: Option<IpAddr>,
    /// Only connections of this port
    #[arg(long, value_name = "PORT", value_parser = port, help_heading = "Selection")]
    pub port: Option<u16>,
    /// Judge only the time from here on: seconds into the capture (12.5) or RFC 3339. All packets are read, for those before and after
    /// tell of windows, round trips and the path
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Selection")]
    pub since: Option<When>,
    /// Judge only the time before this one
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "Selection")]
    pub until: Option<When>,
}

fn connection(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "expected a number, as tcpwhy and Wireshark's tcp.stream give them")
}

fn address(text: &str) -> Result<IpAddr, &'static str> {
    text.parse().map_err(|_| "expected an IP address: a capture has no names")
}

fn port(text: &str) -> Result<u16, &'static str> {
    text.parse().map_err(|_| "expected a number from 0 to 65535")
}

/// The port of a live socket: of a capture 0 can be asked for, which no socket has.
pub(crate) fn live_port(text: &str) -> Result<u16, &'static str> {
    text.parse().ok().filter(|port| *port > 0).ok_or("expected a number from 1 to 65535")
}
