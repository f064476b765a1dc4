//! The catalogues: the only places that hold wording, one folder a language.
//!
//! A message's key is a variant of a typed enum (a limit with its cause, a [`Step`], a kind of finding),
//! its arguments are that variant's fields or the [`Figures`]: a language that lacks a step or a finding,
//! or asks for an argument that is not there, does not compile. Each catalogue returns whole sentences and
//! puts them together itself, for word order is the language's own.

mod en;
mod zh;

use super::Language;
use super::figures::{Figures, Place};
use super::step::Step;
use crate::model::{Cause, Connection, Finding, Limit};

/// The verdict, and how far it can be trusted.
pub(super) fn sentence(language: Language, f: &Figures) -> String {
    match language {
        Language::En => en::sentence(f),
        Language::Zh => zh::sentence(f),
    }
}

/// One step as an instruction.
pub(super) fn step(language: Language, step: &Step) -> String {
    match language {
        Language::En => en::step(step),
        Language::Zh => zh::step(step),
    }
}

/// One finding with its numbers; the frame is the report's to add.
pub(super) fn finding(language: Language, connection: &Connection, finding: &Finding) -> String {
    match language {
        Language::En => en::finding(connection, finding),
        Language::Zh => zh::finding(connection, finding),
    }
}

/// A limit's name.
pub(super) fn limit(language: Language, limit: Limit) -> &'static str {
    match language {
        Language::En => en::limit(limit),
        Language::Zh => zh::limit(limit),
    }
}

/// A cause's name.
pub(super) fn cause(language: Language, cause: Cause) -> Option<&'static str> {
    match language {
        Language::En => en::cause(cause),
        Language::Zh => zh::cause(cause),
    }
}

/// "10.0.0.1:3306", "[2001:db8::1]:443".
fn address(at: &Place) -> String {
    std::net::SocketAddr::new(at.end.addr(), at.end.port).to_string()
}

/// Below this confidence the verdict is said to be a guess.
const GUESS: f64 = 0.5;
/// Below this confidence it is said how sure the verdict is.
const FAIRLY_SURE: f64 = 0.75;

/// Whether segments of so many bytes fill the frames of an ordinary Ethernet: 1500 bytes less the headers of TCP and of IPv4 or IPv6.
fn fills_ethernet(mss: u64) -> bool {
    matches!(mss, 1_460 | 1_440)
}

/// `text` of a measured quantity, or nothing.
fn known(measured: bool, text: impl FnOnce() -> String) -> String {
    if measured { text() } else { String::new() }
}
