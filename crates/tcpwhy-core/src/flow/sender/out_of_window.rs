//! Numbers that no packet of the connection can have.

use super::Sender;

impl Sender {
    /// Whether the packet in this `frame` is none of the connection's, or damaged: it has the `number` of data that no window has allowed by far. Both
    /// ends would drop it (RFC 9293 section 3.10.7.4). Where the capture lacks what came before it, the next such packet is about as far.
    #[cold]
    pub(super) fn is_out_of_window(&mut self, number: u64, frame: u64) -> bool {
        let Some(reach) = self.window.falls_short_of(number) else { return false };
        let agrees = |before| number.saturating_add(reach) >= before;
        if self.out_of_window.take().is_some_and(agrees) {
            self.tally.out_of_window.take_back();
            return false;
        }
        self.out_of_window = Some(number);
        self.tally.out_of_window.add(frame);
        true
    }
}
