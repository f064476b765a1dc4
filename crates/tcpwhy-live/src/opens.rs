//! How many connections a network namespace ever opened.

use crate::table::Table;

/// Tells it, from whichever thread.
#[derive(Debug)]
pub struct Opens(Table);

impl Opens {
    /// Of the calling thread's namespace.
    pub(crate) fn open() -> Self {
        Self(Table::open("snmp"))
    }

    /// Connections that began, in and out, since the namespace did (RFC 4022: `tcpActiveOpens` and `tcpPassiveOpens`), attempts that
    /// were refused included. `None` where `/proc` does not tell.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        self.0.values("Tcp", ["ActiveOpens", "PassiveOpens"]).map(|counts| counts.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn a_connection_counts_at_both_of_its_ends() {
        let opens = Opens::open();
        let Some(before) = opens.count() else { return println!("skipped: no /proc/net/snmp") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(opens.count().unwrap() >= before + 2);
    }
}
