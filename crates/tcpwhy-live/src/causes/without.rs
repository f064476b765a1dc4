//! A build without BPF: nobody tells, and it says so.

use std::collections::{HashMap, HashSet};

use super::{Asked, Blocked, Counts, Limited, Lost, Slept, Tuned};
use crate::events::{Error, Refused};
use crate::process::Descriptors;

/// Who did what to sockets; in this build, nobody knows.
#[derive(Debug)]
pub struct Causes(std::convert::Infallible);

impl Causes {
    /// Says that this build has none.
    ///
    /// # Errors
    /// Always.
    pub fn open(_: bool) -> Result<Self, Error> {
        Err(Error::NotBuilt)
    }

    /// Nothing.
    #[must_use]
    pub fn is_readable(&mut self) -> bool {
        match self.0 {}
    }

    /// Nothing.
    #[must_use]
    pub fn take_descriptors(&mut self) -> Option<Descriptors> {
        match self.0 {}
    }

    /// Nothing.
    #[must_use]
    pub fn refused(&self) -> &[Refused] {
        match self.0 {}
    }

    /// Nothing.
    #[must_use]
    pub fn lost(&self) -> Lost {
        match self.0 {}
    }

    /// Nothing.
    pub fn drain(&mut self) {
        match self.0 {}
    }

    /// Nothing.
    #[must_use]
    pub fn asked(&self, _: u32, _: u32, _: u16) -> Vec<Asked> {
        match self.0 {}
    }

    /// Nothing.
    pub fn slept(&mut self, _: &HashSet<u32>) -> (HashMap<u32, Blocked>, Vec<Slept>) {
        match self.0 {}
    }

    /// Nothing.
    #[must_use]
    pub fn counts(&self, _: &HashSet<u64>) -> HashMap<u64, Counts> {
        match self.0 {}
    }

    /// Nothing.
    #[must_use]
    pub fn limited(&self, _: u64) -> Option<Limited> {
        match self.0 {}
    }

    /// Nothing.
    #[must_use]
    pub fn tuned(&self, _: u64) -> Option<Tuned> {
        match self.0 {}
    }

    /// Nothing.
    pub fn keep(&mut self, _: &HashSet<u32>, _: &HashSet<u64>) {
        match self.0 {}
    }
}
