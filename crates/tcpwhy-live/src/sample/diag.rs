//! The socket through which a namespace is asked.

use std::io;

use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_SOCK_DIAG};

use super::{Sample, wire};

/// The kernel fills datagrams of up to 32 KiB for a reader that takes as much (`net/netlink/af_netlink.c`, `netlink_dump`).
const DATAGRAM: usize = 1 << 16;

/// Asks the network namespace in which it was opened, from whichever thread.
#[derive(Debug)]
pub struct Dump(Socket);

impl Dump {
    /// Opens a netlink socket in the caller's network namespace.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`, or no descriptor is left.
    pub fn open() -> io::Result<Self> {
        let socket = Socket::new(NETLINK_SOCK_DIAG)?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Self(socket))
    }

    /// All TCP sockets of the namespace, IPv4 and IPv6, listening ones left out.
    ///
    /// # Errors
    /// The kernel refused the dump.
    pub fn sockets(&self) -> io::Result<Vec<Sample>> {
        let mut found = Vec::new();
        let mut datagram = Vec::with_capacity(DATAGRAM);
        for family in wire::FAMILIES {
            self.0.send(&wire::request(family), 0)?;
            loop {
                datagram.clear();
                match self.0.recv(&mut datagram, 0) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    received => received?,
                };
                match wire::sockets(&datagram, &mut found) {
                    wire::End::More => {}
                    wire::End::Done => break,
                    wire::End::Refused(errno) => return Err(io::Error::from_raw_os_error(errno)),
                }
            }
        }
        Ok(found)
    }
}
