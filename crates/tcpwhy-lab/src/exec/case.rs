//! What `lab exec -o` keeps.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::Error;
use crate::host::{Host, HostFacts};
use crate::link::LinkReport;
use crate::tap::Tap;

/// A case folder while the command runs: captures at both hosts.
#[derive(Debug)]
pub(super) struct Case {
    folder: PathBuf,
    taps: [Tap; 2],
}

#[derive(Serialize)]
struct Hosts<'a> {
    client: &'a HostFacts,
    server: &'a HostFacts,
}

/// Makes the folder; one that has something in it would mix two runs.
pub(super) fn folder(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|e| error(path, e))?;
    match fs::read_dir(path).map_err(|e| error(path, e))?.next() {
        None => Ok(()),
        Some(_) => Err(Error::NotEmpty(path.display().to_string())),
    }
}

impl Case {
    pub(super) fn start(folder: &Path, client: &Host, server: &Host) -> Result<Self, Error> {
        let hosts = Hosts { client: client.facts(), server: server.facts() };
        write(&folder.join("host.json"), &hosts)?;
        let taps = [
            Tap::start(client, &folder.join("client.pcapng"))?,
            Tap::start(server, &folder.join("server.pcapng"))?,
        ];
        Ok(Self { folder: folder.to_owned(), taps })
    }

    pub(super) fn end(self, link: &LinkReport) -> Result<(), Error> {
        Tap::stop(self.taps)?;
        write(&self.folder.join("link.json"), link)
    }
}

fn write(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(|e| error(path, e.into()))?;
    fs::write(path, text + "\n").map_err(|e| error(path, e))
}

fn error(path: &Path, source: std::io::Error) -> Error {
    Error::Case { path: path.display().to_string(), source }
}
