//! Every message in every language, with the same arguments.

use super::exchange::{in_one_flight, refused, unanswered, unheard};
use super::*;
use crate::advice::bdp::Bdp;
use crate::advice::figures::{Figures, Place};
use crate::advice::step::{Buffer, Life, Network, Step, Unseen, Work};
use std::collections::BTreeSet;

/// The numbers in a text (addresses and grouped ones whole), sorted: the arguments that it shows.
fn numbers(text: &str) -> Vec<&str> {
    let inside = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | ':');
    let trimmed = text.split(|c| !inside(c)).map(|n| n.trim_matches(['.', ',', ':']));
    let mut numbers: Vec<_> = trimmed.filter(|n| !n.is_empty()).collect();
    numbers.sort_unstable();
    numbers
}

/// Calls, options, sysctls and commands: what stays as it is in any language.
fn names(text: &str) -> BTreeSet<&str> {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let words = text.split(|c| !inside(c)).map(|w| w.trim_matches('.'));
    let commands = text.split('`').skip(1).step_by(2);
    words.filter(|w| w.contains('_')).chain(commands).collect()
}

fn assert_same(what: &str, [en, zh]: [String; 2]) {
    assert_eq!(numbers(&en), numbers(&zh), "{what}\n{en}\n{zh}");
    assert_eq!(names(&en), names(&zh), "{what}\n{en}\n{zh}");
    assert!(en.is_ascii() && en.ends_with('.'), "{what}\n{en}");
    assert!(zh.ends_with('。') && !zh.contains("  "), "{what}\n{zh}");
    // What a sentence pasted together from pieces would show.
    for wrong in ["（）", "，，", "。。", "，。", "；；", "，；", "、。", "{", "}"] {
        assert!(!zh.contains(wrong), "{what}\n{zh}");
    }
    // Between Chinese and Latin there is a space, or a full-width mark.
    let letters: Vec<_> = zh.chars().collect();
    let latin = |c: char| c.is_ascii() && c != ' ';
    let chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    for three in letters.windows(3) {
        let gap = three[1] == ' ' && !three[0].is_ascii() && !three[2].is_ascii();
        assert!(!gap, "{what} {three:?}\n{zh}");
    }
    for pair in letters.windows(2) {
        let meet = |a: char, b: char| latin(a) && chinese(b);
        assert!(!meet(pair[0], pair[1]) && !meet(pair[1], pair[0]), "{what} {pair:?}\n{zh}");
    }
}

fn both(say: impl Fn(Language) -> String) -> [String; 2] {
    Language::ALL.map(say)
}

fn unmeasured(c: &mut Connection) {
    let d = &mut c.directions[1];
    d.retransmitted = 0;
    (d.facts.rtt_floor, d.facts.peak_bps, d.facts.mss) = (Nanos::ZERO, 0, 0);
    for i in &mut d.timeline {
        (i.evidence, i.first_frame, i.last_frame) = (Evidence::default(), 0, 0);
    }
}

fn doubtful(c: &mut Connection) {
    let d = &mut c.directions[1];
    (d.verdict.confidence, d.verdict.share) = (0.6, 0.4);
    d.facts.scale = WindowScale::Inferred { min: 5, max: 7 };
    d.timeline[0].to = Nanos(5_000_000_000);
    c.rtt.p95 = Nanos(90_000_000);
}

fn eventful(c: &mut Connection) {
    c.directions[1].transfers_omitted = 1_200;
    c.directions[1].verdict.confidence = 0.2;
    let finding = |kind, count, value| Finding { kind, side: Side::Server, count, value, frame: 7 };
    c.findings = Box::new([
        finding(FindingKind::RandomLoss, 62, 0),
        finding(FindingKind::Policer, 0, 1_500_000),
    ]);
    let (lift, transfer) = (c.directions[1].verdict.limit, Nanos::from_secs(25));
    c.directions[1].what_if =
        Box::new([WhatIf { lift, transfer, next: Limit::DelayedAck, at_most: false }]);
}

#[test]
fn every_limit_and_cause_says_the_same_numbers_in_every_language() {
    let empty = |c: &mut Connection| c.directions[1].bytes = 0;
    let ways: [fn(&mut Connection); 9] = [
        |_| {},
        unmeasured,
        doubtful,
        eventful,
        empty,
        unanswered,
        unheard,
        in_one_flight,
        refused,
    ];
    for (limit, causes) in CAUSES {
        // A cause of another limit is nothing that the analysis says, but must not trip the words.
        for &cause in causes.iter().chain(&Cause::ALL) {
            for (n, change) in ways.into_iter().enumerate() {
                let mut c = case(limit, cause);
                change(&mut c);
                let d = &c.directions[1];
                let what = format!("{limit:?} {cause:?} {n}");
                assert_same(&what, both(|language| sentence(&c, d, language)));
                let [en, zh] = Language::ALL.map(|language| steps(&c, d, language));
                assert_eq!(en.len(), zh.len(), "{what}");
                en.into_iter().zip(zh).for_each(|(en, zh)| assert_same(&what, [en, zh]));
            }
        }
    }
}

/// Every step, with and without what may be missing.
fn all_steps() -> Vec<Step> {
    let at = Place { side: Side::Client, end: endpoint(2, 51_234) };
    let server = Place { side: Side::Server, end: endpoint(1, 3306) };
    let rtt = Nanos(20_100_000);
    let bdp = Bdp {
        rate: 98_300_000,
        rtt,
        bytes: 247_000,
        measured: true,
        in_flight: 16_384,
        is_reached: false,
    };
    let guess = Bdp { measured: false, ..bdp };
    let frames = (120, 188);
    let work = [
        Work::ProfileApplication { at, first: false },
        Work::ProfileApplication { at, first: true },
        Work::Uncork { at },
        Work::ProfilePeer { at },
        Work::ProfilePeer { at: server },
        Work::SeeAnswers { at: server, held_by: Limit::SendBuffer },
        Work::EnlargeGrant { at, asks: at, rtt, flight: 65_536 },
        Work::EnlargeGrant { at: server, asks: at, rtt, flight: 65_536 },
        Work::BatchRequests { at, rtt, turns: 1_203 },
        Work::BatchRequests { at, rtt: Nanos::ZERO, turns: 2 },
        Work::NoSettingHelps,
        Work::ShortenTheWay,
        Work::CarryLess { carried: rtt },
        Work::KeepAliveIsHarmless,
        Work::InspectReader { at, frames },
        Work::InspectReader { at, frames: (7, 7) },
        Work::InspectReader { at, frames: (0, 0) },
        Work::LargerBufferOnlyPostpones { at },
        Work::WriteMoreAtOnce { at },
        Work::SoonerNotShorter { by: rtt, then: rtt, next: Limit::Application },
        Work::CombineWrites { at },
        Work::SetNodelay { at },
    ];
    let buffer = [
        Buffer::RemoveSndbuf { at },
        Buffer::SetSndbuf { at, bdp },
        Buffer::SetSndbuf { at, bdp: guess },
        Buffer::RaiseWmem { at, bdp },
        Buffer::InspectSndbuf { at },
        Buffer::RemoveRcvbuf { at },
        Buffer::SetRcvbuf { at, bdp },
        Buffer::RaiseRmem { at, bdp },
        Buffer::ScaleFixed { at, shift: 3 },
        Buffer::EnableScaling { at },
        Buffer::SuspectNoScaling { at, window: 65_340 },
        Buffer::FindStrippingMiddlebox,
        Buffer::AutotuningIsWorking { at },
        Buffer::RaiseInitialWindow { at, bdp: Some(guess) },
        Buffer::RaiseInitialWindow { at, bdp: None },
    ];
    let network = [
        Network::ReuseConnection { rtt, first: 10 },
        Network::ReuseConnection { rtt: Nanos::ZERO, first: 40 },
        Network::RaiseInitcwnd { at },
        Network::KeepCwndAfterIdle { at },
        Network::FindLoss { at },
        Network::TryBbr { at },
        Network::InspectPacing { at },
        Network::InspectCwnd { at },
        Network::LittleToGain { then: rtt, next: Limit::PathBandwidth },
        Network::GainUnknown(Unseen::Round { resent: true }),
        Network::GainUnknown(Unseen::Round { resent: false }),
        Network::GainUnknown(Unseen::Path { carried: 2_500_000 }),
        Network::NothingToGain { rate: 98_300_000, shared_by: 0 },
        Network::NothingToGain { rate: 98_300_000, shared_by: 1 },
        Network::NothingToGain { rate: 98_300_000, shared_by: 3 },
        Network::NothingWhileFull { rate: 98_300_000 },
        Network::Besides { other: Limit::ReceiveWindow, left: rtt, at_most: false },
        Network::Besides { other: Limit::Application, left: rtt, at_most: true },
        Network::CompareWithLink { rate: 98_300_000, shared_by: 1 },
        Network::CompareWithLink { rate: 98_300_000, shared_by: 3 },
        Network::NothingToGain { rate: 0, shared_by: 0 },
        Network::SendLess { resting: false },
        Network::SendLess { resting: true },
        Network::SuspectTheWriter { at, queue_unseen: false },
        Network::SuspectTheWriter { at, queue_unseen: true },
        Network::ShortenQueue { floor: rtt, high: Nanos(90_000_000) },
        Network::QueueIsManaged { long: Some((rtt, Nanos(90_000_000))) },
        Network::QueueIsManaged { long: None },
        Network::MarkLater { rtt },
        Network::ShapeBelowPolicer { at, rate: 1_500_000 },
        Network::ShapeBelowPolicer { at, rate: 0 },
        Network::RaisePolicedRate,
        Network::KeepRack { at },
        Network::FindReordering,
    ];
    let life = [
        Life::CheckListenQueue { at },
        Life::CheckSynPath,
        Life::CheckAnswer { at },
        Life::CheckListener { at: server },
        Life::ReuseAgainstHandshake { rtt },
        Life::ReuseAgainstHandshake { rtt: Nanos::ZERO },
        Life::ReuseAgainstTurns { rtt, turns: 3 },
        Life::ReuseAgainstTurns { rtt: Nanos::ZERO, turns: 2 },
        Life::CheckPath { frames },
        Life::CompareSizes { to: at, mss: 1_448, ping: 1_472 },
        Life::CompareSizes { to: at, mss: 0, ping: 1_472 },
        Life::DetectDeadPeer { at },
        Life::AllowIcmp,
        Life::ProbeMtu { at },
        Life::ClampMss { mss: 1_448 },
        Life::ClampMss { mss: 0 },
        Life::KeepStateAlive,
        Life::CaptureBetter { at, one_way: false },
        Life::CaptureBetter { at, one_way: true },
        Life::CaptureAll,
        Life::AskKernel { at },
    ];
    let work = work.into_iter().map(Step::Work);
    let buffer = buffer.into_iter().map(Step::Buffer);
    let network = network.into_iter().map(Step::Network);
    work.chain(buffer).chain(network).chain(life.into_iter().map(Step::Life)).collect()
}

#[test]
fn every_step_says_the_same_numbers_and_names_in_every_language() {
    for step in all_steps() {
        assert_same(&format!("{step:?}"), both(|language| words::step(language, &step)));
    }
}

#[test]
fn every_finding_says_the_same_numbers_in_every_language() {
    use FindingKind as K;
    let mut c = case(Limit::ReceiveWindow, Cause::SmallBuffer);
    c.directions[1].facts.scale = WindowScale::Inferred { min: 5, max: 7 };
    for kind in [
        K::SynRetries,
        K::Refused,
        K::Reset,
        K::ZeroWindowDeath,
        K::WindowUpdateLost,
        K::NotAccepted,
        K::LateReset,
        K::DataAfterClose,
        K::PmtuBlackHole,
        K::MssClamped,
        K::Policer,
        K::RandomLoss,
        K::WindowScaleStripped,
        K::KeepAliveOnly,
        K::Corked,
        K::AckQueue,
        K::CaptureHole,
        K::OutOfWindow,
        K::SeenTwice,
        K::OutOfOrderTime,
        K::Reordered,
        K::SpuriousRetransmissions,
        K::EcnMarks,
        K::SharedPath,
        K::ScaleInferred,
        K::OneWay,
        K::Fragments,
        K::Midstream,
    ] {
        for (side, count, value) in
            [(Side::Server, 3, 1_460), (Side::Server, 2, 0), (Side::Client, 1_203, 0)]
        {
            let finding = Finding { kind, side, count, value, frame: 7 };
            let said = both(|language| finding_sentence(&c, &finding, language));
            assert_same(&format!("{kind:?}"), said);
        }
    }
}

#[test]
fn limits_and_causes_have_a_name_of_their_own_in_every_language() {
    for language in Language::ALL {
        let limits: BTreeSet<_> = Limit::ALL.map(|l| limit_label(l, language)).into();
        assert_eq!(limits.len(), Limit::ALL.len());
        let causes: BTreeSet<_> = Cause::ALL.map(|c| cause_label(c, language)).into();
        assert_eq!(causes.len(), Cause::ALL.len());
    }
}

#[test]
fn a_chinese_verdict_reads_as_one() {
    let c = case(Limit::SendBuffer, Cause::None);
    assert_eq!(
        sentence(&c, &c.directions[1], Language::Zh),
        "瓶颈是服务器的发送缓冲区：25.1 s 中有 97% 的时间在等待确认，而在途数据只有 16.0 KiB；\
         网络路径和客户端的窗口（4.0 MiB）都还有余量。"
    );
    let figures = Figures::of(&c, &c.directions[1]);
    assert!(words::sentence(Language::En, &figures).starts_with("The server's send buffer"));
}
