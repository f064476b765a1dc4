//! Sockets, processes and namespaces that go while they are looked at: no error, and nothing is left behind.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use tcpwhy_live::watch::Watch;

/// Set for the copy of this program that runs in a network namespace of its own.
const INSIDE: &str = "TCPWHY_TEST_INSIDE";

/// Runs the test `name` again in a network namespace of its own, where no other test's sockets are; `true` in there.
fn inside(name: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let script = "ip link set lo up || exit 77; exec \"$0\" --exact \"$1\" --nocapture";
    let output = Command::new("unshare")
        .args(["-rn", "--", "sh", "-c", script])
        .arg(std::env::current_exe().unwrap())
        .arg(name)
        .env(INSIDE, "yes")
        .output();
    match output {
        Err(e) => eprintln!("skipped: unshare: {e}"),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            if output.status.code() == Some(77) || said.starts_with("unshare: ") {
                eprintln!("skipped: {said}");
            } else {
                assert!(
                    output.status.success(),
                    "{}{said}",
                    String::from_utf8_lossy(&output.stdout)
                );
            }
        }
    }
    false
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Resident memory, bytes.
fn memory() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// Calls `once` again and again, `pause` apart, until told to stop; how often.
fn again(
    stop: &Arc<AtomicBool>,
    pause: Duration,
    mut once: impl FnMut() + Send + 'static,
) -> JoinHandle<u32> {
    let stop = Arc::clone(stop);
    std::thread::spawn(move || {
        let (began, mut count) = (Instant::now(), 0);
        while !stop.load(Ordering::Relaxed) {
            once();
            count += 1;
            std::thread::sleep((pause * count).saturating_sub(began.elapsed()));
        }
        count
    })
}

/// A process that has a connection open and is killed with it.
fn die_with_a_socket(end: SocketAddr) {
    let socket = OwnedFd::from(TcpStream::connect(end).unwrap());
    let mut child = Command::new("sleep").arg("60").stdin(Stdio::from(socket)).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(15));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_thousand_connects_a_second_and_dying_processes_leave_nothing_behind() {
    if !inside("a_thousand_connects_a_second_and_dying_processes_leave_nothing_behind") {
        return;
    }
    let mut watch = match Watch::open() {
        Ok(watch) => watch,
        Err(e) => return println!("skipped: {e}"),
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let end = listener.local_addr().unwrap();
    // It ends with the process.
    std::thread::spawn(move || while listener.accept().is_ok() {});
    let before = descriptors();
    let stop = Arc::new(AtomicBool::new(false));
    let connects = again(&stop, Duration::from_millis(1), move || drop(TcpStream::connect(end)));
    let deaths = again(&stop, Duration::from_millis(20), move || die_with_a_socket(end));
    let (mut seen, mut closed, mut warm) = (0, 0, 0);
    for round in 0..20 {
        for _ in 0..5 {
            watch.sample().unwrap();
            std::thread::sleep(Duration::from_millis(10));
        }
        for socket in watch.round(|_, _| true) {
            seen += 1;
            closed += usize::from(socket.closed);
        }
        if round == 6 {
            warm = memory();
        }
    }
    let grown = memory().saturating_sub(warm);
    stop.store(true, Ordering::Relaxed);
    let (connects, deaths) = (connects.join().unwrap(), deaths.join().unwrap());
    println!("{connects} connects, {deaths} deaths, {seen} seen, {closed} closed, {grown} bytes");
    // Most connects are over between two samples, and what the kernel keeps of them is no socket.
    assert!(connects > 100 && deaths > 3 && seen > 20 && closed > 5);
    // What closes is forgotten: ten thousand sockets that stayed would be 10 MB.
    assert!(grown < 4 << 20, "{grown} bytes more");
    // A look through the processes that ran out of time has one of them open until it goes on.
    let mut after = descriptors();
    for _ in 0..100 {
        if after <= before {
            break;
        }
        watch.sample().unwrap();
        watch.round(|_, _| true).for_each(drop);
        std::thread::sleep(Duration::from_millis(10));
        after = descriptors();
    }
    assert!(after <= before, "{before} descriptors before, {after} after");
}

#[test]
fn a_namespace_whose_last_process_died_is_empty_and_no_error() {
    let mut child = match Command::new("unshare").args(["-rn", "sleep", "60"]).spawn() {
        Ok(child) => child,
        Err(e) => return eprintln!("skipped: unshare: {e}"),
    };
    let ours = std::fs::read_link("/proc/self/ns/net").unwrap();
    let path = format!("/proc/{}/ns/net", child.id());
    let entered = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        std::fs::read_link(&path).is_ok_and(|there| there != ours)
    });
    let namespace = std::fs::File::open(&path);
    let watch = std::thread::spawn(move || -> std::io::Result<Watch> {
        let namespace = namespace?;
        move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
        Watch::open()
    });
    let watch = watch.join().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    if !entered {
        return eprintln!("skipped: no network namespace can be made");
    }
    let mut watch = match watch {
        Ok(watch) => watch,
        Err(e) => return eprintln!("skipped: the namespace cannot be entered: {e}"),
    };
    for _ in 0..3 {
        assert_eq!(watch.sample().unwrap(), 0);
        assert_eq!(watch.round(|_, _| true).count(), 0);
    }
}
