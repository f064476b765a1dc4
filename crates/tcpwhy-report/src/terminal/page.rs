//! Lines of a given width, with or without colour.

use super::style::{BOLD, DIM};
use super::words::{Section, Words};
use crate::wrap::paragraph;
use crate::{columns, printable};
use anstyle::Style;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Where the text goes, and how wide it may be.
pub(super) struct Page<'w> {
    out: &'w mut dyn Write,
    /// Columns.
    pub width: usize,
    /// Whether styles are written.
    pub color: bool,
    /// The texts.
    pub words: &'static dyn Words,
}

impl<'w> Page<'w> {
    /// A page of `width` columns on `out`.
    pub(super) fn new(
        out: &'w mut dyn Write,
        width: usize,
        color: bool,
        words: &'static dyn Words,
    ) -> Self {
        Self { out, width, color, words }
    }

    /// An empty line.
    pub(super) fn blank(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// One line as it is.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{}", line.trim_end())
    }

    /// A paragraph, wrapped, each line indented.
    pub(super) fn text(&mut self, indent: usize, text: &str) -> io::Result<()> {
        self.item(indent, "", text)
    }

    /// A paragraph whose first line begins with `bullet` and whose others are indented behind it.
    pub(super) fn item(&mut self, indent: usize, bullet: &str, text: &str) -> io::Result<()> {
        let lead = format!("{:indent$}{bullet}", "");
        self.out.write_all(paragraph(&lead, &printable(text), self.width).as_bytes())
    }

    /// A section's title, after an empty line.
    pub(super) fn section(&mut self, section: Section) -> io::Result<()> {
        self.blank()?;
        let title = self.paint(BOLD, self.words.section(section));
        self.line(&format!("  {title}"))
    }

    /// A title over the whole width, or in several lines where it is wider.
    pub(super) fn rule(&mut self, title: &str) -> io::Result<()> {
        let wrapped = paragraph("── ", title, self.width);
        if wrapped.lines().count() > 1 {
            return wrapped.lines().try_for_each(|line| self.line(&self.paint(BOLD, line)));
        }
        let rest = self.width.saturating_sub(columns(title) + 4);
        let line = format!(
            "{} {} {}",
            self.paint(DIM, "──"),
            self.paint(BOLD, title),
            self.paint(DIM, &"─".repeat(rest))
        );
        self.line(&line)
    }

    /// `text` in `style`, where there are colours.
    pub(super) fn paint(&self, style: Style, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        // Writing into a String cannot fail.
        let _ =
            if self.color { write!(out, "{style}{text}{style:#}") } else { write!(out, "{text}") };
        out
    }
}
