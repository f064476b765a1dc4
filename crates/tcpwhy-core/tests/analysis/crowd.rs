//! Among many connections packets take another way to the judge than among few: the answers are the same.

use crate::segments::{analyse, of_client};
use tcpwhy_core::model::Connection;
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Scenario, Workload, simulate};

/// More than there are when each packet goes straight to its connection's queue.
const CROWD: u16 = 1100;

/// A short transfer, too short for the model: its use is shared by all connections of an analysis.
fn transfer() -> Vec<Segment> {
    let workload = Workload { message_bytes: 60_000, ..Workload::default() };
    let scenario = Scenario { workload, ..Scenario::default() };
    simulate(&scenario).capture(0.5)
}

fn text(connection: &Connection) -> String {
    format!("{:?}", Connection { id: 0, ..connection.clone() })
}

#[test]
fn each_of_a_crowd_is_judged_as_if_it_were_alone() {
    let one = transfer();
    let mut crowd: Vec<Segment> = (0..CROWD)
        .flat_map(|client| of_client(&one, client, Nanos::from_micros(i64::from(client) * 3)))
        .collect();
    crowd.sort_by_key(|s| s.time);
    for (frame, segment) in (1..).zip(&mut crowd) {
        segment.frame = frame;
    }
    let all = analyse(&crowd);
    assert_eq!(all.len(), usize::from(CROWD));
    for connection in all.iter().step_by(100) {
        let ends = [connection.client, connection.server];
        let own: Vec<Segment> = crowd
            .iter()
            .filter(|s| ends.contains(&s.src) && ends.contains(&s.dst))
            .copied()
            .collect();
        assert_eq!(text(&analyse(&own)[0]), text(connection));
    }
}
