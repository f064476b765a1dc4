//! What is said where the command line is no command.

use crate::error::Error;
use crate::exit;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::error::Error as _;
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

/// Why there is no command to run: it is wrong, or only help or the version was asked for.
#[derive(Debug)]
pub(crate) struct Refused {
    why: clap::Error,
    /// The subcommand that it is about, as it is called.
    command: String,
}

impl Refused {
    /// `verbs`: the subcommands on the command line.
    pub(super) fn new(why: clap::Error, verbs: &[&str]) -> Self {
        let named = verbs.iter().filter(|verb| **verb != "help");
        let command =
            std::iter::once(&"tcpwhy").chain(named).copied().collect::<Vec<_>>().join(" ");
        Self { why, command }
    }

    /// Prints what was asked for.
    ///
    /// # Errors
    /// One sentence on what is wrong.
    pub(crate) fn answer(&self) -> Result<ExitCode, Error> {
        let code = match self.why.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
            // A verb with verbs of its own, and none of them named: these are shown.
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => exit::ERROR.into(),
            _ => return Err(Error::Usage(self.sentence())),
        };
        self.why.print().map_err(Error::Write)?;
        Ok(code)
    }

    /// clap's message as one sentence.
    fn sentence(&self) -> String {
        let text = self.why.to_string();
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        // What it lists stands on the following lines.
        let listed: Vec<_> = lines.map(str::trim).take_while(|line| !line.is_empty()).collect();
        let first = match listed[..] {
            [] => first.trim_end_matches(':').to_owned(),
            _ => format!("{first} {}", listed.join(", ")),
        };
        format!("{}{} (see {} --help)", self.in_words(first), self.meant(), self.command)
    }

    /// Without what only programmers of Rust have read before.
    fn in_words(&self, text: String) -> String {
        let source = self.why.source();
        let Some(number) = source.and_then(|source| source.downcast_ref::<ParseIntError>()) else {
            return text;
        };
        let words = match number.kind() {
            IntErrorKind::PosOverflow => "that is too large a number",
            _ => "expected a whole number that is not negative",
        };
        text.replace(&number.to_string(), words)
    }

    /// The subcommand that was nearly named.
    fn meant(&self) -> String {
        let name = match self.why.get(ContextKind::SuggestedSubcommand) {
            Some(ContextValue::String(name)) => Some(name),
            Some(ContextValue::Strings(names)) => names.first(),
            _ => None,
        };
        name.map_or_else(String::new, |name| format!("; did you mean {name}?"))
    }
}
