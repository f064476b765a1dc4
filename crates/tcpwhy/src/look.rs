//! What a page shows of a capture, in two looks at its packets: the answer, then the charts.

use crate::case::{Evidence, Sample};
use crate::error::Error;
use crate::filter::{Choice, Span};
use crate::pipeline::{self, Read};
use crate::progress::Progress;
use tcpwhy_capture::Capture;
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::count;
use tcpwhy_core::analysis::Sharing;
use tcpwhy_core::decode::decode_each;
use tcpwhy_core::model::Connection;
use tcpwhy_core::observe::Segment;
use tcpwhy_core::picture::Picture;
use tcpwhy_core::units::Nanos;
use tcpwhy_report::{Warning, keep_most_telling, most_telling, refine_all};

/// Points a series of a chart may have: what a screen can show at any zoom, and a browser can draw at once.
const POINTS: usize = 1 << 20;

/// Connections with charts, those with most to save first; the others are listed with their verdicts.
pub(crate) const CHARTS: usize = 20;

/// Connections that a page lists: more than anybody goes through, in some megabytes. A scan or a flood has millions.
const LISTED: usize = 20_000;

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
    let (mut connections, mut all, mut sharing) = (Vec::new(), 0, Sharing::new());
    let mut read = pipeline::read(capture, span, progress)?.each(|finished| {
        finished.iter().for_each(|connection| sharing.add(connection));
        let before = connections.len();
        connections.extend(finished.into_iter().filter(|c| choice.takes(c)));
        all += connections.len() - before;
        if connections.len() >= 2 * LISTED {
            keep_most_telling(&mut connections, LISTED);
        }
        Ok(())
    })?;
    keep_most_telling(&mut connections, LISTED);
    read.source.warnings.extend((all > LISTED).then(|| unlisted(all)));
    if let Some(evidence) = evidence {
        read.damaged |= evidence.note(&mut read.source.warnings);
        connections.iter_mut().for_each(|c| evidence.settle(c));
    }
    refine_all(std::slice::from_mut(&mut connections), &sharing.add_up());
    connections.sort_unstable_by_key(|c| c.id);
    Ok((read, connections))
}

/// Of `all` connections not all are listed.
fn unlisted(all: usize) -> Warning {
    let (all, listed) = (count(all as u64), count(LISTED as u64));
    Warning::new(|language| match language {
        Language::En => format!(
            "of {all} connections the {listed} with most to save are listed; --conn, --host, --port, --since and --until choose others"
        ),
        Language::Zh => format!(
            "共 {all} 个连接，只列出可节省时间最多的 {listed} 个；其他连接可用 --conn、--host、--port、--since 和 --until 选择"
        ),
    })
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
    let period = span.period(&mut capture);
    let last = period.to - Nanos(1);
    let picture = |of: &Connection| Picture::of_stretch(of, period.from, last, POINTS);
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
        let Some(frame) = capture.next_frame() else { break };
        decode_each(&frame, &mut segment, |segment| {
            let picture = pictures.iter_mut().find(|(_, p)| p.takes(segment));
            picture.into_iter().for_each(|(_, picture)| picture.push(segment));
        });
    }
    pictures.iter_mut().for_each(|(_, picture)| picture.finish());
}
