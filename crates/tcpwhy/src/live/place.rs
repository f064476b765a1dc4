//! Where a socket is: its network namespace, its cgroup.

use crate::error::Error;
use crate::open_files;
use std::sync::Arc;
use tcpwhy_live::cgroup::{self, Names};
use tcpwhy_live::namespaces::Namespaces;
use tcpwhy_live::watch::Observed;

/// Letters of a container's number that tell it from others.
const SHORT: usize = 12;
/// Digits from which on a hexadecimal number is one that nobody reads whole, and what is shown of its ends.
const LONG: usize = 24;
const ENDS: (usize, usize) = (8, 4);

/// Where a socket is.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// Inode of its network namespace.
    pub netns: u32,
    /// That namespace's name, or its inode; `None`: it is ours.
    pub elsewhere: Option<String>,
    /// Path of the cgroup that it was made in, or else of its process's.
    pub cgroup: Option<Arc<str>>,
}

impl Place {
    /// The namespace's name, if it is another than ours and has one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.elsewhere.as_deref().filter(|name| name.parse() != Ok(self.netns))
    }

    /// Container or unit, as short as it can be recognised by; `None` in the root.
    pub(crate) fn unit(&self) -> Option<String> {
        let part = self.cgroup.as_deref()?.rsplit('/').find(|part| !part.is_empty())?;
        let part = part.strip_suffix(".scope").or(part.strip_suffix(".service")).unwrap_or(part);
        let short = |(runtime, id): (&'_ str, &'_ str)| match id.get(..SHORT).unwrap_or(id) {
            id if runtime.is_empty() => id.to_owned(),
            id => format!("{runtime}-{id}"),
        };
        let text = cgroup::container(part).map_or_else(|| shortened(part), short);
        Some(tcpwhy_report::printable(&text).into_owned())
    }

    /// What is worth a word beside the process: another namespace, a container or unit.
    pub(crate) fn words(&self) -> Option<String> {
        let netns = self.elsewhere.as_ref().map(|name| format!("netns {name}"));
        let words: Vec<String> = netns.into_iter().chain(self.unit()).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Whether `text` is in the cgroup's path.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.cgroup.as_deref().is_some_and(|path| path.contains(text))
    }
}

/// A name without the middle of the number that it ends with, where that is a long one.
fn shortened(name: &str) -> String {
    let number = name.rsplit('-').next().unwrap_or(name);
    if number.len() < LONG || !number.bytes().all(|b| b.is_ascii_hexdigit()) {
        return name.to_owned();
    }
    let before = name.strip_suffix(number).unwrap_or_default();
    let (first, rest) = number.split_at(ENDS.0);
    let (_, last) = rest.split_at(rest.len() - ENDS.1);
    format!("{before}{first}…{last}")
}

/// The network namespaces to watch: all that may be entered, or the one of this name or inode, or `self` for ours.
///
/// # Errors
/// The kernel has no `sock_diag`, or there is no such namespace.
pub(crate) fn namespaces(wanted: Option<&str>) -> Result<Namespaces, Error> {
    // A namespace takes several: with the usual 1,024 a host with some hundred containers would be seen in part.
    open_files::allow();
    let found = match wanted {
        Some("self") => Namespaces::own(),
        wanted => Namespaces::everywhere(wanted),
    };
    let found = found.map_err(|e| {
        Error::Live(format!(
            "cannot ask the kernel for its sockets: {e} (is tcp_diag built in or loaded?)"
        ))
    })?;
    match wanted {
        Some(name) if found.iter().next().is_none() => Err(Error::Usage(nowhere(name, &found))),
        _ => Ok(found),
    }
}

fn nowhere(name: &str, namespaces: &Namespaces) -> String {
    let closed = namespaces.refused().map_or_else(String::new, |(count, why)| {
        format!("; {count} others cannot be entered ({why}): run it as root")
    });
    format!(
        "there is no network namespace {name}: name one of `ip netns`, or the inode of a /proc/PID/ns/net{closed}"
    )
}

/// Where a socket is, by the names of `cgroups` and `namespaces`.
pub(super) fn of(seen: &Observed, cgroups: &mut Names, namespaces: &Namespaces) -> Place {
    let netns = seen.netns;
    let name = || namespaces.get(netns).and_then(|n| n.name.clone());
    let elsewhere = (netns != namespaces.own_inode()).then(|| {
        name().map_or_else(|| netns.to_string(), |n| tcpwhy_report::printable(&n).into_owned())
    });
    let pid = seen.owner.as_ref().map(|owner| owner.pid);
    Place { netns, elsewhere, cgroup: cgroups.path(seen.sample.cgroup, pid) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_short_and_a_container_keeps_twelve_digits() {
        let unit = |path: &str| Place { cgroup: Some(path.into()), ..Place::default() }.unit();
        let number = "0123456789abcdef".repeat(4);
        assert_eq!(unit("/system.slice/nginx.service").as_deref(), Some("nginx"));
        assert_eq!(unit(&format!("/docker/{number}")).as_deref(), Some("0123456789ab"));
        let pod = format!("/kubepods.slice/cri-containerd-{number}.scope");
        assert_eq!(unit(&pod).as_deref(), Some("cri-containerd-0123456789ab"));
        assert_eq!(unit("/"), None);
        let hash = "/jobs/0123456789abcdef0123456789abcdef";
        assert_eq!(unit(hash).as_deref(), Some("01234567…cdef"));
        assert_eq!(
            unit(&hash.replace("/jobs/", "/jobs/run-")).as_deref(),
            Some("run-01234567…cdef")
        );
        assert_eq!(unit("/user.slice/facade-deadbeef").as_deref(), Some("facade-deadbeef"));
        let place = Place { elsewhere: Some("blue".into()), cgroup: Some("/a/b".into()), netns: 1 };
        assert_eq!(place.words().as_deref(), Some("netns blue, b"));
        assert!(place.is_in("a/b") && !place.is_in("c"));
    }
}
