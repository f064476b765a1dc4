//! Against a send buffer or a receive window.

use super::network::reuse_warm;
use crate::advice::bdp::Bdp;
use crate::advice::figures::{Figures, Place};
use crate::advice::step::{Buffer, Step, Work};
use crate::model::{Cause, WindowScale};

pub(super) fn send_buffer(f: &Figures) -> Vec<Step> {
    let at = f.sender;
    // Who decides over the buffer only its host knows.
    let (may_be_locked, may_be_tuned) = match f.verdict.cause {
        Cause::LockedByApplication => (true, false),
        Cause::SystemMaximum => (false, true),
        _ => (true, true),
    };
    let mut steps = Vec::new();
    if may_be_locked {
        steps.push(Step::Buffer(Buffer::RemoveSndbuf { at }));
    }
    if let Some(bdp) = Bdp::of(f) {
        if may_be_locked {
            steps.push(Step::Buffer(Buffer::SetSndbuf { at, bdp }));
        }
        if may_be_tuned {
            steps.push(Step::Buffer(Buffer::RaiseWmem { at, bdp }));
        }
    }
    steps.push(Step::Buffer(Buffer::InspectSndbuf { at }));
    steps
}

pub(super) fn receive_window(f: &Figures) -> Vec<Step> {
    let at = f.receiver;
    match f.verdict.cause {
        Cause::NoWindowScaling => {
            let at = f.unscaled.map_or(at, |side| f.place(side));
            vec![
                Step::Buffer(Buffer::EnableScaling { at }),
                Step::Buffer(Buffer::FindStrippingMiddlebox),
            ]
        }
        Cause::SlowReader | Cause::ZeroWindow => vec![
            Step::Work(Work::InspectReader { at, frames: f.frames }),
            Step::Work(Work::LargerBufferOnlyPostpones { at }),
        ],
        Cause::AutotuningLag => vec![
            Step::Buffer(Buffer::AutotuningIsWorking { at }),
            reuse_warm(f),
            Step::Buffer(Buffer::RaiseInitialWindow { at, bdp: Bdp::of(f) }),
        ],
        _ => small_buffer(f, at),
    }
}

fn small_buffer(f: &Figures, at: Place) -> Vec<Step> {
    let mut steps = Vec::new();
    if f.may_be_unscaled() {
        steps.push(Step::Buffer(Buffer::SuspectNoScaling { at, window: f.filled_window }));
        steps.push(Step::Buffer(Buffer::FindStrippingMiddlebox));
    }
    steps.push(Step::Buffer(Buffer::RemoveRcvbuf { at }));
    if let Some(bdp) = Bdp::of(f) {
        steps.push(Step::Buffer(Buffer::SetRcvbuf { at, bdp }));
        steps.push(Step::Buffer(Buffer::RaiseRmem { at, bdp }));
        if let WindowScale::Known(shift) = f.scale {
            // Only worth saying where the scale itself caps the window below the need.
            if u64::from(u16::MAX) << shift.min(14) < bdp.bytes {
                steps.push(Step::Buffer(Buffer::ScaleFixed { at, shift: shift.min(14) }));
            }
        }
    }
    steps
}
