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

#[test]
fn who_waits_for_answers_that_are_held_is_sent_to_what_holds_them() {
    let mut c = case(Limit::Application, Cause::WaitingForPeer);
    let says = |c: &Connection, text: &str| advised(c).iter().any(|step| step.contains(text));
    let (look, there) =
        ("Look at how long the application on the client", "what the client (10.0.0.2");
    assert!(says(&c, look) && !says(&c, there), "{:?}", advised(&c));
    (c.directions[0].verdict.limit, c.directions[0].verdict.share) = (Limit::SendBuffer, 0.6);
    assert!(says(&c, there) && !says(&c, look), "{:?}", advised(&c));
    assert!(!says(&c, "No network or buffer setting"), "{:?}", advised(&c));
    c.directions[0].verdict.share = 0.4;
    assert!(says(&c, look), "{:?}", advised(&c));
}

/// All of its data left at once; opening the connection took most of the time.
pub(super) fn in_one_flight(c: &mut Connection) {
    let d = &mut c.directions[1];
    (d.transfers_omitted, d.transfer, d.verdict.share) = (1, d.facts.rtt_floor, 0.35);
    d.timeline[0].to = d.timeline[0].from + d.transfer;
    d.timeline[0].evidence.stalls = 0;
    d.facts.tail = d.transfer;
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
    // An ACK may be late, on purpose, too.
    let way = |c: &mut Connection, ms: i64| {
        let (d, late) = (&mut c.directions[1], Nanos::from_millis(ms));
        (d.transfer, d.facts.tail, d.timeline[0].to) = (late, late, d.timeline[0].from + late);
        said(c)
    };
    let text = way(&mut c, 60);
    let delayed =
        "; a round trip takes 20.1 ms, and the client may delay its last acknowledgement.";
    assert!(text.contains(&format!("its arrival 60.0 ms later{delayed}")), "{text}");
    let text = way(&mut c, 30);
    assert!(text.contains("its arrival 30.0 ms later; a round trip takes 20.1 ms."), "{text}");
    // Whoever stopped in between, and had thought before, for less than that took.
    c.directions[1].timeline[0].evidence.stalls = 1;
    assert!(said(&c).starts_with("The server sent all of its data at once"), "{}", said(&c));
    c.directions[1].facts.tail = Nanos::from_millis(16);
    let text = said(&c);
    assert!(text.contains("sent all of its data at once, and heard of its arrival 30.0"), "{text}");
    // Whoever had thought for long is to be asked why.
    let d = &mut c.directions[1];
    (d.timeline[0].to, d.timeline[1].from) = (Nanos::from_secs(2), Nanos::from_secs(2));
    d.timeline[1].to = Nanos::from_secs(3);
    assert!(said(&c).starts_with("The application on the server held it back"), "{}", said(&c));
}

#[test]
fn what_took_several_flights_ends_with_the_way_of_the_last_one() {
    let mut c = case(Limit::Application, Cause::SenderApplication);
    in_one_flight(&mut c);
    let d = &mut c.directions[1];
    (d.transfer, d.facts.tail) = (Nanos::from_millis(100), Nanos::from_millis(60));
    d.timeline[0].to = d.timeline[0].from + Nanos::from_millis(60);
    let text = said(&c);
    let first = "The server sent all of its data within 40.0 ms, and heard of the arrival of the \
                 last of it 60.0 ms later; a round trip takes 20.1 ms, and the client";
    assert!(text.starts_with(first), "{text}");
    assert_eq!(advised(&c), Vec::<String>::new());
    // Beside another answer it is told apart from what an application took.
    let d = &mut c.directions[1];
    let begins = d.timeline[0].from;
    d.timeline[0].to = begins + Nanos::from_millis(40);
    d.timeline[0].limit = Limit::CongestionWindow;
    d.timeline[0].cause = Cause::SlowStart;
    (d.timeline[1].from, d.timeline[1].to) = (d.timeline[0].to, begins + d.transfer);
    (d.timeline[1].limit, d.timeline[1].cause) = (Limit::Application, Cause::SenderApplication);
    (d.verdict.limit, d.verdict.cause) = (Limit::CongestionWindow, Cause::SlowStart);
    d.verdict.share = 0.4;
    let text = said(&c);
    let last = " It held longest until all was sent; 60.0 ms went by until the last of it was \
                acknowledged.";
    assert!(text.ends_with(last), "{text}");
}

#[test]
fn a_first_window_that_was_raised_already_is_told_as_it_was() {
    let told = |first_flight: u32| {
        let mut c = case(Limit::CongestionWindow, Cause::SlowStart);
        c.directions[1].facts.first_flight = first_flight;
        advised(&c).join("\n")
    };
    let raised = told(40 * 1448);
    assert!(raised.contains("from about 40 packets") && !raised.contains("initcwnd"), "{raised}");
    // What is less may be all that was written at first.
    for usual in [told(0), told(2 * 1448), told(10 * 1448)] {
        assert!(
            usual.contains("from about 10 packets") && usual.contains("initcwnd 20"),
            "{usual}"
        );
    }
}

#[test]
fn only_an_ack_that_took_longer_than_its_way_was_delayed() {
    let mut c = case(Limit::DelayedAck, Cause::Nagle);
    let mut said = |ms: i64| {
        for interval in &mut c.directions[1].timeline {
            interval.evidence.longest_stall = Nanos::from_millis(ms);
        }
        said(&c)
    };
    assert!(said(40).ends_with("the client delays on purpose, here by up to 40.0 ms."));
    assert!(said(21).ends_with("(Nagle's algorithm)."));
}

#[test]
fn turns_that_explain_the_waiting_ask_for_fewer_turns() {
    let mut c = case(Limit::Application, Cause::WaitingForPeer);
    for interval in &mut c.directions[1].timeline {
        (interval.evidence.stalls, interval.evidence.acked) = (1, interval.evidence.flight);
    }
    assert!(advised(&c)[0].contains("the client (10.0.0.2:51234) takes"), "{:?}", advised(&c));
    // A third of the time is the way's.
    c.directions[1].transfers_omitted = 400;
    assert!(
        said(&c).contains("400 turns of at least one round trip (20.1 ms) each are 8.0 s"),
        "{}",
        said(&c)
    );
    assert!(advised(&c)[0].contains("the client (10.0.0.2:51234) takes"), "{:?}", advised(&c));
    c.directions[1].transfers_omitted = 1_200;
    assert!(said(&c).contains("1,200 turns of at least one round trip (20.1 ms)"), "{}", said(&c));
    let steps = advised(&c);
    assert!(steps[0].starts_with("On the client (10.0.0.2:51234), ask for more"), "{steps:?}");
    assert!(steps[0].ends_with("round trip of 20.1 ms, 24.1 s in all."), "{steps:?}");
    assert!(!steps.iter().any(|s| s.contains("Look at how long")), "{steps:?}");
}

#[test]
fn turns_in_which_much_moves_may_be_what_a_protocols_own_window_grants() {
    let mut c = case(Limit::Application, Cause::WaitingForPeer);
    c.directions[1].transfers_omitted = 1_200;
    let set = |c: &mut Connection, kilobytes: u64| {
        let i = &mut c.directions[1].timeline[0];
        (i.evidence.stalls, i.evidence.acked) = (1_200, 1_200 * 1_024 * kilobytes);
        i.evidence.flight = 65_536;
    };
    let windows = |c: &Connection| advised(c).iter().filter(|s| s.contains("its own")).count();
    set(&mut c, 40);
    let steps = advised(&c);
    assert!(steps[1].contains("the client (10.0.0.2:51234) (flow control"), "{steps:?}");
    assert!(steps[1].contains("64.0 KiB in flight"), "{steps:?}");
    set(&mut c, 4);
    assert_eq!(windows(&c), 0, "{:?}", advised(&c));
}

#[test]
fn small_pieces_that_wait_beside_the_turns_are_told_too() {
    let mut c = case(Limit::Application, Cause::WaitingForPeer);
    c.directions[1].transfers_omitted = 1_200;
    let tells = |c: &Connection| advised(c).iter().any(|s| s.contains("TCP_NODELAY"));
    assert!(!tells(&c), "{:?}", advised(&c));
    let [turns, waits] = &mut c.directions[1].timeline[..] else { panic!() };
    (turns.to, waits.from) = (turns.to.scale(7, 10), turns.to.scale(7, 10));
    assert!(tells(&c), "{:?}", advised(&c));
}

/// It never opened.
fn in_vain(c: &mut Connection) {
    for d in &mut c.directions {
        (d.bytes, d.transfers_omitted) = (0, 0);
        for i in &mut d.timeline {
            (i.limit, i.cause) = (d.verdict.limit, d.verdict.cause);
        }
    }
}

/// Its SYN was answered by an RST.
pub(super) fn refused(c: &mut Connection) {
    in_vain(c);
    let (kind, side) = (FindingKind::Refused, Side::Server);
    c.findings = Box::new([Finding { kind, side, count: 0, value: 0, frame: 2 }]);
}

#[test]
fn a_connection_that_did_not_open_is_told_from_one_that_opened_late() {
    let mut c = case(Limit::Handshake, Cause::SynRetry);
    assert!(said(&c).starts_with("The connection was slow to open"), "{}", said(&c));
    assert!(advised(&c).iter().any(|s| s.starts_with("Reuse connections")), "{:?}", advised(&c));
    in_vain(&mut c);
    assert!(said(&c).starts_with("The connection never opened"), "{}", said(&c));
    assert!(!advised(&c).iter().any(|s| s.starts_with("Reuse connections")), "{:?}", advised(&c));
    // The server's queue has let it in.
    let (kind, side) = (FindingKind::SynRetries, Side::Server);
    c.findings = Box::new([Finding { kind, side, count: 3, value: 0, frame: 2 }]);
    assert!(said(&c).contains("the server answered"), "{}", said(&c));
    let steps = advised(&c);
    assert!(steps.len() == 1 && steps[0].contains("SYN/ACK"), "{steps:?}");
    for cause in [Cause::None, Cause::SynRetry] {
        let mut c = case(Limit::Handshake, cause);
        refused(&mut c);
        assert!(said(&c).starts_with("The server refused the connection"), "{}", said(&c));
        let steps = advised(&c);
        assert!(steps.len() == 1 && steps[0].contains("`ss -ltn`"), "{steps:?}");
    }
}
