//! Why a command cannot run behind a link.

use std::io;

/// One clear sentence each.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Namespaces are not allowed.
    #[error(
        "cannot make namespaces ({0}); run as root, or allow user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)"
    )]
    Rights(io::Error),
    /// Without root, and without a server.
    #[error(
        "without root the command cannot reach this machine's own services; name one with --server 'COMMAND', or run as root"
    )]
    NoServer,
    /// All 256 networks are in use.
    #[error("every network from 10.77.0.0/24 to 10.77.255.0/24 is in use here")]
    NoNetwork,
    /// The outer lab's network has no part left.
    #[error(
        "no part of the outer lab's network {outer} is left; seven labs can be one inside another, and six side by side in one"
    )]
    NoPart {
        /// Whose client this is.
        outer: crate::host::Network,
    },
    /// A host.
    #[error(transparent)]
    Host(#[from] crate::host::Error),
    /// The link.
    #[error(transparent)]
    Link(#[from] crate::link::Error),
    /// A capture.
    #[error(transparent)]
    Tap(#[from] crate::tap::Error),
    /// A program.
    #[error("cannot start {program:?} ({source})")]
    Start {
        /// Its name.
        program: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// The server.
    #[error("the server {command:?} {what}")]
    Server {
        /// As given.
        command: String,
        /// What happened instead of listening.
        what: &'static str,
    },
    /// The case folder.
    #[error("cannot write the case folder {path} ({source})")]
    Case {
        /// The folder.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The case folder would mix two runs.
    #[error("{0} is not empty: choose another folder for the case")]
    NotEmpty(String),
    /// Something of the system.
    #[error("cannot {what} ({source})")]
    System {
        /// A verb and what it was about.
        what: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
}
