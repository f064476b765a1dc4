//! What can go wrong while scoring.

use std::io;
use std::path::PathBuf;

/// Why something could not be scored, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A capture cannot be read.
    #[error("the capture {path} cannot be read: {source}", path = path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// Why.
        source: tcpwhy_capture::Error,
    },
    /// A file cannot be read or written.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file holds something else than it should.
    #[error("{path} cannot be understood: {source}; remove it and the run is made again", path = path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The truth says nothing about the direction to be judged.
    #[error("{path} holds no truth for port {port}", path = path.display())]
    NoTruth {
        /// The file.
        path: PathBuf,
        /// Of the server.
        port: u16,
    },
    /// The run itself failed.
    #[error("the run failed: {0}")]
    Run(String),
}
