//! What a modelled transfer's phases are called.

use tcpwhy_core::advice::{Language, cause_label, limit_label};
use tcpwhy_core::model::{Cause, Limit};
use tcpwhy_core::whatif::transfer::Phase;

/// A phase in tables for people: in English its published name, in other languages that of the limit or cause.
pub fn phase_label(phase: Phase, language: Language) -> &'static str {
    if language == Language::En {
        return phase.name();
    }
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
        Language::En => Phase::Last.name(),
        Language::Zh => "最后的数据在途",
    }
}
