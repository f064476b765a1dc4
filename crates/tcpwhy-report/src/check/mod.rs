//! The answer of `tcpwhy check`: words, JSON (`schema/tcpwhy.check-1.schema.json`), a drop-in for `sysctl.d`.

mod json;
mod sysctl_conf;
mod text;
mod words;

pub use json::write as json;
pub use sysctl_conf::write as sysctl_conf;
pub use text::write as text;

/// Name and version of the contract, as in the `schema` field.
pub const SCHEMA: &str = "tcpwhy.check/1";
