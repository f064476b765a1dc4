//! `tcpwhy report`: captures in, one HTML file out.

use crate::cli::Report;
use crate::error::Error;
use crate::exit;
use crate::filter::{Choice, Span};
use crate::pipeline::{self, Read};
use crate::say;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use tcpwhy_capture::Input;
use tcpwhy_core::decode::{Decoded, decode};
use tcpwhy_core::model::Connection;
use tcpwhy_core::observe::Segment;
use tcpwhy_core::picture::Picture;
use tcpwhy_report::{most_telling, page};

/// Points a series of a chart may have: what a screen can show at any zoom, and a browser can draw at once.
const POINTS: usize = 1 << 20;

/// Reads the captures twice, first for the answer, then for the charts of the connections that matter most.
///
/// # Errors
/// An input cannot be opened, nothing in it can be decoded, or the page cannot be written.
pub(crate) fn run(args: &Report) -> Result<ExitCode, Error> {
    let to_file = args.output.as_os_str() != "-";
    if to_file && !args.force && args.output.exists() {
        return Err(Error::Exists(args.output.display().to_string()));
    }
    if args.files.iter().any(|f| f.as_os_str() == "-") {
        let text = "a page needs two looks at the packets: write standard input to a file first";
        return Err(Error::Usage(text.to_owned()));
    }
    let inputs: Vec<_> = args.files.iter().cloned().map(Input::Path).collect();
    let span = Span::of(&args.selection);
    let (read, connections) = analyse(&inputs, span, &Choice::of(&args.selection))?;
    if let Some(links) = read.unsupported {
        return Err(Error::LinkType(links));
    }
    if connections.is_empty() {
        say("nothing to show: no TCP connection matches");
        return Ok(ExitCode::from(exit::NOTHING));
    }
    let pictures = draw(&inputs, span, &connections, args.charts)?;
    let (source, language) = (&read.source, args.lang.asked());
    let report = page::Report { source, connections: &connections, language, pictures };
    if to_file {
        save(&args.output, &report)?;
    } else {
        page::write(BufWriter::new(io::stdout().lock()), &report)?;
    }
    Ok(finish(&read, to_file.then_some(&args.output)))
}

/// The first look: the answer, in the order of the connections' numbers.
fn analyse(
    inputs: &[Input],
    span: Span,
    choice: &Choice,
) -> Result<(Read, Vec<Connection>), Error> {
    let mut connections = Vec::new();
    let read = pipeline::start(inputs, span)?.each(|finished| {
        connections.extend(finished.into_iter().filter(|c| choice.takes(c)));
        Ok(())
    })?;
    connections.sort_unstable_by_key(|c| c.id);
    Ok((read, connections))
}

/// The second look. What is damaged ends it where it ended the first one, which has said so.
fn draw(
    inputs: &[Input],
    mut span: Span,
    connections: &[Connection],
    count: usize,
) -> Result<Vec<(usize, Picture)>, Error> {
    let chosen = most_telling(connections, count);
    let mut pictures: Vec<_> =
        chosen.into_iter().map(|i| (i, Picture::new(&connections[i], POINTS))).collect();
    let mut capture = tcpwhy_capture::open(inputs)?;
    let mut segment = Segment::default();
    while let Ok(Some(frame)) = capture.next_frame() {
        if span.takes(frame.time)
            && matches!(decode(&frame, &mut segment), Decoded::Segment)
            && let Some((_, picture)) = pictures.iter_mut().find(|(_, p)| p.takes(&segment))
        {
            picture.push(&segment);
        }
    }
    pictures.iter_mut().for_each(|(_, picture)| picture.finish());
    Ok(pictures)
}

/// Writes beside the page and renames, so that there is never half a page.
fn save(path: &Path, report: &page::Report<'_>) -> Result<(), Error> {
    let failed = |e| Error::Page(path.display().to_string(), e);
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let written = File::create(&beside).and_then(|file| {
        let mut out = BufWriter::new(file);
        page::write(&mut out, report)?;
        out.flush()
    });
    let done = written.and_then(|()| std::fs::rename(&beside, path));
    if done.is_err() {
        // What is left of a failed attempt is of no use to anybody.
        let _ = std::fs::remove_file(&beside);
    }
    done.map_err(failed)
}

fn finish(read: &Read, written: Option<&std::path::PathBuf>) -> ExitCode {
    if let Some(path) = written {
        say(&format!("wrote {}", path.display()));
    }
    if read.damaged {
        say("the input is damaged; what could be read of it was analysed");
        return ExitCode::from(exit::ERROR);
    }
    ExitCode::SUCCESS
}
