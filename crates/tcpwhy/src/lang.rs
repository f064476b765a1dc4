//! Which language to answer in.

use clap::ValueEnum;
use std::ffi::OsString;
use tcpwhy_core::advice::Language;
use tcpwhy_report::json::Words;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Lang {
    /// The reader's.
    Auto,
    /// English.
    En,
    /// 简体中文.
    Zh,
}

impl Lang {
    /// The language that was asked for by name.
    pub(crate) fn asked(self) -> Option<Language> {
        match self {
            Self::Auto => None,
            Self::En => Some(Language::En),
            Self::Zh => Some(Language::Zh),
        }
    }

    /// For people at a terminal: that of their locale.
    pub(crate) fn of_text(self) -> Language {
        self.asked().unwrap_or_else(|| of_environment(|name| std::env::var_os(name)))
    }

    /// For programs, which must not depend on somebody's locale.
    pub(crate) fn of_data(self) -> Words {
        Words::In(self.asked().unwrap_or_default())
    }
}

/// The language of messages as POSIX has it (Base Definitions, 8.2): the first of these that is set
/// and not empty.
fn of_environment(get: impl Fn(&str) -> Option<OsString>) -> Language {
    let set = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(get);
    let name = set.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
    Language::of_locale(&name.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(variables: &[(&str, &str)]) -> Language {
        of_environment(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_locale_of_messages_is_the_first_that_says_something() {
        assert_eq!(language(&[]), Language::En);
        assert_eq!(language(&[("LANG", "zh_CN.UTF-8")]), Language::Zh);
        assert_eq!(language(&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "")]), Language::Zh);
        assert_eq!(language(&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "C")]), Language::En);
        assert_eq!(language(&[("LANG", "en_US"), ("LC_MESSAGES", "zh_CN")]), Language::Zh);
        let all = [("LANG", "zh_CN"), ("LC_MESSAGES", "zh_CN"), ("LC_ALL", "de_DE")];
        assert_eq!(language(&all), Language::En);
        assert_eq!(language(&[("LC_CTYPE", "zh_CN.UTF-8")]), Language::En);
    }
}
