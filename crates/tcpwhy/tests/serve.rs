//! `tcpwhy serve` through the binary: what visitors get, and what they do not.
//!
//! Requests are written by hand, for no HTTP client sends what an attacker does.

mod common;

use common::tcpwhy;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running server, killed when dropped.
struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    host: String,
    token: Option<String>,
}

impl Server {
    fn start(args: &[&str]) -> Self {
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
    fn of(dir: &Path) -> Self {
        Self::start(&[dir.to_str().unwrap(), "--listen", "127.0.0.1:0", "--max-upload", "100kB"])
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends `head` (a request line and headers, without the end) and `body`; closes only when answered.
    fn send(&self, head: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        let request =
            format!("{head}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        // It may be refused before it is all sent.
        let _ = stream.write_all(body);
        Answer::read(stream)
    }

    fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path} HTTP/1.1\r\nHost: {}", self.host), b"")
    }

    fn upload(&self, name: &str, body: &[u8]) -> Answer {
        let head = format!("POST /api/captures?name={name} HTTP/1.1\r\nHost: {}", self.host);
        self.send(&head, body)
    }

    /// The captures: name and hash.
    fn list(&self) -> Vec<(String, String)> {
        let listing: serde_json::Value =
            serde_json::from_str(&self.get("/api/captures").body).unwrap();
        let text = |c: &serde_json::Value, key: &str| c[key].as_str().unwrap().to_owned();
        let captures = listing["captures"].as_array().unwrap();
        let mut names: Vec<_> = captures.iter().map(|c| (text(c, "name"), text(c, "id"))).collect();
        names.sort();
        names
    }

    fn names(&self) -> Vec<String> {
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
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A refused upload may end in a reset; what was said before counts.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.get(9..12).and_then(|s| s.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(&format!("{name}: ")))
    }
}

fn capture() -> Vec<u8> {
    fs::read(corpus().join("send-buffer-16k-20ms.sender.pcap.gz")).unwrap()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// A directory with one capture, in another one with a secret beside it.
fn house() -> (TempDir, PathBuf) {
    let outside = tempfile::tempdir().unwrap();
    let dir = outside.path().join("captures");
    fs::create_dir_all(dir.join("deep")).unwrap();
    fs::write(dir.join("deep/slow.pcap.gz"), capture()).unwrap();
    fs::write(outside.path().join("secret.pcap"), capture()).unwrap();
    (outside, dir)
}

/// Everything in a directory, hidden files, too.
fn files(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_capture_is_listed_analysed_and_shown() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let list = server.list();
    let (name, id) = &list[0];
    assert_eq!(Path::new(name), Path::new("deep").join("slow.pcap.gz"));
    let progress = || server.get(&format!("/api/progress/{id}")).body;
    assert!(progress().contains("unknown"));
    assert_eq!(server.get(&format!("/c/{id}")).status, 200);
    eventually("the analysis ends", || progress().contains("finished"));
    let report = server.get(&format!("/c/{id}"));
    assert!(report.body.contains("id=\"picture-"), "a report with charts");
    assert!(server.get("/api/captures").body.contains("\"limit\":\"send_buffer\""));
    // A page that nobody asked for is never analysed, and what is not there is not.
    assert_eq!(server.get("/c/00000000000000000000000000000000").status, 404);
}

#[test]
fn every_answer_forbids_the_browser_what_it_can() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let id = server.list().remove(0).1;
    server.get(&format!("/c/{id}"));
    let done = || server.get(&format!("/api/progress/{id}")).body.contains("finished");
    eventually("the analysis ends", done);
    let pages = ["/".to_owned(), format!("/c/{id}"), "/c/x".to_owned()];
    let others = ["/api/captures", "/api/progress/x", "/nothing", "/favicon.ico"].map(String::from);
    for path in pages.iter().chain(&others) {
        let answer = server.get(path);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        let is_page = pages.contains(path);
        assert_eq!(policy.contains("script-src 'sha256-"), is_page, "{path}: {policy}");
    }
}

#[test]
fn no_path_leads_out_of_the_directory() {
    let (outside, dir) = house();
    let server = Server::of(&dir);
    let absolute = outside.path().join("secret.pcap").display().to_string();
    let mut paths: Vec<String> = [
        "../secret.pcap",
        "deep/../../secret.pcap",
        "..%2fsecret.pcap",
        "..%2Fsecret.pcap",
        "%2e%2e%2fsecret.pcap",
        "%2e%2e/secret.pcap",
        "..%5csecret.pcap",
        "..\\secret.pcap",
        "%252e%252e%252fsecret.pcap",
        "..%c0%afsecret.pcap",
        "..%ef%bc%8fsecret.pcap",
        "....//secret.pcap",
        "..;/secret.pcap",
        "secret.pcap%00.gz",
        "%00",
        "%ff",
        "deep/slow.pcap.gz",
        "deep%2fslow.pcap.gz",
    ]
    .map(String::from)
    .to_vec();
    paths.extend([absolute.clone(), absolute.replace('/', "%2f"), format!("/{absolute}")]);
    for path in &paths {
        for start in ["/", "/c/", "/api/progress/", "/api/captures/"] {
            let answer = server.get(&format!("{start}{path}"));
            let unknown = answer.body.contains("\"unknown\"");
            assert!(unknown || (400..500).contains(&answer.status), "{start}{path}: {answer:?}");
            assert!(!answer.body.contains("id=\"analysis"), "{start}{path}");
        }
    }
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_followed() {
    use std::os::unix::fs::symlink;
    let (outside, dir) = house();
    symlink(outside.path().join("secret.pcap"), dir.join("link.pcap")).unwrap();
    symlink(outside.path(), dir.join("up")).unwrap();
    symlink("..", dir.join("deep/parent")).unwrap();
    let server = Server::of(&dir);
    assert_eq!(server.names(), ["deep/slow.pcap.gz"]);
    // One that takes the place of a capture that was listed.
    let id = server.list().remove(0).1;
    fs::remove_file(dir.join("deep/slow.pcap.gz")).unwrap();
    symlink(outside.path().join("secret.pcap"), dir.join("deep/slow.pcap.gz")).unwrap();
    assert_eq!(server.get(&format!("/c/{id}")).status, 404);
}

#[test]
fn an_upload_is_kept_under_a_safe_name_that_was_free() {
    let (outside, dir) = house();
    let server = Server::of(&dir);
    for (given, kept) in [
        ("new.pcap.gz", "new.pcap.gz"),
        ("new.pcap.gz", "new-2.pcap.gz"),
        ("..%2F..%2Fup.pcap", "up.pcap"),
        ("%2Fetc%2Fcron.d%2Fjob", "job.pcap"),
        ("", "capture.pcap"),
    ] {
        let answer = server.upload(given, &capture());
        assert_eq!(answer.status, 201, "{answer:?}");
        assert!(answer.body.contains(&format!("\"{kept}\"")), "{answer:?}");
        assert_eq!(fs::read(dir.join(kept)).unwrap(), capture());
    }
    assert_eq!(server.names().len(), 6);
    assert_eq!(files(outside.path()), ["captures", "secret.pcap"]);
}

#[test]
fn what_is_no_capture_is_refused_in_a_sentence_and_removed() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    for (body, why) in [
        (&b"<html><script>alert(1)</script>"[..], "not a capture"),
        (&b""[..], "empty"),
        (&b"\xd4\xc3\xb2\xa1\x02\0\x04\0\0\0\0\0\0\0\0\0\xff\xff\0\0\x01\0\0\0"[..], "no packets"),
    ] {
        let answer = server.upload("x.pcap", body);
        assert_eq!(answer.status, 415, "{answer:?}");
        assert!(answer.body.contains(why), "{answer:?}");
        assert!(answer.body.starts_with("x.pcap: "), "{answer:?}");
        assert_eq!(answer.body.lines().count(), 1, "{answer:?}");
        assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    }
    assert_eq!(files(&dir), ["deep"]);
}

#[test]
fn an_upload_that_is_too_large_is_refused_whether_it_says_so_or_not() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let mut large = capture();
    large.resize(100_001, 0);
    assert_eq!(server.upload("x.pcap", &large).status, 413);
    let mut stream = server.connect();
    let head = format!("POST /api/captures?name=x.pcap HTTP/1.1\r\nHost: {}", server.host);
    write!(stream, "{head}\r\nTransfer-Encoding: chunked\r\n\r\n186A1\r\n").unwrap();
    stream.write_all(&large).unwrap();
    assert_eq!(Answer::read(stream).status, 413);
    eventually("nothing is left", || files(&dir) == ["deep"]);
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let mut stream = begin_upload(&server);
    eventually("a part is stored", || files(&dir).len() == 2);
    assert_eq!(server.names().len(), 1, "it is not listed");
    stream.write_all(&[0; 100]).unwrap();
    stream.shutdown(Shutdown::Both).unwrap();
    drop(stream);
    eventually("it is removed", || files(&dir) == ["deep"]);
}

/// Half an upload.
fn begin_upload(server: &Server) -> TcpStream {
    let mut stream = server.connect();
    let head = format!("POST /api/captures?name=x.pcap HTTP/1.1\r\nHost: {}", server.host);
    write!(stream, "{head}\r\nContent-Length: 90000\r\n\r\n").unwrap();
    stream.write_all(&capture()[..1000]).unwrap();
    stream
}

#[cfg(target_os = "linux")]
#[test]
fn it_stops_cleanly_in_the_middle_of_an_upload() {
    for signal in ["INT", "TERM"] {
        let (_outside, dir) = house();
        let mut server = Server::of(&dir);
        let _stream = begin_upload(&server);
        eventually("a part is stored", || files(&dir).len() == 2);
        let pid = server.child.id().to_string();
        let kill = std::process::Command::new("kill").args(["-s", signal, &pid]).status();
        assert!(kill.unwrap().success());
        let status = server.child.wait().unwrap();
        assert_eq!(status.code(), Some(0), "{signal}");
        assert_eq!(files(&dir), ["deep"], "{signal}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_directory_uploads_are_gone_in_the_end() {
    let scratch = tempfile::tempdir().unwrap();
    let mut command = tcpwhy();
    command.args(["serve", "--listen", "127.0.0.1:0"]).env("TMPDIR", scratch.path());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let host = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut server = Server { child, host, token: None };
    assert_eq!(server.upload("x.pcap.gz", &capture()).status, 201);
    assert_eq!(server.names(), ["x.pcap.gz"]);
    assert_eq!(files(scratch.path()).len(), 1);
    let pid = server.child.id().to_string();
    assert!(std::process::Command::new("kill").arg(&pid).status().unwrap().success());
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
    assert!(files(scratch.path()).is_empty());
}

#[test]
fn names_of_others_are_not_served() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let port = server.host.rsplit(':').next().unwrap();
    let status = |head: &str| server.send(head, b"").status;
    for host in [format!("localhost:{port}"), "127.0.0.1".to_owned(), "[::1]:9000".to_owned()] {
        assert_eq!(status(&format!("GET / HTTP/1.1\r\nHost: {host}")), 200, "{host}");
    }
    for host in ["evil.example", "evil.example:80", "localhost.evil.example", "10.0.0.1", ""] {
        assert_eq!(status(&format!("GET /api/captures HTTP/1.1\r\nHost: {host}")), 421, "{host}");
    }
    assert_eq!(status("GET http://evil.example/ HTTP/1.1\r\nHost: localhost"), 421);
    assert_eq!(status("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example"), 421);
    assert_ne!(status("GET / HTTP/1.1"), 200, "without Host");
}

#[test]
fn pages_of_others_can_ask_for_nothing() {
    let (_outside, dir) = house();
    let server = Server::of(&dir);
    let host = &server.host;
    let post = |more: &str| {
        let head = format!("POST /api/captures?name=x.pcap HTTP/1.1\r\nHost: {host}\r\n{more}");
        server.send(&head, &capture()).status
    };
    for more in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://localhost:1",
        "Origin: file://",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate",
    ] {
        assert_eq!(post(more), 403, "{more}");
    }
    assert_eq!(files(&dir), ["deep"]);
    assert_eq!(post(&format!("Origin: http://{host}\r\nSec-Fetch-Site: same-origin")), 201);
    let get =
        |more: &str| server.send(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n{more}"), b"").status;
    assert_eq!(get("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate"), 200, "a link");
    assert_eq!(get("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors"), 403, "an image");
}

#[test]
fn others_need_the_token() {
    let (_outside, dir) = house();
    let server = Server::start(&[dir.to_str().unwrap(), "--listen", "0.0.0.0:0"]);
    let token = server.token.clone().unwrap();
    assert_eq!(token.len(), 32);
    let wrong = "0".repeat(32);
    let ask = |path: &str, more: &str| {
        server.send(&format!("GET {path} HTTP/1.1\r\nHost: {}{more}", server.host), b"")
    };
    for path in ["/", "/api/captures", "/c/x", "/nothing"] {
        assert_eq!(ask(path, "").status, 401, "{path}");
        assert_eq!(ask(path, &format!("\r\nAuthorization: Bearer {wrong}")).status, 401);
        assert_eq!(ask(path, &format!("\r\nAuthorization: Bearer {}", &token[..31])).status, 401);
        assert_eq!(ask(path, &format!("\r\nCookie: token={token}")).status, 401);
    }
    assert_eq!(ask(&format!("/?token={wrong}"), "").status, 401);
    assert_eq!(ask("/?token=", "").status, 401);
    assert_eq!(server.upload("x.pcap", &capture()).status, 401);
    assert_eq!(files(&dir), ["deep"]);

    assert_eq!(ask("/api/captures", &format!("\r\nAuthorization: Bearer {token}")).status, 200);
    let entered = ask(&format!("//evil.example/?token={token}"), "");
    assert_eq!((entered.status, entered.header("location")), (303, Some("/")));
    let cookie = entered.header("set-cookie").unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite=lax"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(ask("/api/captures", &format!("\r\nCookie: a=b; {pair}")).status, 200);
    // Each server has a token of its own.
    let other = Server::start(&[dir.to_str().unwrap(), "--listen", "0.0.0.0:0"]);
    assert_ne!(other.token, server.token);
}

#[test]
fn a_bad_capture_fails_in_a_sentence() {
    let (_outside, dir) = house();
    fs::write(dir.join("bad.pcap"), b"nonsense").unwrap();
    let server = Server::of(&dir);
    let id = server.list().into_iter().find(|(name, _)| name == "bad.pcap").unwrap().1;
    assert_eq!(server.get(&format!("/c/{id}")).status, 200);
    let progress = || server.get(&format!("/api/progress/{id}")).body;
    eventually("it fails", || progress().contains("failed"));
    assert!(progress().contains("not a capture file"), "{}", progress());
    // What is there in its place is looked at anew.
    fs::write(dir.join("bad.pcap"), capture()).unwrap();
    server.get(&format!("/c/{id}"));
    eventually("it is read", || progress().contains("finished"));
}

#[test]
fn a_directory_that_is_none_and_an_address_that_is_taken_are_errors() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let output = common::run(&["serve", file.path().to_str().unwrap(), "--listen", "127.0.0.1:0"]);
    common::assert_one_sentence_error(&output, "cannot serve");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = common::run(&["serve", "--listen", &address]);
    common::assert_one_sentence_error(&output, "cannot listen");
}
