//! Text from outside (file names, names in captures) made safe to show.

use std::borrow::Cow;
use unicode_width::UnicodeWidthStr;

/// `text` with everything that could steer a terminal or reorder its line spelled out, as `\u{1b}`.
///
/// ```
/// assert_eq!(tcpwhy_report::printable("a\u{1b}[31m.pcap"), "a\\u{1b}[31m.pcap");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let spell = |c: char| if steers(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(spell).collect())
}

/// `text` filled up with spaces to `width` columns of a terminal, of which a Chinese character takes two.
///
/// ```
/// assert_eq!(tcpwhy_report::padded("窗口", 6), "窗口  ");
/// ```
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{:1$}", "", width.saturating_sub(text.width()))
}

/// Columns of a terminal that `text` takes.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Control characters (C0, DEL, C1), and the marks that override the direction of text.
pub(crate) fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_spelled_out() {
        assert_eq!(printable("a\u{1b}]0;x\u{7}b\nc\u{9b}1m"), "a\\u{1b}]0;x\\u{7}b\\nc\\u{9b}1m");
        assert_eq!(printable("\u{202e}pacp.txt"), "\\u{202e}pacp.txt");
    }

    #[test]
    fn other_text_is_left_alone() {
        assert!(matches!(printable("Größe 日本 (1).pcapng"), Cow::Borrowed(_)));
    }
}
