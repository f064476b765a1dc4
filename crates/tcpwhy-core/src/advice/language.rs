//! The languages that answers are written in.

/// A language with a catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Language {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// Its ISO 639-1 code.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh",
        }
    }

    /// The language of a POSIX locale name (`zh_CN.UTF-8`, `zh`, `C`): English where there is no
    /// catalogue of its own.
    pub fn of_locale(name: &str) -> Self {
        let code = name.split(['_', '-', '.', '@']).next().unwrap_or_default();
        if code.eq_ignore_ascii_case("zh") { Self::Zh } else { Self::En }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locale_names_its_language_first() {
        for name in ["zh", "zh_CN.UTF-8", "zh_TW", "zh-Hans", "ZH_CN", "zh.UTF-8", "zh@pinyin"] {
            assert_eq!(Language::of_locale(name), Language::Zh, "{name}");
        }
        for name in ["C", "POSIX", "C.UTF-8", "en_US.UTF-8", "de", "", "zhx", "zha_CN"] {
            assert_eq!(Language::of_locale(name), Language::En, "{name}");
        }
    }
}
