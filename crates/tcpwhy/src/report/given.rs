//! What a report is made of: captures, a case folder, or an analysis that was written before.

use super::samples::Samples;
use crate::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use tcpwhy_capture::Input;

/// Where `tcpwhy lab run -o CASE` and `tcpwhy lab exec -o CASE` put the sockets' samples.
const SAMPLES: &str = "samples.ndjson";

/// What was named on the command line.
pub(super) enum Given {
    /// Captures, and samples of the sockets where they come from a case folder.
    Captures(Vec<Input>, Option<PathBuf>),
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
        if let Some(alone) = files.iter().find(|f| is_case(f) || is_analysis(f)) {
            if files.len() > 1 {
                return Err(Error::Usage(format!(
                    "{} is a report of its own: name it alone, or with --compare beside another",
                    alone.display()
                )));
            }
            return if is_case(alone) { case(alone) } else { Ok(Self::Analysis(alone.clone())) };
        }
        Ok(Self::Captures(files.iter().cloned().map(Input::Path).collect(), None))
    }

    /// The samples, if there are any.
    ///
    /// # Errors
    /// Their file cannot be opened.
    pub(super) fn samples(&self) -> Result<Option<Samples<BufReader<File>>>, Error> {
        let Self::Captures(_, Some(path)) = self else { return Ok(None) };
        let file = File::open(path).map_err(|e| Error::Samples(path.display().to_string(), e))?;
        Ok(Some(Samples::new(BufReader::new(file))))
    }
}

fn is_case(path: &Path) -> bool {
    path.join(SAMPLES).is_file()
}

fn is_analysis(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) && !path.is_dir()
}

/// The capture at the sender: the limit is the sender's, and so are most of the samples.
fn case(folder: &Path) -> Result<Given, Error> {
    let sender = sender(&folder.join("result.json")).unwrap_or_else(|| "client".to_owned());
    let names = [sender.as_str(), "client", "server", "middle"];
    let capture = names.iter().map(|n| folder.join(format!("{n}.pcapng"))).find(|p| p.is_file());
    let capture = capture.ok_or_else(|| {
        let folder = folder.display();
        Error::Usage(format!("{folder} has samples of sockets, but no client.pcapng beside them"))
    })?;
    Ok(Given::Captures(vec![Input::Path(capture)], Some(folder.join(SAMPLES))))
}

/// Which host sent the transfer that the run was about, `client` or `server`.
fn sender(result: &Path) -> Option<String> {
    let result: serde_json::Value =
        serde_json::from_reader(BufReader::new(File::open(result).ok()?)).ok()?;
    let judged = result.get("judgements")?.as_array()?;
    let at_sender = judged.iter().find(|j| j.get("at_sender") == Some(&true.into()))?;
    let from = at_sender.get("from")?.as_str()?;
    ["client", "server"].contains(&from).then(|| from.to_owned())
}
