//! Text in lines that fit a terminal.

use crate::{columns, padded};
use unicode_width::UnicodeWidthChar;

/// `text` in lines of at most `width` columns, where its words allow it: the first one behind `lead`, the others as far from the margin.
///
/// ```
/// assert_eq!(tcpwhy_report::paragraph("- ", "one two three", 9), "- one two\n  three\n");
/// ```
pub fn paragraph(lead: &str, text: &str, width: usize) -> String {
    let hang = columns(lead);
    let mut all = String::new();
    for (i, line) in wrap(text, width.saturating_sub(hang)).iter().enumerate() {
        let lead = if i == 0 { lead } else { "" };
        all += (padded(lead, hang) + line).trim_end();
        all.push('\n');
    }
    all
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
