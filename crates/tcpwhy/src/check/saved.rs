//! Another host: a saved `sysctl -a`, a folder of such texts, or a case folder with its sockets. Untrusted.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use crate::case::{lines, parts_of};
use crate::error::Error;
use serde::Deserialize;
use tcpwhy_core::check::{Device, Host, Route, Socket, saved};
use tcpwhy_core::kernel::Version;
use tcpwhy_core::kernel::tcp_info::from_hex;

/// `sysctl -a` prints some hundred KB.
const MOST_BYTES: u64 = 16 << 20;
/// Hosts of one folder, bytes of samples, and sockets that are looked at, at most.
const MOST_HOSTS: usize = 1_000;
const MOST_SAMPLES: usize = 1 << 31;
const MOST_SOCKETS: usize = 10_000;

/// The settings of a saved `sysctl -a`.
///
/// # Errors
/// The file cannot be read, is too large, or holds no setting of TCP.
pub(crate) fn settings(path: &Path) -> Result<BTreeMap<String, String>, Error> {
    let text = read(path)?;
    saved::settings(&text).ok_or_else(|| {
        Error::Usage(format!(
            "{}: no setting of TCP is in it (save one with: sysctl -a > FILE)",
            path.display()
        ))
    })
}

/// A kernel's version as the command line says it.
///
/// # Errors
/// It is none.
pub(crate) fn version(text: &str) -> Result<Version, Error> {
    Version::parse(text).ok_or_else(|| {
        let text: String = text.chars().take(40).collect();
        let Version { major, minor, .. } = Version::OLDEST;
        let known = format!("{major}.{minor} to {}.x", Version::LARGEST_MAJOR);
        Error::Usage(format!("{text:?} is not a kernel's version that is known: {known}, as 6.18"))
    })
}

/// The hosts of a file or folder.
///
/// # Errors
/// As [`settings`]; a case folder whose `host.json` is none.
pub(super) fn hosts(path: &Path, kernel: Option<&str>) -> Result<Vec<Host>, Error> {
    let fallback = kernel.map_or(Ok(Version::new(6, 18)), version)?;
    if !path.is_dir() {
        return Ok(vec![text(path, kernel, fallback)?]);
    }
    if path.join("host.json").is_file() {
        return case(path, fallback);
    }
    let texts = texts(path)?;
    if texts.is_empty() {
        return Err(Error::Usage(format!(
            "{}: neither the host.json of a case folder nor a text named sysctl... is in it (save one with: sysctl -a > sysctl.txt)",
            path.display()
        )));
    }
    texts.iter().map(|file| text(file, kernel, fallback)).collect()
}

/// The host of a saved text.
fn text(path: &Path, kernel: Option<&str>, fallback: Version) -> Result<Host, Error> {
    let mut settings = settings(path)?;
    if let Some(text) = kernel {
        settings.insert("kernel.osrelease".to_owned(), text.to_owned());
    }
    host(path, &path.display().to_string(), settings, fallback)
}

/// Files of a folder that are named for what they hold, by name: `sysctl.txt`, `web1.sysctl`, `sysctl-a-db`.
fn texts(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |e| Error::Usage(format!("cannot read {}: {e}", folder.display()));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let named = path.file_name().is_some_and(|name| name.to_string_lossy().contains("sysctl"));
        if named && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    found.truncate(MOST_HOSTS);
    Ok(found)
}

fn host(
    path: &Path,
    name: &str,
    settings: BTreeMap<String, String>,
    fallback: Version,
) -> Result<Host, Error> {
    Host::new(name, settings, fallback)
        .map_err(|e| Error::Usage(format!("{}: {e}", path.display())))
}

/// Client and server of a case folder (`tcpwhy lab run -o FOLDER`), or the one host of `tcpwhy record -o FOLDER`.
fn case(folder: &Path, fallback: Version) -> Result<Vec<Host>, Error> {
    let path = folder.join("host.json");
    let bad = || Error::Usage(format!("{} is not the host.json of a case folder", path.display()));
    let value: serde_json::Value = serde_json::from_str(&read(&path)?).map_err(|_| bad())?;
    let mut found = Vec::new();
    for role in ["client", "server", "host"] {
        let Some(facts) = value.get(role) else { continue };
        let effective = facts.get("effective").and_then(|v| v.as_object()).ok_or_else(bad)?;
        let mut settings: BTreeMap<_, _> = effective
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        if let Some(kernel) = facts.get("kernel").and_then(|v| v.as_str()) {
            settings.insert("kernel.osrelease".to_owned(), kernel.to_owned());
        }
        let name = format!("{role} of {}", folder.display());
        let mut host = host(&path, &name, settings, fallback)?;
        let device = device(facts);
        host.routes.push(route(facts, &device.name));
        host.devices.push(device);
        host.sockets = sockets(&folder.join("samples.ndjson"), role);
        found.push(host);
    }
    if found.is_empty() { Err(bad()) } else { Ok(found) }
}

/// A line of `samples.ndjson`: a socket at a moment.
#[derive(Deserialize)]
struct Sample {
    host: String,
    local: SocketAddr,
    remote: SocketAddr,
    tcp_info: String,
    skmem: Vec<u32>,
}

/// The connections of one end as they were last, from a recorder's samples; none where nothing was recorded. A line that cannot be read
/// (the last one of a recorder that was killed) is left out.
fn sockets(path: &Path, role: &str) -> Vec<Socket> {
    let Ok(lines) = lines(parts_of(path)) else { return Vec::new() };
    let mut last = BTreeMap::new();
    let mut left = MOST_SAMPLES;
    let fits = |line: &String| {
        left = left.saturating_sub(line.len());
        left > 0
    };
    for line in lines.take_while(fits) {
        let Ok(sample) = serde_json::from_str::<Sample>(&line) else { continue };
        let info = from_hex(&sample.tcp_info);
        let socket = Socket::sampled(sample.local, sample.remote, &info, &sample.skmem);
        if let Some(socket) = socket.filter(|_| sample.host == role)
            && (last.len() < MOST_SOCKETS || last.contains_key(&(sample.local, sample.remote)))
        {
            last.insert((sample.local, sample.remote), socket);
        }
    }
    last.into_values().collect()
}

fn number(value: &serde_json::Value, at: &str) -> Option<u32> {
    u32::try_from(value.pointer(at)?.as_u64()?).ok()
}

fn device(facts: &serde_json::Value) -> Device {
    let name = facts.pointer("/device/name").and_then(|v| v.as_str()).unwrap_or("device");
    Device {
        name: name.to_owned(),
        mtu: number(facts, "/device/mtu"),
        gso_max_segs: number(facts, "/device/gso_max_segs"),
        ..Device::default()
    }
}

fn route(facts: &serde_json::Value, device: &str) -> Route {
    Route {
        destination: "default".to_owned(),
        device: device.to_owned(),
        initcwnd: number(facts, "/route/initcwnd"),
        initrwnd: number(facts, "/route/initrwnd"),
        congestion: facts.pointer("/route/congestion").and_then(|v| v.as_str()).map(str::to_owned),
        ..Route::default()
    }
}

fn read(path: &Path) -> Result<String, Error> {
    let failed = |e| Error::Usage(format!("cannot read {}: {e}", path.display()));
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MOST_BYTES {
        let text = format!("{} is larger than any sysctl -a (16 MiB)", path.display());
        return Err(Error::Usage(text));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
