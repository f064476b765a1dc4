//! `tcpwhy report`: captures in, one HTML file out.

use crate::cli::Report;
use crate::error::Error;
use crate::exit;
use crate::filter::{Choice, Span};
use crate::look;
use crate::pipeline::Read;
use crate::progress::Progress;
use crate::say;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use tcpwhy_capture::Input;
use tcpwhy_report::page;

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
    let capture = tcpwhy_capture::open(&inputs)?;
    let progress = Progress::shown(capture.progress().1);
    let (read, connections) = look::analyse(capture, span, &Choice::of(&args.selection), progress)?;
    if let Some(links) = read.unsupported {
        return Err(Error::LinkType(links));
    }
    if connections.is_empty() {
        say("nothing to show: no TCP connection matches");
        return Ok(ExitCode::from(exit::NOTHING));
    }
    let pictures = look::draw(
        tcpwhy_capture::open(&inputs)?,
        span,
        &connections,
        args.charts,
        &Progress::Hidden,
    );
    let report = page::Report { source: &read.source, connections: &connections, pictures };
    if to_file {
        save(&args.output, &report)?;
    } else {
        page::write(BufWriter::new(io::stdout().lock()), &report)?;
    }
    Ok(finish(&read, to_file.then_some(&args.output)))
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
