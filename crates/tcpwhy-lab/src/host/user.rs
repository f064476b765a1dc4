//! Without root: a user namespace in which the caller is root.

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{Gid, Uid};
use std::fs;
use std::io;

/// Makes sure that the process may make network namespaces: with root nothing happens, without it the process moves into a user
/// namespace of its own. To be called before there is a second thread.
///
/// # Errors
/// The machine does not allow user namespaces (`kernel.unprivileged_userns_clone`, `user.max_user_namespaces`, AppArmor).
pub fn become_root() -> io::Result<()> {
    if Uid::effective().is_root() {
        return Ok(());
    }
    let (uid, gid) = (Uid::effective(), Gid::effective());
    unshare(CloneFlags::CLONE_NEWUSER)?;
    // Before the group map, or the kernel refuses it (user_namespaces(7)).
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("0 {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("0 {gid} 1"))
}
