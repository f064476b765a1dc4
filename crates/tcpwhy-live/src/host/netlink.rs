//! Questions to the kernel's routing netlink (rtnetlink(7)), in the caller's network namespace.

use std::io;

use netlink_packet_core::{
    NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_sys::protocols::NETLINK_ROUTE;
use netlink_sys::{Socket, SocketAddr};

/// All answers to a dump.
pub(super) fn dump(message: RouteNetlinkMessage) -> io::Result<Vec<RouteNetlinkMessage>> {
    let mut found = Vec::new();
    each(message, |answer| found.push(answer))?;
    Ok(found)
}

/// Hands every answer to a dump to `take` as it comes: of some there are too many to be held at once.
pub(super) fn each(
    message: RouteNetlinkMessage,
    mut take: impl FnMut(RouteNetlinkMessage),
) -> io::Result<()> {
    let socket = send(message, NLM_F_DUMP)?;
    loop {
        let (datagram, _) = socket.recv_from_full()?;
        let mut rest = datagram.as_slice();
        while rest.len() >= 16 {
            let message = parse(rest)?;
            let length = (message.header.length as usize).next_multiple_of(4);
            match message.payload {
                NetlinkPayload::Done(_) => return Ok(()),
                NetlinkPayload::Error(e) if e.code.is_some() => return Err(e.to_io()),
                NetlinkPayload::InnerMessage(inner) => take(inner),
                _ => {}
            }
            rest = rest.get(length.max(16)..).unwrap_or_default();
        }
    }
}

/// The answer about one thing; `None` where there is none.
pub(super) fn ask(message: RouteNetlinkMessage) -> io::Result<Option<RouteNetlinkMessage>> {
    let socket = send(message, 0)?;
    let (datagram, _) = socket.recv_from_full()?;
    match parse(&datagram)?.payload {
        NetlinkPayload::Error(e) if e.code.is_some() => Err(e.to_io()),
        NetlinkPayload::InnerMessage(inner) => Ok(Some(inner)),
        _ => Ok(None),
    }
}

fn send(message: RouteNetlinkMessage, flags: u16) -> io::Result<Socket> {
    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | flags;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(message));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    socket.send(&bytes, 0)?;
    Ok(socket)
}

fn parse(bytes: &[u8]) -> io::Result<NetlinkMessage<RouteNetlinkMessage>> {
    NetlinkMessage::deserialize(bytes)
        .map_err(|e| io::Error::other(format!("the kernel's answer cannot be read: {e}")))
}
