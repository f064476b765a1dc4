//! The verdict in plain sentences.

mod application;
mod network;

use crate::advice::bdp::Bdp;
use crate::advice::figures::Figures;
use crate::advice::opening::Opening;
use crate::advice::quantity::{buffer, data, percent, rate, span};
use crate::advice::words::en::{FAIRLY_SURE, GUESS, known, limit};
use crate::model::{Cause, Limit, WindowScale};
use crate::units::{Nanos, bits_per_second};

/// The verdict, and how far it can be trusted.
pub(crate) fn sentence(f: &Figures) -> String {
    if f.span <= Nanos::ZERO || f.is_idle() {
        return nothing_to_judge(f);
    }
    let mut text = verdict(f);
    if f.verdict.share > f.share + 0.03 && !f.is_last_flight() {
        text.push_str(&format!(
            " All causes together, {} took {} of the time.",
            limit(f.verdict.limit),
            percent(f.verdict.share)
        ));
    }
    match f.outdone_by {
        _ if f.verdict.share >= 0.5 || f.verdict.limit == Limit::Unknown => {}
        Some((Limit::Handshake, part)) if f.is_last_flight() => {
            text.push_str(&format!(" Opening the connection took {} of the time.", percent(part)))
        }
        _ if f.is_last_flight() => {}
        Some((Limit::Application, part)) if f.is_tail(part) => text.push_str(&format!(
            " It held longest until all was sent; {} went by until the last of it was \
             acknowledged.",
            span(f.tail)
        )),
        Some((Limit::Handshake, part)) => text.push_str(&format!(
            " It held longest while data moved; opening the connection took {} of the time.",
            percent(part)
        )),
        Some((Limit::Unknown, part)) => text.push_str(&format!(
            " It is the longest that the capture shows; for {} of the time it does not show what held.",
            percent(part)
        )),
        Some((other, part)) => text.push_str(&format!(
            " It held longest while data moved; the {} took {} of the time, mostly {}.",
            limit(other),
            percent(part),
            if f.transfers > 1 { "between transfers" } else { "before the data began to move" }
        )),
        None => text.push_str(" It is the largest of several limits that took turns."),
    }
    if let (true, WindowScale::Inferred { min, max }) = (f.scale_matters, f.scale) {
        text.push_str(&format!(
            " The capture lacks the handshake's options, so the window's scale is inferred (2^{min} to \
             2^{max}), and the verdict depends on it."
        ));
    }
    text.push_str(&confidence(f));
    text
}

fn nothing_to_judge(f: &Figures) -> String {
    if f.bytes == 0 {
        format!("The {} sent no data.", f.sender.side.name())
    } else {
        format!("The {} sent {} in no measurable time.", f.sender.side.name(), data(f.bytes))
    }
}

fn confidence(f: &Figures) -> String {
    let confidence = percent(f.verdict.confidence);
    match f.verdict.confidence {
        _ if f.verdict.limit == Limit::Unknown => String::new(),
        c if c < GUESS => format!(" The evidence is thin (confidence {confidence})."),
        c if c < FAIRLY_SURE => format!(" This is likely, not certain (confidence {confidence})."),
        _ => String::new(),
    }
}

fn verdict(f: &Figures) -> String {
    match f.verdict.limit {
        Limit::Handshake => handshake(f),
        Limit::Application => application::application(f),
        Limit::SendBuffer => send_buffer(f),
        Limit::ReceiveWindow => receive_window(f),
        Limit::CongestionWindow => network::congestion_window(f),
        Limit::PathBandwidth => network::path_bandwidth(f),
        Limit::LossRecovery => network::loss_recovery(f),
        Limit::DelayedAck => delayed_ack(f),
        Limit::SilentPath => silent_path(f),
        Limit::Unknown if f.verdict.cause == Cause::CaptureHole => format!(
            "The capture lacks the packets that would show what held the {} back for {}.",
            f.sender.side.name(),
            part(f)
        ),
        Limit::Unknown => format!(
            "The capture does not show what held the {} back for {}.",
            f.sender.side.name(),
            part(f)
        ),
    }
}

/// "97 % of 25.1 s".
fn part(f: &Figures) -> String {
    part_of(f, f.share)
}

fn part_of(f: &Figures, share: f64) -> String {
    format!("{} of {}", percent(share), span(f.span))
}

fn handshake(f: &Figures) -> String {
    match f.verdict.cause {
        _ if f.opening == Opening::Refused => {
            format!(
                "The server refused the connection: its RST came {} after the SYN.",
                span(f.span)
            )
        }
        _ if f.not_accepted => format!(
            "The server did not take the connection in: for {} the client's first data, which came in there again and again, was \
             not acknowledged.",
            part(f)
        ),
        Cause::SynRetry if f.opening == Opening::AnswerUnheard => format!(
            "The connection never opened: for {} the server answered the client's SYN again and again (SYN/ACK), and the client \
             did not acknowledge that.",
            part(f)
        ),
        Cause::SynRetry if f.opening == Opening::InVain => format!(
            "The connection never opened: for {} the first packet (SYN) or its answer was lost or \
             ignored, however often it was sent again.",
            part(f)
        ),
        Cause::SynRetry => format!(
            "The connection was slow to open: {} went by because the first packet (SYN) or its \
             answer was lost or ignored and had to be sent again.",
            part(f)
        ),
        _ => format!(
            "Opening the connection took longest: {} went by before the first data could be \
             sent{}.",
            part(f),
            known(f.rtt_floor.0 > 0, || format!("; one round trip takes {}", span(f.rtt_floor)))
        ),
    }
}

fn send_buffer(f: &Figures) -> String {
    let reached = Bdp::of(f).is_some_and(|bdp| bdp.is_reached);
    let most = if reached { "at most" } else { "only" };
    let flight = known(f.flight > 0, || format!(" with {most} {} in flight", buffer(f.flight)));
    let room = if f.window > f.flight {
        let up_to = if f.is_window_near() { "up to " } else { "" };
        let window = buffer(f.window_beside());
        format!("the path and the {}'s window ({up_to}{window})", f.receiver.side.name())
    } else {
        "the path".to_owned()
    };
    let whose = match f.verdict.cause {
        Cause::LockedByApplication => ", which its application fixed with SO_SNDBUF,",
        Cause::SystemMaximum => ", as large as net.ipv4.tcp_wmem allows,",
        _ => "",
    };
    format!(
        "The {}'s send buffer{whose} held it back: {} were spent waiting for \
         acknowledgements{flight}; {room} had room for more.",
        f.sender.side.name(),
        part(f)
    )
}

fn receive_window(f: &Figures) -> String {
    let (sender, receiver) = (f.sender.side.name(), f.receiver.side.name());
    let filled = f.filled_window;
    let window = known(filled > 0, || format!(" ({})", buffer(filled)));
    let cap = known(f.rtt_floor.0 > 0 && filled > 0, || {
        let (round, most) = (span(f.rtt_floor), bits_per_second(filled, f.rtt_floor));
        format!(": at most one window per round trip of {round} can cross, {}", rate(most))
    });
    let longest =
        known(f.longest_stall.0 > 0, || format!(", up to {} at a time", span(f.longest_stall)));
    match f.verdict.cause {
        Cause::SmallBuffer => format!(
            "The {receiver}'s receive buffer held it back: for {} the {sender} had filled the \
             window that it offers{window}{cap}.",
            part(f)
        ),
        Cause::NoWindowScaling => format!(
            "The {receiver}'s window held it back: without window scaling it cannot exceed 64 KiB, \
             and for {} the {sender} had filled it{window}{cap}.",
            part(f)
        ),
        Cause::SlowReader => format!(
            "The application on the {receiver} did not read fast enough: for {} its receive buffer \
             was full or filling up, and the window left too little room to send{longest}.",
            part(f)
        ),
        Cause::ZeroWindow => format!(
            "The application on the {receiver} stopped reading: for {} its window was closed (zero \
             window){longest}, and the {sender} had to wait.",
            part(f)
        ),
        Cause::AutotuningLag => format!(
            "The {receiver}'s window was still growing: for {} the data was right behind \
             it{window}; longer transfers outgrow this.",
            part(f)
        ),
        _ => format!(
            "The {receiver}'s receive window held it back: for {} the {sender} had filled \
             it{window}{cap}.",
            part(f)
        ),
    }
}

fn delayed_ack(f: &Figures) -> String {
    format!(
        "Small writes held it back: for {} a small piece of data waited for the acknowledgement \
         of the piece before it (Nagle's algorithm){}.",
        part(f),
        known(f.is_kept_back(), || {
            let (receiver, longest) = (f.receiver.side.name(), span(f.longest_stall));
            format!(", which the {receiver} delays on purpose, here by up to {longest}")
        })
    )
}

fn silent_path(f: &Figures) -> String {
    let (sender, receiver) = (f.sender.side.name(), f.receiver.side.name());
    match f.verdict.cause {
        Cause::ProbesUnanswered => format!(
            "The {receiver} closed its window and then fell silent: for {} the {sender}'s probes \
             got no answer.",
            part(f)
        ),
        Cause::PmtuBlackHole => format!(
            "Large packets vanish on the way while small ones arrive: for {} the {sender} resent \
             full-size packets into a hole (path MTU black hole).",
            part(f)
        ),
        Cause::ConnectionForgotten => format!(
            "The other end had forgotten the connection: for {} the {sender} was left without an \
             answer, and its late packet was refused (RST).",
            part(f)
        ),
        Cause::None => format!(
            "The {sender} or the path from it went silent: for {} nothing came of the data that \
             the {receiver} was still waiting for.",
            part(f)
        ),
        _ if f.had_arrived => format!(
            "The path back to the {sender} went silent: for {} it resent data that had arrived, and \
             heard none of the {receiver}'s answers.",
            part(f)
        ),
        _ if f.retransmitted == 0 => format!(
            "The {receiver} or the path to it went silent: for {} nothing that the {sender} sent got \
             an answer.",
            part(f)
        ),
        _ => format!(
            "The {receiver} or the path to it went silent: for {} the {sender} resent data and got \
             no answer.",
            part(f)
        ),
    }
}
