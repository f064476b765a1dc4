//! `tcpwhy serve`: a directory of captures in the browser.

mod app;
mod csp;
mod folder;
mod guard;
mod jobs;
mod listen;
mod name;
mod refusal;
mod token;
mod upload;

use crate::cli::Serve;
use crate::error::Error;
use crate::say;
use app::App;
use folder::Folder;
pub(crate) use listen::{Limits, listen};
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use token::Token;
use tokio::net::TcpListener;

/// Threads for what blocks: analyses, and steps of reading and writing files.
const THREADS: usize = 16;
/// How long stopping waits for such a step.
const PATIENCE: Duration = Duration::from_secs(2);

/// Serves until it is told to stop.
///
/// # Errors
/// The directory cannot be read, or the address cannot be listened at.
pub(crate) fn run(args: &Serve) -> Result<ExitCode, Error> {
    let temporary = match &args.directory {
        Some(_) => None,
        None => {
            Some(tempfile::Builder::new().prefix("tcpwhy-").tempdir().map_err(Error::temporary)?)
        }
    };
    let path = args.directory.as_deref().or(temporary.as_ref().map(|t| t.path()));
    let path = path.unwrap_or(Path::new("."));
    let folder = Folder::open(path)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .map_err(Error::Wait)?;
    let directory = args.directory.as_ref().map_or(String::new(), |d| d.display().to_string());
    let served = runtime.block_on(serve(args, folder, directory));
    // Drops uploads that are under way, and with each the part of it that was stored.
    runtime.shutdown_timeout(PATIENCE);
    served.map(|()| ExitCode::SUCCESS)
}

async fn serve(args: &Serve, folder: Folder, directory: String) -> Result<(), Error> {
    let refused = |e| Error::Listen(args.listen, e);
    let listener = TcpListener::bind(args.listen).await.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let token = if address.ip().is_loopback() { None } else { Some(Token::new()?) };
    let stop = stop()?;
    announce(args, address, token.as_ref())?;
    let app = App::new(folder, directory, args.max_upload, token, address.port());
    tokio::select! {
        () = listen(listener, app.router(), Limits::USUAL) => {}
        () = stop => {}
    }
    Ok(())
}

/// The address alone on standard output; what it means on standard error.
fn announce(args: &Serve, mut address: SocketAddr, token: Option<&Token>) -> Result<(), Error> {
    let what = match &args.directory {
        Some(directory) => directory.display().to_string(),
        None => "uploads, which are removed in the end".to_owned(),
    };
    say(&format!("serving {what}; Ctrl-C stops"));
    if address.ip().is_unspecified() {
        say("open this address, or another one of this machine in its place:");
        let own =
            if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(own);
    }
    let token = token.map_or(String::new(), |t| format!("?token={}", t.reveal()));
    let mut out = io::stdout().lock();
    writeln!(out, "http://{address}/{token}").and_then(|()| out.flush()).map_err(Error::Write)
}

/// Ends when somebody wants us to: Ctrl-C, `kill`, a terminal that is closed.
#[cfg(unix)]
pub(crate) fn stop() -> Result<impl Future<Output = ()>, Error> {
    use tokio::signal::unix::{SignalKind, signal};
    let heard = |kind| signal(kind).map_err(Error::Wait);
    let mut asked = heard(SignalKind::interrupt())?;
    let mut told = heard(SignalKind::terminate())?;
    let mut left = heard(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = asked.recv() => {}
            _ = told.recv() => {}
            _ = left.recv() => {}
        }
    })
}

/// Ends when somebody wants us to: Ctrl-C.
#[cfg(not(unix))]
fn stop() -> Result<impl Future<Output = ()>, Error> {
    Ok(async {
        // Without a handler Ctrl-C ends us at once.
        let _ = tokio::signal::ctrl_c().await;
    })
}
