//! One record of the ring buffer: `struct event` of `bpf/events.bpf.c`, in the machine's byte order.

use serde::{Deserialize, Serialize};

/// Bytes of a record.
pub const LENGTH: usize = 152;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A segment arrived on an established connection; the state is the one before it is processed (`tcp_probe`).
    Ack,
    /// The application's bytes are about to be queued; the state is the one before (`tcp_sendmsg_locked`).
    Send,
    /// `sendmsg` returned; `value` is its result: bytes, or a negative error number (`sock_send_length`).
    Sent,
    /// A segment is sent again (`tcp_retransmit_skb`).
    Retransmit,
    /// The congestion control's state changes to `value`, a `TCP_CA_*`; the state is the one before.
    Congestion,
    /// Autotuning raises the receive buffer (`tcp_rcvbuf_grow`).
    ReceiveBuffer,
    /// The application took bytes from the receive queue (`tcp_rcv_space_adjust`).
    ReadSpace,
    /// The connection's state changes; `value` is old state << 8 | new state.
    State,
    /// Memory was refused to the socket; `value` is 0 for sending, 1 for receiving (`sock_exceed_buf_limit`).
    RefusedMemory,
    /// A task goes to sleep in a write, for the send buffer is full (`sk_stream_wait_memory`).
    WriterBlocks,
    /// It runs again; `value` is how long it slept, microseconds.
    WriterWakes,
    /// A task goes to sleep in a read, for nothing has arrived (`sk_wait_data`).
    ReaderBlocks,
    /// It runs again; `value` is how long it slept, microseconds.
    ReaderWakes,
    /// Autotuning gave the send buffer another size, or shrank it for want of memory; `value` is the one before, bytes, and the state
    /// has the new one. Found with the segment that comes after (`tcp_probe`).
    SendBufferStep,
    /// The same of the receive buffer.
    ReceiveBufferStep,
}

impl Kind {
    /// In the order of `enum kind`, which begins at 1.
    const ALL: [Self; 15] = [
        Self::Ack,
        Self::Send,
        Self::Sent,
        Self::Retransmit,
        Self::Congestion,
        Self::ReceiveBuffer,
        Self::ReadSpace,
        Self::State,
        Self::RefusedMemory,
        Self::WriterBlocks,
        Self::WriterWakes,
        Self::ReaderBlocks,
        Self::ReaderWakes,
        Self::SendBufferStep,
        Self::ReceiveBufferStep,
    ];
}

/// Something that happened to a socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Nanoseconds: of `CLOCK_MONOTONIC` as it comes from the kernel, since the Unix epoch in a file.
    pub t_ns: u64,
    /// The kernel's socket cookie, as in the samples; 0 while a socket has none.
    pub cookie: u64,
    /// What happened.
    pub kind: Kind,
    /// Inode of the socket's network namespace.
    pub netns: u32,
    /// The thread that acted or slept; 0 where the kernel itself acted.
    pub task: u32,
    /// Depends on the kind.
    pub value: i32,
    /// This end's port.
    pub local_port: u16,
    /// The other end's port.
    pub remote_port: u16,
    /// Name of the thread that slept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub comm: String,
    /// The socket at that moment; a sleeper's is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<Snapshot>,
}

/// A socket's state at one event, in the kernel's words (`struct tcp_sock`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// `TCP_ESTABLISHED` is 1.
    pub state: u8,
    /// `TCP_CA_*`.
    pub ca_state: u8,
    /// `SOCK_NOSPACE`: somebody was told that the send buffer is full, and not yet that there is room.
    pub nospace: bool,
    /// `SOCK_SNDBUF_LOCK` 1, `SOCK_RCVBUF_LOCK` 2.
    pub locks: u8,
    /// Oldest byte not acknowledged.
    pub snd_una: u32,
    /// Next byte to send.
    pub snd_nxt: u32,
    /// Next byte that the application writes.
    pub write_seq: u32,
    /// Packets sent and not acknowledged.
    pub packets_out: u32,
    /// Of these, those acknowledged selectively.
    pub sacked_out: u32,
    /// Of these, those taken for lost.
    pub lost_out: u32,
    /// Packets sent again and not acknowledged.
    pub retrans_out: u32,
    /// Packets.
    pub snd_cwnd: u32,
    /// Packets.
    pub snd_ssthresh: u32,
    /// Bytes.
    pub snd_wnd: u32,
    /// Bytes.
    pub mss: u32,
    /// Smoothed round trip, microseconds.
    pub srtt_us: u32,
    /// Lowest round trip, microseconds; `u32::MAX` before the first.
    pub min_rtt_us: u32,
    /// Bytes acknowledged since the connection began.
    pub bytes_acked: u64,
    /// Bytes per second.
    pub pacing_rate: u64,
    /// Memory of written data, bytes.
    pub wmem_queued: u32,
    /// Bytes.
    pub sndbuf: u32,
    /// Window offered to the peer, bytes.
    pub rcv_wnd: u32,
    /// Memory of received data, bytes.
    pub rmem_alloc: u32,
    /// Bytes.
    pub rcvbuf: u32,
    /// Bytes received in order and not read.
    pub unread: u32,
    /// `TCP_NOTSENT_LOWAT`, bytes; 0: the namespace's.
    pub notsent_lowat: u32,
}

const HAS_STATE: u8 = 1;
const NOSPACE: u8 = 2;

impl Event {
    /// Decodes a record. `None` where it is too short or of a kind that this version does not know; never a panic.
    pub fn decode(raw: &[u8]) -> Option<Self> {
        let kind = (u32_at(raw, 32)? as usize).checked_sub(1)?;
        let comm: [u8; 16] = raw.get(136..LENGTH)?.try_into().ok()?;
        let name = comm.split(|byte| *byte == 0).next().unwrap_or_default();
        let has_state = raw.get(134)? & HAS_STATE != 0;
        Some(Self {
            t_ns: u64_at(raw, 0)?,
            cookie: u64_at(raw, 8)?,
            kind: *Kind::ALL.get(kind)?,
            netns: u32_at(raw, 36)?,
            task: u32_at(raw, 40)?,
            value: u32_at(raw, 44)? as i32,
            local_port: u16_at(raw, 128)?,
            remote_port: u16_at(raw, 130)?,
            comm: String::from_utf8_lossy(name).into_owned(),
            socket: if has_state { Some(Snapshot::decode(raw)?) } else { None },
        })
    }
}

impl Snapshot {
    fn decode(raw: &[u8]) -> Option<Self> {
        Some(Self {
            state: *raw.get(132)?,
            ca_state: *raw.get(133)?,
            nospace: raw.get(134)? & NOSPACE != 0,
            // SOCK_SNDBUF_LOCK and SOCK_RCVBUF_LOCK; other bits are about addresses and ports.
            locks: raw.get(135)? & 3,
            bytes_acked: u64_at(raw, 16)?,
            pacing_rate: u64_at(raw, 24)?,
            snd_una: u32_at(raw, 48)?,
            snd_nxt: u32_at(raw, 52)?,
            write_seq: u32_at(raw, 56)?,
            packets_out: u32_at(raw, 60)?,
            sacked_out: u32_at(raw, 64)?,
            lost_out: u32_at(raw, 68)?,
            retrans_out: u32_at(raw, 72)?,
            snd_cwnd: u32_at(raw, 76)?,
            snd_ssthresh: u32_at(raw, 80)?,
            snd_wnd: u32_at(raw, 84)?,
            mss: u32_at(raw, 88)?,
            srtt_us: u32_at(raw, 92)?,
            min_rtt_us: u32_at(raw, 96)?,
            wmem_queued: u32_at(raw, 100)?,
            sndbuf: u32_at(raw, 104)?,
            rcv_wnd: u32_at(raw, 108)?,
            rmem_alloc: u32_at(raw, 112)?,
            rcvbuf: u32_at(raw, 116)?,
            unread: u32_at(raw, 120)?,
            notsent_lowat: u32_at(raw, 124)?,
        })
    }
}

fn u16_at(raw: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(raw.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(raw: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(raw.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(raw: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(raw.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_are_an_event_or_none(raw in proptest::collection::vec(any::<u8>(), 0..200)) {
            let decoded = Event::decode(&raw);
            prop_assert!(decoded.is_none() || raw.len() >= LENGTH);
        }

        #[test]
        fn a_whole_record_of_a_known_kind_is_an_event_and_survives_the_file(
            mut raw in proptest::collection::vec(any::<u8>(), LENGTH), kind in 1_u32..=15,
        ) {
            raw[32..36].copy_from_slice(&kind.to_ne_bytes());
            let event = Event::decode(&raw).unwrap();
            prop_assert_eq!(event.kind, Kind::ALL[kind as usize - 1]);
            prop_assert_eq!(event.socket.is_some(), raw[134] & 1 != 0);
            let text = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        }
    }

    #[test]
    fn an_unknown_kind_is_none() {
        let mut raw = [0; LENGTH];
        assert_eq!(Event::decode(&raw), None);
        raw[32..36].copy_from_slice(&16_u32.to_ne_bytes());
        assert_eq!(Event::decode(&raw), None);
    }
}
