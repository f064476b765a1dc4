//! Names in running text.

use crate::model::{Cause, Limit};

/// A limit's name.
pub(crate) fn limit(limit: Limit) -> &'static str {
    match limit {
        Limit::Handshake => "handshake",
        Limit::Application => "application",
        Limit::SendBuffer => "send buffer",
        Limit::ReceiveWindow => "receive window",
        Limit::CongestionWindow => "congestion window",
        Limit::PathBandwidth => "path bandwidth",
        Limit::LossRecovery => "loss recovery",
        Limit::DelayedAck => "delayed ACK",
        Limit::SilentPath => "silent path",
        Limit::Unknown => "unknown",
    }
}

/// A cause's name: in English the published one.
pub(crate) fn cause(cause: Cause) -> Option<&'static str> {
    cause.name()
}
