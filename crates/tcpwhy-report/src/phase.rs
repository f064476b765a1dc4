//! What a modelled transfer's phases are called.

use tcpwhy_core::advice::{Language, cause_label, limit_label};
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::whatif::transfer::Phase;

/// A phase in tables for people: the name of the limit or cause.
pub fn phase_label(phase: Phase, language: Language) -> &'static str {
    let limit = match phase {
        Phase::SlowStart => return cause_label(Cause::SlowStart, language).unwrap_or(phase.name()),
        Phase::Last => return last(language),
        Phase::Handshake => Limit::Handshake,
        Phase::Congestion => Limit::CongestionWindow,
        Phase::SendBuffer => Limit::SendBuffer,
        Phase::ReceiveWindow => Limit::ReceiveWindow,
        Phase::Path => Limit::PathBandwidth,
    };
    limit_label(limit, language)
}

/// The one phase that is neither.
fn last(language: Language) -> &'static str {
    match language {
        Language::En => "last bytes",
        Language::Zh => "最后的数据在途",
    }
}

/// What holds a transfer, in an English sentence.
pub fn phase_in_words(phase: Phase) -> &'static str {
    match phase {
        Phase::Handshake => "the handshake",
        Phase::SlowStart => "slow start",
        Phase::Congestion => "the congestion window",
        Phase::SendBuffer => "the send buffer",
        Phase::ReceiveWindow => "the receive window",
        Phase::Path => "the path's bandwidth",
        Phase::Last => "the last bytes on their way",
    }
}
