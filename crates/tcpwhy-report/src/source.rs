//! What was read.

use tcpwhy_core::advice::Language;
use tcpwhy_core::units::Nanos;

/// Where an analysis comes from, and what could not be used of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// The captures, in the order of time.
    pub files: Vec<String>,
    /// When the first frame was captured, where that is known.
    pub began: Option<Nanos>,
    /// Frames read.
    pub packets: u64,
    /// Frames that held a TCP segment.
    pub tcp_packets: u64,
    /// What could not be read or understood, a sentence each.
    pub warnings: Vec<Warning>,
}

/// A sentence in every language: warnings are few, and made before it is known who reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning([String; Language::ALL.len()]);

impl Warning {
    /// From what it is in each language.
    pub fn new(text: impl FnMut(Language) -> String) -> Self {
        Self(Language::ALL.map(text))
    }

    /// The sentence.
    pub fn text(&self, language: Language) -> &str {
        let Self([en, zh]) = self;
        match language {
            Language::En => en,
            Language::Zh => zh,
        }
    }
}

/// A sentence of which there is no translation.
impl From<&str> for Warning {
    fn from(text: &str) -> Self {
        Self::new(|_| text.to_owned())
    }
}
