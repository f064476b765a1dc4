//! What the two threads leave for each other.

use super::Batch;
use super::decoder::Decoder;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tcpwhy_core::analysis::{Arrivals, Runs};

/// Batches that wait for the judging thread.
const QUEUE: usize = 4;
/// Rooms of decoded packets that wait for the reading thread.
const AHEAD: usize = 8;
/// How long a thread looks for work before it sleeps. The other one will have some when it has decoded or sorted what it is at, which takes
/// some 20 us; to be woken takes as long, and from whoever wakes. Between two looks it lets others have the processor.
const PATIENCE: Duration = Duration::from_micros(200);

/// What there is to do, for two threads. Each has work of its own: one sorts, the other judges. Whoever of them has nothing else to do
/// decodes: so both are busy, whatever takes longer in this capture and whichever processor is faster.
pub(super) struct Board {
    state: Mutex<State>,
    changed: Condvar,
    patience: Duration,
}

struct State {
    /// Whoever decodes has taken it.
    decoder: Option<Box<Decoder>>,
    /// Decoded by the judging thread, the oldest first.
    decoded: VecDeque<Arrivals>,
    /// To be judged.
    batches: VecDeque<Batch>,
    /// Room that was used before.
    arrivals: Vec<Arrivals>,
    runs: VecDeque<Runs>,
    /// A thread waits for a change.
    awaited: bool,
    /// No batch comes any more.
    over: bool,
    /// Nobody wants any more.
    unwanted: bool,
}

impl State {
    /// Whether the reading thread could do with more that is decoded.
    fn needs_more(&self) -> bool {
        self.decoded.len() < AHEAD
    }

    /// The decoder, where more can be decoded before the reading thread asks for it.
    fn decoder_ahead(&mut self) -> Option<Box<Decoder>> {
        let more = self.needs_more();
        self.decoder.take_if(|decoder| more && !decoder.is_done() && decoder.prompt)
    }
}

/// Whether the threads take turns anyway: then neither has anything to share or to wait for.
pub(super) fn has_one_processor() -> bool {
    std::thread::available_parallelism().is_ok_and(|processors| processors.get() == 1)
}

/// What the reading thread does next.
pub(super) enum ToRead {
    /// These are sorted.
    Sort(Arrivals),
    /// It decodes.
    Decode(Box<Decoder>),
    /// All is sorted, or nobody listens any more.
    Finish(Box<Decoder>),
}

/// What the judging thread does next.
pub(super) enum ToJudge {
    /// These are judged.
    Judge(Batch),
    /// It has nothing to judge, and decodes.
    Decode(Box<Decoder>, Arrivals),
    /// All is judged.
    Finish,
}

/// What became of work that was offered to the judging thread.
pub(super) enum Offered {
    /// It is done next; here is room for more.
    Taken(Runs),
    /// There is enough to do, for now.
    Full(Batch),
    /// Nobody listens any more.
    Unwanted,
}

impl Board {
    pub(super) fn new(decoder: Decoder) -> Self {
        let state = State {
            decoder: Some(Box::new(decoder)),
            decoded: VecDeque::new(),
            batches: VecDeque::new(),
            arrivals: Vec::new(),
            runs: VecDeque::new(),
            awaited: false,
            over: false,
            unwanted: false,
        };
        let patience = if has_one_processor() { Duration::ZERO } else { PATIENCE };
        Self { state: Mutex::new(state), changed: Condvar::new(), patience }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `find` finds something.
    fn wait<T>(&self, mut find: impl FnMut(&mut State) -> Option<T>) -> T {
        let mut state = self.lock();
        let mut since = None;
        loop {
            if let Some(found) = find(&mut state) {
                self.tell(state);
                return found;
            }
            if since.get_or_insert_with(Instant::now).elapsed() < self.patience {
                drop(state);
                std::thread::yield_now();
                state = self.lock();
            } else {
                state.awaited = true;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                since = None;
            }
        }
    }

    /// Changes something that the other thread may wait for.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        self.tell(state);
        result
    }

    /// Wakes the other thread, if it waits.
    fn tell(&self, mut state: MutexGuard<'_, State>) {
        if std::mem::take(&mut state.awaited) {
            drop(state);
            self.changed.notify_one();
        }
    }

    /// What the reading thread does next. Packets are sorted in the order in which they were decoded.
    pub(super) fn to_read(&self) -> ToRead {
        self.wait(|state| {
            if let Some(decoded) = state.decoded.pop_front() {
                return Some(ToRead::Sort(decoded));
            }
            let decoder = state.decoder.take()?;
            let done = decoder.is_done() || state.unwanted;
            Some(if done { ToRead::Finish(decoder) } else { ToRead::Decode(decoder) })
        })
    }

    /// What the judging thread does next.
    pub(super) fn to_judge(&self) -> ToJudge {
        self.wait(|state| {
            if let Some(batch) = state.batches.pop_front() {
                return Some(ToJudge::Judge(batch));
            }
            if state.over {
                return Some(ToJudge::Finish);
            }
            let decoder = state.decoder_ahead()?;
            Some(ToJudge::Decode(decoder, state.arrivals.pop().unwrap_or_default()))
        })
    }

    /// Whoever has decoded is done for now.
    pub(super) fn put_back(&self, decoder: Box<Decoder>) {
        self.change(|state| state.decoder = Some(decoder));
    }

    /// The judging thread has decoded these; gives room for more, if more are of use.
    pub(super) fn decoded(&self, arrivals: Arrivals) -> Option<Arrivals> {
        self.change(|state| {
            state.decoded.push_back(arrivals);
            let more = state.needs_more() && state.batches.len() < QUEUE;
            more.then(|| state.arrivals.pop().unwrap_or_default())
        })
    }

    /// The reading thread has sorted what was in there.
    pub(super) fn sorted(&self, empty: Arrivals) {
        self.lock().arrivals.push(empty);
    }

    /// Leaves work for the judging thread; waits until there is room for it if it `must` be left.
    pub(super) fn offer(&self, batch: Batch, must: bool) -> Offered {
        let mut batch = Some(batch);
        self.wait(|state| {
            if state.unwanted {
                return Some(Offered::Unwanted);
            }
            if state.batches.len() < QUEUE {
                state.batches.extend(batch.take());
                return Some(Offered::Taken(state.runs.pop_front().unwrap_or_default()));
            }
            if must { None } else { batch.take().map(Offered::Full) }
        })
    }

    /// The judging thread is done with these.
    pub(super) fn judged(&self, runs: Runs) {
        self.change(|state| state.runs.push_back(runs));
    }

    /// The reading thread is done.
    pub(super) fn end(&self) {
        self.change(|state| state.over = true);
    }

    /// The judging thread does not listen any more.
    pub(super) fn leave(&self) {
        self.change(|state| state.unwanted = true);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::decoder;
    use super::*;

    #[test]
    fn nobody_decodes_more_than_the_reading_thread_needs_soon() {
        let board = Board::new(decoder(true));
        let ToJudge::Decode(decoder, room) = board.to_judge() else { panic!("nothing to decode") };
        super::super::decode(&board, decoder, room);
        let mut state = board.lock();
        assert_eq!(state.decoded.len(), AHEAD);
        assert!(state.decoder_ahead().is_none() && state.decoder.is_some());
        state.decoded.pop_front();
        assert!(state.decoder_ahead().is_some());
    }

    #[test]
    fn a_judge_without_work_decodes_what_never_waits_and_not_what_may() {
        let (never, may) = (Board::new(decoder(true)), Board::new(decoder(false)));
        assert!(matches!(never.to_judge(), ToJudge::Decode(..)));
        may.end();
        assert!(matches!(may.to_judge(), ToJudge::Finish));
    }
}
