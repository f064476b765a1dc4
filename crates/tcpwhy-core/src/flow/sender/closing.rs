//! A gap is closed: what its end tells the stretch that it belongs to.

use crate::flow::gap::{Gap, Piece, Release, State};
use crate::flow::record::Stretches;
use crate::flow::stretch::{Loss, Stretch};
use crate::units::Nanos;

/// What is known of a gap at its end.
#[derive(Clone, Copy)]
pub(super) struct End {
    /// The packet that ends it.
    pub(super) frame: u64,
    pub(super) shift: u8,
    pub(super) probes: u32,
    pub(super) pause: Option<Pause>,
    pub(super) loss: Option<Loss>,
}

/// A gap that is longer than a wake-up takes, and how things stood at its start.
#[derive(Clone, Copy)]
pub(super) struct Pause {
    pub(super) length: Nanos,
    /// It is a good part of a round trip.
    pub(super) stall: bool,
    /// Something from outside ended it.
    pub(super) released: bool,
    pub(super) flight: u64,
    /// What is left of it.
    pub(super) left: u64,
    pub(super) room: u64,
    pub(super) dry: bool,
    pub(super) emptied: bool,
    pub(super) short: bool,
    pub(super) woken: bool,
    pub(super) forgone: bool,
    /// It is twice as long as the waits before it.
    pub(super) stands_out: bool,
}

impl End {
    /// As `note`, for a gap of several parts.
    #[inline(never)]
    pub(super) fn note_parts(
        self,
        time: Nanos,
        release: Release,
        round: Nanos,
        gap: &Gap,
        record: &mut Stretches,
    ) {
        // How long all of it was is said of the first part; what was sent, of the part that waited for it.
        let mut pause = self.pause;
        gap.resolve(time, release, |to, wait, piece| {
            let pause = pause.take();
            let part = if to < time {
                Self { pause, probes: 0, loss: None, ..self }
            } else {
                Self { pause, ..self }
            };
            record.account(to, wait, round, |s| part.note(s, piece));
        });
    }

    #[inline(always)]
    pub(super) fn note(&self, s: &mut Stretch, piece: &Piece) {
        s.touch(piece.frame);
        s.touch(self.frame);
        s.shift = self.shift;
        s.saw_window(piece.window);
        if piece.state == State::Idle {
            s.idle = s.idle.max(s.to - piece.from);
        }
        s.probes += self.probes;
        if let Some(pause) = &self.pause {
            pause.note(s);
        }
        if let Some(loss) = self.loss {
            s.lost(loss);
        }
    }
}

impl Pause {
    #[inline(never)]
    fn note(&self, s: &mut Stretch) {
        s.waits += 1;
        s.lengths.add(self.length.0.unsigned_abs());
        s.prompt += u32::from(self.woken);
        s.breaks += u32::from(self.stands_out);
        s.breaks_woken += u32::from(self.stands_out && self.woken);
        if self.stall {
            s.woken += u32::from(self.woken);
            s.forgone += u32::from(self.forgone);
            s.short_stalls += u32::from(self.short);
            s.drained(self.flight, self.left);
            s.stalled(self.length, self.flight, self.room, self.dry);
        }
        if !self.released {
            s.pauses += 1;
            s.dry_pauses += u32::from(self.emptied);
            s.short_pauses += u32::from(self.short);
        }
    }
}
