//! How fast the receiving application reads, where that is slower than data arrives: what is not read takes room from the window.
//!
//! The right edge of the window (ACK + window) follows the application's reads, for it never moves back (RFC 9293 section 3.8.6): what
//! arrived since the largest window was offered, less what the window has lost since, was read. A buffer that autotuning still enlarges
//! offers more, and then no window has lost much.

use crate::flow::stretch::Stretch;
use crate::flow::wait::Wait;
use crate::units::{Nanos, bytes_per_second};

/// Round trips over which a rate can be told.
const FEWEST_ROUNDS: i64 = 4;
/// The window has lost this part, or more, to what is not read.
const LOST_PART: u64 = 4;
/// Or it falls in so many stretches, each about a round trip, and never grows again, for this part of the time.
const FEWEST_FALLING: usize = 8;
const FALLING_PART: i64 = 4;
/// A window that stood at its largest for so many times as long as it has fallen since had a reader who kept up: a buffer that has grown
/// ahead of it does not fill for as long.
const STOOD_TIMES: i64 = 8;
/// Percent of what arrived that a slow reader has read at most.
const MOST_READ: u64 = 97;

/// Bytes per second; `None`: nothing shows that the reader is slower than the path.
pub(crate) fn rate(stretches: &[Stretch], floor: Nanos) -> Option<u64> {
    // From the last stretch on the application may only empty its buffer.
    let end = stretches.iter().rposition(|s| s.arrived > 0)?;
    let before = stretches.get(..end)?;
    let largest = before.iter().map(|s| s.window_max).max()?;
    // A buffer that has grown ahead of its reader offers the same for a while.
    let top = before.iter().rposition(|s| s.window_max == largest)?;
    // Behind a hole there is nothing to read: what is taken in while losses are repaired says how fast that goes.
    let whole = before.get(top + 1..)?;
    let after = whole.split(Stretch::is_repair).next().unwrap_or(whole);
    let sorted = after.is_sorted_by(|a, b| a.window_max >= b.window_max);
    // What was in flight in the end arrives in the stretch of the last sending and the wait behind it. A window that has fallen all along falls
    // on there; at the end it is whole again.
    let goes_on = sorted && after.len() == whole.len();
    let tail = stretches.get(end..).filter(|_| goes_on).unwrap_or_default();
    let waits = tail.iter().skip(1).take_while(|s| s.wait == Wait::Tail).count();
    let tail = tail.get(..=waits).unwrap_or_default();
    let left = tail.iter().map(|s| s.window_min).fold(after.last()?.window_max, u64::min);
    let time = time_of(after.iter().chain(tail));
    let arrived = after.iter().chain(tail).fold(0_u64, |sum, s| sum.saturating_add(s.arrived()));
    let lost = largest.saturating_sub(left);
    let read = arrived.saturating_sub(lost);
    let stood = time_of(before.iter().filter(|s| s.window_max == largest));
    let long = time >= floor.scale(FEWEST_ROUNDS, 1) && time.scale(STOOD_TIMES, 1) >= stood;
    let falls = lost.saturating_mul(LOST_PART) >= largest && long;
    let down = after.windows(2).filter(|pair| pair[0].window_max > pair[1].window_max).count();
    let steadily =
        down >= FEWEST_FALLING && time.scale(FALLING_PART, 1) >= time_of(before.iter()) && sorted;
    let slow = read > 0 && read / MOST_READ <= arrived / 100;
    ((falls || steadily) && slow).then(|| bytes_per_second(read, time).max(1))
}

fn time_of<'a>(part: impl Iterator<Item = &'a Stretch>) -> Nanos {
    part.fold(Nanos::ZERO, |sum, s| sum + s.duration())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: Nanos = Nanos::from_millis(10);

    /// Rounds in which so much arrived, with these windows at their ends.
    fn rounds(windows: &[u64], arrived: i64) -> Vec<Stretch> {
        let round = |(i, &window): (usize, &u64)| {
            let from = ROUND.scale(i as i64, 1);
            let mut s = Stretch::starting(from, Wait::Ack);
            s.to = from + ROUND;
            s.arrived = arrived;
            s.saw_window(window);
            s
        };
        windows.iter().enumerate().map(round).collect()
    }

    #[test]
    fn a_window_that_falls_by_half_of_what_arrives_has_a_reader_of_half_the_rate() {
        let windows: Vec<u64> = (0..11).map(|i| 1_000_000 - 50_000 * i).collect();
        let read = rate(&rounds(&windows, 100_000), ROUND);
        assert_eq!(read, Some(5_000_000), "50 KB each 10 ms");
    }

    #[test]
    fn what_is_behind_a_hole_waits_for_the_repair_and_not_for_the_reader() {
        let windows: Vec<u64> = (0..31).map(|i| 1_000_000 - 10_000 * i).collect();
        let mut list = rounds(&windows, 100_000);
        assert_eq!(rate(&list, ROUND), Some(9_000_000));
        for s in &mut list[11..30] {
            (s.arrived, s.wait) = (20_000, Wait::Recovery);
        }
        assert_eq!(rate(&list, ROUND), Some(9_000_000));
    }

    #[test]
    fn a_window_that_grows_or_hardly_falls_has_no_slow_reader() {
        let grows: Vec<u64> = (0..11).map(|i| 100_000 + 50_000 * i).collect();
        assert_eq!(rate(&rounds(&grows, 100_000), ROUND), None);
        let hardly: Vec<u64> = (0..11).map(|i| 1_000_000 - 2_000 * i).collect();
        assert_eq!(rate(&rounds(&hardly, 100_000), ROUND), None);
        // It had stopped, and has caught up.
        let stops = [900_000, 500_000, 100_000, 0, 0, 400_000, 800_000, 900_000, 890_000];
        assert_eq!(rate(&rounds(&stops, 100_000), ROUND), None);
    }

    #[test]
    fn a_window_that_falls_a_little_in_every_round_has_a_slow_reader_and_one_that_wavers_has_not() {
        // The buffer has grown to hold what is not read, and then holds it.
        let stands = [400_000, 800_000, 1_000_000, 1_000_000, 1_000_000];
        let falls = (1..12).map(|i| 1_000_000 - 20_000 * i);
        let windows: Vec<u64> = stands.into_iter().chain(falls).collect();
        assert_eq!(rate(&rounds(&windows, 100_000), ROUND), Some(8_000_000), "80 KB each 10 ms");
        let mut wavers = windows.clone();
        wavers[10] = 990_000;
        assert_eq!(rate(&rounds(&wavers, 100_000), ROUND), None);
        let once: Vec<u64> = (0..20).map(|k| if k < 5 { 1_000_000 } else { 900_000 }).collect();
        assert_eq!(rate(&rounds(&once, 100_000), ROUND), None, "it fell once");
        let late: Vec<u64> = std::iter::repeat_n(1_000_000, 40).chain(windows).collect();
        assert_eq!(rate(&rounds(&late, 100_000), ROUND), None, "a small part of the time");
    }

    #[test]
    fn a_window_that_falls_until_the_last_byte_has_fallen_in_the_tail_too() {
        // By a sixth while data is sent, by a third until it has arrived.
        let windows = [900_000, 1_200_000, 1_150_000, 1_100_000, 1_050_000, 1_000_000, 1_200_000];
        let mut all = rounds(&windows, 100_000);
        assert_eq!(rate(&all, ROUND), None);
        all[6].saw_window(800_000);
        assert_eq!(rate(&all, ROUND), Some(2_000_000), "100 KB of 500 KB in 50 ms");
        // One that has risen in between tells nothing by its least.
        all[4].saw_window(1_190_000);
        assert_eq!(rate(&all, ROUND), None);
    }

    #[test]
    fn a_reader_who_kept_up_for_long_is_not_slow_for_a_moment() {
        let falls = |stood| {
            let windows = std::iter::repeat_n(1_000_000, stood);
            windows.chain((1..6).map(|i| 1_000_000 - 100_000 * i)).collect::<Vec<u64>>()
        };
        assert!(rate(&rounds(&falls(30), 200_000), ROUND).is_some());
        assert_eq!(rate(&rounds(&falls(60), 200_000), ROUND), None);
    }

    #[test]
    fn two_rounds_and_a_reader_that_has_not_begun_say_nothing() {
        assert_eq!(rate(&rounds(&[1_000_000, 800_000, 600_000], 300_000), ROUND), None);
        let unread: Vec<u64> = (0..8).map(|i| 1_000_000 - 100_000 * i).collect();
        assert_eq!(rate(&rounds(&unread, 100_000), ROUND), None);
        assert_eq!(rate(&[], ROUND), None);
    }
}
