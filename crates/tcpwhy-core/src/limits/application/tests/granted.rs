//! What the other end grants by its messages, and what nobody has granted.

use super::*;

#[test]
fn what_messages_of_the_peer_let_go_while_bare_acks_come_in_is_granted_by_them() {
    let floor = Nanos::from_millis(40);
    let says = |answered: u32, spoken: u32, acks: u32| {
        let list = rounds(18, floor, |_, s| {
            (s.flight, s.arrived) = (45 * MSS, 45 * MSS as i64);
            (s.stalls, s.woken, s.answered) = (4, 4, answered);
            (s.spoken, s.acks) = (spoken, acks);
        });
        granted(&Context::new(&list, floor, MSS), 9).map(|j| j.cause)
    };
    assert_eq!(says(3, 4, 20), Some(Cause::WaitingForPeer));
    assert_eq!(says(2, 4, 20), None, "half of the stalls end otherwise");
    // The window of the connection held the first rounds.
    let list = rounds(18, floor, |k, s| {
        (s.flight, s.arrived) = (45 * MSS, 45 * MSS as i64);
        (s.stalls, s.woken, s.answered) = (4, 4, if k < 8 { 0 } else { 4 });
        (s.spoken, s.acks) = (4, 20);
    });
    assert!(granted(&Context::new(&list, floor, MSS), 9).is_some());
    assert_eq!(says(4, 15, 20), None, "the other way is as busy: most ACKs carry data");
}

#[test]
fn who_asks_for_more_holds_a_sender_whose_queue_runs_dry_after_each_of_its_messages() {
    let says = |answered: u32| {
        let list = rounds(18, Nanos::from_millis(40), |_, s| {
            (s.flight, s.arrived, s.wait) = (45 * MSS, 45 * MSS as i64, Wait::Timer);
            (s.segments, s.pushes, s.short_segments) = (4, 4, 4);
            (s.pauses, s.dry_pauses) = (4, 4);
            (s.stalls, s.woken, s.answered) = (4, 4, answered);
            (s.spoken, s.acks) = (4, 20);
        });
        judge(&Context::new(&list, Nanos::from_millis(40), MSS), 9).cause
    };
    assert_eq!(says(4), Cause::WaitingForPeer);
    assert_eq!(says(1), Cause::SenderApplication, "by chance");
}

#[test]
fn a_peer_whose_acks_wait_for_its_messages_grants_by_them_where_each_wait_follows_the_end_of_a_write()
 {
    let floor = Nanos::from_millis(40);
    let says = |ends: u32| {
        let list = rounds(18, floor, |_, s| {
            (s.flight, s.arrived) = (33 * MSS, 33 * MSS as i64);
            (s.stalls, s.answered, s.short_stalls) = (3, 3, ends);
            (s.spoken, s.acks) = (3, 4);
        });
        granted(&Context::new(&list, floor, MSS), 9).map(|j| j.cause)
    };
    assert_eq!(says(3), Some(Cause::WaitingForPeer));
    assert_eq!(says(1), None, "a buffer that was full in the middle of a write");
}

/// Where nothing stalls, because the sender paces: `ends` of writes in each round and the peer's messages.
fn paired(ends: u32, spoken: u32) -> Vec<Stretch> {
    rounds(24, Nanos::from_millis(40), |_, s| {
        (s.flight, s.arrived, s.segments) = (24 * MSS, 24 * MSS as i64, 24);
        (s.short_segments, s.spoken, s.waits) = (ends, spoken, 12);
        (0..30).for_each(|_| s.sampled(Nanos::from_millis(40), Nanos::ZERO));
        (0..ends).for_each(|_| s.ends.add(40_000_000 / u64::from(ends)));
    })
}

#[test]
fn writes_that_end_as_often_as_the_peer_speaks_are_what_it_grants() {
    let says = |ends: u32, spoken: u32| {
        let list = paired(ends, spoken);
        granted(&Context::new(&list, Nanos::from_millis(40), MSS), 12).map(|j| j.cause)
    };
    assert_eq!(says(1, 1), Some(Cause::WaitingForPeer));
    assert_eq!(says(3, 3), Some(Cause::WaitingForPeer));
    assert_eq!(says(3, 1), None, "it writes more often");
    assert_eq!(says(0, 0), None, "nobody speaks");
}

#[test]
fn what_bare_acks_release_up_to_the_same_byte_nobody_has_granted() {
    let grants = |prompt: u32, varies: u64| {
        let mut list = paired(1, 1);
        for (k, s) in list.iter_mut().enumerate() {
            (s.waits, s.prompt) = (3, prompt);
            s.flight += varies * (k as u64 % 2);
            (0..3).for_each(|_| s.lengths.add(4_000_000));
        }
        granted(&Context::new(&list, Nanos::from_millis(40), MSS), 12).is_some()
    };
    assert!(!grants(3, 0));
    assert!(grants(0, 0), "no ACK");
    assert!(grants(3, 4 * MSS), "as much as is asked for");
}

#[test]
fn what_the_peer_asks_for_evenly_is_not_written_by_a_clock() {
    let evenly = |spoken: u32| {
        let list = paired(12, spoken);
        let mut ctx = Context::new(&list, Nanos::from_millis(40), MSS);
        (ctx.far, ctx.sees_queues) = (true, true);
        writes_evenly(&ctx, 12).is_some()
    };
    assert!(evenly(0) && evenly(2));
    assert!(!evenly(12));
}
