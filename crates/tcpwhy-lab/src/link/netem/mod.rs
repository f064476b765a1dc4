//! The kernel's own netem and tbf between two veth pairs, for machines that have them.
//!
//! ```text
//! client: lab0 -- labw0 | wire's namespace: redirect, netem, tbf | labw1 -- lab0 :server
//! ```

mod qdisc;

use std::os::fd::AsFd;

use super::device::{HostDevice, Kind, RECEIVED_PACKETS, SENT_BYTES, SENT_PACKETS, counter};
use super::report::{DirectionReport, LinkReport};
use super::{Error, command, packet};
use crate::namespace::Namespace;
use crate::spec::LinkSpec;

/// The wire's ends: the client's and the server's.
const ENDS: [&str; 2] = ["labw0", "labw1"];

/// Makes a veth device in the calling thread's network namespace; the link takes its other end away when it starts.
///
/// # Errors
/// When the kernel has no netem or no tbf.
pub(super) fn open(name: &str) -> Result<HostDevice, Error> {
    command::inside(&new_namespace()?, || {
        command::run(&["ip", "link", "set", "dev", "lo", "up"])?;
        for qdisc in [&["netem"][..], &["tbf", "rate", "1mbit", "burst", "3100", "limit", "3100"]] {
            let line = [&["tc", "qdisc", "add", "dev", "lo", "root"], qdisc].concat();
            command::run(&line).map_err(|error| lacking(qdisc[0], error))?;
            command::run(&["tc", "qdisc", "del", "dev", "lo", "root"])?;
        }
        Ok(())
    })?;
    HostDevice::new(name, packet::pair(name)?.into(), Kind::Netem)
}

/// tc's refusal of a qdisc means that the kernel does not have it.
fn lacking(qdisc: &str, error: Error) -> Error {
    match error {
        Error::Command { said, .. } => {
            let said = said.lines().next().unwrap_or_default();
            Error::Netem(format!(
                "this kernel has no {qdisc} (tc says {said:?}); choose the tun or packet backend, or load the module sch_{qdisc}"
            ))
        }
        other => other,
    }
}

/// The namespace in which the wire is; it vanishes with this value.
#[derive(Debug)]
pub(super) struct Wire {
    namespace: Namespace,
}

impl Wire {
    /// What the kernel counted. It does not say how late its packets were, nor which of its queues dropped.
    pub(super) fn report(self) -> Result<LinkReport, Error> {
        let table = command::inside(&self.namespace, || {
            let table = std::fs::read_to_string("/proc/thread-self/net/dev");
            table.map_err(|source| Error::Inside { source })
        })?;
        let way = |from, to| DirectionReport {
            packets: counter(&table, from, RECEIVED_PACKETS),
            delivered: counter(&table, to, SENT_PACKETS),
            delivered_bytes: counter(&table, to, SENT_BYTES),
            ..DirectionReport::default()
        };
        Ok(LinkReport {
            backend: Kind::Netem.name(),
            scheduling: "kernel",
            steered: false,
            faithful: true,
            why_not: Vec::new(),
            begun_ns: None,
            lateness_ns: None,
            up: way(ENDS[0], ENDS[1]),
            down: way(ENDS[1], ENDS[0]),
            middle: None,
        })
    }
}

/// All commands that make a wire of two devices, in order.
fn commands(spec: &LinkSpec) -> Result<Vec<Vec<String>>, Error> {
    if !spec.middleboxes.is_empty() {
        return Err(Error::Netem("netem has no middleboxes; choose the tun backend".to_owned()));
    }
    let redirects = [redirect(ENDS[0], ENDS[1]), redirect(ENDS[1], ENDS[0])].concat();
    // What the client sends leaves the wire at the server's end.
    let queues = [qdisc::commands(&spec.up, ENDS[1])?, qdisc::commands(&spec.down, ENDS[0])?];
    Ok([redirects, queues.concat()].concat())
}

/// Connects both devices by a wire with the properties asked.
pub(super) fn connect(spec: &LinkSpec, hosts: [&HostDevice; 2]) -> Result<Wire, Error> {
    let commands = commands(spec)?;
    let namespace = new_namespace()?;
    for (host, end) in hosts.into_iter().zip(ENDS) {
        let fd = host.as_fd().try_clone_to_owned();
        let its = Namespace::from(fd.map_err(|source| Error::Inside { source })?);
        let path = namespace.path();
        let far = ["ip", "link", "set", "dev", packet::FAR, "netns", &path, "name", end];
        command::inside(&its, || command::run(&far))?;
    }
    command::inside(&namespace, || {
        // A device that moves forgets that it is silent.
        ENDS.into_iter().try_for_each(packet::silent)?;
        for line in &commands {
            command::run(&line.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        Ok(())
    })?;
    Ok(Wire { namespace })
}

/// Frames that come in at one end go out at the other.
fn redirect(from: &str, to: &str) -> Vec<Vec<String>> {
    [
        format!("tc qdisc add dev {from} clsact"),
        format!("tc filter add dev {from} ingress matchall action mirred egress redirect dev {to}"),
    ]
    .map(|line| line.split(' ').map(str::to_owned).collect())
    .to_vec()
}

fn new_namespace() -> Result<Namespace, Error> {
    Namespace::new().map_err(|source| Error::Wire { source })
}

#[cfg(test)]
mod tests {
    use tcpwhy_core::link::{Loss, Queue, QueueLimit, Rate, WaySpec};
    use tcpwhy_core::units::Nanos;

    use super::*;
    use crate::spec::Middlebox;

    #[test]
    fn a_wire_is_two_redirects_and_the_queues_of_both_directions() {
        let way = |mbit: u64, loss: f64| WaySpec {
            rate: Rate::Constant(mbit * 1_000_000),
            delay: Nanos::from_millis(10),
            loss: Loss { random: loss, ..Loss::default() },
            queue: Queue::DropTail(QueueLimit::Packets(100)),
            ..WaySpec::default()
        };
        let spec = LinkSpec { up: way(10, 0.0), down: way(100, 0.02), ..LinkSpec::default() };
        let lines: Vec<String> =
            commands(&spec).unwrap().iter().map(|words| words.join(" ")).collect();
        let expected = [
            "tc qdisc add dev labw0 clsact",
            "tc filter add dev labw0 ingress matchall action mirred egress redirect dev labw1",
            "tc qdisc add dev labw1 clsact",
            "tc filter add dev labw1 ingress matchall action mirred egress redirect dev labw0",
            "tc qdisc add dev labw1 root handle 1: netem limit 10000000 delay 10000us",
            "tc qdisc add dev labw1 parent 1:1 handle 2: tbf rate 10000000bit burst 3100 limit 154500",
            "tc qdisc add dev labw0 root handle 1: netem limit 10000000 delay 10000us loss random 2.0000%",
            "tc qdisc add dev labw0 parent 1:1 handle 2: tbf rate 100000000bit burst 12500 limit 163900",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn what_is_missing_is_said_in_one_sentence() {
        let said = "Error: Specified qdisc kind is unknown.\nmore".to_owned();
        let error = Error::Command { command: "tc qdisc add".to_owned(), said };
        assert_eq!(
            lacking("netem", error).to_string(),
            "this kernel has no netem (tc says \"Error: Specified qdisc kind is unknown.\"); choose the tun or packet backend, or load the module sch_netem"
        );
        let error = lacking("netem", Error::NoProgram("tc".to_owned())).to_string();
        assert_eq!(error, "the program tc is missing; install iproute2");
        let boxed =
            LinkSpec { middleboxes: vec![Middlebox::StripWindowScale], ..LinkSpec::default() };
        assert!(commands(&boxed).unwrap_err().to_string().contains("no middleboxes"));
    }
}
