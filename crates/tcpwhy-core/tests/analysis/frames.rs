//! The packets that an interval cites are those of its time.

use crate::traps::{connection, ms};
use tcpwhy_core::model::Direction;
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Loss, Scenario, Window, Workload, simulate};

/// Conversations with rests of all kinds in them: of either end's thinking, and behind a queue.
fn conversations() -> Vec<Scenario> {
    let talk = Workload { messages: 12, message_bytes: 300_000, ..Workload::default() };
    let of = |workload| Scenario { workload, ..Scenario::default() };
    let thinks = Workload { think: ms(700), ..talk };
    let peer_thinks = Workload { peer_think: ms(1_500), ..talk };
    vec![
        of(thinks),
        of(peer_thinks),
        of(Workload { think: ms(400), peer_think: ms(900), message_bytes: 40_000, ..talk }),
        Scenario { rate_bps: 5_000_000, ..of(peer_thinks) },
        Scenario { loss: Loss::PerMille(5), ..of(peer_thinks) },
        Scenario { send_buffer: 32_768, ..of(thinks) },
        Scenario { window: Window::fixed(32_768), ..of(peer_thinks) },
    ]
}

/// How far the packets that `direction` cites lie outside of their interval at most.
fn farthest(direction: &Direction, segments: &[Segment]) -> Nanos {
    let time = |frame: u64| segments.iter().find(|s| s.frame == frame).map(|s| s.time);
    let cited = direction.timeline.iter().filter(|i| i.last_frame > 0);
    let outside = cited.flat_map(|i| {
        let early = time(i.first_frame).map(|at| i.from - at);
        let late = time(i.last_frame).map(|at| at - i.to);
        [early, late].into_iter().flatten()
    });
    outside.max().unwrap_or_default()
}

#[test]
fn an_interval_cites_packets_of_its_time_and_none_behind_a_rest() {
    for (k, scenario) in conversations().iter().enumerate() {
        for position in [0.0, 0.5, 1.0] {
            let segments = simulate(scenario).capture(position);
            let connection = connection(&segments);
            // Some round trips with what queues in them; the rests are longer than that by far.
            let queued = scenario.workload.message_bytes * 8_000 / scenario.rate_bps;
            let limit = scenario.rtt.scale(4, 1) + ms(queued as i64);
            for direction in &connection.directions {
                let farthest = farthest(direction, &segments);
                assert!(farthest <= limit, "{k} {position} {:?} {farthest:?}", direction.from);
            }
        }
    }
}
