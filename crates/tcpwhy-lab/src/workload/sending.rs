//! One direction's part on one end: the writer and the reader.

use super::log::{Kind, Recorder};
use super::outcome::SendingOutcome;
use super::patience::Patience;
use crate::spec::{Pace, Sending};
use rustix::event::epoll;
use socket2::Socket;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tcpwhy_core::units::Nanos;

/// Room of one read that is not paced.
const READ: usize = 128 * 1024;
/// The longest single write that memory is taken for.
pub(super) const LONGEST_WRITE: u64 = 64 << 20;

/// What a writer or reader works with, over all rounds of its sending.
pub(super) struct Half<'a> {
    pub(super) socket: &'a Socket,
    pub(super) patience: &'a Patience,
    pub(super) recorder: Recorder,
    pub(super) outcome: SendingOutcome,
    /// What is written, or where reads go.
    pub(super) buffer: Vec<u8>,
    /// When the reader saw its first byte: schedules and rates count from there.
    pub(super) first_read: Option<Instant>,
}

/// A span as the standard library has it; negative is none.
pub(super) fn span(nanos: Nanos) -> Duration {
    Duration::from_nanos(u64::try_from(nanos.0).unwrap_or(0))
}

fn over() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the flow's time is over")
}

impl Half<'_> {
    /// Room for one write of this sending, or for one read.
    pub(super) fn room(sending: &Sending, writes: bool) -> Vec<u8> {
        let room = match (&sending.reader, writes) {
            (_, true) => sending.write.clamp(1, sending.bytes.clamp(1, LONGEST_WRITE)) as usize,
            (Pace::Rate { chunk, .. }, false) => (*chunk).clamp(1, READ as u64) as usize,
            (_, false) => READ,
        };
        // Bytes that no compression on the way could shorten much; the same in every run.
        (0..room).map(|i| (i as u32).wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect()
    }

    fn pause(&self, pause: Nanos) -> io::Result<()> {
        if pause.0 <= 0 || self.patience.sleep_until(Instant::now() + span(pause)) {
            return Ok(());
        }
        Err(over())
    }

    /// Writes one round of the sending.
    pub(super) fn write(&mut self, sending: &Sending) -> io::Result<()> {
        let ready = if sending.epoll { Some(Ready::new(self.socket)?) } else { None };
        self.pause(sending.before)?;
        let buffer = std::mem::take(&mut self.buffer);
        let mut left = sending.bytes;
        while left > 0 {
            let now = left.min(buffer.len() as u64);
            let result = self.write_piece(&buffer[..now as usize], ready.as_ref());
            left -= now;
            if let Err(error) =
                result.and_then(|()| if left > 0 { self.pause(sending.think) } else { Ok(()) })
            {
                self.buffer = buffer;
                return Err(error);
            }
        }
        self.buffer = buffer;
        Ok(())
    }

    /// One write of the application: until every byte is taken.
    fn write_piece(&mut self, mut piece: &[u8], ready: Option<&Ready>) -> io::Result<()> {
        let waits = if ready.is_some() { libc::MSG_DONTWAIT } else { 0 };
        while !piece.is_empty() {
            let begun = self.recorder.note(Kind::Write, piece.len() as u64);
            self.outcome.start_ns.get_or_insert(begun);
            let sent = self.socket.send_with_flags(piece, waits | libc::MSG_NOSIGNAL);
            match (sent, ready) {
                (Ok(n), _) => {
                    let returned = self.recorder.note(Kind::Wrote, n as u64);
                    self.outcome.written += n as u64;
                    if ready.is_none() {
                        self.outcome.write_wait_ns += returned - begun;
                    }
                    piece = piece.get(n..).unwrap_or_default();
                }
                (Err(e), Some(ready)) if e.kind() == io::ErrorKind::WouldBlock => {
                    let blocked = self.recorder.note(Kind::Blocked, 0);
                    ready.wait()?;
                    self.outcome.write_wait_ns += self.recorder.note(Kind::Writable, 0) - blocked;
                }
                (Err(e), _) if e.kind() == io::ErrorKind::Interrupted => {}
                (Err(e), _) => return Err(e),
            }
        }
        Ok(())
    }

    /// Reads one round of the sending.
    pub(super) fn read(&mut self, sending: &Sending) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut left = sending.bytes;
        let mut result = Ok(());
        while left > 0 && result.is_ok() {
            let room = left.min(buffer.len() as u64) as usize;
            result = match self.read_piece(&mut buffer[..room], &sending.reader) {
                Ok(n) => {
                    left -= n;
                    Ok(())
                }
                Err(e)
                    if matches!(
                        e.kind(),
                        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
                    ) =>
                {
                    Ok(())
                }
                Err(e) => Err(e),
            };
        }
        self.buffer = buffer;
        result
    }

    fn read_piece(&mut self, room: &mut [u8], pace: &Pace) -> io::Result<u64> {
        match pace {
            Pace::Fast => {}
            Pace::Rate { bytes_per_second, .. } => self.keep_rate(*bytes_per_second)?,
            Pace::Stops(stops) => self.keep_stops(stops)?,
        }
        let mut socket = self.socket;
        let n = socket.read(room)? as u64;
        if n == 0 {
            let (read, asked) = (self.outcome.read, self.outcome.asked);
            let what = format!("the peer ended after {read} of {asked} bytes");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
        }
        let at = self.recorder.note(Kind::Read, n);
        self.first_read.get_or_insert_with(Instant::now);
        self.outcome.read += n;
        self.outcome.first_byte_ns.get_or_insert(at);
        self.outcome.end_ns = Some(at);
        Ok(n)
    }

    /// Not faster than this many bytes per second since the first byte, one chunk ahead.
    fn keep_rate(&self, bytes_per_second: u64) -> io::Result<()> {
        let Some(first) = self.first_read else { return Ok(()) };
        let due =
            u128::from(self.outcome.read) * 1_000_000_000 / u128::from(bytes_per_second.max(1));
        let due = Duration::from_nanos(u64::try_from(due).unwrap_or(u64::MAX));
        // A rate so low that the moment cannot be told is one that never comes.
        let due = first.checked_add(due).unwrap_or(first + Duration::from_secs(86_400));
        if self.patience.sleep_until(due) { Ok(()) } else { Err(over()) }
    }

    /// Waits until there is something to read outside of every stop.
    fn keep_stops(&self, stops: &[(Nanos, Option<Nanos>)]) -> io::Result<()> {
        loop {
            let Some(first) = self.first_read else { return Ok(()) };
            let now = Instant::now();
            let since = now.duration_since(first);
            let inside = |stop: &&(Nanos, Option<Nanos>)| {
                span(stop.0) <= since && stop.1.is_none_or(|resume| since < span(resume))
            };
            if let Some((_, resume)) = stops.iter().find(inside) {
                let wake = first + resume.map_or(Duration::from_secs(86_400), span);
                if !self.patience.sleep_until(wake) {
                    return Err(over());
                }
                continue;
            }
            let next = stops.iter().map(|stop| span(stop.0)).filter(|stop| *stop > since).min();
            if readable(self.socket, next.map(|stop| stop - since))? {
                // The stop may have begun while the wait went on.
                if next.is_none_or(|stop| first.elapsed() < stop) {
                    return Ok(());
                }
            }
        }
    }
}

/// Waits until a read would not block; false when the time came first.
fn readable(socket: &Socket, at_most: Option<Duration>) -> io::Result<bool> {
    use rustix::event::{PollFd, PollFlags, poll};
    let limit = at_most.and_then(|d| rustix::time::Timespec::try_from(d).ok());
    let mut fds = [PollFd::new(socket, PollFlags::IN)];
    match poll(&mut fds, limit.as_ref()) {
        Ok(n) => Ok(n > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// An epoll instance that waits for room in one socket's send buffer.
struct Ready(std::os::fd::OwnedFd);

impl Ready {
    fn new(socket: &Socket) -> io::Result<Self> {
        let ready = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        epoll::add(&ready, socket, epoll::EventData::new_u64(0), epoll::EventFlags::OUT)?;
        Ok(Self(ready))
    }

    fn wait(&self) -> io::Result<()> {
        let mut events = Vec::with_capacity(1);
        loop {
            match epoll::wait(&self.0, rustix::buffer::spare_capacity(&mut events), None) {
                Ok(0) | Err(rustix::io::Errno::INTR) => {}
                Ok(_) => return Ok(()),
                Err(e) => return Err(e.into()),
            }
        }
    }
}

/// A socket whose blocking calls end with the flow's time.
pub(super) fn covered(socket: Socket, patience: &Patience) -> Arc<Socket> {
    let socket = Arc::new(socket);
    patience.covers(&socket);
    socket
}
