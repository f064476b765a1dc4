//! Numbers the connections on the link, so that one of them can be singled out.

use std::collections::HashMap;

use super::super::tcp::Tcp;

/// Each connection's number, from 1, by the key of its client's packets.
#[derive(Debug, Default)]
pub(super) struct Flows {
    numbers: HashMap<Vec<u8>, u32>,
}

impl Flows {
    /// A packet comes in: the client's first SYN makes a connection.
    pub(super) fn note(&mut self, tcp: &Tcp<'_>, from_client: bool) {
        if tcp.is_syn() && from_client {
            let next = u32::try_from(self.numbers.len() + 1).unwrap_or(u32::MAX);
            self.numbers.entry(tcp.key()).or_insert(next);
        }
    }

    /// The number of the connection that this packet of either end belongs to, if its SYN was seen.
    pub(super) fn number(&self, tcp: &Tcp<'_>, from_client: bool) -> Option<u32> {
        let key = if from_client { tcp.key() } else { tcp.reverse_key() };
        self.numbers.get(&key).copied()
    }
}
