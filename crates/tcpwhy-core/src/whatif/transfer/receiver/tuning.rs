//! Receive autotuning: how long a round trip is for the receiver, and what was read in one (`tcp_rcv_space_adjust`).

use super::super::path::Packet;
use super::{Receiver, Transfer};
use crate::kernel::Version;
use crate::kernel::autotune::grown;
use crate::units::Nanos;

/// From here on a lower sample counts at once, and higher ones only where nothing waits to be read (commit b879dcb1aeec, "tcp: always
/// seek for minimal rtt in tcp_rcv_rtt_update()").
const SEEKS_LOWEST: Version = Version::new(6, 16);

#[derive(Debug)]
pub(super) struct Tuning {
    /// `rcv_rtt_est`.
    rtt: Nanos,
    /// `rcv_rtt_last_tsecr`, in its clock's milliseconds.
    echo: i64,
    /// `rcvq_space`: most bytes read in a round trip, and where this one began.
    best: u64,
    start: Nanos,
    read: u64,
}

impl Tuning {
    pub(super) fn new(rtt: Nanos, best: u64) -> Self {
        Self { rtt, echo: -1, best, start: Nanos::ZERO, read: 0 }
    }

    pub(super) fn rtt(&self) -> Nanos {
        self.rtt
    }

    /// `tcp_set_window_clamp` in `tcp_measure_rcv_mss`.
    pub(super) fn bound(&mut self, clamp: u64) {
        self.best = self.best.min(clamp);
    }

    /// `tcp_rcv_rtt_measure_ts`: one sample for each timestamp that is echoed, so a burst counts once.
    pub(super) fn measure(
        &mut self,
        now: Nanos,
        packet: &Packet,
        largest: u64,
        drained: bool,
        t: &Transfer,
    ) {
        let tick = packet.echo.0 / 1_000_000;
        if tick == self.echo || packet.len < largest || packet.echo == Nanos::ZERO {
            return;
        }
        self.echo = tick;
        let sample = now - packet.echo;
        let lowest = t.receiver.version >= SEEKS_LOWEST;
        if lowest && sample < self.rtt {
            self.rtt = sample;
        } else if !lowest || drained {
            self.rtt += (sample - self.rtt).scale(1, 8);
        }
    }
}

impl Receiver {
    /// `tcp_rcv_space_adjust`, after each read.
    pub(super) fn tune(&mut self, now: Nanos) {
        let tuning = &mut self.tuning;
        if now - tuning.start < tuning.rtt {
            return;
        }
        let (copied, waiting) = (self.read - tuning.read, self.next - self.read);
        let copied = if self.t.receiver.version >= SEEKS_LOWEST {
            copied.saturating_sub(waiting)
        } else {
            copied
        };
        let end = &self.t.receiver;
        if end.sysctls.tcp_moderate_rcvbuf && !self.t.rcvbuf.locks() {
            let most = end.sysctls.tcp_rmem[2];
            let bytes =
                grown(end.version, self.rcvbuf, copied, tuning.best, self.t.mss, self.share, most);
            if let Some(bytes) = bytes {
                self.rcvbuf = bytes;
                self.clamp = self.share.window(bytes);
            }
        }
        tuning.best = tuning.best.max(copied);
        (tuning.start, tuning.read) = (now, self.read);
    }
}
