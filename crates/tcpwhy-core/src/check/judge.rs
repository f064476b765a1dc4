//! All findings of a host, over its paths.

use super::finding::{Finding, Leave, What};
use super::general;
use super::host::Host;
use super::path::Path;
use super::sockets;
use super::trial::Trial;
use crate::whatif::transfer::Prediction;

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The host.
    pub host: Host,
    /// The paths that were judged.
    pub paths: Vec<Judged>,
    /// What was found: what limits first, and of it the largest gain first.
    pub findings: Vec<Finding>,
    /// What is right and should stay.
    pub leave: Vec<Leave>,
}

/// A path, and what the model says of a transfer over it as the host is.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The path.
    pub path: Path,
    /// The host sends.
    pub sending: Prediction,
    /// The host receives.
    pub receiving: Prediction,
    /// Bytes that each of them moves.
    pub size: u64,
}

/// Judges a host over some paths; without any, only what harms over every path is found. The other end is taken to be without
/// limits of its own.
#[must_use]
pub fn judge(host: Host, paths: Vec<Path>) -> Report {
    let mut findings = general::findings(&host);
    let mut judged = Vec::new();
    for path in paths {
        let trial = Trial::new(&host, path);
        for mut found in trial.findings(judged.len()) {
            found.path = Some(judged.len());
            add(&mut findings, found);
        }
        judged.push(Judged {
            size: trial.sending.now.size,
            sending: trial.sending.held,
            receiving: trial.receiving.held,
            path: trial.path,
        });
    }
    for found in sockets::findings(&host, judged.iter().map(|judged| &judged.path)) {
        findings.push(found);
    }
    findings.sort_by(|a, b| {
        let gain = |f: &Finding| f.gain.map_or(1.0, |g| g.factor());
        // Where memory is short, nothing else helps before that is mended.
        let first = |f: &Finding| f.what != What::MemoryLimit;
        a.weight.cmp(&b.weight).then(first(a).cmp(&first(b))).then(gain(b).total_cmp(&gain(a)))
    });
    let leave = general::leave(&host, &findings);
    Report { host, paths: judged, findings, leave }
}

/// Paths come by their size: the first finding of a setting asks for the largest buffer. A path adds its gain to what harms anyway.
fn add(findings: &mut Vec<Finding>, found: Finding) {
    match findings.iter_mut().find(|f| f.what == found.what && f.setting == found.setting) {
        Some(known) if known.gain.is_none() => {
            known.gain = found.gain;
            known.path = found.path;
            known.weight = known.weight.min(found.weight);
        }
        Some(_) => {}
        None => findings.push(found),
    }
}
