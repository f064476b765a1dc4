//! The sockets' samples of a case folder, `samples.ndjson`: one socket at one moment a line.

use serde::Deserialize;
use std::io::{BufRead, Lines};
use std::net::SocketAddr;
use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::observe::Endpoint;
use tcpwhy_core::picture::SocketSample;
use tcpwhy_core::units::Nanos;

/// The kernel's word for "no threshold yet" (`TCP_INFINITE_SSTHRESH`), packets.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// Reads samples in the order in which they were taken. A line that cannot be read (the last one of a recorder that was killed) is
/// left out.
pub(super) struct Samples<R>(Lines<R>);

impl<R: BufRead> Samples<R> {
    /// Reads from `file`.
    pub(super) fn new(file: R) -> Self {
        Self(file.lines())
    }
}

impl<R: BufRead> Iterator for Samples<R> {
    type Item = SocketSample;

    fn next(&mut self) -> Option<SocketSample> {
        loop {
            let text = self.0.next()?.ok()?;
            let line = serde_json::from_str::<Line>(&text).ok();
            if let Some(sample) = line.and_then(|line| line.sample()) {
                return Some(sample);
            }
        }
    }
}

#[derive(Deserialize)]
struct Line {
    t_ns: i64,
    local: SocketAddr,
    remote: SocketAddr,
    rqueue: u32,
    wqueue: u32,
    tcp_info: String,
    skmem: Vec<u32>,
}

impl Line {
    /// `None` where the kernel told less than that.
    fn sample(&self) -> Option<SocketSample> {
        let raw = bytes(&self.tcp_info);
        let info = TcpInfo(&raw);
        let mss = u64::from(info.snd_mss()?);
        let threshold = info.snd_ssthresh()?;
        let end = |a: &SocketAddr| Endpoint::new(a.ip(), a.port());
        Some(SocketSample {
            time: Nanos(self.t_ns),
            local: end(&self.local),
            remote: end(&self.remote),
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

/// Bytes of a field of two hexadecimal digits a byte; what is none is left out.
pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let pairs = (0..hex.len() / 2).map(|at| hex.get(2 * at..2 * at + 2));
    pairs.filter_map(|pair| u8::from_str_radix(pair?, 16).ok()).collect()
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
        let hex: String = info.iter().map(|b| format!("{b:02x}")).collect();
        let text = format!("{}\n{}\nnonsense\n{{\"t_ns\":", line("00"), line(&hex));
        let read: Vec<_> = Samples::new(text.as_bytes()).collect();
        assert_eq!(read.len(), 1);
        let s = read[0];
        assert_eq!((s.cwnd, s.ssthresh), (10_000, None));
        assert_eq!((s.send_queue, s.send_memory, s.send_buffer), (2, 6, 4));
        assert_eq!((s.receive_queue, s.receive_buffer), (1, 3));
    }
}
