//! The end of what was written, kept back until a timer sends it.

use super::Sender;
use crate::flow::packet::Packet;
use crate::kernel::RTO_MIN;
use crate::units::Nanos;

/// What the kernel's timers round a timeout up by, and a host that sleeps adds.
const LATE: Nanos = Nanos::from_millis(64);

impl Sender {
    /// New data leaves at `time` by its sender's own will, with nothing in flight.
    ///
    /// A corked socket (TCP_CORK) keeps back the last segment of what was written if that is not full, and Linux sends it by the timer
    /// that probes closed windows (`tcp_check_probe_timer`, `tcp_write_wakeup`): a retransmission timeout after everything before it was
    /// acknowledged, which is 200 ms (`tcp_rto_min`) and a round trip. What a program writes then follows the end of any write, after any time.
    #[inline(never)]
    pub(super) fn note_cork(&mut self, packet: &Packet, time: Nanos) {
        let Some(done) = self.done else { return };
        // Where the window lacks room for a full segment, the sender waits for more of it by the same timer (RFC 9293 section 3.8.6.2.1).
        let room = self.window.bytes() >= self.size.mss();
        let rest = room && !self.short && self.is_small(packet);
        let least = RTO_MIN + self.rtt.floor_or_zero().scale(3, 4);
        let most = RTO_MIN + self.rtt.smoothed().scale(2, 1) + LATE;
        if rest && (least..=most).contains(&(time - done)) {
            self.tally.corked.add(packet.frame);
        }
    }
}
