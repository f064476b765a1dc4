//! One chart as a file: `tcpwhy report FILE --chart flight --svg flight.svg`.

use super::given::Given;
use super::refusal::Refusal;
use super::{Look, Packets, finish, inputs, save, target};
use crate::cli::{self, Report};
use crate::error::Error;
use crate::filter::Span;
use crate::{exit, look, say};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tcpwhy_core::advice::Language;
use tcpwhy_core::model::{Connection, Side};
use tcpwhy_core::units::Nanos;
use tcpwhy_report::chart::{self, Kind, Subject, png, svg};

/// Draws the chart of the connection that matters most, in the direction with more data.
///
/// # Errors
/// An input cannot be read or has no packets, the chart has nothing to show, or a file cannot be written.
pub(super) fn run(args: &Report) -> Result<ExitCode, Error> {
    let outputs: Vec<_> = args.svg.iter().chain(&args.png).map(PathBuf::as_path).collect();
    target::check(&outputs, &inputs(args), args.force)?;
    let given = Given::of(&args.files)?;
    if let Given::Analysis(path) = &given {
        return Err(Refusal::Drawn(path.display().to_string()).into());
    }
    // One connection is drawn.
    let mut alone = Report { charts: 1, ..args.clone() };
    let chart = args.chart.unwrap_or_default();
    let of_stretch = matches!(chart, cli::Chart::Ladder | cli::Chart::Warehouses);
    if of_stretch {
        // Of all packets: what is seen without its beginning has other numbers and other round trips.
        (alone.selection.since, alone.selection.until) = (None, None);
    }
    let mut packets = match Look::at(&given, &alone)? {
        Ok(Look::Packets(packets)) => packets,
        Ok(Look::Analysis(_)) => return Err(Refusal::Nothing.into()),
        Err(code) => return Ok(code),
    };
    if of_stretch {
        shorten(&mut packets, &given, &Span::of(&args.selection))?;
    }
    let subject = subject(&packets, args.lang.of_text())?;
    let drawing = match svg(kind(chart), &subject) {
        Err(none @ chart::Error::NoPackets(_)) => {
            say(&Error::from(none).text(args.lang.of_text()));
            return Ok(ExitCode::from(exit::NOTHING));
        }
        drawing => drawing?,
    };
    if let Some(path) = &args.svg {
        write(path, drawing.as_bytes())?;
    }
    if let Some(path) = &args.png {
        write(path, &png(&drawing)?)?;
    }
    Ok(finish(packets.read.damaged))
}

/// The picture of what was asked for, instead of that of the whole connection.
fn shorten(packets: &mut Packets, given: &Given, span: &Span) -> Result<(), Error> {
    let Given::Captures(inputs, _) = given else { return Ok(()) };
    let first = tcpwhy_capture::open(inputs)?.next_frame().map(|frame| frame.time);
    let bounds = first.and_then(|start| span.bounds(start));
    if let (Some((since, until)), Some((at, picture))) = (bounds, packets.pictures.first_mut())
        && let Some(connection) = packets.connections.get(*at)
    {
        let (capture, samples) = (tcpwhy_capture::open(inputs)?, given.samples()?);
        let samples = samples.into_iter().flatten();
        // `--until` is the first moment that is not asked about.
        *picture = look::draw_stretch(capture, connection, since, until - Nanos(1), samples);
    }
    Ok(())
}

fn subject(packets: &Packets, language: Language) -> Result<Subject<'_>, Error> {
    let drawn = packets.pictures.first().and_then(|(i, picture)| {
        let connection = packets.connections.get(*i)?;
        Some(Subject { connection, picture, from: main_direction(connection), language })
    });
    drawn.ok_or_else(|| Refusal::Nothing.into())
}

/// The side that sends more, as on the page.
fn main_direction(c: &Connection) -> Side {
    let [up, down] = &c.directions;
    if up.bytes > down.bytes { Side::Client } else { Side::Server }
}

fn kind(chart: cli::Chart) -> Kind {
    match chart {
        cli::Chart::TimeSequence => Kind::TimeSequence,
        cli::Chart::Flight => Kind::Flight,
        cli::Chart::Window => Kind::Window,
        cli::Chart::Rtt => Kind::Rtt,
        cli::Chart::Throughput => Kind::Throughput,
        cli::Chart::Band => Kind::Band,
        cli::Chart::Samples => Kind::Samples,
        cli::Chart::Ladder => Kind::Ladder,
        cli::Chart::Warehouses => Kind::Warehouses,
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if target::is_stdout(path) {
        return io::stdout().lock().write_all(bytes).map_err(Error::Write);
    }
    save(path, |out| out.write_all(bytes))?;
    say(&format!("wrote {}", path.display()));
    Ok(())
}
