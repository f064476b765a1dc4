//! One direction over a path: as the host is, and with everything of the host's put right that limits it.
//!
//! Limits hide behind each other: without window scaling a window ends at 64 KiB, and a larger buffer brings nothing until that is mended.
//! So a change is tried by itself and, where that brings nothing, as part of all changes.

use super::finding::{Gain, What};
use super::general;
use super::host::Host;
use super::transfers::{MOST_BUFFER, modelled};
use crate::whatif::transfer::{Phase, Prediction, Transfer};

pub(super) struct Side {
    /// As the host is.
    pub(super) now: Transfer,
    pub(super) held: Prediction,
    /// With all of the host's settings right.
    right: Transfer,
    freed: Prediction,
    /// What the buffer's maximum is then.
    pub(super) most: u64,
}

impl Side {
    /// `wanted` is what the buffer should be able to grow to.
    pub(super) fn new(host: &Host, now: Transfer, is_send: bool, wanted: u64) -> Self {
        let held = modelled(&now);
        let mut right = now.clone();
        for wrong in general::switches(host) {
            take(wrong.what, &mut right, &Transfer::default());
        }
        let is_small = *maximum(&mut right, is_send) < wanted;
        if is_small {
            *maximum(&mut right, is_send) = wanted;
        }
        let mut freed = if right == now { held.clone() } else { modelled(&right) };
        // Where packets cost more than their payload, twice the BDP is not enough.
        let phase = if is_send { Phase::SendBuffer } else { Phase::ReceiveWindow };
        let twice = host.at_most(2 * wanted);
        if is_small && freed.limit() == phase && (wanted + 1..=MOST_BUFFER).contains(&twice) {
            *maximum(&mut right, is_send) = twice;
            freed = modelled(&right);
        }
        let most = *maximum(&mut right, is_send);
        Self { now, held, right, freed, most }
    }

    /// What a change brings; of several that need each other, what all bring. `take` takes a setting from another transfer.
    pub(super) fn gain(&self, take: impl Fn(&mut Transfer, &Transfer)) -> Option<Gain> {
        let mut alone = self.now.clone();
        take(&mut alone, &self.right);
        if alone == self.now {
            return None;
        }
        let size = self.now.size;
        let after = modelled(&alone);
        let by_itself = Gain::of(size, &self.held, &after);
        // Whether the others bring more than this one.
        if alone == self.right || Gain::of(size, &after, &self.freed).is_none() {
            return by_itself;
        }
        let mut without = self.right.clone();
        take(&mut without, &self.now);
        if Gain::of(size, &modelled(&without), &self.freed).is_none() {
            return by_itself;
        }
        Gain::of(size, &self.held, &self.freed).map(|all| Gain { together: true, ..all })
    }
}

/// `tcp_wmem[2]` of the sender or `tcp_rmem[2]` of the receiver.
fn maximum(t: &mut Transfer, is_send: bool) -> &mut u64 {
    let (sent, received) = (&mut t.sender.sysctls, &mut t.receiver.sysctls);
    if is_send { &mut sent.tcp_wmem[2] } else { &mut received.tcp_rmem[2] }
}

/// The setting that a finding is about, taken from another transfer, at both ends.
pub(super) fn take(what: What, to: &mut Transfer, from: &Transfer) {
    for (to, from) in [(&mut to.sender, &from.sender), (&mut to.receiver, &from.receiver)] {
        let (to, from) = (&mut to.sysctls, &from.sysctls);
        match what {
            What::NoAutotuning => to.tcp_moderate_rcvbuf = from.tcp_moderate_rcvbuf,
            What::NoWindowScaling => to.tcp_window_scaling = from.tcp_window_scaling,
            What::AdvWinScale => to.tcp_adv_win_scale = from.tcp_adv_win_scale,
            What::NotsentLowat => to.tcp_notsent_lowat = from.tcp_notsent_lowat,
            What::SendMax => to.tcp_wmem[2] = from.tcp_wmem[2],
            What::ReceiveMax => to.tcp_rmem[2] = from.tcp_rmem[2],
            // The model does not depend on it.
            _ => {}
        }
    }
}
