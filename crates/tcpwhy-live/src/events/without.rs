//! A build without BPF: there are no events, and it says so.

use super::{Error, Event, Refused, Scope};

/// The kernel's events; in this build, none.
#[derive(Debug)]
pub struct Stream(std::convert::Infallible);

impl Stream {
    /// Says that this build has none.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: &Scope) -> Result<Self, Error> {
        Err(Error::NotBuilt)
    }

    /// Nothing.
    pub fn drain(&mut self, _: impl FnMut(Event)) -> u64 {
        match self.0 {}
    }

    /// Nothing.
    pub fn lost(&self) -> u64 {
        match self.0 {}
    }

    /// Nothing.
    pub fn refused(&self) -> &[Refused] {
        match self.0 {}
    }
}
