//! Which service a socket belongs to: the systemd unit, container or cgroup that it was made in, or else the process or user.

use super::container::Containers;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tcpwhy_live::cgroup::{self, Names};
use tcpwhy_live::process::Owner;

/// With a new cgroup the containers' names are read again, but not more often than this.
const AGAIN: Duration = Duration::from_secs(5);

/// Names of services by cgroup.
#[derive(Debug, Default)]
pub(super) struct Services {
    cgroups: Names,
    /// By the cgroup's path; `None` for those that tell nothing.
    named: HashMap<Arc<str>, Option<Arc<str>>>,
    containers: Containers,
    /// When the containers' names were read.
    read: Option<Instant>,
}

impl Services {
    /// Of a socket made in `cgroup` that `owner` has open; where that may not be known, its user tells at least whose it is.
    pub(super) fn of(&mut self, cgroup: u64, owner: Option<&Owner>, uid: u32) -> Arc<str> {
        let path = self.cgroups.path(cgroup, owner.map(|owner| owner.pid));
        if let Some(name) = path.and_then(|path| self.name(path)) {
            return name;
        }
        owner.map_or_else(|| format!("uid {uid}").into(), |owner| printable(&owner.command))
    }

    fn name(&mut self, path: Arc<str>) -> Option<Arc<str>> {
        if !self.named.contains_key(&path) && self.read.is_none_or(|at| at.elapsed() >= AGAIN) {
            self.read = Some(Instant::now());
            self.containers = Containers::read();
            self.named.clear();
        }
        let named = |path: &Arc<str>| name(path, &self.containers).map(|name| printable(&name));
        self.named.entry(path).or_insert_with_key(named).clone()
    }
}

/// Names come from folders and processes: nothing in them may steer a terminal that shows an event.
fn printable(name: &str) -> Arc<str> {
    tcpwhy_report::printable(name).into()
}

/// A name that is the same after a restart. `None` for the root and for scopes, which are called by a number of their session or process.
fn name(path: &str, containers: &Containers) -> Option<String> {
    // From another cgroup namespace, a path may begin with the way out of it.
    let parts = || path.split('/').filter(|part| !matches!(*part, "" | ".."));
    if let Some((_, id)) = parts().rev().find_map(cgroup::container) {
        let short = || format!("container/{}", id.get(..12).unwrap_or(id));
        return Some(containers.name(id).map_or_else(short, str::to_owned));
    }
    if let Some(unit) = parts().rev().find(|part| part.ends_with(".service")) {
        return Some(unit.to_owned());
    }
    let last = parts().next_back()?;
    match last.rsplit_once('.') {
        Some((_, "scope")) => None,
        Some((_, "slice")) => Some(last.to_owned()),
        _ => Some(parts().collect::<Vec<_>>().join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_called_by_what_lasts() {
        let told = |path: &str| name(path, &Containers::default());
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(told("/system.slice/nginx.service"), some("nginx.service"));
        let user = "/user.slice/user-1000.slice/user@1000.service/app.slice/sync.service";
        assert_eq!(told(user), some("sync.service"));
        assert_eq!(told("/system.slice/nginx.service/worker"), some("nginx.service"));
        assert_eq!(told("/user.slice/user-1000.slice/session-3.scope"), None);
        assert_eq!(told("/user.slice"), some("user.slice"));
        assert_eq!(told("/batch/night"), some("batch/night"));
        assert_eq!(told("/../batch"), some("batch"));
        assert_eq!(told("/"), None);
        let number = "0123456789abcdef".repeat(4);
        let pod = format!("/kubepods.slice/kubepods-pod1.slice/cri-containerd-{number}.scope");
        assert_eq!(told(&pod), some("container/0123456789ab"));
    }

    #[test]
    fn without_a_cgroup_it_is_the_process_and_without_one_the_user() {
        let owner = Owner { pid: u32::MAX, command: "ngi\u{1b}nx".into(), fd: 3 };
        let mut services = Services::default();
        let name = services.of(0, Some(&owner), 33);
        assert!(name.starts_with("ngi") && !name.contains('\u{1b}'), "{name}");
        assert_eq!(&*services.of(0, None, 33), "uid 33");
    }
}
