//! Findings as sentences.

use super::{bytes, fills_ethernet, known, many};
use crate::advice::quantity::{count, data, rate, span};
use crate::model::{Connection, Direction, Finding, FindingKind, Side, WindowScale};
use crate::units::Nanos;

/// One finding with its numbers; the frame is the report's to add.
pub(crate) fn finding(connection: &Connection, finding: &Finding) -> String {
    let (side, other) = (finding.side.name(), finding.side.other().name());
    let (n, value) = (finding.count, finding.value);
    match finding.kind {
        FindingKind::SynRetries => {
            format!("The {side} had to send its SYN again ({}).", times(n))
        }
        FindingKind::Refused => format!(
            "The {side} refused the connection (RST): nothing listens on that port, or a firewall answers."
        ),
        FindingKind::Reset => {
            format!("The {side} broke the connection off (RST){}.", after_data(connection, finding))
        }
        FindingKind::ZeroWindowDeath => format!(
            "The {other} closed its window and never opened it again: the last {} of the {side} went \
             unanswered.",
            many(n, "probe", "probes")
        ),
        FindingKind::WindowUpdateLost => format!(
            "The {side} opened its closed window again, but {} that said so never reached the {other}, which went on probing at \
             ever longer intervals: lost on the way from here.",
            many(n, "packet", "packets")
        ),
        FindingKind::NotAccepted => format!(
            "The {side}'s first data came in at the {other} and {} of it, and was not acknowledged: the queue of connections that the \
             application there has to accept is full, or a firewall on that host drops them.",
            many(n, "more copy", "more copies")
        ),
        FindingKind::LateReset => format!(
            "The {side} refused a late packet with RST: it had given the connection up long before, \
             and the {other} did not know."
        ),
        FindingKind::DataAfterClose => after_close(finding),
        FindingKind::PmtuBlackHole => format!(
            "Packets of the {side} with {} of payload vanish while smaller ones arrive: a path MTU \
             black hole.",
            bytes(value)
        ),
        FindingKind::MssClamped => format!(
            "The two ends announced different segment sizes; the {side}'s, {}, is the smaller: {}a \
             tunnel, a router that clamps it in one direction, or an application that asked for it (TCP_MAXSEG).",
            bytes(value),
            known(fills_ethernet(value), || "jumbo frames at the other end, ".to_owned())
        ),
        FindingKind::Policer => format!(
            "Data of the {side} above a constant rate is dropped without a queue: a policer{}.",
            if value > 0 { format!(" ({} got through)", rate(value)) } else { String::new() }
        ),
        FindingKind::WindowScaleStripped => format!(
            "One SYN offered window scaling and the {side}'s did not, so no window can exceed 64 \
             KiB: the option is off there or was stripped on the way."
        ),
        FindingKind::KeepAliveOnly => {
            format!("{} and hardly any data.", many(n, "keep-alive", "keep-alives"))
        }
        FindingKind::Corked => format!(
            "{} of what the {side} wrote left by the kernel's timer, 200 ms and a round trip after \
             the rest was acknowledged: its socket is corked (TCP_CORK).",
            many(n, "end", "ends")
        ),
        FindingKind::AckQueue => format!(
            "ACKs of the {side} waited for {} on the mean in a queue on their way back, and what they release as long: the \
             line from there is full or slow. See what else it carries (an upload, a backup); fq_codel or cake before \
             it keeps the queue short.",
            span(finding.time())
        ),
        FindingKind::CaptureHole => format!(
            "The capture lacks {} of the {side} that were acknowledged ({}): packets were dropped \
             by the capture, not by the network.",
            data(value),
            many(n, "hole", "holes")
        ),
        FindingKind::OutOfWindow => format!(
            "{} with sequence or acknowledgment numbers far beyond what the {side} may have sent: damaged, or of \
             somebody else; left out.",
            many(n, "packet", "packets")
        ),
        FindingKind::RandomLoss => format!(
            "{} from the {side}, with no queue before them and at no particular place in a burst: lost by chance (a bad \
             cable, radio, a faulty port), not by congestion.",
            many(n, "loss", "losses")
        ),
        FindingKind::SeenTwice => format!(
            "{} of the {side} captured twice (two captures, two interfaces, a mirror port); each counts once.",
            many(n, "packet", "packets")
        ),
        FindingKind::OutOfOrderTime => format!(
            "{} of the {side} with a timestamp out of order: the capture's clock was set or is \
             imprecise, or its merging is.",
            many(n, "packet", "packets")
        ),
        FindingKind::Reordered => {
            format!("{} of the {side} arrived out of order.", many(n, "segment", "segments"))
        }
        FindingKind::SpuriousRetransmissions => format!(
            "The {side} resent {} that had arrived already.",
            many(n, "segment", "segments")
        ),
        FindingKind::EcnMarks => format!(
            "{} toward or from the {side}: a queue on the way signals congestion without dropping.",
            many(n, "ECN congestion mark", "ECN congestion marks")
        ),
        FindingKind::SharedPath => format!(
            "{} between the same hosts sent the same way meanwhile: {} with this one.",
            many(n, "other connection", "other connections"),
            rate(value)
        ),
        FindingKind::ScaleInferred => format!(
            "The window scale of the {side} is inferred{}: the capture lacks the options of the handshake, and the \
             verdict depends on it.",
            scale_range(connection, finding.side)
        ),
        FindingKind::OneWay => format!(
            "Only packets of the {side} were captured: what the {other} saw and said is unknown."
        ),
        FindingKind::Fragments => format!(
            "{} of the {side}: only the first of each datagram could be read.",
            many(n, "IP fragment", "IP fragments")
        ),
        FindingKind::Midstream => {
            "The capture begins in the middle of the connection: the handshake is missing, and which end is \
             the client is a guess by their ports."
                .to_owned()
        }
    }
}

/// How long after the data a reset came, and which end had not said anything.
fn after_data(c: &Connection, reset: &Finding) -> String {
    let [own, other] =
        [reset.side, reset.side.other()].map(|side| c.directions[side as usize].bytes);
    let after = match reset.time() {
        _ if own == 0 && other == 0 => " before any data had crossed".to_owned(),
        late if late > Nanos::ZERO => format!(" {} after the last data", span(late)),
        _ => " in the midst of the data".to_owned(),
    };
    let silent = match (own, other) {
        (1.., 0) => format!(", and the {} had sent none", reset.side.other().name()),
        (0, 1..) => ", and had sent none itself".to_owned(),
        // Who closes with data unread takes back what it has said.
        (1.., 1..) if reset.side == Side::Server && reset.value == 0 => {
            ", so what it had answered may be lost (RFC 9112 section 9.6)".to_owned()
        }
        _ => String::new(),
    };
    after + &silent
}

/// Who spoke to an end that had closed, and what that means.
fn after_close(finding: &Finding) -> String {
    let (side, other) = (finding.side.name(), finding.side.other().name());
    let late = finding.time();
    let when = match late {
        Nanos::ZERO => format!("while the {other} was closing the connection"),
        late => format!("{} after the {other} had closed the connection", span(late)),
    };
    let why = match finding.side {
        Side::Client => {
            "whoever keeps connections open for later has to give them up sooner than the server does"
        }
        Side::Server => "the client had not waited for them (a timeout, or somebody gave up)",
    };
    format!(
        "The {side} sent {} {when}, which refused them (RST), so they are lost: {why}.",
        data(finding.count)
    )
}

/// " (2^5 to 2^7)": the scale of the window that `side` advertises.
fn scale_range(connection: &Connection, side: Side) -> String {
    let receives = |d: &&Direction| d.from == side.other();
    match connection.directions.iter().find(receives).map(|d| d.facts.scale) {
        Some(WindowScale::Inferred { min, max }) if min == max => format!(" (2^{min})"),
        Some(WindowScale::Inferred { min, max }) => format!(" (2^{min} to 2^{max})"),
        _ => String::new(),
    }
}

fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{} times", count(n)) }
}
