//! The runs of the score: every limit at several severities, over several paths and congestion controls.
//!
//! A part is held out: no rule of the analysis may be tuned on it. It is 40 ms under any congestion control, and reno
//! over any path; it is run only when asked for, last.

mod kind;
mod lift;
mod made;
mod path;

pub use kind::Kind;
pub(super) use lift::cut;
pub use lift::lift;
pub use path::{Control, Rtt};

use super::variant::Judged;
use crate::spec::{Offload, Scenario};
use tcpwhy_core::model::Side;

/// Port of the judged connection in every run.
pub(crate) const PORT: u16 = 5001;

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What limits it.
    pub kind: Kind,
    /// How hard, as a share of the bandwidth-delay product where the limit is a window or a buffer; 1 where it has no
    /// degree.
    pub severity: f64,
    /// Of both hosts.
    pub control: Control,
    /// Of the path.
    pub rtt: Rtt,
    /// Whether hosts hand over packets of up to 64 KiB.
    pub offload: bool,
    /// RFC 7323 timestamps.
    pub timestamps: bool,
    /// Of everything random; odd ones upload.
    pub seed: u64,
}

impl Cell {
    /// Its name, unique in the matrix, fit for a file.
    pub fn id(&self) -> String {
        let offload = if self.offload { "-offload" } else { "" };
        let timestamps = if self.timestamps { "" } else { "-nots" };
        format!(
            "{}-{}-{}-{}ms{offload}{timestamps}-{}",
            self.kind.name(),
            self.severity,
            self.control.name(),
            self.rtt.millis(),
            self.seed
        )
    }

    /// Whether it must not be looked at while tuning.
    pub fn held_out(&self) -> bool {
        self.rtt == Rtt::Ms40 || self.control == Control::Reno
    }

    /// Whether it is run again with the verdict's limit lifted: of every limit, severity, congestion control and path one run, the plain
    /// download, however often the matrix is repeated.
    pub fn is_lifted(&self) -> bool {
        self.timestamps && !self.offload && self.seed == 0
    }

    /// Whose data is judged.
    pub fn judged(&self) -> Judged {
        let from = if self.seed % 2 == 1 { Side::Client } else { Side::Server };
        Judged { port: PORT, from }
    }

    /// What is run.
    pub fn scenario(&self) -> Scenario {
        let mut scenario = kind::scenario(self);
        scenario.link.offload = if self.offload { Offload::Segment } else { Offload::None };
        if !self.timestamps {
            for host in [&mut scenario.client, &mut scenario.server] {
                host.sysctls.insert("net.ipv4.tcp_timestamps".to_owned(), "0".to_owned());
            }
        }
        scenario
    }
}

/// All runs, `repeats` times with other seeds; the held-out ones among them.
pub fn full(repeats: u64) -> Vec<Cell> {
    let mut cells = Vec::new();
    for kind in Kind::ALL {
        for &severity in kind.severities() {
            for control in Control::ALL {
                for rtt in Rtt::ALL.into_iter().filter(|r| kind.fits(*r)) {
                    for repeat in 0..repeats {
                        cells.extend(on_one_path(kind, severity, control, rtt, 10 * repeat));
                    }
                }
            }
        }
    }
    cells
}

/// A download; an upload with the hosts' offloads as most machines have them; and, at one severity, a download without
/// timestamps.
fn on_one_path(kind: Kind, severity: f64, control: Control, rtt: Rtt, seed: u64) -> Vec<Cell> {
    let plain = Cell { kind, severity, control, rtt, offload: false, timestamps: true, seed };
    let offload = Cell { offload: true, seed: seed + 1, ..plain.clone() };
    let bare = Cell { timestamps: false, seed: seed + 2, ..plain.clone() };
    let mut cells = vec![plain, offload];
    cells.extend((severity == kind.typical()).then_some(bare));
    cells
}

/// A few of them that take minutes: each limit once or twice, none held out.
pub fn quick() -> Vec<Cell> {
    let cell = |kind: Kind, control, rtt, seed| Cell {
        kind,
        severity: kind.typical(),
        control,
        rtt,
        offload: seed % 2 == 1,
        timestamps: true,
        seed,
    };
    use Control::{Bbr, Cubic};
    use Rtt::{Ms10, Ms150};
    vec![
        cell(Kind::SendBuffer, Cubic, Ms10, 0),
        cell(Kind::SendBuffer, Bbr, Ms150, 1),
        cell(Kind::ReceiveWindow, Cubic, Ms150, 0),
        cell(Kind::ReceiveWindow, Bbr, Ms10, 1),
        cell(Kind::SlowReader, Cubic, Ms10, 0),
        cell(Kind::ReaderStops, Bbr, Ms10, 0),
        cell(Kind::Writes, Cubic, Ms10, 0),
        cell(Kind::Writes, Bbr, Ms10, 1),
        cell(Kind::Exchange, Cubic, Ms10, 0),
        cell(Kind::SlowStart, Cubic, Ms150, 0),
        cell(Kind::AfterLoss, Cubic, Ms150, 0),
        cell(Kind::Bottleneck, Cubic, Ms10, 0),
        cell(Kind::Bottleneck, Bbr, Ms10, 1),
        cell(Kind::Policer, Cubic, Ms10, 0),
        cell(Kind::RandomLoss, Cubic, Ms10, 0),
        cell(Kind::Nagle, Cubic, Ms10, 0),
        cell(Kind::Vanishes, Cubic, Ms10, 0),
        cell(Kind::MixedReader, Cubic, Ms10, 0),
        cell(Kind::MixedPauses, Cubic, Ms10, 0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_a_good_part_is_held_out() {
        let cells = full(2);
        let names: BTreeSet<String> = cells.iter().map(Cell::id).collect();
        assert_eq!(names.len(), cells.len());
        let held = cells.iter().filter(|c| c.held_out()).count();
        assert!((cells.len() / 3..=cells.len() * 2 / 3).contains(&held), "{held}");
        println!("{} cells, {held} held out", cells.len());
        for kind in Kind::ALL {
            let seen = cells.iter().any(|c| c.kind == kind && !c.held_out());
            assert!(seen, "{} is only in the part that is held out", kind.name());
        }
    }

    #[test]
    fn one_run_of_each_path_and_limit_is_lifted() {
        let lifted: Vec<Cell> = full(3).into_iter().filter(Cell::is_lifted).collect();
        let key = |c: &Cell| (c.kind, c.severity.to_bits(), c.control.name(), c.rtt);
        let kinds: BTreeSet<_> = lifted.iter().map(key).collect();
        assert_eq!(
            (kinds.len(), lifted.len()),
            (full(1).iter().map(key).collect::<BTreeSet<_>>().len(), kinds.len())
        );
        assert!(quick().iter().filter(|c| c.is_lifted()).count() > 10);
    }

    #[test]
    fn the_quick_ones_are_seen_ones() {
        for cell in quick() {
            assert!(!cell.held_out(), "{}", cell.id());
            assert!(cell.kind.fits(cell.rtt), "{}", cell.id());
        }
    }
}
