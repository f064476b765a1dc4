//! The socket through which a namespace is asked.

use std::cell::Cell;
use std::io;

use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_SOCK_DIAG};

use super::request::{Selection, both, one};
use super::wire::{self, End, FAMILIES};
use super::{Sample, View};

/// The kernel fills datagrams of up to 32 KiB for a reader that takes as much (`net/netlink/af_netlink.c`, `netlink_dump`), the next one
/// while this one is fetched: neither a larger buffer here nor one of the socket's brings anything.
const DATAGRAM: usize = 1 << 16;

/// Asks the network namespace in which it was opened, from whichever thread.
#[derive(Debug)]
pub struct Dump {
    socket: Socket,
    /// Of the last question: answers carry it.
    number: Cell<u32>,
    form: Cell<Form>,
}

/// How the kernel is asked: as well as it understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One walk for both families.
    Both,
    /// A walk for each.
    Each,
}

impl Dump {
    /// Opens a netlink socket in the caller's network namespace.
    ///
    /// # Errors
    /// The kernel has no `sock_diag`, or no descriptor is left.
    pub fn open() -> io::Result<Self> {
        let socket = Socket::new(NETLINK_SOCK_DIAG)?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Self { socket, number: Cell::new(0), form: Cell::new(Form::Both) })
    }

    /// All TCP sockets of the namespace, IPv4 and IPv6, listening ones left out.
    ///
    /// # Errors
    /// The kernel refused the dump.
    pub fn sockets(&self) -> io::Result<Vec<Sample>> {
        let mut found = Vec::new();
        self.each(Selection::default(), |view| found.push(Sample::from(view)))?;
        Ok(found)
    }

    /// Hands every socket of the selection to `take`, where the kernel put it: nothing is copied, and nothing allocated for it. A socket
    /// may come twice where the kernel's table changes meanwhile.
    ///
    /// # Errors
    /// The kernel refused the dump.
    pub fn each(&self, selection: Selection, mut take: impl FnMut(&View<'_>)) -> io::Result<()> {
        if self.form.get() == Form::Both {
            match self.ask(|number| both(selection, number), &mut take) {
                Err(e) if is_unknown(&e) => self.form.set(Form::Each),
                told => return told,
            }
        }
        for family in FAMILIES {
            let told = self.ask(|number| one(family, selection, number), &mut take);
            match told {
                Err(e) if is_unknown(&e) && selection != selection.plain() => {
                    self.ask(|number| one(family, selection.plain(), number), &mut take)?;
                }
                told => told?,
            }
        }
        Ok(())
    }

    fn ask(
        &self,
        question: impl FnOnce(u32) -> Vec<u8>,
        take: &mut impl FnMut(&View<'_>),
    ) -> io::Result<()> {
        let number = self.number.get().wrapping_add(1);
        self.number.set(number);
        self.socket.send(&question(number), 0)?;
        let mut datagram = Vec::with_capacity(DATAGRAM);
        loop {
            datagram.clear();
            match self.socket.recv(&mut datagram, 0) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                received => received?,
            };
            match wire::sockets(&datagram, number, &mut *take) {
                End::More => {}
                End::Done => return Ok(()),
                End::Refused(errno) => return Err(io::Error::from_raw_os_error(errno)),
            }
        }
    }
}

/// What a kernel says to a question, or a program in it, that it does not know: EOPNOTSUPP, EINVAL, ENOENT (no such handler).
fn is_unknown(e: &io::Error) -> bool {
    matches!(e.raw_os_error(), Some(libc::EOPNOTSUPP | libc::EINVAL | libc::ENOENT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    fn cookies(dump: &Dump, selection: Selection) -> Vec<u64> {
        let mut found = Vec::new();
        dump.each(selection, |view| found.push(view.cookie)).unwrap();
        found
    }

    #[test]
    fn the_kernel_leaves_out_what_was_not_asked_for() {
        let Ok(dump) = Dump::open() else { return println!("skipped: no sock_diag") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let end = listener.local_addr().unwrap();
        let client = TcpStream::connect(end).unwrap();
        let (server, _) = listener.accept().unwrap();
        let other = TcpListener::bind("[::1]:0").or_else(|_| TcpListener::bind("127.0.0.1:0"));
        let other = other.unwrap();
        let both = (TcpStream::connect(other.local_addr().unwrap()).unwrap(), other.accept());
        let cookie = |socket: &TcpStream| rustix::net::sockopt::socket_cookie(socket).unwrap();
        let (one, two, three) = (cookie(&client), cookie(&server), cookie(&both.0));
        for form in [Form::Both, Form::Each] {
            dump.form.set(form);
            let of_port = Selection::default().with_port(Some(end.port()));
            let mut seen = cookies(&dump, of_port);
            seen.sort_unstable();
            let mut right = [one, two];
            right.sort_unstable();
            assert_eq!(seen, right, "{form:?}");
            assert_eq!(dump.form.get(), form, "this kernel knows both forms");
            let all = cookies(&dump, Selection::established());
            assert!([one, two, three].iter().all(|c| all.contains(c)), "{form:?}");
        }
        drop(both.1);
        assert!(client.shutdown(std::net::Shutdown::Write).is_ok());
        // FIN_WAIT2 and CLOSE_WAIT now.
        let left = cookies(&dump, Selection::established());
        assert!(![one, two].iter().any(|c| left.contains(c)));
        assert!([one, two].iter().all(|c| cookies(&dump, Selection::default()).contains(c)));
    }
}
