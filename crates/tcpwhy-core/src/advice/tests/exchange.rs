//! What is said of a request and its answer: one that nobody gave, one that nobody heard, and one that one flight was enough for.

use super::{advised, case, said};
use crate::model::{Cause, Connection, Finding, FindingKind, Limit, Side};
use crate::units::Nanos;

/// Its server sent nothing that came.
pub(super) fn unanswered(c: &mut Connection) {
    let d = &mut c.directions[1];
    (d.bytes, d.owes, d.transfers_omitted) = (0, true, 0);
}

/// Its server heard no answer to what had arrived.
pub(super) fn unheard(c: &mut Connection) {
    let (kind, side) = (FindingKind::SpuriousRetransmissions, Side::Server);
    c.findings = Box::new([Finding { kind, side, count: 4, value: 0, frame: 150 }]);
}

#[test]
fn who_hears_no_answers_is_told_from_who_gets_none() {
    let mut c = case(Limit::SilentPath, Cause::PeerVanished);
    assert!(said(&c).starts_with("The client or the path to it went silent"), "{}", said(&c));
    unheard(&mut c);
    assert!(said(&c).starts_with("The path back to the server went silent"), "{}", said(&c));
    // What was sent again long before is another matter.
    c.findings[0].frame = 7;
    assert!(said(&c).starts_with("The client or the path to it went silent"), "{}", said(&c));
}

/// All of its data left at once; opening the connection took most of the time.
pub(super) fn in_one_flight(c: &mut Connection) {
    let d = &mut c.directions[1];
    (d.transfers_omitted, d.transfer, d.verdict.share) = (1, d.facts.rtt_floor, 0.35);
    d.timeline[0].to = d.timeline[0].from + d.transfer;
    let opens = d.timeline[0].to;
    (d.timeline[1].from, d.timeline[1].to) = (opens, opens + d.transfer.scale(2, 1));
    (d.timeline[1].limit, d.timeline[1].cause) = (Limit::Handshake, Cause::None);
}

#[test]
fn who_never_answered_is_named_and_where_to_look() {
    let mut c = case(Limit::Application, Cause::SenderApplication);
    unanswered(&mut c);
    let never = "The server never answered: for 97 % of 25.1 s it sent nothing,";
    assert!(said(&c).starts_with(never), "{}", said(&c));
    assert!(advised(&c)[0].contains("the application on the server"), "{:?}", advised(&c));
    let mut lost = case(Limit::SilentPath, Cause::None);
    unanswered(&mut lost);
    assert!(said(&lost).starts_with("The server or the path from it"), "{}", said(&lost));
    assert!(advised(&lost)[0].contains("as near to the server"), "{:?}", advised(&lost));
}

#[test]
fn what_took_one_flight_was_held_back_by_nothing() {
    let mut c = case(Limit::Application, Cause::SenderApplication);
    in_one_flight(&mut c);
    let text = said(&c);
    assert!(text.starts_with("Nothing held it back: the server sent all of its data"), "{text}");
    assert!(text.ends_with("Opening the connection took 67 % of the time."), "{text}");
    assert_eq!(advised(&c), Vec::<String>::new());
    // Whoever had thought for long before is to be asked why.
    let d = &mut c.directions[1];
    (d.timeline[0].to, d.timeline[1].from) = (Nanos::from_secs(2), Nanos::from_secs(2));
    d.timeline[1].to = Nanos::from_secs(3);
    assert!(said(&c).starts_with("The application on the server held it back"), "{}", said(&c));
}
