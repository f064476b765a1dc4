//! Steps on the congestion control and the path.

use crate::advice::quantity::{rate, span};
use crate::advice::step::{Network, Unseen};
use crate::advice::words::en::{known, limit, many, place};

/// One step as an instruction.
pub(super) fn step(step: &Network) -> String {
    match *step {
        Network::ReuseConnection { rtt, first } => format!(
            "Reuse a warm connection (keep-alive, a connection pool) instead of opening one per \
             transfer: every new one feels its way up from about {first} packets, doubling once per \
             round trip{}.",
            if rtt.0 > 0 { format!(" of {}", span(rtt)) } else { String::new() }
        ),
        Network::RaiseInitcwnd { at } => format!(
            "If short transfers on new connections matter, a larger first burst saves a round trip \
             per doubling; on {}: `ip route change ... initcwnd 20`, for routes that can take it.",
            place(&at)
        ),
        Network::KeepCwndAfterIdle { at } => format!(
            "On {}, `sysctl -w net.ipv4.tcp_slow_start_after_idle=0` lets a connection keep its \
             speed over a pause.",
            place(&at)
        ),
        Network::FindLoss { at } => format!(
            "Find where packets are lost: `ip -s link` and `ethtool -S` on {} and at the other end, \
             the counters of switches and Wi-Fi on the way, a capture at both ends.",
            place(&at)
        ),
        Network::TryBbr { at } => format!(
            "If the losses cannot be removed, a congestion control that does not take each loss for \
             congestion helps: on {}, `sysctl -w net.ipv4.tcp_congestion_control=bbr` (after \
             `modprobe tcp_bbr`, where it is a module).",
            place(&at)
        ),
        Network::InspectPacing { at } => format!(
            "On {}, `ss -ti` shows pacing_rate: if it is what SO_MAX_PACING_RATE or a `tc` rule \
             asked for, raise that; if the congestion control (bbr) chose it, it is the path's rate \
             as measured.",
            place(&at)
        ),
        Network::InspectCwnd { at } => format!(
            "On {}, `ss -ti` shows cwnd, ssthresh and the retransmissions that lowered them.",
            place(&at)
        ),
        Network::LittleToGain { then, next } => format!(
            "Little to gain here: without this limit the transfer would still take {}, held by the \
             next ({}).",
            span(then),
            limit(next)
        ),
        Network::GainUnknown(Unseen::Path { carried }) => format!(
            "What would be gained without this limit cannot be predicted, for the capture does not \
             show how fast the path is: it carried {}, and may carry more.",
            rate(carried)
        ),
        Network::GainUnknown(Unseen::Round { resent }) => format!(
            "What would be gained without this limit cannot be predicted, for the capture shows no \
             round trip: {}.",
            match resent {
                true =>
                    "whether an acknowledgement is for data or for its copy that was sent again only \
                     TCP timestamps tell, and those need 128 bytes of each packet (`-s 128`)",
                false => "no acknowledgement in it tells when what it is for was sent",
            }
        ),
        Network::NothingToGain { rate: 0, .. } => {
            "Nothing to gain from buffers or kernel settings: the link is full.".to_owned()
        }
        Network::NothingToGain { rate: bps, shared_by } => format!(
            "Nothing to gain from buffers or kernel settings: the link is full at {}{}.",
            rate(bps),
            known(shared_by > 0, || format!(
                ", which this connection shares with {}: what one of them gains the others lose",
                many(shared_by, "other", "others")
            ))
        ),
        Network::NothingWhileFull { rate: bps } => format!(
            "While the link is full, at {}, only a faster link, less other traffic on it, or fewer \
             bytes help, and no buffer or kernel setting.",
            rate(bps)
        ),
        Network::Besides { other, left, at_most } => format!(
            "At other times another limit held it ({}): without that the transfer would take {}{}.",
            limit(other),
            if at_most { "at most " } else { "" },
            span(left)
        ),
        Network::CompareWithLink { rate: bps, shared_by } => format!(
            "First compare {}, which this connection and {} between the same hosts carried together, with what the link \
             should carry: if it is as much, the link is full, the losses are its queue's, and there is nothing to gain.",
            rate(bps),
            many(shared_by, "other", "others")
        ),
        Network::SuspectTheWriter { at, queue_unseen } => format!(
            "{}, though: first make sure that the application on {} does not write at just this rate by itself (a rate \
             limit, a timer, a media stream).",
            if queue_unseen {
                "Without timestamps this capture does not show whether a queue stood before that link"
            } else {
                "No queue stood before that link"
            },
            place(&at)
        ),
        Network::SendLess { resting } => format!(
            "Only a faster link, less other traffic on it, or fewer bytes (compression, caching, \
             asking for less) {}.",
            if resting {
                "shortens the time in which data moves; most of the time nothing is sent, for the \
                 applications wait or work"
            } else {
                "shortens this transfer"
            }
        ),
        Network::ShortenQueue { floor, high } => format!(
            "The queue before the link stretches the round trip from {} to {} for everybody on it: \
             fq_codel or cake at the bottleneck keeps it short without costing this transfer \
             anything.",
            span(floor),
            span(high)
        ),
        Network::QueueIsManaged { long } => format!(
            "The queue before the link is managed already (AQM): marks (ECN) make the sender slow \
             down in place of losses. Another fq_codel or cake gains nothing there; leave ECN on at \
             both ends (net.ipv4.tcp_ecn).{}",
            long.map_or_else(String::new, |(floor, high)| format!(
                " If {} are too long for a round trip that can take {}, its target is too high, or \
                 another queue stands behind it (in a modem, in a Wi-Fi driver).",
                span(high),
                span(floor)
            ))
        ),
        Network::MarkLater { rtt } => format!(
            "Where the queue is yours (a switch's or a router's), let more wait before it marks: the \
             link stays busy through a window that was cut if what waits takes a good part of a \
             round trip ({}) to send. Leave ECN on: without it the same queue drops.",
            span(rtt)
        ),
        Network::ShapeBelowPolicer { at, rate: 0 } => format!(
            "Otherwise shape on {} just below the allowed rate (`tc qdisc ... fq maxrate`, \
             SO_MAX_PACING_RATE): what is not dropped need not be resent.",
            place(&at)
        ),
        Network::ShapeBelowPolicer { at, rate: bps } => format!(
            "Otherwise shape on {} just below the rate that was agreed on, which is {} or more (`tc \
             qdisc ... fq maxrate`, SO_MAX_PACING_RATE): what is not dropped need not be resent.",
            place(&at),
            rate(bps)
        ),
        Network::RaisePolicedRate => {
            "Ask whoever runs the network (provider, cloud instance type, \
             firewall rule) for a higher rate or for shaping in place of policing; no setting at \
             the ends lifts it."
                .to_owned()
        }
        Network::KeepRack { at } => format!(
            "On {}, see that Linux's modern loss recovery is on, as by default: \
             net.ipv4.tcp_recovery=1, net.ipv4.tcp_early_retrans=3, net.ipv4.tcp_sack=1, \
             net.ipv4.tcp_timestamps=1.",
            place(&at)
        ),
        Network::FindReordering => "Look for what delays or reorders packets on the way: load \
             balancing per packet, Wi-Fi or mobile links with long retries, queues that stall."
            .to_owned(),
    }
}
