//! Addresses, links and routes, by iproute2: one run of `ip -batch` a host.

use super::{Error, Network};
use crate::spec::{HostSpec, Role};
use std::io::Write;
use std::process::{Command, Stdio};

/// The commands that make a device of a host ready, in order.
pub(super) fn commands(device: &str, role: Role, spec: &HostSpec, network: Network) -> Vec<String> {
    let mtu = spec.mtu.unwrap_or(1500);
    let mut link =
        format!("link set {device} up mtu {mtu} txqueuelen {}", crate::link::TX_QUEUE_LEN);
    if let Some(segments) = spec.gso_max_segs {
        link += &format!(" gso_max_segs {segments}");
        if segments == 1 {
            link += &format!(" gso_max_size {mtu}");
        }
    }
    let [v4, v6] = network.addresses(role);
    let [peer4, peer6] = network.addresses(role.other());
    let metrics = metrics(spec);
    vec![
        "link set lo up".to_owned(),
        link,
        format!("addr add {v4}/24 dev {device}"),
        format!("addr add {v6}/64 dev {device} nodad"),
        format!("route replace {peer4}/32 dev {device} src {v4}{metrics}"),
        format!("route replace {peer6}/128 dev {device}{metrics}"),
        // Whatever a program asks for goes to the other end, as behind a real line.
        format!("route replace default via {peer4} dev {device}"),
    ]
}

/// What a route tells the sockets that use it.
fn metrics(spec: &HostSpec) -> String {
    let mut text = String::new();
    if let Some(control) = &spec.congestion {
        text += &format!(" congctl {}", control.0);
    }
    if let Some(segments) = spec.initcwnd {
        text += &format!(" initcwnd {segments}");
    }
    if let Some(segments) = spec.initrwnd {
        text += &format!(" initrwnd {segments}");
    }
    text
}

/// Runs `ip -batch` in the calling thread's network namespace.
///
/// # Errors
/// iproute2 is missing, or it refuses a line.
pub(super) fn run(commands: &[String]) -> Result<(), Error> {
    let mut ip = Command::new("ip");
    ip.args(["-batch", "-"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child =
        ip.spawn().map_err(|e| Error::Ip(format!("cannot run ip ({e}); install iproute2")))?;
    if let Some(mut stdin) = child.stdin.take() {
        let text = commands.join("\n");
        // When it fails, ip has ended and says why.
        let _ = stdin.write_all(text.as_bytes());
    }
    let output = child.wait_with_output().map_err(|e| Error::Ip(e.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().collect::<Vec<_>>().join("; ");
    Err(Error::Ip(format!("ip refused: {said}")))
}

/// What `ip` shows, for the record.
pub(super) fn show(arguments: &[&str]) -> Option<String> {
    let output = Command::new("ip").args(arguments).stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
