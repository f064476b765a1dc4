//! How many connections a network namespace ever opened.

use std::fs;

/// Connections that began, in and out, since the namespace did (RFC 4022: `tcpActiveOpens` and `tcpPassiveOpens`), attempts that were
/// refused included. `None` where `/proc` does not tell.
#[must_use]
pub fn connections_opened() -> Option<u64> {
    parse(&fs::read_to_string("/proc/self/net/snmp").ok()?)
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

    #[test]
    fn both_ways_count_and_a_kernel_without_them_tells_nothing() {
        let text = "Ip: Forwarding\nIp: 1\nTcp: RtoMin ActiveOpens PassiveOpens AttemptFails\nTcp: 200 7 5 3\n";
        assert_eq!(parse(text), Some(12));
        assert_eq!(parse("Tcp: RtoMin\nTcp: 200\n"), None);
        assert_eq!(parse(""), None);
    }
}
