//! What can go wrong, a sentence each.

use std::io;

/// An error that ends the run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The command line makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The input cannot be opened or read.
    #[error("{0}")]
    Capture(#[from] tcpwhy_capture::Error),
    /// Nothing in the input can be decoded.
    #[error("cannot read link type {0}")]
    LinkType(String),
    /// The output cannot be written.
    #[error("cannot write the answer: {0}")]
    Write(#[from] io::Error),
    /// A scenario cannot be run.
    #[cfg(target_os = "linux")]
    #[error(transparent)]
    Scenario(#[from] tcpwhy_lab::scenario::Error),
    /// The lab cannot do what was asked.
    #[error("{0}")]
    Lab(String),
    /// Live sockets cannot be looked at, or not be changed as asked.
    #[error("{0}")]
    Live(String),
    /// The page would replace something.
    #[error("{0} is there already: choose another name with -o, or replace it with --force")]
    Exists(String),
    /// The page cannot be written.
    #[error("cannot write {0}: {1}")]
    Page(String, io::Error),
    /// The system refused a thread.
    #[error("cannot start the reading thread: {0}")]
    Thread(io::Error),
}
