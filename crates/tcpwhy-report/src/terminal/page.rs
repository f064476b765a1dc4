//! Lines of a given width, with or without colour.

use super::style::{BOLD, DIM};
use crate::printable;
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
}

impl<'w> Page<'w> {
    /// A page of `width` columns on `out`.
    pub(super) fn new(out: &'w mut dyn Write, width: usize, color: bool) -> Self {
        Self { out, width, color }
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
        let text = printable(text);
        let hang = bullet.chars().count();
        for (i, line) in wrap(&text, self.width.saturating_sub(indent + hang)).iter().enumerate() {
            let lead = if i == 0 { bullet } else { "" };
            self.line(&format!("{:indent$}{lead:hang$}{line}", ""))?;
        }
        Ok(())
    }

    /// A section's title, after an empty line.
    pub(super) fn section(&mut self, title: &str) -> io::Result<()> {
        self.blank()?;
        let title = self.paint(BOLD, title);
        self.line(&format!("  {title}"))
    }

    /// A title over the whole width.
    pub(super) fn rule(&mut self, title: &str) -> io::Result<()> {
        let rest = self.width.saturating_sub(title.chars().count() + 4);
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

/// `text` in lines of at most `width` columns where its words allow it.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let mut word = word.to_owned();
        // A number stays with its unit.
        while let Some(unit) = words.next_if(|next| is_unit_of(&word, next)) {
            word.push(' ');
            word.push_str(unit);
        }
        let long = word.chars().count();
        if used > 0 && used + 1 + long > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(&word);
        used += long;
    }
    lines.push(line);
    lines
}

/// Whether `next` is the unit of the number that `word` ends with.
fn is_unit_of(word: &str, next: &str) -> bool {
    let unit = next.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '%');
    let known = matches!(unit, "%" | "s" | "ms" | "us" | "ns" | "min" | "h" | "B")
        || ["bit/s", "iB", "kB", "MB", "GB", "TB"].iter().any(|end| unit.ends_with(end));
    known && word.ends_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_long_words_stay_whole() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("extraordinarily long", 5), ["extraordinarily", "long"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("any", 0), ["any"]);
    }

    #[test]
    fn numbers_stay_with_their_units() {
        assert_eq!(
            wrap("took 25.1 s, at 7.0 Mbit/s.", 9),
            ["took", "25.1 s,", "at", "7.0 Mbit/s."]
        );
    }
}
