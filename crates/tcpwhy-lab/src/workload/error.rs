//! What ends a workload before it has an outcome. A connection that fails is an outcome, not one of these.

use std::io;

/// Why a workload could not run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was asked cannot be done.
    #[error("{0}")]
    Asked(String),
    /// A host could not be entered.
    #[error("cannot enter the {host}'s network namespace: {cause}")]
    Enter {
        /// `client` or `server`.
        host: &'static str,
        /// From the kernel.
        cause: io::Error,
    },
    /// No socket listens where the workload needs one.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// Where.
        address: std::net::SocketAddr,
        /// From the kernel.
        cause: io::Error,
    },
    /// The kernel does not take a socket option.
    #[error("the kernel refuses {option}={value}: {cause}")]
    Option {
        /// Name of the option.
        option: &'static str,
        /// As asked.
        value: String,
        /// From the kernel.
        cause: io::Error,
    },
    /// The application log cannot be written.
    #[error("cannot write the application log {path}: {cause}")]
    Log {
        /// The file.
        path: String,
        /// From the system.
        cause: io::Error,
    },
    /// A program of the scenario is not there: the run is skipped.
    #[error("skipped: {program} {}", lacking(package.as_deref()))]
    Missing {
        /// Its name or path.
        program: String,
        /// The Debian package that brings it; of a path, none is known.
        package: Option<String>,
    },
    /// A program did not do its part.
    #[error("{program} {what}; its last words: {said} (all of them: {errors})")]
    Program {
        /// Its name.
        program: String,
        /// What it did, a clause.
        what: String,
        /// Last line of its standard error.
        said: String,
        /// Path of what is kept of its standard error.
        errors: String,
    },
    /// The system refuses a thread, a process or a folder.
    #[error("cannot {what}: {cause}")]
    System {
        /// What was tried.
        what: String,
        /// From the system.
        cause: io::Error,
    },
}

fn lacking(package: Option<&str>) -> String {
    match package {
        Some(package) => format!("is not installed (apt-get install {package})"),
        None => "is not there".to_owned(),
    }
}
