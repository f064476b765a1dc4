//! JSON of text from outside: a terminal that shows it stays as it is.

use crate::printable::steers;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;
use std::io;

/// Writes `value`; of what steers a terminal JSON itself escapes only C0, here the rest is escaped, too. To a program it is the same text.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Tame))?)
}

struct Tame;

impl Formatter for Tame {
    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        out: &mut W,
        mut text: &str,
    ) -> io::Result<()> {
        while let Some((at, c)) = text.char_indices().find(|&(_, c)| steers(c)) {
            out.write_all(&text.as_bytes()[..at])?;
            // None of them is beyond four digits.
            write!(out, "\\u{:04x}", u32::from(c))?;
            text = &text[at + c.len_utf8()..];
        }
        out.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn a_terminal_is_not_steered_and_a_program_reads_the_same() {
        let text = "日本\u{9b}31m\u{1b}\u{7f}\u{202e}\"é";
        let mut json = Vec::new();
        write(&mut json, &text).unwrap();
        let json = String::from_utf8(json).unwrap();
        assert_eq!(json, "\"日本\\u009b31m\\u001b\\u007f\\u202e\\\"é\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
