//! Steps on how connections open and die, and on the evidence itself.

use crate::advice::quantity::{count, span};
use crate::advice::step::Life;
use crate::advice::words::en::{bytes, frames, place};

/// One step as an instruction.
pub(super) fn step(step: &Life) -> String {
    match *step {
        Life::CheckListenQueue { at } => format!(
            "On {}, see whether the listen queue overflows: `nstat -az TcpExtListenOverflows \
             TcpExtListenDrops`; if it grows, accept faster or raise the backlog of listen() and \
             net.core.somaxconn.",
            place(&at)
        ),
        Life::CheckListener { at } => format!(
            "On {}, `ss -ltn` shows whether a program listens on that port, and at which address. If one does, a \
             firewall refuses in its name: `nft list ruleset` shows rules that reject with a TCP reset.",
            place(&at)
        ),
        Life::CheckSynPath => "If it does not, a firewall or a lossy link drops SYNs: capture at \
             both ends to see which side of the path loses them."
            .to_owned(),
        Life::CheckAnswer { at } => format!(
            "Capture on {}: if the SYN/ACK arrives there, a firewall of that host drops it or the program has given up; if \
             not, the way back loses it (a route that differs, a firewall that has not seen the SYN).",
            place(&at)
        ),
        Life::ReuseAgainstHandshake { rtt } => format!(
            "Reuse connections (keep-alive, a connection pool): each new one costs a round trip{} \
             before its first byte.",
            if rtt.0 > 0 { format!(" of {}", span(rtt)) } else { String::new() }
        ),
        Life::ReuseAgainstTurns { rtt, turns } => format!(
            "Keep the connection for what is asked next (keep-alive, a connection pool): opening one \
             takes a round trip{} and, with TLS, {} of these {} turns.",
            if rtt.0 > 0 { format!(" of {}", span(rtt)) } else { String::new() },
            // Of two, the other one asked for something.
            if turns > 2 { "one or two" } else { "one" },
            count(turns)
        ),
        Life::CheckPath { frames: (first, last) } => format!(
            "Find out what became of the other end or of the path at that time{}: a crashed host, \
             a changed route, a firewall or NAT that dropped the connection.",
            frames(first, last)
        ),
        Life::CompareSizes { to, mss, ping } => format!(
            "The connection opened, and no full segment{} ever arrived: see whether large packets \
             alone vanish (`ping -M do -s {ping} {}` and `-s 1200`). Then the path's MTU is smaller \
             and nobody says so; `sysctl -w net.ipv4.tcp_mtu_probing=1` on the sender, or a \
             clamped MSS, lets data through.",
            if mss > 0 { format!(" ({})", bytes(u64::from(mss))) } else { String::new() },
            to.end.addr()
        ),
        Life::DetectDeadPeer { at } => format!(
            "So that the application on {} learns of it in seconds instead of a quarter of an hour, \
             set TCP_USER_TIMEOUT on its sockets, with SO_KEEPALIVE for idle ones.",
            place(&at)
        ),
        Life::AllowIcmp => {
            "Let ICMP \"fragmentation needed\" and ICMPv6 \"packet too big\" through \
             every firewall on the way: without them the sender cannot learn the path's MTU."
                .to_owned()
        }
        Life::ProbeMtu { at } => format!(
            "On {}, `sysctl -w net.ipv4.tcp_mtu_probing=1` lets TCP find a size that fits by \
             itself.",
            place(&at)
        ),
        Life::ClampMss { mss: 0 } => "Or clamp the MSS at the router before the narrow link (`... \
             TCPMSS --clamp-mss-to-pmtu`), or lower the interface's MTU."
            .to_owned(),
        Life::ClampMss { mss } => format!(
            "Or clamp the MSS, now {}, at the router before the narrow link (`... TCPMSS \
             --clamp-mss-to-pmtu`), or lower the interface's MTU.",
            bytes(u64::from(mss))
        ),
        Life::KeepStateAlive => "Keep idle connections alive more often than the shortest idle \
             timeout on the way (firewall, NAT, load balancer, server): SO_KEEPALIVE with \
             TCP_KEEPIDLE below it, or an application heartbeat."
            .to_owned(),
        Life::CaptureBetter { at, one_way } => format!(
            "Capture again, {}as near to {} as you can, from before the connection opens, and with \
             whole headers: `tcpdump -s 128 -w why.pcap`.",
            match one_way {
                true =>
                    "where both directions pass (a mirror port may show one of them, and two routes \
                     one each), ",
                false => "",
            },
            place(&at)
        ),
        Life::CaptureAll => "Capture again without losing packets: headers only, with a larger buffer, \
             onto a local disk (`tcpdump -s 128 -B 65536 -w why.pcap`). At its end tcpdump says how \
             many packets the kernel dropped: none must be."
            .to_owned(),
        Life::AskKernel { at } => format!(
            "No capture shows more than this one. What the kernel of {} waits for its own counters tell while the \
             transfer runs: `tcpwhy live` there, or `ss -tino` (rwnd_limited, sndbuf_limited, app_limited, notsent).",
            place(&at)
        ),
    }
}
