//! Small writes that leave one by one, from a server that has set TCP_NODELAY: by its own clock, or when a full send buffer has room. Captured
//! at the client, 10 ms from it, where nobody sees which ACK comes in just before a write by chance.

use crate::script::script;
use crate::segments::{analyse_one, direction};
use crate::traps::share;
use std::collections::VecDeque;
use tcpwhy_core::model::{Cause, Limit, Side, Verdict};

const WRITE: u32 = 1_000;
const WRITES: u32 = 900;
/// Milliseconds.
const WAY: f64 = 10.0;

/// The verdict on writes that leave the server at these times, in milliseconds, with these flags.
fn verdict(leaves: &[f64], flags: &str) -> Verdict {
    let mut text = "0 C S win 64240 mss 1460 ws 7 ts 1000,0\n\
                    20 S S. win 65160 mss 1460 ws 7 ts 1010,1000\n\
                    20 C . win 502 ts 1020,1010\n\
                    20.1 C P. len 100 ts 1020,1010\n"
        .to_owned();
    let (mut heard, mut echo) = (VecDeque::new(), 1_020);
    for &time in leaves {
        while heard.front().is_some_and(|(at, _)| *at <= time) {
            echo = heard.pop_front().map_or(echo, |(_, value)| value);
        }
        let (stamp, comes) = (1_000 + time as u32, time + WAY);
        let answers = 1_000 + comes as u32;
        text += &format!("{comes:.4} S {flags} len {WRITE} win 502 ts {stamp},{echo}\n");
        text += &format!("{:.4} C . win 2000 ts {answers},{stamp}\n", comes + 0.01);
        heard.push_back((comes + WAY, answers));
    }
    direction(&analyse_one(&script(&text)), Side::Server).verdict
}

/// Writes at even intervals: sleeping for a millisecond takes a little longer, now and then half as long again.
fn by_a_clock() -> Vec<f64> {
    let late = |k: u32| if k % 10 == 3 { 0.5 } else { 0.1 * f64::from(k % 3) };
    let after = |time: &mut f64, k: u32| {
        *time += 1.0 + late(k);
        Some(*time)
    };
    (0..WRITES).scan(31.0, after).collect()
}

#[test]
fn small_writes_by_a_clock_are_the_applications_though_acks_come_as_often() {
    let told = verdict(&by_a_clock(), "P.");
    assert_eq!((told.limit, told.cause), (Limit::Application, Cause::SenderApplication));
}

#[test]
fn segments_that_a_path_makes_small_are_no_writes() {
    assert_ne!(verdict(&by_a_clock(), ".").limit, Limit::Application);
}

#[test]
fn small_writes_that_fill_a_buffer_are_its_own_however_small() {
    // 21 writes fill it, and its writer is woken when a third is free; the link takes an eighth of a millisecond for each.
    let (full, woken) = (21, 14);
    let (mut time, mut acks, mut leaves) = (31.0_f64, VecDeque::new(), Vec::new());
    while leaves.len() < WRITES as usize {
        while acks.len() > woken {
            time = time.max(acks.pop_front().unwrap_or(time));
        }
        while acks.len() < full {
            leaves.push(time);
            acks.push_back(time + 2.0 * WAY);
            time += 0.125;
        }
    }
    assert_eq!(verdict(&leaves, "P.").limit, Limit::SendBuffer);
}

#[test]
fn small_writes_that_leave_when_all_before_them_has_arrived_are_no_clocks() {
    // A quarter of a millisecond for each on the link, and none until the last ACK is there.
    let burst = |k: u32| 31.0 + f64::from(k) * (20.0 * 0.25 + 2.0 * WAY + 0.05);
    let leaves = (0..40).flat_map(|k| (0..21).map(move |n| burst(k) + f64::from(n) * 0.25));
    assert_eq!(verdict(&leaves.collect::<Vec<_>>(), "P.").limit, Limit::SendBuffer);
}

/// The verdict on answers of three full segments and a small end, which leaves so long after the ACK that was delayed for the third.
fn verdict_of_answers(after: f64) -> Verdict {
    let mut text =
        "0 C S win 64240 mss 1460\n0.1 S S. win 65160 mss 1460\n10 C . win 64240\n".to_owned();
    for n in 0..30_u32 {
        let (begin, seq) = (20.0 + 70.0 * f64::from(n), 1 + 5_000 * n);
        text += &format!("{begin} C P. len 200 ack {seq}\n");
        for k in 0..3 {
            text += &format!("{:.2} S . len 1460\n", begin + 0.03 + 0.01 * f64::from(k));
        }
        text += &format!("{:.2} C . ack {}\n", begin + 10.5, seq + 2_920);
        text += &format!("{:.2} C . ack {}\n", begin + 51.0, seq + 4_380);
        text += &format!("{:.2} S P. len 620\n", begin + 51.0 + after);
    }
    direction(&analyse_one(&script(&text)), Side::Server).verdict
}

#[test]
fn the_end_of_an_answer_waits_for_a_delayed_ack_of_full_segments_by_nagles_first_rule() {
    let told = verdict_of_answers(0.03);
    assert_eq!((told.limit, told.cause), (Limit::DelayedAck, Cause::Nagle));
    // What comes by itself.
    assert_ne!(verdict_of_answers(6.0).limit, Limit::DelayedAck);
}

#[test]
fn segments_that_each_come_late_over_a_slow_link_before_the_capture_were_not_lost() {
    let mut text =
        "0 C S win 64240 mss 1460 id 0\n0.01 S S. win 5840 mss 1460\n2.7 C . id 0\n".to_owned();
    for n in 0..400 {
        let time = 8.8 + 6.15 * f64::from(n);
        text += &format!("{time:.3} C . len 1460 id 0\n{:.3} S .\n", time + 0.01);
    }
    let connection = analyse_one(&script(&text));
    let lost = share(direction(&connection, Side::Client), Limit::LossRecovery);
    assert!(lost < 2, "{lost} % of the time");
}
