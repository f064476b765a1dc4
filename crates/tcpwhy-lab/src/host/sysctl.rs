//! `/proc/sys/net` of the calling thread's network namespace.

use super::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a setting and reads it back as the kernel took it.
///
/// # Errors
/// The name is none of `net.`, the kernel does not have it or refuses the value.
pub(super) fn set(name: &str, value: &str) -> Result<String, Error> {
    let path = path(name)?;
    let refused = |source| Error::Sysctl { name: name.to_owned(), value: value.to_owned(), source };
    fs::write(&path, value).map_err(refused)?;
    get(name).ok_or_else(|| Error::SysctlName(name.to_owned()))
}

/// What the kernel's error means for a setting.
pub(super) fn hint(name: &str, error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{NotFound, PermissionDenied};
    match error.kind() {
        NotFound | PermissionDenied if name.starts_with("net.core.") => {
            "; this kernel has it for the whole machine, a namespace cannot change it"
        }
        NotFound => "; this kernel has no such setting",
        _ => "",
    }
}

/// A setting, its parts apart by single spaces; `None` where the kernel does not show it in a namespace.
pub(crate) fn get(name: &str) -> Option<String> {
    value(&path(name).ok()?)
}

/// Release of the running kernel.
pub fn kernel_release() -> String {
    value(Path::new("/proc/sys/kernel/osrelease")).unwrap_or_else(|| "unknown".to_owned())
}

fn value(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// `net.ipv4.tcp_rmem` is `/proc/sys/net/ipv4/tcp_rmem`; nothing outside of `net` can be named.
fn path(name: &str) -> Result<PathBuf, Error> {
    let part = |p: &str| {
        !p.is_empty() && p.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    let parts: Vec<_> = name.split('.').collect();
    if parts.first() != Some(&"net") || parts.len() < 3 || !parts.iter().all(|p| part(p)) {
        return Err(Error::SysctlName(name.to_owned()));
    }
    Ok(PathBuf::from("/proc/sys").join(parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_of_the_network_can_be_named() {
        assert!(path("net.ipv4.tcp_rmem").is_ok_and(|p| p.ends_with("net/ipv4/tcp_rmem")));
        for name in ["kernel.panic", "net", "net..x", "net.ipv4.../etc/passwd", "net.ipv4/../x", ""]
        {
            assert!(path(name).is_err(), "{name}");
        }
    }
}
