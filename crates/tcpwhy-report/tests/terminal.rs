//! The terminal report of hand-made answers against golden files.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::{connection, connections, golden, source};
use tcpwhy_core::advice::Language;
use tcpwhy_core::model::{Cause, Finding, FindingKind, Limit, Side, Transfer};
use tcpwhy_core::units::Nanos;
use tcpwhy_report::terminal::{Shown, View, write};

const PLAIN: View =
    View { width: 80, color: false, all: false, verbose: false, language: Language::En };

const CHINESE: View = View { language: Language::Zh, ..PLAIN };

fn shown(connections: &[tcpwhy_core::model::Connection], view: &View) -> Shown {
    let mut shown = Shown::new(*view);
    connections.iter().cloned().for_each(|c| shown.add(c));
    shown
}

fn render(connections: &[tcpwhy_core::model::Connection], view: &View) -> String {
    let mut out = Vec::new();
    write(&mut out, &source(), &shown(connections, view)).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_few_that_matter() {
    golden("few.txt", &render(&connections(), &PLAIN));
}

#[test]
fn everything_with_its_intervals() {
    let view = View { all: true, verbose: true, ..PLAIN };
    golden("all.txt", &render(&connections(), &view));
}

#[test]
fn the_few_that_matter_in_chinese() {
    golden("few.zh.txt", &render(&connections(), &CHINESE));
}

#[test]
fn everything_with_its_intervals_in_chinese() {
    let view = View { all: true, verbose: true, ..CHINESE };
    golden("all.zh.txt", &render(&connections(), &view));
}

#[test]
fn chinese_columns_line_up_and_lines_are_not_overrun() {
    let columns = <str as unicode_width::UnicodeWidthStr>::width;
    for width in [40, 60, 80, 100] {
        let text = render(&connections(), &View { width, all: true, ..CHINESE });
        for line in text.lines().filter(|l| columns(l) > width) {
            // What may be wider is what people copy: commands.
            let mut words = line.split(|c: char| c == ' ' || !c.is_ascii());
            assert!(words.any(|w| w.len() > width / 3), "{width}: {line}");
        }
        // Bars of one table begin in the same column.
        let bar = |l: &str| l.find(['█', '▌', '▏']).map(|at| columns(&l[..at]));
        for table in text.split("\n\n").filter(|t| t.contains("时间花在哪里")) {
            let bars: std::collections::BTreeSet<_> = table.lines().filter_map(bar).collect();
            assert!(bars.len() <= 1, "{width}: {table}");
        }
    }
}

#[test]
fn a_round_trip_that_the_clock_cannot_measure_is_no_number_and_makes_no_advice() {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    (c.rtt.min, c.rtt.median, c.rtt.p95) = (Nanos(1), Nanos(1_000), Nanos(1_000));
    for d in &mut c.directions {
        d.facts.rtt_floor = Nanos(1);
        d.timeline.iter_mut().for_each(|i| i.evidence.rtt_min = Nanos(1));
    }
    for view in [PLAIN, CHINESE] {
        let text = render(std::slice::from_ref(&c), &View { verbose: true, ..view });
        assert!(!text.contains("1 ns"), "{text}");
        assert!(text.contains("SO_SNDBUF") && !text.contains("100 Mbit/s x"), "{text}");
    }
    let text = render(std::slice::from_ref(&c), &PLAIN);
    assert!(text.contains("shorter than the capture's clock can tell"), "{text}");
}

#[test]
fn a_gain_within_the_error_of_a_prediction_is_not_shown() {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    for (saved, shown) in [(10, false), (30, true)] {
        let d = c.directions.iter_mut().find(|d| !d.what_if.is_empty()).unwrap();
        d.what_if[0].transfer = d.transfer.scale(1_000 - saved, 1_000);
        let text = render(std::slice::from_ref(&c), &View { all: true, ..PLAIN });
        assert_eq!(text.contains("What if"), shown, "{saved} in a thousand: {text}");
    }
}

#[test]
fn a_time_that_a_path_may_shorten_is_one_at_most() {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    for (at_most, [english, chinese]) in [
        (false, ["limit  2.0 s", "受限  2.0 s"]),
        (true, ["limit  at most 2.0 s", "受限  至多 2.0 s"]),
    ] {
        c.directions[1].what_if[0].at_most = at_most;
        let texts = [PLAIN, CHINESE].map(|view| render(std::slice::from_ref(&c), &view));
        assert!(texts[0].contains(english), "{}", texts[0]);
        assert!(texts[1].contains(chinese), "{}", texts[1]);
    }
}

#[test]
fn a_transfer_that_is_no_great_part_of_its_connections_time_is_shown_beside_the_predictions() {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    let span = c.directions[1].span();
    for (part, shown) in [(95, false), (30, true)] {
        c.directions[1].transfer = span.scale(part, 100);
        let texts = [PLAIN, CHINESE].map(|view| render(std::slice::from_ref(&c), &view));
        assert_eq!(texts[0].contains("now, from the first byte on"), shown, "{}", texts[0]);
        assert_eq!(texts[1].contains("从第一个字节算起"), shown, "{}", texts[1]);
    }
}

#[test]
fn an_interval_without_a_packet_of_its_own_names_no_frame() {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    for interval in c.directions.iter_mut().flat_map(|d| &mut d.timeline) {
        (interval.first_frame, interval.last_frame) = (0, 0);
    }
    for view in [PLAIN, CHINESE] {
        let view = View { all: true, verbose: true, ..view };
        let text = render(std::slice::from_ref(&c), &view);
        assert!(!text.contains("frame 0") && !text.contains("帧 0"), "{text}");
    }
}

/// As many of each case as its number, each saving a little more.
fn crowd() -> Vec<tcpwhy_core::model::Connection> {
    let mut all = Vec::new();
    for (n, case) in common::CASES.iter().enumerate().skip(1) {
        for _ in 0..n {
            let mut c = connection(all.len() as u64, *case);
            let lifted = &mut c.directions[1].what_if[0].transfer;
            *lifted = *lifted - Nanos::from_millis(all.len() as i64);
            all.push(c);
        }
    }
    all
}

/// The text from the overview on.
fn overview(view: &View) -> String {
    let text = render(&crowd(), view);
    let at = text.match_indices("── ").nth(FEW).unwrap().0;
    text[at..].to_owned()
}

/// Directions that are shown when not all are asked for.
const FEW: usize = 3;

#[test]
fn of_many_there_is_an_overview() {
    let wide = |width| overview(&View { width, ..PLAIN });
    golden("overview.txt", &[100, 80, 50].map(wide).join("\n"));
    golden("overview.zh.txt", &overview(&CHINESE));
}

#[test]
fn few_need_no_overview() {
    let text = |n: usize| render(&crowd()[..n], &PLAIN);
    let told = |text: &str| text.contains("All transfers");
    assert!(!told(&text(8)) && told(&text(9)));
}

#[test]
fn in_colour() {
    let one = [connection(0, (Limit::SendBuffer, Cause::None))];
    golden("colour.txt", &render(&one, &View { color: true, ..PLAIN }));
}

#[test]
fn without_colour_there_is_no_escape() {
    let view = View { all: true, verbose: true, ..PLAIN };
    assert!(!render(&connections(), &view).contains('\u{1b}'));
}

#[test]
fn narrow_terminals_are_not_overrun() {
    for width in [40, 60, 80, 100] {
        let text = render(&connections(), &View { width, all: true, ..PLAIN });
        for line in text.lines().filter(|l| l.chars().count() > width) {
            // What may be wider is what people copy: commands.
            assert!(line.split_whitespace().any(|w| w.len() > width / 3), "{width}: {line}");
        }
    }
}

#[test]
fn the_slowest_comes_first_and_acknowledgments_are_not_shown() {
    let mut all = connections();
    all.reverse();
    // 24 s of silence are more than any of the others could save.
    let text = render(&all, &PLAIN);
    assert_eq!(text.matches("went silent:").count(), 1, "{text}");
    assert!(!text.contains("client to server"));
    assert!(text.contains("27 more directions with"));
    all.retain(|c| c.directions[1].verdict.limit != Limit::SilentPath);
    let text = render(&all, &PLAIN);
    assert!(text.find("Connection 0:").unwrap() < text.find("Connection 1:").unwrap());
}

#[test]
fn a_direction_that_only_waits_for_the_other_is_not_told_twice() {
    let mut c = connection(0, (Limit::Application, Cause::WaitingForPeer));
    let mut client = connection(0, (Limit::DelayedAck, Cause::Nagle)).directions[1].clone();
    client.from = Side::Client;
    c.directions[0] = client;
    let text = render(std::slice::from_ref(&c), &PLAIN);
    assert!(text.contains("client to server") && !text.contains("server to client"), "{text}");
    assert!(text.contains("1 more direction"), "{text}");
    // Where the other direction carried nothing to speak of, there is only this one.
    c.directions[0].bytes = 12;
    assert!(render(std::slice::from_ref(&c), &PLAIN).contains("server to client"));
}

#[test]
fn a_connection_that_never_opened_is_told_once() {
    for (cause, kind) in
        [(Cause::SynRetry, FindingKind::SynRetries), (Cause::None, FindingKind::Refused)]
    {
        let mut c = connection(0, (Limit::Handshake, cause));
        let mut client = c.directions[1].clone();
        client.from = Side::Client;
        c.directions[0] = client;
        c.directions.iter_mut().for_each(|d| d.bytes = 0);
        c.findings = Box::new([Finding { kind, side: Side::Server, count: 0, value: 0, frame: 2 }]);
        let text = render(std::slice::from_ref(&c), &PLAIN);
        assert!(text.contains("client to server") && !text.contains("server to client"), "{text}");
    }
}

#[test]
fn a_client_that_has_nothing_to_ask_does_not_come_first() {
    let mut idle = connection(0, (Limit::Application, Cause::SenderApplication));
    idle.directions[1].from = Side::Client;
    idle.directions.swap(0, 1);
    (idle.directions[0].bytes, idle.directions[1].from) = (458, Side::Server);
    let bulk = connection(1, (Limit::PathBandwidth, Cause::StandingQueue));
    let text = render(&[idle, bulk], &PLAIN);
    assert!(text.find("Connection 1:").unwrap() < text.find("Connection 0:").unwrap(), "{text}");
}

#[test]
fn what_a_server_thinks_before_a_short_answer_comes_before_the_upload_it_thinks_about() {
    let mut post = connection(0, (Limit::Application, Cause::SenderApplication));
    let mut upload =
        connection(0, (Limit::CongestionWindow, Cause::SlowStart)).directions[1].clone();
    (upload.from, upload.transfer, upload.what_if) =
        (Side::Client, Nanos::from_secs(2), Box::default());
    post.directions[0] = upload;
    let answer = &mut post.directions[1];
    (answer.bytes, answer.what_if) = (100, Box::default());
    let text = render(std::slice::from_ref(&post), &PLAIN);
    assert!(!text.contains("server to client"), "{text}");
    // The answer begins when the time that it took is over.
    let answer = &mut post.directions[1];
    let thinks = answer.timeline.iter().find(|i| i.cause == Cause::SenderApplication).unwrap().to;
    let first = Transfer { from: thinks, to: thinks, ..answer.transfers[0] };
    answer.transfers = Box::new([first]);
    let text = render(std::slice::from_ref(&post), &PLAIN);
    let at = |said: &str| text.find(said).unwrap_or_else(|| panic!("{said}: {text}"));
    assert!(at("server to client") < at("client to server"), "{text}");
}

#[test]
fn a_guess_at_the_place_of_capture_is_not_shown() {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    let mut said = |confidence| {
        c.vantage.confidence = confidence;
        let text = render(std::slice::from_ref(&c), &View { width: 100, ..PLAIN });
        text.lines().find(|l| l.contains("round trip 20.1 ms, median")).unwrap().to_owned()
    };
    assert!(said(0.9).ends_with("; captured at the server"));
    assert!(said(0.6).ends_with("; captured probably at the server"));
    assert!(said(0.3).ends_with("95 % under 21.9 ms"));
}

#[test]
fn names_cannot_steer_the_terminal() {
    let mut source = source();
    source.files = vec!["a\u{1b}]0;x\u{7}\nb.pcap".to_owned()];
    source.warnings = vec!["interface \u{9b}31m lost packets".into()];
    let mut out = Vec::new();
    write(&mut out, &source, &shown(&connections(), &PLAIN)).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with("a\\u{1b}]0;x\\u{7}\\nb.pcap: 31,402 packets"), "{text}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text}");
}

#[test]
fn extremes_do_not_break_it() {
    let mut c = connection(0, (Limit::SendBuffer, Cause::None));
    c.start = Nanos(i64::MIN);
    c.directions[1].verdict.share = f64::NAN;
    c.directions[1].transfer = Nanos(-1);
    c.directions[1].timeline[0].from = Nanos(i64::MIN);
    c.directions[1].timeline[3].to = Nanos::MAX;
    for width in [0, 1, 80, usize::MAX] {
        let view = View { width, all: true, verbose: true, color: true, ..PLAIN };
        assert!(render(std::slice::from_ref(&c), &view).contains("Connection 0"));
    }
}

#[test]
fn a_connection_on_which_nobody_spoke_is_told_by_how_long_it_was_open() {
    let mut c = connection(7, (Limit::Application, Cause::SenderApplication));
    let mut client = c.directions[1].clone();
    client.from = Side::Client;
    c.directions[0] = client;
    c.directions.iter_mut().for_each(|d| (d.bytes, d.transfers) = (0, Box::default()));
    let text = render(std::slice::from_ref(&c), &PLAIN);
    assert!(text.contains("connection 7 was open for 25.1 s"), "{text}");
    c.duration = Nanos::from_millis(2_900);
    let text = render(std::slice::from_ref(&c), &PLAIN);
    assert!(text.contains("No data crossed; --all"), "{text}");
}

#[test]
fn a_transfer_that_hangs_before_a_closed_window_is_told_though_no_data_crossed() {
    let mut c = connection(7, (Limit::ReceiveWindow, Cause::ZeroWindow));
    c.directions.iter_mut().for_each(|d| (d.bytes, d.transfers) = (0, Box::default()));
    let text = render(std::slice::from_ref(&c), &PLAIN);
    assert!(text.contains("server to client: 0 B"), "{text}");
    assert!(text.contains("The application on the client stopped reading"), "{text}");
    assert!(!text.contains("sent no data"), "{text}");
}
