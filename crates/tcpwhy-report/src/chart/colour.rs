//! The page's inks on its light ground (`web/src/style.css`) and the limits' colours (`web/src/limits.ts`).

use plotters::style::RGBColor;
use tcpwhy_core::model::Limit;

const fn rgb(hex: u32) -> RGBColor {
    RGBColor((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

pub(super) const GROUND: RGBColor = rgb(0xff_ff_ff);
pub(super) const INK: RGBColor = rgb(0x16_19_1d);
pub(super) const INK_SOFT: RGBColor = rgb(0x59_61_6b);
pub(super) const GRID: RGBColor = rgb(0xe3_e6_ea);
pub(super) const DATA: RGBColor = rgb(0x0b_62_c4);
pub(super) const RESENT: RGBColor = rgb(0xd6_30_1d);
pub(super) const ACKS: RGBColor = rgb(0x0a_8a_5f);
pub(super) const EDGE: RGBColor = rgb(0x8a_6d_00);
pub(super) const SACKS: RGBColor = rgb(0x9a_4f_b5);
pub(super) const BUFFER: RGBColor = rgb(0xd9_82_00);
pub(super) const CWND: RGBColor = rgb(0x5a_3f_c0);

/// Okabe and Ito's palette, told apart by colour-blind eyes.
pub(super) fn limit(limit: Limit) -> RGBColor {
    rgb(match limit {
        Limit::Handshake => 0x8a_8f_98,
        Limit::Application => 0x56_b4_e9,
        Limit::SendBuffer => 0xe6_9f_00,
        Limit::ReceiveWindow => 0xcc_79_a7,
        Limit::CongestionWindow => 0x00_72_b2,
        Limit::PathBandwidth => 0x00_9e_73,
        Limit::LossRecovery => 0xd5_5e_00,
        Limit::DelayedAck => 0xf0_e4_42,
        Limit::SilentPath => 0x5b_4a_44,
        Limit::Unknown => 0xc9_cc_d1,
    })
}

/// Ink that reads on a limit's colour.
pub(super) fn on(limit: Limit) -> RGBColor {
    match limit {
        Limit::CongestionWindow | Limit::SilentPath => GROUND,
        _ => rgb(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(c: RGBColor) -> String {
        format!("#{:02x}{:02x}{:02x}", c.0, c.1, c.2)
    }

    #[test]
    fn the_colours_are_those_of_the_page() {
        let style = include_str!("../../../../web/src/style.css");
        let inks = [
            ("ground", GROUND),
            ("ink", INK),
            ("ink-soft", INK_SOFT),
            ("grid", GRID),
            ("data", DATA),
            ("resent", RESENT),
            ("acks", ACKS),
            ("edge", EDGE),
            ("sacks", SACKS),
            ("buffer", BUFFER),
            ("cwnd", CWND),
        ];
        for (name, colour) in inks {
            assert!(style.contains(&format!("--{name}: {};", hex(colour))), "{name}");
        }
        let limits = include_str!("../../../../web/src/limits.ts");
        for l in Limit::ALL {
            let line = format!("{}: {{ colour: \"{}\"", l.name(), hex(limit(l)));
            assert!(limits.contains(&line), "{line}");
        }
    }
}
