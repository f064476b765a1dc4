//! A transfer in the lab, and a shell command that looks at it meanwhile.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::has_no_lab;

/// What `look` printed while the flow ran, whose process is `$PID` and whose socket its descriptor `$FD`; `None`, and `skipped:` on
/// standard error, where there can be no lab.
pub(crate) fn in_lab(congestion: &str, link: &[&str], kind: &str, look: &str) -> Option<String> {
    let flow = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/flow.py");
    let flow = flow.display();
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "python3 {flow} client {kind} & PID=$!; \
         until [ -e $READY ]; do kill -0 $PID || exit 9; sleep 0.1; done; \
         FD=$(cat $READY); {look}; kill $PID"
    );
    let output = Command::new(env!("CARGO_BIN_EXE_tcpwhy"))
        .args(["lab", "exec", "-q", "--rtt", "40ms", "--congestion", congestion])
        .args(link)
        .args(["--server", &format!("exec python3 {flow} server {kind}")])
        .args(["--", "sh", "-c", &script])
        .env("READY", folder.path().join("ready"))
        .env("TCPWHY", env!("CARGO_BIN_EXE_tcpwhy"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if has_no_lab(&said, &["no congestion control"]) {
        return None;
    }
    assert!(output.status.success(), "{said}");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// The one socket of a round.
pub(crate) fn socket(round: &str) -> serde_json::Value {
    let round: serde_json::Value = serde_json::from_str(round).unwrap();
    let sockets = round["sockets"].as_array().unwrap();
    assert_eq!(sockets.len(), 1, "{round}");
    sockets[0].clone()
}
