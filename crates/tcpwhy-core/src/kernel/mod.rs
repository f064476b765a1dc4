//! The kernel's rules for buffers and windows, and its own numbers of a socket, as pure functions.
//!
//! The kernel's version is an argument where a rule changed, the sysctls always are: they are read from the host, never inferred
//! from the version. Every rule names its source: file and function of the Linux tree.

pub mod autotune;
pub mod buffers;
pub mod fill;
pub mod memory;
pub mod send;
pub mod start;
pub mod sysctls;
pub mod tcp_info;
pub mod window;

pub use sysctls::{BadSysctl, Sysctls};

use crate::units::Nanos;

/// The least retransmission timeout (`include/net/tcp.h`, `TCP_RTO_MIN`); others wait longer (RFC 6298 section 2.4).
pub const RTO_MIN: Nanos = Nanos::from_millis(200);

/// A kernel's version: what its rules depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The 6 of 6.18.
    pub major: u16,
    /// The 18 of 6.18.
    pub minor: u16,
}

impl Version {
    /// `major.minor`.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// From `uname -r`: `6.18.44-generic`, `5.4`; `None` when it does not start with two numbers.
    #[must_use]
    pub fn parse(release: &str) -> Option<Self> {
        let mut parts = release.trim().split(|c: char| !c.is_ascii_digit());
        let major = parts.next()?.parse().ok()?;
        let minor = parts.next()?.parse().ok()?;
        Some(Self { major, minor })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_uname_writes_them() {
        assert_eq!(Version::parse("6.18.44-generic"), Some(Version::new(6, 18)));
        assert_eq!(Version::parse("5.4\n"), Some(Version::new(5, 4)));
        assert_eq!(Version::parse("six"), None);
        assert_eq!(Version::parse("6"), None);
        assert!(Version::new(6, 5) < Version::new(6, 18));
    }
}
