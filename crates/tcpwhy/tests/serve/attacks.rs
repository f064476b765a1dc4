//! Who asks for what is not his.

use crate::server::{Server, capture, eventually, files, house};
use std::fs;

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
        for start in ["/", "/c/", "/api/progress/", "/api/captures/", "/api/packets/"] {
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
