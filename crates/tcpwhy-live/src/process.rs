//! Which process has a socket open, by `/proc/PID/fd`.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A process's descriptor of a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Process.
    pub pid: u32,
    /// Its command name, at most 15 bytes, as the process says: not to be trusted.
    pub command: String,
    /// Its descriptor of the socket.
    pub fd: u32,
}

/// The owners of all sockets that this user may see.
#[derive(Debug, Default)]
pub struct Owners(HashMap<u32, Owner>);

impl Owners {
    /// Looks through all processes. Those that end meanwhile, or belong to others, are left out.
    #[must_use]
    pub fn read() -> Self {
        let mut found = HashMap::new();
        for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
            if let Some(pid) = number(&process.file_name()) {
                sockets(&process.path(), pid, &mut found);
            }
        }
        Self(found)
    }

    /// Of the socket with this inode; of several processes that share it, one.
    #[must_use]
    pub fn of(&self, inode: u32) -> Option<&Owner> {
        self.0.get(&inode)
    }
}

fn sockets(process: &Path, pid: u32, found: &mut HashMap<u32, Owner>) {
    let mut command = None;
    for entry in fs::read_dir(process.join("fd")).into_iter().flatten().flatten() {
        let Some(fd) = number(&entry.file_name()) else { continue };
        let Some(inode) = fs::read_link(entry.path()).ok().as_deref().and_then(inode) else {
            continue;
        };
        let command = command.get_or_insert_with(|| {
            let comm = fs::read(process.join("comm")).unwrap_or_default();
            String::from_utf8_lossy(&comm).trim_end().to_owned()
        });
        found.entry(inode).or_insert_with(|| Owner { pid, command: command.clone(), fd });
    }
}

/// Of a link `socket:[1234]`.
fn inode(link: &Path) -> Option<u32> {
    link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

fn number(name: &std::ffi::OsStr) -> Option<u32> {
    name.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn this_process_is_found_by_its_socket() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let link = fs::read_link(format!("/proc/self/fd/{}", socket.as_raw_fd())).unwrap();
        let owners = Owners::read();
        let owner = owners.of(inode(&link).unwrap()).unwrap();
        assert_eq!(
            (owner.pid, owner.fd),
            (std::process::id(), u32::try_from(socket.as_raw_fd()).unwrap())
        );
        assert_eq!(inode(Path::new("pipe:[12]")), None);
    }
}
