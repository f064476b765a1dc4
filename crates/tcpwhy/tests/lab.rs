//! `tcpwhy lab exec` in real namespaces. Says `skipped:` where they are not allowed.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

mod common;

use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const SERVER: &str = "exec python3 -m http.server 8000";
const FETCH: &str = "import os,urllib.request as u;u.urlopen('http://%s:8000/'%os.environ['TCPWHY_SERVER']).read();print('ok')";

/// Prints how many seconds a handshake with this machine takes, by each family; exits with 3.
const SHAKE: &str = "
import os, socket, sys, time
server = os.environ['TCPWHY_SERVER']
hosts = [server, 'fd77:0:0:%x::2' % int(server.split('.')[2])]
for host in hosts if os.path.exists('/proc/net/if_inet6') else hosts[:1]:
    begin = time.monotonic()
    socket.create_connection((host, int(sys.argv[1])), 10)
    print(time.monotonic() - begin)
sys.exit(3)";

/// The words that run a lab inside of a lab, the command to follow.
fn inner<'a>(program: &'a str, arguments: &[&'a str]) -> Vec<&'a str> {
    [&[program, "lab", "exec", "-q"], arguments, &["--"]].concat()
}

fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcpwhy"));
    command.args(["lab", "exec"]).args(arguments).stdin(Stdio::null());
    command
}

/// Whether the machine lets this user have a lab whose server is in the caller's own network.
fn allowed() -> bool {
    has("auto")
}

/// The same for a lab with this link.
fn has(link: &str) -> bool {
    let output = lab(&["--link", link, "--", "true"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let refused = common::has_no_lab(&said, &[]);
    assert!(refused || output.status.success(), "{said}");
    !refused
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        sleep(Duration::from_millis(20));
    }
}

fn devices() -> String {
    std::fs::read_to_string("/proc/net/dev").unwrap()
}

fn alive(mark: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap();
    processes.flatten().any(|process| {
        std::fs::read(process.path().join("cmdline")).is_ok_and(|line| text(&line).contains(mark))
    })
}

#[test]
fn the_exit_code_is_the_commands() {
    if !allowed() {
        return;
    }
    let code = |script: &str| lab(&["-q", "--", "sh", "-c", script]).status().unwrap().code();
    assert_eq!(code("exit 7"), Some(7));
    assert_eq!(code("kill -9 $$"), Some(137));
    assert_eq!(code("test $TCPWHY_SERVER"), Some(0));
}

#[test]
fn a_device_too_small_for_ipv6_has_ipv4_alone() {
    if !allowed() {
        return;
    }
    let show = ["-q", "--mtu", "576", "--", "ip", "-o", "address", "show", "lab0"];
    let output = lab(&show).output().unwrap();
    let (addresses, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(addresses.contains("10.77.") && !addresses.contains("fd77:"), "{addresses}");
}

#[test]
fn refusals_are_one_sentence_and_code_2() {
    if !allowed() {
        return;
    }
    for (arguments, words) in [
        (vec!["--congestion", "nosuch"], "no congestion control \"nosuch\"; available: "),
        (vec!["--client-sysctl", "net.ipv4.nosuch=1"], "net.ipv4.nosuch"),
        (vec!["--client-sysctl", "kernel.panic=1"], "no setting of the network"),
        (vec!["--rate", "0mbit"], "the slowest link is 1kbit"),
        (vec!["--nosuch", "5%"], "unexpected argument '--nosuch' found"),
        (vec!["-o", env!("CARGO_MANIFEST_DIR")], "is not empty: choose another folder"),
    ] {
        let output = lab(&arguments).args(["--", "true"]).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn a_command_that_is_not_there_leaves_no_case() {
    if !allowed() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    let case = root.path().join("case");
    for program in ["no-such-program-77", "/nosuch/program"] {
        let output = lab(&["-o"]).arg(&case).args(["--", program]).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("cannot start {program:?}")), "{said}");
        assert!(!case.exists());
    }
}

fn fetched(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "ok\n");
}

#[test]
fn labs_run_side_by_side() {
    if !allowed() {
        return;
    }
    let labs: Vec<Child> = (0..3)
        .map(|_| {
            let mut command =
                lab(&["--server", SERVER, "--rtt", "2ms", "--", "python3", "-c", FETCH]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in labs {
        fetched(&child.wait_with_output().unwrap());
    }
}

/// A command behind three links, of which the one in the middle is `link`.
fn reaches_through(link: &str) {
    if !allowed() || !has(link) {
        return;
    }
    let listener = TcpListener::bind("[::]:0").or_else(|_| TcpListener::bind("0.0.0.0:0")).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let words = inner(env!("CARGO_BIN_EXE_tcpwhy"), &["--rtt", "10ms"]);
    let mut command = lab(&["-q", "--rtt", "20ms", "--"]);
    command.args(inner(env!("CARGO_BIN_EXE_tcpwhy"), &["--link", link, "--rtt", "40ms"]));
    let output = command.args(&words).args(["python3", "-c", SHAKE, &port]).output().unwrap();
    let (times, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "the command's own exit code: {said}");
    for time in times.lines() {
        assert!(time.parse::<f64>().unwrap() >= 0.070, "all three links: {times}");
    }
}

#[test]
fn the_innermost_command_reaches_this_machine_through_all_links() {
    reaches_through("auto");
}

#[test]
fn packet_sockets_lead_on_to_other_labs_too() {
    reaches_through("packet");
}

#[test]
fn labs_inside_of_one_lab_do_not_meet() {
    if !allowed() {
        return;
    }
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let words = inner(env!("CARGO_BIN_EXE_tcpwhy"), &["--rtt", "2ms"]).join(" ");
    let one = format!("{words} python3 -c \"$SHAKE\" {port}; test $? = 3 || exit 1");
    let script = format!(
        "for n in 1 2 3; do ({one}) & all=\"$all $!\"; done; for p in $all; do wait $p || exit 1; done"
    );
    let mut command = lab(&["-q", "--", "sh", "-c", &script]);
    // IPv4 only: nothing listens on the other.
    let output = command.env("SHAKE", SHAKE.replace("if_inet6", "none")).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).lines().count(), 3);
}

#[test]
fn without_root_a_server_of_its_own_answers() {
    let program = env!("CARGO_BIN_EXE_tcpwhy");
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let copy = folder.path().join("tcpwhy");
    std::fs::copy(program, &copy).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), mode).unwrap();
    let python = ["python3", "-c", FETCH];
    let program = copy.to_str().unwrap();
    let nested = [inner(program, &["--rtt", "1ms"]), python.to_vec()].concat();
    for command in [&python[..], &nested] {
        let output = Command::new("setpriv")
            .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
            .args([program, "lab", "exec", "--server", SERVER, "--"])
            .args(command)
            .current_dir(folder.path())
            .output();
        let refused =
            |said: &str| said.contains("cannot make namespaces") || said.starts_with("setpriv:");
        match output {
            Ok(output) if refused(&text(&output.stderr)) => {
                eprintln!("skipped: {}", text(&output.stderr));
            }
            Ok(output) => fetched(&output),
            Err(e) => eprintln!("skipped: setpriv: {e}"),
        }
    }
}

/// A lab of its own process group, which a test that fails does not leave behind.
struct Sleepers(Child);

impl Drop for Sleepers {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A lab in which a lab has two processes that sleep; its device, and what they have on their command lines.
fn sleepers(mark: &str, link: &str) -> (Sleepers, String) {
    let words = inner(env!("CARGO_BIN_EXE_tcpwhy"), &[]).join(" ");
    let script = format!("{words} sh -c 'setsid sleep {mark} & exec sleep {mark}'");
    let mut command = lab(&["--link", link, "--rtt", "1ms", "--", "sh", "-c", &script]);
    let child = Sleepers(command.process_group(0).spawn().unwrap());
    let device = format!("tcpwhy{}", child.0.id());
    until("the command runs", || alive(&format!("sleep\0{mark}")));
    assert!(devices().contains(&device));
    (child, device)
}

/// A number that no other process of this machine sleeps for.
fn mark(number: u32) -> String {
    format!("7{number}{:08}", std::process::id())
}

#[test]
fn kill_9_leaves_no_device_and_no_process() {
    for (link, number) in [("auto", 1), ("packet", 3)] {
        if !has(link) {
            continue;
        }
        let mark = mark(number);
        let (mut child, device) = sleepers(&mark, link);
        child.0.kill().unwrap();
        child.0.wait().unwrap();
        until("no process is left", || !alive(&mark));
        until("no device is left", || !devices().contains(&device));
    }
}

#[test]
fn an_end_in_good_order_leaves_no_device() {
    if !has("packet") {
        return;
    }
    let mut child = lab(&["-q", "--link", "packet", "--", "true"]).spawn().unwrap();
    assert!(child.wait().unwrap().success());
    let device = format!("tcpwhy{}", child.id());
    until("no device is left", || !devices().contains(&device));
}

#[test]
fn ctrl_c_ends_the_command_and_the_labs_with_it() {
    if !allowed() {
        return;
    }
    let mark = mark(2);
    let (mut child, device) = sleepers(&mark, "auto");
    let group = format!("-{}", child.0.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    assert_eq!(child.0.wait().unwrap().code(), Some(130));
    assert!(!alive(&mark));
    // A namespace is cleared behind the process that held it.
    until("no device is left", || !devices().contains(&device));
}
