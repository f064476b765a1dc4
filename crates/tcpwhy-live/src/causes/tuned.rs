//! Steps of autotuning: `struct tuned` of `bpf/live.bpf.c`, in the machine's byte order.

use super::record::{i32_at, u64_at};
use super::{Step, Tuned};

/// `STEPS`.
const STEPS: usize = 8;
/// Bytes of `struct stepped`.
const STEPPED: usize = 24;
/// Bytes of `struct tuned`.
pub(super) const TUNED: usize = 8 + STEPS * STEPPED;
/// `SEND_BUFFER_LOCK`.
const SEND: u32 = 1;

impl Tuned {
    pub(super) fn decode(raw: &[u8; TUNED]) -> Self {
        let word = |at: usize| i32_at(raw, at).unwrap_or(0).cast_unsigned();
        let (send, receive) = (word(0), word(4));
        let count = send.wrapping_add(receive) as usize;
        let places = count.saturating_sub(STEPS)..count;
        let step = |place: usize| {
            let at = 8 + place % STEPS * STEPPED;
            Some(Step {
                t_ns: u64_at(raw, at)?,
                send: word(at + 8) == SEND,
                from: word(at + 12),
                to: word(at + 16),
            })
        };
        Self { send, receive, newest: places.filter_map(step).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_steps_are_told_in_order() {
        assert_eq!(Tuned::decode(&[0; TUNED]), Tuned::default());
        let mut raw = [0; TUNED];
        raw[0] = 7;
        raw[4] = 2;
        for place in 0..STEPS {
            let at = 8 + place * STEPPED;
            // Nine steps: the ninth is in the first place.
            raw[at] = if place == 0 { 9 } else { place as u8 + 1 };
            raw[at + 8] = 1 + u8::from(place == 0);
            raw[at + 12] = 10;
            raw[at + 16] = 20;
        }
        let tuned = Tuned::decode(&raw);
        assert_eq!((tuned.send, tuned.receive), (7, 2));
        assert_eq!(
            tuned.newest.iter().map(|s| s.t_ns).collect::<Vec<_>>(),
            [2, 3, 4, 5, 6, 7, 8, 9]
        );
        assert_eq!(tuned.newest[7], Step { t_ns: 9, send: false, from: 10, to: 20 });
        assert!(tuned.newest[0].send);
        assert_eq!(Tuned::decode(&[255; TUNED]).newest.len(), STEPS, "never a panic");
    }
}
