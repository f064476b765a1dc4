//! The source under its published names.

use super::{Translations, Words};
use serde::Serialize;
use tcpwhy_core::advice::Language;

#[derive(Serialize)]
pub(super) struct Source<'a> {
    files: &'a [String],
    packets: u64,
    tcp_packets: u64,
    warnings: Vec<&'a str>,
    #[serde(skip_serializing_if = "Translations::is_empty")]
    translations: Translations<Said<'a>>,
}

#[derive(Serialize)]
struct Said<'a> {
    warnings: Vec<&'a str>,
}

impl<'a> Source<'a> {
    pub(super) fn of(s: &'a crate::Source, words: Words) -> Self {
        let warnings = |language: Language| s.warnings.iter().map(|w| w.text(language)).collect();
        Self {
            files: &s.files,
            packets: s.packets,
            tcp_packets: s.tcp_packets,
            warnings: warnings(words.first()),
            translations: words.others(|language| Said { warnings: warnings(language) }),
        }
    }
}
