//! English.

use super::{Course, Label, Line, Words};
use crate::phase_in_words;
use tcpwhy_core::advice::quantity::{buffer, data, percent, rate, span};
use tcpwhy_core::check::{Gain, Judged, NEVER, Path, Source, Weight, What};
use tcpwhy_core::whatif::transfer::Phase;

/// The English texts.
pub(super) struct En;

impl Words for En {
    fn line(&self, line: Line) -> &'static str {
        match line {
            Line::Nothing { paths: true } => {
                "Nothing that limits or harms a transfer was found over these paths."
            }
            Line::Nothing { paths: false } => "Nothing that harms every transfer was found.",
            Line::LookAt => "What to look at",
            Line::Leave => "Leave as it is",
            Line::NoPath => {
                "No path is known: only settings that harm every transfer were looked at, not whether buffers are large enough. Name a path with --rate and --rtt, or --peer."
            }
            Line::NothingToChange => "Nothing to change.",
            Line::HowToUse => "  save it as /etc/sysctl.d/90-tcpwhy.conf and run sysctl --system",
        }
    }

    fn label(&self, label: Label) -> &'static str {
        match label {
            Label::Congestion => "congestion control",
            Label::SendBuffers => "send buffers",
            Label::ReceiveBuffers => "receive buffers",
            Label::Memory => "memory of TCP",
            Label::Device => "device",
            Label::Route => "route",
        }
    }

    fn assumed(&self, version: &str) -> String {
        format!("{version} (assumed)")
    }

    fn unknown(&self) -> &'static str {
        "not known"
    }

    fn memory(&self, used: Option<u64>, pressure: u64, most: u64) -> String {
        let used = used.map_or(String::new(), |used| format!("{} used, ", buffer(used)));
        format!("{used}pressure at {}, at most {}", buffer(pressure), buffer(most))
    }

    fn range(&self, from: u64, to: u64) -> String {
        format!("{} to {}", buffer(from), buffer(to))
    }

    fn note(&self, text: &str) -> String {
        format!("note: {text}")
    }

    fn path(&self, n: usize, p: &Path) -> String {
        let peer = p.peer.map_or(String::new(), |peer| format!(" to {peer}"));
        let (rate, rtt) = (rate(p.rate_bps), span(p.rtt));
        let (rate_from, rtt_from) = (self.source(p.rate_from), self.source(p.rtt_from));
        format!("Path {n}{peer}: {rate} ({rate_from}), round trip {rtt} ({rtt_from})")
    }

    fn route(&self, device: &str, mss: u64, initcwnd: Option<u32>) -> String {
        let cwnd = initcwnd.map_or(String::new(), |v| format!(", initcwnd {v}"));
        format!("through {device}, segments of {mss} B{cwnd}")
    }

    fn by_the_model(&self, judged: &Judged) -> String {
        format!("BDP {}; {} by the model:", data(judged.path.bdp()), data(judged.size))
    }

    fn course(&self, c: &Course) -> String {
        let (what, time, rate) = (does(c.sends), span(c.time), rate(c.bps));
        let when = if c.steady { " in the end" } else { "" };
        let part = percent(c.part);
        let held = |&(phase, part): &_| format!("{} {}", phase_in_words(phase), percent(part));
        let held = c.held.iter().map(held).collect::<Vec<_>>().join(", ");
        format!(
            "the host {what:<8} in {time:>8}, at {rate}{when} ({part} of the path), held by {held} of the time"
        )
    }

    fn endless(&self, sends: bool, limit: Phase) -> String {
        let (what, limit) = (does(sends), phase_in_words(limit));
        format!("the host {what:<8} and does not end, held by {limit}")
    }

    fn weight(&self, weight: Weight) -> &'static str {
        match weight {
            Weight::Limit => "limits",
            Weight::Harm => "harms",
            Weight::Note => "note",
        }
    }

    fn gain(&self, gain: &Gain, path: Option<usize>) -> String {
        let on = path.map_or(String::new(), |n| format!(" on path {n}"));
        let on = match gain.together {
            true => format!("{on}, with all that limits changed together"),
            false => on,
        };
        let (size, after) = (data(gain.size), span(gain.after));
        if gain.before == NEVER {
            return format!("gain by the model{on}: {size} in {after}, which does not end now");
        }
        let (before, factor) = (span(gain.before), gain.factor());
        format!(
            "gain by the model{on}: {size} in {after} instead of {before} ({factor:.1} times as fast)"
        )
    }

    fn cost(&self, each: u64, all: Option<u64>) -> String {
        let all = all.map_or(String::new(), |all| {
            format!("; all connections together never more than tcp_mem's {}", buffer(all))
        });
        format!("memory at worst: {} more a connection{all}", buffer(each))
    }

    fn of_host(&self, name: &str) -> String {
        format!("From tcpwhy check of {name}. Read it, then:")
    }

    fn of_path(&self, p: &Path) -> String {
        let peer = p.peer.map_or(String::new(), |peer| format!(" to {peer}"));
        format!("Path{peer}: {}, round trip {}", rate(p.rate_bps), span(p.rtt))
    }

    fn now(&self, current: &str, what: What) -> String {
        format!("Now {current}: {}.", self.why(what))
    }

    fn why(&self, what: What) -> &'static str {
        match what {
            What::SendMax => "the kernel does not let send buffers grow to what this path needs",
            What::ReceiveMax => {
                "the kernel does not let receive windows grow to what this path needs"
            }
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
            What::ReceiveOffload => {
                "packets are received one by one, which costs processor time and makes more ACKs"
            }
            What::SmallMtu => "headers take more of the rate, and there are more packets to handle",
            What::MemoryPressure => {
                "TCP takes more memory than the pressure mark: windows shrink and buffers do not grow; find who holds the memory first (ss -tm)"
            }
            What::MemoryMarks => {
                "it allows TCP more than the whole memory: the setting counts pages, not bytes; take it out and let the kernel choose"
            }
            What::MemoryLimit => {
                "all connections together get no more than this (pages), and one transfer over this path needs more: larger buffers do not help before that is mended; take it out and let the kernel choose"
            }
            What::SendLocked => {
                "the program set SO_SNDBUF, which switches off the kernel's tuning; take the call out of it"
            }
            What::ReceiveLocked => {
                "the program set SO_RCVBUF, which switches off the kernel's tuning; take the call out of it"
            }
        }
    }

    fn stay(&self, setting: &str) -> &'static str {
        match setting {
            "net.ipv4.tcp_mem" => "pages, chosen by the kernel from the machine's memory",
            "net.ipv4.tcp_moderate_rcvbuf" => "1 lets receive windows grow",
            "net.ipv4.tcp_adv_win_scale" => "without effect from Linux 6.6 on; before, 1 is right",
            "net.ipv4.tcp_sack" => "1 repairs several losses in a round trip",
            "net.ipv4.tcp_timestamps" => "1 measures round trips and protects fast paths",
            _ => "1 allows windows beyond 64 KiB",
        }
    }

    fn source(&self, source: Source) -> &'static str {
        match source {
            Source::Given => "given",
            Source::Sockets => "seen in live sockets",
            Source::Connect => "time that a connection took to open",
            Source::Device => "speed of the device",
        }
    }
}

fn does(sends: bool) -> &'static str {
    if sends { "sends" } else { "receives" }
}
