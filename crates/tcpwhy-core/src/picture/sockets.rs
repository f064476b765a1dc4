//! What the two sockets of a direction held, by their own kernels' account: no packet tells it.

use super::series::Series;
use crate::observe::Endpoint;
use crate::units::Nanos;

/// One socket at one moment, as `sock_diag(7)` and `tcp_info` tell it. All sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SocketSample {
    /// When, on the clock of the captures.
    pub time: Nanos,
    /// This end.
    pub local: Endpoint,
    /// The other end.
    pub remote: Endpoint,
    /// Written and not acknowledged.
    pub send_queue: u32,
    /// Memory that it takes (`SK_MEMINFO_WMEM_QUEUED`): this is what must fit into the send buffer.
    pub send_memory: u32,
    /// The send buffer (`SK_MEMINFO_SNDBUF`).
    pub send_buffer: u32,
    /// Arrived and not read.
    pub receive_queue: u32,
    /// The receive buffer (`SK_MEMINFO_RCVBUF`).
    pub receive_buffer: u32,
    /// The congestion window.
    pub cwnd: u64,
    /// The slow start threshold; `None` before the first loss.
    pub ssthresh: Option<u64>,
}

/// The series of one direction: its sender's socket and its receiver's.
#[derive(Debug, Clone)]
pub struct Sockets {
    /// Written and not acknowledged.
    pub send_queue: Series,
    /// Memory that it takes.
    pub send_memory: Series,
    /// The send buffer.
    pub send_buffer: Series,
    /// The congestion window.
    pub cwnd: Series,
    /// The slow start threshold.
    pub ssthresh: Series,
    /// Arrived and not read.
    pub receive_queue: Series,
    /// The receive buffer.
    pub receive_buffer: Series,
}

impl Sockets {
    pub(super) fn new(limit: usize) -> Self {
        let series = || Series::new(limit);
        Self {
            send_queue: series(),
            send_memory: series(),
            send_buffer: series(),
            cwnd: series(),
            ssthresh: series(),
            receive_queue: series(),
            receive_buffer: series(),
        }
    }

    /// The sender's socket.
    pub(super) fn sender(&mut self, s: &SocketSample) {
        add(&mut self.send_queue, s.time, s.send_queue.into());
        add(&mut self.send_memory, s.time, s.send_memory.into());
        add(&mut self.send_buffer, s.time, s.send_buffer.into());
        add(&mut self.cwnd, s.time, s.cwnd);
        if let Some(ssthresh) = s.ssthresh {
            add(&mut self.ssthresh, s.time, ssthresh);
        }
    }

    /// The receiver's socket.
    pub(super) fn receiver(&mut self, s: &SocketSample) {
        add(&mut self.receive_queue, s.time, s.receive_queue.into());
        add(&mut self.receive_buffer, s.time, s.receive_buffer.into());
    }
}

/// A sample belongs to no frame.
fn add(series: &mut Series, time: Nanos, bytes: u64) {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
    series.hold(time, bytes, 0);
}
