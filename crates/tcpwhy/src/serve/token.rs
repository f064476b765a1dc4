//! The secret that visitors must know when others than this machine can ask.

use crate::error::Error;
use std::fmt;
use subtle::ConstantTimeEq;

/// Bytes of randomness.
const LENGTH: usize = 16;

/// A random token.
pub(super) struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// The system has no randomness.
    pub(super) fn new() -> Result<Self, Error> {
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).map_err(Error::Random)?;
        Ok(Self(hex(&bytes)))
    }

    /// Whether it is this one; takes as long whatever is wrong with it.
    pub(super) fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }

    /// As text, for whom it is meant.
    pub(super) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 15)]);
    bytes.iter().flat_map(|b| [digit(b >> 4), digit(*b)]).collect()
}
