//! What would happen if: the arithmetic of lifted limits, and a model of a TCP transfer.

pub(crate) mod analytic;
pub(crate) mod lifted;
mod moving;
pub(crate) mod reader;
mod refining;
mod tail;
pub mod traffic;
pub mod transfer;
pub(crate) mod turns;

pub(crate) use analytic::LEAST_GRANT;
pub(crate) use moving::moving;
pub use refining::{Budget, refine};
pub(crate) use refining::{predict_by, predict_simply};
