//! The proxy: two copying threads a connection, with its own sockets on both sides.

use super::connection::{ended, recorder};
use super::log::{AppLog, Kind, Recorder};
use super::outcome::{EndOutcome, Ended};
use super::patience::Patience;
use crate::spec::Role;
use socket2::Socket;
use std::io::{self, Read};
use std::net::Shutdown;
use std::sync::Arc;

/// What a relay reads at once, as many proxies do.
const PIECE: usize = 64 * 1024;

/// One relayed connection.
pub(super) struct Pump<'a> {
    /// Towards the client.
    pub(super) front: Arc<Socket>,
    /// Towards the backends.
    pub(super) backs: Vec<Arc<Socket>>,
    /// The host that it runs on.
    pub(super) on: Role,
    pub(super) log: &'a AppLog,
    pub(super) patience: &'a Patience,
}

/// A socket with its own records.
struct Logged<'a> {
    socket: &'a Socket,
    recorder: Recorder,
}

impl Pump<'_> {
    /// Copies both ways until both are at their end: every backend gets what the client sends; the client gets what the first
    /// backend sends, then what the second sends, and so on. Returns the ends: the front's, then the backends'.
    pub(super) fn run(&self) -> Vec<EndOutcome> {
        let sockets: Vec<&Socket> =
            std::iter::once(&self.front).chain(&self.backs).map(AsRef::as_ref).collect();
        let outlines: Vec<_> = sockets.iter().map(|socket| EndOutcome::at_start(socket)).collect();
        let mut backs_read = vec![None; self.backs.len()];
        let mut front_read = None;
        let (up, down) = std::thread::scope(|scope| {
            let up = scope.spawn(|| self.or_break(self.upwards(&mut front_read)));
            let down = self.or_break(self.downwards(&mut backs_read));
            let broken = |_| Err(io::Error::other("a thread of the relay broke"));
            (up.join().unwrap_or_else(broken), down)
        });
        let how = match (&up, &down) {
            (Err(e), _) | (_, Err(e)) => ended(Err(e), self.patience),
            _ => Ended::Complete,
        };
        let read = std::iter::once(front_read).chain(backs_read);
        let finish = |((outline, socket), read_ns): ((EndOutcome, &Socket), _)| EndOutcome {
            read_ns,
            ..outline.finished(socket, how.clone())
        };
        outlines.into_iter().zip(sockets).zip(read).map(finish).collect()
    }

    /// A relay that cannot go on in one direction closes everything, as proxies do.
    fn or_break(&self, copied: io::Result<()>) -> io::Result<()> {
        if copied.is_err() {
            for socket in self.backs.iter().chain([&self.front]) {
                // One that is closed already needs no closing.
                let _ = socket.shutdown(Shutdown::Both);
            }
        }
        copied
    }

    fn upwards(&self, read_ns: &mut Option<[i64; 2]>) -> io::Result<()> {
        let mut from = self.logged(&self.front);
        let mut to: Vec<_> = self.backs.iter().map(|back| self.logged(back)).collect();
        let mut piece = vec![0; PIECE];
        while let Some(read) = from.read(&mut piece, read_ns)? {
            to.iter_mut().try_for_each(|back| back.write(read))?;
        }
        to.iter_mut().try_for_each(Logged::finish)
    }

    fn downwards(&self, read_ns: &mut [Option<[i64; 2]>]) -> io::Result<()> {
        let mut to = self.logged(&self.front);
        let mut piece = vec![0; PIECE];
        for (back, read_ns) in self.backs.iter().zip(read_ns) {
            let mut from = self.logged(back);
            while let Some(read) = from.read(&mut piece, read_ns)? {
                to.write(read)?;
            }
        }
        to.finish()
    }

    fn logged<'s>(&self, socket: &'s Socket) -> Logged<'s> {
        Logged { socket, recorder: recorder(self.log, self.on, socket) }
    }
}

impl Logged<'_> {
    /// `None` at the end. `read_ns`: the first and the last time that something was read.
    fn read<'p>(
        &mut self,
        piece: &'p mut [u8],
        read_ns: &mut Option<[i64; 2]>,
    ) -> io::Result<Option<&'p [u8]>> {
        let mut socket = self.socket;
        loop {
            match socket.read(piece) {
                Ok(0) => return Ok(None),
                Ok(n) => {
                    let now = self.recorder.note(Kind::Read, n as u64);
                    *read_ns = Some([read_ns.map_or(now, |[first, _]| first), now]);
                    return Ok(piece.get(..n));
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn write(&mut self, mut piece: &[u8]) -> io::Result<()> {
        while !piece.is_empty() {
            self.recorder.note(Kind::Write, piece.len() as u64);
            match self.socket.send_with_flags(piece, libc::MSG_NOSIGNAL) {
                Ok(n) => {
                    self.recorder.note(Kind::Wrote, n as u64);
                    piece = piece.get(n..).unwrap_or_default();
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.recorder.note(Kind::Close, 0);
        self.socket.shutdown(Shutdown::Write)
    }
}
