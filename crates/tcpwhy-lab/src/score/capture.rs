//! A capture file -> what the analysis says of each of its variants, without writing any of them.

use super::error::Error;
use super::variant::{Filter, Judged, Variant};
use std::path::Path;
use tcpwhy_capture::Input;
use tcpwhy_core::analysis::Analyzer;
use tcpwhy_core::decode::{Decoded, Frame, decode};
use tcpwhy_core::model::Connection;
use tcpwhy_core::observe::Segment;
use tcpwhy_core::units::Nanos;

/// What a capture, or a variant of it, shows.
#[derive(Debug, Clone)]
pub struct Look {
    /// Which variant.
    pub variant: Variant,
    /// `None`: nothing of the connection.
    pub connection: Option<Connection>,
    /// When the judged sender was heard of last.
    pub until: Nanos,
}

/// One variant under analysis.
struct Looking {
    variant: Variant,
    judged: Judged,
    filter: Filter,
    analyzer: Analyzer,
    until: Nanos,
}

/// Reads a capture once and analyses all variants of it.
///
/// # Errors
/// When the file cannot be read as a capture.
pub fn analyse_file(
    path: &Path,
    judged: Judged,
    variants: &[Variant],
    seed: u64,
) -> Result<Vec<Look>, Error> {
    let capture = tcpwhy_capture::open(&[Input::Path(path.to_owned())]);
    let mut capture = capture.map_err(|source| Error::Capture { path: path.to_owned(), source })?;
    let mut looking = start(judged, variants, seed);
    let mut segment = Segment::default();
    while let Some(frame) = capture.next_frame() {
        for look in &mut looking {
            let frame = Frame { data: look.variant.cut(frame.data), ..frame };
            if matches!(decode(&frame, &mut segment), Decoded::Segment) {
                look.push(&segment);
            }
        }
    }
    Ok(looking.into_iter().map(Looking::finish).collect())
}

/// As [`analyse_file`], of segments at hand. A snapshot length changes nothing there.
pub fn analyse_segments(
    segments: &[Segment],
    judged: Judged,
    variants: &[Variant],
    seed: u64,
) -> Vec<Look> {
    let mut looking = start(judged, variants, seed);
    for segment in segments {
        looking.iter_mut().for_each(|look| look.push(segment));
    }
    looking.into_iter().map(Looking::finish).collect()
}

fn start(judged: Judged, variants: &[Variant], seed: u64) -> Vec<Looking> {
    let look = |&variant| Looking {
        variant,
        judged,
        filter: Filter::new(variant, judged, seed),
        analyzer: Analyzer::new(),
        until: Nanos::ZERO,
    };
    variants.iter().map(look).collect()
}

impl Looking {
    fn push(&mut self, segment: &Segment) {
        if self.filter.keeps(segment) {
            self.analyzer.push(segment);
            if self.judged.sent(segment) {
                self.until = self.until.max(segment.time);
            }
        }
    }

    /// The connection with most data: attempts that failed before it are others.
    fn finish(self) -> Look {
        let bytes = |c: &Connection| c.directions.iter().map(|d| d.bytes).sum::<u64>();
        let connection = self.analyzer.finish().into_iter().max_by_key(bytes);
        Look { variant: self.variant, connection, until: self.until }
    }
}

/// The segments of the judged connection.
///
/// # Errors
/// When the file cannot be read as a capture.
pub fn segments_of(path: &Path, judged: Judged) -> Result<Vec<Segment>, Error> {
    let failed = |source| Error::Capture { path: path.to_owned(), source };
    let mut capture = tcpwhy_capture::open(&[Input::Path(path.to_owned())]).map_err(failed)?;
    let mut segments = Vec::new();
    let mut segment = Segment::default();
    while let Some(frame) = capture.next_frame() {
        if matches!(decode(&frame, &mut segment), Decoded::Segment) && judged.has(&segment) {
            segments.push(segment);
        }
    }
    Ok(segments)
}
