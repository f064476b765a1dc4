//! One prediction as text and as JSON.

use super::args::{Predict, bdp};
use std::io::{self, Write};
use tcpwhy_core::advice::quantity::{buffer, data, percent, rate, span};
use tcpwhy_core::kernel::buffers::is_clamped;
use tcpwhy_core::kernel::window::Share;
use tcpwhy_core::whatif::transfer::{Phase, Prediction, Transfer};

type Others = [(String, Prediction)];

/// For people.
pub(super) fn text(
    to: &mut impl Write,
    args: &Predict,
    t: &Transfer,
    p: &Prediction,
    others: &Others,
) -> io::Result<()> {
    writeln!(to, "{} in {}: held by {}", data(args.size), span(p.time), words(p.limit()))?;
    let streams = u64::from(args.streams);
    let all = if args.streams > 1 { format!(" (all {streams} streams)") } else { String::new() };
    writeln!(
        to,
        "steady rate {}{all} of {}",
        rate(p.steady_bps.saturating_mul(streams)),
        rate(args.rate)
    )?;
    writeln!(to, "\nWhere the time goes")?;
    for (phase, time) in Phase::ALL.iter().zip(p.phases).filter(|(_, time)| time.0 > 0) {
        let part = time.secs() / p.time.secs().max(1e-9);
        writeln!(to, "  {:<18} {:>10}  {:>5}", phase.name(), span(time), percent(part))?;
    }
    writeln!(to, "\nBuffers")?;
    let (bdp, share) =
        (bdp(t.rate_bps, t.rtt), Share::first(t.receiver.version, &t.receiver.sysctls));
    writeln!(to, "  BDP = {} x {} = {}", rate(t.rate_bps), span(t.rtt), data(bdp))?;
    writeln!(
        to,
        "  send buffer     {:>10} at the end; at least {} for the full rate",
        buffer(p.sndbuf),
        buffer(send_needs(bdp))
    )?;
    writeln!(
        to,
        "  receive buffer  {:>10} at the end; at least {} for the full rate",
        buffer(p.rcvbuf),
        buffer(share.space(bdp))
    )?;
    for (asked, max, name, sysctl) in [
        (t.sndbuf, t.sender.sysctls.wmem_max, "SO_SNDBUF", "wmem_max"),
        (t.rcvbuf, t.receiver.sysctls.rmem_max, "SO_RCVBUF", "rmem_max"),
    ] {
        if is_clamped(asked, max) {
            writeln!(to, "  {name} is clamped in silence to net.core.{sysctl} = {}", buffer(max))?;
        }
    }
    writeln!(to, "\nWith one thing changed")?;
    for (name, other) in others {
        let gain = p.time.secs() / other.time.secs().max(1e-9);
        writeln!(
            to,
            "  {name:<36} {:>10}  {gain:>6.1}x  {}",
            span(other.time),
            other.limit().name()
        )?;
    }
    Ok(())
}

/// For machines: times in nanoseconds, rates in bits per second, sizes in bytes.
pub(super) fn json(
    to: &mut impl Write,
    args: &Predict,
    t: &Transfer,
    p: &Prediction,
    others: &Others,
) -> io::Result<()> {
    let bdp = bdp(t.rate_bps, t.rtt);
    let share = Share::first(t.receiver.version, &t.receiver.sysctls);
    let phases: serde_json::Map<_, _> = Phase::ALL
        .iter()
        .zip(p.phases)
        .map(|(phase, time)| (phase.name().to_owned(), time.0.into()))
        .collect();
    let others: Vec<_> = others
        .iter()
        .map(|(name, o)| serde_json::json!({"change": name, "time_ns": o.time.0, "limit": o.limit().name(), "steady_bps": o.steady_bps}))
        .collect();
    let value = serde_json::json!({
        "schema": "tcpwhy.prediction/1",
        "limit": p.limit().name(),
        "time_ns": p.time.0,
        "steady_bps": p.steady_bps.saturating_mul(u64::from(args.streams)),
        "streams": args.streams,
        "phases_ns": phases,
        "bdp_bytes": bdp,
        "send_buffer": {"bytes": p.sndbuf, "needed_bytes": send_needs(bdp)},
        "receive_buffer": {"bytes": p.rcvbuf, "needed_bytes": share.space(bdp)},
        "segments": p.segments,
        "resent": p.resent,
        "alternatives": others,
    });
    serde_json::to_writer(&mut *to, &value).map_err(io::Error::from)?;
    writeln!(to)
}

/// A writer wakes when a third is free, so two thirds must cover the BDP.
fn send_needs(bdp: u64) -> u64 {
    bdp.saturating_mul(3) / 2
}

fn words(phase: Phase) -> &'static str {
    match phase {
        Phase::Handshake => "the handshake",
        Phase::SlowStart => "slow start",
        Phase::Congestion => "the congestion window",
        Phase::SendBuffer => "the send buffer",
        Phase::ReceiveWindow => "the receive window",
        Phase::Path => "the path's bandwidth",
        Phase::Last => "the last bytes on their way",
    }
}
