//! One chart of one direction as SVG or PNG, for papers, tickets and CI: what the page shows, on its light ground.
//!
//! ```text
//! Connection + Picture -> Plan (layers, range, unit) -> SVG (plotters) -> PNG (resvg)
//! ```

mod canvas;
mod ceilings;
mod colour;
mod ladder;
mod marks;
mod pixels;
mod plan;
mod png;
mod rate;
mod unit;
mod warehouses;
mod words;

pub use png::png;

use tcpwhy_core::advice::Language;
use tcpwhy_core::model::{Connection, Side};
use tcpwhy_core::picture::Picture;

/// What can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Segments, ACKs, window edge, SACK blocks and marks by time and sequence number.
    TimeSequence,
    /// Bytes in flight and the ceilings that they touch.
    Flight,
    /// The advertised window.
    Window,
    /// Round-trip times.
    Rtt,
    /// Sent and acknowledged data by time.
    Throughput,
    /// What limited the transfer, and when.
    Band,
    /// Queues, buffers and congestion window by the sockets' own account.
    Samples,
    /// Both hosts, and packets as arrows between them.
    Ladder,
    /// Send buffer, road and receive buffer to one scale, filled as in the middle of what is shown.
    Warehouses,
}

/// Why there is no chart.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Only a case folder has samples.
    #[error(
        "connection {0} has no samples of its sockets: a chart of them needs a case folder, as tcpwhy lab run -o CASE makes it"
    )]
    NoSamples(u64),
    /// Arrows that nobody could tell apart.
    #[error(
        "{0} packets are too many to be drawn as arrows (at most {1}): choose a stretch of time with --since and --until"
    )]
    TooMany(usize, usize),
    /// A stretch before or after the connection, or without an arrow.
    #[error("no packet of connection {0} is in that stretch of time")]
    NoPackets(u64),
    /// Text in a picture of pixels needs a font.
    #[error(
        "no font is installed that a PNG's text could be drawn with: install one, or write an SVG"
    )]
    NoFont,
    /// The fonts that are installed are of other scripts.
    #[error(
        "no installed font has the letter {0}, so a PNG would show empty boxes: install one (Debian: fonts-noto-cjk), write an SVG, or choose --lang en"
    )]
    NoGlyph(String),
    /// A library refused.
    #[error("cannot draw the chart: {0}")]
    Draw(String),
}

/// One direction of a connection to be drawn.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The answer.
    pub connection: &'a Connection,
    /// Its series.
    pub picture: &'a Picture,
    /// Who sends.
    pub from: Side,
    /// Of its title and legend.
    pub language: Language,
}

/// The chart as an SVG document, 1200 pixels wide.
///
/// # Errors
/// There are no samples to draw, no packets, or too many.
pub fn svg(kind: Kind, subject: &Subject<'_>) -> Result<String, Error> {
    if !subject.picture.shows_any() {
        return Err(Error::NoPackets(subject.connection.id));
    }
    if kind == Kind::Ladder {
        return ladder::draw(&plan::title(kind, subject), subject);
    }
    if kind == Kind::Warehouses {
        return warehouses::draw(&plan::title(kind, subject), subject).map_err(Error::Draw);
    }
    let plan = plan::plan(kind, subject).ok_or(Error::NoSamples(subject.connection.id))?;
    canvas::draw(&plan, &plan::title(kind, subject), subject).map_err(Error::Draw)
}
