//! How many connections a network namespace ever opened.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// More than the file has.
const MOST: usize = 1 << 14;

/// Tells it, from whichever thread.
#[derive(Debug)]
pub struct Opens(Option<File>);

impl Opens {
    /// Of the calling thread's namespace.
    pub(crate) fn open() -> Self {
        Self(File::open("/proc/thread-self/net/snmp").ok())
    }

    /// Connections that began, in and out, since the namespace did (RFC 4022: `tcpActiveOpens` and `tcpPassiveOpens`), attempts that
    /// were refused included. `None` where `/proc` does not tell.
    #[must_use]
    pub fn count(&self) -> Option<u64> {
        let mut raw = vec![0; MOST];
        // Read from its beginning, the kernel writes it anew.
        let length = self.0.as_ref()?.read_at(&mut raw, 0).ok()?;
        parse(std::str::from_utf8(raw.get(..length)?).ok()?)
    }
}

/// Two lines of a protocol: names, and values in the same order.
fn parse(text: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Tcp: "));
    let (names, values) = (lines.next()?.split(' '), lines.next()?.split(' '));
    let wanted = |name: &str| matches!(name, "ActiveOpens" | "PassiveOpens");
    let found = names.zip(values).filter(|(name, _)| wanted(name));
    let numbers: Vec<u64> = found.filter_map(|(_, value)| value.parse().ok()).collect();
    (numbers.len() == 2).then(|| numbers.iter().sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn both_ways_count_and_a_kernel_without_them_tells_nothing() {
        let text = "Ip: Forwarding\nIp: 1\nTcp: RtoMin ActiveOpens PassiveOpens AttemptFails\nTcp: 200 7 5 3\n";
        assert_eq!(parse(text), Some(12));
        assert_eq!(parse("Tcp: RtoMin\nTcp: 200\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_connection_counts_at_both_of_its_ends() {
        let opens = Opens::open();
        let Some(before) = opens.count() else { return println!("skipped: no /proc/net/snmp") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let _one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(opens.count().unwrap() >= before + 2);
    }
}
