//! What a capture far from the sender hides: queues on the way space what left at once, and one of many ACKs always comes in just before.

use super::*;

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
