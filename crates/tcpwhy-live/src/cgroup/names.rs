//! The cgroup of a socket, or else of its process, looked up while both come and go.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Cgroups;

/// The tree is walked for a cgroup that is not known, but not more often than this; what processes are in is asked again as often.
const AGAIN: Duration = Duration::from_secs(5);

/// Paths of cgroups, as `/proc/PID/cgroup` writes them.
#[derive(Debug, Default)]
pub struct Names {
    /// `None` for those that a walk did not find.
    cgroups: HashMap<u64, Option<Arc<str>>>,
    walked: Option<Instant>,
    /// Of processes whose sockets' cgroup tells nothing (version 1).
    processes: HashMap<u32, Option<Arc<str>>>,
    asked: Option<Instant>,
}

impl Names {
    /// Of a socket that was made in `cgroup` and that the process `pid` has open; `None` for the root, which says nothing.
    pub fn path(&mut self, cgroup: u64, pid: Option<u32>) -> Option<Arc<str>> {
        if cgroup != 0 && !self.cgroups.contains_key(&cgroup) && is_over(self.walked) {
            self.walk(cgroup);
        }
        let known = self.cgroups.get(&cgroup).cloned().flatten().filter(|path| **path != *"/");
        known.or_else(|| self.process(pid?))
    }

    /// Renews all, so that cgroups which are gone are forgotten; `wanted` may be one of them.
    fn walk(&mut self, wanted: u64) {
        self.walked = Some(Instant::now());
        self.cgroups = Cgroups::read().iter().map(|(id, path)| (id, Some(path.into()))).collect();
        self.cgroups.entry(wanted).or_default();
    }

    fn process(&mut self, pid: u32) -> Option<Arc<str>> {
        if is_over(self.asked) {
            self.asked = Some(Instant::now());
            self.processes.clear();
        }
        let read = || {
            let text = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
            deepest(&text).map(Arc::from)
        };
        self.processes.entry(pid).or_insert_with(read).clone()
    }
}

fn is_over(last: Option<Instant>) -> bool {
    last.is_none_or(|at| at.elapsed() >= AGAIN)
}

/// Lines `number:controllers:path` of all hierarchies: a container is in the deepest.
pub(super) fn deepest(text: &str) -> Option<&str> {
    let paths = text.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    let longest = paths.max_by_key(|path| (path.matches('/').count(), path.len()));
    longest.filter(|path| *path != "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_hierarchies_the_deepest_path_tells() {
        assert_eq!(deepest("2:cpu:/docker/77\n1:name=systemd:/\n0::/\n"), Some("/docker/77"));
        assert_eq!(deepest("0::/\n"), None);
        assert_eq!(deepest("0::/a:b/c\n"), Some("/a:b/c"));
    }

    #[test]
    fn a_cgroup_that_is_gone_is_looked_for_once_and_its_process_tells() {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let own: Option<Arc<str>> = deepest(&own).map(Arc::from);
        let mut names = Names::default();
        assert_eq!(names.path(u64::MAX, None), None);
        names.walked = None;
        assert_eq!(names.path(u64::MAX, Some(std::process::id())), own);
        assert_eq!(names.path(0, None), None);
        assert!(names.walked.is_none(), "not walked again");
        assert_eq!(names.path(u64::MAX - 1, Some(u32::MAX)), None);
        assert!(names.walked.is_some());
    }
}
