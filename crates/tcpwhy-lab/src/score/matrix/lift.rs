//! The same run with one limit lifted: what the advice says, done.

use super::made::DEEP;
use crate::score::variant::Judged;
use crate::spec::{Flow, HostSpec, Pace, Role, Scenario, SocketOptions, Workload};
use tcpwhy_core::link::{Loss, Queue, QueueLimit, Rate};
use tcpwhy_core::model::{Limit, Side};
use tcpwhy_core::units::Nanos;

/// Segments of a first flight that holds any transfer of the matrix: `initcwnd` when the congestion window is lifted.
const WARM: u32 = 30_000;

/// `scenario` with `limit` of the judged direction lifted; `None` where it cannot be lifted (`handshake`, `unknown`).
/// Where it is not there, the scenario comes back as it was.
pub fn lift(scenario: &Scenario, judged: Judged, limit: Limit) -> Option<Scenario> {
    let mut lifted = scenario.clone();
    match limit {
        Limit::SendBuffer => sockets(&mut lifted, judged.from, |s, host| {
            (s.sndbuf, s.notsent_lowat) = (None, None);
            host.sysctls.remove("net.ipv4.tcp_wmem");
        }),
        Limit::ReceiveWindow => {
            sockets(&mut lifted, judged.from.other(), |s, host| {
                (s.rcvbuf, s.window_clamp) = (None, None);
                host.sysctls.remove("net.ipv4.tcp_rmem");
            });
            flows(&mut lifted, |f| f.phases.iter_mut().for_each(|p| p.reader = Pace::Fast));
        }
        Limit::Application => flows(&mut lifted, |f| {
            f.phases.iter_mut().for_each(|p| (p.think, p.before) = (Nanos::ZERO, Nanos::ZERO));
        }),
        Limit::DelayedAck => sockets(&mut lifted, judged.from, |s, _| s.nodelay = true),
        Limit::CongestionWindow => {
            clean(&mut lifted);
            for host in [&mut lifted.client, &mut lifted.server] {
                host.initcwnd = Some(WARM);
                let idle = "net.ipv4.tcp_slow_start_after_idle".to_owned();
                host.sysctls.insert(idle, "0".to_owned());
            }
        }
        Limit::LossRecovery | Limit::SilentPath => clean(&mut lifted),
        Limit::PathBandwidth => {
            for way in [&mut lifted.link.up, &mut lifted.link.down] {
                way.rate = Rate::Unlimited;
                way.policer = None;
            }
        }
        Limit::Handshake | Limit::Unknown => return None,
    }
    Some(lifted)
}

/// Nothing is lost any more, in the queue neither.
fn clean(scenario: &mut Scenario) {
    for way in [&mut scenario.link.up, &mut scenario.link.down] {
        way.loss = Loss::default();
        way.queue = Queue::DropTail(QueueLimit::Bytes(DEEP));
        way.outages.clear();
        way.mtu = None;
    }
}

/// `scenario` cut off after `bytes`, where it is one bulk: what a path that went dark let through, and no more.
pub(in crate::score) fn cut(scenario: &mut Scenario, bytes: u64) {
    flows(scenario, |flow| {
        if let [bulk] = &mut flow.phases[..] {
            bulk.bytes = bulk.bytes.min(bytes);
        }
    });
}

fn sockets(
    scenario: &mut Scenario,
    side: Side,
    mut change: impl FnMut(&mut SocketOptions, &mut HostSpec),
) {
    let role = if side == Side::Client { Role::Client } else { Role::Server };
    let Scenario { client, server, workload, .. } = scenario;
    let host = if role == Role::Client { client } else { server };
    let Workload::Flows(flows) = workload else { return };
    for flow in flows.iter_mut().filter(|f| !f.cross_traffic) {
        let socket = match role {
            Role::Client => &mut flow.client_socket,
            Role::Server => &mut flow.server_socket,
        };
        change(socket, host);
    }
}

fn flows(scenario: &mut Scenario, change: impl FnMut(&mut Flow)) {
    if let Workload::Flows(flows) = &mut scenario.workload {
        flows.iter_mut().filter(|f| !f.cross_traffic).for_each(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::matrix::{Cell, Control, Kind, Rtt};

    fn cell(kind: Kind, seed: u64) -> Cell {
        Cell {
            kind,
            severity: kind.typical(),
            control: Control::Cubic,
            rtt: Rtt::Ms10,
            offload: false,
            timestamps: true,
            seed,
        }
    }

    fn flow(scenario: &Scenario) -> &Flow {
        match &scenario.workload {
            Workload::Flows(flows) => &flows[0],
            Workload::Programs(_) => panic!("flows"),
        }
    }

    #[test]
    fn a_locked_send_buffer_is_unlocked_at_the_end_that_sends() {
        for seed in [0, 1] {
            let cell = cell(Kind::SendBuffer, seed);
            let scenario = cell.scenario();
            let sender = |s: &Scenario| match cell.judged().from {
                Side::Client => flow(s).client_socket.sndbuf,
                Side::Server => flow(s).server_socket.sndbuf,
            };
            assert!(sender(&scenario).is_some());
            let lifted = lift(&scenario, cell.judged(), Limit::SendBuffer).unwrap();
            assert_eq!(sender(&lifted), None);
            assert_eq!(flow(&lifted).phases, flow(&scenario).phases);
        }
    }

    #[test]
    fn without_losses_the_queue_takes_whatever_comes() {
        for limit in [Limit::CongestionWindow, Limit::LossRecovery] {
            let cell = cell(Kind::RandomLoss, 0);
            let lifted = lift(&cell.scenario(), cell.judged(), limit).unwrap();
            let way = &lifted.link.down;
            assert_eq!(way.loss, Loss::default());
            assert_eq!(way.queue, Queue::DropTail(QueueLimit::Bytes(DEEP)));
        }
    }

    #[test]
    fn one_bulk_is_cut_and_phases_are_not() {
        for (kind, is_cut) in [(Kind::Vanishes, true), (Kind::MixedPauses, false)] {
            let mut scenario = cell(kind, 0).scenario();
            let before = flow(&scenario).phases.clone();
            cut(&mut scenario, 1_000);
            assert_eq!(flow(&scenario).phases[0].bytes == 1_000, is_cut);
            assert_eq!(flow(&scenario).phases == before, !is_cut);
        }
    }

    #[test]
    fn the_wrong_limit_lifted_leaves_the_buffer_where_it_is() {
        let cell = cell(Kind::SendBuffer, 0);
        let scenario = cell.scenario();
        let lifted = lift(&scenario, cell.judged(), Limit::Application).unwrap();
        assert_eq!(flow(&lifted).server_socket, flow(&scenario).server_socket);
        assert_eq!(lift(&scenario, cell.judged(), Limit::Unknown), None);
    }
}
