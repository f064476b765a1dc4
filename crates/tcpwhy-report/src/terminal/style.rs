//! One letter and one colour for each limit. Calm tones of the 256-colour palette that read on dark
//! and light ground; the letter says the same without colour.

use anstyle::{Ansi256Color, Color, Style};
use tcpwhy_core::model::Limit;

/// Headings.
pub(super) const BOLD: Style = Style::new().bold();
/// What may be skipped.
pub(super) const DIM: Style = Style::new().dimmed();

/// The letter of a limit in strip and legend.
pub fn letter(limit: Limit) -> char {
    match limit {
        Limit::Handshake => 'H',
        Limit::Application => 'A',
        Limit::SendBuffer => 'S',
        Limit::ReceiveWindow => 'R',
        Limit::CongestionWindow => 'C',
        Limit::PathBandwidth => 'P',
        Limit::LossRecovery => 'L',
        Limit::DelayedAck => 'D',
        Limit::SilentPath => 'X',
        Limit::Unknown => '?',
    }
}

/// The colour of a limit.
pub(super) fn color(limit: Limit) -> Style {
    Style::new().fg_color(Some(Color::Ansi256(Ansi256Color(color_index(limit)))))
}

/// The same as a number of the 256-colour palette.
pub fn color_index(limit: Limit) -> u8 {
    match limit {
        Limit::Handshake => 103,
        Limit::Application => 67,
        Limit::SendBuffer => 172,
        Limit::ReceiveWindow => 133,
        Limit::CongestionWindow => 178,
        Limit::PathBandwidth => 71,
        Limit::LossRecovery => 167,
        Limit::DelayedAck => 37,
        Limit::SilentPath => 124,
        Limit::Unknown => 245,
    }
}
