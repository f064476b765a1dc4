use super::*;

const REPAIR: Soonest = Soonest { repair: Nanos::from_millis(10), again: Nanos::from_millis(10) };

fn ms(n: i64) -> Nanos {
    Nanos::from_millis(n)
}

#[test]
fn the_rtt_sample_is_that_of_the_newest_byte() {
    let mut b = Scoreboard::new(0);
    b.send(0, 1000, ms(0), Levels::default(), REPAIR);
    b.send(1000, 2000, ms(5), Levels::default(), REPAIR);
    let acked = b.acknowledge(2000, |_| ());
    assert_eq!((acked.bytes, acked.sent_at), (2000, Some(ms(5))));
    assert_eq!(b.flight(), 0);
}

#[test]
fn a_part_of_an_offloaded_segment_gives_a_sample() {
    let mut b = Scoreboard::new(0);
    b.send(0, 64_000, ms(0), Levels::default(), REPAIR);
    assert_eq!(b.acknowledge(2920, |_| ()).sent_at, Some(ms(0)));
    assert_eq!(b.flight(), 61_080);
}

#[test]
fn a_sack_block_gives_one_sample_for_each_new_segment() {
    let mut b = Scoreboard::new(0);
    for i in 0..4u64 {
        b.send(i * 1000, i * 1000 + 1000, ms(i as i64), Levels::default(), REPAIR);
    }
    assert_eq!((b.reported(2000).0, b.reported(2000).0), (Some(ms(1)), None));
    assert_eq!(b.reported(3000).0, Some(ms(2)));
    assert_eq!(b.reported(9000).0, None);
}

#[test]
fn what_overtook_others_gives_no_sample_when_they_have_come() {
    let mut b = Scoreboard::new(0);
    for i in 0..3u64 {
        b.send(i * 1000, i * 1000 + 1000, ms(i as i64), Levels::default(), REPAIR);
    }
    b.reported(3000);
    assert_eq!(b.acknowledge(3000, |_| ()).sent_at, None);
}

#[test]
fn what_a_sack_block_reports_has_arrived_and_its_ack_does_not_count_it_again() {
    let mut b = Scoreboard::new(0);
    for i in 0..5u64 {
        b.send(i * 1000, i * 1000 + 1000, ms(i as i64), Levels::default(), REPAIR);
    }
    assert_eq!(b.acknowledge(1000, |_| ()).arrived, 1000);
    // The hole at 1000 is taken for arrived until it is sent again.
    assert_eq!(b.reported(3000).1, 2000);
    assert_eq!(b.reported(4000).1, 1000);
    let again = b.send(1000, 2000, ms(30), Levels::default(), REPAIR);
    assert!(matches!(again, Sending::Again { recanted: 1000, .. }));
    assert_eq!(b.acknowledge(5000, |_| ()).arrived, 2000);
}

#[test]
fn a_repair_that_a_later_block_reports_arrives_once() {
    let mut b = Scoreboard::new(0);
    for i in 0..4u64 {
        b.send(i * 1000, i * 1000 + 1000, ms(i as i64), Levels::default(), REPAIR);
    }
    assert_eq!(b.reported(4000).1, 4000);
    for hole in [0, 2000] {
        b.send(hole, hole + 1000, ms(30), Levels::default(), REPAIR);
    }
    assert_eq!((b.reported(3000), b.reported(3000)), ((None, 1000, 1000), (None, 0, 1000)));
    assert_eq!(b.acknowledge(4000, |_| ()).arrived, 1000);
}

#[test]
fn karns_rule_drops_samples_of_resent_data() {
    let mut b = Scoreboard::new(0);
    b.send(0, 1000, ms(0), Levels::default(), REPAIR);
    b.send(1000, 2000, ms(0), Levels::default(), REPAIR);
    assert_eq!(
        b.send(0, 1000, ms(300), Levels::default(), REPAIR),
        Sending::Again { times: 0, tail: false, level: 0, left: ms(0), recanted: 0 }
    );
    assert_eq!(b.acknowledge(2000, |_| ()).sent_at, None);
    assert_eq!(b.send(0, 1000, ms(400), Levels::default(), REPAIR), Sending::Needless);
}

#[test]
fn a_hole_filled_at_once_is_reordering_and_later_is_a_repair() {
    let mut b = Scoreboard::new(0);
    b.send(1000, 2000, ms(0), Levels::default(), REPAIR);
    assert_eq!(b.send(0, 1000, ms(1), Levels::default(), REPAIR), Sending::Reordered);
    b.send(3000, 4000, ms(2), Levels::default(), REPAIR);
    assert_eq!(
        b.send(2000, 3000, ms(30), Levels::default(), REPAIR),
        Sending::Again { times: 0, tail: false, level: 0, left: ms(2), recanted: 0 }
    );
}

#[test]
fn what_comes_again_sooner_than_its_loss_can_be_known_was_not_sent_again() {
    let mut b = Scoreboard::new(0);
    let mut send = |end, at| b.send(0, end, ms(at), Levels::default(), REPAIR);
    assert_eq!([send(1000, 0), send(1000, 9)], [Sending::New, Sending::Doubled]);
    let again =
        |times, tail, at| Sending::Again { times, tail, level: 0, left: ms(at), recanted: 0 };
    assert_eq!(send(500, 9), again(0, false, 0), "a router said that it was too large");
    assert_eq!(send(1000, 20), again(1, true, 9));
    assert_eq!(send(1000, 29), Sending::Doubled);
}

#[test]
fn the_segments_of_a_hole_come_one_by_one_and_in_any_order() {
    for soon in [true, false] {
        let mut b = Scoreboard::new(0);
        b.send(4000, 5000, ms(0), Levels::default(), REPAIR);
        for start in [3000, 1000, 0, 2000] {
            let time = if soon { ms(1) } else { ms(30) };
            let sending = b.send(start, start + 1000, time, Levels::default(), REPAIR);
            let again =
                Sending::Again { times: 0, tail: false, level: 0, left: ms(0), recanted: 0 };
            assert_eq!(sending, if soon { Sending::Reordered } else { again }, "{start}");
        }
        assert_eq!(b.acknowledge(5000, |_| ()).unseen, 0);
    }
}

#[test]
fn segments_of_an_offloaded_packet_are_lost_one_by_one() {
    let mut b = Scoreboard::new(0);
    b.send(0, 4000, ms(0), Levels::default(), REPAIR);
    b.send(4000, 8000, ms(5), Levels::default(), REPAIR);
    let again =
        |times, left| Sending::Again { times, tail: false, level: 0, left: ms(left), recanted: 0 };
    let mut send = |start, end, at| b.send(start, end, ms(at), Levels::default(), REPAIR);
    assert_eq!(send(1000, 2000, 30), again(0, 0));
    assert_eq!(send(3000, 5000, 31), again(0, 0), "the end of one and the start of another");
    assert_eq!(send(5000, 6000, 32), again(0, 5), "the first of these was not lost again");
    assert_eq!(send(1000, 2000, 60), again(1, 30), "but this one was");
}

#[test]
fn an_ack_for_bytes_never_seen_is_a_hole_in_the_capture() {
    let mut b = Scoreboard::new(0);
    b.send(0, 1000, ms(0), Levels::default(), REPAIR);
    assert_eq!(b.acknowledge(5000, |_| ()).unseen, 4000);
    assert_eq!((b.nxt, b.missed), (5000, 4000));
}

#[test]
fn what_was_sent_before_the_capture_began_is_no_hole_though_some_of_it_is_sent_again() {
    let mut b = Scoreboard::in_the_middle(0);
    for start in [10_000, 11_000, 2_000] {
        b.sees(start);
        b.send(start, start + 1_000, ms(0), Levels::default(), REPAIR);
    }
    assert_eq!(b.acknowledge(12_000, |_| ()).missed, 0);
    b.sees(14_000);
    b.send(14_000, 15_000, ms(1), Levels::default(), REPAIR);
    assert_eq!(b.acknowledge(15_000, |_| ()).missed, 2_000, "later is");
}

#[test]
fn what_was_under_way_when_the_capture_began_may_need_to_be_sent_again() {
    let mut b = Scoreboard::in_the_middle(20_000);
    b.sees(20_000);
    b.send(20_000, 21_000, ms(0), Levels::default(), REPAIR);
    let again = |b: &mut Scoreboard, start: u64| {
        b.send(start, start + 1_000, ms(50), Levels::default(), REPAIR)
    };
    assert_eq!(again(&mut b, 12_000), Sending::Needless, "no ACK says that it is owed");
    assert!(b.owes_from(12_000));
    let needed = Sending::Again { times: 0, tail: false, level: 0, left: ms(0), recanted: 0 };
    assert_eq!(again(&mut b, 12_000), needed);
    assert_eq!(again(&mut b, 11_000), Sending::Needless);
    b.acknowledge(20_500, |_| ());
    assert!(!b.owes_from(12_000), "overtaken");
    assert_eq!(again(&mut b, 12_000), Sending::Needless);
}

#[test]
fn memory_is_bounded_for_a_receiver_that_never_acknowledges() {
    let mut b = Scoreboard::new(0);
    for i in 0..200_000u64 {
        b.send(i * 10, i * 10 + 10, Nanos(i as i64), Levels::default(), REPAIR);
    }
    assert!(b.outstanding.len() <= MAX_OUTSTANDING);
    assert_eq!(b.acknowledge(2_000_000, |_| ()).bytes, 2_000_000);
    assert_eq!(b.outstanding.len(), 0);
}

#[test]
fn of_more_segments_than_are_kept_the_newest_alone_tell_the_round_trip() {
    let mut b = Scoreboard::new(0);
    let all = MAX_OUTSTANDING as u64 + 10;
    for i in 0..all {
        b.send(i * 10, i * 10 + 10, Nanos(i as i64), Levels::default(), REPAIR);
    }
    assert_eq!(b.acknowledge(20, |_| ()).sent_at, None);
    assert_eq!(b.acknowledge(all * 10, |_| ()).sent_at, Some(Nanos(all as i64 - 1)));
}
