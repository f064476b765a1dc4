//! One exchange with the kernel's routing netlink (rtnetlink(7)), in the calling thread's network namespace.

use std::io;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_REQUEST, NetlinkHeader,
    NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

/// A change of what exists.
pub(super) const CHANGE: u16 = NLM_F_ACK;
/// Something new, which must not exist yet.
pub(super) const CREATE: u16 = NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL;
/// Something new, or instead of what exists.
pub(super) const REPLACE: u16 = NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
/// A question about one thing.
pub(super) const ASK: u16 = 0;

/// A socket in one namespace.
pub(super) struct Netlink {
    socket: Socket,
}

impl Netlink {
    pub(super) fn open() -> io::Result<Self> {
        let mut socket = Socket::new(NETLINK_ROUTE)?;
        socket.bind_auto()?;
        socket.connect(&SocketAddr::new(0, 0))?;
        Ok(Self { socket })
    }

    /// Sends `message` and gives back the answer, which is `None` for a plain acknowledgement.
    pub(super) fn ask(
        &self,
        message: RouteNetlinkMessage,
        flags: u16,
    ) -> io::Result<Option<RouteNetlinkMessage>> {
        let mut header = NetlinkHeader::default();
        header.flags = NLM_F_REQUEST | flags;
        let mut message = NetlinkMessage::new(header, NetlinkPayload::from(message));
        message.finalize();
        let mut bytes = vec![0; message.buffer_len()];
        message.serialize(&mut bytes);
        self.socket.send(&bytes, 0)?;
        let (answer, _) = self.socket.recv_from_full()?;
        let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer)
            .map_err(|e| io::Error::other(format!("the kernel's answer cannot be read: {e}")))?;
        match answer.payload {
            NetlinkPayload::Error(e) if e.code.is_some() => Err(e.to_io()),
            NetlinkPayload::InnerMessage(inner) => Ok(Some(inner)),
            _ => Ok(None),
        }
    }
}
