//! What the transfer time would be if a limit were lifted.

pub(crate) mod analytic;
