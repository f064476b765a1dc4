//! Making sockets: they belong to the namespace that the calling thread is in.

use super::Error;
use super::options::{set_after, set_before};
use super::patience::Patience;
use super::sending::covered;
use crate::spec::SocketOptions;
use socket2::{Domain, Protocol, Socket, Type};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 1024;

fn tcp(address: SocketAddr) -> io::Result<Socket> {
    Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))
}

/// A listener, with the options that its connections inherit.
pub(super) fn listen(
    address: SocketAddr,
    options: &SocketOptions,
    patience: &Patience,
) -> Result<Arc<Socket>, Error> {
    let refuse = |cause| Error::Listen { address, cause };
    let socket = tcp(address).map_err(refuse)?;
    socket.set_reuse_address(true).map_err(refuse)?;
    set_before(&socket, options)?;
    socket.bind(&address.into()).map_err(refuse)?;
    socket.listen(BACKLOG).map_err(refuse)?;
    Ok(covered(socket, patience))
}

/// The next connection; the inner error is the connection's (or the flow's end), the outer one the run's.
pub(super) fn accept(
    listener: &Socket,
    options: &SocketOptions,
    patience: &Patience,
) -> Result<io::Result<Arc<Socket>>, Error> {
    match listener.accept() {
        Ok((socket, _)) => {
            set_after(&socket, options)?;
            Ok(Ok(covered(socket, patience)))
        }
        Err(e) => Ok(Err(e)),
    }
}

/// A connection; the inner error is the connection's, the outer one the run's.
pub(super) fn connect(
    address: SocketAddr,
    options: &SocketOptions,
    patience: &Patience,
) -> Result<io::Result<Arc<Socket>>, Error> {
    let socket = match tcp(address) {
        Ok(socket) => socket,
        Err(e) => return Ok(Err(e)),
    };
    set_before(&socket, options)?;
    let socket = covered(socket, patience);
    if let Err(e) = socket.connect(&address.into()) {
        return Ok(Err(e));
    }
    set_after(&socket, options)?;
    Ok(Ok(socket))
}
