//! `tcpwhy report`: captures, a case folder or an analysis in, one HTML file out.

mod analysis;
mod chart;
mod given;
mod refusal;

use crate::cli::Report;
use crate::conclude::{NO_MATCH, conclude, damaged};
use crate::error::Error;
use crate::filter::{Choice, Span};
use crate::pipeline::Read;
use crate::progress::Progress;
use crate::target::save;
use crate::{exit, look, say, target};
use given::Given;
pub(crate) use refusal::Refusal;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tcpwhy_core::advice::Language;
use tcpwhy_core::model::Connection;
use tcpwhy_core::picture::Picture;
use tcpwhy_report::page;

/// Reads the captures twice, first for the answer, then for the charts of the connections that matter most.
///
/// # Errors
/// An input cannot be opened, nothing in it can be decoded, or the page cannot be written.
pub(crate) fn run(args: &Report) -> Result<ExitCode, Error> {
    if args.svg.is_some() || args.png.is_some() {
        return chart::run(args);
    }
    if args.chart.is_some() {
        return Err(Refusal::NoPicture.into());
    }
    target::check(&[&args.output], &inputs(args), args.force)?;
    let mut looks = Vec::new();
    let compared = args.compare.as_slice();
    for files in [args.files.as_slice(), compared].into_iter().filter(|files| !files.is_empty()) {
        match Look::at(&Given::of(files)?, args)? {
            Ok(look) => looks.push(look),
            Err(code) => return Ok(code),
        }
    }
    let contents: Vec<_> = looks.iter().map(|look| look.content(args.lang.asked())).collect();
    if target::is_stdout(&args.output) {
        let out = BufWriter::new(io::stdout().lock());
        page::write_beside(out, &contents).map_err(Error::Write)?;
    } else {
        save(&args.output, |out| page::write_beside(out, &contents))?;
        say(&format!("wrote {}", args.output.display()));
    }
    Ok(finish(looks.iter().any(Look::damaged)))
}

/// What is read, and must not be written over.
fn inputs(args: &Report) -> Vec<&Path> {
    args.files.iter().chain(&args.compare).map(PathBuf::as_path).collect()
}

/// One input, looked at.
enum Look {
    Packets(Packets),
    Analysis(Vec<u8>),
}

/// What two looks at the packets gave.
struct Packets {
    read: Read,
    connections: Vec<Connection>,
    pictures: Vec<(usize, Picture)>,
}

impl Look {
    /// Where no connection matches, it is said, and the exit code is returned.
    fn at(given: &Given, args: &Report) -> Result<Result<Self, ExitCode>, Error> {
        let inputs = match given {
            Given::Captures(inputs, _) => inputs,
            Given::Analysis(path) => {
                return Ok(match analysis::read(path, &args.selection)? {
                    Some(json) => Ok(Self::Analysis(json)),
                    None => Err(no_match()),
                });
            }
        };
        let span = Span::of(&args.selection);
        let capture = tcpwhy_capture::open(inputs)?;
        let progress = Progress::shown(capture.progress().1);
        let choice = Choice::of(&args.selection);
        let evidence = match given {
            Given::Captures(_, Some(case)) => Some(crate::case::evidence(case)?),
            _ => None,
        };
        let (read, connections) =
            look::analyse(capture, span, &choice, evidence.as_ref(), progress)?;
        read.decoded()?;
        if connections.is_empty() {
            return Ok(Err(conclude(&read, 0, &args.selection, Some(args.lang.of_text()))));
        }
        let capture = tcpwhy_capture::open(inputs)?;
        let mut pictures = look::draw(capture, span, &connections, args.charts, &Progress::Hidden);
        look::sampled(given.samples()?.into_iter().flatten(), &mut pictures);
        Ok(Ok(Self::Packets(Packets { read, connections, pictures })))
    }

    /// `language`: the one to begin with.
    fn content(&self, language: Option<Language>) -> page::Content<'_> {
        match self {
            Self::Packets(Packets { read, connections, pictures }) => {
                page::Content::Analysed(page::Report {
                    source: &read.source,
                    connections,
                    language,
                    pictures,
                })
            }
            Self::Analysis(json) => page::Content::Json(json),
        }
    }

    fn damaged(&self) -> bool {
        matches!(self, Self::Packets(packets) if packets.read.damaged)
    }
}

/// An analysis tells no more.
fn no_match() -> ExitCode {
    say(NO_MATCH);
    ExitCode::from(exit::NOTHING)
}

fn finish(is_damaged: bool) -> ExitCode {
    if is_damaged { damaged() } else { ExitCode::SUCCESS }
}
