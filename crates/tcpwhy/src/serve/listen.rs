//! Connections: so many at a time, and none that only holds its place.

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// What a visitor may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Connections at a time; others wait in the kernel's queue. A browser opens six.
    pub connections: usize,
    /// For the head of a request to arrive, and for a connection to do nothing between two of them.
    pub head: Duration,
    /// For a visitor to take some of an answer.
    pub answer: Duration,
}

impl Limits {
    /// Of `tcpwhy serve`.
    pub(crate) const USUAL: Self =
        Self { connections: 128, head: Duration::from_secs(15), answer: Duration::from_secs(30) };
}

/// Answers whoever comes, until it is dropped.
pub(crate) async fn listen(mut listener: TcpListener, router: Router, limits: Limits) {
    let places = Arc::new(Semaphore::new(limits.connections));
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let (stream, _) = Listener::accept(&mut listener).await;
        let router = router.clone();
        tokio::spawn(async move {
            connection(stream, router, limits).await;
            drop(place);
        });
    }
}

/// One connection. What goes wrong on it is the visitor's to know.
async fn connection(stream: TcpStream, router: Router, limits: Limits) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.answer));
    let _ended = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(Box::pin(stream)), TowerToHyperService::new(router))
        .await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpStream};

    /// More than any socket's buffers hold.
    const LARGE: usize = 32 << 20;
    const SHORT: Duration = Duration::from_millis(200);
    /// How long anything may take, on a machine that has other things to do.
    const PATIENCE: Duration = Duration::from_secs(60);

    /// A server with two places; it ends with the test's process.
    fn server(head: Duration, answer: Duration) -> SocketAddr {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new()
            .route("/", get(async || "here"))
            .route("/large", get(async || "x".repeat(LARGE)));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = TcpListener::from_std(listener).unwrap();
                listen(listener, router, Limits { connections: 2, head, answer }).await;
            });
        });
        address
    }

    fn connect(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// All that comes until the connection ends, whichever way.
    fn read(mut stream: TcpStream) -> Vec<u8> {
        let mut bytes = Vec::new();
        let _ended = stream.read_to_end(&mut bytes);
        bytes
    }

    fn ask(address: SocketAddr, path: &str) -> TcpStream {
        let mut stream = connect(address);
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    #[test]
    fn who_finds_all_places_taken_waits_until_one_is_free() {
        let address = server(PATIENCE, PATIENCE);
        let two = [connect(address), connect(address)];
        let mut third = ask(address, "/");
        third.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        assert!(third.read(&mut [0]).is_err(), "nothing comes");
        drop(two);
        third.set_read_timeout(Some(PATIENCE)).unwrap();
        assert!(read(third).ends_with(b"here"));
    }

    #[test]
    fn visitors_who_say_nothing_or_only_half_lose_their_place_to_others() {
        let address = server(SHORT, PATIENCE);
        let silent = connect(address);
        let mut half = connect(address);
        half.write_all(b"GET / HTTP/1.1\r\nHost: loc").unwrap();
        assert!(read(ask(address, "/")).ends_with(b"here"));
        assert_eq!(read(silent), b"");
        // It may be told that it was too slow.
        assert!(!read(half).ends_with(b"here"));
    }

    #[test]
    fn a_connection_between_two_requests_is_closed_after_a_while() {
        let address = server(SHORT, PATIENCE);
        let mut stream = connect(address);
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        // It ends, and not because our patience does.
        stream.read_to_end(&mut bytes).unwrap();
        assert!(bytes.ends_with(b"here"));
    }

    #[test]
    fn visitors_who_do_not_take_their_answers_lose_their_place_to_others() {
        let address = server(PATIENCE, SHORT);
        let _two = [ask(address, "/large"), ask(address, "/large")];
        assert!(read(ask(address, "/")).ends_with(b"here"));
    }
}
