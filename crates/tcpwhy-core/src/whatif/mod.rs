//! What would happen if: the arithmetic of lifted limits, and a model of a TCP transfer.

pub(crate) mod analytic;
pub(crate) mod lifted;
pub(crate) mod reader;
pub mod traffic;
pub mod transfer;
