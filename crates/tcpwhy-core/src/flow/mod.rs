//! One connection: segments in, two directions at their senders' clocks out.
//!
//! Every packet is two events: something that its sender put on the wire, and something that it
//! tells the other end about *its* data. The second happens later, by the leg between the capture
//! point and that end.

mod ack;
pub(crate) mod after_close;
pub(crate) mod answers;
pub(crate) mod burst;
pub(crate) mod capacity;
mod clock_steps;
pub(crate) mod distribution;
pub(crate) mod drops;
pub(crate) mod due;
mod ecn;
mod gap;
mod handshake;
mod identification;
mod in_vain;
mod line;
mod lows;
pub(crate) mod overflow;
pub(crate) mod packet;
mod passing;
pub(crate) mod placed;
pub(crate) mod placing;
mod record;
mod remarks;
mod rhythm;
pub(crate) mod rtt;
mod scoreboard;
mod segment_size;
pub(crate) mod sender;
pub(crate) mod sender_clock;
mod space;
pub(crate) mod spread;
pub(crate) mod stretch;
pub(crate) mod tally;
mod transfer;
mod turns;
mod vantage;
pub(crate) mod wait;
mod window;

use crate::kernel::RTO_MIN;
use crate::model::Side;
use crate::observe::Endpoint;
use crate::units::{Nanos, Seq};
use ack::UnderWay;
use due::Owed;
use handshake::Handshake;
use packet::Packet;
use placed::Taker;
use placing::Placing;
use sender::Sender;
use tally::Count;
use vantage::{Legs, Standing};

/// Segments held back while the vantage of a connection without a handshake is found out.
const WARM_UP: usize = 64;
/// Receivers delay ACKs by timers of 10 ms ticks and more (40 ms Linux, 100-200 ms others).
pub(crate) const DELAYED: Nanos = Nanos::from_millis(10);
/// A sender this near to the capture point gets its ACKs at once.
const NEAR: Nanos = Nanos::from_micros(300);

/// A scheduler's latency: data that leaves this soon after an ACK was released by it.
pub(crate) const WAKE_UP: Nanos = Nanos::from_micros(200);

/// An ACK long waited for and a sending just after it are no coincidence, though the host was busy: for less than this part of the wait.
pub(crate) const PROMPT_PART: i64 = 32;

/// Longest time that a busy host takes to run the process that an ACK has woken.
pub(crate) const BUSY_HOST: Nanos = Nanos::from_millis(2);

/// What a direction knows before its first data.
#[derive(Debug, Clone, Copy, Default)]
struct BeforeData {
    /// The newest ACK on its way to the sender, and the newest with data of the peer.
    ack: Option<Packet>,
    data: Option<(Nanos, u64)>,
    next: Option<Seq>,
    /// The number of a packet behind more than that, which never passed here, see `Sender::is_ahead`.
    ahead: Option<Seq>,
    /// Its SYN, where that carried data (TCP Fast Open, RFC 7413), and when it left.
    opening: Option<(Packet, Nanos)>,
}

/// No path holds a packet for so long, and no round trip takes it, queues of whole seconds included: what an end had sent before has been answered,
/// and a reset that comes later answers something new.
pub(crate) const LONGER_THAN_A_PATH: Nanos = Nanos::from_secs(3);

/// An RST.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reset {
    pub(crate) frame: u64,
    /// When the newest of them passed.
    pub(crate) last: Nanos,
    /// Its sender no longer knew the connection, and had been silent for long. See `Flow::ends`.
    pub(crate) is_late: bool,
}

/// The first packet that closed the connection, a FIN or an RST.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Over {
    pub(crate) time: Nanos,
    pub(crate) frame: u64,
    /// Who sent it.
    pub(crate) side: Side,
}

/// One connection.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) id: u64,
    /// Client and server.
    pub(crate) ends: [Endpoint; 2],
    pub(crate) start: Nanos,
    /// When the newest packet passed.
    last: Nanos,
    pub(crate) handshake: Handshake,
    legs: [Standing; 2],
    /// Whether a leg may have changed since its sender was told.
    moved: [bool; 2],
    pub(crate) senders: [Option<Sender>; 2],
    under_way: [UnderWay; 2],
    words: [BeforeData; 2],
    /// When the newest packet of each end passed. Of one that was not captured yet no silence is known: the end of time.
    newest: [Nanos; 2],
    /// When each end sent its first FIN.
    closed: [Option<Nanos>; 2],
    pub(crate) over: Option<Over>,
    /// The first RST, by sender.
    pub(crate) resets: [Option<Reset>; 2],
    /// By sender.
    pub(crate) fragments: [Count; 2],
}

impl Taker for Flow {
    #[inline(always)]
    fn take(&mut self, packet: &Packet, left: Nanos, moved: Option<&Legs>) {
        if let Some(legs) = moved {
            self.stand(legs.standing());
        }
        if packet.is_plain() && self.handshake.established.is_some() {
            self.pass(packet, left);
        } else {
            self.pass_and_note(packet, left);
        }
    }
}

impl Flow {
    /// A connection between `ends`, client and server, that begins at `start`.
    pub(crate) fn new(id: u64, ends: [Endpoint; 2], start: Nanos) -> Self {
        Self {
            id,
            ends,
            start,
            last: start,
            handshake: Handshake::default(),
            legs: Default::default(),
            moved: [false; 2],
            senders: [None, None],
            under_way: Default::default(),
            words: Default::default(),
            newest: [Nanos::MAX; 2],
            closed: [None; 2],
            over: None,
            resets: [None; 2],
            fragments: Default::default(),
        }
    }

    /// What is known of both legs has changed.
    #[inline(always)]
    fn stand(&mut self, standing: [Standing; 2]) {
        self.legs = standing;
        self.moved = [true; 2];
    }

    /// The input is over.
    pub(crate) fn end(&mut self) {
        for side in [Side::Client, Side::Server] {
            if self.senders[side as usize].is_none() {
                continue;
            }
            while self.deliver_oldest(side, Nanos::MAX) {}
            let lacks = self.deaf_since(side).or_else(|| self.lacks_since(side));
            let lacks = lacks.map(|since| Owed { since, until: self.last });
            let owed = lacks.or_else(|| self.due_from(side).map(|due| due.time));
            if let Some(sender) = &mut self.senders[side as usize] {
                if self.resets[side as usize].is_some_and(|reset| reset.is_late) {
                    sender.take_back();
                }
                sender.end(owed);
            }
        }
    }

    /// The capture is over: what of the queues that ACKs wait in showed only after them is known.
    pub(crate) fn learn_of_queues(&mut self, placing: &Placing) {
        for side in [Side::Client, Side::Server] {
            let Some(sender) = &mut self.senders[side as usize] else { continue };
            let floor = sender.rtt.floor_or_zero();
            for stretch in sender.record.closed_mut() {
                stretch.waited_longer(placing.acks_late_by(side, stretch.to), floor);
            }
        }
    }

    /// An RST that ended it before either end had closed, but for one that comes late: that one says something else. One that the other end does
    /// not care about was none of the connection's (RFC 5961 section 3): somebody else has guessed its numbers.
    pub(crate) fn broken_off(&self) -> Option<Over> {
        let over = self.over?;
        let reset = self.resets[over.side as usize]?;
        let ends = reset.frame == over.frame && !reset.is_late;
        (ends && !self.goes_on_after(reset, over.side.other())).then_some(over)
    }

    /// `side` has sent something else than an RST when it had long received those of its peer.
    fn goes_on_after(&self, reset: Reset, side: Side) -> bool {
        let newest = self.newest[side as usize];
        let answered = self.resets[side as usize].is_some_and(|answer| answer.last == newest);
        let under_way = RTO_MIN.max((self.legs[0].now + self.legs[1].now).scale(2, 1));
        newest < Nanos::MAX && !answered && newest >= reset.last + under_way
    }

    /// Since when `side` has heard nothing: it has sent again and again what had been acknowledged, and does so still, or until it gave up, or
    /// does not even answer a FIN, for longer than that takes to be sent again. Whoever stops sooner has heard.
    ///
    /// What has passed its own host has arrived: there nothing is silent but the host.
    pub(crate) fn deaf_since(&self, side: Side) -> Option<Nanos> {
        let (own, peer) = (side as usize, side.other() as usize);
        let in_vain = self.senders[own].as_ref()?.in_vain?;
        let [here, there] = [&self.legs[own], &self.legs[peer]];
        let at_its_host = here.known && here.now <= NEAR && here.now.scale(4, 1) < there.now;
        let refused = self.over.is_some_and(|over| {
            self.closed[peer].is_some()
                && over.time > in_vain.last
                && self.last - over.time >= RTO_MIN
        });
        let goes_on = refused || self.last <= in_vain.due;
        let alone = in_vain.last == self.newest[own];
        (alone && !at_its_host).then(|| in_vain.deaf_since(goes_on)).flatten()
    }

    /// Since when the peer of `side` lacks a part of what this had sent, see [`Sender::lacks_since`].
    pub(crate) fn lacks_since(&self, side: Side) -> Option<Nanos> {
        let sender = self.senders[side as usize].as_ref()?;
        sender.lacks_since(self.newest[side as usize])
    }
}
