//! The sockets' samples of a case folder, `samples.ndjson`: one socket at one moment a line.

use serde::Deserialize;
use std::net::SocketAddr;
use tcpwhy_core::kernel::tcp_info::{TcpInfo, from_hex};
use tcpwhy_core::observe::Endpoint;
use tcpwhy_core::picture::SocketSample;
use tcpwhy_core::socket::{Receiver, Seen, State};
use tcpwhy_core::units::Nanos;

/// The kernel's word for "no threshold yet" (`TCP_INFINITE_SSTHRESH`), packets.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// Reads samples in the order in which they were taken. A line that cannot be read (the last one of a recorder that was killed) is
/// left out.
pub(crate) struct Samples<R> {
    lines: R,
    /// How many of those there were.
    pub(super) unread: u64,
}

impl<R: Iterator<Item = String>> Samples<R> {
    /// Reads these lines.
    pub(super) fn new(lines: R) -> Self {
        Self { lines, unread: 0 }
    }
}

impl<R: Iterator<Item = String>> Iterator for Samples<R> {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        loop {
            let text = self.lines.next()?;
            if let Ok(line) = serde_json::from_str::<Sample>(&text) {
                return Some(line);
            }
            self.unread += 1;
        }
    }
}

/// One socket at one moment.
#[derive(Deserialize)]
pub(crate) struct Sample {
    t_ns: i64,
    /// Of which host.
    pub host: String,
    /// Which socket.
    #[serde(default)]
    pub cookie: u64,
    local: SocketAddr,
    remote: SocketAddr,
    rqueue: u32,
    wqueue: u32,
    tcp_info: String,
    skmem: Vec<u32>,
    /// The congestion control; empty in older recordings.
    #[serde(default)]
    congestion: String,
    /// `SOCK_SNDBUF_LOCK` 1, `SOCK_RCVBUF_LOCK` 2, where they could be read.
    #[serde(default)]
    pub locks: Option<u8>,
}

impl Sample {
    /// This end and the other one.
    pub(crate) fn ends(&self) -> [Endpoint; 2] {
        [self.local, self.remote].map(|a| Endpoint::new(a.ip(), a.port()))
    }

    /// For the rules; `None` where the kernel told less than they take.
    pub(crate) fn seen(&self) -> Option<Seen> {
        let raw = from_hex(&self.tcp_info);
        let t_ns = u64::try_from(self.t_ns).ok()?;
        let state =
            State::from_sample(t_ns, TcpInfo(&raw), self.wqueue, &self.skmem, &self.congestion)?;
        let [rmem_alloc, rcvbuf] = [*self.skmem.first()?, *self.skmem.get(1)?];
        Some(Seen { state, receiver: Receiver { unread: self.rqueue, rmem_alloc, rcvbuf } })
    }

    /// For the charts; `None` where the kernel told less than they show.
    pub(crate) fn drawn(&self) -> Option<SocketSample> {
        let raw = from_hex(&self.tcp_info);
        let info = TcpInfo(&raw);
        let mss = u64::from(info.snd_mss()?);
        let threshold = info.snd_ssthresh()?;
        let [local, remote] = self.ends();
        Some(SocketSample {
            time: Nanos(self.t_ns),
            local,
            remote,
            send_queue: self.wqueue,
            send_memory: *self.skmem.get(5)?,
            send_buffer: *self.skmem.get(3)?,
            receive_queue: self.rqueue,
            receive_buffer: *self.skmem.get(1)?,
            cwnd: u64::from(info.snd_cwnd()?).saturating_mul(mss),
            ssthresh: (threshold < NO_THRESHOLD).then(|| u64::from(threshold).saturating_mul(mss)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(tcp_info: &str) -> String {
        format!(
            r#"{{"t_ns":5,"host":"client","local":"10.0.0.1:99","remote":"10.0.0.2:80","rqueue":1,"wqueue":2,
            "tcp_info":"{tcp_info}","skmem":[0,3,0,4,0,6,0,0,0],"cookie":1}}"#
        )
        .replace('\n', "")
    }

    #[test]
    fn what_cannot_be_read_is_left_out() {
        let mut info = [0u8; 104];
        info[16..20].copy_from_slice(&1000u32.to_ne_bytes());
        info[76..80].copy_from_slice(&NO_THRESHOLD.to_ne_bytes());
        info[80..84].copy_from_slice(&10u32.to_ne_bytes());
        let hex = tcpwhy_core::kernel::tcp_info::to_hex(&info);
        let text = format!("{}\n{}\nnonsense\n{{\"t_ns\":", line("00"), line(&hex));
        let mut samples = Samples::new(text.lines().map(str::to_owned));
        let read: Vec<_> = samples.by_ref().filter_map(|sample| sample.drawn()).collect();
        assert_eq!(samples.unread, 2);
        assert_eq!(read.len(), 1);
        let s = read[0];
        assert_eq!((s.cwnd, s.ssthresh), (10_000, None));
        assert_eq!((s.send_queue, s.send_memory, s.send_buffer), (2, 6, 4));
        assert_eq!((s.receive_queue, s.receive_buffer), (1, 3));
    }
}
