//! Lines of a given width, with or without colour.

use super::style::{BOLD, DIM};
use super::words::{Section, Words};
use crate::printable;
use anstyle::Style;
use std::fmt::Write as _;
use std::io::{self, Write};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

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
        let text = printable(text);
        let hang = columns(bullet);
        for (i, line) in wrap(&text, self.width.saturating_sub(indent + hang)).iter().enumerate() {
            let lead = if i == 0 { bullet } else { "" };
            self.line(&format!("{:indent$}{lead:hang$}{line}", ""))?;
        }
        Ok(())
    }

    /// A section's title, after an empty line.
    pub(super) fn section(&mut self, section: Section) -> io::Result<()> {
        self.blank()?;
        let title = self.paint(BOLD, self.words.section(section));
        self.line(&format!("  {title}"))
    }

    /// A title over the whole width.
    pub(super) fn rule(&mut self, title: &str) -> io::Result<()> {
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

/// Columns that `text` takes: two for each Chinese character.
pub(super) fn columns(text: &str) -> usize {
    text.width()
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
        let mut space = usize::from(used > 0);
        for piece in pieces(&word) {
            let long = columns(piece);
            if used > 0 && used + space + long > width {
                lines.push(std::mem::take(&mut line));
                (used, space) = (0, 0);
            }
            line.push_str(&" "[..space]);
            line.push_str(piece);
            used += space + long;
            space = 0;
        }
    }
    lines.push(line);
    lines
}

/// The parts of a word between which a line may end: beside Chinese characters, but neither before a
/// closing mark nor behind an opening one.
fn pieces(word: &str) -> impl Iterator<Item = &str> {
    let wide = |c: char| c.width() == Some(2);
    let mut rest = Some(word);
    std::iter::from_fn(move || {
        let word = rest?;
        let ends = word.char_indices().zip(word.chars().skip(1));
        let end = ends
            .filter(|((_, a), b)| (wide(*a) || wide(*b)) && !OPENING.contains(*a))
            .find(|(_, b)| !CLOSING.contains(*b))
            .map_or(word.len(), |((at, a), _)| at + a.len_utf8());
        let (piece, behind) = word.split_at_checked(end)?;
        rest = Some(behind).filter(|behind| !behind.is_empty());
        Some(piece)
    })
}

/// What no line may end with.
const OPENING: &str = "（(";
/// What no line may begin with.
const CLOSING: &str = "，。；：、）！？,.;:)";

/// Whether `next` is the unit of the number that `word` ends with.
fn is_unit_of(word: &str, next: &str) -> bool {
    // Behind a unit there may be Chinese without a space.
    let next = next.split(|c: char| c.width() == Some(2)).next().unwrap_or_default();
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
    fn chinese_takes_two_columns_and_breaks_anywhere_but_at_marks() {
        assert_eq!(wrap("瓶颈是服务器", 5), ["瓶颈", "是服", "务器"]);
        assert_eq!(wrap("窗口（4.0 MiB）都有余量", 11), ["窗口", "（4.0 MiB）", "都有余量"]);
        assert_eq!(wrap("接收，窗口", 4), ["接", "收，", "窗口"]);
        assert_eq!(wrap("在途 16.0 KiB，往返 20.1 ms", 15), ["在途 16.0 KiB，", "往返 20.1 ms"]);
    }

    #[test]
    fn numbers_stay_with_their_units() {
        assert_eq!(
            wrap("took 25.1 s, at 7.0 Mbit/s.", 9),
            ["took", "25.1 s,", "at", "7.0 Mbit/s."]
        );
    }
}
