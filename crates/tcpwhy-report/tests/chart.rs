//! The charts as SVG: the same bytes every time, and what is on the page is in them.
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::golden;
use tcpwhy_core::advice::Language;
use tcpwhy_core::analysis::Analyzer;
use tcpwhy_core::model::{Connection, Side};
use tcpwhy_core::picture::{Picture, SocketSample};
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::traffic::{Loss, Scenario, Workload, simulate};
use tcpwhy_report::chart::{Error, Kind, Subject, png, svg};

/// 150 kB through a send buffer of 16 KiB, with two losses.
fn drawn() -> (Connection, Picture) {
    let segments = simulate(&Scenario {
        send_buffer: 16 * 1024,
        loss: Loss::Numbers(vec![30, 75]),
        workload: Workload { message_bytes: 150_000, ..Workload::default() },
        ..Scenario::default()
    })
    .capture(0.0);
    let mut analyzer = Analyzer::new();
    segments.iter().for_each(|s| analyzer.push(s));
    let connection = analyzer.finish().remove(0);
    let mut picture = Picture::new(&connection, 1 << 20);
    segments.iter().for_each(|s| picture.push(s));
    picture.finish();
    (connection, picture)
}

fn chart(kind: Kind) -> String {
    chart_in(kind, Language::En)
}

fn chart_in(kind: Kind, language: Language) -> String {
    let (connection, mut picture) = drawn();
    for i in 0..40 {
        let sample = SocketSample {
            time: connection.start + Nanos::from_millis(5 * i),
            local: connection.server,
            remote: connection.client,
            send_queue: 1448 * (i as u32 % 8),
            send_memory: 2304 * (i as u32 % 8),
            send_buffer: 16_384,
            receive_queue: 0,
            receive_buffer: 131_072,
            cwnd: 14_480,
            ssthresh: (i > 20).then_some(10_136),
        };
        picture.sampled(&sample);
        let (local, remote) = (sample.remote, sample.local);
        picture.sampled(&SocketSample { local, remote, receive_buffer: 98_304, ..sample });
    }
    let subject =
        Subject { connection: &connection, picture: &picture, from: Side::Server, language };
    svg(kind, &subject).unwrap()
}

#[test]
fn every_chart_is_what_it_was() {
    let kinds = [
        ("time-sequence", Kind::TimeSequence),
        ("flight", Kind::Flight),
        ("window", Kind::Window),
        ("rtt", Kind::Rtt),
        ("throughput", Kind::Throughput),
        ("band", Kind::Band),
        ("samples", Kind::Samples),
        ("warehouses", Kind::Warehouses),
    ];
    for (name, kind) in kinds {
        golden(&format!("chart-{name}.svg"), &chart(kind));
    }
}

#[test]
fn charts_speak_chinese() {
    for (name, kind) in [("flight", Kind::Flight), ("band", Kind::Band)] {
        golden(&format!("chart-{name}.zh.svg"), &chart_in(kind, Language::Zh));
    }
}

#[test]
fn the_packets_of_a_stretch_are_arrows_and_those_of_a_whole_transfer_are_too_many() {
    let (connection, picture) = drawn();
    let of = |picture: &Picture, language| {
        let subject = Subject { connection: &connection, picture, from: Side::Server, language };
        svg(Kind::Ladder, &subject)
    };
    assert!(
        matches!(of(&picture, Language::En), Err(Error::TooMany(packets, 80)) if packets > 100)
    );
    let start = simulate(&Scenario::default()).capture(0.0);
    let mut few = Picture::new(&connection, 1 << 20);
    start.iter().take(24).for_each(|s| few.push(s));
    few.finish();
    golden("chart-ladder.svg", &of(&few, Language::En).unwrap());
    assert!(of(&few, Language::Zh).unwrap().contains("逐包查看"));
}

#[test]
fn sockets_without_samples_are_no_chart() {
    let (connection, picture) = drawn();
    let subject = Subject {
        connection: &connection,
        picture: &picture,
        from: Side::Server,
        language: Language::Zh,
    };
    assert!(matches!(svg(Kind::Samples, &subject), Err(Error::NoSamples(0))));
}

#[test]
fn a_png_has_the_drawing_at_twice_its_size() {
    match png(&chart(Kind::Band)) {
        Ok(bytes) => {
            assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
            let side = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
            assert_eq!((side(16), side(20)), (2400, 320));
        }
        Err(Error::NoFont) => eprintln!("skipped: no font is installed"),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_png_without_a_font_for_its_letters_is_refused() {
    // No font has a letter that is not assigned.
    let unknown = r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9" font-family="sans-serif">a&#x378;</text></svg>"#;
    match png(unknown) {
        Err(Error::NoGlyph(letter)) => assert_eq!(letter, "\u{378}"),
        Err(Error::NoFont) => eprintln!("skipped: no font is installed"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_receive_buffer_of_a_direction_is_that_of_its_receiver() {
    let drawing = chart(Kind::Warehouses);
    assert!(drawing.contains("0 B / 96.0 KiB") && !drawing.contains("128 KiB"));
}

#[test]
fn the_warehouses_of_packets_alone_say_what_is_not_known() {
    let (connection, picture) = drawn();
    let (connection, picture) = (&connection, &picture);
    let language = Language::En;
    let data =
        svg(Kind::Warehouses, &Subject { connection, picture, from: Side::Server, language });
    let data = data.unwrap();
    assert!(data.contains("road, at the highest rate known") && data.contains("receive buffer"));
    let requests = Subject { connection, picture, from: Side::Client, language };
    assert!(svg(Kind::Warehouses, &requests).unwrap().contains("size unknown"));
}
