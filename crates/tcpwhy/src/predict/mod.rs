//! `tcpwhy predict`: a transfer's limit and time before there is one.

pub(crate) mod args;
mod seeds;
mod show;
mod surface;
mod sweep;
mod words;

use crate::cli::Color;
use crate::error::Error;
use crate::output::Output;
use args::Predict;
use std::io::Write;
use std::process::ExitCode;
use tcpwhy_core::kernel::buffers::Asked;
use tcpwhy_core::units::{Nanos, bytes_at};
use tcpwhy_core::whatif::transfer::{Control, Transfer, Typical};
use words::{Change, Factor};

pub(crate) const EXAMPLES: &str = "\
Examples:
  tcpwhy predict --size 22MB --rate 100mbit --rtt 20ms --sndbuf 16K
  tcpwhy predict --size 1GB --rate 1gbit --rtt 400ms --sysctl tcp_rmem=\"4096 131072 100000000\"
  tcpwhy predict --size 22MB --rate 100mbit --rtt 20ms --sweep rtt=1ms..400ms --sweep sndbuf=4K..16M
  tcpwhy predict --size 22MB --rate 100mbit --rtt 20ms --sweep loss=0.001%..1% --html loss.html
  tcpwhy predict --size 100MB --rate 1gbit --rtt 40ms --host-sysctls
  tcpwhy predict --size 10MB --rate 100mbit --rtt 40ms --loss 0.1% --json
  tcpwhy predict --size 20MB --rate 1gbit --rtt 20ms --policer 10mbit:60K --cc bbr
  tcpwhy predict --size 5MB --rate 10gbit --rtt 26ms --warm --rcvbuf 182K --read-rate 50MB/s

Units: 16K and 16KiB are 16,384 bytes, 16KB is 16,000; 100mbit and 100Mbps are bits a second,
12.5MB/s is bytes a second; a rate or a time without a unit is refused, and so is 100Mb/s, which is
either. Sysctls are those of --sysctls, --host-sysctls and --sysctl, else tcp_wmem 4096 16384
4194304, tcp_rmem 4096 131072 6291456, wmem_max and rmem_max 212992, whatever --kernel says. Newest
kernels start with more (6.18: tcp_rmem up to 33554432, wmem_max and rmem_max 4194304): on such a
host use --host-sysctls.

Where chance decides (losses; bursts that just fit into the queue), the answer is the median of up
to 15 runs, and says between which times eight in ten of them lie.

Exit status: 0 predicted, 2 error.";

/// Predicts and writes the answer.
///
/// # Errors
/// Input that makes no transfer; the answer cannot be written.
pub(crate) fn run(args: &Predict) -> Result<ExitCode, Error> {
    args::some_arrive(args.loss)?;
    let transfer = args.transfer()?;
    let mut out = if args.json || args.csv { Output::raw() } else { Output::new(Color::Auto) };
    if args.sweep.is_empty() {
        let answer = complete(&transfer)?;
        let others = alternatives(&transfer);
        let written = if args.json {
            show::json(&mut out.to, args, &transfer, &answer, &others)
        } else {
            show::text(
                &mut out.to,
                words::of(args.lang.of_text()),
                args,
                &transfer,
                &answer,
                &others,
            )
        };
        written.map_err(Error::Write)?;
    } else {
        sweep::run(args, &mut out)?;
    }
    out.to.flush().map_err(Error::Write)?;
    Ok(ExitCode::SUCCESS)
}

fn complete(transfer: &Transfer) -> Result<Typical, Error> {
    let answer = seeds::answer(transfer);
    let (ends, time) = (answer.prediction.complete, answer.prediction.time);
    if ends && time == Nanos::MAX {
        let text = "the transfer takes longer than can be counted, 292 years; make --size smaller";
        return Err(Error::Usage(text.to_owned()));
    }
    if ends {
        return Ok(answer);
    }
    let text = "the transfer hardly moves: not 1,000 packets arrive within a week, or not all of a smaller --size; look at --loss, the rates, the buffers and sysctls";
    Err(Error::Usage(text.to_owned()))
}

/// The same transfer with one thing changed.
fn alternatives(t: &Transfer) -> Vec<(Change, Typical)> {
    let mut list: Vec<(Change, Transfer)> = Vec::new();
    let mut add = |change: Change, changed: Transfer| {
        if changed != *t {
            list.push((change, changed));
        }
    };
    if let Asked::Set(bytes) = t.sndbuf {
        let with = |sndbuf| Transfer { sndbuf, ..t.clone() };
        for factor in [Factor::Two, Factor::Four] {
            add(Change::SendTimes(factor), with(Asked::Set(bytes.saturating_mul(factor as u64))));
        }
        add(Change::SendAutomatic, with(Asked::Automatic));
    }
    if let Asked::Set(bytes) = t.rcvbuf {
        let with = |rcvbuf| Transfer { rcvbuf, ..t.clone() };
        for factor in [Factor::Two, Factor::Four] {
            add(
                Change::ReceiveTimes(factor),
                with(Asked::Set(bytes.saturating_mul(factor as u64))),
            );
        }
        add(Change::ReceiveAutomatic, with(Asked::Automatic));
    }
    if t.sndbuf.locks() {
        add(Change::NoOffload, Transfer { offload: false, ..t.clone() });
    }
    let mut wide = t.clone();
    let most = 4 * bytes_at(t.rate_bps, t.rtt).max(1 << 20);
    wide.sender.sysctls.tcp_wmem[2] = wide.sender.sysctls.tcp_wmem[2].max(most);
    wide.receiver.sysctls.tcp_rmem[2] = wide.receiver.sysctls.tcp_rmem[2].max(most);
    (wide.sndbuf, wide.rcvbuf) = (Asked::Automatic, Asked::Automatic);
    add(Change::WideBuffers, wide);
    add(Change::Warm, Transfer { warm: true, ..t.clone() });
    add(Change::Bbr, Transfer { control: Control::Bbr, ..t.clone() });
    add(Change::NoLoss, Transfer { loss: 0.0, ..t.clone() });
    add(Change::NoPolicer, Transfer { policer: None, ..t.clone() });
    add(Change::FastReader, Transfer { read_rate: 0, ..t.clone() });
    add(Change::HalfRoundTrip, Transfer { rtt: t.rtt.scale(1, 2), ..t.clone() });
    let count = list.len();
    list.into_iter()
        .map(|(change, changed)| (change, seeds::one_of(&changed, count)))
        .filter(|(_, answer)| answer.prediction.complete)
        .collect()
}
