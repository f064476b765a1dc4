//! What would happen if: models of a TCP transfer.

pub mod traffic;
