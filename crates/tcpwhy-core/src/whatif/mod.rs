<<<<<<< HEAD
//! What the transfer time would be if a limit were lifted.

pub(crate) mod analytic;
=======
//! What would happen if: models of a TCP transfer.

pub mod traffic;
>>>>>>> model
