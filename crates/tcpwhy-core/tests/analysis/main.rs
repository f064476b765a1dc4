//! The analysis as a whole: what it must never do, what it must find, and how often it does.

mod grid;
mod properties;
mod random;
mod script;
mod segments;
mod silence;
mod traps;
mod truth;
