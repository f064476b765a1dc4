//! Requests and responses: the data of one direction, split where the other side spoke.

use crate::model::{MAX_TRANSFERS, Transfer};
use crate::units::Nanos;

/// The transfers of one direction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transfers {
    list: Vec<Transfer>,
    omitted: u32,
}

impl Transfers {
    /// A data segment was sent: `fresh` bytes new, `again` resent; `turn` says that the peer spoke
    /// since everything before was acknowledged.
    pub(crate) fn sent(&mut self, time: Nanos, frame: u64, fresh: u64, again: u64, turn: bool) {
        if self.list.is_empty() || (turn && fresh > 0) {
            if self.list.len() < MAX_TRANSFERS {
                self.list.push(Transfer {
                    from: time,
                    to: time,
                    bytes: 0,
                    retransmitted: 0,
                    first_frame: frame,
                    last_frame: frame,
                });
            } else {
                self.omitted = self.omitted.saturating_add(1);
            }
        }
        if let Some(last) = self.list.last_mut() {
            last.to = last.to.max(time);
            last.bytes += fresh;
            last.retransmitted += again;
            last.first_frame = last.first_frame.min(frame);
            last.last_frame = last.last_frame.max(frame);
        }
    }

    /// An ACK for new data reached the sender.
    pub(crate) fn acknowledged(&mut self, time: Nanos, frame: u64) {
        if let Some(last) = self.list.last_mut() {
            last.to = last.to.max(time);
            last.last_frame = last.last_frame.max(frame);
        }
    }

    /// The list, and how many were left out of it.
    pub(crate) fn all(&self) -> (&[Transfer], u32) {
        (&self.list, self.omitted)
    }
}
