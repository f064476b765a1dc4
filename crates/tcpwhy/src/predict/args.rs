//! What to predict, as the command line says it.

use crate::check;
use crate::error::Error;
use crate::lang::Lang;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use tcpwhy_core::check::Host;
use tcpwhy_core::kernel::Version;
use tcpwhy_core::kernel::buffers::Asked;
use tcpwhy_core::link::Policer;
use tcpwhy_core::quantity;
use tcpwhy_core::units::{Nanos, bytes_at};
use tcpwhy_core::whatif::transfer::{Control, End, Transfer};

/// A policer whose burst is less than a packet lets nothing through.
const SMALLEST_BURST: u64 = 1_500;

/// A call costs the model as much as a segment, so that small ones must not be too many.
const SMALLEST_WRITE: u64 = 512;
const MOST_CALLS: u64 = 1_000_000;

/// The transfer, and how to show it.
#[derive(Debug, Clone, Args)]
pub(crate) struct Predict {
    /// Bytes to transfer: 22MB and 22MiB say what they are; a bare letter counts in 1024 (16K is 16,384)
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::bytes)]
    pub size: u64,
    /// The narrowest link: 100mbit or 100Mbps are bits a second, 12.5MB/s is bytes
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::rate)]
    pub rate: u64,
    /// Round-trip time of the path (20ms, 300us, 1.5s)
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::span)]
    pub rtt: Nanos,
    /// SO_SNDBUF at the sender; left out, the kernel tunes it
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::bytes, value_name = "SIZE")]
    pub sndbuf: Option<u64>,
    /// SO_RCVBUF at the receiver, set before connect or listen
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::bytes, value_name = "SIZE")]
    pub rcvbuf: Option<u64>,
    /// Share of packets lost (0.1%)
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::share, default_value = "0")]
    pub loss: f64,
    /// Queue before the narrowest link; left out: one BDP, at least 100K
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::bytes, value_name = "SIZE")]
    pub queue: Option<u64>,
    /// A policer that drops what exceeds a rate (10mbit, 10mbit:60K); left out, its burst is what the rate gives in a round trip
    #[arg(long, value_name = "RATE[:BURST]")]
    pub policer: Option<String>,
    /// Congestion control
    #[arg(long, value_enum, default_value = "cubic")]
    pub cc: Cc,
    /// Kernel of both ends; left out: that of the sysctls that were read, else 6.18
    #[arg(long, value_name = "VERSION")]
    pub kernel: Option<String>,
    /// Sysctls of both ends from a saved `sysctl -a`; what it lacks has the default of kernels before 6.18 (wmem_max 212992)
    #[arg(long, value_name = "FILE", conflicts_with = "host_sysctls")]
    pub sysctls: Option<PathBuf>,
    /// Sysctls of both ends, and their kernel, as on this host (Linux)
    #[arg(long)]
    pub host_sysctls: bool,
    /// A sysctl of both ends (tcp_wmem="4096 16384 4194304"), before all others; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub sysctl: Vec<String>,
    /// What the receiving application reads (1MB/s); left out: everything at once
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::rate, value_name = "RATE")]
    pub read_rate: Option<u64>,
    /// Bytes that the sending application passes in one call
    #[arg(long, allow_hyphen_values = true, value_parser = quantity::bytes, default_value = "64K", value_name = "SIZE")]
    pub write: u64,
    /// One segment per packet buffer: no segmentation offload at the sender
    #[arg(long)]
    pub no_offload: bool,
    /// TCP_NODELAY at the sender
    #[arg(long)]
    pub nodelay: bool,
    /// On a connection that has just carried as much
    #[arg(long)]
    pub warm: bool,
    /// The route's initcwnd, in segments
    #[arg(long, allow_negative_numbers = true, value_name = "SEGMENTS", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub initcwnd: Option<u32>,
    /// Connections that share the size and the link evenly
    #[arg(long, allow_negative_numbers = true, default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub streams: u32,
    /// First of the seeds of the losses, and of how quickly woken writers and readers run
    #[arg(long, allow_negative_numbers = true, default_value = "1")]
    pub seed: u64,
    /// Vary a quantity (rtt=1ms..400ms); twice: a surface. Of size, rate, rtt, sndbuf, rcvbuf, loss
    #[arg(long, value_name = "NAME=FROM..TO")]
    pub sweep: Vec<String>,
    /// Draw the sweep as a picture
    #[arg(long, value_name = "FILE", help_heading = "Output", requires = "sweep")]
    pub svg: Option<PathBuf>,
    /// Draw the sweep on a page of its own, with its table
    #[arg(long, value_name = "FILE", help_heading = "Output", requires = "sweep")]
    pub html: Option<PathBuf>,
    /// Replace the picture and the page if they are there already
    #[arg(short, long, help_heading = "Output")]
    pub force: bool,
    /// Write JSON (schema/tcpwhy.prediction-1.schema.json); of a sweep, an object a line
    #[arg(long, group = "form", help_heading = "Output")]
    pub json: bool,
    /// Language of the answer; auto: that of LC_ALL, LC_MESSAGES or LANG, in JSON and CSV always English
    #[arg(long, value_name = "LANG", default_value = "auto", help_heading = "Output")]
    pub lang: Lang,
    /// Write the sweep as CSV
    #[arg(long, group = "form", help_heading = "Output", requires = "sweep")]
    pub csv: bool,
}

/// The congestion controls of the model.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Cc {
    /// RFC 5681.
    Reno,
    /// RFC 9438 with HyStart.
    Cubic,
    /// An approximation: rate filter and pacing.
    Bbr,
}

impl Predict {
    /// The transfer of one of the streams.
    ///
    /// # Errors
    /// A number that makes no transfer, a kernel or a sysctl that is none.
    pub(crate) fn transfer(&self) -> Result<Transfer, Error> {
        for (name, zero) in [
            ("size", self.size == 0),
            ("rate", self.rate == 0),
            ("rtt", self.rtt.0 == 0),
            ("write", self.write == 0),
        ] {
            if zero {
                return Err(Error::Usage(format!("--{name} must be more than 0")));
            }
        }
        if self.write < SMALLEST_WRITE && self.size / self.write > MOST_CALLS {
            let text = format!(
                "--write makes more calls of --size than the model follows ({MOST_CALLS} of less than {SMALLEST_WRITE} bytes)"
            );
            return Err(Error::Usage(text));
        }
        let end = self.end()?;
        let streams = u64::from(self.streams);
        let bdp = bytes_at(self.rate, self.rtt);
        Ok(Transfer {
            size: (self.size / streams).max(1),
            rate_bps: (self.rate / streams).max(1),
            rtt: self.rtt,
            loss: self.loss,
            queue: self.queue.unwrap_or(bdp.max(102_400)) / streams,
            policer: self.policer(streams)?,
            control: match self.cc {
                Cc::Reno => Control::Reno,
                Cc::Cubic => Control::Cubic,
                Cc::Bbr => Control::Bbr,
            },
            sndbuf: self.sndbuf.map_or(Asked::Automatic, Asked::Set),
            rcvbuf: self.rcvbuf.map_or(Asked::Automatic, Asked::Set),
            sender: end.clone(),
            receiver: end,
            initcwnd: self.initcwnd.map(u64::from),
            read_rate: self.reader(streams)?,
            write: self.write,
            nagle: !self.nodelay,
            offload: !self.no_offload,
            warm: self.warm,
            seed: self.seed,
            ..Transfer::default()
        })
    }

    /// What one stream's reader takes, bytes a second; 0: everything at once.
    fn reader(&self, streams: u64) -> Result<u64, Error> {
        let Some(rate_bps) = self.read_rate else { return Ok(0) };
        match rate_bps / 8 / streams {
            0 => Err(Error::Usage("--read-rate must be at least a byte a second".to_owned())),
            rate => Ok(rate),
        }
    }

    /// One stream's part of the policer.
    fn policer(&self, streams: u64) -> Result<Option<Policer>, Error> {
        let Some(text) = &self.policer else { return Ok(None) };
        let (rate, burst) =
            text.split_once(':').map_or((text.as_str(), None), |(rate, burst)| (rate, Some(burst)));
        let wrong = |e| Error::Usage(format!("--policer: {e}"));
        let rate_bps = quantity::rate(rate).map_err(wrong)?;
        let burst = burst.map(quantity::bytes).transpose().map_err(wrong)?;
        let burst = burst.unwrap_or_else(|| bytes_at(rate_bps, self.rtt).max(SMALLEST_BURST));
        if rate_bps == 0 || burst < SMALLEST_BURST {
            let text = format!(
                "--policer needs a rate of more than 0 and a burst of at least {SMALLEST_BURST} bytes, which is a packet"
            );
            return Err(Error::Usage(text));
        }
        let burst = (burst / streams).max(SMALLEST_BURST);
        Ok(Some(Policer { rate_bps: (rate_bps / streams).max(1), burst }))
    }

    fn end(&self) -> Result<End, Error> {
        let version = self.kernel.as_deref().map(check::saved::version).transpose()?;
        let mut end = self.found(version)?;
        for text in &self.sysctl {
            let (name, value) = text.split_once('=').ok_or_else(|| {
                Error::Usage(format!("{text:?} is not a sysctl (write NAME=VALUE)"))
            })?;
            end.sysctls.set(name, value).map_err(|e| Error::Usage(e.to_string()))?;
        }
        if end.sysctls.tcp_notsent_lowat == 0 {
            let text = "tcp_notsent_lowat=0 lets no program write anything: less than 0 bytes would have to be unsent";
            return Err(Error::Usage(text.to_owned()));
        }
        Ok(end)
    }
}

impl Predict {
    /// Sysctls and version as found, never one inferred from the other.
    fn found(&self, version: Option<Version>) -> Result<End, Error> {
        let default = End::default();
        let host = match &self.sysctls {
            Some(file) => {
                let settings = check::saved::settings(file)?;
                Host::new("saved", settings, default.version)
                    .map_err(|e| Error::Usage(format!("{}: {e}", file.display())))?
            }
            None if self.host_sysctls => check::this_host()?,
            None => return Ok(End { version: version.unwrap_or(default.version), ..default }),
        };
        Ok(End { version: version.unwrap_or(host.version), sysctls: host.sysctls })
    }
}

/// A path that loses every packet carries nothing. (A sweep may end there: its cells say that nothing ends.)
///
/// # Errors
/// `loss` is 1.
pub(crate) fn some_arrive(loss: f64) -> Result<(), Error> {
    if loss < 1.0 {
        return Ok(());
    }
    Err(Error::Usage("--loss must be less than 100 %: with that no packet arrives".to_owned()))
}
