//! Whose time it is.

use super::*;

fn part(p: &Prediction, phase: Phase) -> f64 {
    p.phases[phase as usize].secs() / p.time.secs()
}

#[test]
fn the_phases_add_up_to_the_time() {
    let policer = Policer { rate_bps: 10_000_000, burst: 60_000 };
    for sndbuf in [Asked::Automatic, Asked::Set(4_096), Asked::Set(65_536)] {
        for (loss, policer) in [(0.0, None), (0.01, None), (0.0, Some(policer))] {
            for (warm, control) in [(false, Control::Cubic), (true, Control::Bbr)] {
                let t = Transfer { sndbuf, loss, policer, warm, control, ..Transfer::default() };
                let p = predict(&t);
                let sum = p.phases.iter().fold(Nanos::ZERO, |sum, time| sum + *time);
                assert_eq!(sum, p.time, "{t:?}");
            }
        }
    }
}

/// A path that slow start takes some round trips to fill: both are told, the longer one first.
#[test]
fn the_foremost_phases_are_the_longest_first() {
    let p = predict(&Transfer { size: 4_000_000, ..Transfer::default() });
    let foremost = p.foremost();
    assert_eq!(foremost[0].0, p.limit());
    assert!(foremost.len() > 1 && foremost.is_sorted_by(|a, b| a.1 >= b.1), "{foremost:?}");
    assert!(foremost.iter().all(|(_, part)| *part >= TOLD), "{foremost:?}");
    assert!(foremost.iter().map(|(_, part)| part).sum::<f64>() <= 1.0, "{foremost:?}");
}

/// Half a round trip, whatever came before. What waits for room for a larger packet waits for the window.
#[test]
fn the_last_bytes_take_as_long_after_any_size() {
    for size in [2_200_000, 22_000_000, 110_000_000] {
        let p = predict(&Transfer { size, rcvbuf: Asked::Set(65_536), ..Transfer::default() });
        let last = p.phases[Phase::Last as usize];
        assert!(last <= Transfer::default().rtt.scale(1, 2), "{size}: {p:?}");
        assert!(part(&p, Phase::ReceiveWindow) > 0.8, "{size}: {p:?}");
    }
}

/// The wait for a lost tail's repair is a loss's, not that of bytes on their way.
#[test]
fn a_lost_tail_is_no_last_byte_on_its_way() {
    let rtt = Transfer::default().rtt;
    let lost = (1..200)
        .map(|seed| predict(&Transfer { size: 14_480, loss: 0.05, seed, ..Transfer::default() }));
    let lost: Vec<_> = lost.filter(|p| p.resent > 0 && p.time > rtt.scale(4, 1)).collect();
    assert!(!lost.is_empty());
    for p in lost {
        assert!(p.phases[Phase::Last as usize] <= rtt.scale(1, 2), "{p:?}");
        assert!(p.phases[Phase::Congestion as usize].0 > 0, "{p:?}");
    }
}

/// A burst keeps the link busy for a part of each round trip; the link is the limit only where it never waits for the sender.
#[test]
fn a_link_that_waits_for_the_sender_is_not_the_limit() {
    let size = 22_000_000;
    // By segment: large writes escape a small buffer now and then, and then the link is full.
    let plain = Transfer { size, offload: false, ..Transfer::default() };
    let of = |sndbuf, rcvbuf| predict(&Transfer { sndbuf, rcvbuf, ..plain.clone() });
    let small = of(Asked::Set(32_768), Asked::Automatic);
    assert!(part(&small, Phase::SendBuffer) > 0.8, "{small:?}");
    let narrow = of(Asked::Automatic, Asked::Set(131_072));
    assert!(part(&narrow, Phase::ReceiveWindow) > 0.8, "{narrow:?}");
    let ample = of(Asked::Automatic, Asked::Automatic);
    assert!(part(&ample, Phase::Path) > 0.9, "{ample:?}");
    let lossy = predict(&Transfer { size, loss: 0.001, ..Transfer::default() });
    assert!(part(&lossy, Phase::Congestion) > 0.8, "{lossy:?}");
    // What bbr sends at is the path's rate.
    let paced = predict(&Transfer { size, control: Control::Bbr, ..Transfer::default() });
    assert!(part(&paced, Phase::Path) > 0.9, "{paced:?}");
}

/// A second half that is one burst has a rate on the wire, and is no rate at which anything goes on.
#[test]
fn a_burst_has_no_steady_rate() {
    let rtt = Nanos::from_millis(100);
    let of = |size| {
        let p = predict(&Transfer { size, rtt, rate_bps: 1_000_000_000, ..Transfer::default() });
        (p.steady(size, rtt), p.mean_bps(size))
    };
    let (steady, mean) = of(100_000);
    assert!(steady.is_none() && (1_500_000..2_500_000).contains(&mean), "{mean}");
    let (steady, mean) = of(100_000_000);
    assert!(steady.is_some_and(|steady| steady > mean), "{steady:?} {mean}");
}

/// What a policer's drops leave of the window is the policer's rate, and that is the path's.
#[test]
fn a_policer_is_the_path() {
    let policer = Some(Policer { rate_bps: 10_000_000, burst: 60_000 });
    for control in [Control::Reno, Control::Cubic] {
        let p = predict(&Transfer { size: 5_000_000, policer, control, ..Transfer::default() });
        assert!(p.resent > 0 && part(&p, Phase::Path) > 0.9, "{control:?}: {p:?}");
    }
}
