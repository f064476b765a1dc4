//! The functions of the kernel: `/proc/kallsyms`.

use std::fs::File;
#[cfg(feature = "bpf")]
use std::io;
use std::io::{BufRead, BufReader};

/// First address of each function and of what follows it; (0, 0) where it is not there, or addresses are hidden (`kptr_restrict`).
#[cfg(feature = "bpf")]
pub(crate) fn ranges<const N: usize>(names: [&str; N]) -> [(u64, u64); N] {
    File::open("/proc/kallsyms")
        .and_then(|file| read(BufReader::with_capacity(1 << 16, file), names))
        .unwrap_or([(0, 0); N])
}

#[cfg(feature = "bpf")]
fn read<const N: usize>(mut text: impl BufRead, names: [&str; N]) -> io::Result<[(u64, u64); N]> {
    let mut found = [(0, 0); N];
    let mut line = String::new();
    while text.read_line(&mut line)? > 0 {
        let mut words = line.split_ascii_whitespace();
        let address = words.next().and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or(0);
        let name = words.nth(1).unwrap_or_default();
        for ((from, to), wanted) in found.iter_mut().zip(names) {
            if name == wanted && *from == 0 {
                *from = address;
            } else if *from > 0 && *to == 0 && address > *from {
                *to = address;
            }
        }
        if found.iter().all(|(_, to)| *to > 0) {
            break;
        }
        line.clear();
    }
    Ok(found.map(|(from, to)| if to > 0 { (from, to) } else { (0, 0) }))
}

/// Functions in order of their addresses.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<(u64, Box<str>)>);

impl Table {
    /// Empty where addresses are hidden (`kptr_restrict`, without CAP_SYSLOG).
    pub(crate) fn read() -> Self {
        let file = File::open("/proc/kallsyms");
        file.map_or_else(|_| Self::default(), |f| Self::parse(BufReader::with_capacity(1 << 16, f)))
    }

    fn parse(text: impl BufRead) -> Self {
        let mut all: Vec<(u64, Box<str>)> = text
            .lines()
            .map_while(Result::ok)
            .filter_map(|line| {
                let mut words = line.split_ascii_whitespace();
                let address = u64::from_str_radix(words.next()?, 16).ok().filter(|a| *a > 0)?;
                words.next().filter(|kind| matches!(*kind, "t" | "T" | "w" | "W"))?;
                Some((address, words.next()?.into()))
            })
            .collect();
        all.sort_by_key(|(address, _)| *address);
        Self(all)
    }

    /// The function at an address.
    pub(crate) fn name(&self, address: u64) -> Option<&str> {
        let next = self.0.partition_point(|(begins, _)| *begins <= address);
        self.0.get(next.checked_sub(1)?).map(|(_, name)| &**name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_ends_where_the_next_one_begins() {
        let text = "10 T a\n20 t f\n20 t alias\n35 T g\n40 T h\n";
        #[cfg(feature = "bpf")]
        assert_eq!(read(text.as_bytes(), ["f", "g"]).unwrap(), [(0x20, 0x35), (0x35, 0x40)]);
        let table = Table::parse(text.as_bytes());
        assert_eq!([0x0f, 0x34, 0x35].map(|a| table.name(a)), [None, Some("alias"), Some("g")]);
        #[cfg(feature = "bpf")]
        assert_eq!(read("0 T f\n0 T g\n".as_bytes(), ["f", "none"]).unwrap(), [(0, 0), (0, 0)]);
    }
}
