//! Any scenario at all.

use super::*;
use crate::random::Rng;

/// One of the values, by chance.
fn one_of<T: Clone>(rng: &mut Rng, values: &[T]) -> T {
    values[rng.below(values.len() as u64) as usize].clone()
}

fn any_scenario(seed: u64) -> Scenario {
    let rng = &mut Rng::new(seed);
    let ms = |n: u64| Nanos::from_millis(n as i64);
    Scenario {
        data_from: one_of(rng, &[Side::Client, Side::Server]),
        workload: Workload {
            messages: rng.below(4) as u32,
            message_bytes: rng.below(120_000),
            request_bytes: one_of(rng, &[0, 1, 5_000]),
            write_bytes: one_of(rng, &[100, 1_000, 8_192, 65_536]),
            write_every: ms(one_of(rng, &[0, 0, 30])),
            think: ms(rng.below(300)),
            peer_think: ms(rng.below(300)),
        },
        rtt: Nanos(rng.below(200_000_000) as i64),
        rate_bps: one_of(rng, &[0, 1_000_000, 1_000_000_000]),
        queue_bytes: rng.below(100_000),
        bottleneck: rng.below(11) as f64 / 10.0,
        loss: one_of(
            rng,
            &[
                Loss::None,
                Loss::PerMille(30),
                Loss::PerMille(1000),
                Loss::Policer { rate_bps: 500_000, burst: 20_000 },
                Loss::Outage(ms(100), ms(3_000)),
                Loss::LargerThan(1000),
            ],
        ),
        mss: one_of(rng, &[0, 536, 1460, 8960]),
        send_buffer: one_of(rng, &[0, 300, 4_096, 100_000]),
        window: Window { initial: rng.below(70_000), max: rng.below(300_000) },
        reader: Reader {
            bytes_per_second: one_of(rng, &[0, 0, 50_000]),
            read_bytes: rng.below(10_000),
            pauses: vec![(ms(50), ms(rng.below(5_000)))],
        },
        scale: one_of(rng, &[None, Some(0), Some(7), Some(14), Some(255)]),
        timestamps: rng.below(2) == 0,
        sack: rng.below(2) == 0,
        control: one_of(rng, &[Control::Reno, Control::Cubic, Control::Paced]),
        initial_cwnd: rng.below(50) as u32,
        nagle: rng.below(2) == 0,
        tso: rng.below(2) == 0,
        isn: [u32::MAX - 5, u32::MAX - 50_000],
        seed,
        ..Scenario::default()
    }
}

/// What the data sender's applications write in all.
fn data_bytes(s: &Scenario) -> u64 {
    u64::from(s.workload.messages) * s.workload.message_bytes
}

/// Payload bytes that the receiver acknowledged in the end.
fn acknowledged(trace: &Trace, s: &Scenario) -> u64 {
    let (port, isn) = match s.data_from {
        Side::Client => (40_000, s.isn[0]),
        Side::Server => (80, s.isn[1]),
    };
    let acks = trace.capture(1.0).into_iter().filter(|p| p.dst.port == port);
    let offset =
        acks.filter(|p| p.has(crate::observe::flags::ACK)).map(|p| p.ack.0.wrapping_sub(isn));
    // SYN and FIN count one each.
    u64::from(offset.max().unwrap_or(0)).saturating_sub(2)
}

#[test]
fn any_scenario_ends_with_a_partition_and_ordered_captures() {
    for seed in 0..400 {
        let s = any_scenario(seed);
        let trace = simulate(&s);
        assert_partition(&trace);
        let curable = !matches!(s.loss, Loss::PerMille(1000) | Loss::LargerThan(_));
        if curable && s.window.initial > 2 * u64::from(s.mss) {
            assert_eq!(acknowledged(&trace, &s), data_bytes(&s), "seed {seed}: {s:?}");
        }
        for position in [0.0, 0.37, 1.0] {
            let capture = trace.capture(position);
            assert!(capture.windows(2).all(|p| p[0].time <= p[1].time), "seed {seed}");
            assert!(capture.len() < 60_000, "seed {seed}: {} packets", capture.len());
        }
    }
}
