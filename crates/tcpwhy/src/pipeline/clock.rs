//! What is said of a capture's clock that was set.

use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::{count, span};
use tcpwhy_core::analysis::ClockStep;
use tcpwhy_report::Warning;

/// That it was set forward.
pub(super) fn warning(step: ClockStep) -> Warning {
    let ClockStep { frame, by, hosts } = step;
    let (frame, by) = (count(frame), span(by));
    Warning::new(|language| match language {
        Language::En => format!(
            "the capture's clock was set forward by {by} before frame {frame}: by their TCP timestamps, that time did not go by for the {hosts} hosts that sent before and after it"
        ),
        Language::Zh => format!(
            "抓包的时钟在第 {frame} 帧之前被拨快了 {by}：按 TCP 时间戳，前后都发送过的 {hosts} 台主机并没有经过这段时间"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use tcpwhy_capture::{Input, open};
    use tcpwhy_core::analysis::CaptureClock;
    use tcpwhy_core::decode::Frame;
    use tcpwhy_core::units::Nanos;

    /// What is said of a capture of the corpus whose clock was set forward at a frame.
    fn said(name: &str, at: u64, by: Nanos) -> Option<String> {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
        let mut capture = open(&[Input::Path(corpus.join(name))]).unwrap();
        let mut clock = CaptureClock::default();
        while let Some(frame) = capture.next_frame() {
            let set = if frame.number >= at { by } else { Nanos::ZERO };
            clock.see(&Frame { time: frame.time + set, ..frame });
        }
        clock.step().map(|step| warning(step).text(Language::En).to_owned())
    }

    #[test]
    fn a_clock_that_is_set_forward_is_told() {
        let name = "send-buffer-16k-20ms.sender.pcap.gz";
        let told = said(name, 1_500, Nanos::from_secs(3_600)).unwrap();
        assert!(told.contains("by 1 h before frame 1,500") && told.contains("2 hosts"), "{told}");
        assert!(said(name, 1_500, Nanos::from_secs(5)).unwrap().contains("5.0 s"));
        // Nobody's clock is known yet.
        assert_eq!(said(name, 5, Nanos::from_secs(5)), None);
    }

    #[test]
    fn pauses_of_the_ends_are_theirs() {
        for name in ["idle-then-again-100ms", "keep-alive-20ms", "zero-window-death-20ms"] {
            assert_eq!(
                said(&format!("{name}.sender.pcap.gz"), u64::MAX, Nanos::ZERO),
                None,
                "{name}"
            );
        }
    }
}
