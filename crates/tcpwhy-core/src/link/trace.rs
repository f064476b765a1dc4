//! Reads packet delivery traces in mahimahi's format: one line a millisecond at which 1,504 bytes may leave, ascending.

use std::fmt;

use super::spec::Rate;

/// Why a text is no trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceError {
    /// This line (from 1) is no whole number of milliseconds.
    NoNumber(usize),
    /// This line (from 1) is before the one above it.
    Backwards(usize),
    /// Nothing ever leaves: there is no line, or all are 0.
    Empty,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoNumber(line) => {
                write!(f, "line {line} of the trace is no whole number of milliseconds")
            }
            Self::Backwards(line) => {
                write!(
                    f,
                    "line {line} of the trace is earlier than the line above it; sort the lines"
                )
            }
            Self::Empty => write!(f, "the trace has no line above 0, so its rate is not defined"),
        }
    }
}

impl std::error::Error for TraceError {}

impl Rate {
    /// The rate that a mahimahi trace describes; empty lines do not count.
    ///
    /// # Errors
    /// When the text is no such trace.
    pub fn from_mahimahi(text: &str) -> Result<Self, TraceError> {
        let mut lines: Vec<u32> = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let at = line.trim().parse().map_err(|_| TraceError::NoNumber(index + 1))?;
            if lines.last().is_some_and(|last| at < *last) {
                return Err(TraceError::Backwards(index + 1));
            }
            lines.push(at);
        }
        if lines.last().is_none_or(|last| *last == 0) {
            return Err(TraceError::Empty);
        }
        Ok(Self::Trace(lines))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_and_a_wrong_one_is_refused_with_its_line() {
        assert_eq!(Rate::from_mahimahi("0\n5\n5\n\n12\n"), Ok(Rate::Trace(vec![0, 5, 5, 12])));
        assert_eq!(Rate::from_mahimahi("1\n2.5\n"), Err(TraceError::NoNumber(2)));
        assert_eq!(Rate::from_mahimahi("5\n\n4\n"), Err(TraceError::Backwards(3)));
        assert_eq!(Rate::from_mahimahi("0\n0\n"), Err(TraceError::Empty));
    }
}
