//! The settings of the caller's network namespace that decide about TCP (`/proc/sys`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ROOT: &str = "/proc/sys";

/// Those that bound buffers, as found now; 0 where one cannot be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// `net.ipv4.tcp_wmem[2]`, bytes.
    pub tcp_wmem_most: u64,
    /// `net.ipv4.tcp_rmem[2]`, bytes.
    pub tcp_rmem_most: u64,
    /// `net.core.rmem_max`, bytes: what an unprivileged SO_RCVBUF is clamped to.
    pub rmem_max: u64,
}

impl Settings {
    /// Reads them.
    #[must_use]
    pub fn read() -> Self {
        let last = |name: &str| {
            let text = read(name).unwrap_or_default();
            text.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        Self {
            tcp_wmem_most: last("net.ipv4.tcp_wmem"),
            tcp_rmem_most: last("net.ipv4.tcp_rmem"),
            rmem_max: last("net.core.rmem_max"),
        }
    }
}

/// All of `net.core` and `net.ipv4.tcp_*`, and the kernel's release. What a namespace does not show is missing.
pub(crate) fn all() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    folder("net.core", "", &mut found);
    folder("net.ipv4", "tcp_", &mut found);
    if let Some(release) = read("kernel.osrelease") {
        found.insert("kernel.osrelease".to_owned(), release);
    }
    found
}

fn folder(name: &str, prefix: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(path(name)).into_iter().flatten().flatten() {
        let file = entry.file_name();
        let Some(file) = file.to_str().filter(|file| file.starts_with(prefix)) else { continue };
        // A key is a secret of the kernel.
        if file.ends_with("_key") {
            continue;
        }
        if let Some(value) = value(&entry.path()) {
            found.insert(format!("{name}.{file}"), value);
        }
    }
}

/// The value of one of them, its words with one space between.
pub(crate) fn read(name: &str) -> Option<String> {
    value(&path(name))
}

fn path(name: &str) -> PathBuf {
    Path::new(ROOT).join(name.replace('.', "/"))
}

/// Its words with one space between them.
fn value(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_the_last_words_of_the_same_settings() {
        let (all, settings) = (all(), Settings::read());
        let last = |name: &str| {
            let text = all.get(name).map_or("0", |text| text.split(' ').next_back().unwrap());
            text.parse::<u64>().unwrap()
        };
        assert_eq!(settings.tcp_wmem_most, last("net.ipv4.tcp_wmem"));
        assert_eq!(settings.tcp_rmem_most, last("net.ipv4.tcp_rmem"));
        assert_eq!(settings.rmem_max, last("net.core.rmem_max"));
        assert!(all.contains_key("kernel.osrelease"));
    }
}
