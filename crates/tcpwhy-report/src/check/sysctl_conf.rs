//! A drop-in for `/etc/sysctl.d`: only sysctls, each with why.

use std::io::{self, Write};

use super::text::won;
use super::words;
use crate::printable;
use tcpwhy_core::advice::quantity::{buffer, rate, span};
use tcpwhy_core::check::{Report, Weight};

/// Writes the drop-in. What only helps some programs is commented out.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(mut out: impl Write, report: &Report) -> io::Result<()> {
    writeln!(out, "# From tcpwhy check of {}. Read it, then:", printable(&report.host.name))?;
    writeln!(out, "#   save it as /etc/sysctl.d/90-tcpwhy.conf and run sysctl --system")?;
    for judged in &report.paths {
        let p = &judged.path;
        let peer = p.peer.map_or(String::new(), |peer| format!(" to {peer}"));
        writeln!(out, "# Path{peer}: {}, round trip {}", rate(p.rate_bps), span(p.rtt))?;
    }
    let mut any = false;
    for found in &report.findings {
        let Some((name, value)) = found.sysctl() else { continue };
        any = true;
        writeln!(out, "\n# Now {}: {}.", printable(&found.current), words::why(found.what))?;
        if let Some(gain) = found.gain {
            writeln!(out, "# Gain by the model: {}.", won(&gain))?;
        }
        if let Some(cost) = found.cost {
            writeln!(out, "# Memory at worst: {} more a connection.", buffer(cost.each))?;
        }
        let comment = if found.weight == Weight::Note { "# " } else { "" };
        writeln!(out, "{comment}{name} = {}", printable(value))?;
    }
    if !any {
        writeln!(out, "\n# Nothing to change.")?;
    }
    Ok(())
}
