//! The kernel's events of a case folder (`events.ndjson`), by socket.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Deserialize;
use tcpwhy_live::events::{Event, Kind, Snapshot};

use super::sender::Moment;
use super::spans::Spans;
use super::{State, Watched};
use crate::ndjson;

#[derive(Deserialize)]
struct Line {
    host: String,
    #[serde(flatten)]
    event: Event,
}

/// What happened to one socket.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Its states, in order of time.
    pub(super) moments: Vec<Moment>,
    /// When a task slept in a write.
    pub(super) writer_asleep: Spans,
    /// When a task slept in a read.
    pub(super) reader_asleep: Spans,
    /// Counts and sums.
    pub(super) watched: Watched,
    /// Who sleeps now, and since when: task and kind.
    pub(super) open: BTreeMap<(u32, bool), u64>,
}

/// A socket as its events name it: the host's name and the kernel's cookie.
pub(super) type Key = (String, u64);

/// Reads the file. A socket without a cookie is left out: samples give each one within milliseconds.
///
/// # Errors
/// The file cannot be read.
pub(super) fn read(path: &Path) -> io::Result<BTreeMap<Key, Told>> {
    let mut sockets: BTreeMap<Key, Told> = BTreeMap::new();
    for line in ndjson::lines(path)? {
        let Line { host, event } = line?;
        if event.cookie != 0 {
            sockets.entry((host, event.cookie)).or_default().add(&event);
        }
    }
    sockets.values_mut().for_each(Told::finish);
    Ok(sockets)
}

impl Told {
    fn add(&mut self, event: &Event) {
        if let Some(socket) = &event.socket {
            let state = state(event.t_ns, socket);
            self.moments.push(Moment { state, nospace: socket.nospace });
            self.watched.sndbuf = socket.sndbuf;
            self.watched.sndbuf_locked |= socket.locks & 1 != 0;
            self.watched.rcvbuf_locked |= socket.locks & 2 != 0;
        }
        match event.kind {
            Kind::WriterBlocks => _ = self.open.insert((event.task, true), event.t_ns),
            Kind::ReaderBlocks => _ = self.open.insert((event.task, false), event.t_ns),
            Kind::WriterWakes => self.wakes(event, true),
            Kind::ReaderWakes => self.wakes(event, false),
            Kind::Retransmit => self.watched.retransmits += 1,
            Kind::RefusedMemory => self.watched.memory_refused += 1,
            Kind::ReceiveBuffer => self.watched.rcvbuf_steps += 1,
            _ => {}
        }
    }

    fn wakes(&mut self, event: &Event, writes: bool) {
        if let Some(since) = self.open.remove(&(event.task, writes)) {
            self.slept(writes, since, event.t_ns);
        }
    }

    fn slept(&mut self, writes: bool, from: u64, to: u64) {
        if writes {
            self.writer_asleep.push(from, to);
        } else {
            self.reader_asleep.push(from, to);
        }
    }

    /// Who still sleeps did so to the last event.
    fn finish(&mut self) {
        self.moments.sort_by_key(|moment| moment.state.t_ns);
        let end = self.moments.last().map_or(0, |moment| moment.state.t_ns);
        for ((_, writes), since) in std::mem::take(&mut self.open) {
            self.slept(writes, since, end.max(since));
        }
        self.writer_asleep.sort();
        self.reader_asleep.sort();
        self.watched.writer_asleep_us = self.writer_asleep.total() / 1000;
        self.watched.reader_asleep_us = self.reader_asleep.total() / 1000;
    }
}

/// The same numbers as of a sample, except what only `tcp_info` has (timeouts, probes, whether windows are scaled).
fn state(t_ns: u64, s: &Snapshot) -> State {
    State {
        t_ns,
        // SYN_SENT is 2 and SYN_RECV 3; all later states have shaken hands.
        established: !matches!(s.state, 2 | 3),
        ca_state: s.ca_state,
        unsent: s.write_seq.wrapping_sub(s.snd_nxt),
        outstanding: s.snd_nxt.wrapping_sub(s.snd_una),
        in_flight: (s.packets_out.saturating_add(s.retrans_out))
            .saturating_sub(s.sacked_out.saturating_add(s.lost_out)),
        cwnd: s.snd_cwnd,
        snd_wnd: s.snd_wnd,
        mss: s.mss,
        srtt_us: s.srtt_us,
        min_rtt_us: s.min_rtt_us,
        wmem_queued: s.wmem_queued,
        sndbuf: s.sndbuf,
        acked: s.bytes_acked,
        sacked: s.sacked_out,
        ssthresh: s.snd_ssthresh,
        ..State::default()
    }
}
