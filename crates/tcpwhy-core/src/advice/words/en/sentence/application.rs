//! Verdicts that lie in the applications: who had nothing to send, and why.

use super::{part, part_of};
use crate::advice::figures::Figures;
use crate::advice::quantity::{count, round_trips, span};
use crate::advice::words::en::known;
use crate::model::Cause;
use crate::units::Nanos;

pub(super) fn application(f: &Figures) -> String {
    let (sender, receiver) = (f.sender.side.name(), f.receiver.side.name());
    match f.verdict.cause {
        Cause::WaitingForPeer if f.is_chatty() && f.carried > Nanos::ZERO => format!(
            "The two ends talked in turns: for {} the {sender} waited for the {receiver}'s next message. {} turns of at least \
             one round trip ({}) each are {} of that, and the path needed {} for what was said in them.",
            part(f),
            count(f.transfers),
            span(f.rtt_floor),
            span(round_trips(f.transfers, f.rtt_floor)),
            span(f.carried)
        ),
        Cause::WaitingForPeer if f.is_chatty() => format!(
            "The two ends talked in small turns: for {} the {sender} waited for the {receiver}'s \
             next message, and {} turns of at least one round trip ({}) each explain most of that.",
            part(f),
            count(f.transfers),
            span(f.rtt_floor)
        ),
        Cause::WaitingForPeer if f.is_partly_chatty() => format!(
            "The {sender} was waiting for the {receiver}: for {} it had nothing to send until the {receiver}'s next message \
             arrived. {} turns of at least one round trip ({}) each are {} of that.",
            part(f),
            count(f.transfers),
            span(f.rtt_floor),
            span(round_trips(f.transfers, f.rtt_floor))
        ),
        Cause::WaitingForPeer => format!(
            "The {sender} was waiting for the {receiver}{}: for {} it had nothing to send until the \
             {receiver}'s next message arrived.",
            known(!f.waits_for_path(), || ", not for the network".to_owned()),
            part(f)
        ),
        Cause::KeepAlive => {
            format!("The connection was idle: for {} nothing but keep-alives crossed it.", part(f))
        }
        _ if f.owed.is_some() => format!(
            "The {sender} did not answer{}: for {} it sent nothing, though it had acknowledged all \
             that the {receiver} had said.",
            known(f.bytes > 0, || format!(" the {receiver}'s last message")),
            part_of(f, f.owed_share())
        ),
        _ if f.is_one_flight() => format!("Nothing held it back: the {}", last_flight(f)),
        _ if f.is_last_flight() => format!("The {}", last_flight(f)),
        _ if f.is_before() => format!(
            "The application on the {sender} held it back, not the network: {} of {} went by before \
             it began to send.",
            span(f.thought),
            span(f.span)
        ),
        _ if f.is_mostly_corked() => format!(
            "The application on the {sender} held it back, not the network: for {} it kept back the \
             ends of its own messages (TCP_CORK).",
            part(f)
        ),
        _ => format!(
            "The application on the {sender} held it back{}: for {} it had nothing ready to send.",
            known(!f.waits_for_path(), || ", not the network".to_owned()),
            part(f)
        ),
    }
}

/// Who sent it, and when it heard that all had arrived.
fn last_flight(f: &Figures) -> String {
    let all = known(!f.is_whole, || " that was captured".to_owned());
    let (sent, last) = if f.is_sent_at_once() {
        ("at once".to_owned(), "its arrival")
    } else {
        (format!("within {}", span(f.sending())), "the arrival of the last of it")
    };
    let delayed = known(f.is_delayed(), || {
        format!(", and the {} may delay its last acknowledgement", f.receiver.side.name())
    });
    let way = match f.rtt_floor {
        Nanos::ZERO => String::new(),
        _ if f.is_prompt() => ", which is the round trip".to_owned(),
        round => format!("; a round trip takes {}{delayed}", span(round)),
    };
    let (sender, later) = (f.sender.side.name(), span(f.on_its_way()));
    format!("{sender} sent all of its data{all} {sent}, and heard of {last} {later} later{way}.")
}
