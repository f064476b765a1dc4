//! A link of the lab, and what a shell does behind it. Its round trip is so long that a busy machine, which lets a writer wait for its turn,
//! makes no other transfer of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::has_no_lab;

/// A folder for one case.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Where anybody may write.
    pub(crate) fn open_to_all() -> Self {
        let folder = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        Self(folder)
    }

    pub(crate) fn case(&self) -> String {
        self.0.path().join("case").display().to_string()
    }

    /// The binary, and the transfer's script, may lie where only root can go.
    pub(crate) fn copy_of_binary(&self) -> String {
        let copy = self.0.path().join("tcpwhy");
        fs::copy(env!("CARGO_BIN_EXE_tcpwhy"), &copy).unwrap();
        copy.display().to_string()
    }

    /// A transfer: `flow.py client|server KIND`.
    fn flow(&self) -> String {
        let copy = self.0.path().join("flow.py");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live/flow.py");
        fs::copy(script, &copy).unwrap();
        format!("python3 {}", copy.display())
    }

    fn burst(&self) -> String {
        let script = self.0.path().join("burst.py");
        fs::write(&script, BURST).unwrap();
        format!("python3 {}", script.display())
    }

    fn transfer(&self) -> String {
        let script = self.0.path().join("transfer.sh");
        fs::write(&script, TRANSFER).unwrap();
        format!("sh {}", script.display())
    }
}

/// Makes the transfer, which says by `$READY` when it has settled, and ends with 7.
const TRANSFER: &str = "\
$FLOW client sndbuf & PID=$!
until [ -e $READY ]; do kill -0 $PID || exit 9; sleep 0.1; done
sleep ${LONG:-2.5}
kill $PID
exit 7
";

/// Some ten thousand small packets over the loopback device, to port 9000; ends with 7.
const BURST: &str = "\
import socket, sys
listener = socket.create_server(('127.0.0.1', 9000))
one = socket.create_connection(('127.0.0.1', 9000))
other = listener.accept()[0]
one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for _ in range(30000):
    one.send(b'x')
    other.recv(1)
sys.exit(7)
";

/// Commands for the host at the near end of the link.
pub(crate) struct Shell(String);

impl Shell {
    /// `$TCPWHY`, `$CASE`, `$TRANSFER` and `$BURST` stand for the binary, the case folder, a transfer of `$LONG` seconds, and many
    /// packets.
    pub(crate) fn new(script: &str) -> Self {
        Self(script.to_owned())
    }
}

/// What a program said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

fn said(command: &mut Command) -> Said {
    let output = command.stdin(Stdio::null()).output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// `None`, and `skipped:` on standard error, where there can be no lab.
pub(crate) fn in_lab(folder: &Folder, shell: &Shell) -> Option<Said> {
    let flow = folder.flow();
    let said = said(
        Command::new(env!("CARGO_BIN_EXE_tcpwhy"))
            .args(["lab", "exec", "-q", "--rtt", "200ms", "--congestion", "cubic"])
            .args(["--server", &format!("exec {flow} server sndbuf")])
            .args(["--", "sh", "-c", &shell.0])
            .env("TCPWHY", env!("CARGO_BIN_EXE_tcpwhy"))
            .env("CASE", folder.case())
            .env("FLOW", &flow)
            .env("TRANSFER", folder.transfer())
            .env("BURST", folder.burst())
            .env("READY", folder.0.path().join("ready")),
    );
    (!is_refused(&said)).then_some(said)
}

/// Whether this machine has no lab: then why is printed.
pub(crate) fn is_refused(said: &Said) -> bool {
    has_no_lab(&said.stderr, &["no congestion control"])
}

pub(crate) fn tcpwhy(args: &[&str]) -> Said {
    said(
        Command::new(env!("CARGO_BIN_EXE_tcpwhy"))
            .args(args)
            .env_remove("LANG")
            .env_remove("LC_ALL"),
    )
}

/// The answer as JSON, and the exit code.
pub(crate) fn explained(case: &str) -> (Value, i32) {
    let said = tcpwhy(&[case, "--json"]);
    let answer = serde_json::from_str(&said.stdout);
    (answer.map_err(|why| format!("{why}: {said:?}")).unwrap(), said.code)
}

/// The answer for people, its lines joined.
pub(crate) fn text(case: &str) -> String {
    tcpwhy(&["explain", case]).stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// 0, or 2 for damage that was told.
pub(crate) fn is_damaged_at_most(code: i32) -> bool {
    [0, 2].contains(&code)
}

/// The direction to the server that listens on this port.
pub(crate) fn direction(answer: &Value, port: u16) -> Value {
    let connections = answer["connections"].as_array().unwrap();
    let of_port = |c: &&Value| c["server"]["port"] == port;
    let connection = connections.iter().find(of_port).ok_or_else(|| answer.to_string()).unwrap();
    connection["directions"][0].clone()
}
