//! For people.

use std::io::{self, Write};

use super::words;
use crate::printable;
use tcpwhy_core::advice::quantity::{buffer, data, percent, rate, span};
use tcpwhy_core::check::{Device, Finding, Gain, Host, Judged, NEVER, Report, Weight};

/// Writes the answer about one host.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(mut out: impl Write, report: &Report) -> io::Result<()> {
    host(&mut out, &report.host)?;
    for (n, judged) in report.paths.iter().enumerate() {
        path(&mut out, n + 1, judged)?;
    }
    if report.findings.is_empty() {
        let over = if report.paths.is_empty() { "" } else { " over these paths" };
        writeln!(out, "\nNothing that limits or harms a transfer was found{over}.")?;
    } else {
        writeln!(out, "\nWhat to look at")?;
    }
    for found in &report.findings {
        finding(&mut out, found, report.paths.len())?;
    }
    if !report.leave.is_empty() {
        writeln!(out, "\nLeave as it is")?;
    }
    for leave in &report.leave {
        let value = printable(&leave.current);
        writeln!(out, "  {} = {value}: {}", leave.setting, words::stay(leave.setting))?;
    }
    for missing in &report.host.missing {
        writeln!(out, "note: {}", printable(missing))?;
    }
    if report.paths.is_empty() {
        writeln!(out, "note: no path is known: name one with --rate and --rtt, or --peer")?;
    }
    Ok(())
}

fn host(out: &mut impl Write, host: &Host) -> io::Result<()> {
    let version = match host.release.as_str() {
        "" => format!("{}.{} (assumed)", host.version.major, host.version.minor),
        release => release.to_owned(),
    };
    writeln!(out, "{}: Linux {}", printable(&host.name), printable(&version))?;
    let congestion = host.setting("net.ipv4.tcp_congestion_control").unwrap_or("not known");
    writeln!(out, "  congestion control  {}", printable(congestion))?;
    let (send, receive) = (host.sysctls.tcp_wmem, host.sysctls.tcp_rmem);
    writeln!(out, "  send buffers        {} to {}", buffer(send[1]), buffer(send[2]))?;
    writeln!(out, "  receive buffers     {} to {}", buffer(receive[1]), buffer(receive[2]))?;
    if let Some(marks) = host.tcp_mem() {
        let used = host.tcp_pages.map(|pages| pages.saturating_mul(host.page_size));
        let used = used.map_or(String::new(), |used| format!("{} used, ", buffer(used)));
        writeln!(
            out,
            "  memory of TCP       {used}pressure at {}, at most {}",
            buffer(marks[1]),
            buffer(marks[2])
        )?;
    }
    for device in &host.devices {
        writeln!(out, "  device              {}", printable(&about(device)))?;
    }
    for route in host.routes.iter().filter(|r| r.initcwnd.or(r.initrwnd).is_some()) {
        let number =
            |name: &str, v: Option<u32>| v.map_or(String::new(), |v| format!(" {name} {v}"));
        let (cwnd, rwnd) = (number("initcwnd", route.initcwnd), number("initrwnd", route.initrwnd));
        writeln!(
            out,
            "  route               {} {}{cwnd}{rwnd}",
            printable(&route.destination),
            printable(&route.device)
        )?;
    }
    Ok(())
}

fn about(device: &Device) -> String {
    let mut text = device.name.clone();
    if let Some(mtu) = device.mtu {
        text += &format!(", MTU {mtu}");
    }
    if let Some(speed) = device.speed_bps {
        text += &format!(", {}", rate(speed));
    }
    if !device.qdiscs.is_empty() {
        text += &format!(", qdisc {}", device.qdiscs.join(" "));
    }
    let on: Vec<_> = device.offloads.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    if !on.is_empty() {
        text += &format!(", offloads {}", on.join(" "));
    }
    text
}

fn path(out: &mut impl Write, n: usize, judged: &Judged) -> io::Result<()> {
    let p = &judged.path;
    let peer = p.peer.map_or(String::new(), |peer| format!(" to {peer}"));
    writeln!(
        out,
        "\nPath {n}{peer}: {} ({}), round trip {} ({})",
        rate(p.rate_bps),
        words::source(p.rate_from),
        span(p.rtt),
        words::source(p.rtt_from)
    )?;
    if let Some(route) = &p.route {
        let cwnd = route.initcwnd.map_or(String::new(), |v| format!(", initcwnd {v}"));
        writeln!(out, "  through {}, segments of {} B{cwnd}", printable(&route.device), p.mss)?;
    }
    writeln!(out, "  BDP {}; {} by the model:", data(p.bdp()), data(judged.size))?;
    for (what, said) in [("sends", &judged.sending), ("receives", &judged.receiving)] {
        let part = said.steady_bps as f64 / p.rate_bps.max(1) as f64;
        let part = percent(part.min(1.0));
        if said.complete {
            writeln!(
                out,
                "  the host {what:<8} in {:>8}, at {} in the end ({part} of the path), mostly held by {}",
                span(said.time),
                rate(said.steady_bps),
                said.limit().name()
            )?;
        } else {
            writeln!(
                out,
                "  the host {what:<8} and does not end, held by {}",
                said.limit().name()
            )?;
        }
    }
    Ok(())
}

fn finding(out: &mut impl Write, found: &Finding, paths: usize) -> io::Result<()> {
    let mark = match found.weight {
        Weight::Limit => "limits",
        Weight::Harm => "harms",
        Weight::Note => "note",
    };
    let to = found.sensible.as_deref().map_or(String::new(), |value| format!(" -> {value}"));
    writeln!(
        out,
        "  {mark:<6}  {}: {}{}",
        printable(&found.setting),
        printable(&found.current),
        printable(&to)
    )?;
    writeln!(out, "          {}", words::why(found.what))?;
    let on = match found.path {
        Some(path) if paths > 1 => format!(" on path {}", path + 1),
        _ => String::new(),
    };
    if let Some(gain) = found.gain {
        writeln!(out, "          gain by the model{on}: {}", won(&gain))?;
    }
    if let Some(cost) = found.cost {
        let all = cost.all.map_or(String::new(), |all| {
            format!("; all connections together never more than tcp_mem's {}", buffer(all))
        });
        writeln!(out, "          memory at worst: {} more a connection{all}", buffer(cost.each))?;
    }
    Ok(())
}

pub(super) fn won(gain: &Gain) -> String {
    let size = data(gain.size);
    if gain.before == NEVER {
        return format!("{size} in {}, which does not end now", span(gain.after));
    }
    let factor = gain.factor();
    let (before, after) = (span(gain.before), span(gain.after));
    format!("{size} in {after} instead of {before} ({factor:.1} times as fast)")
}
