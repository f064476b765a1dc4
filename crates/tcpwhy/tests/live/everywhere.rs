//! Sockets of other network namespaces, who set their buffers, and where their threads sleep: what takes root.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::os::linux::fs::MetadataExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// For one line: a starved machine takes long to attach.
const PATIENCE: Duration = Duration::from_secs(120);

/// A writer that nobody reads from, over loopback in a network namespace of its own. It sets its buffer when told to go.
const WRITER: &str = "
import os, socket, sys, threading
listener = socket.create_server(('127.0.0.1', 0))
writer = socket.create_connection(listener.getsockname())
reader, _ = listener.accept()
print(listener.getsockname()[1], flush=True)
sys.stdin.readline()
writer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 20000)
writer.sendall(bytes(100_000_000))
";

/// Ends with the test, whatever happens.
struct Elsewhere {
    child: Child,
    port: u16,
    netns: u64,
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Elsewhere {
    /// `None`, and a word, where there can be no such namespace.
    fn start() -> Option<Self> {
        let script = format!("ip link set lo up && exec python3 -c \"{WRITER}\"");
        let mut child = Command::new("unshare")
            .args(["-n", "sh", "-c", &script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let Ok(port) = line.trim().parse() else {
            let _ = child.wait();
            eprintln!("skipped: no network namespace can be made here (unshare, ip, python3)");
            return None;
        };
        let netns = std::fs::metadata(format!("/proc/{}/ns/net", child.id())).ok()?.st_ino();
        Some(Self { child, port, netns })
    }

    fn go(&mut self) {
        use std::io::Write;
        self.child.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    }
}

fn live(arguments: &[&str]) -> serde_json::Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_tcpwhy")).arg("live").args(arguments).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn sockets_of_another_namespace_are_shown_and_chosen() {
    let Some(mut elsewhere) = Elsewhere::start() else { return };
    elsewhere.go();
    let port = elsewhere.port.to_string();
    let ends = ["--json", "--interval", "300ms", "--all", "--no-bpf", "--port", &port];
    let round = live(&ends);
    assert_eq!(round["kernel"]["events"], false);
    assert_eq!(round["kernel"]["absent_because"], "switched off by --no-bpf");
    if round["kernel"]["namespaces_closed"] != 0 {
        return eprintln!("skipped: {}", round["kernel"]["namespaces_closed_because"]);
    }
    let sockets = round["sockets"].as_array().unwrap();
    let theirs = sockets.iter().filter(|s| s["netns"] == elsewhere.netns).count();
    assert_eq!(theirs, 2, "{round}");
    let ours = live(&[&ends[..], &["--netns", "self"]].concat());
    let ours = ours["sockets"].as_array().unwrap();
    assert!(ours.iter().all(|s| s["netns"] != elsewhere.netns), "{ours:?}");
    let named = live(&[&ends[..], &["--netns", &elsewhere.netns.to_string()]].concat());
    assert_eq!(named["sockets"].as_array().unwrap().len(), 2);
    let own = std::process::id().to_string();
    let none = live(&[&ends[..], &["--pid", &own]].concat());
    assert_eq!(none["sockets"].as_array().unwrap().len(), 0);
}

/// Lines of a program that is killed when this goes; each is waited for, but not for ever.
struct Lines {
    child: Child,
    lines: Receiver<String>,
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Lines {
    fn of(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        // What is still written when nobody asks any more has to go somewhere.
        std::thread::spawn(move || {
            out.lines().map_while(Result::ok).for_each(|line| drop(send.send(line)));
        });
        Self { child, lines }
    }

    /// The first one from here on that fits; `None` where the program ended before.
    fn find(&self, what: &str, fits: impl Fn(&Value) -> bool) -> Option<Value> {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what} was not told in {PATIENCE:?}");
            match self.lines.recv_timeout(left) {
                Ok(line) => match serde_json::from_str(&line) {
                    Ok(value) if fits(&value) => return Some(value),
                    _ => {}
                },
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// What it said on standard error until it ended.
    fn end(&mut self, signal: &str) -> String {
        // It may have ended by itself.
        let _ = Command::new("kill").args([signal, &self.child.id().to_string()]).output();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        self.child.wait().unwrap();
        said
    }
}

#[test]
fn who_set_the_buffer_and_where_the_writer_sleeps() {
    let Some(mut elsewhere) = Elsewhere::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (svg, folded) = (folder.path().join("out.svg"), folder.path().join("out.txt"));
    let mut live = Command::new(env!("CARGO_BIN_EXE_tcpwhy"));
    live.args(["live", "--ndjson", "--all", "--interval", "300ms"])
        .args(["--port", &elsewhere.port.to_string()])
        .args(["--flame".as_ref(), svg.as_os_str(), "--folded".as_ref(), folded.as_os_str()]);
    let mut live = Lines::of(&mut live);
    // A round is told after the programs are attached, so that they see what is set and written from here on.
    let attached = live.find("the idle writer", |_| true);
    elsewhere.go();
    let slept =
        |socket: &Value| socket["events"]["blocked_writing_ns"].as_u64() > Some(100_000_000);
    let Some(writer) = attached.and_then(|_| live.find("the writer's sleep", slept)) else {
        let said = live.end("-INT");
        assert!(said.contains("not available") || said.contains("attached"), "{said}");
        return eprintln!("skipped: {said}");
    };
    assert_eq!(live.end("-INT"), "");
    let set = &writer["set_by"][0];
    assert_eq!((&set["option"], &set["value"]), (&"SO_SNDBUF".into(), &20_000.into()), "{writer}");
    assert_eq!(set["pid"], elsewhere.child.id());
    assert!(!set["stack"].as_array().unwrap().is_empty());
    assert_eq!(writer["send_buffer"]["held_by"], "application");
    let folded = std::fs::read_to_string(&folded).unwrap();
    assert!(folded.lines().any(|line| line.starts_with("python3;")), "{folded}");
    assert!(std::fs::read_to_string(&svg).unwrap().contains("<svg"));
}

#[test]
fn in_a_container_processes_have_the_numbers_that_they_have_there() {
    let look = "\"$0\" live --json --all --interval 100ms --netns self --port $port";
    let script = format!(
        "ip link set lo up || exit 77; \
         python3 -c \"{WRITER}\" | {{ read port; {look}; {look} --no-bpf; kill -9 -1; }}"
    );
    let output = Command::new("unshare")
        .args(["-pfn", "--mount-proc", "--kill-child", "sh", "-c", &script])
        .arg(env!("CARGO_BIN_EXE_tcpwhy"))
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else { return eprintln!("skipped: no unshare") };
    let (said, told) = (String::from_utf8_lossy(&output.stderr), output.stdout.as_slice());
    if output.status.code() == Some(77) || said.starts_with("unshare: ") {
        return eprintln!("skipped: {said}");
    }
    let rounds: Vec<Value> =
        told.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let [with, without] = &rounds[..] else { panic!("{said} {rounds:?}") };
    let of = |round: &Value| -> Vec<[Value; 4]> {
        let sockets = round["sockets"].as_array().unwrap().iter();
        sockets.map(|s| ["cookie", "pid", "fd", "command"].map(|name| s[name].clone())).collect()
    };
    let (with, without) = (of(with), of(without));
    assert_eq!(with.len(), 2, "{rounds:?}");
    assert!(with.iter().all(|socket| without.contains(socket)), "{with:?} {without:?}");
    assert!(with.iter().all(|socket| socket[1].is_u64()), "{with:?}");
}

#[test]
fn what_is_not_needed_any_more_is_dropped() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let _socket = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let mut live = Command::new(env!("CARGO_BIN_EXE_tcpwhy"));
    live.args(["live", "--ndjson", "--all", "--interval", "300ms", "--netns", "self"]);
    let live = Lines::of(&mut live);
    live.find("a socket", |_| true).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", live.child.id())).unwrap();
    let capabilities = status.lines().find_map(|line| line.strip_prefix("CapPrm:")).unwrap();
    let capabilities = u64::from_str_radix(capabilities.trim(), 16).unwrap();
    // CAP_DAC_READ_SEARCH 2, CAP_SYS_PTRACE 19, CAP_CHECKPOINT_RESTORE 40.
    assert_eq!(capabilities & !(1 << 2 | 1 << 19 | 1 << 40), 0, "{capabilities:x}");
}
