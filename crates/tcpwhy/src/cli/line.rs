//! The words of a command line before clap reads them: where its subcommand stands, and what was meant for one.

use clap::{ArgAction, Command};
use std::any::TypeId;
use std::ffi::OsString;
use std::path::Path;
use tcpwhy_core::units::Nanos;

/// Letters that may be wrong in a subcommand's name.
const SLIPS: usize = 2;

/// `grammar` with the subcommands that help is for, and with options that take a negative number for a wrong value: clap takes it for an
/// option that there is not.
pub(super) fn prepared(grammar: Command) -> Command {
    let mut grammar = signed(grammar);
    grammar.build();
    grammar
}

fn signed(grammar: Command) -> Command {
    let numbers = [
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<f64>(),
        TypeId::of::<Nanos>(),
    ];
    let grammar = grammar.mut_args(|arg| {
        let number = numbers.iter().any(|number| arg.get_value_parser().type_id() == *number);
        let option =
            !arg.is_positional() && matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        if number && option { arg.allow_hyphen_values(true) } else { arg }
    });
    grammar.mut_subcommands(signed)
}

/// The same words with the subcommand before the options that stood before it: after an option clap takes it for a file. Help needs none.
pub(super) fn subcommand_first(mut words: Vec<OsString>, grammar: &Command) -> Vec<OsString> {
    let Some(at) = first(&words, grammar) else { return words };
    let verbs = verbs(&words[at..], grammar);
    let Some(verb) = verbs.first() else { return words };
    let options: Vec<_> = words.drain(1..at).filter(|_| *verb != "help").collect();
    let behind = 1 + verbs.len();
    words.splice(behind..behind, options);
    words
}

/// Place of the first word that is neither an option nor its value; what comes after `--` is never a subcommand.
fn first(words: &[OsString], grammar: &Command) -> Option<usize> {
    let mut left = words.iter().enumerate().skip(1);
    while let Some((at, word)) = left.next() {
        let word = word.to_str().filter(|word| *word != "--")?;
        if word == "-" || !word.starts_with('-') {
            return Some(at);
        }
        if takes_next(word, grammar) {
            left.next();
        }
    }
    None
}

/// Whether the word after this option is its value.
fn takes_next(option: &str, grammar: &Command) -> bool {
    let name = option.strip_prefix("--");
    let arg =
        grammar.get_arguments().find(|arg| arg.get_long().is_some() && arg.get_long() == name);
    arg.is_some_and(|arg| arg.get_action().takes_values())
}

/// The subcommands that these words begin with, each one of that before.
pub(super) fn verbs<'a>(words: &[OsString], mut grammar: &'a Command) -> Vec<&'a str> {
    let mut names = Vec::new();
    for word in words {
        let Some(verb) = word.to_str().and_then(|word| grammar.find_subcommand(word)) else {
            break;
        };
        names.push(verb.get_name());
        grammar = verb;
    }
    names
}

/// A first word that is no file, and the subcommand whose name it nearly is.
pub(super) fn mistyped<'a>(
    words: &'a [OsString],
    grammar: &'a Command,
) -> Option<(&'a str, &'a str)> {
    let word = words.get(first(words, grammar)?)?.to_str()?;
    if grammar.find_subcommand(word).is_some() || Path::new(word).exists() {
        return None;
    }
    let distance = |name: &&str| strsim::damerau_levenshtein(word, name);
    let begins = |name: &&str| word.len() > SLIPS && name.starts_with(word);
    let near = |name: &&str| distance(name) <= SLIPS.min(word.chars().count() / 2);
    let names = grammar.get_subcommands().map(Command::get_name);
    let nearest = names.filter(|name| begins(name) || near(name)).min_by_key(distance)?;
    Some((word, nearest))
}
