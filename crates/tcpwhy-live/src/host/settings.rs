//! `/proc/sys`, the part that decides about TCP.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All of `net.core` and `net.ipv4.tcp_*`, and the kernel's release. What a namespace does not show is missing.
pub(super) fn read() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    folder("net.core", "", &mut found);
    folder("net.ipv4", "tcp_", &mut found);
    if let Some(release) = value(Path::new("/proc/sys/kernel/osrelease")) {
        found.insert("kernel.osrelease".to_owned(), release);
    }
    found
}

fn folder(name: &str, prefix: &str, found: &mut BTreeMap<String, String>) {
    let path = Path::new("/proc/sys").join(name.replace('.', "/"));
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
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

fn value(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}
