//! One direction as command lines of `tc`: netem for loss and delay, below it tbf for the rate, below that the queue.

use tcpwhy_core::link::{Queue, QueueLimit, Rate, WaySpec};

use crate::link::Error;

/// Packets that netem may hold in flight: it drops above that, so it must never be reached.
const IN_FLIGHT: &str = "10000000";

/// The commands that give `device` (on its way out) the properties of `way`.
///
/// # Errors
/// When netem and tbf cannot do what is asked.
pub(super) fn commands(way: &WaySpec, device: &str) -> Result<Vec<Vec<String>>, Error> {
    if let Some(what) = impossible(way) {
        return Err(Error::Netem(format!("netem cannot do {what}; choose the tun backend for it")));
    }
    let mut commands = vec![line(device, "root handle 1:", &netem(way))];
    let Rate::Constant(bps) = way.rate else { return Ok(commands) };
    let (limit, codel) = match way.queue {
        Queue::CoDel { limit, target, interval, ecn } => {
            let ecn = if ecn { "ecn" } else { "noecn" };
            let (target, interval) = (target.0 / 1_000, interval.0 / 1_000);
            let packets = packets(limit);
            let codel =
                format!("codel limit {packets} target {target}us interval {interval}us {ecn}");
            (limit, Some(codel))
        }
        Queue::DropTail(limit) | Queue::Ecn { limit, .. } => (limit, None),
    };
    // tbf sends without a timer what fits into its bucket: 1 ms of the rate, and never less than two full packets.
    let burst = (bps / 8_000).max(3_100);
    let tbf = format!("tbf rate {bps}bit burst {burst} limit {}", bytes(limit) + burst);
    commands.push(line(device, "parent 1:1 handle 2:", &tbf));
    commands.extend(codel.map(|codel| line(device, "parent 2:1 handle 3:", &codel)));
    Ok(commands)
}

/// What neither netem nor tbf does as the link means it.
fn impossible(way: &WaySpec) -> Option<&'static str> {
    let cases = [
        (matches!(way.rate, Rate::Trace(_)), "a trace of rates"),
        (!way.loss.nth.is_empty(), "the loss of the n-th packet"),
        (way.jitter.0 > 0, "jitter without reordering"),
        (way.policer.is_some(), "a policer"),
        (way.mtu.is_some(), "a black hole for large packets"),
        (!way.outages.is_empty(), "outages"),
        (matches!(way.queue, Queue::Ecn { .. }), "marks above a threshold"),
        (way.loss.random > 0.0 && way.loss.burst.is_some(), "random and burst loss together"),
    ];
    cases.into_iter().find_map(|(asked, what)| asked.then_some(what))
}

fn netem(way: &WaySpec) -> String {
    // tc of iproute2 6.1 takes no "ns" here.
    let mut text = format!("netem limit {IN_FLIGHT} delay {}us", way.delay.0 as f64 / 1e3);
    let percent = |share: f64| format!("{:.4}%", share * 100.0);
    if way.loss.random > 0.0 {
        text += &format!(" loss random {}", percent(way.loss.random));
    }
    if let Some(burst) = way.loss.burst {
        let (enter, leave) = (percent(burst.enter), percent(burst.leave));
        text += &format!(" loss gemodel {enter} {leave} {} 0%", percent(burst.loss));
    }
    if way.duplicate > 0.0 {
        text += &format!(" duplicate {}", percent(way.duplicate));
    }
    if way.reorder > 0.0 {
        text += &format!(" reorder {}", percent(way.reorder));
    }
    text
}

fn line(device: &str, place: &str, qdisc: &str) -> Vec<String> {
    let text = format!("tc qdisc add dev {device} {place} {qdisc}");
    text.split(' ').map(str::to_owned).collect()
}

/// tbf counts bytes, CoDel packets; a full packet with its Ethernet header is 1,514 bytes.
fn bytes(limit: QueueLimit) -> u64 {
    match limit {
        QueueLimit::Bytes(bytes) => bytes,
        QueueLimit::Packets(packets) => packets * 1_514,
    }
}

fn packets(limit: QueueLimit) -> u64 {
    match limit {
        QueueLimit::Bytes(bytes) => bytes.div_ceil(1_514),
        QueueLimit::Packets(packets) => packets,
    }
}

#[cfg(test)]
mod tests {
    use tcpwhy_core::link::{Burst, Loss};
    use tcpwhy_core::units::Nanos;

    use super::*;

    fn lines(way: &WaySpec) -> Vec<String> {
        commands(way, "w1").unwrap().iter().map(|line| line.join(" ")).collect()
    }

    #[test]
    fn a_rate_is_tbf_below_netem() {
        let way = WaySpec {
            rate: Rate::Constant(10_000_000),
            delay: Nanos::from_millis(20),
            loss: Loss { random: 0.01, ..Loss::default() },
            queue: Queue::DropTail(QueueLimit::Bytes(100_000)),
            ..WaySpec::default()
        };
        assert_eq!(
            lines(&way),
            [
                "tc qdisc add dev w1 root handle 1: netem limit 10000000 delay 20000us loss random 1.0000%",
                "tc qdisc add dev w1 parent 1:1 handle 2: tbf rate 10000000bit burst 3100 limit 103100",
            ]
        );
    }

    #[test]
    fn codel_stands_below_tbf_and_bursts_are_gemodel() {
        let burst = Some(Burst { enter: 0.001, leave: 0.2, loss: 0.5 });
        let way = WaySpec {
            rate: Rate::Constant(80_000_000),
            loss: Loss { burst, ..Loss::default() },
            queue: Queue::CoDel {
                limit: QueueLimit::Packets(100),
                target: Nanos::from_millis(5),
                interval: Nanos::from_millis(100),
                ecn: true,
            },
            ..WaySpec::default()
        };
        let lines = lines(&way);
        assert!(lines[0].ends_with("loss gemodel 0.1000% 20.0000% 50.0000% 0%"), "{lines:?}");
        assert!(
            lines[2].ends_with(
                "parent 2:1 handle 3: codel limit 100 target 5000us interval 100000us ecn"
            )
        );
    }

    #[test]
    fn what_netem_cannot_do_is_refused_by_name() {
        let way = WaySpec { jitter: Nanos(1), ..WaySpec::default() };
        let error = commands(&way, "w1").unwrap_err().to_string();
        assert_eq!(
            error,
            "netem cannot do jitter without reordering; choose the tun backend for it"
        );
    }
}
