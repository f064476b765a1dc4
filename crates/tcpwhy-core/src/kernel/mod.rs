//! The kernel's rules for buffers and windows, and its own numbers of a socket, as pure functions.
//!
//! The kernel's version is an argument where a rule changed, the sysctls always are: they are read from the host, never inferred
//! from the version. Every rule names its source: file and function of the Linux tree, and the commit that brought what is computed, by
//! the first twelve digits of its hash. Commit 1da177e4c3f4 ("Linux-2.6.12-rc2") is where the history begins: what it is said of is at least as
//! old. Where the hash could not be looked up, the commit's subject stands for it.

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

/// The least retransmission timeout (`include/net/tcp.h`, `TCP_RTO_MIN`; commit 1da177e4c3f4); others wait longer (RFC 6298 section 2.4).
pub const RTO_MIN: Nanos = Nanos::from_millis(200);
/// The largest one (`TCP_RTO_MAX`); others wait 60 s and more (RFC 6298 section 2.5).
pub const RTO_MAX: Nanos = Nanos::from_secs(120);

/// A kernel's version: what its rules depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// The 6 of 6.18.
    pub major: u16,
    /// The 18 of 6.18.
    pub minor: u16,
    /// The 39 of 2.6.39; 0 in every later series, of which each release is a new minor number.
    patch: u16,
}

impl Version {
    /// The oldest kernels that anybody may still ask about.
    pub const OLDEST: Self = Self::new(2, 6);
    /// Larger major numbers are nonsense: they grow by one in some four years.
    pub const LARGEST_MAJOR: u16 = 19;

    /// `major.minor`.
    #[must_use]
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor, patch: 0 }
    }

    /// 2.6 was one series for eight years: `2.6.patch`.
    #[must_use]
    pub const fn of_2_6(patch: u16) -> Self {
        Self { patch, ..Self::OLDEST }
    }

    /// From `uname -r`: `6.18.44-generic`, `5.4`; `None` when it does not start with the numbers of a Linux that is known.
    #[must_use]
    pub fn parse(release: &str) -> Option<Self> {
        let (major, rest) = release.trim().split_once('.')?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (minor, rest) = rest.split_at(end);
        let version = Self::new(number(major)?, number(minor)?);
        let ends = rest.is_empty() || rest.starts_with(['.', '-', '+', '_', '~']);
        let known = version >= Self::OLDEST && version.major <= Self::LARGEST_MAJOR;
        (ends && known).then_some(match version {
            Self::OLDEST => Self::of_2_6(patch(rest)),
            later => later,
        })
    }
}

/// The 32 of `.32-754.el6`.
fn patch(rest: &str) -> u16 {
    let digits = rest.trim_start_matches('.').split(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(number).unwrap_or(0)
}

fn number(text: &str) -> Option<u16> {
    text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
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
        for text in
            ["0.0", "2.4.37", "99.99", "6,18", "6 18", "+6.18", "6.18foo", "6.+1", "65536.1", "."]
        {
            assert_eq!(Version::parse(text), None, "{text}");
        }
        for text in ["6.18-rc3", "2.6.32-754.el6.x86_64", "6.1.0+", "7.0"] {
            assert!(Version::parse(text).is_some(), "{text}");
        }
        assert!(Version::new(6, 5) < Version::new(6, 18));
        assert_eq!(Version::parse("2.6.32-754.el6.x86_64"), Some(Version::of_2_6(32)));
        assert_eq!(Version::parse("2.6"), Some(Version::OLDEST));
        assert!(
            Version::of_2_6(38) < Version::of_2_6(39) && Version::of_2_6(39) < Version::new(3, 0)
        );
    }
}
