//! Connections from round to round: what is seen of each is added to its service, and told once more when it closes.

use super::events::{Ends, Lost};
use super::service::Services;
use super::totals::{Direction, Held, Totals};
use crate::live::row::{Role, Row};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::socket::{cause, is_lost};
use tcpwhy_core::units::Nanos;
use tcpwhy_live::settings::Settings;
use tcpwhy_live::watch::Observed;

/// What the label says where no cause is known.
const NO_CAUSE: &str = "none";

/// A socket of the round, judged where it was seen.
pub(super) type Seen<'a> = Row<&'a Observed>;

/// All open connections, by cookie.
#[derive(Debug, Default)]
pub(super) struct Connections {
    open: HashMap<u64, Connection>,
    services: Services,
    /// Connections that are older than the agent were all seen in the first round.
    began: bool,
    /// Those that lost time and closed since events were last written.
    closed: Vec<Lost>,
}

/// One connection.
#[derive(Debug)]
struct Connection {
    place: usize,
    /// Time by limit and direction since it was seen first, few of each.
    held: Vec<(Direction, Limit, Nanos)>,
    /// Time in which it transferred, by direction.
    active: [Nanos; 2],
    /// What it lost since events were last written.
    lost: Option<Box<Lost>>,
}

impl Connections {
    /// Adds a round to the totals and returns how many connections were new in it, by network namespace. `settings` are those of the
    /// namespaces.
    pub(super) fn add<'a>(
        &mut self,
        seen: impl Iterator<Item = &'a Observed>,
        settings: &HashMap<u32, Settings>,
        totals: &mut Totals,
    ) -> HashMap<u32, u64> {
        let mut new: HashMap<u32, u64> = HashMap::new();
        for seen in seen {
            // Of a namespace that is gone by now, nobody can say who decides over a buffer.
            let known = settings.get(&seen.netns).copied().unwrap_or_default();
            let row = Row::new(seen, &known);
            let (connection, fresh) = match self.open.entry(seen.sample.cookie) {
                Entry::Occupied(open) => (open.into_mut(), false),
                Entry::Vacant(place) => {
                    *new.entry(seen.netns).or_default() += 1;
                    (place.insert(Connection::begin(seen, &mut self.services, totals)), true)
                }
            };
            connection.judge(&row, totals);
            connection.count(&row, fresh && self.began, totals);
            if seen.closed {
                let gone = self.open.remove(&seen.sample.cookie);
                self.closed.extend(gone.and_then(|connection| connection.close(totals)));
            }
        }
        self.began = true;
        new
    }

    /// The `most` connections that lost most time since the last call, of each the service's name and what it lost.
    pub(super) fn worst(&mut self, most: usize) -> Vec<Lost> {
        let open = self.open.values_mut().filter_map(|c| c.lost.take()).map(|lost| *lost);
        let mut all: Vec<Lost> = self.closed.drain(..).chain(open).collect();
        all.sort_by_key(|lost| std::cmp::Reverse(lost.total()));
        all.truncate(most);
        all
    }

    /// Drops all but the `most` worst of those that closed: between two events there may be any number.
    pub(super) fn forget(&mut self, most: usize) {
        if self.closed.len() > 4 * most + 64 {
            self.closed.sort_by_key(|lost| std::cmp::Reverse(lost.total()));
            self.closed.truncate(most);
        }
    }
}

impl Connection {
    fn begin(seen: &Observed, services: &mut Services, totals: &mut Totals) -> Self {
        let name = services.of(seen.sample.cgroup, seen.owner.as_ref(), seen.sample.uid);
        let place = totals.place(&name);
        totals.at(place).into_iter().for_each(|service| service.opened());
        Self { place, held: Vec::new(), active: [Nanos::ZERO; 2], lost: None }
    }

    /// Bytes and packets. Of one that is `younger` than the last round all of them are new.
    fn count(&mut self, row: &Seen<'_>, younger: bool, totals: &mut Totals) {
        let (first, last) = (row.seen.first, row.seen.last);
        let since = if younger { Default::default() } else { first };
        let sent = last.acked.saturating_sub(since.acked);
        let received = last.received.saturating_sub(since.received);
        let resent = u64::from(last.resent.saturating_sub(since.resent));
        if let Some(service) = totals.at(self.place) {
            for (bytes, more) in service.bytes.iter_mut().zip([sent, received]) {
                *bytes += more;
            }
            service.resent += resent;
        }
        if let Some(lost) = &mut self.lost {
            lost.count(sent, received, resent);
            lost.ends.get_or_insert_with(|| Ends::of(row));
        }
    }

    /// Time by what held it.
    fn judge(&mut self, row: &Seen<'_>, totals: &mut Totals) {
        match row.role {
            Role::Idle => {}
            Role::Sends => {
                self.activate(Direction::Send, row.account.total(), totals);
                for (limit, time) in row.account.shares().filter(|(_, t)| *t > Nanos::ZERO) {
                    let cause = send_cause(row, limit);
                    self.hold(Held { direction: Direction::Send, limit, cause }, time, totals);
                }
            }
            Role::Receives => {
                self.activate(Direction::Receive, row.span, totals);
                if let Some(limit) = row.limit {
                    let cause = label(row.cause);
                    let held = Held { direction: Direction::Receive, limit, cause };
                    self.hold(held, row.span, totals);
                }
            }
        }
    }

    fn activate(&mut self, direction: Direction, time: Nanos, totals: &mut Totals) {
        let service = totals.at(self.place).map(|service| &mut service.active);
        for active in service.into_iter().chain([&mut self.active]) {
            if let Some(active) = active.get_mut(direction.place()) {
                *active += time;
            }
        }
    }

    fn hold(&mut self, held: Held, time: Nanos, totals: &mut Totals) {
        if let Some(service) = totals.at(self.place) {
            *service.limited.entry(held).or_default() += time;
            if is_lost(held.limit) {
                let lost = self.lost.get_or_insert_with(|| {
                    Box::new(Lost::new(std::sync::Arc::clone(&service.name)))
                });
                lost.add(held, time);
            }
        }
        let known =
            |(d, l, _): &&mut (Direction, Limit, Nanos)| (*d, *l) == (held.direction, held.limit);
        match self.held.iter_mut().find(known) {
            Some((.., sum)) => *sum += time,
            None => self.held.push((held.direction, held.limit, time)),
        }
    }

    /// Tells the shares of its whole time, and returns what it lost since the last events.
    fn close(self, totals: &mut Totals) -> Option<Lost> {
        let service = totals.at(self.place)?;
        service.closed();
        for (direction, limit, time) in self.held {
            let active = self.active.get(direction.place()).copied().unwrap_or_default();
            if active > Nanos::ZERO {
                service.share(direction, limit, (time.secs() / active.secs()).min(1.0));
            }
        }
        let mut lost = *self.lost?;
        lost.closed = true;
        Some(lost)
    }
}

/// For a send buffer, who holds it at its size; for other limits, the cause by its published name.
fn send_cause(row: &Seen<'_>, limit: Limit) -> &'static str {
    match limit {
        Limit::SendBuffer => row.send.holder.name(),
        limit => label(cause(limit, &row.seen.states)),
    }
}

fn label(cause: Cause) -> &'static str {
    cause.name().unwrap_or(NO_CAUSE)
}
