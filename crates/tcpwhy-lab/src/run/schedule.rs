//! What a scenario schedules: the limit of each phase by arithmetic, at the times at which the phase ran.

use super::bound::{Bound, bound};
use crate::spec::{Flow, Pace, Role, Scenario, Sending, Workload};
use crate::truth::{Interval, Scheduled};
use crate::workload::{Outcome, SendingOutcome, role_name};
use tcpwhy_core::link::WaySpec;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::units::Nanos;

/// The scheduled limits of every flow of ours. Where the construction does not fix a limit (losses by chance, traces, several
/// connections on one link, relays, programs) there is none.
pub(super) fn schedule(scenario: &Scenario, outcome: &Outcome) -> Vec<Scheduled> {
    let Workload::Flows(flows) = &scenario.workload else { return Vec::new() };
    let mut all = Vec::new();
    let alone = flows.len() == 1 && flows.iter().all(|f| f.count == 1);
    for (number, flow) in flows.iter().enumerate().filter(|(_, f)| alone && f.relay.is_none()) {
        let Some(ran) = outcome.flows.iter().find(|o| o.flow == number) else { continue };
        for (sending, ran) in flow.phases.iter().zip(&ran.sendings) {
            // Rounds take turns: only their application is known, and not when.
            if sending.rounds > 1 {
                continue;
            }
            let from = role_name(sending.from).to_owned();
            let phase = phase(scenario, flow, sending, ran);
            let put = |interval| Scheduled { port: flow.port, from: from.clone(), interval };
            all.extend(phase.into_iter().map(put));
        }
    }
    all
}

fn phase(s: &Scenario, flow: &Flow, sending: &Sending, ran: &SendingOutcome) -> Vec<Interval> {
    let way = if sending.from == Role::Client { &s.link.up } else { &s.link.down };
    let (Some(start), Some(end)) = (ran.start_ns, ran.end_ns) else { return Vec::new() };
    let mut line = Vec::new();
    if sending.before > Nanos::ZERO {
        let own = (Limit::Application, Cause::SenderApplication);
        push(&mut line, start - sending.before.0, start, own);
    }
    if is_left_to_chance(way) {
        return line;
    }
    let held = bound(s, flow, sending);
    let opened = (start + held.slow_start_ns).min(end);
    push(&mut line, start, opened, (Limit::CongestionWindow, Cause::SlowStart));
    let limit = limit(held.bound, way);
    let mut from = opened;
    for (stop, resume) in pauses(&sending.reader, ran.first_byte_ns.unwrap_or(start)) {
        push(&mut line, from, stop.clamp(from, end), limit);
        let resumed = resume.clamp(from, end);
        push(&mut line, stop.clamp(from, end), resumed, (Limit::ReceiveWindow, Cause::ZeroWindow));
        from = resumed;
    }
    push(&mut line, from, end, limit);
    line
}

fn limit(bound: Bound, way: &WaySpec) -> (Limit, Cause) {
    match bound {
        Bound::Link if way.policer.is_some() => (Limit::PathBandwidth, Cause::Policer),
        Bound::Link => (Limit::PathBandwidth, Cause::StandingQueue),
        Bound::SendBuffer => (Limit::SendBuffer, Cause::None),
        Bound::ReceiveWindow => (Limit::ReceiveWindow, Cause::SmallBuffer),
        Bound::Reader => (Limit::ReceiveWindow, Cause::SlowReader),
        Bound::Application => (Limit::Application, Cause::SenderApplication),
    }
}

/// Losses, outages and their recovery have no times that could be told before.
fn is_left_to_chance(way: &WaySpec) -> bool {
    let loss = &way.loss;
    loss.random > 0.0 || loss.burst.is_some() || !loss.nth.is_empty() || !way.outages.is_empty()
}

/// When the reader stops and goes on, nanoseconds since the Unix epoch.
fn pauses(reader: &Pace, first_byte: i64) -> Vec<(i64, i64)> {
    let Pace::Stops(times) = reader else { return Vec::new() };
    let at = |t: Nanos| first_byte.saturating_add(t.0);
    times.iter().map(|(stop, resume)| (at(*stop), resume.map_or(i64::MAX, at))).collect()
}

fn push(line: &mut Vec<Interval>, from: i64, to: i64, (limit, cause): (Limit, Cause)) {
    if from < to {
        line.push(Interval {
            from_ns: from.unsigned_abs(),
            to_ns: to.unsigned_abs(),
            limit: limit.name().into(),
            cause: cause.name().map(str::to_owned),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_stops_is_a_zero_window_between_what_holds_else() {
        let second = 1_000_000_000;
        let stops = vec![(Nanos::from_secs(1), Some(Nanos::from_secs(2)))];
        let sending = Sending {
            reader: Pace::Stops(stops),
            think: Nanos::from_millis(1),
            ..Sending::default()
        };
        let scenario = crate::scenario::Source::find("reader-stops-6s").unwrap();
        let scenario = scenario.read(false, &[]).unwrap().scenario;
        let ran = SendingOutcome {
            from: "server",
            asked: 1,
            written: 1,
            read: 1,
            start_ns: Some(10 * second),
            first_byte_ns: Some(10 * second),
            end_ns: Some(15 * second),
            goodput_bps: None,
            write_wait_ns: 0,
        };
        let line = phase(&scenario, &Flow::default(), &sending, &ran);
        let zero = line.iter().find(|i| i.cause.as_deref() == Some("zero window")).unwrap();
        assert_eq!((zero.from_ns, zero.to_ns), (11_000_000_000, 12_000_000_000));
        assert!(line.windows(2).all(|pair| pair[0].to_ns == pair[1].from_ns), "{line:?}");
        assert_eq!((line[0].from_ns, line.last().unwrap().to_ns), (10_000_000_000, 15_000_000_000));
    }
}
