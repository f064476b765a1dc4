//! One self-contained HTML file: the page of `web/` with the answer and the pictures inside.

mod column;

use crate::Source;
use crate::json::{self, Words};
use std::io::{self, Write};
use tcpwhy_core::advice::Language;
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
    /// The language to begin with; `None` for that of the reader's browser.
    pub language: Option<Language>,
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
    let language = contents.iter().find_map(|content| match content {
        Content::Analysed(report) => report.language,
        Content::Json(_) => None,
    });
    if let Some(language) = language {
        writeln!(
            out,
            "<script type=\"text/plain\" id=\"tcpwhy-language\">{}</script>",
            language.code()
        )?;
    }
    for (number, content) in (1..).zip(contents) {
        match content {
            Content::Analysed(report) => analysed(&mut out, number, report)?,
            Content::Json(json) => block(&mut out, &format!("analysis-{number}"), json)?,
        }
    }
    out.write_all(tail.as_bytes())
}

/// One more picture of a connection that is on a page: what a server answers where the page asks for a stretch of a long one.
///
/// # Errors
/// None in practice: it is written to memory.
pub fn picture(connection: &Connection, picture: &Picture) -> io::Result<Vec<u8>> {
    column::compressed(&column::picture(picture, connection.start))
}

fn analysed(out: &mut impl Write, number: usize, report: &Report<'_>) -> io::Result<()> {
    let mut analysis = Vec::new();
    json::write(&mut analysis, report.source, report.connections, Words::All)?;
    block(out, &format!("analysis-{number}"), &analysis)?;
    for (index, picture) in report.pictures {
        let Some(connection) = report.connections.get(*index) else { continue };
        let id = format!("{number}-{}", connection.id);
        if let Some(glance) = picture.glance() {
            block(out, &format!("glance-{id}"), &column::picture(&glance, connection.start))?;
        }
        block(out, &format!("picture-{id}"), &column::picture(picture, connection.start))?;
    }
    Ok(())
}

fn block(out: &mut impl Write, id: &str, bytes: &[u8]) -> io::Result<()> {
    let text = column::packed(bytes)?;
    writeln!(out, "<script type=\"application/octet-stream\" id=\"{id}\">{text}</script>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcpwhy_core::advice::{cause_label, limit_label};
    use tcpwhy_core::model::{Cause, Limit};

    #[test]
    fn the_page_calls_limits_and_causes_as_the_terminal_does() {
        let web = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/words/");
        let read = |file: &str| std::fs::read_to_string(format!("{web}{file}")).unwrap();
        let (causes, zh, en) = (read("causes.ts"), read("zh.ts"), read("en.ts"));
        for cause in Cause::ALL.into_iter().filter(|c| *c != Cause::None) {
            let (name, label) = (cause.name().unwrap(), cause_label(cause, Language::Zh).unwrap());
            assert!(causes.contains(&format!("\"{name}\": \"{label}\",")), "{name}: {label}");
        }
        for limit in Limit::ALL {
            for (file, language) in [(&en, Language::En), (&zh, Language::Zh)] {
                let line = format!("limit_{}: \"{}\",", limit.name(), limit_label(limit, language));
                assert!(file.contains(&line), "{line}");
            }
        }
    }
}
