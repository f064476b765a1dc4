//! The number that we steer by: what the analysis says of runs whose truth is recorded.
//!
//! ```text
//! matrix -> cells -> run (case folder) -> captures x variants -> timelines -+-> comparison -> tables (docs/score.md)
//!                                         truth.json ----------------------+
//!                                         stopwatch, tshark, T-RAT --------+  the baselines, on the same runs
//! ```

mod agreement;
pub mod baseline;
mod boundary;
mod calibration;
mod capture;
mod compare;
mod confusion;
mod error;
mod timeline;
mod variant;

pub use agreement::{Agreement, agreement};
pub use boundary::{errors as boundary_errors, quantile};
pub use calibration::{Bin, Calibration};
pub use capture::{analyse_file, analyse_segments};
pub use compare::{CauseTime, Comparison, compare};
pub use confusion::{Confusion, limit};
pub use error::Error;
pub use timeline::{Span, Timeline, pieces};
pub use variant::{Filter, Judged, Variant};
