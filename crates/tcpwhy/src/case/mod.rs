//! A case folder: what `tcpwhy record`, `tcpwhy lab run` and `tcpwhy lab exec` write. Untrusted, and possibly cut short.

mod evidence;
mod memory;
mod parts;
mod samples;
mod within;

pub(crate) use evidence::{Evidence, evidence};
pub(crate) use parts::{lines, of as parts_of};
pub(crate) use samples::Sample;
pub(crate) use within::Within;

use crate::error::Error;
use samples::Samples;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tcpwhy_capture::Input;
use tcpwhy_core::advice::Language;

/// The samples of the sockets.
const SAMPLES: &str = "samples.ndjson";
/// What is known of the hosts.
const HOSTS: &str = "host.json";
/// What came of a run of the lab.
const RESULT: &str = "result.json";
/// These have a few kilobytes.
const MOST_BYTES: u64 = 16 << 20;
/// Captures of a case, the best one first: the host that `tcpwhy record` ran on, then the lab's ends.
const CAPTURES: [&str; 4] = ["host", "client", "server", "middle"];

/// Where the files of a case are.
pub(crate) trait Files {
    /// A file and its older parts, the oldest first; none where there is no such file.
    ///
    /// # Errors
    /// One cannot be opened.
    fn parts(&self, name: &str) -> Result<Vec<File>, Error>;

    /// A small JSON file; `None` where there is no such file.
    ///
    /// # Errors
    /// It cannot be read, or holds no JSON object.
    fn facts(&self, name: &str) -> io::Result<Option<Value>>;

    /// The samples of the sockets, in the order in which they were taken.
    ///
    /// # Errors
    /// A file cannot be opened.
    fn samples(&self) -> Result<Samples<impl Iterator<Item = String>>, Error> {
        Ok(Samples::new(parts::lines_of(self.parts(SAMPLES)?)))
    }
}

/// A case folder.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    folder: PathBuf,
}

impl Case {
    /// The one that was named alone; `None` where `files` are captures.
    ///
    /// # Errors
    /// A case folder stands beside other inputs.
    pub(crate) fn of(files: &[PathBuf]) -> Result<Option<Self>, Error> {
        let Some(case) = files.iter().find(|file| Self::is(file)) else { return Ok(None) };
        if files.len() > 1 {
            return Err(Error::Usage(format!(
                "{} is a case of its own: name it alone",
                case.display()
            )));
        }
        Ok(Some(Self { folder: case.clone() }))
    }

    /// Whether there are samples in it, or host facts beside captures; else it is a directory of captures at best.
    pub(crate) fn is(path: &Path) -> bool {
        let is_there = |name: &str| path.join(name).is_file();
        is_there(SAMPLES)
            || (is_there(HOSTS) && CAPTURES.iter().any(|name| is_there(&format!("{name}.pcapng"))))
    }

    /// The capture at the sender, for the limit is the sender's, and so are most of the samples: its parts, the oldest first. Empty
    /// where nobody might capture.
    pub(crate) fn captures(&self) -> Vec<Input> {
        // One that cannot be read is told with the evidence.
        let sender = self.facts(RESULT).ok().flatten().as_ref().and_then(sender);
        let names = sender.as_deref().into_iter().chain(CAPTURES);
        let parts = names.map(|name| parts::of(&self.folder.join(format!("{name}.pcapng"))));
        let found = parts.into_iter().find(|parts| !parts.is_empty());
        found.unwrap_or_default().into_iter().map(Input::Path).collect()
    }

    /// The folder, for messages.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Files for Case {
    fn parts(&self, name: &str) -> Result<Vec<File>, Error> {
        parts::opened(parts::of(&self.folder.join(name)))
    }

    fn facts(&self, name: &str) -> io::Result<Option<Value>> {
        let path = self.folder.join(name);
        match fs::metadata(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            // A pipe would never end.
            Ok(m) if !m.is_file() => Err(io::Error::other("it is no regular file")),
            _ => facts(File::open(&path)?).map(Some),
        }
    }
}

/// What an answer without packets lacks.
pub(crate) fn no_packets(language: Language) -> String {
    match language {
        Language::En => {
            "no packets were recorded, for that takes CAP_NET_RAW: all of this is from the kernel's samples of this host's sockets"
        }
        Language::Zh => "没有录制数据包（需要 CAP_NET_RAW 权限）：以下全部依据内核对本机套接字的采样",
    }
    .to_owned()
}

/// Which host sent the transfer that the run was about, `client` or `server`.
fn sender(result: &Value) -> Option<String> {
    let judged = result.get("judgements")?.as_array()?;
    let at_sender = judged.iter().find(|j| j.get("at_sender") == Some(&true.into()))?;
    let from = at_sender.get("from")?.as_str()?;
    ["client", "server"].contains(&from).then(|| from.to_owned())
}

/// The object in a small JSON file; one that is larger is cut, and no JSON.
fn facts(file: File) -> io::Result<Value> {
    let mut text = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut text)?;
    Ok(Value::Object(serde_json::from_slice(&text)?))
}
