//! What a report is made of: captures, a case folder, or an analysis that was written before.

use super::refusal::Refusal;
use crate::case::{Case, Files, Sample};
use crate::error::Error;
use std::path::{Path, PathBuf};
use tcpwhy_capture::Input;

/// What was named on the command line.
pub(super) enum Given {
    /// Captures, and the case folder that they come from.
    Captures(Vec<Input>, Option<Case>),
    /// `tcpwhy FILE --json`.
    Analysis(PathBuf),
}

impl Given {
    /// What `files` are.
    ///
    /// # Errors
    /// A case folder or an analysis stands beside other inputs, or a case folder has no capture.
    pub(super) fn of(files: &[PathBuf]) -> Result<Self, Error> {
        if files.iter().any(|f| f.as_os_str() == "-") {
            return Err(Refusal::StandardInput.into());
        }
        if let Some(alone) = files.iter().find(|f| Case::is(f) || is_analysis(f)) {
            if files.len() > 1 {
                return Err(Refusal::Alone(alone.display().to_string()).into());
            }
            return match Case::of(files)? {
                Some(case) => of_case(case),
                None => Ok(Self::Analysis(alone.clone())),
            };
        }
        Ok(Self::Captures(files.iter().cloned().map(Input::Path).collect(), None))
    }

    /// The samples, if there are any.
    ///
    /// # Errors
    /// Their file cannot be opened.
    pub(super) fn samples(&self) -> Result<Option<impl Iterator<Item = Sample>>, Error> {
        let Self::Captures(_, Some(case)) = self else { return Ok(None) };
        case.samples().map(Some)
    }
}

fn is_analysis(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) && !path.is_dir()
}

fn of_case(case: Case) -> Result<Given, Error> {
    let captures = case.captures();
    if captures.is_empty() {
        return Err(Refusal::SamplesAlone(case.folder().display().to_string()).into());
    }
    Ok(Given::Captures(captures, Some(case)))
}
