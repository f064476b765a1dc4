//! What a capture far from one end hides: queues on the way space what left at once, and one of many ACKs always comes in just before; ACKs
//! that wait in a queue make the round trip long, though the data does not.

use super::*;
use tcpwhy_core::model::Side;
use tcpwhy_core::observe::flags;

/// A link half as fast again as what is sent over it, before the capture point.
fn spaced(workload: Workload) -> Scenario {
    let rate_bps = 20_000_000;
    let window = Window::fixed(6_000_000);
    Scenario { workload, rtt: ms(150), rate_bps, bottleneck: 0.2, window, ..Scenario::default() }
}

#[test]
fn a_constant_writer_is_the_applications_wherever_the_capture_is() {
    let workload = Workload {
        write_bytes: 24_000,
        write_every: ms(20),
        message_bytes: 16_000_000,
        ..Workload::default()
    };
    for position in [0.5, 1.0] {
        let d = answer(&spaced(workload), position);
        assert!(share(&d, Limit::Application) > 60, "at {position}: {:?}", d.limits());
    }
}

#[test]
fn a_full_send_buffer_is_one_wherever_the_capture_is() {
    let workload = Workload { message_bytes: 8_000_000, ..Workload::default() };
    for position in [0.0, 0.5, 1.0] {
        let d = answer(&Scenario { send_buffer: 180_000, ..spaced(workload) }, position);
        assert!(share(&d, Limit::SendBuffer) > 75, "at {position}: {:?}", d.limits());
    }
}

#[test]
fn a_queue_that_only_acks_wait_in_is_none_of_the_datas() {
    let workload = Workload {
        write_bytes: 4 * 1448,
        write_every: ms(3),
        message_bytes: 8_000_000,
        ..Workload::default()
    };
    let mut capture = simulate(&Scenario { workload, ..fast(workload.message_bytes) }).capture(0.0);
    let of_application = |capture: &[Segment]| {
        share(direction(&connection(capture), Side::Server), Limit::Application)
    };
    capture.iter_mut().for_each(|s| s.flags &= !flags::PSH);
    assert!(of_application(&capture) > 90);
    // What the client sends fills its way to the server, with up to three round trips more and more.
    let (client, start) = (analyse_one(&capture).client, capture[0].time);
    for s in capture.iter_mut().filter(|s| s.src == client) {
        s.time = s.time + Nanos((s.time - start).0 / 10).min(ms(60));
    }
    capture.sort_by_key(|s| s.time);
    assert!(of_application(&capture) > 90);
    // Without stamps nobody can tell.
    capture.iter_mut().for_each(|s| s.options.timestamps = None);
    assert!(of_application(&capture) < 50);
}
