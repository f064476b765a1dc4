//! What can go wrong, a sentence each.

mod zh;

use std::io;
use tcpwhy_core::advice::Language;

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
    #[error(
        "{files}: cannot read link type {links}, and no packet is of another; capture where there is IP"
    )]
    LinkType {
        /// The inputs.
        files: String,
        /// The types by name.
        links: String,
    },
    /// The output cannot be written.
    #[error("cannot write the answer: {0}")]
    Write(io::Error),
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
    /// Nothing can be recorded.
    #[error("{0}")]
    Record(String),
    /// The page would replace something.
    #[error("{0} is there already: choose another name, or replace it with --force")]
    Exists(String),
    /// A page or a picture cannot be written.
    #[error("cannot write {0}: {1}")]
    Page(String, io::Error),
    /// There is no place for what is kept for a while.
    #[error("cannot make a folder in {0}: {1}; choose another place with TMPDIR")]
    Temporary(String, io::Error),
    /// A case folder's samples cannot be read.
    #[error("cannot read {0}: {1}")]
    Samples(String, io::Error),
    /// The chart cannot be drawn.
    #[error(transparent)]
    Chart(#[from] tcpwhy_report::chart::Error),
    /// A directory cannot be served.
    #[error("cannot serve {0}: {1}")]
    Folder(String, io::Error),
    /// The address cannot be listened at.
    #[error(
        "cannot listen at {0}: {1}; choose another address with --listen (port 0: any free one)"
    )]
    Listen(std::net::SocketAddr, io::Error),
    /// The system gives a server nothing to wait with.
    #[error("cannot wait for connections and signals: {0}")]
    Wait(io::Error),
    /// The system has no randomness for tokens and names.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
    /// There is nothing to show of a capture.
    #[error("{0}: holds no TCP connection")]
    NoConnection(String),
    /// What reads a capture gave up, which it never should.
    #[error("the analysis broke off: please report this capture")]
    BrokeOff,
    /// A page or a picture of it cannot be made as asked.
    #[error(transparent)]
    Report(#[from] crate::report::Refusal),
    /// The system refused a thread.
    #[error("cannot start the reading thread: {0}")]
    Thread(io::Error),
}

impl Error {
    /// Nothing can be kept in the system's temporary folder.
    pub(crate) fn temporary(why: io::Error) -> Self {
        Self::Temporary(std::env::temp_dir().display().to_string(), why)
    }

    /// The error as one sentence of that language; what concerns the use of the command line is English.
    pub(crate) fn text(&self, language: Language) -> String {
        match language {
            Language::En => self.to_string(),
            Language::Zh => zh::error(self),
        }
    }
}
