//! What stands on a chart, a catalogue for each language. Things are called as on the page (`web/src/words`).

mod en;
mod zh;

use super::Kind;
use tcpwhy_core::advice::Language;
use tcpwhy_core::picture::Mark;

/// What a line, a bar or a dot shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Data,
    Resent,
    Acks,
    Edge,
    Sacks,
    Flight,
    Window,
    Plateau,
    Cwnd,
    Rtt,
    RttFloor,
    Sent,
    Goodput,
    SendQueue,
    SendMemory,
    SendBuffer,
    SampledCwnd,
    Ssthresh,
    ReceiveQueue,
    ReceiveBuffer,
}

/// Where data lies on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Store {
    Sender,
    /// The buffer never held the transfer: how large it is, no packet tells.
    UnknownSender,
    Road,
    Receiver,
}

/// The name of a store.
pub(super) fn store(language: Language, store: Store) -> &'static str {
    match language {
        Language::En => en::store(store),
        Language::Zh => zh::store(store),
    }
}

/// The title of a chart of what `from` sends to `to`.
pub(super) fn title(language: Language, kind: Kind, from: &str, to: &str) -> String {
    match language {
        Language::En => format!("{}: {from} to {to}", en::title(kind)),
        Language::Zh => format!("{}：{from} 至 {to}", zh::title(kind)),
    }
}

/// The two hosts.
pub(super) fn hosts(language: Language) -> [&'static str; 2] {
    match language {
        Language::En => ["client", "server"],
        Language::Zh => ["客户端", "服务器"],
    }
}

/// A name in the legend.
pub(super) fn key(language: Language, key: Key) -> &'static str {
    match language {
        Language::En => en::key(key),
        Language::Zh => zh::key(key),
    }
}

/// What a symbol means.
pub(super) fn mark(language: Language, mark: Mark) -> &'static str {
    match language {
        Language::En => en::mark(mark),
        Language::Zh => zh::mark(mark),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charts_call_things_as_the_page_does() {
        let web = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/words/");
        let keys = [
            ("data", Key::Data),
            ("resent", Key::Resent),
            ("acks", Key::Acks),
            ("edge", Key::Edge),
            ("sacks", Key::Sacks),
            ("flight", Key::Flight),
            ("window", Key::Window),
            ("buffer", Key::Plateau),
            ("cwnd", Key::Cwnd),
            ("rtt", Key::Rtt),
            ("rtt_floor", Key::RttFloor),
            ("sent", Key::Sent),
            ("goodput", Key::Goodput),
            ("send_queue", Key::SendQueue),
            ("send_memory", Key::SendMemory),
            ("send_buffer", Key::SendBuffer),
            ("cwnd_real", Key::SampledCwnd),
            ("ssthresh", Key::Ssthresh),
            ("receive_queue", Key::ReceiveQueue),
            ("receive_buffer", Key::ReceiveBuffer),
        ];
        let marks = [
            "zero_window",
            "window_full",
            "duplicate_ack",
            "ce",
            "ece",
            "cwr",
            "syn",
            "fin",
            "rst",
            "timeout",
        ];
        let kinds = [
            ("chart_sequence", Kind::TimeSequence),
            ("chart_flight", Kind::Flight),
            ("chart_window", Kind::Window),
            ("chart_rtt", Kind::Rtt),
            ("chart_rate", Kind::Throughput),
            ("chart_sockets", Kind::Samples),
            ("timeline", Kind::Band),
            ("ladder", Kind::Ladder),
        ];
        for language in Language::ALL {
            let path = format!("{web}{}.ts", language.code());
            let page = std::fs::read_to_string(path).unwrap();
            let holds = |name: &str, text: &str| {
                let line = format!("{name}: \"{text}\",");
                assert!(page.contains(&line), "{} has no {line}", language.code());
            };
            keys.iter().for_each(|(name, k)| holds(&format!("key_{name}"), key(language, *k)));
            for (name, kind) in marks.iter().zip(Mark::ALL) {
                holds(&format!("mark_{name}"), mark(language, kind));
            }
            ["client", "server"].iter().zip(hosts(language)).for_each(|(name, h)| holds(name, h));
            for (name, kind) in kinds {
                let title = title(language, kind, "a", "b");
                holds(name, title.split([':', '：']).next().unwrap());
            }
        }
    }
}
