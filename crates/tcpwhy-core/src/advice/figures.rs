//! The numbers that words about one direction may need, gathered once.

mod gather;

use super::opening::Opening;
use super::rate_change::RateChange;
use crate::kernel::RTO_MIN;
use crate::model::{Limit, Side, Verdict, WhatIf, WindowScale};
use crate::observe::Endpoint;
use crate::units::Nanos;

/// One end, as advice names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its role.
    pub side: Side,
    /// Its address.
    pub end: Endpoint,
}

/// Numbers of one direction; 0 where nothing was measured.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figures {
    /// The verdict that is put into words.
    pub verdict: Verdict,
    /// Who sends.
    pub sender: Place,
    /// Who receives.
    pub receiver: Place,
    /// Payload bytes, each counted once.
    pub bytes: u64,
    /// The capture holds the beginning of the connection.
    pub is_whole: bool,
    /// Whether it opened at all.
    pub opening: Opening,
    /// Payload bytes sent again.
    pub retransmitted: u64,
    /// Some was sent again, now or before the period that is asked for.
    pub resent: bool,
    /// What was sent again under the verdict had arrived.
    pub had_arrived: bool,
    /// For so long the receiver waited in vain for data that was due, where that is most of the verdict's time.
    pub owed: Option<Nanos>,
    /// Time that the shares are parts of.
    pub span: Nanos,
    /// Part of it under the verdict's limit and cause, 0 to 1.
    pub share: f64,
    /// The limit that held longer in all, and its part of the time: the verdict's held longest while data moved.
    pub outdone_by: Option<(Limit, f64)>,
    /// Plateau of the longest interval of the verdict, in bytes.
    pub flight: u64,
    /// Smallest window of the longest interval of the verdict, in bytes.
    pub window: u64,
    /// As `window`, but where it varied what it allowed at its best: what was in flight then.
    pub filled_window: u64,
    /// Largest window of the direction, in bytes.
    pub largest_window: u64,
    /// RTT floor of the direction.
    pub rtt_floor: Nanos,
    /// Mean RTT in the longest interval of the verdict.
    pub rtt_mean: Nanos,
    /// How far queues made the RTT rise: 95 % of the connection's samples are not above it.
    pub rtt_high: Nanos,
    /// It lacks what waited before the capture.
    pub hides_queues: bool,
    /// Waits under the verdict.
    pub stalls: u64,
    /// Payload bytes acknowledged under the verdict.
    pub acked: u64,
    /// Plateau of the interval of the verdict in which most of them were, in bytes.
    pub busiest_flight: u64,
    /// Highest of all of them.
    pub most_in_flight: u64,
    /// What held the other end's data for most of its time, where that was not its application.
    pub answers_held_by: Option<Limit>,
    /// Part of `span` in which small segments waited for ACKs.
    pub delayed_ack: f64,
    /// Of what waited for the peer's next message, the time that the path needed for the messages.
    pub carried: Nanos,
    /// Longest wait under the verdict.
    pub longest_stall: Nanos,
    /// First and last frame of the longest interval of the verdict.
    pub frames: (u64, u64),
    /// Rate that got through a policer, in bit/s: it allows at least this.
    pub policed_bps: u64,
    /// Other connections between the same hosts that sent the same way under the verdict, and how fast all went together, in bit/s.
    pub shared: Option<(u64, u64)>,
    /// Ends of writes that left by the kernel's timer, as a corked socket's do.
    pub corked: u64,
    /// Losses that came by chance, not from congestion.
    pub chance_losses: u64,
    /// Packets were marked on the way (ECN): a queue there is managed.
    pub marked: bool,
    /// The end whose SYN lacked the window scale that the other's offered.
    pub unscaled: Option<Side>,
    /// Packets in flight in the first round trip: ten, where fewer were written or nothing is known.
    pub first_window: u64,
    /// The server took the connection in long after its handshake.
    pub not_accepted: bool,
    /// What the narrowest link carries, in bit/s; 0 where its rate did not show.
    pub path_bps: u64,
    /// First data to last acknowledgment.
    pub transfer: Nanos,
    /// Of that, what came after the last data, where nothing else held it then.
    pub tail: Nanos,
    /// The same with the verdict's limit lifted, and what would hold it then.
    pub lifted: Option<WhatIf>,
    /// Without another limit the transfer would be a good part shorter, and shorter than without the verdict's.
    pub besides: Option<WhatIf>,
    /// What came before the first data that somebody waited for.
    pub thought: Nanos,
    /// Largest payload of a segment.
    pub mss: u32,
    /// Highest rate sustained for a round trip, in bit/s.
    pub peak_bps: u64,
    /// Mean rate under the verdict, in bit/s: what a link carries that is busy. ACKs that bunch make the highest rate higher.
    pub mean_bps: u64,
    /// Where it was two rates, one after the other.
    pub rate_change: Option<RateChange>,
    /// Window scale of the receiver.
    pub scale: WindowScale,
    /// The verdict changes with the window scale, which is inferred.
    pub scale_matters: bool,
    /// Transfers of the direction.
    pub transfers: u64,
    /// Only one end's packets were captured.
    pub one_way: bool,
    /// The capture was taken at the sender.
    pub at_sender: bool,
}

impl Figures {
    /// Whether round trips tell of a queue.
    pub(crate) fn shows_queue(&self) -> bool {
        self.rtt_floor > Nanos::ZERO && self.rtt_high > self.rtt_floor.scale(6, 5)
    }

    /// Whether most of the time nothing was sent, for the applications waited or worked.
    pub(crate) fn mostly_rests(&self) -> bool {
        matches!(self.outdone_by, Some((Limit::Application, part)) if part >= 0.5)
    }

    /// Whether the window was at times hardly larger than what a buffer allowed: then it grew beyond that, or the verdict were another.
    pub(crate) fn is_window_near(&self) -> bool {
        self.window < self.flight.saturating_mul(2) && self.largest_window > self.window
    }

    /// The window that had room beside such a flight.
    pub(crate) fn window_beside(&self) -> u64 {
        if self.is_window_near() { self.largest_window } else { self.window }
    }

    /// Whether no other limit took enough to be worth a thought.
    pub(crate) fn is_nearly_all(&self) -> bool {
        self.share >= 0.8
    }

    /// Whether the window is about as large as it can be without scaling (RFC 9293 section 3.1: 16 bits), and nothing shows that scaling
    /// was in use: no SYN was captured, and the data fits into the window as it stands in the header.
    pub(crate) fn may_be_unscaled(&self) -> bool {
        let most = u64::from(u16::MAX);
        let unknown = matches!(self.scale, WindowScale::Inferred { min: 0, max } if max > 0);
        unknown && (most / 4 * 3..=most).contains(&self.window)
    }

    /// Whether nothing was sent, and there is nothing to say of that, either.
    pub(crate) fn is_idle(&self) -> bool {
        let told = matches!(
            self.verdict.limit,
            Limit::Handshake | Limit::SilentPath | Limit::ReceiveWindow
        );
        self.bytes == 0 && !told && self.owed.is_none()
    }

    /// Whether most of the verdict's time came before the first data.
    pub(crate) fn is_before(&self) -> bool {
        self.thought.scale(2, 1) > self.held()
    }

    /// Whether a cork has kept back what was written for most of the time under the verdict.
    pub(crate) fn is_mostly_corked(&self) -> bool {
        let corked = RTO_MIN.scale(i64::try_from(self.corked).unwrap_or(i64::MAX), 1);
        corked.scale(2, 1) > self.held()
    }

    /// The time under the verdict.
    pub(super) fn held(&self) -> Nanos {
        Nanos((self.span.0 as f64 * self.share) as i64)
    }

    /// The part of all time that is owed.
    pub(crate) fn owed_share(&self) -> f64 {
        self.owed.map_or(0.0, |owed| owed.secs() / self.span.secs())
    }

    /// The end of that role.
    pub(crate) fn place(&self, side: Side) -> Place {
        if self.sender.side == side { self.sender } else { self.receiver }
    }
}
