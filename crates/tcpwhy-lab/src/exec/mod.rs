//! Any command behind an emulated link.
//!
//! The command runs in the client. With root the server's end of the link lies in the caller's own network namespace, so
//! that the machine's services are behind the link; with `server`, and always without root, it is a host of its own in
//! which that server runs. Without `server` labs nest: where the caller is itself behind a link, its namespace becomes a
//! router, and the command reaches through both links.
//!
//! Nothing survives: namespaces are held by descriptors, devices by the link's thread, and the command is in a PID
//! namespace whose first process dies with this one.

mod case;
mod error;
pub mod init;
mod network;
mod program;

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

pub use error::Error;

use crate::host::{DEVICE, Host, Rights, become_root};
use crate::link::{self, LinkReport};
use crate::spec::{HostSpec, LinkSpec, Role};
use case::Case;
use program::Streams;

/// The variable that tells a command the server's address.
const SERVER: &str = "TCPWHY_SERVER";

/// What runs, and behind what.
#[derive(Debug, Clone)]
pub struct Order {
    /// The path.
    pub link: LinkSpec,
    /// Settings of the command's host.
    pub client: HostSpec,
    /// Settings of the other host; in the caller's own namespace only its route can have any.
    pub server_host: HostSpec,
    /// A shell command that serves, in a host of its own.
    pub server: Option<String>,
    /// The command and its arguments; `{server}` becomes the server's address, in a lab in a lab the outermost one's.
    pub command: Vec<OsString>,
    /// Where captures and reports go.
    pub case: Option<PathBuf>,
    /// The words that make this very program call [`init::run`] with the words that follow.
    pub init: Vec<OsString>,
}

/// How it ended.
#[derive(Debug)]
pub struct Ended {
    /// As a shell has it: 128 and the signal for a killed command.
    pub code: u8,
    /// What the link did.
    pub link: LinkReport,
}

/// Runs the command and takes everything down after it.
///
/// To be called while the process has one thread: the kernel's condition for a user namespace.
///
/// `ready` is called once threads may be made.
///
/// # Errors
/// Rights, devices, settings or programs are missing.
pub fn run(order: &Order, ready: impl FnOnce()) -> Result<Ended, Error> {
    let rights = become_root().map_err(Error::Rights)?;
    ready();
    if rights == Rights::Unprivileged && order.server.is_none() {
        return Err(Error::NoServer);
    }
    program::look_for(&order.command)?;
    if let Some(folder) = &order.case {
        case::folder(folder)?;
    }
    let claim = network::claim()?;
    let network = claim.network;
    let client = Host::new(Role::Client, &order.client, &order.link, network)?;
    let server = match &order.server {
        Some(_) => Host::new(Role::Server, &order.server_host, &order.link, network)?,
        // The kernel refuses a second device of this name: process numbers are unique where devices are.
        None => {
            let device = format!("tcpwhy{}", std::process::id());
            Host::outside(&device, &order.server_host, &order.link, network)?
        }
    };
    let through = claim.nested && order.server.is_none();
    if through {
        server.forward(DEVICE)?;
    }
    let middle = order.case.as_ref().map(|folder| folder.join("middle.pcapng"));
    let link = link::start(&order.link, client.device(), server.device(), middle.as_deref())?;
    let case = order.case.as_ref().map(|folder| Case::start(folder, &client, &server));
    let case = case.transpose()?;
    let address = if through { outermost() } else { None };
    let address = address.unwrap_or(server.addresses()[0]);
    let code = command(order, &client, &server, address)?;
    let link = link.stop()?;
    if let Some(case) = case {
        case.end(&link)?;
    }
    Ok(Ended { code, link })
}

/// The server of the lab around this one.
fn outermost() -> Option<IpAddr> {
    std::env::var(SERVER).ok()?.parse().ok()
}

fn command(order: &Order, client: &Host, server: &Host, address: IpAddr) -> Result<u8, Error> {
    let address = address.to_string();
    let environment = [(SERVER, address.clone())];
    let mut serving = None;
    if let Some(text) = &order.server {
        let words = ["/bin/sh".into(), "-c".into(), text.into()];
        let child = program::start(server, &order.init, &words, &environment, Streams::Server)?;
        let child = serving.insert(Serving(Some(child)));
        if let Some(running) = &child.0 {
            running.listening(server, text)?;
        }
    }
    let words: Vec<OsString> = order.command.iter().map(|word| fill(word, &address)).collect();
    let running = program::start(client, &order.init, &words, &environment, Streams::Ours)?;
    Ok(init::code(running.wait()?))
}

/// A server that is killed, with all that it started, when this is dropped.
struct Serving(Option<program::Running>);

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some(running) = self.0.take() {
            running.kill();
        }
    }
}

fn fill(word: &OsString, server: &str) -> OsString {
    match word.to_str() {
        Some(text) => text.replace("{server}", server).into(),
        None => word.clone(),
    }
}
