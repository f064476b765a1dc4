//! A drop-in for `/etc/sysctl.d`: only sysctls, each with why.

use std::io::{self, Write};

use super::words::{self, Line};
use crate::printable;
use tcpwhy_core::advice::Language;
use tcpwhy_core::check::{Report, Weight};

/// Writes the drop-in. What only helps some programs is commented out.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(mut out: impl Write, report: &Report, language: Language) -> io::Result<()> {
    let w = words::of(language);
    writeln!(out, "# {}", w.of_host(&printable(&report.host.name)))?;
    writeln!(out, "# {}", w.line(Line::HowToUse))?;
    for judged in &report.paths {
        writeln!(out, "# {}", w.of_path(&judged.path))?;
    }
    let mut any = false;
    for found in &report.findings {
        let Some((name, value)) = found.sysctl() else { continue };
        any = true;
        writeln!(out, "\n# {}", w.now(&printable(&found.current), found.what))?;
        if let Some(gain) = found.gain {
            writeln!(out, "# {}", w.gain(&gain, None))?;
        }
        if let Some(cost) = found.cost {
            writeln!(out, "# {}", w.cost(cost.each, None))?;
        }
        let comment = if found.weight == Weight::Note { "# " } else { "" };
        writeln!(out, "{comment}{name} = {}", printable(value))?;
    }
    if !any {
        writeln!(out, "\n# {}", w.line(Line::NothingToChange))?;
    }
    Ok(())
}
