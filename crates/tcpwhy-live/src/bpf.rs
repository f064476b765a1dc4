//! What loading kernel programs has in common.

use std::fmt::Display;

use aya::maps::Map;
use aya::programs::BtfTracePoint;
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
            refused.push(Refused { program, why });
        }
    }
    match refused.first() {
        Some(Refused { program, why }) if refused.len() == names.len() => {
            Err(Error::AllRefused { program, why: why.clone() })
        }
        _ => Ok(refused),
    }
}

fn attach_one(programs: &mut Ebpf, btf: &Btf, name: &str) -> Result<(), String> {
    let program = programs.program_mut(name).ok_or("the object has no such program")?;
    let program: &mut BtfTracePoint = program.try_into().map_err(|e| reason(&e))?;
    program.load(name, btf).map_err(|e| reason(&e))?;
    program.attach().map_err(|e| reason(&e)).map(drop)
}

pub(crate) fn unavailable(error: impl std::error::Error) -> Error {
    Error::Unavailable(reason(&error))
}

/// The error and what caused it, on one line: a verifier's log has thousands, of which the last ones tell.
fn reason(error: &dyn std::error::Error) -> String {
    let mut text = first_line(error);
    let mut cause = error.source();
    while let Some(source) = cause {
        text = format!("{text}: {}", first_line(source));
        cause = source.source();
    }
    text
}

fn first_line(text: &(impl Display + ?Sized)) -> String {
    text.to_string().lines().next().unwrap_or_default().to_owned()
}
