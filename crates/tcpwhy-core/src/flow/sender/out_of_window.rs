//! Numbers that no packet of the connection can have.

use super::Sender;
use crate::units::Seq;

impl Sender {
    /// Where the number `seq` of the packet in this `frame` lies, if it may be one of this direction.
    #[inline(always)]
    pub(super) fn locate(&mut self, seq: Seq, frame: u64) -> Option<u64> {
        let Some(number) = self.space.locate(seq) else {
            self.tally.out_of_window.add(frame);
            return None;
        };
        let astray = number > self.board.nxt && self.is_out_of_window(number, frame);
        (!astray).then_some(number)
    }

    /// Whether the packet in this `frame` is none of the connection's, or damaged: it has the `number` of data that no window has allowed by far. Both
    /// ends would drop it (RFC 9293 section 3.10.7.4). Where the capture lacks what came before it, the next such packet is about as far.
    #[cold]
    fn is_out_of_window(&mut self, number: u64, frame: u64) -> bool {
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
