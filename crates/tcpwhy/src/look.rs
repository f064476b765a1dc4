//! What a page shows of a capture, in two looks at its packets: the answer, then the charts.

use crate::case::{Evidence, Sample};
use crate::error::Error;
use crate::filter::{Choice, Span};
use crate::pipeline::{self, Read};
use crate::progress::Progress;
use tcpwhy_capture::Capture;
use tcpwhy_core::decode::decode_each;
use tcpwhy_core::model::Connection;
use tcpwhy_core::observe::Segment;
use tcpwhy_core::picture::Picture;
use tcpwhy_core::units::Nanos;
use tcpwhy_report::{most_telling, refine_all};

/// Points a series of a chart may have: what a screen can show at any zoom, and a browser can draw at once.
const POINTS: usize = 1 << 20;

/// Connections with charts, those with most to save first; the others are listed with their verdicts.
pub(crate) const CHARTS: usize = 20;

/// Frames between two reports of progress.
const BATCH: u64 = 4096;

/// The first look: the answer, in the order of the connections' numbers, with what the kernel knew of their sockets where that was
/// recorded.
///
/// # Errors
/// The system refuses a thread.
pub(crate) fn analyse(
    capture: Capture,
    span: Span,
    choice: &Choice,
    evidence: Option<&Evidence>,
    progress: Progress,
) -> Result<(Read, Vec<Connection>), Error> {
    let mut connections = Vec::new();
    let read = pipeline::read(capture, span, progress)?.each(|finished| {
        connections.extend(finished.into_iter().filter(|c| choice.takes(c)));
        Ok(())
    })?;
    if let Some(evidence) = evidence {
        connections.iter_mut().for_each(|c| evidence.settle(c));
    }
    refine_all(std::slice::from_mut(&mut connections));
    connections.sort_unstable_by_key(|c| c.id);
    Ok((read, connections))
}

/// The second look: charts of `count` connections, by their index. What is damaged ends it where it ended the first one, which has
/// said so.
pub(crate) fn draw(
    mut capture: Capture,
    span: Span,
    connections: &[Connection],
    count: usize,
    progress: &Progress,
) -> Vec<(usize, Picture)> {
    let chosen = most_telling(connections, count);
    // The first look has read it; what cannot be read any more shows nothing.
    let period = span.period(&mut capture).unwrap_or_default();
    let picture = |of: &Connection| Picture::of_stretch(of, period.from, period.to, POINTS);
    let mut pictures: Vec<_> = chosen.into_iter().map(|i| (i, picture(&connections[i]))).collect();
    paint(capture, &mut pictures, progress);
    pictures
}

/// Adds what was sampled of their sockets.
pub(crate) fn sampled(samples: impl Iterator<Item = Sample>, pictures: &mut [(usize, Picture)]) {
    for sample in samples.filter_map(|sample| sample.drawn()) {
        pictures.iter_mut().for_each(|(_, picture)| picture.sampled(&sample));
    }
}

/// One connection from `since` to `until`, with as many points for that as the whole would have, and what was sampled of its sockets.
pub(crate) fn draw_stretch(
    capture: Capture,
    connection: &Connection,
    since: Nanos,
    until: Nanos,
    samples: impl Iterator<Item = Sample>,
) -> Picture {
    let mut picture = [(0, Picture::of_stretch(connection, since, until, POINTS))];
    paint(capture, &mut picture, &Progress::Hidden);
    sampled(samples, &mut picture);
    let [(_, picture)] = picture;
    picture
}

fn paint(mut capture: Capture, pictures: &mut [(usize, Picture)], progress: &Progress) {
    let mut segment = Segment::default();
    let mut read = 0_u64;
    loop {
        read += 1;
        if read.is_multiple_of(BATCH) {
            progress.set(capture.progress().0);
        }
        let Ok(Some(frame)) = capture.next_frame() else { break };
        decode_each(&frame, &mut segment, |segment| {
            let picture = pictures.iter_mut().find(|(_, p)| p.takes(segment));
            picture.into_iter().for_each(|(_, picture)| picture.push(segment));
        });
    }
    pictures.iter_mut().for_each(|(_, picture)| picture.finish());
}
