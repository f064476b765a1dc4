//! `tcpwhy lab shell`: the user's shell behind an emulated link.

use super::exec::Path;
use clap::Args;

pub(super) const EXAMPLES: &str = "\
Examples:
  tcpwhy lab shell --rtt 80ms --rate 20mbit --server 'python3 -m http.server 8000'
                                         then: curl -so /dev/null http://10.77.0.2:8000/file
  sudo tcpwhy lab shell --rtt 40ms --loss 1% -o case
                                         without --server as root; then: tcpwhy case/client.pcapng

Exit status: the shell's own, 2 for an error of the lab.";

/// A shell and what lies between it and the server.
#[derive(Debug, Clone, Args)]
pub(crate) struct Shell {
    #[command(flatten)]
    pub path: Path,
}

/// Starts $SHELL; its prompt says where it is, as far as its own start files leave it.
#[cfg(target_os = "linux")]
pub(super) fn run(shell: &Shell) -> Result<std::process::ExitCode, crate::error::Error> {
    use std::ffi::OsString;
    let program = std::env::var_os("SHELL").unwrap_or_else(|| OsString::from("/bin/sh"));
    let prompt = OsString::from("PS1=[lab] \\w\\$ ");
    let prefix =
        OsString::from("PROMPT_COMMAND=case $PS1 in *'[lab]'*) ;; *) PS1=\"[lab] $PS1\" ;; esac");
    super::exec::start(&shell.path, &["/usr/bin/env".into(), prompt, prefix, program])
}
