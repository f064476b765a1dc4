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
mod case;
mod compare;
mod confusion;
mod error;
pub mod matrix;
mod measure;
pub mod report;
mod result;
mod runner;
mod timeline;
mod variant;

pub use agreement::{Agreement, agreement};
pub use boundary::{errors as boundary_errors, quantile};
pub use calibration::{Bin, Calibration};
pub use capture::{Look, analyse_file, analyse_segments, segments_of};
pub use case::{Case, Other, Truth, read_truth, score_case, transfer_time, way};
pub use compare::{CauseTime, Comparison, compare};
pub use confusion::{Confusion, limit};
pub use error::Error;
pub use measure::{Path as Way, Place, Said, Scored, Seen, View, direction, measure};
pub use result::{CellResult, Judgement, Outcome, Twin};
pub use runner::{Nature, Run, Runner};
pub use timeline::{Span, Timeline, pieces};
pub use variant::{Filter, Judged, Variant};
