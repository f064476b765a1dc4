//! Properties of a way under any traffic, and each feature once by numbers.

use proptest::prelude::*;

use super::*;
use crate::units::Nanos;

const MTU: u64 = 1500;

fn parcel(bytes: u64) -> Parcel {
    Parcel { bytes, largest: bytes as u32, data: true, ect: false }
}

/// Offers packets (time, bytes) and takes each delivery as soon as it is due.
fn carry(spec: &WaySpec, packets: &[(i64, u64)]) -> (Vec<Delivery<usize>>, Counters) {
    let mut way = Way::new(spec);
    let mut arrived = Vec::new();
    for (number, (at, bytes)) in packets.iter().enumerate() {
        drain(&mut way, Nanos(*at), &mut arrived);
        way.offer(Nanos(*at), parcel(*bytes), number);
        assert!(bounded(spec, &way, Nanos(*at)), "more waits than the queue may hold");
    }
    drain(&mut way, Nanos::MAX, &mut arrived);
    assert_eq!(way.held(), 0);
    (arrived, *way.counters())
}

fn drain(way: &mut Way<usize>, until: Nanos, arrived: &mut Vec<Delivery<usize>>) {
    while let Some(due) = way.due().filter(|due| *due <= until) {
        while let Some(delivery) = way.take(due) {
            assert_eq!(delivery.due, due, "handed out when it was due, not later");
            arrived.push(delivery);
        }
    }
}

fn bounded(spec: &WaySpec, way: &Way<usize>, now: Nanos) -> bool {
    match spec.queue {
        Queue::DropTail(QueueLimit::Bytes(limit)) => way.waiting(now) <= limit.max(MTU),
        _ => true,
    }
}

prop_compose! {
    fn traffic()(gaps in prop::collection::vec((0_i64..2_000_000, 40_u64..=MTU), 1..200)) -> Vec<(i64, u64)> {
        gaps.iter().scan(1_000_000_000_i64, |at, (gap, bytes)| { *at += gap; Some((*at, *bytes)) }).collect()
    }
}

fn rates() -> impl Strategy<Value = Rate> {
    prop_oneof![
        Just(Rate::Unlimited),
        (100_000_u64..1_000_000_000).prop_map(Rate::Constant),
        prop::collection::vec(0_u32..40, 1..20).prop_map(|mut lines| {
            lines.sort_unstable();
            Rate::Trace(lines)
        }),
    ]
}

fn queues() -> impl Strategy<Value = Queue> {
    let limit = prop_oneof![
        (0_u64..50_000).prop_map(QueueLimit::Bytes),
        (0_u64..50).prop_map(QueueLimit::Packets)
    ];
    (limit, any::<bool>()).prop_map(|(limit, codel)| {
        if codel {
            let (target, interval) = (Nanos::from_millis(5), Nanos::from_millis(20));
            Queue::CoDel { limit, target, interval, ecn: false }
        } else {
            Queue::DropTail(limit)
        }
    })
}

prop_compose! {
    fn ways()(
        rate in rates(),
        queue in queues(),
        delay in 0_i64..50_000_000,
        jitter in 0_i64..10_000_000,
        random in 0.0..0.3,
        duplicate in 0.0..0.3,
        reorder in prop_oneof![Just(0.0), 0.0..0.3],
        seed in any::<u64>(),
    ) -> WaySpec {
        let loss = Loss { random, ..Loss::default() };
        let (delay, jitter) = (Nanos(delay), Nanos(jitter));
        WaySpec { rate, queue, delay, jitter, loss, duplicate, reorder, seed, ..WaySpec::default() }
    }
}

proptest! {
    #[test]
    fn every_packet_arrives_or_is_counted_as_dropped(spec in ways(), packets in traffic()) {
        let (arrived, counters) = carry(&spec, &packets);
        prop_assert_eq!(counters.offered, packets.len() as u64);
        prop_assert_eq!(counters.delivered, arrived.len() as u64);
        prop_assert_eq!(counters.offered, counters.delivered + counters.dropped_in_all());
    }

    #[test]
    fn order_is_kept_unless_reordering_is_asked(spec in ways(), packets in traffic()) {
        let spec = WaySpec { reorder: 0.0, ..spec };
        let (arrived, _) = carry(&spec, &packets);
        prop_assert!(arrived.is_sorted_by_key(|d| (d.payload, d.due)));
    }

    #[test]
    fn the_rate_is_never_exceeded(spec in ways(), packets in traffic(), bps in 100_000_u64..1_000_000_000) {
        let spec = WaySpec { rate: Rate::Constant(bps), ..spec };
        let (mut arrived, _) = carry(&spec, &packets);
        arrived.sort_by_key(|d| d.left);
        for first in 0..arrived.len() {
            let mut bits = 0;
            for delivery in &arrived[first + 1..] {
                bits += delivery.parcel.bytes * 8;
                let span = (delivery.left - arrived[first].left).0 as u128 + 1;
                prop_assert!(u128::from(bits) * 1_000_000_000 <= span * u128::from(bps));
            }
        }
    }

    #[test]
    fn nothing_arrives_before_delay_and_transmission(spec in ways(), packets in traffic()) {
        let spec = WaySpec { reorder: 0.0, jitter: Nanos::ZERO, ..spec };
        let (arrived, _) = carry(&spec, &packets);
        for delivery in arrived {
            prop_assert!(delivery.left.0 >= packets[delivery.payload].0);
            prop_assert_eq!(delivery.due, delivery.left + spec.delay);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_run(spec in ways(), packets in traffic()) {
        prop_assert_eq!(carry(&spec, &packets), carry(&spec, &packets));
    }
}

fn evenly(count: i64, gap_us: i64) -> Vec<(i64, u64)> {
    (0..count).map(|n| (n * gap_us * 1_000, MTU)).collect()
}

#[test]
fn a_full_queue_drops_what_comes() {
    let spec = WaySpec {
        rate: Rate::Constant(12_000_000),
        queue: Queue::DropTail(QueueLimit::Packets(3)),
        ..WaySpec::default()
    };
    let (arrived, counters) = carry(&spec, &evenly(10, 0));
    assert_eq!(
        arrived.iter().map(|d| d.due.0).collect::<Vec<_>>(),
        [1_000_000, 2_000_000, 3_000_000]
    );
    assert_eq!(counters.dropped(DropReason::QueueFull), 7);
}

#[test]
fn losses_have_their_share_and_bursts_their_length() {
    let loss = Loss { random: 0.01, ..Loss::default() };
    let (_, counters) = carry(&WaySpec { loss, ..WaySpec::default() }, &evenly(100_000, 1));
    assert!((900..1_100).contains(&counters.dropped(DropReason::Random)), "{counters:?}");
    let burst = Some(Burst { enter: 0.001, leave: 0.1, loss: 1.0 });
    let loss = Loss { burst, ..Loss::default() };
    let (arrived, counters) = carry(&WaySpec { loss, ..WaySpec::default() }, &evenly(100_000, 1));
    let gaps = arrived.windows(2).filter(|pair| pair[1].payload > pair[0].payload + 1).count();
    let mean = counters.dropped(DropReason::Burst) as f64 / gaps as f64;
    assert!((8.0..12.0).contains(&mean), "bursts of {mean} packets instead of 10");
}

#[test]
fn named_packets_outages_and_large_packets_are_lost() {
    let loss = Loss { nth: vec![2, 4], ..Loss::default() };
    let outages = vec![Outage { from: Nanos::from_millis(5), to: Nanos::from_millis(7) }];
    let spec = WaySpec { loss, outages, mtu: Some(1400), ..WaySpec::default() };
    let packets: Vec<_> =
        (0..10).map(|n| (7 + n * 1_000_000, if n == 8 { 1500 } else { 1000 })).collect();
    let (arrived, counters) = carry(&spec, &packets);
    assert_eq!(arrived.iter().map(|d| d.payload).collect::<Vec<_>>(), [0, 2, 4, 7, 9]);
    assert_eq!(counters.dropped(DropReason::Outage), 2);
    assert_eq!(counters.dropped(DropReason::TooLarge), 1);
    assert_eq!(counters.dropped(DropReason::Nth), 2);
}

#[test]
fn a_policer_lets_its_burst_and_then_its_rate_pass() {
    let policer = Some(Policer { rate_bps: 12_000_000, burst: 15_000 });
    // Twice the rate for a second: the burst of 10 packets, and 1,000 of rate.
    let (arrived, counters) =
        carry(&WaySpec { policer, ..WaySpec::default() }, &evenly(2_000, 500));
    assert!((1_005..=1_010).contains(&arrived.len()), "{}", arrived.len());
    assert_eq!(counters.dropped(DropReason::Policer), 2_000 - arrived.len() as u64);
}

#[test]
fn codel_holds_the_delay_near_its_target_where_drop_tail_fills_the_queue() {
    let limit = QueueLimit::Packets(1_000);
    let (target, interval) = (Nanos::from_millis(5), Nanos::from_millis(100));
    let codel = Queue::CoDel { limit, target, interval, ecn: false };
    let rate = Rate::Constant(12_000_000);
    // 5 % too much for 10 seconds: drop-tail ends with 476 ms of queue.
    let packets = evenly(10_500, 952);
    let worst = |queue| {
        let spec = WaySpec { rate: rate.clone(), queue, ..WaySpec::default() };
        let (arrived, _) = carry(&spec, &packets);
        let late = arrived.iter().filter(|d| d.payload > 9_000);
        late.map(|d| d.due.0 - packets[d.payload].0).max().unwrap()
    };
    assert!(worst(Queue::DropTail(limit)) > 400_000_000);
    assert!(worst(codel) < 100_000_000, "{}", worst(codel));
}

#[test]
fn ect_is_marked_instead_of_dropped() {
    let limit = QueueLimit::Bytes(150_000);
    let spec = WaySpec {
        rate: Rate::Constant(12_000_000),
        queue: Queue::Ecn { limit, mark: 15_000 },
        ..WaySpec::default()
    };
    let mut way = Way::new(&spec);
    for number in 0..30 {
        way.offer(Nanos::ZERO, Parcel { ect: number % 2 == 0, ..parcel(MTU) }, number);
    }
    let marked: Vec<i32> = std::iter::from_fn(|| way.take(Nanos::from_secs(1)))
        .filter_map(|d| d.mark.then_some(d.payload))
        .collect();
    assert_eq!(marked, [12, 14, 16, 18, 20, 22, 24, 26, 28], "even ones behind 15,000 bytes");
}
