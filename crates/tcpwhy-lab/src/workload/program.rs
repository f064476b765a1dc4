//! Real programs: started in their hosts, waited for, killed at the end.

use super::outcome::ProgramOutcome;
use super::running::Running;
use super::{Error, Site, front};
use crate::places::in_path;
use crate::scratch::Scratch;
use crate::spec::{Program, Role};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

/// Where programs are looked for besides `PATH`: servers often live there.
const MORE_PLACES: [&str; 3] = ["/usr/sbin", "/usr/local/sbin", "/sbin"];

/// Which Debian package brings a program, where its name is another.
const PACKAGES: [(&str, &str); 6] = [
    ("mariadbd", "mariadb-server"),
    ("mariadb-install-db", "mariadb-server"),
    ("mariadb", "mariadb-client"),
    ("nginx", "nginx-light"),
    ("ip", "iproute2"),
    ("ping", "iputils-ping"),
];

/// Runs programs in order: one that serves goes on in the background, every other one runs to its end.
pub(super) fn run(programs: &[Program], site: &Site<'_>) -> Result<Vec<ProgramOutcome>, Error> {
    for program in programs {
        if let Some(name) = program.command.first() {
            find(name)?;
        }
    }
    let scratch = Scratch::new().map_err(|cause| {
        let what = "make a folder for the programs' files".to_owned();
        Error::System { what, cause }
    })?;
    let folder = site.case.join("programs");
    make_folder(&folder)?;
    std::thread::scope(|scope| {
        let mut serving: Vec<(usize, Running<'_>)> = Vec::new();
        let mut fronts = Vec::new();
        let mut outcomes = Vec::new();
        let mut reach = None;
        let result = programs.iter().enumerate().try_for_each(|(number, program)| {
            let port = program.serves.or(reach);
            let command = filled(&program.command, site, port, scratch.path());
            let running = Running::start(scope, site, program, &command, &folder, number)?;
            let Some(port) = program.serves else {
                outcomes.push((number, running.until_its_end(program)?));
                return Ok(());
            };
            serving.push((number, running.ready(port)?));
            reach = Some(port);
            if let Some(asked) = &program.front {
                fronts.push(front::start(scope, site, program.on, asked, port)?);
                reach = Some(asked.port);
            }
            Ok(())
        });
        fronts.iter().for_each(front::Fronting::end);
        let stopped = serving.into_iter().map(|(number, running)| (number, running.stop()));
        outcomes.extend(stopped);
        outcomes.sort_by_key(|(number, _)| *number);
        result.map(|()| outcomes.into_iter().map(|(_, outcome)| outcome).collect())
    })
}

/// The program's path.
fn find(name: &str) -> Result<PathBuf, Error> {
    let is_path = name.contains('/');
    let found = if is_path {
        Some(PathBuf::from(name)).filter(|path| path.is_file())
    } else {
        in_path(name.as_ref(), &MORE_PLACES)
    };
    found.ok_or_else(|| {
        let package = PACKAGES.iter().find(|(program, _)| *program == name);
        let package = package.map_or(name, |(_, package)| package).to_owned();
        Error::Missing { program: name.to_owned(), package: (!is_path).then_some(package) }
    })
}

/// The command with its placeholders filled in and its program found.
fn filled(command: &[String], site: &Site<'_>, port: Option<u16>, dir: &Path) -> Vec<String> {
    let port = port.map(|port| port.to_string()).unwrap_or_default();
    let fill = |word: &String| {
        word.replace("{server}", &site.server_addresses[0].to_string())
            .replace("{client}", &site.client_addresses[0].to_string())
            .replace("{port}", &port)
            .replace("{dir}", &dir.display().to_string())
    };
    let mut command: Vec<String> = command.iter().map(fill).collect();
    if let Some(first) = command.first_mut()
        && let Ok(path) = find(first)
    {
        *first = path.display().to_string();
    }
    command
}

fn make_folder(path: &Path) -> Result<(), Error> {
    let what = format!("make the folder {}", path.display());
    std::fs::create_dir_all(path).map_err(|cause| Error::System { what, cause })
}

/// Where a host is reached.
pub(super) fn address(site: &Site<'_>, role: Role) -> IpAddr {
    match role {
        Role::Client => site.client_addresses[0],
        Role::Server => site.server_addresses[0],
    }
}
