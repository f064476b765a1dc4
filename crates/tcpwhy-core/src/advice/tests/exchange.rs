//! What is said of a request and its answer: one that nobody gave, one that nobody heard, and one that one flight was enough for.

use super::{advised, case, said};
use crate::model::{Cause, Connection, Finding, FindingKind, Limit, Side};
use crate::units::Nanos;

/// Its server sent nothing that came.
pub(super) fn unanswered(c: &mut Connection) {
    let d = &mut c.directions[1];
    (d.bytes, d.owes, d.transfers_omitted) = (0, true, 0);
    // What is owed comes last.
    let owed = d.timeline[0].to - d.timeline[0].from;
    d.timeline.swap(0, 1);
    let begins = d.timeline[0].to - owed;
    (d.timeline[0].to, d.timeline[1].from, d.timeline[1].to) = (begins, begins, begins + owed);
    d.timeline[0].from = Nanos(0);
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
    d.timeline[0].evidence.stalls = 0;
    let opens = d.timeline[0].to;
    (d.timeline[1].from, d.timeline[1].to) = (opens, opens + d.transfer.scale(2, 1));
    (d.timeline[1].limit, d.timeline[1].cause) = (Limit::Handshake, Cause::None);
}

#[test]
fn who_never_answered_is_named_and_where_to_look() {
    let mut c = case(Limit::Application, Cause::SenderApplication);
    unanswered(&mut c);
    let never = "The server did not answer: for 97 % of 25.1 s it sent nothing,";
    assert!(said(&c).starts_with(never), "{}", said(&c));
    c.directions[1].bytes = 500;
    let last = "The server did not answer the client's last message: for 97 % of 25.1 s";
    assert!(said(&c).starts_with(last), "{}", said(&c));
    // Where it had thought for longer before, that is what there is to tell.
    let line = &mut c.directions[1].timeline;
    (line[0].limit, line[0].cause) = (Limit::Application, Cause::SenderApplication);
    (line[0].to, line[1].from) = (Nanos::from_secs(20), Nanos::from_secs(20));
    assert!(said(&c).starts_with("The application on the server"), "{}", said(&c));
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
    // An ACK may be late, and of more than one flight nobody can say that it left at once.
    let d = &mut c.directions[1];
    (d.transfer, d.timeline[0].to) = (Nanos(30_000_000), d.timeline[0].from + Nanos(30_000_000));
    assert!(
        said(&c).contains("arrival 30.0 ms later; a round trip takes 20.1 ms."),
        "{}",
        said(&c)
    );
    c.directions[1].timeline[0].evidence.stalls = 1;
    assert!(said(&c).starts_with("The application on the server held it back"), "{}", said(&c));
    c.directions[1].timeline[0].evidence.stalls = 0;
    // Whoever had thought for long before is to be asked why.
    let d = &mut c.directions[1];
    (d.timeline[0].to, d.timeline[1].from) = (Nanos::from_secs(2), Nanos::from_secs(2));
    d.timeline[1].to = Nanos::from_secs(3);
    assert!(said(&c).starts_with("The application on the server held it back"), "{}", said(&c));
}
