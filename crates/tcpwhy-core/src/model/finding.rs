//! What else was noticed: silent failures, and what the capture cannot show.

use super::Side;
use crate::units::Nanos;

/// Something that went wrong without being a limit on time, or that explains one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// SYN sent again; `count` times.
    SynRetries,
    /// SYN answered by RST.
    Refused,
    /// An RST ended the connection before either end had closed it, `value` nanoseconds after the last data and its ACK.
    Reset,
    /// The receiver closed its window and never opened it; the sender's last `count` probes were not answered.
    ZeroWindowDeath,
    /// `count` openings of a closed window never reached the sender: it went on probing.
    WindowUpdateLost,
    /// `count` more copies of the first data came in at the capture beside the other end, which acknowledged none of it meanwhile.
    NotAccepted,
    /// Data, FIN or window update answered by RST: that end had given up long before, without a word, after `count` retries in a row that
    /// went unanswered.
    LateReset,
    /// `count` bytes were sent to an end that had closed, `value` nanoseconds after that was known (0: at the same time), and refused by RST.
    DataAfterClose,
    /// Segments of `value` bytes vanish, and smaller ones arrive.
    PmtuBlackHole,
    /// The two SYNs carry different MSS values; the smaller is `value`.
    MssClamped,
    /// Losses without a queue at a constant rate of `value` bit/s.
    Policer,
    /// `count` losses without a queue, anywhere in a burst: by chance.
    RandomLoss,
    /// One SYN offered window scaling and the other did not.
    WindowScaleStripped,
    /// `count` keep-alives and hardly any data.
    KeepAliveOnly,
    /// `count` ends of writes left by a timer of the kernel, as those of a corked socket do.
    Corked,
    /// `count` ACKs waited in queues on their way back, for `value` nanoseconds on the mean.
    AckQueue,
    /// ACKs for `value` bytes that the capture never saw, in `count` holes.
    CaptureHole,
    /// `count` packets whose sequence or acknowledgment numbers lie far beyond the window of this side's data: left out.
    OutOfWindow,
    /// `count` packets seen twice.
    SeenTwice,
    /// `count` packets whose timestamps go backwards, or the first one after the capture's clock was set back.
    OutOfOrderTime,
    /// `count` segments reordered on the way.
    Reordered,
    /// `count` retransmissions of data that had arrived.
    SpuriousRetransmissions,
    /// `count` ECN congestion marks or echoes.
    EcnMarks,
    /// `count` other connections between the same two hosts sent the same way while the verdict held: `value` bit/s with this one.
    SharedPath,
    /// The window scale is inferred, and the verdict depends on it.
    ScaleInferred,
    /// Only one direction was captured.
    OneWay,
    /// `count` IP fragments: only the first of each datagram could be read.
    Fragments,
    /// The capture begins in the middle of the connection.
    Midstream,
}

/// One finding with its numbers and the frame that shows it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// Which end sent the packets that show it.
    pub side: Side,
    /// How many times; 0 where it does not count.
    pub count: u64,
    /// The kind's own number (bytes, bit/s or nanoseconds); 0 where it has none.
    pub value: u64,
    /// First frame that shows it.
    pub frame: u64,
}

impl Finding {
    /// `value` of a kind that gives a time.
    #[must_use]
    pub fn time(&self) -> Nanos {
        Nanos(i64::try_from(self.value).unwrap_or(i64::MAX))
    }
}
