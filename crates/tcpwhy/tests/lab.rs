//! `tcpwhy lab exec` in real namespaces. Says `skipped:` where they are not allowed.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // Helpers of tests, outside of #[test] functions.

use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const SERVER: &str = "exec python3 -m http.server 8000";
const FETCH: &str = "import os,urllib.request as u;u.urlopen('http://%s:8000/'%os.environ['TCPWHY_SERVER']).read();print('ok')";

fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tcpwhy"));
    command.args(["lab", "exec"]).args(arguments).stdin(Stdio::null());
    command
}

/// Whether the machine lets this user have a lab whose server is in the caller's own network.
fn allowed() -> bool {
    let output = lab(&["--", "true"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let refused = ["cannot make", "without root", "/dev/net/tun"].iter().any(|w| said.contains(w));
    if refused {
        eprintln!("skipped: {said}");
    } else {
        assert!(output.status.success(), "{said}");
    }
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
fn refusals_are_one_sentence_and_code_2() {
    if !allowed() {
        return;
    }
    for (arguments, words) in [
        (vec!["--congestion", "nosuch"], "no congestion control \"nosuch\"; available: "),
        (vec!["--client-sysctl", "net.ipv4.nosuch=1"], "net.ipv4.nosuch"),
        (vec!["--client-sysctl", "kernel.panic=1"], "no setting of the network"),
        (vec!["--rate", "0mbit"], "the slowest link is 1kbit"),
        (vec!["-o", env!("CARGO_MANIFEST_DIR")], "is not empty: choose another folder"),
    ] {
        let output = lab(&arguments).args(["--", "true"]).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
    }
}

fn fetched(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "ok\n");
}

#[test]
fn labs_run_side_by_side_and_inside_each_other() {
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
    let inner = [env!("CARGO_BIN_EXE_tcpwhy"), "lab", "exec", "-q", "--", "sh", "-c"];
    let output =
        lab(&["-q", "--"]).args(inner).arg("echo outer inner $TCPWHY_SERVER").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("outer inner 10.77."));
}

#[test]
fn without_root_a_server_of_its_own_answers() {
    let program = env!("CARGO_BIN_EXE_tcpwhy");
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let copy = folder.path().join("tcpwhy");
    std::fs::copy(program, &copy).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), mode).unwrap();
    let nobody = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
    let output = Command::new("setpriv")
        .args(nobody)
        .arg(&copy)
        .args(["lab", "exec", "--server", SERVER, "--", "python3", "-c", FETCH])
        .current_dir(folder.path())
        .output();
    match output {
        Ok(output) if text(&output.stderr).contains("cannot make namespaces") => {
            eprintln!("skipped: {}", text(&output.stderr));
        }
        Ok(output) if text(&output.stderr).starts_with("setpriv:") => {
            eprintln!("skipped: {}", text(&output.stderr));
        }
        Ok(output) => fetched(&output),
        Err(e) => eprintln!("skipped: setpriv: {e}"),
    }
}

#[test]
fn kill_9_leaves_no_device_and_no_process() {
    if !allowed() {
        return;
    }
    // A number that no other process of this machine sleeps for.
    let mark = format!("7{:08}", std::process::id());
    let script = format!("setsid sleep {mark} & sleep {mark}");
    let mut child = lab(&["--rtt", "1ms", "--", "sh", "-c", &script]).spawn().unwrap();
    let device = format!("tcpwhy{}", child.id());
    until("the command runs", || alive(&format!("sleep\0{mark}")));
    assert!(devices().contains(&device));
    child.kill().unwrap();
    child.wait().unwrap();
    until("no process is left", || !alive(&mark));
    until("no device is left", || !devices().contains(&device));
}
