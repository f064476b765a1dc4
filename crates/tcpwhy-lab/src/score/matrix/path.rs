//! The paths of the matrix.

use crate::spec::{CongestionControl, HostSpec, LinkSpec};
use tcpwhy_core::link::{Queue, QueueLimit, Rate, WaySpec};
use tcpwhy_core::units::Nanos;

/// Round-trip times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rtt {
    /// A data centre.
    Ms1,
    /// A city.
    Ms10,
    /// A continent.
    Ms40,
    /// An ocean.
    Ms150,
}

impl Rtt {
    /// All.
    pub const ALL: [Self; 4] = [Self::Ms1, Self::Ms10, Self::Ms40, Self::Ms150];

    /// In milliseconds.
    pub fn millis(self) -> i64 {
        match self {
            Self::Ms1 => 1,
            Self::Ms10 => 10,
            Self::Ms40 => 40,
            Self::Ms150 => 150,
        }
    }

    /// As a time.
    pub fn time(self) -> Nanos {
        Nanos::from_millis(self.millis())
    }

    /// Rate of the narrowest link in bit/s: the bandwidth-delay product is 25 to 260 segments, so that a tenth of it is
    /// still some segments, and a run of seconds is no load for the machine.
    pub fn rate_bps(self) -> u64 {
        match self {
            Self::Ms1 => 300_000_000,
            Self::Ms10 => 100_000_000,
            Self::Ms40 => 50_000_000,
            Self::Ms150 => 20_000_000,
        }
    }

    /// Bandwidth-delay product in bytes.
    pub fn bdp(self) -> u64 {
        self.rate_bps() / 8 * self.time().0.unsigned_abs() / 1_000_000_000
    }

    /// What a run at full rate moves in about 40 round trips, at least two seconds and at most six.
    pub fn seconds(self) -> f64 {
        (self.millis() as f64 * 0.04).clamp(2.0, 6.0)
    }
}

/// Congestion controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Control {
    /// RFC 9438.
    Cubic,
    /// RFC 5681.
    Reno,
    /// Paced by a model of the path.
    Bbr,
}

impl Control {
    /// All.
    pub const ALL: [Self; 3] = [Self::Cubic, Self::Reno, Self::Bbr];

    /// The kernel's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cubic => "cubic",
            Self::Reno => "reno",
            Self::Bbr => "bbr",
        }
    }

    /// A host that uses it.
    pub(super) fn host(self) -> HostSpec {
        let congestion = Some(CongestionControl(self.name().to_owned()));
        HostSpec { congestion, ..HostSpec::default() }
    }
}

/// A link of `rate_bps` and `rtt` with a queue of `queue` bytes each way.
pub(super) fn link(rtt: Rtt, rate_bps: u64, queue: u64, seed: u64) -> LinkSpec {
    let way = WaySpec {
        rate: Rate::Constant(rate_bps),
        delay: rtt.time().scale(1, 2),
        queue: Queue::DropTail(QueueLimit::Bytes(queue)),
        seed: seed + 1,
        ..WaySpec::default()
    };
    LinkSpec { up: way.clone(), down: way, tap: 0.5, ..LinkSpec::default() }
}
