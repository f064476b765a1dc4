//! Standard output: buffered, with colours where they are wanted.

use crate::cli::Color;
use anstream::{AutoStream, ColorChoice};
use std::io::{BufWriter, IsTerminal, StdoutLock};

/// Columns where nothing says how many there are.
const COLUMNS: usize = 80;

/// Bytes written at a time.
const BUFFER: usize = 1 << 16;

/// Standard output.
pub(crate) struct Output {
    /// Write here, and flush.
    pub to: BufWriter<AutoStream<StdoutLock<'static>>>,
    /// Whether colours reach it.
    pub color: bool,
}

impl Output {
    /// With colours as asked for; `auto` looks at the terminal, NO_COLOR and CLICOLOR.
    pub(crate) fn new(color: Color) -> Self {
        let asked = ColorChoice::from(color);
        let choice = match asked {
            ColorChoice::Auto => AutoStream::choice(&std::io::stdout()),
            asked => asked,
        };
        Self::with(choice)
    }

    /// For machines: nothing is coloured and nothing is looked through for colours.
    pub(crate) fn raw() -> Self {
        Self { color: false, ..Self::with(ColorChoice::AlwaysAnsi) }
    }

    fn with(choice: ColorChoice) -> Self {
        let to = AutoStream::new(std::io::stdout().lock(), choice);
        Self { to: BufWriter::with_capacity(BUFFER, to), color: choice != ColorChoice::Never }
    }
}

/// As [`width`], of text whose lines a program may look for: in a pipe they are as long as they are.
pub(crate) fn line_width() -> usize {
    if std::io::stdout().is_terminal() { width() } else { usize::MAX }
}

/// Columns of the terminal; in a pipe, of COLUMNS.
pub(crate) fn width() -> usize {
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(columns).filter(|width| *width > 0).unwrap_or(COLUMNS)
}
