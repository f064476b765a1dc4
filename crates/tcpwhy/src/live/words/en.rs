//! English.

use super::{Headline, Held, Label, Line, Verdict, Watch, Words};
use crate::live::kernel::{Set, Status};
use crate::live::row::Role;
use crate::live::ui::Sort;
use crate::live::unlock::plan::{Refused, Step};
use tcpwhy_core::advice::quantity::{buffer, percent, rate, span};
use tcpwhy_core::advice::{Language, limit_label};
use tcpwhy_core::model::Limit;
use tcpwhy_core::socket::{Buffer, Difference, Holder};
use tcpwhy_core::units::Nanos;
use tcpwhy_live::causes::{Counts, Lost, Tuned};
use tcpwhy_live::memory::{Memory, Pressure};

/// The English texts.
#[derive(Debug)]
pub(super) struct En;

impl Words for En {
    fn language(&self) -> Language {
        Language::En
    }

    fn line(&self, line: Line) -> &'static str {
        match line {
            Line::Nothing => "No socket sent, received or waited (--all shows the idle ones).",
            Line::NoSocket => "No socket is connected.",
            Line::NothingYet => "No socket sent, received or waited; a shows the idle ones.",
            Line::NothingFits => "No socket fits the filter.",
            Line::Sampling => "sampling ...",
            Line::Frozen => "FROZEN",
            Line::Keys => {
                "q quit  ↑↓ choose  Enter details  s sort  / filter  f freeze  a all  ? keys"
            }
            Line::KeysToClose => "Esc close  q quit  ↑↓ choose  s sort  / filter  ? keys",
            Line::KeysOfFilter => {
                "Esc clear filter  q quit  ↑↓ choose  Enter details  s sort  / filter  ? keys"
            }
            Line::AllKeys => {
                "\
↑ ↓  k j    choose a socket; PgUp PgDn: ten at once
Enter       show or hide its details
s           sort by time lost, rate, round trip, process
/           filter: Enter keeps it, Esc clears it
Esc         close this, the details, or clear the filter
f  Space    freeze the screen
a           show the idle ones, too
?  h        these keys
q  Ctrl-C   quit"
            }
            Line::Closed => "(closed)",
            Line::Unchanged => "Nothing was changed. Add --yes to do it.",
            Line::Interrupted => "Interrupted; nothing was changed.",
            Line::Stays => "It stays so until the connection ends.",
            Line::PutBack => "Everything was put back.",
        }
    }

    fn header(&self) -> [&'static str; 8] {
        ["PROCESS", "LOCAL", "PEER", "OUT", "IN", "RTT", "LIMIT", "KERNEL'S STOPWATCH"]
    }

    fn screen(&self, long: bool) -> [&'static str; 7] {
        let last = if long { "LAST ROUND" } else { "LAST MINUTE" };
        ["PROCESS", "PEER", "RATE", "RTT", "LIMIT NOW", "LOST", last]
    }

    fn unmatched(&self, options: &str) -> String {
        format!("No socket fits {options}.")
    }

    fn role(&self, role: Role) -> &'static str {
        role.name()
    }

    fn verdict(&self, v: &Verdict<'_>) -> String {
        let share = v.share.map_or_else(String::new, |share| format!(" {}", percent(share)));
        let cause = v.cause.map_or_else(String::new, |cause| format!(", {cause}"));
        let held = v.held.map_or_else(String::new, |held| format!(": {}", self.held(held)));
        format!("{}{share}{cause}{held}", v.limit)
    }

    fn limit(&self, limit: &str, cause: Option<&str>) -> String {
        cause.map_or_else(|| limit.to_owned(), |cause| format!("{limit}, {cause}"))
    }

    fn held(&self, held: Held) -> String {
        match held {
            Held::Send(b) => self.buffer(&b, "tcp_wmem"),
            Held::Refused => {
                "the kernel refuses memory for more (tcp_mem, or the cgroup's bound)".to_owned()
            }
            Held::Receive(b) => format!("receive buffer {}", self.buffer(&b, "tcp_rmem")),
            Held::LateAcks => "late ACKs: slow reader, or a queue on the path".to_owned(),
            Held::LowWater(bytes) => {
                format!("writer held by TCP_NOTSENT_LOWAT at {}", buffer(bytes.into()))
            }
        }
    }

    fn buffer(&self, b: &Buffer, sysctl: &str) -> String {
        let size = buffer(b.bytes);
        match b.holder {
            Holder::Application => format!("locked by the application at {}", buffer(b.bytes / 2)),
            Holder::SystemMost => format!("{size}, held by {sysctl} max"),
            Holder::NotGrownYet => format!("{size}, not grown yet ({sysctl} allows more)"),
            Holder::NotPermitted => format!("{size}, lock not readable"),
        }
    }

    fn watch(&self, w: &Watch) -> String {
        let mark = if w.differs { " (differs)" } else { "" };
        let (busy, rwnd, sndbuf) = (percent(w.busy), percent(w.rwnd), percent(w.sndbuf));
        format!("busy {busy} rwnd {rwnd} sndbuf {sndbuf}{mark}")
    }

    fn difference(&self, difference: Difference) -> &'static str {
        match difference {
            Difference::LateForBuffer => {
                "the kernel counts a full send buffer only after a transmission that the congestion window did not stop, \
                 with the queue empty and a writer already waiting"
            }
            Difference::PacedFirst => {
                "the kernel tests pacing and the congestion window before the receive window, and counts a paced sender as busy"
            }
            Difference::Trickle => {
                "busy only says that data was unacknowledged, which an application that trickles keeps up"
            }
            Difference::RunsOn => {
                "the kernel's watch keeps running on one limit until the next transmission"
            }
        }
    }

    fn explained(&self, watch: &str, difference: Difference) -> String {
        format!("{watch}: {}", self.difference(difference))
    }

    fn differs(&self, difference: Difference) -> String {
        format!("the kernel's stopwatch differs: {}", self.difference(difference))
    }

    fn user(&self, uid: u32) -> String {
        format!("(uid {uid})")
    }

    fn label(&self, label: Label) -> &'static str {
        match label {
            Label::SendBuffer => "send buffer",
            Label::Flight => "in flight",
            Label::PeerWindow => "peer's window",
            Label::ReceiveBuffer => "receive buffer",
            Label::Queue => "queue",
            Label::Watch => "kernel's watch",
            Label::Judged => "at each ACK",
            Label::Slept => "threads slept",
            Label::Tuned => "autotuning",
            Label::Events => "events",
            Label::Set => "set",
        }
    }

    fn slept(&self, writing: f64, reading: f64) -> Option<String> {
        let parts = [("in writes", writing), ("in reads", reading)];
        let slept = parts.iter().filter(|(_, part)| *part > 0.0);
        let words: Vec<_> = slept.map(|(at, part)| format!("{at} {}", percent(*part))).collect();
        (!words.is_empty()).then(|| format!("{} of the round", words.join(", ")))
    }

    fn shares(&self, limits: &[(Limit, f64)]) -> Option<String> {
        let word = |(limit, part): &(Limit, f64)| {
            format!("{} {}", limit_label(*limit, Language::En), percent(*part))
        };
        let words: Vec<_> = limits.iter().map(word).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn events(&self, c: &Counts) -> Option<String> {
        let all = [
            (c.retransmits, "retransmissions"),
            (c.refused_sending, "times no memory for sending"),
            (c.refused_receiving, "times no memory for receiving"),
            (c.queue_full, "segments dropped for a full receive queue"),
        ];
        let there = all.iter().filter(|(count, _)| *count > 0);
        let words: Vec<_> = there.map(|(count, what)| format!("{count} {what}")).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    fn tuned(&self, tuned: &Tuned) -> Option<String> {
        let of = |what: &str, send| {
            let (sizes, before) = super::sizes(tuned, send)?;
            let before =
                if before > 0 { format!(", {before} steps before") } else { String::new() };
            Some(format!("{what} buffer {sizes}{before}"))
        };
        let words: Vec<_> = of("send", true).into_iter().chain(of("receive", false)).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    fn set(&self, set: &Set, age: Nanos, stack: &str) -> String {
        let a = &set.asked;
        let value = a.value.map_or_else(|| "?".to_owned(), |value| value.to_string());
        let heir = if a.inherited { " on the listening socket" } else { "" };
        let (option, command, age) = (a.option.name(), &a.command, span(age));
        let (process, thread) = (a.process, a.thread);
        format!("{option} = {value}{heir} by {command} {process}/{thread} {age} ago: {stack}")
    }

    fn missing(&self, s: &Status, optional: bool) -> Vec<String> {
        let absent = s.absent.iter().map(|why| format!("Without the kernel's events: {why}."));
        let refused = s.refused.iter().filter(|r| optional || !r.optional).map(|r| {
            let loss = match r.program {
                "iter/task_file" => "; without it, processes are looked for through /proc, and locks read socket by socket",
                _ if r.optional => "; without it, only sleep in splice and io_uring is not told",
                _ => "",
            };
            format!("Not attached: {}: {}{loss}.", r.program, r.why)
        });
        let closed = s.closed.iter().map(|(count, why)| {
            format!("{count} network namespaces are not shown, for they cannot be entered: {why}.")
        });
        let Lost { calls, sleepers, places, counts, stacks } = s.lost;
        let lost = (!s.lost.is_none()).then(|| {
            format!(
                "Lost for want of room: {calls} calls of setsockopt, {sleepers} sleeping threads, {places} places of sleep, \
                 {counts} counts, {stacks} stacks."
            )
        });
        let short = s.memory.filter(|m| m.is_short).map(|Memory { pages, bounds, .. }| {
            let bound =
                bounds.map_or_else(String::new, |b| format!(", and tcp_mem[1] is {}", b.pressure));
            format!("TCP is short of memory: {pages} pages{bound}: buffers shrink.")
        });
        let Pressure { times, long } = s.pressure;
        let pressed = (!s.pressure.is_none()).then(|| {
            format!(
                "TCP ran short of memory {times} times since this began, for {} in all (TCPMemoryPressures): buffers shrank.",
                span(super::nanos(long))
            )
        });
        absent.chain(refused).chain(closed).chain(lost).chain(short).chain(pressed).collect()
    }

    fn headline(&self, h: &Headline<'_>) -> String {
        let by = match h.sort {
            Sort::Lost => "time lost",
            Sort::Rate => "rate",
            Sort::RoundTrip => "round trip",
            Sort::Process => "process",
        };
        let with = match h.filter {
            "" => String::new(),
            text => format!(", with \"{text}\""),
        };
        format!("tcpwhy live  {} sockets, by {by}{with}", h.sockets)
    }

    fn typing(&self, filter: &str) -> String {
        format!("filter: {filter}_   Enter keep  Esc clear")
    }

    fn packets(&self, in_flight: u32, cwnd: u32) -> String {
        format!("{in_flight} of {cwnd} packets (cwnd)")
    }

    fn window(&self, outstanding: u32, window: u32) -> String {
        format!("{} of {} that the peer offers", buffer(outstanding.into()), buffer(window.into()))
    }

    fn queues(&self, unsent: u32, unread: u32, offered: Option<u32>) -> String {
        let window = |w: u32| format!(", window offered {}", buffer(w.into()));
        let offered = offered.map_or_else(String::new, window);
        format!("unsent {}, unread {}{offered}", buffer(unsent.into()), buffer(unread.into()))
    }

    fn descriptor(&self, fd: u32, pid: u32, ends: Option<&str>) -> String {
        let ends = ends.map_or_else(String::new, |ends| format!(", {ends}"));
        format!("Descriptor {fd} of process {pid}{ends}")
    }

    fn step(&self, step: Step, most: u64) -> String {
        match step {
            Step::UnlockSend => {
                let most = if most > 0 { format!(" ({})", buffer(most)) } else { String::new() };
                format!(
                    "take the lock off the send buffer (SO_BUF_LOCK): the kernel tunes it again, up to tcp_wmem max{most}"
                )
            }
            Step::GrowReceive { ask, most } => format!(
                "set the receive buffer to 2 x {} (SO_RCVBUF) and its window clamp with it (TCP_WINDOW_CLAMP); the SYN's \
                 window scale allows {} at most",
                buffer(ask.into()),
                buffer(most)
            ),
        }
    }

    fn refused(&self, refused: &Refused) -> String {
        match *refused {
            Refused::NothingLocked { send, receive } => format!(
                "neither buffer is locked: the send buffer ({}) and the receive buffer ({}) are the kernel's to tune",
                buffer(send),
                buffer(receive)
            ),
            Refused::Unscaled => {
                "the receive buffer was set before the connection was made, so its SYN fixed a window scale of 0: no window \
                 above 64 KiB can be offered on it any more; remove the call that sets SO_RCVBUF and connect again"
                    .to_owned()
            }
            Refused::Listens => {
                "it listens, and there is no connection on it to make faster: what it accepts inherits its buffers, so remove \
                 the call that sets them before listen(), and connect again"
                    .to_owned()
            }
            Refused::NotConnected => "it is not connected: there is nothing to make faster".to_owned(),
            Refused::LargeAlready { receive, most } => format!(
                "the receive buffer is {} already, and net.core.rmem_max ({}) allows no larger one",
                buffer(receive),
                buffer(most)
            ),
        }
    }

    fn not_possible(&self, why: &str) -> String {
        format!("not possible: {why}")
    }

    fn before(&self, bps: u64) -> String {
        format!("before: {}", rate(bps))
    }

    fn after(&self, before_bps: u64, bps: u64) -> String {
        let gain = match super::gain(before_bps, bps) {
            None if bps == 0 => ": nothing crossed, so the gain is not known".to_owned(),
            None => String::new(),
            Some(times) if times >= super::WORTH => format!(", {times:.1} times as fast"),
            Some(_) => ": no gain; the buffer was not what held it".to_owned(),
        };
        format!("after:  {}{gain}", rate(bps))
    }
}
