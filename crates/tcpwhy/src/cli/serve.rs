//! The arguments of `tcpwhy serve`.

use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use tcpwhy_core::quantity;

pub(super) const EXAMPLES: &str = "\
Examples:
  tcpwhy serve                                a page to drop captures on
  tcpwhy serve captures/                      the captures of a directory, and uploads to it
  tcpwhy serve captures/ --listen 0.0.0.0:7733
                                              for others, too: with the token that is printed
  tcpwhy serve --listen 127.0.0.1:0 --max-upload 100MB

It speaks plain HTTP: over a network that you do not trust, forward the port instead
(ssh -L 7733:127.0.0.1:7733 HOST).

Exit status: 0 stopped by Ctrl-C or SIGTERM, 2 error.";

/// What to serve, and to whom.
#[derive(Debug, Clone, Args)]
pub(crate) struct Serve {
    /// Directory of captures (its subdirectories, too), to which uploads are added; left out, uploads go to a
    /// temporary one that is removed in the end
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Where to listen; any address but a loopback one asks visitors for a token
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7733")]
    pub listen: SocketAddr,
    /// Largest upload
    #[arg(long, value_name = "SIZE", default_value = "1GB", value_parser = upload)]
    pub max_upload: u64,
}

fn upload(text: &str) -> Result<u64, String> {
    match quantity::bytes(text) {
        Ok(0) => Err("must be more than 0".to_owned()),
        bytes => bytes.map_err(|e| e.to_string()),
    }
}
