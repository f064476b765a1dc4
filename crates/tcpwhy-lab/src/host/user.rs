//! Without root: a user namespace in which the caller is root.

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{Gid, Uid};
use std::fs;
use std::io;

/// What the process may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Change the network namespace that it was started in, too.
    Root,
    /// Only what it makes itself.
    Unprivileged,
}

/// CAP_NET_ADMIN and CAP_SYS_ADMIN (capabilities(7)); root in a container often has neither.
const NEEDED: u64 = 1 << 12 | 1 << 21;

/// Makes sure that the process may make network namespaces: with root nothing happens, without it the process moves into a user
/// namespace of its own. To be called before there is a second thread.
///
/// # Errors
/// The machine does not allow user namespaces (`kernel.unprivileged_userns_clone`, `user.max_user_namespaces`, AppArmor).
pub fn become_root() -> io::Result<Rights> {
    if capabilities().is_some_and(|held| held & NEEDED == NEEDED) {
        return Ok(Rights::Root);
    }
    let (uid, gid) = (Uid::effective(), Gid::effective());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // Before the group map, or the kernel refuses it (user_namespaces(7)).
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {gid} 1"))?;
    Ok(Rights::Unprivileged)
}

fn capabilities() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let hex = status.lines().find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(hex.trim(), 16).ok()
}
