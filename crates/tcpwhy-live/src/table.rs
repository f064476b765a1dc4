//! Counters of a network namespace under `/proc`: two lines of a protocol, names and values in the same order.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// More than such a file has.
const MOST: usize = 1 << 15;

/// A file of counters, open: it can be read from any thread.
#[derive(Debug)]
pub(crate) struct Table(Option<File>);

impl Table {
    /// Of the calling thread's namespace: `snmp`, `netstat`.
    pub(crate) fn open(name: &str) -> Self {
        Self(File::open(format!("/proc/thread-self/net/{name}")).ok())
    }

    /// The values of these names now; `None` where `/proc` does not tell all of them.
    pub(crate) fn values<const N: usize>(
        &self,
        protocol: &str,
        names: [&str; N],
    ) -> Option<[u64; N]> {
        let mut raw = vec![0; MOST];
        // Read from its beginning, the kernel writes it anew.
        let length = self.0.as_ref()?.read_at(&mut raw, 0).ok()?;
        parse(std::str::from_utf8(raw.get(..length)?).ok()?, protocol, names)
    }
}

fn parse<const N: usize>(text: &str, protocol: &str, names: [&str; N]) -> Option<[u64; N]> {
    let of = |line: &'_ str| line.strip_prefix(protocol)?.strip_prefix(": ").map(str::to_owned);
    let mut lines = text.lines().filter_map(of);
    let (there, values) = (lines.next()?, lines.next()?);
    let mut found = [0; N];
    for (place, name) in found.iter_mut().zip(names) {
        let at = there.split(' ').position(|there| there == name)?;
        *place = values.split(' ').nth(at)?.parse().ok()?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_names_and_a_kernel_without_them_tells_nothing() {
        let text =
            "Ip: Forwarding\nIp: 1\nTcpExt: No\nTcpExt: 9\nTcp: RtoMin A B C\nTcp: 200 7 5 -3\n";
        assert_eq!(parse(text, "Tcp", ["B", "A"]), Some([5, 7]));
        assert_eq!(parse(text, "Tcp", ["C"]), None, "no counter");
        assert_eq!(parse(text, "Tcp", ["D"]), None);
        assert_eq!(parse("Tcp: RtoMin\nTcp:\n", "Tcp", ["RtoMin"]), None);
        assert_eq!(parse("", "Tcp", ["A"]), None);
    }
}
