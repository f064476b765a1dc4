//! A running server, and requests written by hand: no HTTP client sends what an attacker does.

use crate::common::tcpwhy;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take, on a machine that has other things to do.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running server, killed when dropped.
pub(crate) struct Server {
    pub(crate) child: Child,
    /// `127.0.0.1:PORT`.
    pub(crate) host: String,
    pub(crate) token: Option<String>,
}

impl Server {
    pub(crate) fn start(args: &[&str]) -> Self {
        let mut command = tcpwhy();
        command.arg("serve").args(args).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap();
        let (host, query) = address.split_once('/').unwrap();
        let token = query.strip_prefix("?token=").map(str::to_owned);
        Self { child, host: host.to_owned(), token }
    }

    /// With a directory.
    pub(crate) fn of(dir: &Path) -> Self {
        Self::start(&[dir.to_str().unwrap(), "--listen", "127.0.0.1:0", "--max-upload", "100kB"])
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends `head` (a request line and headers, without the end) and `body`; closes only when answered.
    pub(crate) fn send(&self, head: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let request =
            format!("{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        // It may be refused before it is all sent.
        let _ = stream.write_all(body);
        Answer::read(stream)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {}", self.host), b"")
    }

    pub(crate) fn upload(&self, name: &str, body: &[u8]) -> Answer {
        let head = format!("POST /api/captures?name={name} HTTP/1.1\r\nHost: {}", self.host);
        self.send(&head, body)
    }

    /// The captures: name and hash.
    pub(crate) fn list(&self) -> Vec<(String, String)> {
        let listing: serde_json::Value =
            serde_json::from_str(&self.get("/api/captures").body).unwrap();
        let text = |c: &serde_json::Value, key: &str| c[key].as_str().unwrap().to_owned();
        let captures = listing["captures"].as_array().unwrap();
        let mut names: Vec<_> = captures.iter().map(|c| (text(c, "name"), text(c, "id"))).collect();
        names.sort();
        names
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.list().into_iter().map(|(name, _)| name).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A refused upload may end in a reset; what was said before counts.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.get(9..12).and_then(|s| s.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }
}

pub(crate) fn capture() -> Vec<u8> {
    fs::read(corpus().join("send-buffer-16k-20ms.sender.pcap.gz")).unwrap()
}

pub(crate) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// A directory with one capture, in another one with a secret beside it.
pub(crate) fn house() -> (TempDir, PathBuf) {
    let outside = tempfile::tempdir().unwrap();
    let dir = outside.path().join("captures");
    fs::create_dir_all(dir.join("deep")).unwrap();
    fs::write(dir.join("deep/slow.pcap.gz"), capture()).unwrap();
    fs::write(outside.path().join("secret.pcap"), capture()).unwrap();
    (outside, dir)
}

/// Everything in a directory, hidden files, too.
pub(crate) fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
