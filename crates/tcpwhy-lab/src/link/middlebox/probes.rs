//! Knows a zero-window probe by its sequence number: Linux sends no byte at `snd_una - 1` (`tcp_xmit_probe_skb`), which the
//! receiver answers with an ACK. A keepalive is the same packet.

use std::collections::HashMap;

use super::super::tcp::Tcp;

/// What each sender was acknowledged last, by its key.
#[derive(Debug, Default)]
pub(super) struct Acks {
    una: HashMap<Vec<u8>, u32>,
}

impl Acks {
    /// A packet passed: it acknowledges what the other side sent.
    pub(super) fn note(&mut self, tcp: &Tcp<'_>) {
        if let Some(ack) = tcp.ack() {
            self.una.insert(tcp.reverse_key(), ack);
        }
    }

    /// No byte at one before what was acknowledged.
    pub(super) fn is_probe(&self, tcp: &Tcp<'_>) -> bool {
        let una = self.una.get(&tcp.key());
        tcp.is_bare() && una.is_some_and(|una| tcp.seq() == una.wrapping_sub(1))
    }
}
