//! Random transfers and random garbage.

use proptest::prelude::*;
use std::net::{IpAddr, Ipv4Addr};
use tcpwhy_core::model::Side;
use tcpwhy_core::observe::{Endpoint, Options, Segment};
use tcpwhy_core::units::{Nanos, Seq};
use tcpwhy_core::whatif::traffic::{Control, Loss, Reader, Scenario, Window, Workload};

fn ms(n: i64) -> Nanos {
    Nanos::from_millis(n)
}

fn workload() -> impl Strategy<Value = Workload> {
    let sizes = (1_u32..4, 0_u64..150_000, prop::sample::select(vec![0, 1, 100, 5_000]));
    let writes = (prop::sample::select(vec![100, 1_000, 8_192, 65_536]), 0_i64..40);
    (sizes, writes, 0_i64..400, 0_i64..400).prop_map(
        |((messages, message_bytes, request_bytes), (write_bytes, every), think, peer)| Workload {
            messages,
            message_bytes,
            request_bytes,
            write_bytes,
            // Half of them write as fast as they can.
            write_every: ms((every - 20).max(0)),
            think: ms(think),
            peer_think: ms(peer),
        },
    )
}

fn loss() -> impl Strategy<Value = Loss> {
    prop_oneof![
        3 => Just(Loss::None),
        2 => (1_u32..150).prop_map(Loss::PerMille),
        1 => prop::collection::vec(0_u64..200, 1..6).prop_map(Loss::Numbers),
        1 => (100_000_u64..5_000_000, 3_000_u64..100_000)
            .prop_map(|(rate_bps, burst)| Loss::Policer { rate_bps, burst }),
        1 => (50_i64..500, 1_i64..4_000)
            .prop_map(|(from, length)| Loss::Outage(ms(from), ms(from + length))),
        1 => (500_u32..1_500).prop_map(Loss::LargerThan),
    ]
}

fn reader() -> impl Strategy<Value = Reader> {
    let rate = prop::sample::select(vec![0, 0, 50_000, 500_000]);
    (rate, 1_u64..70_000, 50_i64..500, 0_i64..3_000).prop_map(
        |(bytes_per_second, read_bytes, from, length)| Reader {
            bytes_per_second,
            read_bytes,
            pauses: vec![(ms(from), ms(from + length))],
        },
    )
}

fn path() -> impl Strategy<Value = Scenario> {
    (
        0_i64..200_000_000,
        prop::sample::select(vec![0, 1_000_000, 20_000_000, 1_000_000_000]),
        0_u64..200_000,
        0_u32..=10,
        prop::sample::select(vec![536, 1_220, 1_460, 8_960]),
        prop::sample::select(vec![0, 4_096, 30_000, 100_000]),
        (1_000_u64..200_000, 0_u64..400_000),
        prop::sample::select(vec![None, Some(0), Some(7), Some(14)]),
    )
        .prop_map(|(rtt, rate_bps, queue_bytes, place, mss, send_buffer, window, scale)| {
            Scenario {
                rtt: Nanos(rtt),
                rate_bps,
                queue_bytes,
                bottleneck: f64::from(place) / 10.0,
                mss,
                send_buffer,
                window: Window { initial: window.0, max: window.0 + window.1 },
                scale,
                ..Scenario::default()
            }
        })
}

/// A transfer that anything may hold back.
pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    let controls = vec![Control::Reno, Control::Cubic, Control::Paced];
    let switches = prop::array::uniform6(any::<bool>());
    (path(), workload(), loss(), reader(), prop::sample::select(controls), switches, any::<u64>())
        .prop_map(|(path, workload, loss, reader, control, on, seed)| Scenario {
            data_from: if on[0] { Side::Client } else { Side::Server },
            workload,
            loss,
            reader,
            control,
            timestamps: on[1],
            sack: on[2],
            nagle: on[3],
            tso: on[4],
            handshake: on[5],
            initial_cwnd: 1 + (seed % 40) as u32,
            seed,
            ..path
        })
}

fn options() -> impl Strategy<Value = Options> {
    let edge = || any::<u16>().prop_map(|e| Seq(u32::from(e)));
    (
        any::<Option<u16>>(),
        any::<Option<u8>>(),
        any::<Option<(u32, u32)>>(),
        any::<bool>(),
        any::<u8>(),
        prop::array::uniform4((edge(), edge())),
    )
        .prop_map(|(mss, window_scale, timestamps, sack_permitted, sack_count, sack)| {
            Options { mss, window_scale, timestamps, sack_permitted, sack_count, sack }
        })
}

/// A byte position: mostly near the others, so that segments meet.
fn position() -> impl Strategy<Value = Seq> {
    prop_oneof![8 => 0_u32..20_000, 1 => any::<u32>(), 1 => u32::MAX - 9_000..=u32::MAX]
        .prop_map(Seq)
}

fn segment() -> impl Strategy<Value = Segment> {
    let time = prop_oneof![9 => 0_i64..5_000_000_000, 1 => any::<i64>()];
    let len = prop_oneof![3 => Just(0), 4 => Just(1_448), 2 => 0_u32..3_000, 1 => any::<u32>()];
    let names = (time, any::<u64>(), 0_u16..3, any::<bool>(), 0_u32..2, any::<u16>());
    let numbers = (position(), position(), 0_u16..512, any::<u16>(), len, options());
    (names, numbers, prop::array::uniform3(prop::bool::weighted(0.1))).prop_map(
        |(
            (time, frame, port, from_server, scope, ip_id),
            (seq, ack, flags, window, len, options),
            [ce, options_cut, fragment],
        )| {
            let client = Endpoint::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)), port);
            let server = Endpoint::new(IpAddr::V4(Ipv4Addr::new(192, 0, 2, 2)), 80);
            let (src, dst) = if from_server { (server, client) } else { (client, server) };
            let time = Nanos(time);
            let ttl = 64;
            Segment {
                time,
                frame,
                src,
                dst,
                scope,
                ip_id,
                ttl,
                ce,
                seq,
                ack,
                flags,
                window,
                len,
                options,
                options_cut,
                fragment,
            }
        },
    )
}

/// Segments of a few connections that make no sense together.
pub(crate) fn garbage() -> impl Strategy<Value = Vec<Segment>> {
    prop::collection::vec(segment(), 0..60)
}
