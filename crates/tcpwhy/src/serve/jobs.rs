//! Analyses: a few at a time, each once, and the latest pages kept. Of those with charts, stretches with each packet.

use super::folder::{Entry, Folder};
use super::refusal::Refusal;
use crate::case::Files;
use crate::error::Error;
use crate::filter::{Choice, Span};
use crate::look;
use crate::progress::Progress;
use axum::body::Bytes;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tcpwhy_core::model::{Connection, Direction};
use tcpwhy_core::units::Nanos;
use tcpwhy_report::{most_telling, page};
use tokio::sync::Semaphore;

/// Analyses at a time; each takes two threads.
const WORKERS: usize = 2;
/// Analyses that may wait or run.
const QUEUE: usize = 64;
/// Bytes of pages that are kept.
const KEPT_BYTES: usize = 256 << 20;
/// Answers that are kept.
const KEPT: usize = 1000;
/// Stretches that may wait or be read: nobody looks at more of them at a time.
const STRETCHES: usize = 8;

/// All analyses.
#[derive(Debug)]
pub(super) struct Jobs {
    /// The one that was looked at last is the last one.
    jobs: Mutex<Vec<Job>>,
    workers: Semaphore,
    stretches: Semaphore,
}

/// One analysis.
#[derive(Debug)]
struct Job {
    entry: Entry,
    state: State,
    work: Arc<Work>,
    /// Somebody who waits was told that there is a page, and has not fetched it.
    promised: bool,
}

/// Bytes that the two looks have read.
#[derive(Debug, Default)]
struct Work {
    first: Arc<AtomicU64>,
    second: Arc<AtomicU64>,
}

/// How far an analysis is.
#[derive(Debug, Clone)]
pub(super) enum State {
    /// It waits for a worker, or runs: so much of it is done, 0 to 1.
    Working(f64),
    /// There is a page.
    Finished(Page, Answer),
    /// There is none: why.
    Failed(Arc<Error>),
}

/// A page, and the connections that it has charts of.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub html: Bytes,
    drawn: Arc<[Connection]>,
}

/// A part of a connection, in ns from its first packet.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
pub(super) struct Stretch {
    conn: u64,
    from: i64,
    to: i64,
}

/// The answer in short: the direction that tells most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// What held it most.
    pub limit: &'static str,
    /// Its part of the time, 0 to 1.
    pub share: f64,
    /// Connections in the capture.
    pub connections: usize,
}

impl Jobs {
    /// None.
    pub(super) fn new() -> Self {
        Self {
            jobs: Mutex::default(),
            workers: Semaphore::new(WORKERS),
            stretches: Semaphore::new(STRETCHES),
        }
    }

    /// How far the analysis of a capture is, by its hash, with its name.
    pub(super) fn state(&self, id: &str) -> Option<(String, State)> {
        let mut jobs = self.lock();
        let job = jobs.iter_mut().find(|job| job.entry.id == id)?;
        job.promised |= matches!(job.state, State::Finished(..));
        Some((job.entry.name.clone(), job.now()))
    }

    /// The answer for a capture as it is now, if there is one.
    pub(super) fn answers(&self, entries: &[Entry]) -> Vec<Option<Answer>> {
        let jobs = self.lock();
        let answer = |entry: &Entry| match &jobs.iter().find(|job| job.is_of(entry))?.state {
            State::Finished(_, answer) => Some(*answer),
            _ => None,
        };
        entries.iter().map(answer).collect()
    }

    /// Starts to analyse a capture, unless that was done or is being done; `None` where too many wait.
    pub(super) fn start(self: &Arc<Self>, folder: &Arc<Folder>, entry: Entry) -> Option<State> {
        let mut jobs = self.lock();
        if let Some(at) = jobs.iter().position(|job| job.serves(&entry)) {
            let mut job = jobs.remove(at);
            job.promised = false;
            let state = job.now();
            jobs.push(job);
            return Some(state);
        }
        if jobs.iter().filter(|job| matches!(job.state, State::Working(_))).count() >= QUEUE {
            return None;
        }
        // What was found in an older file of that name is of no use.
        jobs.retain(|job| job.entry.id != entry.id);
        let work = Arc::new(Work::default());
        jobs.push(Job {
            entry: entry.clone(),
            state: State::Working(0.0),
            work: Arc::clone(&work),
            promised: false,
        });
        drop(jobs);
        let (this, folder) = (Arc::clone(self), Arc::clone(folder));
        tokio::spawn(async move { this.run(folder, entry, work).await });
        Some(State::Working(0.0))
    }

    /// The charts of a stretch of a connection, with each of its packets.
    ///
    /// # Errors
    /// No page shows that connection, the capture is another one by now, or cannot be read; or too many wait.
    pub(super) async fn stretch(
        &self,
        folder: Arc<Folder>,
        entry: Entry,
        stretch: Stretch,
    ) -> Result<Vec<u8>, Refusal> {
        let connection = self.drawn(&entry, stretch.conn).ok_or(Refusal::Changed)?;
        let _waits = self.stretches.try_acquire().map_err(|_| Refusal::Stretches)?;
        let _place = self.workers.acquire().await.map_err(|_| Refusal::Stretches)?;
        let read = move || read_stretch(&folder, &entry, &connection, stretch);
        let read = tokio::task::spawn_blocking(read).await;
        read.unwrap_or(Err(Error::BrokeOff)).map_err(Refusal::Failed)
    }

    fn drawn(&self, entry: &Entry, conn: u64) -> Option<Connection> {
        let jobs = self.lock();
        match &jobs.iter().find(|job| job.is_of(entry))?.state {
            State::Finished(page, _) => page.drawn.iter().find(|c| c.id == conn).cloned(),
            _ => None,
        }
    }

    async fn run(&self, folder: Arc<Folder>, entry: Entry, work: Arc<Work>) {
        let Ok(_place) = self.workers.acquire().await else { return };
        let (job, counts) = (entry.clone(), Arc::clone(&work));
        let done = tokio::task::spawn_blocking(move || analyse(&folder, &job, &counts)).await;
        let state = match done {
            Ok(Ok((page, answer))) => State::Finished(page, answer),
            Ok(Err(e)) => State::Failed(Arc::new(e)),
            Err(_) => State::Failed(Arc::new(Error::BrokeOff)),
        };
        let mut jobs = self.lock();
        if let Some(job) = jobs.iter_mut().find(|job| Arc::ptr_eq(&job.work, &work)) {
            job.state = state;
        }
        forget(&mut jobs);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Job>> {
        // Nothing is half done between two statements here.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Job {
    fn is_of(&self, entry: &Entry) -> bool {
        let of = |e: &Entry| (e.size, e.modified_ms);
        self.entry.id == entry.id && of(&self.entry) == of(entry)
    }

    /// Whether it answers a visitor of that capture. One that is still written to is another file by the time its page is there: whoever
    /// waited gets that page all the same, once, or there would never be one; and what is under way goes on.
    fn serves(&self, entry: &Entry) -> bool {
        let waited_for = self.promised || matches!(self.state, State::Working(_));
        self.is_of(entry) || (self.entry.id == entry.id && waited_for)
    }

    fn now(&self) -> State {
        if !matches!(self.state, State::Working(_)) {
            return self.state.clone();
        }
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        let both = read(&self.work.first) + read(&self.work.second);
        State::Working((both / 2.0 / self.entry.size.max(1) as f64).min(1.0))
    }
}

/// Drops what was not looked at for longest, until the rest may be kept.
fn forget(jobs: &mut Vec<Job>) {
    let size = |job: &Job| match &job.state {
        State::Finished(page, _) => page.html.len(),
        _ => 0,
    };
    while jobs.len() > KEPT || jobs.iter().map(size).sum::<usize>() > KEPT_BYTES {
        let ended = |job: &Job| !matches!(job.state, State::Working(_));
        // The last one is what somebody waits for, whatever its size.
        let rest = jobs.len().saturating_sub(1);
        let Some(oldest) = jobs.iter().take(rest).position(ended) else { return };
        jobs.remove(oldest);
    }
}

fn analyse(folder: &Folder, entry: &Entry, work: &Work) -> Result<(Page, Answer), Error> {
    let span = Span::whole();
    let counter = Progress::Counter(Arc::clone(&work.first));
    let case = folder.case(entry);
    let evidence = case.as_ref().map(crate::case::evidence).transpose()?;
    let capture = folder.capture(entry)?;
    let (read, connections) =
        look::analyse(capture, span, &Choice::all(), evidence.as_ref(), counter)?;
    read.decoded()?;
    let Some(answer) = in_short(&connections) else {
        return Err(Error::NoConnection(entry.name.clone()));
    };
    let counter = Progress::Counter(Arc::clone(&work.second));
    let mut pictures =
        look::draw(folder.capture(entry)?, span, &connections, look::CHARTS, &counter);
    if let Some(case) = &case {
        look::sampled(case.samples()?, &mut pictures);
    }
    let mut html = Vec::new();
    let report = page::Report {
        source: &read.source,
        connections: &connections,
        language: None,
        pictures: &pictures,
    };
    page::write(&mut html, &report).map_err(Error::Write)?;
    let drawn = pictures.iter().filter_map(|(at, _)| connections.get(*at).cloned()).collect();
    Ok((Page { html: html.into(), drawn }, answer))
}

fn read_stretch(
    folder: &Folder,
    entry: &Entry,
    connection: &Connection,
    Stretch { from, to, .. }: Stretch,
) -> Result<Vec<u8>, Error> {
    let (since, until) = (connection.start + Nanos(from), connection.start + Nanos(to));
    let case = folder.case(entry);
    let samples = case.as_ref().map(Files::samples).transpose()?.into_iter().flatten();
    let picture = look::draw_stretch(folder.capture(entry)?, connection, since, until, samples);
    page::picture(connection, &picture).map_err(Error::Write)
}

fn in_short(connections: &[Connection]) -> Option<Answer> {
    let telling = most_telling(connections, 1).first().and_then(|at| connections.get(*at));
    let largest = |c: &Connection| -> Option<Direction> {
        c.directions.iter().max_by_key(|d| d.bytes).cloned()
    };
    let verdict = largest(telling.or(connections.first())?)?.verdict;
    let (limit, share) = (verdict.limit.name(), verdict.share);
    Some(Answer { limit, share, connections: connections.len() })
}

#[cfg(test)]
mod tests;
