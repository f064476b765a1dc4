//! Both languages tell the same.

use super::*;
use crate::live::fixture;
use crate::live::kernel::Set;
use std::time::Duration;
use tcpwhy_core::advice::{cause_label, limit_label};
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::socket::Holder;
use tcpwhy_live::causes::{Lost, Step as Tuning};
use tcpwhy_live::events::Refused as NotAttached;
use tcpwhy_live::memory::{Bounds, Memory, Pressure};

/// Numbers and names of options, programs and files in a text.
fn facts(text: &str) -> Vec<&str> {
    let mut facts: Vec<_> = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || "._%/".contains(c)))
        .map(|word| word.trim_matches(['.', '%', '/']))
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()) || word.contains('_'))
        .collect();
    facts.sort_unstable();
    facts
}

fn buffers(w: &dyn Words) -> Vec<String> {
    let all = [Holder::Application, Holder::SystemMost, Holder::NotGrownYet, Holder::NotPermitted];
    let buffer = |holder| Buffer { bytes: 32_768, holder };
    let mut texts: Vec<_> = all.iter().map(|h| w.buffer(&buffer(*h), "tcp_wmem")).collect();
    let receive = Held::Receive(buffer(Holder::SystemMost));
    let held = [receive, Held::Refused, Held::LateAcks, Held::LowWater(4096)];
    texts.extend(held.map(|held| w.held(held)));
    texts.extend([Held::LateAcks, Held::Send(buffer(Holder::Application))].map(|held| {
        let limit = limit_label(Limit::SendBuffer, w.language());
        let cause = cause_label(Cause::SmallBuffer, w.language());
        w.verdict(&Verdict { limit, share: Some(0.75), cause, held: Some(held) })
    }));
    texts
}

fn told(w: &dyn Words) -> Vec<String> {
    let asked = fixture::asked("server");
    let set = Set { asked, time_ns: 0, stack: Vec::new() };
    let counts = Counts { retransmits: 3, queue_full: 1, ..Counts::default() };
    let status = Status {
        absent: Some("error 1".into()),
        refused: vec![
            NotAttached { program: "sys_enter", why: "error 2".into(), optional: false },
            NotAttached { program: "fentry/sk_wait_data", why: "error 3".into(), optional: true },
            NotAttached { program: "iter/task_file", why: "error 15".into(), optional: true },
        ],
        lost: Lost { calls: 3, sleepers: 4, places: 5, counts: 6, stacks: 7 },
        closed: Some((8, "error 9".into())),
        memory: Some(Memory {
            pages: 12,
            bounds: Some(Bounds { pressure: 11, most: 13 }),
            is_short: true,
        }),
        pressure: Pressure { times: 14, long: Duration::from_millis(1500) },
    };
    let step = |send, from, to| Tuning { t_ns: 0, send, from, to };
    let newest = vec![step(true, 4096, 8192), step(false, 5120, 6144), step(true, 8192, 10_240)];
    let tuned = Tuned { send: 7, receive: 1, newest };
    let watch = Watch { busy: 0.5, rwnd: 0.25, sndbuf: 0.0, differs: true };
    let mut texts = w.missing(&status, true);
    assert_eq!(w.missing(&status, false).len() + 2, texts.len(), "what is optional");
    texts.extend(w.slept(0.5, 0.25));
    texts.extend(w.events(&counts));
    texts.extend(w.tuned(&tuned));
    texts.extend([
        w.set(&set, Nanos::from_secs(2), "main (server) < _start"),
        w.watch(&watch),
        w.user(33),
        w.headline(&Headline { sockets: 4, sort: Sort::Lost, filter: "nginx1" }),
        w.packets(12, 30),
        w.window(1000, 2000),
        w.queues(1, 2, Some(3)),
    ]);
    texts
}

fn unlock(w: &dyn Words) -> Vec<String> {
    let refused = [
        Refused::NothingLocked { send: 1000, receive: 2000 },
        Refused::Unscaled,
        Refused::Listens,
        Refused::NotConnected,
        Refused::LargeAlready { receive: 3000, most: 4000 },
    ];
    let steps = [Step::UnlockSend, Step::GrowReceive { ask: 5000, most: 6000 }];
    let mut texts: Vec<_> = refused.iter().map(|why| w.refused(why)).collect();
    texts.extend(steps.map(|step| w.step(step, 7000)));
    texts.extend([
        w.descriptor(12, 4711, Some("10.0.0.1:1 → 10.0.0.2:2")),
        w.before(8_000_000),
        w.after(8_000_000, 80_000_000),
        w.after(8_000_000, 8_000_000),
        w.after(0, 8_000_000),
        w.after(0, 0),
    ]);
    texts
}

#[test]
fn every_language_tells_the_same_numbers_and_options() {
    for texts in [buffers, told, unlock] {
        let (en, zh) = (texts(&en::En), texts(&zh::Zh));
        assert_eq!(en.len(), zh.len());
        for (en, zh) in en.iter().zip(&zh) {
            assert_eq!(facts(en), facts(zh), "{en} / {zh}");
        }
    }
}

#[test]
fn only_what_happened_is_told() {
    for words in [of(Language::En), of(Language::Zh)] {
        assert_eq!(words.slept(0.0, 0.0), None);
        assert_eq!(words.events(&Counts::default()), None);
        assert!(words.missing(&Status::default(), true).is_empty());
        assert_eq!(words.tuned(&Tuned::default()), None);
    }
    let counts = Counts { retransmits: 3, queue_full: 1, ..Counts::default() };
    let told = of(Language::En).events(&counts).unwrap();
    assert!(told.contains("3 retransmissions, 1 segments dropped"), "{told}");
    let step = |send, from, to| Tuning { t_ns: 0, send, from, to };
    let newest = vec![step(true, 4096, 8192), step(false, 5120, 6144), step(true, 8192, 10_240)];
    let tuned = of(Language::En).tuned(&Tuned { send: 7, receive: 1, newest }).unwrap();
    assert_eq!(
        tuned,
        "send buffer 4.0 KiB → 8.0 KiB → 10.0 KiB, 5 steps before; receive buffer 5.0 KiB → 6.0 KiB"
    );
    assert_eq!(of(Language::En).slept(0.5, 0.0).unwrap(), "in writes 50 % of the round");
}

#[test]
fn a_label_leaves_room_in_every_language() {
    let labels = [
        Label::SendBuffer,
        Label::Flight,
        Label::PeerWindow,
        Label::ReceiveBuffer,
        Label::Queue,
        Label::Watch,
        Label::Judged,
        Label::Slept,
        Label::Tuned,
        Label::Events,
        Label::Set,
    ];
    for words in [of(Language::En), of(Language::Zh)] {
        for label in labels {
            let text = labelled(words, label, "x");
            assert_eq!(tcpwhy_report::columns(&text), LABEL + 1, "{text}");
        }
    }
}
