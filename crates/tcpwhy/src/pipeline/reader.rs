//! The reading thread: frames in, work for the judges out.

use super::board::{Board, Offered, ToRead};
use super::decoder::Decoder;
use super::{Batch, Read};
use std::sync::Arc;
use tcpwhy_core::analysis::{Arrivals, Hand, Judge, Judged, Period, Runs, Sorter, Work};

/// Frames read between two hand-overs: enough that a hand-over costs nothing, few enough for their
/// packets to stay in the cache.
const BATCH: usize = 1024;
/// Frames decoded at a time.
const SOME: usize = 128;
/// Packets in a batch that waits for its turn; with more the reader waits.
const MOST: usize = 4 * BATCH;
/// The reading thread judges at most one packet of so many: reading is work enough for it where connections are long, and those stay
/// with the judge that they began with.
const HELP: usize = 4;

/// Nobody listens any more.
struct Gone;

/// What the reading thread judges itself.
struct Own {
    judge: Judge,
    judged: Vec<Judged>,
    packets: usize,
}

impl Own {
    /// Judges what there is to do for it.
    fn work(&mut self, runs: &mut Runs) {
        self.packets += runs.packets();
        self.judge.take(runs);
        self.judged.append(&mut self.judge.take_finished());
    }
}

/// The reading thread's state.
pub(super) struct Reader {
    board: Arc<Board>,
    sorter: Sorter,
    work: Work,
    own: Own,
    /// What it has decoded itself.
    arrivals: Arrivals,
    /// Packets sorted since some were passed on.
    sorted: usize,
    /// Packets passed on.
    passed: usize,
}

impl Reader {
    /// At the beginning of a capture.
    pub(super) fn new(board: Arc<Board>, period: Period) -> Self {
        let (sorter, work) = (Sorter::new(), Work::default());
        let own = Own { judge: Judge::of(period), judged: Vec::new(), packets: 0 };
        Self { board, sorter, work, own, arrivals: Arrivals::default(), sorted: 0, passed: 0 }
    }

    /// Reads to the end, to damage, or until nobody listens any more.
    pub(super) fn run(mut self) -> Read {
        let _end = End(Arc::clone(&self.board));
        let decoder = self.read_all();
        self.close();
        decoder.finish()
    }

    fn read_all(&mut self) -> Box<Decoder> {
        loop {
            let mut now = false;
            match self.board.to_read() {
                ToRead::Sort(mut arrivals) => {
                    self.sorted += arrivals.len();
                    self.sorter.settle(&mut arrivals, &mut self.work);
                    self.board.sorted(arrivals);
                }
                ToRead::Decode(mut decoder) => {
                    decoder.read_for(&self.sorter, SOME, &mut self.arrivals);
                    now = decoder.may_wait();
                    if now {
                        self.sorter.read_along();
                    }
                    self.board.put_back(decoder);
                    self.sorted += SOME;
                    self.sorter.settle(&mut self.arrivals, &mut self.work);
                }
                ToRead::Finish(decoder) => return decoder,
            }
            if now || self.sorted >= BATCH {
                self.sorted = 0;
                self.sorter.make_room(&mut self.work);
                // The board tells that nobody listens.
                let _ = self.pass_on(now);
            }
        }
    }

    /// All is sorted: what is still open ends, unless nobody listens any more.
    fn close(&mut self) {
        self.sorter.close(&mut self.work);
        while self.sorter.end_some(BATCH, &mut self.work) {
            if self.pass_on(false).is_err() {
                return;
            }
        }
        self.own.work(self.work.of(Hand::Second));
        let last = self.batch();
        self.board.offer(last, true);
    }

    /// Passes on what there is to do. While the other thread has enough to do, it waits here unless it has to be done `now`, because nothing may
    /// come for hours, and connections that begin are judged here.
    fn pass_on(&mut self, now: bool) -> Result<(), Gone> {
        self.own.work(self.work.of(Hand::Second));
        let packets = self.work.of(Hand::First).packets();
        let batch = self.batch();
        if batch.runs.is_empty() && batch.judged.is_empty() {
            return Ok(());
        }
        match self.board.offer(batch, now || packets >= MOST) {
            Offered::Full(Batch { runs, judged }) => {
                *self.work.of(Hand::First) = runs;
                self.own.judged = judged;
                let may_help = self.own.packets * HELP <= self.own.packets + self.passed;
                self.work.begin_with(if may_help { Hand::Second } else { Hand::First });
            }
            Offered::Taken(room) => {
                self.passed += packets;
                self.work.begin_with(Hand::First);
                *self.work.of(Hand::First) = room;
            }
            Offered::Unwanted => return Err(Gone),
        }
        Ok(())
    }

    /// Everything that can be passed on.
    fn batch(&mut self) -> Batch {
        let runs = std::mem::take(self.work.of(Hand::First));
        Batch { runs, judged: std::mem::take(&mut self.own.judged) }
    }
}

/// Tells the other thread, however this one ends.
struct End(Arc<Board>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.end();
    }
}
