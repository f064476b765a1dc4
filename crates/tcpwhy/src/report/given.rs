//! What a report is made of: captures, a case folder, or an analysis that was written before.

use crate::case::Case;
use crate::error::Error;
use std::path::{Path, PathBuf};
use tcpwhy_capture::Input;
use tcpwhy_core::picture::SocketSample;

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
            let text =
                "a page needs two looks at the packets: write standard input to a file first";
            return Err(Error::Usage(text.to_owned()));
        }
        if let Some(alone) = files.iter().find(|f| Case::is(f) || is_analysis(f)) {
            if files.len() > 1 {
                return Err(Error::Usage(format!(
                    "{} is a report of its own: name it alone, or with --compare beside another",
                    alone.display()
                )));
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
    pub(super) fn samples(&self) -> Result<Option<impl Iterator<Item = SocketSample>>, Error> {
        let Self::Captures(_, Some(case)) = self else { return Ok(None) };
        Ok(Some(case.samples()?.filter_map(|sample| sample.drawn())))
    }
}

fn is_analysis(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) && !path.is_dir()
}

fn of_case(case: Case) -> Result<Given, Error> {
    let captures = case.captures();
    if captures.is_empty() {
        let folder = case.folder().display();
        return Err(Error::Usage(format!(
            "{folder} has samples of sockets, but no packets to draw: record it with CAP_NET_RAW"
        )));
    }
    Ok(Given::Captures(captures, Some(case)))
}
