//! Connections of which there are samples and no packets: recorded without the right to capture.

use crate::analysis::narrowest::was_full;
use crate::analysis::verdict;
use crate::model::{
    Connection, Direction, Facts, Interval, Limit, RttSummary, Side, Source, Traits, Transfer,
    Vantage, WindowScale,
};
use crate::observe::Endpoint;
use crate::units::Nanos;
use crate::whatif::analytic::{Path, predict};

use super::settle::{SURE, Sender, at, by_receiver, evidence, join};
use super::{Histories, History, State, cause};

/// Every connection of which an end was sampled that sent data, in the order of their first samples. What only packets show
/// (frames, retransmissions, the handshake) is empty in them.
pub fn connections(sockets: &Histories, wmem_most: u64) -> Vec<Connection> {
    let mut found: Vec<Connection> = Vec::new();
    for history in sockets.all() {
        let Some((from, to)) = sending(&history.states()) else { continue };
        let other = sockets.between([history.remote, history.local], from, to);
        let side = side(history.local, history.remote);
        let direction = direction(history, side, wmem_most, other);
        let ends = match side {
            Side::Client => (history.local, history.remote),
            Side::Server => (history.remote, history.local),
        };
        // Both ends on one host, or data both ways: the other direction may be there already.
        let overlaps = |c: &&mut Connection| {
            (c.client, c.server) == ends && c.start < to && from < c.start + c.duration
        };
        match found.iter_mut().find(overlaps) {
            Some(connection) => add(connection, direction, from, to),
            None => found.push(connection(ends, direction, &history.states(), from, to)),
        }
    }
    found.sort_by_key(|connection| connection.start);
    for (id, connection) in (0..).zip(&mut found) {
        connection.id = id;
    }
    found
}

/// The first and the last moment at which data was under way, the last one being that at which all had arrived.
fn sending(states: &[State]) -> Option<(Nanos, Nanos)> {
    let under_way = |s: &State| s.established && (s.unsent > 0 || s.outstanding > 0);
    let first = states.iter().position(under_way)?;
    let last = states.iter().rposition(under_way)?;
    let last = (last + 1).min(states.len() - 1);
    let (from, to) = (states.get(first)?, states.get(last)?);
    (to.t_ns > from.t_ns).then(|| (at(from.t_ns), at(to.t_ns)))
}

/// Without a handshake, the end with the higher port is the client.
fn side(local: Endpoint, remote: Endpoint) -> Side {
    if local.port > remote.port { Side::Client } else { Side::Server }
}

fn add(connection: &mut Connection, direction: Direction, from: Nanos, to: Nanos) {
    let end = (connection.start + connection.duration).max(to);
    connection.start = connection.start.min(from);
    connection.duration = end - connection.start;
    let place = connection.directions.iter_mut().find(|d| d.from == direction.from);
    if let Some(place) = place {
        *place = direction;
    }
}

fn connection(
    (client, server): (Endpoint, Endpoint),
    direction: Direction,
    states: &[State],
    from: Nanos,
    to: Nanos,
) -> Connection {
    let silent = empty(direction.from.other());
    let directions = match direction.from {
        Side::Client => [direction, silent],
        Side::Server => [silent, direction],
    };
    Connection {
        id: 0,
        client,
        server,
        opened: from,
        start: from,
        duration: to - from,
        packets: 0,
        vantage: Vantage { position: 0.5, confidence: 0.0 },
        rtt: rtt(states),
        directions,
        findings: Box::default(),
    }
}

fn direction(
    history: &History,
    from: Side,
    wmem_most: u64,
    receiver: Option<&History>,
) -> Direction {
    let sender = Sender::new(history, wmem_most);
    let (begin, end) = sending(&sender.states).unwrap_or_default();
    let mut timeline: Vec<Interval> = Vec::new();
    for (from, to, limit) in sender.limits(begin, end) {
        let mut interval = interval(&sender, from, to, limit);
        by_receiver(&mut interval, receiver);
        join(&mut timeline, interval);
    }
    let states = sender.states(begin, end + Nanos(1));
    let bytes = evidence(states).acked;
    let (first_frame, last_frame, retransmitted) = (0, 0, 0);
    let one = Transfer { from: begin, to: end, bytes, retransmitted, first_frame, last_frame };
    let mut direction = Direction {
        bytes,
        transfer: end - begin,
        timeline: timeline.into(),
        transfers: Box::new([one]),
        facts: facts(states),
        ..empty(from)
    };
    let rates = direction.timeline.iter().map(Interval::rate_bps);
    direction.facts.peak_bps = rates.max().unwrap_or(0);
    if was_full(&direction.timeline, direction.facts.rtt_floor) {
        direction.facts.path_bps = direction.facts.peak_bps;
    }
    direction.verdict =
        verdict::of(direction.from, &direction.timeline, &direction.transfers, &direction.facts);
    direction.what_if = predict(&Path {
        timeline: &direction.timeline,
        facts: &direction.facts,
        transfer: direction.transfer,
        bytes,
        turns: direction.turns(),
        traits: Traits::least(&direction.facts),
    })
    .into();
    direction
}

fn interval(sender: &Sender, from: Nanos, to: Nanos, limit: Limit) -> Interval {
    let states = sender.states(from, to + Nanos(1));
    let cause = if limit == Limit::SendBuffer { sender.buffer } else { cause(limit, states) };
    Interval {
        from,
        to,
        limit,
        cause,
        confidence: SURE,
        source: Source::Samples,
        first_frame: 0,
        last_frame: 0,
        evidence: evidence(states),
    }
}

fn facts(states: &[State]) -> Facts {
    let windows = || states.iter().map(|s| s.snd_wnd).filter(|w| *w > 0);
    let floor = states.iter().map(|s| s.min_rtt_us).filter(|us| (1..u32::MAX).contains(us)).min();
    Facts {
        mss: states.iter().map(|s| s.mss).max().unwrap_or(0),
        rtt_floor: floor.map_or(Nanos::ZERO, |us| Nanos::from_micros(us.into())),
        peak_bps: 0,
        path_bps: 0,
        max_flight: states.iter().map(|s| s.outstanding).max().unwrap_or(0),
        first_flight: 0,
        resent: states.iter().any(State::repairs),
        max_window: windows().max().unwrap_or(0),
        min_window: windows().min().unwrap_or(0),
        // Windows in samples are whole; how far one may open the kernel's word for scaling tells, not by which shift.
        scale: match states.iter().any(|s| s.scaled) {
            true => WindowScale::Known(14),
            false => WindowScale::Absent,
        },
        // Samples do not show when the last byte left.
        tail: Nanos::ZERO,
    }
}

fn rtt(states: &[State]) -> RttSummary {
    let mut all: Vec<u32> = states.iter().map(|s| s.srtt_us).filter(|us| *us > 0).collect();
    all.sort_unstable();
    let least = states.iter().map(|s| s.min_rtt_us).filter(|us| (1..u32::MAX).contains(us)).min();
    let part = |of: usize, in_all: usize| {
        let us = all.get((all.len().saturating_sub(1)) * of / in_all).copied();
        us.map_or(Nanos::ZERO, |us| Nanos::from_micros(us.into()))
    };
    let min = least.map_or(Nanos::ZERO, |us| Nanos::from_micros(us.into()));
    RttSummary { min, median: part(1, 2), p95: part(19, 20), hides_queues: false }
}

/// A direction in which nothing was sent, as far as anybody saw.
fn empty(from: Side) -> Direction {
    let facts = facts(&[]);
    Direction::without_data(from, Box::default(), verdict::of(from, &[], &[], &facts), facts)
}
