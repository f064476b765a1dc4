//! Why each finding matters, and what to do about it.

use tcpwhy_core::check::{Source, What};

/// One sentence: what it does to a transfer, and what to change.
pub(super) fn why(what: What) -> &'static str {
    match what {
        What::SendMax => "the kernel does not let send buffers grow to what this path needs",
        What::ReceiveMax => "the kernel does not let receive windows grow to what this path needs",
        What::SendClamp => {
            "a program that sets SO_SNDBUF gets this much at most, in silence; better it sets none"
        }
        What::ReceiveClamp => {
            "a program that sets SO_RCVBUF gets this much at most, in silence; better it sets none"
        }
        What::NoAutotuning => {
            "receive windows do not grow: every connection stays at tcp_rmem's middle value"
        }
        What::NoWindowScaling => "no window is larger than 64 KiB, in either direction",
        What::NoSack => "after losses the sender learns of one hole each round trip",
        What::NoTimestamps => {
            "retransmitted data gives no round trip, and sequence numbers that wrap on fast paths are not told apart"
        }
        What::AdvWinScale => {
            "it takes more of each receive buffer for overhead than it must; windows are smaller for it"
        }
        What::IdleRestart => {
            "after a pause a connection starts slowly again; 0 keeps the window (connections that are used again and again gain)"
        }
        What::NotsentLowat => {
            "writers wait although the send buffer has room; it is a choice for latency"
        }
        What::InitialWindow => {
            "the route starts with fewer segments than the kernel would by itself"
        }
        What::InitialReceive => {
            "the route offers a first window smaller than the sender's first flight"
        }
        What::Congestion => {
            "it recovers slowly from losses on this path (net.ipv4.tcp_available_congestion_control lists others)"
        }
        What::Shaper => "this queueing discipline holds a rate or adds delay: see tc -s qdisc",
        What::Offload => {
            "packets are made one by one, which costs processor time, and a fixed send buffer holds less"
        }
        What::SmallMtu => "headers take more of the rate, and there are more packets to handle",
        What::MemoryPressure => {
            "TCP takes more memory than the pressure mark: windows shrink and buffers do not grow; find who holds the memory first (ss -tm)"
        }
        What::MemoryMarks => {
            "it allows TCP more than the whole memory: the setting counts pages, not bytes; take it out and let the kernel choose"
        }
        What::SendLocked => {
            "the program set SO_SNDBUF, which switches off the kernel's tuning; take the call out of it"
        }
        What::ReceiveLocked => {
            "the program set SO_RCVBUF, which switches off the kernel's tuning; take the call out of it"
        }
    }
}

/// Why a setting should stay.
pub(super) fn stay(setting: &str) -> &'static str {
    match setting {
        "net.ipv4.tcp_mem" => "pages, chosen by the kernel from the machine's memory",
        "net.ipv4.tcp_moderate_rcvbuf" => "1 lets receive windows grow",
        "net.ipv4.tcp_adv_win_scale" => "without effect from Linux 6.6 on; before, 1 is right",
        "net.ipv4.tcp_sack" => "1 repairs several losses in a round trip",
        "net.ipv4.tcp_timestamps" => "1 measures round trips and protects fast paths",
        _ => "1 allows windows beyond 64 KiB",
    }
}

/// Where a number comes from.
pub(super) fn source(source: Source) -> &'static str {
    match source {
        Source::Given => "given",
        Source::Sockets => "seen in live sockets",
        Source::Connect => "time that a connection took to open",
        Source::Device => "speed of the device",
    }
}
