//! One or two quantities varied: a line of rates, or a surface.

use super::args::Predict;
use super::surface::Surface;
use super::words;
use crate::error::Error;
use crate::output::Output;
use std::io::Write;
use tcpwhy_core::advice::quantity::{buffer, data, percent, rate, span};
use tcpwhy_core::quantity;
use tcpwhy_core::units::Nanos;
use tcpwhy_core::whatif::transfer::{Prediction, predict};

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

/// One quantity and its values, in its smallest unit (loss: millionths).
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) what: What,
    pub(super) name: String,
    pub(super) values: Vec<u64>,
}

/// Runs the sweep and draws it.
///
/// # Errors
/// A sweep that is none; the answer cannot be written.
pub(super) fn run(args: &Predict, out: &mut Output) -> Result<(), Error> {
    let axes = match &args.sweep[..] {
        [across] => (axis(across, COLUMNS)?, None),
        [across, down] => (axis(across, COLUMNS)?, Some(axis(down, ROWS)?)),
        _ => return Err(Error::Usage("--sweep can be given twice at most".to_owned())),
    };
    let (across, down) = axes;
    if down.as_ref().is_some_and(|d| d.what == across.what) {
        return Err(Error::Usage(format!("--sweep names {} twice", across.name)));
    }
    let mut table = Vec::new();
    let mut segments = 0;
    for below in
        down.as_ref().map_or(vec![None], |d| d.values.iter().map(|v| Some((d.what, *v))).collect())
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
            row.push((*value, one.rate, predict(&transfer)));
        }
        table.push((below.map(|b| b.1), row));
    }
    let words = words::of(args.lang.of_text());
    let surface = Surface { args, words, across: &across, down: down.as_ref(), table: &table };
    if let Some(file) = &args.svg {
        std::fs::write(file, surface.svg())
            .map_err(|e| Error::Page(file.display().to_string(), e))?;
    }
    if let Some(file) = &args.html {
        std::fs::write(file, surface.html())
            .map_err(|e| Error::Page(file.display().to_string(), e))?;
    }
    if args.csv || args.json {
        machine(args, out, &across, down.as_ref(), &table)
    } else {
        draw(args, out, &across, down.as_ref(), &table)
    }
}

pub(super) type Row = (Option<u64>, Vec<(u64, u64, Prediction)>);

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
    Ok(Axis { what, name: name.to_owned(), values: (0..steps).map(at).collect() })
}

fn value(what: What, text: &str) -> Result<u64, Error> {
    let value = match what {
        What::Size | What::Sndbuf | What::Rcvbuf => quantity::bytes(text),
        What::Rate => quantity::rate(text),
        What::Rtt => quantity::span(text).map(|t| t.0.max(0) as u64),
        What::Loss => quantity::share(text).map(|s| (s * 1e6).round() as u64),
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
        What::Loss => args.loss = value as f64 / 1e6,
    }
}

pub(super) fn shown(what: What, value: u64) -> String {
    match what {
        What::Size => data(value),
        What::Sndbuf | What::Rcvbuf => buffer(value),
        What::Rate => rate(value),
        What::Rtt => span(Nanos(value as i64)),
        What::Loss => percent(value as f64 / 1e6),
    }
}

fn machine(
    args: &Predict,
    out: &mut Output,
    across: &Axis,
    down: Option<&Axis>,
    table: &[Row],
) -> Result<(), Error> {
    let second = down.map_or(String::new(), |d| format!("{},", d.name));
    if args.csv {
        writeln!(out.to, "{},{second}time_ns,steady_bps,limit", across.name)?;
    }
    for (below, row) in table {
        for (value, _, p) in row {
            if args.csv {
                let below = below.map_or(String::new(), |v| format!("{v},"));
                writeln!(
                    out.to,
                    "{value},{below}{},{},{}",
                    p.time.0,
                    p.steady_bps,
                    p.limit().name()
                )?;
                continue;
            }
            let mut line = serde_json::json!({"time_ns": p.time.0, "steady_bps": p.steady_bps, "limit": p.limit().name()});
            line[across.name.as_str()] = (*value).into();
            if let (Some(axis), Some(below)) = (down, below) {
                line[axis.name.as_str()] = (*below).into();
            }
            writeln!(out.to, "{line}")?;
        }
    }
    Ok(())
}

fn draw(
    args: &Predict,
    out: &mut Output,
    across: &Axis,
    down: Option<&Axis>,
    table: &[Row],
) -> Result<(), Error> {
    writeln!(out.to, "{}", words::of(args.lang.of_text()).shades())?;
    for (below, row) in table.iter().rev() {
        let label = down
            .zip(*below)
            .map_or(String::new(), |(axis, v)| format!("{} {}", axis.name, shown(axis.what, v)));
        let cells: String = row.iter().map(|(_, rate, p)| shade(args, *rate, p)).collect();
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

/// Steady rate as a part of the link's, 0 to 1.
pub(super) fn part(args: &Predict, rate: u64, p: &Prediction) -> f64 {
    (p.steady_bps as f64 * f64::from(args.streams) / rate.max(1) as f64).min(1.0)
}

fn shade(args: &Predict, rate: u64, p: &Prediction) -> String {
    let part = part(args, rate, p);
    let step = (part * (SHADES.len() - 1) as f64).round() as usize;
    let shade = SHADES.get(step.min(SHADES.len() - 1)).copied().unwrap_or('.');
    [shade, shade].iter().collect()
}
