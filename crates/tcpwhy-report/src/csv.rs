//! CSV: one row a transfer (a run of data in one direction until the other side speaks), and one of 0 bytes for an answer that did not come.

use std::borrow::Borrow;
use std::io::{self, Write};
use tcpwhy_core::model::{Cause, Connection, Direction, Interval, Limit, Transfer};
use tcpwhy_core::units::{Nanos, time_by_key};

/// The columns: times in nanoseconds (start: since 1970), sizes in bytes, rates in bit/s.
///
/// `transfer` counts the transfers of a direction from 1. `limit` held longest within the transfer's own time, for the part `limit_share` (0
/// to 1) of it, most of that by `cause`; empty where nothing is known.
/// `wait_ns` is the time before it, since the end of the transfer before or since the connection was
/// opened or the period begins, and `wait_limit` and `wait_cause` what held longest then: whose turn it was.
/// An answer that was due and did not come is a transfer of 0 bytes when the wait for it ended.
pub const HEADER: [&str; 20] = [
    "connection",
    "client_addr",
    "client_port",
    "server_addr",
    "server_port",
    "from",
    "transfer",
    "start_ns",
    "duration_ns",
    "bytes",
    "goodput_bps",
    "retransmitted_bytes",
    "first_frame",
    "last_frame",
    "limit",
    "cause",
    "limit_share",
    "wait_ns",
    "wait_limit",
    "wait_cause",
];

/// Writes the header and one row for each transfer.
///
/// # Errors
/// Whatever `out` returns.
pub fn write<C: Borrow<Connection>>(
    out: impl Write,
    connections: impl IntoIterator<Item = C>,
) -> io::Result<()> {
    let mut rows = ::csv::Writer::from_writer(out);
    rows.write_record(HEADER)?;
    for connection in connections {
        let connection = connection.borrow();
        for direction in &connection.directions {
            let mut before = direction.timeline.first().map_or(Nanos::MAX, |first| first.from);
            for (i, transfer) in direction.transfers.iter().enumerate() {
                rows.write_record(row(connection, direction, i + 1, transfer, before))?;
                before = transfer.to;
            }
            if let Some(missed) = missed(direction) {
                let number = direction.transfers.len() + direction.transfers_omitted as usize + 1;
                rows.write_record(row(connection, direction, number, &missed, before))?;
            }
        }
    }
    rows.flush()
}

/// The answer that `d` owed at its end.
fn missed(d: &Direction) -> Option<Transfer> {
    let owed = d.owing()?;
    Some(Transfer {
        from: owed.to,
        to: owed.to,
        bytes: 0,
        retransmitted: 0,
        first_frame: owed.first_frame,
        last_frame: owed.last_frame,
    })
}

/// The row of a transfer; the wait for it began at `before`.
fn row(c: &Connection, d: &Direction, number: usize, t: &Transfer, before: Nanos) -> [String; 20] {
    let duration = t.to - t.from;
    let main = main_limit(d, t.from, t.to);
    let (wait, waited_for) = ((t.from - before).max(Nanos::ZERO), main_limit(d, before, t.from));
    let limit = |of: Option<Main>| of.map(|m| m.limit.name()).unwrap_or_default().to_owned();
    let cause = |of: Option<Main>| of.and_then(|m| m.cause.name()).unwrap_or_default().to_owned();
    [
        c.id.to_string(),
        c.client.addr().to_string(),
        c.client.port.to_string(),
        c.server.addr().to_string(),
        c.server.port.to_string(),
        d.from.name().to_owned(),
        number.to_string(),
        t.from.0.to_string(),
        duration.0.to_string(),
        t.bytes.to_string(),
        d.goodput_of(t).to_string(),
        t.retransmitted.to_string(),
        t.first_frame.to_string(),
        t.last_frame.to_string(),
        limit(main),
        cause(main),
        main.map(|m| format!("{:.4}", m.share)).unwrap_or_default(),
        wait.0.to_string(),
        limit(waited_for),
        cause(waited_for),
    ]
}

/// What held longest in a time, and for which part of it.
#[derive(Debug, Clone, Copy)]
struct Main {
    limit: Limit,
    cause: Cause,
    share: f64,
}

/// As the verdict has it: the limit, and the cause within it.
fn main_limit(d: &Direction, from: Nanos, to: Nanos) -> Option<Main> {
    let first = d.timeline.partition_point(|i| i.to <= from);
    let within = d.timeline.iter().skip(first).take_while(|i| i.from < to);
    let held = |i: &Interval| i.to.min(to) - i.from.max(from);
    let (limit, time) = longest(within.clone().map(|i| (i.limit, held(i))))?;
    let of_limit = within.filter(|i| i.limit == limit);
    let (cause, _) = longest(of_limit.map(|i| (i.cause, held(i))))?;
    let whole = to - from;
    (whole > Nanos::ZERO).then(|| Main { limit, cause, share: time.0 as f64 / whole.0 as f64 })
}

/// The key with the most time, and that.
fn longest<K: PartialEq>(times: impl Iterator<Item = (K, Nanos)>) -> Option<(K, Nanos)> {
    time_by_key(times).into_iter().max_by_key(|(_, sum)| *sum)
}
