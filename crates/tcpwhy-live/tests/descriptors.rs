//! The kernel's iterator finds the sockets of processes, and what is fixed on them, wherever they are.
#![cfg(all(target_os = "linux", feature = "bpf"))]
#![allow(clippy::unwrap_used)]

mod support;

use hashbrown::HashSet;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::net::sockopt;
use tcpwhy_live::causes::Causes;
use tcpwhy_live::locks::{Borrowed, Locks};
use tcpwhy_live::process::{Descriptor, Descriptors, Owners};

/// `None`, and a word, where the kernel refuses.
fn open() -> Option<Descriptors> {
    let mut causes = support::allowed(Causes::open(false))?;
    let descriptors = causes.take_descriptors();
    let refused = causes.refused().iter().find(|refused| refused.program == "iter/task_file");
    assert_eq!(descriptors.is_none(), refused.is_some());
    if let Some(refused) = refused {
        eprintln!("skipped: {} was refused: {}", refused.program, refused.why);
    }
    descriptors
}

fn inode(socket: impl AsFd) -> u32 {
    u32::try_from(rustix::fs::fstat(socket).unwrap().st_ino).unwrap()
}

fn fd(socket: &impl AsRawFd) -> u32 {
    socket.as_raw_fd().cast_unsigned()
}

fn netns(process: &str) -> u32 {
    u32::try_from(rustix::fs::stat(format!("/proc/{process}/ns/net")).unwrap().st_ino).unwrap()
}

/// The one descriptor of this process with this number.
fn ours(all: &[Descriptor], fd: u32) -> Option<&Descriptor> {
    let mut fits = all.iter().filter(|d| d.owner.pid == std::process::id() && d.owner.fd == fd);
    let found = fits.next();
    assert!(fits.next().is_none(), "{all:?}");
    found
}

#[test]
fn a_socket_of_this_process_is_found_as_it_tells_of_itself() {
    let Some(mut descriptors) = open() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    sockopt::set_socket_send_buffer_size(&client, 16_384).unwrap();
    let other = UdpSocket::bind("127.0.0.1:0").unwrap();
    let all = descriptors.all().unwrap();
    let found = ours(&all, fd(&client)).unwrap();
    assert_eq!((found.inode, found.netns), (inode(&client), netns("self")));
    assert_eq!(found.cookie, sockopt::socket_cookie(&client).unwrap());
    let Locks { send, receive, sndbuf, .. } = found.locks;
    assert_eq!((send, receive, sndbuf), (true, false, 32_768));
    let itself = Borrowed::new(found.owner.pid, found.owner.fd).and_then(|socket| socket.locks());
    assert!(itself.is_err() || itself.is_ok_and(|itself| itself == found.locks), "{found:?}");
    let comm = std::fs::read_to_string("/proc/self/comm").unwrap();
    assert_eq!(&*found.owner.command, comm.trim_end());
    assert!(ours(&all, fd(&listener)).is_some_and(|found| !found.locks.send), "{all:?}");
    assert!(ours(&all, fd(&other)).is_none(), "not of TCP");
    drop(client);
    // A child that another test starts has it until it runs its program.
    let ours = |later: &Descriptor| later.owner.pid == found.owner.pid;
    let later = descriptors.all().unwrap();
    assert!(later.iter().filter(|d| ours(d)).all(|d| d.cookie != found.cookie), "closed");
}

/// Ends with the test, whatever happens.
struct Elsewhere(Child);

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A socket with a fixed receive buffer in a network namespace of its own, and its descriptor; `None`, and a word, where there can be none.
fn elsewhere() -> Option<(Elsewhere, u32)> {
    let script = "import socket, sys; s = socket.socket(); \
                  s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384); \
                  print(s.fileno(), flush=True); sys.stdin.read()";
    let child = Command::new("unshare")
        .args(["-n", "python3", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = Elsewhere(child.ok()?);
    let mut line = String::new();
    BufReader::new(child.0.stdout.take()?).read_line(&mut line).ok()?;
    let fd = line.trim().parse();
    if fd.is_err() {
        eprintln!("skipped: no network namespace can be made here (unshare, python3)");
    }
    Some((child, fd.ok()?))
}

#[test]
fn a_socket_of_another_network_namespace_is_found_with_its_lock() {
    let Some(mut descriptors) = open() else { return };
    let Some((child, fd)) = elsewhere() else { return };
    let pid = child.0.id();
    let all = descriptors.all().unwrap();
    let found: Vec<_> = all.iter().filter(|found| found.owner.pid == pid).collect();
    assert_eq!(found.len(), 1, "{all:?}");
    assert_eq!((found[0].owner.fd, found[0].netns), (fd, netns(&pid.to_string())));
    assert_ne!(found[0].netns, netns("self"));
    assert!(found[0].locks.receive && !found[0].locks.send, "{found:?}");
    assert_eq!(found[0].locks.rcvbuf, 32_768);
    assert!(found[0].owner.command.starts_with("python3"), "{found:?}");
}

#[test]
fn more_sockets_than_a_read_holds_are_found_in_pieces_of_no_time() {
    let Some(descriptors) = open() else { return };
    // A piece holds 512.
    let sockets: Vec<_> = (0..700).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    let inodes: HashSet<u32> = sockets.iter().map(inode).collect();
    let mut owners = Owners::of_descriptors(Some(descriptors));
    let mut locks = 0;
    for rounds in 0.. {
        owners.update(&inodes, Duration::ZERO);
        locks += owners.take_locks().len();
        if inodes.iter().all(|inode| owners.of(*inode).is_some()) {
            assert!(rounds > 0, "there was no time for all in one round");
            break;
        }
        assert!(rounds < 10_000);
    }
    assert_eq!(locks, inodes.len());
    for socket in &sockets {
        let owner = owners.of(inode(socket)).unwrap();
        assert_eq!((owner.pid, owner.fd), (std::process::id(), fd(socket)));
    }
}
