//! A relay of ours in front of a real server.

use super::patience::Patience;
use super::program::address;
use super::relay::Pump;
use super::sockets::{accept, connect, listen};
use super::{Error, Site};
use crate::spec::{Front, Role};
use socket2::Socket;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Longer than any run.
const DAY: Duration = Duration::from_secs(86_400);

/// A relay that serves until it is ended.
pub(super) struct Fronting(Arc<Patience>);

impl Fronting {
    /// Closes its listener and all connections.
    pub(super) fn end(&self) {
        self.0.end();
    }
}

/// Starts the relay; it listens when this returns.
pub(super) fn start<'s>(
    scope: &'s Scope<'s, '_>,
    site: &'s Site<'s>,
    on: Role,
    front: &'s Front,
    port: u16,
) -> Result<Fronting, Error> {
    let patience = Arc::new(Patience::until(Instant::now() + DAY));
    let (ready, listening) = channel();
    let shared = Arc::clone(&patience);
    scope.spawn(move || {
        let at = SocketAddr::new(address(site, on), front.port);
        let made = site.enter(on).and_then(|()| listen(at, &front.relay.front, &shared));
        match made {
            Ok(listener) => {
                // The caller waits for it.
                let _ = ready.send(Ok(()));
                serve(&listener, site, on, front, port, &shared);
            }
            Err(error) => drop(ready.send(Err(error))),
        }
    });
    listening.recv().unwrap_or_else(|_| {
        let cause = std::io::Error::other("its thread broke");
        Err(Error::System { what: "start the relay".to_owned(), cause })
    })?;
    Ok(Fronting(patience))
}

fn serve(
    listener: &Socket,
    site: &Site<'_>,
    on: Role,
    front: &Front,
    port: u16,
    patience: &Patience,
) {
    let backend = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    std::thread::scope(|scope| {
        while let Ok(Ok(client)) = accept(listener, &front.relay.front, patience) {
            // A backend that is gone closes the client's connection: what the client says of it is the outcome.
            let Ok(Ok(back)) = connect(backend, &front.relay.back, patience) else { continue };
            let pump = Pump { front: client, backs: vec![back], on, log: site.log, patience };
            scope.spawn(move || drop(pump.run()));
        }
    });
}
