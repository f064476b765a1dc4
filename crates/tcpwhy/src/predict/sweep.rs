//! One or two quantities varied: a line of rates, or a surface.

use super::args::Predict;
use super::seeds;
use super::show::range;
use super::surface::Surface;
use super::words::{self, Words};
use crate::error::Error;
use crate::output::Output;
use crate::target;
use std::io::{self, Write};
use std::path::Path;
use tcpwhy_core::advice::quantity::{buffer, data, percent, rate, span};
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::{Transfer, Typical};

const COLUMNS: usize = 24;
const ROWS: usize = 12;
/// From nothing to the full rate.
const SHADES: [char; 5] = ['.', '░', '▒', '▓', '█'];
/// Segments of all transfers together; the model follows about a million a second.
const MOST_SEGMENTS: u64 = 40_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Size,
    Rate,
    Rtt,
    Sndbuf,
    Rcvbuf,
    Loss,
}

/// One in so many packets lost is a sweep's step of loss.
const LOSS: f64 = 1e9;

/// One quantity and its values, in its smallest unit (loss: billionths).
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) what: What,
    pub(super) name: String,
    pub(super) values: Vec<u64>,
}

impl Axis {
    /// The quantity with its unit, for programs.
    fn column(&self) -> &'static str {
        match self.what {
            What::Size => "size_bytes",
            What::Rate => "rate_bps",
            What::Rtt => "rtt_ns",
            What::Sndbuf => "sndbuf_bytes",
            What::Rcvbuf => "rcvbuf_bytes",
            What::Loss => "loss",
        }
    }
}

/// Runs the sweep and draws it.
///
/// # Errors
/// A sweep that is none; the answer cannot be written.
pub(super) fn run(args: &Predict, out: &mut Output) -> Result<(), Error> {
    let (across, down) = axes(args)?;
    let outputs: Vec<&Path> = args.svg.iter().chain(&args.html).map(AsRef::as_ref).collect();
    let inputs: Vec<&Path> = args.sysctls.iter().map(AsRef::as_ref).collect();
    target::check(&outputs, &inputs, args.force)?;
    let table = table(args, &across, down.as_ref())?;
    let words = words::of(args.lang.of_text());
    let surface = Surface { words, across: &across, down: down.as_ref(), table: &table };
    if let Some(file) = &args.svg {
        target::save(file, |out| out.write_all(surface.svg().as_bytes()))?;
    }
    if let Some(file) = &args.html {
        target::save(file, |out| out.write_all(surface.html().as_bytes()))?;
    }
    let written = if args.csv || args.json {
        machine(args, out, &across, down.as_ref(), &table)
    } else {
        draw(words, out, &across, down.as_ref(), &table)
    };
    written.map_err(Error::Write)
}

/// What changes across, and what changes down.
fn axes(args: &Predict) -> Result<(Axis, Option<Axis>), Error> {
    let (across, down) = match &args.sweep[..] {
        [across] => (axis(across, COLUMNS)?, None),
        [across, down] => (axis(across, COLUMNS)?, Some(axis(down, ROWS)?)),
        _ => return Err(Error::Usage("--sweep can be given twice at most".to_owned())),
    };
    if down.as_ref().is_some_and(|d| d.what == across.what) {
        return Err(Error::Usage(format!("--sweep names {} twice", across.name)));
    }
    Ok((across, down))
}

/// The answers: all transfers are asked for before the first one runs, for what is wrong or too much is said at once.
fn table(args: &Predict, across: &Axis, down: Option<&Axis>) -> Result<Vec<Row>, Error> {
    let mut grid = Vec::new();
    let mut segments = 0;
    for below in down.map_or(vec![None], |d| d.values.iter().map(|v| Some((d.what, *v))).collect())
    {
        let mut row = Vec::new();
        for value in &across.values {
            let mut one = args.clone();
            put(&mut one, across.what, *value);
            if let Some((what, value)) = below {
                put(&mut one, what, value);
            }
            let transfer = one.transfer()?;
            segments += transfer.size / transfer.mss;
            if segments > MOST_SEGMENTS {
                return Err(Error::Usage(
                    "the sweep would take minutes; make --size smaller".to_owned(),
                ));
            }
            row.push((*value, one.rate, transfer));
        }
        grid.push((below.map(|b| b.1), row));
    }
    let cells = grid.iter().map(|(_, row)| row.len()).sum();
    let answered = |(value, link_bps, t): (u64, u64, Transfer)| {
        Point::new(value, link_bps, args.streams, &t, seeds::one_of(&t, cells))
    };
    Ok(grid
        .into_iter()
        .map(|(below, row)| (below, row.into_iter().map(answered).collect()))
        .collect())
}

/// What is below, and along it.
pub(super) type Row = (Option<u64>, Vec<Point>);

/// One transfer of a sweep.
#[derive(Debug)]
pub(super) struct Point {
    /// Of the quantity across.
    pub(super) value: u64,
    /// Of all streams: in the end where it was steady there, else the mean.
    pub(super) rate_bps: u64,
    /// Of the link's rate, 0 to 1.
    pub(super) part: f64,
    pub(super) answer: Typical,
}

impl Point {
    fn new(value: u64, link_bps: u64, streams: u32, t: &Transfer, answer: Typical) -> Self {
        let one = answer.prediction.typical_bps(t.size, t.rtt);
        let rate_bps = one.saturating_mul(u64::from(streams));
        let part = (rate_bps as f64 / link_bps.max(1) as f64).min(1.0);
        Self { value, rate_bps, part, answer }
    }
}

fn axis(text: &str, steps: usize) -> Result<Axis, Error> {
    let bad = || Error::Usage(format!("{text:?} is not a sweep (write rtt=1ms..400ms)"));
    let (name, range) = text.split_once('=').ok_or_else(bad)?;
    let (from, to) = range.split_once("..").ok_or_else(bad)?;
    let what = match name {
        "size" => What::Size,
        "rate" => What::Rate,
        "rtt" => What::Rtt,
        "sndbuf" => What::Sndbuf,
        "rcvbuf" => What::Rcvbuf,
        "loss" => What::Loss,
        _ => {
            return Err(Error::Usage(format!(
                "{name:?} cannot be swept: name size, rate, rtt, sndbuf, rcvbuf or loss"
            )));
        }
    };
    let (from, to) = (value(what, from)?, value(what, to)?);
    if from == 0 || from >= to {
        return Err(Error::Usage(format!("{text:?} must go from more than 0 to something larger")));
    }
    let ratio = to as f64 / from as f64;
    let at =
        |step: usize| (from as f64 * ratio.powf(step as f64 / (steps - 1) as f64)).round() as u64;
    let mut values: Vec<u64> = (0..steps).map(at).collect();
    // Fewer lie between two small numbers.
    values.dedup();
    Ok(Axis { what, name: name.to_owned(), values })
}

fn value(what: What, text: &str) -> Result<u64, Error> {
    let value = match what {
        What::Size | What::Sndbuf | What::Rcvbuf => quantity::bytes(text),
        What::Rate => quantity::rate(text),
        What::Rtt => quantity::span(text).map(|t| t.0.max(0) as u64),
        What::Loss => quantity::share(text).map(|s| (s * LOSS).round() as u64),
    };
    value.map_err(|e| Error::Usage(e.to_string()))
}

fn put(args: &mut Predict, what: What, value: u64) {
    match what {
        What::Size => args.size = value,
        What::Rate => args.rate = value,
        What::Rtt => args.rtt = Nanos(value as i64),
        What::Sndbuf => args.sndbuf = Some(value),
        What::Rcvbuf => args.rcvbuf = Some(value),
        What::Loss => args.loss = value as f64 / LOSS,
    }
}

pub(super) fn shown(what: What, value: u64) -> String {
    match what {
        What::Size => data(value),
        What::Sndbuf | What::Rcvbuf => buffer(value),
        What::Rate => rate(value),
        What::Rtt => span(Nanos(value as i64)),
        What::Loss => percent(value as f64 / LOSS),
    }
}

/// CSV, or an object a line (schema/tcpwhy.sweep-1.schema.json).
fn machine(
    args: &Predict,
    out: &mut Output,
    across: &Axis,
    down: Option<&Axis>,
    table: &[Row],
) -> io::Result<()> {
    if args.csv {
        let axes: Vec<_> = [Some(across), down].into_iter().flatten().map(Axis::column).collect();
        writeln!(out.to, "{},time_ns,p10_ns,p90_ns,runs,steady_bps,limit", axes.join(","))?;
    }
    for (below, row) in table {
        for point in row {
            let at = [Some((across, point.value)), down.zip(*below)].into_iter().flatten();
            let line = object(args, at.clone(), &point.answer);
            if args.csv {
                let text = |field: &serde_json::Value| match field {
                    serde_json::Value::String(text) => text.clone(),
                    serde_json::Value::Null => String::new(),
                    other => other.to_string(),
                };
                let range = &line["range"];
                let fields = at
                    .map(|(axis, _)| &line[axis.column()])
                    .chain([&line["time_ns"], &range["p10_ns"], &range["p90_ns"], &range["runs"]])
                    .chain([&line["steady_bps"], &line["limit"]]);
                writeln!(out.to, "{}", fields.map(text).collect::<Vec<_>>().join(","))?;
            } else {
                writeln!(out.to, "{line}")?;
            }
        }
    }
    Ok(())
}

fn object<'a>(
    args: &Predict,
    at: impl Iterator<Item = (&'a Axis, u64)>,
    answer: &Typical,
) -> serde_json::Value {
    let p = &answer.prediction;
    let mut line = serde_json::json!({
        "schema": "tcpwhy.sweep/1",
        "time_ns": p.complete.then_some(p.time.0),
        "range": range(answer),
        "steady_bps": p.steady_bps.saturating_mul(u64::from(args.streams)),
        "limit": p.limit().name(),
    });
    for (axis, value) in at {
        line[axis.column()] = match axis.what {
            What::Loss => (value as f64 / LOSS).into(),
            _ => value.into(),
        };
    }
    line
}

fn draw(
    words: &dyn Words,
    out: &mut Output,
    across: &Axis,
    down: Option<&Axis>,
    table: &[Row],
) -> io::Result<()> {
    writeln!(out.to, "{}", words.shades())?;
    for (below, row) in table.iter().rev() {
        let label = down
            .zip(*below)
            .map_or(String::new(), |(axis, v)| format!("{} {}", axis.name, shown(axis.what, v)));
        let cells: String = row.iter().map(|point| shade(point.part)).collect();
        writeln!(out.to, "{label:>20} |{cells}|")?;
    }
    let ends = across.values.first().zip(across.values.last());
    if let Some((first, last)) = ends {
        writeln!(
            out.to,
            "{:>20}  {} {} .. {}",
            "",
            across.name,
            shown(across.what, *first),
            shown(across.what, *last)
        )?;
    }
    Ok(())
}

fn shade(part: f64) -> String {
    let step = (part * (SHADES.len() - 1) as f64).round() as usize;
    let shade = SHADES.get(step.min(SHADES.len() - 1)).copied().unwrap_or('.');
    [shade, shade].iter().collect()
}
