//! The analysis as a whole: what it must never do, what it must find, and how often it does.

mod grid;
mod segments;
mod truth;
