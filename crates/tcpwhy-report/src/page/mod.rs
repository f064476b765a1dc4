//! One self-contained HTML file: the page of `web/` with the answer and the pictures inside.

mod column;

use crate::{Source, json};
use std::io::{self, Write};
use tcpwhy_core::model::Connection;
use tcpwhy_core::picture::Picture;

/// The built page; `web/` is its source.
const PAGE: &str = include_str!("page.html");
/// Where the data goes in it.
const DATA: &str = "<!--tcpwhy:data-->";

/// The page without data. Its scripts and styles are those of every page, so that a server can tell browsers to run no others.
pub fn template() -> &'static str {
    PAGE
}

/// What one page shows.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// Where it comes from.
    pub source: &'a Source,
    /// The answer, all of it.
    pub connections: &'a [Connection],
    /// Pictures of some of the connections, by their index there.
    pub pictures: &'a [(usize, Picture)],
}

/// What stands on a page, or beside another on it.
#[derive(Debug)]
pub enum Content<'a> {
    /// With charts.
    Analysed(Report<'a>),
    /// Without: an object as [`crate::json::write()`] writes it.
    Json(&'a [u8]),
}

/// Writes the page of one report; see [`write_beside`].
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: impl Write, report: &Report<'_>) -> io::Result<()> {
    write_beside(out, &[Content::Analysed(*report)])
}

/// Writes the page of one content, or of two to be compared. Everything that comes from a capture goes into it compressed and in
/// base64, so that none of it can be read as HTML or as a script.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_beside(mut out: impl Write, contents: &[Content<'_>]) -> io::Result<()> {
    let (head, tail) = PAGE.split_once(DATA).unwrap_or((PAGE, ""));
    out.write_all(head.as_bytes())?;
    for (number, content) in (1..).zip(contents) {
        match content {
            Content::Analysed(report) => analysed(&mut out, number, report)?,
            Content::Json(json) => block(&mut out, &format!("analysis-{number}"), json)?,
        }
    }
    out.write_all(tail.as_bytes())
}

fn analysed(out: &mut impl Write, number: usize, report: &Report<'_>) -> io::Result<()> {
    let mut analysis = Vec::new();
    json::write(&mut analysis, report.source, report.connections)?;
    block(out, &format!("analysis-{number}"), &analysis)?;
    for (index, picture) in report.pictures {
        let Some(connection) = report.connections.get(*index) else { continue };
        let bytes = column::picture(picture, connection.start);
        block(out, &format!("picture-{number}-{}", connection.id), &bytes)?;
    }
    Ok(())
}

fn block(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    let text = column::packed(bytes)?;
    writeln!(out, "<script type=\"application/octet-stream\" id=\"{id}\">{text}</script>")
}
