//! Where a socket is: its network namespace, its cgroup.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tcpwhy_live::cgroup::{self, Cgroups};
use tcpwhy_live::namespaces::Namespaces;
use tcpwhy_live::watch::Observed;

/// The tree of cgroups is walked for one that is not known, but not more often than this.
const WALK: Duration = Duration::from_secs(5);
/// Letters of a container's number that tell it from others.
const SHORT: usize = 12;

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
        let text = cgroup::container(part).map_or_else(|| part.to_owned(), short);
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

/// Names of places.
#[derive(Debug, Default)]
pub(super) struct Places {
    cgroups: HashMap<u64, Arc<str>>,
    /// Of processes whose sockets' cgroup tells nothing (version 1).
    processes: HashMap<u32, Option<Arc<str>>>,
    walked: Option<Instant>,
}

impl Places {
    /// Where a socket is.
    pub(super) fn of(&mut self, seen: &Observed, namespaces: &Namespaces) -> Place {
        let netns = seen.netns;
        let name = || namespaces.get(netns).and_then(|n| n.name.clone());
        let elsewhere = (netns != namespaces.own_inode()).then(|| {
            name().map_or_else(|| netns.to_string(), |n| tcpwhy_report::printable(&n).into_owned())
        });
        let cgroup = self.cgroup(seen.sample.cgroup);
        let pid = seen.owner.as_ref().map(|owner| owner.pid);
        Place { netns, elsewhere, cgroup: cgroup.or_else(|| self.process(pid?)) }
    }

    /// `None` for the root, which says nothing.
    fn cgroup(&mut self, id: u64) -> Option<Arc<str>> {
        let is_late = self.walked.is_none_or(|at| at.elapsed() >= WALK);
        if id != 0 && is_late && !self.cgroups.contains_key(&id) {
            self.walked = Some(Instant::now());
            self.cgroups = Cgroups::read().iter().map(|(id, path)| (id, path.into())).collect();
        }
        self.cgroups.get(&id).filter(|path| ***path != *"/").cloned()
    }

    fn process(&mut self, pid: u32) -> Option<Arc<str>> {
        let read = || {
            let text = std::fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
            deepest(&text).map(Arc::from)
        };
        self.processes.entry(pid).or_insert_with(read).clone()
    }

    /// Forgets what no socket of the round needed.
    pub(super) fn keep(&mut self, seen: &[super::row::Row]) {
        let pids: std::collections::HashSet<u32> =
            seen.iter().filter_map(|row| Some(row.seen.owner.as_ref()?.pid)).collect();
        self.processes.retain(|pid, _| pids.contains(pid));
    }
}

/// Lines `number:controllers:path` of all hierarchies: a container is in the deepest.
fn deepest(text: &str) -> Option<&str> {
    let paths = text.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    let longest = paths.max_by_key(|path| (path.matches('/').count(), path.len()));
    longest.filter(|path| *path != "/")
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
        let place = Place { elsewhere: Some("blue".into()), cgroup: Some("/a/b".into()), netns: 1 };
        assert_eq!(place.words().as_deref(), Some("netns blue, b"));
        assert!(place.is_in("a/b") && !place.is_in("c"));
    }

    #[test]
    fn of_several_hierarchies_the_deepest_path_tells() {
        assert_eq!(deepest("2:cpu:/docker/77\n1:name=systemd:/\n0::/\n"), Some("/docker/77"));
        assert_eq!(deepest("0::/\n"), None);
        assert_eq!(deepest("0::/a:b/c\n"), Some("/a:b/c"));
    }
}
