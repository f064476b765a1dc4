//! What loading kernel programs has in common.

use std::fmt::Display;

use aya::maps::Map;
use aya::programs::{BtfTracePoint, FEntry, FExit, ProgramError};
use aya::{Btf, Ebpf};

use crate::events::{Error, Refused};

/// Takes a map out of an object.
pub(crate) fn map(programs: &mut Ebpf, name: &str) -> Result<Map, Error> {
    programs.take_map(name).ok_or_else(|| no_map(name))
}

pub(crate) fn no_map(name: &str) -> Error {
    Error::Unavailable(format!("the object has no map {name}"))
}

/// Attaches each program to the tracepoint of its name, and says what was refused.
///
/// # Errors
/// Not one could be attached.
pub(crate) fn attach(
    programs: &mut Ebpf,
    btf: &Btf,
    names: &[&'static str],
) -> Result<Vec<Refused>, Error> {
    let mut refused = Vec::new();
    for program in names {
        if let Err(why) = attach_one(programs, btf, program) {
            refused.push(Refused { program, why, optional: false });
        }
    }
    match refused.first() {
        Some(Refused { program, why, .. }) if refused.len() == names.len() => {
            Err(Error::AllRefused { program, why: why.clone() })
        }
        _ => Ok(refused),
    }
}

fn attach_one(programs: &mut Ebpf, btf: &Btf, name: &str) -> Result<(), String> {
    let program = programs.program_mut(name).ok_or("the object has no such program")?;
    let program: &mut BtfTracePoint = program.try_into().map_err(|e| reason(&e))?;
    program.load(name, btf).map_err(|e| refusal(&e))?;
    program.attach().map_err(|e| refusal(&e)).map(drop)
}

/// A kernel function, and the programs at its entry and its exit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Function {
    /// Its name after `fentry/`.
    pub(crate) shown: &'static str,
    pub(crate) entry: &'static str,
    pub(crate) exit: &'static str,
}

/// Attaches both programs of each function, or none of them, and says what was refused: many kernels have no fentry, and nothing that
/// another program tells takes it.
pub(crate) fn attach_functions(
    programs: &mut Ebpf,
    btf: &Btf,
    functions: &[Function],
) -> Vec<Refused> {
    let mut refused = Vec::new();
    for function in functions {
        if let Err(why) = attach_function(programs, btf, function) {
            refused.push(Refused { program: function.shown, why, optional: true });
        }
    }
    refused
}

/// The exit comes first: what an entry notes is never left behind.
fn attach_function(programs: &mut Ebpf, btf: &Btf, function: &Function) -> Result<(), String> {
    let missing = "the object has no such program";
    let name = function.shown.trim_start_matches("fentry/");
    let exit: &mut FExit =
        programs.program_mut(function.exit).ok_or(missing)?.try_into().map_err(|e| refusal(&e))?;
    exit.load(name, btf).map_err(|e| refusal(&e))?;
    let link = exit.attach().map_err(|e| refusal(&e))?;
    let entered = attach_entry(programs, btf, function.entry, name);
    if entered.is_err()
        && let Some(Ok(exit)) = programs.program_mut(function.exit).map(<&mut FExit>::try_from)
    {
        exit.detach(link).map_err(|e| refusal(&e))?;
    }
    entered
}

fn attach_entry(
    programs: &mut Ebpf,
    btf: &Btf,
    program: &str,
    function: &str,
) -> Result<(), String> {
    let program = programs.program_mut(program).ok_or("the object has no such program")?;
    let entry: &mut FEntry = program.try_into().map_err(|e| refusal(&e))?;
    entry.load(function, btf).map_err(|e| refusal(&e))?;
    entry.attach().map_err(|e| refusal(&e)).map(drop)
}

pub(crate) fn unavailable(error: impl std::error::Error) -> Error {
    Error::Unavailable(reason(&error))
}

/// Why a program is not there, on one line: a verifier's log has thousands, of which the last one but its statistics tells.
pub(crate) fn refusal(error: &ProgramError) -> String {
    let ProgramError::LoadError { io_error, verifier_log } = error else { return reason(error) };
    let log = verifier_log.to_string();
    let told = |line: &&str| !line.trim().is_empty() && !line.starts_with("processed ");
    match log.lines().rev().find(told) {
        Some(last) => format!("the kernel's verifier refuses it: {io_error}: {}", last.trim()),
        None => format!("the kernel does not load it: {io_error}"),
    }
}

/// The error and what caused it, on one line.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    let mut text = first_line(error);
    let mut cause = error.source();
    while let Some(source) = cause {
        let next = first_line(source);
        // Some errors say what caused them, too.
        if !text.ends_with(&next) {
            text = format!("{text}: {next}");
        }
        cause = source.source();
    }
    text
}

fn first_line(text: &(impl Display + ?Sized)) -> String {
    text.to_string().lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Said {
        text: &'static str,
        source: Option<Box<Said>>,
    }

    #[test]
    fn a_reason_is_one_line_and_says_nothing_twice() {
        let said = |text, source: Option<Said>| Said { text, source: source.map(Box::new) };
        let inner = said("no map: refused", Some(said("refused\nand a log", None)));
        assert_eq!(reason(&said("map error", Some(inner))), "map error: no map: refused");
    }
}
