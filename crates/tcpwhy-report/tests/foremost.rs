//! Which predictions the model makes when there are more connections than it may follow.

#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use common::{connection, source};
use tcpwhy_core::advice::Language;
use tcpwhy_core::analysis::Shared;
use tcpwhy_core::model::{Cause, Connection, Limit, Traits, WhatIf};
use tcpwhy_core::units::Nanos;
use tcpwhy_report::terminal::{Shown, View, write};
use tcpwhy_report::{keep_most_telling, refine_all};

const VIEW: View =
    View { width: 80, color: false, all: false, verbose: false, language: Language::En };

/// More than the model may follow in one analysis: 22 MB each. The last ones would save most by a few milliseconds.
fn many() -> Vec<Connection> {
    let of = |id| {
        let mut c = connection(id, (Limit::SendBuffer, Cause::None));
        // Too few to earn the model anything.
        c.packets = 63;
        let traits = Traits { capacity: 12_500_000, opened: true, ..Traits::default() };
        let server = &mut c.directions[1];
        server.traits = Some(traits);
        server.bytes = 22_000_000;
        server.what_if[0].transfer = Nanos::from_millis(24_000 - id as i64);
        c
    };
    (0..300).map(of).collect()
}

/// What lifting the send buffer gives.
fn lifted(c: &Connection) -> WhatIf {
    *c.directions[1].what_if.iter().find(|w| w.lift == Limit::SendBuffer).unwrap()
}

fn text(connections: impl IntoIterator<Item = Connection>, view: View) -> String {
    let (mut shown, mut out) = (Shown::new(view), Vec::new());
    connections.into_iter().for_each(|c| shown.add(c));
    shown.refine(&Shared::default());
    write(&mut out, &source(), &shown).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_model_takes_the_foremost_in_any_case_and_of_the_others_those_that_ended_first() {
    let plain = many();
    let mut lists: Vec<Vec<Connection>> = plain.chunks(64).map(<[_]>::to_vec).collect();
    refine_all(&mut lists, &Shared::default());
    let refined: Vec<_> = lists.into_iter().flatten().collect();
    let modelled: Vec<bool> =
        refined.iter().zip(&plain).map(|(r, p)| lifted(r) != lifted(p)).collect();
    let runs: Vec<_> = modelled.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect();
    let [(true, first), (false, left), (true, last)] = runs[..] else { panic!("{runs:?}") };
    // A transfer is followed for 6,000 segments, and 300,000 there are.
    assert_eq!((first, left, last), (50, 218, 32));
    // The model gives each of them the same.
    assert!(refined.iter().zip(&modelled).all(|(r, m)| !m || lifted(r) == lifted(&refined[0])));
}

#[test]
fn text_and_data_tell_the_same_of_what_is_shown() {
    let mut refined = [many()];
    refine_all(&mut refined, &Shared::default());
    let [refined] = refined;
    let few = text(many(), VIEW);
    // By the model all of the foremost 32 would save the same.
    for id in [268, 269, 270] {
        assert!(few.contains(&format!("Connection {id}:")), "{few}");
    }
    // What has been refined is as it is, whoever asks again.
    let last = refined.iter().filter(|c| c.id >= 268).cloned();
    let shown = |text: &str| text.split_once("── ").map(|(_, rest)| rest.to_owned());
    let directions = |text: &str| shown(text).unwrap().split_once("── All").unwrap().0.to_owned();
    assert_eq!(directions(&few), directions(&text(last, VIEW)));
    let all = View { all: true, ..VIEW };
    assert_eq!(text(many(), all), text(refined, all));
}

#[test]
fn the_overview_goes_by_the_predictions_that_are_shown() {
    let row = |text: &str| {
        let row = text.split_once("see --conn\n").unwrap().1.lines().next().unwrap();
        row.split_whitespace().skip(3).collect::<Vec<_>>().join(" ")
    };
    // 268 save 1.1 s and their number in ms, 331 s in all; the last 32 save 22.8 s each by the model, 730 s.
    assert_eq!(row(&text(many(), VIEW)), "300 6.6 GB 17 min 40 s 268");
    assert_eq!(row(&text(many().into_iter().rev(), VIEW)), "300 6.6 GB 17 min 40 s 268");
}

#[test]
fn the_few_do_not_depend_on_the_order_in_which_they_came() {
    let few = text(many(), VIEW);
    assert_eq!(few, text(many().into_iter().rev(), VIEW));
    let (odd, even): (Vec<_>, Vec<_>) = many().into_iter().partition(|c| c.id % 2 == 1);
    assert_eq!(few, text(even.into_iter().chain(odd), VIEW));
}

#[test]
fn of_too_many_those_with_most_to_save_are_kept_and_few_stay_as_they_are() {
    let ids = |list: &[Connection]| list.iter().map(|c| c.id).collect::<Vec<_>>();
    let mut all = many();
    keep_most_telling(&mut all, 300);
    assert_eq!(ids(&all), ids(&many()));
    keep_most_telling(&mut all, 3);
    assert_eq!(ids(&all), [299, 298, 297]);
}

#[test]
fn what_was_surely_waited_for_comes_before_what_would_save_a_little_and_what_may_have_been_does_not()
 {
    let first = |confidence: f64| {
        let saves = connection(1, (Limit::SendBuffer, Cause::None));
        let mut owes = connection(2, (Limit::Application, Cause::SenderApplication));
        let server = &mut owes.directions[1];
        server.owes = true;
        server.verdict.confidence = confidence;
        server.what_if = Box::default();
        let mut list = vec![saves, owes];
        keep_most_telling(&mut list, 1);
        list[0].id
    };
    assert_eq!([first(0.9), first(0.6), first(0.5)], [2, 2, 1]);
}
