//! What is shown, and what keys do to it.

use super::text;
use crate::live::kernel::Status;
use crate::live::row::{Role, Row};
use crate::live::words::Words;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::{HashMap, VecDeque};
use tcpwhy_core::model::Limit;
use tcpwhy_core::units::Nanos;

/// Time that the strip covers, unless a single round is longer.
const MINUTE: Nanos = Nanos::from_secs(60);

/// What the table is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::live) enum Sort {
    Lost,
    Rate,
    RoundTrip,
    Process,
}

impl Sort {
    fn next(self) -> Self {
        match self {
            Self::Lost => Self::Rate,
            Self::Rate => Self::RoundTrip,
            Self::RoundTrip => Self::Process,
            Self::Process => Self::Lost,
        }
    }
}

/// The last minute of one socket.
#[derive(Debug, Default)]
pub(super) struct History {
    /// A limit a round, the newest last.
    pub limits: VecDeque<Option<Limit>>,
    /// Time lost in each of these rounds.
    lost: VecDeque<Nanos>,
}

impl History {
    /// Time lost in the last minute.
    pub(super) fn lost(&self) -> Nanos {
        self.lost.iter().fold(Nanos::ZERO, |sum, lost| sum + *lost)
    }

    fn add(&mut self, row: &Row, rounds: usize) {
        self.limits.push_back(row.limit);
        self.lost.push_back(row.lost());
        while self.limits.len() > rounds {
            self.limits.pop_front();
            self.lost.pop_front();
        }
    }
}

/// The state of the screen.
pub(super) struct App {
    rows: Vec<Row>,
    histories: HashMap<u64, History>,
    /// Rounds in a minute.
    rounds: usize,
    /// A round is longer than that: it is what the strip shows.
    pub long: bool,
    /// Cookie of the chosen socket.
    chosen: Option<u64>,
    pub sort: Sort,
    /// What sockets were asked for by on the command line; empty for all.
    pub asked: String,
    pub filter: String,
    /// Keys go into the filter.
    pub typing: bool,
    pub frozen: bool,
    pub details: bool,
    /// All keys are shown instead of the table.
    pub help: bool,
    pub all: bool,
    pub color: bool,
    pub words: &'static dyn Words,
    /// A round has been seen.
    pub started: bool,
    /// What is missing, and why.
    pub notice: String,
}

impl App {
    pub(super) fn new(all: bool, interval: Nanos, color: bool, words: &'static dyn Words) -> Self {
        let rounds = usize::try_from(MINUTE.0 / interval.0.max(1)).unwrap_or(1).max(1);
        Self {
            rows: Vec::new(),
            histories: HashMap::new(),
            rounds,
            long: interval > MINUTE,
            chosen: None,
            sort: Sort::Lost,
            asked: String::new(),
            filter: String::new(),
            typing: false,
            frozen: false,
            details: false,
            help: false,
            all,
            color,
            words,
            started: false,
            notice: String::new(),
        }
    }

    /// What is missing now, and what the machine lacks.
    pub(super) fn tell(&mut self, status: &Status) {
        self.notice = self.words.missing(status, false).join(" ");
    }

    /// Takes a new round, unless the screen is frozen.
    pub(super) fn round(&mut self, rows: Vec<Row>) {
        if self.frozen {
            return;
        }
        self.started = true;
        let mut before = std::mem::take(&mut self.histories);
        for row in &rows {
            let cookie = row.seen.sample.cookie;
            let mut history = before.remove(&cookie).unwrap_or_default();
            history.add(row, self.rounds);
            self.histories.insert(cookie, history);
        }
        self.rows = rows;
    }

    /// Whether no socket there is was asked for, idle ones included.
    pub(super) fn is_unmatched(&self) -> bool {
        self.started && self.rows.is_empty() && !self.asked.is_empty()
    }

    /// The rows in order, as sorted and filtered.
    pub(super) fn visible(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().filter(|row| self.takes(row)).collect();
        use std::cmp::Reverse;
        match self.sort {
            Sort::Lost => {
                rows.sort_by_cached_key(|r| Reverse((self.lost(r), r.out_bps + r.in_bps)))
            }
            Sort::Rate => rows.sort_by_key(|r| Reverse(r.out_bps + r.in_bps)),
            Sort::RoundTrip => rows.sort_by_key(|r| Reverse(r.rtt())),
            Sort::Process => rows.sort_by_cached_key(|r| r.process(self.words)),
        }
        rows
    }

    fn takes(&self, row: &Row) -> bool {
        let idle =
            row.role == Role::Idle && self.history(row).is_none_or(|h| h.lost() == Nanos::ZERO);
        let text = || {
            let sample = &row.seen.sample;
            let verdict = text::verdict(row, self.words);
            let (process, place) = (row.process(self.words), row.place.words().unwrap_or_default());
            format!("{process} {place} {} {} {verdict}", sample.local, sample.remote).to_lowercase()
        };
        (self.all || !idle)
            && (self.filter.is_empty() || text().contains(&self.filter.to_lowercase()))
    }

    pub(super) fn history(&self, row: &Row) -> Option<&History> {
        self.histories.get(&row.seen.sample.cookie)
    }

    /// Time lost in the last minute.
    pub(super) fn lost(&self, row: &Row) -> Nanos {
        self.history(row).map_or(Nanos::ZERO, History::lost)
    }

    /// Place of the chosen socket among `rows`; the first while none is chosen.
    pub(super) fn place(&self, rows: &[&Row]) -> Option<usize> {
        let chosen = rows.iter().position(|r| Some(r.seen.sample.cookie) == self.chosen);
        chosen.or(if rows.is_empty() { None } else { Some(0) })
    }

    /// Whether this key ends it all.
    pub(super) fn key(&mut self, key: KeyEvent) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return true;
        }
        if self.typing {
            self.type_key(key.code);
            return false;
        }
        match key.code {
            KeyCode::Char('q') => return true,
            KeyCode::Esc => self.step_back(),
            KeyCode::Char('?' | 'h') => self.help = !self.help,
            KeyCode::Enter => self.details = !self.details,
            KeyCode::Char('s') => self.sort = self.sort.next(),
            KeyCode::Char('f' | ' ') => self.frozen = !self.frozen,
            KeyCode::Char('a') => self.all = !self.all,
            KeyCode::Char('/') => self.typing = true,
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::PageDown => self.step(10),
            KeyCode::PageUp => self.step(-10),
            _ => {}
        }
        false
    }

    /// Leaves what was entered last. It never ends the program: one press too many is easily made.
    fn step_back(&mut self) {
        if self.help {
            self.help = false;
        } else if self.details {
            self.details = false;
        } else {
            self.filter.clear();
        }
    }

    fn type_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Enter => self.typing = false,
            KeyCode::Esc => {
                self.typing = false;
                self.filter.clear();
            }
            KeyCode::Backspace => drop(self.filter.pop()),
            KeyCode::Char(letter) => self.filter.push(letter),
            _ => {}
        }
    }

    fn step(&mut self, by: isize) {
        let rows = self.visible();
        let Some(place) = self.place(&rows) else { return };
        let wanted = place.saturating_add_signed(by).min(rows.len() - 1);
        self.chosen = rows.get(wanted).map(|row| row.seen.sample.cookie);
    }
}
