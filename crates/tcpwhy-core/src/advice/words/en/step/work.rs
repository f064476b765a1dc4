//! Steps in applications.

use crate::advice::quantity::{buffer, count, rate, round_trips, span};
use crate::advice::step::Work;
use crate::advice::words::en::{frames, known, limit, place};
use crate::model::Side;
use crate::units::bits_per_second;

/// One step as an instruction.
pub(super) fn step(step: &Work) -> String {
    match *step {
        Work::ProfileApplication { at, first } => format!(
            "Look at what the application on {} does {}, or where it gets the data from; its own \
             log, `perf` or `strace -f -T -p PID` shows it.",
            place(&at),
            if first {
                "before its first write (disk, database, locks, CPU)"
            } else {
                "between its writes (disk, database, locks, CPU, a rate limit of its own)"
            }
        ),
        Work::Uncork { at } => format!(
            "In the application on {}, set TCP_CORK to 0 on that socket whenever a message is \
             complete: what does not fill a segment waits 200 ms for the kernel's timer until then.",
            place(&at)
        ),
        Work::ProfilePeer { at } => format!(
            "Look at how long the application on {} takes between {}.",
            place(&at),
            match at.side {
                Side::Client => "reading an answer and sending its next request",
                Side::Server => "reading a request and writing its answer",
            }
        ),
        Work::SeeAnswers { at, held_by } => format!(
            "Look at the other direction first: what {} sends was held by another limit ({}) for \
             most of its time.",
            place(&at),
            limit(held_by)
        ),
        Work::EnlargeGrant { at, asks, rtt, flight } => format!(
            "If the protocol has a window of its own, enlarge it{}: {} in flight and a round trip \
             of {} allow {} at most.",
            match asks == at {
                true => format!(
                    " on {} (flow control of HTTP/2, gRPC or SSH, or how many requests are under way)",
                    place(&at)
                ),
                false => format!(
                    " (flow control of HTTP/2, gRPC or SSH on {}, how many requests are under way \
                     on {})",
                    place(&at),
                    place(&asks)
                ),
            },
            buffer(flight),
            span(rtt),
            rate(bits_per_second(flight, rtt))
        ),
        Work::NoSettingHelps => "No network or buffer setting will help.".to_owned(),
        Work::ShortenTheWay => "More bandwidth or larger buffers change nothing here: only fewer \
             turns, or two ends that are closer together."
            .to_owned(),
        Work::CarryLess { carried } => format!(
            "The path needs {} of the time for what is asked and answered: fewer bytes (compression, asking for less) or a faster \
             link shorten that.",
            span(carried)
        ),
        Work::BatchRequests { at, rtt, turns } => format!(
            "On {}, ask for more at a time or send the next request before the answer has come \
             (batching, pipelining, several connections): each of the {} turns costs at least a \
             round trip{}.",
            place(&at),
            count(turns),
            known(rtt.0 > 0, || format!(
                " of {}, {} in all",
                span(rtt),
                span(round_trips(turns, rtt))
            ))
        ),
        Work::KeepAliveIsHarmless => {
            "Nothing to change: keep-alives cost next to nothing. Look at \
             why the applications had nothing to exchange, if they should have."
                .to_owned()
        }
        Work::InspectReader { at, frames: (first, last) } => format!(
            "Find out what the application on {} does instead of reading{}: `ss -tmi` shows the \
             unread bytes in Recv-Q, and a stack trace of the process shows where it waits.",
            place(&at),
            frames(first, last)
        ),
        Work::LargerBufferOnlyPostpones { at } => format!(
            "Leave the buffers of {} as they are: a larger receive buffer only postpones the stall \
             until it is full, too.",
            place(&at)
        ),
        Work::WriteMoreAtOnce { at } => format!(
            "On {}, hand the data to the kernel in larger writes if it is at hand: with more \
             packets in flight a loss is noticed within a round trip instead of by a timer.",
            place(&at)
        ),
        Work::SoonerNotShorter { by, then, next } => format!(
            "Without this limit what is written arrives sooner, by up to {} each time, but all of it still takes {}, held by \
             the next ({}).",
            span(by),
            span(then),
            limit(next)
        ),
        Work::CombineWrites { at } => format!(
            "In the application on {}, combine small writes into one: a buffered writer that is \
             flushed once per message, `writev`, or TCP_CORK around the message.",
            place(&at)
        ),
        Work::SetNodelay { at } => format!(
            "If the pieces cannot be combined, set TCP_NODELAY on that socket of {}: small pieces \
             then leave at once, at the price of more packets.",
            place(&at)
        ),
    }
}
