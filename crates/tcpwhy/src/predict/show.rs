//! One prediction as text and as JSON.

use super::args::Predict;
use super::words::{self, Bdp, Buffer, Chance, Change, Rates, Section, Words};
use std::io::{self, Write};
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::span;
use tcpwhy_core::kernel::buffers::{Asked, MIN_RECEIVE, MIN_SEND, is_clamped};
use tcpwhy_core::kernel::window::Share;
use tcpwhy_core::units::{Nanos, bytes_at};
use tcpwhy_core::whatif::transfer::{Phase, Prediction, Transfer, Typical};
use tcpwhy_report::padded;

/// Times faster that are not worth a word.
const AS_FAST: std::ops::Range<f64> = 0.95..1.05;

type Others = [(Change, Typical)];

/// For people.
pub(super) fn text(
    to: &mut impl Write,
    w: &dyn Words,
    args: &Predict,
    t: &Transfer,
    answer: &Typical,
    others: &Others,
) -> io::Result<()> {
    let p = &answer.prediction;
    writeln!(to, "{}", w.answer(args.size, p.time, p.limit()))?;
    if answer.varies() {
        let Typical { runs, p10, p90, .. } = *answer;
        writeln!(to, "{}", w.range(&Chance { runs, p10, p90 }))?;
    }
    let of_all = |rate: u64| rate.saturating_mul(u64::from(args.streams));
    let rates = Rates {
        mean_bps: of_all(p.mean_bps(t.size)),
        steady_bps: p.steady(t.size, t.rtt).map(of_all),
        streams: args.streams,
        link_bps: args.rate,
    };
    writeln!(to, "{}", w.rates(&rates))?;
    writeln!(to, "\n{}", w.section(Section::Phases))?;
    for (phase, time) in Phase::ALL.iter().zip(p.phases).filter(|(_, time)| time.0 > 0) {
        let part = time.secs() / p.time.secs().max(1e-9);
        let name = padded(w.phase(*phase), 18);
        writeln!(to, "  {name} {:>10}  {:>5}", span(time), w.percent(part))?;
    }
    buffers(to, w, t, p)?;
    writeln!(to, "\n{}", w.section(Section::Changes))?;
    for (change, Typical { prediction: other, .. }) in others {
        let times = p.time.secs() / other.time.secs().max(1e-9);
        let gain = w.gain(Some(times).filter(|times| !AS_FAST.contains(times)));
        let (name, limit) = (padded(w.change(*change), 36), w.phase(other.limit()));
        writeln!(to, "  {name} {:>10}  {gain:>7}  {limit}", span(other.time))?;
    }
    for (asked, max, option, sysctl) in options(t) {
        // What four times as much would be is among the changes.
        if matches!(asked, Asked::Set(bytes) if bytes <= max && bytes.saturating_mul(4) > max) {
            writeln!(to, "  {}", w.clamped(option, sysctl, max))?;
        }
    }
    Ok(())
}

/// Each buffer that can be asked for, the most that may be, the option and the sysctl that says so.
fn options(t: &Transfer) -> [(Asked, u64, &'static str, &'static str); 2] {
    [
        (t.sndbuf, t.sender.sysctls.wmem_max, "SO_SNDBUF", "wmem_max"),
        (t.rcvbuf, t.receiver.sysctls.rmem_max, "SO_RCVBUF", "rmem_max"),
    ]
}

fn buffers(to: &mut impl Write, w: &dyn Words, t: &Transfer, p: &Prediction) -> io::Result<()> {
    let (rate_bps, rtt) = (t.rate_bps, t.rtt);
    let bytes = bytes_at(rate_bps, rtt);
    let share = Share::first(t.receiver.version, &t.receiver.sysctls);
    writeln!(to, "\n{}", w.section(Section::Buffers))?;
    writeln!(to, "  {}", w.bdp(&Bdp { rate_bps, rtt, bytes }))?;
    for buffer in [
        Buffer { sends: true, bytes: p.sndbuf, needed: send_needs(bytes) },
        Buffer { sends: false, bytes: p.rcvbuf, needed: share.space(bytes) },
    ] {
        writeln!(to, "  {}", w.buffer(&buffer))?;
    }
    for (asked, max, option, sysctl) in options(t) {
        if is_clamped(asked, max) {
            writeln!(to, "  {}", w.clamped(option, sysctl, max))?;
        }
    }
    for (asked, least, option) in
        [(t.sndbuf, MIN_SEND, "SO_SNDBUF"), (t.rcvbuf, MIN_RECEIVE, "SO_RCVBUF")]
    {
        if let Asked::Set(bytes) = asked
            && bytes.saturating_mul(2) < least
        {
            writeln!(to, "  {}", w.raised(option, bytes, least))?;
        }
    }
    Ok(())
}

/// For machines: times in nanoseconds, rates in bits per second, sizes in bytes.
pub(super) fn json(
    to: &mut impl Write,
    args: &Predict,
    t: &Transfer,
    answer: &Typical,
    others: &Others,
) -> io::Result<()> {
    let p = &answer.prediction;
    let bdp = bytes_at(t.rate_bps, t.rtt);
    let share = Share::first(t.receiver.version, &t.receiver.sysctls);
    let phases: serde_json::Map<_, _> = Phase::ALL
        .iter()
        .zip(p.phases)
        .map(|(phase, time)| (phase.name().to_owned(), time.0.into()))
        .collect();
    let english = words::of(Language::En);
    let others: Vec<_> = others
        .iter()
        .map(|(change, other)| {
            let o = &other.prediction;
            serde_json::json!({
                "change": english.change(*change),
                "time_ns": o.time.0,
                "range": range(other),
                "limit": o.limit().name(),
                "steady_bps": o.steady_bps,
            })
        })
        .collect();
    let value = serde_json::json!({
        "schema": "tcpwhy.prediction/1",
        "limit": p.limit().name(),
        "time_ns": p.time.0,
        "range": range(answer),
        "mean_bps": p.mean_bps(t.size).saturating_mul(u64::from(args.streams)),
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

/// Of how many runs a time is the median, and where they lie.
pub(super) fn range(answer: &Typical) -> serde_json::Value {
    // A run that does not end has no time.
    let time = |t: Nanos| (t != Nanos::MAX).then_some(t.0);
    serde_json::json!({"runs": answer.runs, "p10_ns": time(answer.p10), "p90_ns": time(answer.p90)})
}

/// A writer wakes when a third is free, so two thirds must cover the BDP.
fn send_needs(bdp: u64) -> u64 {
    bdp.saturating_mul(3) / 2
}
