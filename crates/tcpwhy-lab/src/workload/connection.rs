//! One end of one connection: its part of every phase, then an orderly close.

use super::log::{AppLog, Kind, Recorder};
use super::options::Effective;
use super::outcome::{EndOutcome, Ended, SendingOutcome};
use super::patience::Patience;
use super::raw;
use super::sending::Half;
use crate::spec::{Role, Sending};
use socket2::Socket;
use std::io::{self, Read};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use tcpwhy_core::kernel::tcp_info::to_hex;

/// A connected socket and what belongs to it.
pub(super) struct End<'a> {
    pub(super) socket: Arc<Socket>,
    /// The part that it plays; a relay's socket plays its host's.
    pub(super) role: Role,
    pub(super) log: &'a AppLog,
    pub(super) patience: &'a Patience,
}

/// What an end knows when it is done.
pub(super) struct Done {
    pub(super) end: EndOutcome,
    pub(super) sendings: Vec<SendingOutcome>,
}

impl Done {
    /// A connection that never stood.
    pub(super) fn never(cause: &io::Error, patience: &Patience, phases: &[Sending]) -> Self {
        let end = EndOutcome {
            local: None,
            remote: None,
            effective: None,
            at_end: None,
            tcp_info: None,
            read_ns: None,
            ended: ended(Err(cause), patience),
        };
        Self { end, sendings: phases.iter().map(blank).collect() }
    }
}

fn blank(sending: &Sending) -> SendingOutcome {
    let rounds = u64::from(sending.rounds.max(1));
    SendingOutcome::new(sending.from, sending.bytes.saturating_mul(rounds))
}

pub(super) fn ended(result: Result<(), &io::Error>, patience: &Patience) -> Ended {
    match result {
        Ok(()) => Ended::Complete,
        Err(_) if patience.is_over() => Ended::GaveUp,
        Err(e) => Ended::Failed(e.to_string()),
    }
}

impl End<'_> {
    /// Plays this end's part. `stood` says how the connection came about.
    pub(super) fn play(&self, phases: &[Sending], stood: Kind) -> Done {
        let outline = EndOutcome::at_start(&self.socket);
        let (local, remote) = (outline.local, outline.remote);
        let mut halves: Vec<Half<'_>> = phases.iter().map(|sending| self.half(sending)).collect();
        let mut recorder = self.log.recorder(self.role, or_none(local), or_none(remote));
        recorder.note(stood, 0);
        let played = self.play_all(phases, &mut halves).and_then(|()| {
            recorder.note(Kind::Close, 0);
            self.close()
        });
        let sendings = halves.into_iter().map(|half| half.outcome).collect();
        let end = outline.finished(&self.socket, ended(played.as_ref().copied(), self.patience));
        Done { end, sendings }
    }

    fn half(&self, sending: &Sending) -> Half<'_> {
        let recorder = recorder(self.log, self.role, &self.socket);
        Half {
            socket: &self.socket,
            patience: self.patience,
            recorder,
            outcome: blank(sending),
            buffer: Half::room(sending, sending.from == self.role),
            first_read: None,
        }
    }

    /// Neighbours with the same number of rounds take turns.
    fn play_all(&self, phases: &[Sending], halves: &mut [Half<'_>]) -> io::Result<()> {
        let mut rest = halves;
        for turn in phases.chunk_by(|a, b| a.rounds == b.rounds) {
            let (now, later) = rest.split_at_mut(turn.len());
            for _ in 0..turn.first().map_or(0, |sending| sending.rounds.max(1)) {
                self.play_turn(turn, now)?;
            }
            rest = later;
        }
        Ok(())
    }

    /// One round: one sending after the other, or at once where that is asked.
    fn play_turn(&self, turn: &[Sending], halves: &mut [Half<'_>]) -> io::Result<()> {
        let mut rest = halves;
        for at_once in turn.chunk_by(|_, next| next.together) {
            let (now, later) = rest.split_at_mut(at_once.len());
            match (at_once, &mut *now) {
                ([sending], [half]) => self.play_one(sending, half)?,
                _ => self.play_at_once(at_once, now)?,
            }
            rest = later;
        }
        Ok(())
    }

    fn play_at_once(&self, sendings: &[Sending], halves: &mut [Half<'_>]) -> io::Result<()> {
        std::thread::scope(|scope| {
            let parts: Vec<_> = sendings
                .iter()
                .zip(halves)
                .map(|(sending, half)| scope.spawn(move || self.play_one(sending, half)))
                .collect();
            let broken = || Err(io::Error::other("a thread of the workload broke"));
            parts.into_iter().try_for_each(|part| part.join().unwrap_or_else(|_| broken()))
        })
    }

    fn play_one(&self, sending: &Sending, half: &mut Half<'_>) -> io::Result<()> {
        if sending.from == self.role { half.write(sending) } else { half.read(sending) }
    }

    /// Says that everything was written, and waits until the peer has said so: then everything was acknowledged.
    fn close(&self) -> io::Result<()> {
        self.socket.shutdown(Shutdown::Write)?;
        let mut socket = &*self.socket;
        match socket.read(&mut [0])? {
            0 if self.patience.is_over() => Err(io::ErrorKind::TimedOut.into()),
            0 => Ok(()),
            _ => Err(io::Error::other("the peer sent more than was asked")),
        }
    }
}

impl EndOutcome {
    /// What is known when everything was set.
    pub(super) fn at_start(socket: &Socket) -> Self {
        Self {
            local: socket.local_addr().ok().and_then(|address| address.as_socket()),
            remote: socket.peer_addr().ok().and_then(|address| address.as_socket()),
            effective: Some(Effective::of(socket)),
            at_end: None,
            tcp_info: None,
            read_ns: None,
            ended: Ended::Complete,
        }
    }

    /// With what is known at the end.
    pub(super) fn finished(mut self, socket: &Socket, ended: Ended) -> Self {
        self.at_end = Some(Effective::of(socket));
        self.tcp_info = raw::tcp_info(socket).ok().map(|bytes| to_hex(&bytes));
        self.ended = ended;
        self
    }
}

/// A thread's way into the log for a connected socket.
pub(super) fn recorder(log: &AppLog, role: Role, socket: &Socket) -> Recorder {
    let known = EndOutcome::at_start(socket);
    log.recorder(role, or_none(known.local), or_none(known.remote))
}

/// An address that the kernel no longer tells is logged as all zeros.
fn or_none(address: Option<SocketAddr>) -> SocketAddr {
    address.unwrap_or_else(|| SocketAddr::from(([0, 0, 0, 0], 0)))
}
