//! `tcpwhy lab exec`: a command behind an emulated link.

use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;

pub(crate) const EXAMPLES: &str = "\
Examples:
  tcpwhy lab exec --rtt 80ms --loss 1% --server 'python3 -m http.server 8000' -- \\
      curl -so /dev/null http://{server}:8000/
                                         the server runs behind the link, too; no root needed
  tcpwhy lab exec --rtt 40ms -o case --server 'iperf3 -s' -- iperf3 -c {server} && \\
      tcpwhy case/client.pcapng
  sudo tcpwhy lab exec --rtt 20ms --rate 100mbit -- curl -so /dev/null http://10.77.0.2:8000/file
                                         without --server, which takes root: services of this
                                         machine at 0.0.0.0 or [::] answer at 10.77.0.2
  sudo tcpwhy lab exec --rtt 20ms -- tcpwhy lab exec --rtt 40ms --loss 1% -- ping -c 3 {server}
                                         labs nest: 60 ms, through both links

{server} in the command, and TCPWHY_SERVER in its environment, are the server's address:
10.77.0.2, or 10.77.N.2 where 10.77.0.0/24 is in use by another lab. In a lab in a lab (seven
deep at most) without --server it is the outermost lab's.

Exit status: the command's own (128 + the signal for a killed one), 2 for an error of the lab.";

/// A command and what lies between it and the server.
#[derive(Debug, Clone, Args)]
pub(crate) struct Exec {
    #[command(flatten)]
    pub path: Path,
    /// Command and arguments
    #[arg(required = true, trailing_var_arg = true)]
    pub command: Vec<OsString>,
}

/// The link and the two hosts.
#[derive(Debug, Clone, Args)]
pub(crate) struct Path {
    /// Round-trip time, half of it each way (20ms)
    #[arg(long, value_name = "TIME", value_parser = quantity::span, default_value = "0", help_heading = "Link")]
    pub rtt: Nanos,
    /// Rate of both directions (100mbit, 12.5MB/s)
    #[arg(long, value_name = "RATE", value_parser = link_rate, help_heading = "Link")]
    pub rate: Option<u64>,
    /// Rate from the command to the server
    #[arg(long, value_name = "RATE", value_parser = link_rate, help_heading = "Link")]
    pub up_rate: Option<u64>,
    /// Rate from the server to the command
    #[arg(long, value_name = "RATE", value_parser = link_rate, help_heading = "Link")]
    pub down_rate: Option<u64>,
    /// A file in mahimahi's format (a line for each millisecond at which 1,504 bytes may leave) instead of the rate to the server
    #[arg(long, value_name = "FILE", conflicts_with = "up_rate", help_heading = "Link")]
    pub up_trace: Option<PathBuf>,
    /// The same for the rate from the server
    #[arg(long, value_name = "FILE", conflicts_with = "down_rate", help_heading = "Link")]
    pub down_trace: Option<PathBuf>,
    /// Share of packets lost at random, each way (1%)
    #[arg(long, value_name = "SHARE", value_parser = quantity::share, help_heading = "Link")]
    pub loss: Option<f64>,
    /// Room in the queue of each direction (250KB); left out: 1MB
    #[arg(long, value_name = "BYTES", value_parser = quantity::bytes, help_heading = "Link")]
    pub queue: Option<u64>,
    /// Each packet's delay varies by up to this
    #[arg(long, value_name = "TIME", value_parser = quantity::span, help_heading = "Link")]
    pub jitter: Option<Nanos>,
    /// What carries the packets: auto takes TUN devices, or packet sockets where there are none
    #[arg(long, value_name = "BACKEND", value_enum, default_value = "auto", help_heading = "Link")]
    pub link: Backend,
    /// Seed of what is random
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Link")]
    pub seed: u64,

    /// A kernel setting of the command's host (net.ipv4.tcp_rmem='4096 65536 65536')
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, help_heading = "Hosts")]
    pub client_sysctl: Vec<(String, String)>,
    /// A kernel setting of the server's host; needs --server
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, requires = "server", help_heading = "Hosts")]
    pub server_sysctl: Vec<(String, String)>,
    /// Congestion control of both ends (cubic, reno, bbr); the machine's default without
    #[arg(long, value_name = "NAME", help_heading = "Hosts")]
    pub congestion: Option<String>,
    /// MTU of both hosts' devices
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u32).range(576..=65_535), help_heading = "Hosts")]
    pub mtu: Option<u32>,
    /// Run this shell command as the server, in a host of its own, and wait until it listens
    #[arg(long, value_name = "COMMAND", help_heading = "Hosts")]
    pub server: Option<String>,

    /// Keep captures of both ends and of the middle, host.json and link.json in this folder
    #[arg(short, long, value_name = "CASE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Say nothing about the link at the end
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// What carries the packets.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Backend {
    /// The best that the machine has.
    Auto,
    /// User space between two TUN devices.
    Tun,
    /// User space between packet sockets on veth pairs.
    Packet,
    /// The kernel's netem and tbf.
    Netem,
}

/// A command as the first process of its PID namespace.
#[derive(Debug, Clone, Args)]
pub(crate) struct Init {
    /// Command and arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub command: Vec<OsString>,
}

/// A rate as a link of the lab has it.
fn link_rate(text: &str) -> Result<u64, String> {
    match quantity::rate(text) {
        Ok(rate) if rate < 1000 => Err("the slowest link is 1kbit".to_owned()),
        rate => rate.map_err(|e| e.to_string()),
    }
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=VALUE, as net.ipv4.tcp_sack=0".to_owned()),
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::{init, run, start};

#[cfg(target_os = "linux")]
mod linux {
    use super::{Exec, Init, Path};
    use crate::error::Error;
    use std::ffi::OsString;
    use std::path;
    use std::process::ExitCode;
    use tcpwhy_core::link::{Loss, Queue, QueueLimit, Rate, WaySpec};
    use tcpwhy_core::units::Nanos;
    use tcpwhy_lab::exec::{self, Order};
    use tcpwhy_lab::link::LinkReport;
    use tcpwhy_lab::scenario;
    use tcpwhy_lab::spec::{Backend, CongestionControl, HostSpec, LinkSpec};

    pub(crate) fn run(exec: &Exec) -> Result<ExitCode, Error> {
        start(&exec.path, &exec.command)
    }

    /// Runs the command behind the link and tells what the link did.
    pub(crate) fn start(path: &Path, command: &[OsString]) -> Result<ExitCode, Error> {
        let sysctls = |list: &[(String, String)]| list.iter().cloned().collect();
        let host = HostSpec {
            congestion: path.congestion.clone().map(CongestionControl),
            mtu: path.mtu,
            ..HostSpec::default()
        };
        let (up, down) = (path.up_trace.as_deref(), path.down_trace.as_deref());
        let order = Order {
            link: LinkSpec {
                up: way(path, rate(path, path.up_rate, up)?, Nanos(path.rtt.0 / 2), 0),
                down: way(
                    path,
                    rate(path, path.down_rate, down)?,
                    path.rtt - Nanos(path.rtt.0 / 2),
                    1,
                ),
                backend: backend(path.link),
                ..LinkSpec::default()
            },
            client: HostSpec { sysctls: sysctls(&path.client_sysctl), ..host.clone() },
            server_host: HostSpec { sysctls: sysctls(&path.server_sysctl), ..host },
            server: path.server.clone(),
            command: command.to_vec(),
            case: path.output.clone(),
            init: ["lab", "init", "--"].map(OsString::from).to_vec(),
        };
        // Ctrl-C is for the command, which shares the terminal; the lab goes when the command is gone.
        let ended = exec::run(&order, || {
            let _ = ctrlc::set_handler(|| {});
        });
        let ended = ended.map_err(|e| Error::Lab(e.to_string()))?;
        if !path.quiet {
            crate::say(&sentence(&ended.link));
        }
        Ok(ExitCode::from(ended.code))
    }

    /// One direction's rate: by its trace, its own rate, or that of both.
    fn rate(path: &Path, own: Option<u64>, trace: Option<&path::Path>) -> Result<Rate, Error> {
        match trace {
            Some(file) => scenario::trace(file).map_err(|e| Error::Lab(e.to_string())),
            None => Ok(own.or(path.rate).map_or(Rate::Unlimited, Rate::Constant)),
        }
    }

    fn way(path: &Path, rate: Rate, delay: Nanos, other: u64) -> WaySpec {
        let mut way = WaySpec {
            rate,
            delay,
            jitter: path.jitter.unwrap_or(Nanos::ZERO),
            loss: Loss { random: path.loss.unwrap_or(0.0), ..Loss::default() },
            // The two directions must not lose the same packets.
            seed: path.seed.wrapping_mul(2).wrapping_add(other),
            ..WaySpec::default()
        };
        if let Some(bytes) = path.queue {
            way.queue = Queue::DropTail(QueueLimit::Bytes(bytes));
        }
        way
    }

    fn backend(asked: super::Backend) -> Backend {
        match asked {
            super::Backend::Auto => Backend::Auto,
            super::Backend::Tun => Backend::Tun,
            super::Backend::Packet => Backend::Packet,
            super::Backend::Netem => Backend::Netem,
        }
    }

    /// The link's account in one line.
    fn sentence(link: &LinkReport) -> String {
        let ms = |ns: u64| ns as f64 / 1e6;
        let dropped = link.up.drops.values().chain(link.down.drops.values()).sum::<u64>();
        let mut text = format!(
            "link: {} packets up, {} down, {dropped} dropped as asked",
            link.up.packets, link.down.packets
        );
        if let Some(late) = &link.lateness_ns {
            let (p50, p99, most) = (ms(late.p50), ms(late.p99), ms(late.max));
            text +=
                &format!("; late by {p50:.3} ms (median), {p99:.3} ms (99 %), {most:.3} ms (most)");
        }
        if !link.faithful {
            text += &format!("; NOT FAITHFUL: {}", link.why_not.join("; "));
        }
        text
    }

    pub(crate) fn init(init: &Init) -> Result<ExitCode, Error> {
        let ended = exec::init::run(&init.command);
        ended.map(ExitCode::from).map_err(|e| Error::Lab(e.to_string()))
    }
}
