//! A socket over one round -> what is shown of it.

use super::kernel::Told;
use super::place::Place;
use super::words::{self, Held, Line, Words};
use std::borrow::Borrow;
use tcpwhy_core::advice::Language;
use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::socket::{
    Account, Buffer, Difference, Holder, Stopwatch, difference, is_lost, receiver_cause,
};
use tcpwhy_core::units::Nanos;
use tcpwhy_live::settings::Settings;
use tcpwhy_live::watch::Observed;

/// One socket and its verdict.
#[derive(Debug, Clone)]
pub(crate) struct Row<S = Observed> {
    /// What was seen: kept, or borrowed for as long as it takes to count it.
    pub seen: S,
    /// The sender's time by limit; none of one that does not send.
    pub account: Account,
    /// What this end does.
    pub role: Role,
    /// The limit of the round; `None` where this end cannot tell.
    pub limit: Option<Limit>,
    /// Why.
    pub cause: Cause,
    /// Length of the round.
    pub span: Nanos,
    /// Bits per second that the peer acknowledged.
    pub out_bps: u64,
    /// Bits per second received.
    pub in_bps: u64,
    /// The send buffer and who decides over it.
    pub send: Buffer,
    /// The receive buffer.
    pub receive: Buffer,
    /// The kernel's own account of the round.
    pub stopwatch: Option<Stopwatch>,
    /// Why the kernel's account tells something else.
    pub difference: Option<Difference>,
    /// Where the socket is.
    pub place: Place,
    /// What the kernel's programs told of it; `None` without them.
    pub told: Option<Told>,
}

/// What a socket does in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It sends: its limit is judged here.
    Sends,
    /// It receives: only its own reader can be judged here.
    Receives,
    /// Nothing moved, and nothing waits.
    Idle,
}

impl Role {
    /// The name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sends => "sends",
            Self::Receives => "receives",
            Self::Idle => "idle",
        }
    }
}

impl<S: Borrow<Observed>> Row<S> {
    /// Judges one socket.
    pub(crate) fn new(of: S, settings: &Settings) -> Self {
        let seen = of.borrow();
        let memory = |at: usize| seen.sample.skmem.get(at).map_or(0, |bytes| u64::from(*bytes));
        let locked = seen.locks;
        let send = Buffer::new(memory(3), locked.map(|l| l.send), settings.tcp_wmem_most);
        let receive = Buffer::new(memory(1), locked.map(|l| l.receive), settings.tcp_rmem_most);
        let account = Account::of(&seen.states, send.holder == Holder::NotGrownYet);
        let role = role(seen, &account);
        let reader = receiver_cause(&seen.receivers);
        let (limit, cause) = match role {
            Role::Sends => (account.limit(), account.cause()),
            Role::Receives if reader != Cause::None => (Some(Limit::ReceiveWindow), reader),
            Role::Receives | Role::Idle => (None, Cause::None),
        };
        // What a receiver sends says nothing of what it receives.
        let account = if role == Role::Sends { account } else { Account::default() };
        let span = Nanos(seen.last.t_ns.saturating_sub(seen.first.t_ns).try_into().unwrap_or(0));
        let stopwatch = seen.last.stopwatch.zip(seen.first.stopwatch);
        let stopwatch = stopwatch.map(|(last, first)| last.since(first));
        let mut row = Self {
            out_bps: bps(seen.first.acked, seen.last.acked, span),
            in_bps: bps(seen.first.received, seen.last.received, span),
            send,
            receive,
            stopwatch,
            difference: None,
            account,
            role,
            limit,
            cause,
            span,
            place: Place::default(),
            told: None,
            seen: of,
        };
        row.compare();
        row
    }

    /// Takes what the kernel's programs told. That a write got no memory only they know.
    pub(super) fn hear(&mut self, told: Told) {
        if told.refused && self.role == Role::Sends {
            let slept = Nanos(told.blocked.writing_ns.try_into().unwrap_or(i64::MAX));
            self.account.writes_were_refused(slept, &self.seen.borrow().states);
            (self.limit, self.cause) = (self.account.limit(), self.account.cause());
            self.compare();
        }
        self.told = Some(told);
    }

    /// Explains where the kernel's account differs from the verdict.
    fn compare(&mut self) {
        let judged = self.limit.filter(|_| self.role == Role::Sends).zip(self.stopwatch);
        let span_us = u64::try_from(self.span.0 / 1000).unwrap_or(0);
        self.difference = judged.and_then(|(limit, watch)| difference(limit, watch, span_us));
    }

    /// `tcp_info` of the newest sample.
    pub(crate) fn info(&self) -> TcpInfo<'_> {
        TcpInfo(&self.seen.borrow().sample.tcp_info)
    }

    /// Smoothed round trip; `None` before the first.
    pub(crate) fn rtt(&self) -> Option<Nanos> {
        let micros = self.info().rtt_us().filter(|us| *us > 0)?;
        Some(Nanos::from_micros(micros.into()))
    }

    /// Name of the process, or what is known instead.
    pub(super) fn process(&self, words: &dyn Words) -> String {
        let seen = self.seen.borrow();
        let command = seen.owner.as_ref().map(|owner| tcpwhy_report::printable(&owner.command));
        let is_orphan = seen.sample.inode == 0;
        match command {
            Some(it) if seen.closed || is_orphan => format!("{it} {}", words.line(Line::Closed)),
            Some(it) => it.into_owned(),
            None if is_orphan => words.line(Line::Closed).to_owned(),
            None => words.user(seen.sample.uid),
        }
    }

    /// Time lost in the round to something that could be lifted.
    pub(crate) fn lost(&self) -> Nanos {
        self.account.lost()
    }

    /// What stands behind the limit: who holds the buffer, or which threshold.
    pub(super) fn held(&self) -> Option<Held> {
        if self.limit == Some(Limit::SendBuffer) {
            let refused = self.told.as_ref().is_some_and(|told| told.refused);
            return Some(if refused { Held::Refused } else { Held::Send(self.send) });
        }
        let judged = (self.limit, self.cause);
        let locks = self.seen.borrow().locks;
        if self.role == Role::Sends && judged == (Some(Limit::ReceiveWindow), Cause::None) {
            return Some(Held::LateAcks);
        }
        if self.role == Role::Receives && locks.is_some_and(|l| l.receive) {
            return Some(Held::Receive(self.receive));
        }
        // A writer that has less unsent than that is not held by it, nor is one whose data waits for something else.
        let least = locks?.notsent_lowat.filter(|_| self.limit == Some(Limit::Application))?;
        let full = self.seen.borrow().states.iter().any(|s| s.unsent >= least);
        full.then_some(Held::LowWater(least))
    }

    /// The same in words for programs, which are English.
    pub(crate) fn holder(&self) -> Option<String> {
        self.held().map(|held| words::of(Language::En).held(held))
    }
}

fn role(seen: &Observed, account: &Account) -> Role {
    let sent = seen.last.acked.saturating_sub(seen.first.acked);
    let received = seen.last.received.saturating_sub(seen.first.received);
    let waiting = seen.states.iter().any(|s| s.unsent > 0 || s.outstanding > 0);
    // A receiver acknowledges and may ask for more: it sends, but less than it gets. Who was kept from sending for most of the time is more than that.
    let held = account.limit().is_some_and(|limit| is_lost(limit) && account.share(limit) > 0.5);
    if sent > received || waiting && (received == 0 || held) {
        Role::Sends
    } else if received > 0 || seen.sample.rqueue > 0 && !is_finished(seen) {
        Role::Receives
    } else {
        Role::Idle
    }
}

/// Whether the other end has closed and waits for nothing: whatever is still to be read, it holds nobody. (`include/net/tcp_states.h`)
fn is_finished(seen: &Observed) -> bool {
    const CLOSE_WAIT: u8 = 8;
    const LAST_ACK: u8 = 9;
    let state = TcpInfo(&seen.sample.tcp_info).state();
    matches!(state, Some(CLOSE_WAIT | LAST_ACK))
}

fn bps(from: u64, to: u64, span: Nanos) -> u64 {
    if span <= Nanos::ZERO {
        return 0;
    }
    (to.saturating_sub(from) as f64 * 8.0 / span.secs()) as u64
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{SETTINGS, at_edge, row, starved};
    use super::*;
    use tcpwhy_core::socket::State;
    use tcpwhy_live::locks::Locks;

    fn judged(state: State, change: impl FnOnce(&mut Observed)) -> Row {
        let mut seen = row(1, "it", state).seen;
        change(&mut seen);
        Row::new(seen, &SETTINGS)
    }

    /// Nothing is under way.
    fn silent() -> State {
        State { outstanding: 0, in_flight: 0, ..starved() }
    }

    #[test]
    fn what_a_receiver_sends_is_no_share_of_its_time() {
        let receiver = judged(silent(), |seen| {
            (seen.last.acked, seen.last.received) = (0, 1_000_000);
        });
        assert_eq!((receiver.role, receiver.account.total()), (Role::Receives, Nanos::ZERO));
        assert!(judged(starved(), |_| ()).account.total() > Nanos::ZERO);
    }

    #[test]
    fn what_is_unread_holds_nobody_who_has_closed() {
        let role = |state: u8| {
            let unread = |seen: &mut Observed| {
                seen.last.acked = 0;
                seen.sample.rqueue = 10;
                seen.sample.tcp_info[0] = state;
            };
            judged(silent(), unread).role
        };
        assert_eq!([role(1), role(8)], [Role::Receives, Role::Idle]);
    }

    #[test]
    fn a_low_water_mark_holds_a_writer_and_no_data_that_waits_for_a_window() {
        let marked = |seen: &mut Observed| {
            seen.locks = seen.locks.map(|locks| Locks { notsent_lowat: Some(4096), ..locks });
        };
        let mut row = judged(at_edge(), marked);
        assert_eq!(row.limit, Some(Limit::ReceiveWindow));
        assert!(row.held().is_none());
        row.limit = Some(Limit::Application);
        assert!(matches!(row.held(), Some(Held::LowWater(4096))));
    }

    #[test]
    fn who_had_a_socket_open_that_closed_is_named() {
        let words = words::of(Language::En);
        let name = |closed| judged(starved(), |seen| seen.closed = closed).process(words);
        assert_eq!([name(false), name(true)], ["it", "it (closed)"]);
    }
}
