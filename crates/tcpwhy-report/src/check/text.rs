//! For people.

use std::io::{self, Write};

use super::words::{self, Label, Line, Words};
use crate::{padded, printable};
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::rate;
use tcpwhy_core::check::{Device, Finding, Host, Judged, Report};

/// Columns of the labels of a host's lines, and of a finding's weight.
const LABEL: usize = 19;
const WEIGHT: usize = 6;

/// Writes the answer about one host.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(mut out: impl Write, report: &Report, language: Language) -> io::Result<()> {
    let w = words::of(language);
    host(&mut out, w, &report.host)?;
    for (n, judged) in report.paths.iter().enumerate() {
        path(&mut out, w, n + 1, judged)?;
    }
    let title = match report.findings.is_empty() {
        true => Line::Nothing { paths: !report.paths.is_empty() },
        false => Line::LookAt,
    };
    writeln!(out, "\n{}", w.line(title))?;
    for found in &report.findings {
        finding(&mut out, w, found, report.paths.len())?;
    }
    if !report.leave.is_empty() {
        writeln!(out, "\n{}", w.line(Line::Leave))?;
    }
    for leave in &report.leave {
        let value = printable(&leave.current);
        writeln!(out, "  {} = {value}: {}", leave.setting, w.stay(leave.setting))?;
    }
    for missing in &report.host.missing {
        writeln!(out, "{}", w.note(&printable(missing)))?;
    }
    if report.paths.is_empty() {
        writeln!(out, "{}", w.note(w.line(Line::NoPath)))?;
    }
    Ok(())
}

fn host(out: &mut impl Write, w: &dyn Words, host: &Host) -> io::Result<()> {
    let version = match host.release.as_str() {
        "" => w.assumed(&format!("{}.{}", host.version.major, host.version.minor)),
        release => release.to_owned(),
    };
    writeln!(out, "{}: Linux {}", printable(&host.name), printable(&version))?;
    let (send, receive) = (host.sysctls.tcp_wmem, host.sysctls.tcp_rmem);
    let congestion = host.setting("net.ipv4.tcp_congestion_control").unwrap_or(w.unknown());
    let mut lines = vec![
        (Label::Congestion, congestion.to_owned()),
        (Label::SendBuffers, w.range(send[1], send[2])),
        (Label::ReceiveBuffers, w.range(receive[1], receive[2])),
    ];
    if let Some(marks) = host.tcp_mem() {
        let used = host.tcp_pages.map(|pages| pages.saturating_mul(host.page_size));
        lines.push((Label::Memory, w.memory(used, marks[1], marks[2])));
    }
    lines.extend(host.devices.iter().map(|device| (Label::Device, about(device))));
    for route in host.routes.iter().filter(|r| r.initcwnd.or(r.initrwnd).is_some()) {
        let number =
            |name: &str, v: Option<u32>| v.map_or(String::new(), |v| format!(" {name} {v}"));
        let (cwnd, rwnd) = (number("initcwnd", route.initcwnd), number("initrwnd", route.initrwnd));
        let text = format!("{} {}{cwnd}{rwnd}", route.destination, route.device);
        lines.push((Label::Route, text));
    }
    for (label, text) in lines {
        writeln!(out, "  {} {}", padded(w.label(label), LABEL), printable(&text))?;
    }
    Ok(())
}

/// Names and numbers only, as `ip` and `ethtool` write them.
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

fn path(out: &mut impl Write, w: &dyn Words, n: usize, judged: &Judged) -> io::Result<()> {
    let p = &judged.path;
    writeln!(out, "\n{}", w.path(n, p))?;
    if let Some(route) = &p.route {
        writeln!(out, "  {}", w.route(&printable(&route.device), p.mss, route.initcwnd))?;
    }
    writeln!(out, "  {}", w.by_the_model(judged))?;
    for (sends, said) in [(true, &judged.sending), (false, &judged.receiving)] {
        writeln!(out, "  {}", w.said(sends, said, p.rate_bps))?;
    }
    Ok(())
}

fn finding(out: &mut impl Write, w: &dyn Words, found: &Finding, paths: usize) -> io::Result<()> {
    let mark = padded(w.weight(found.weight), WEIGHT);
    let to = found.sensible.as_deref().map_or(String::new(), |value| format!(" -> {value}"));
    let (setting, current) = (printable(&found.setting), printable(&found.current));
    writeln!(out, "  {mark}  {setting}: {current}{}", printable(&to))?;
    writeln!(out, "          {}", w.why(found.what))?;
    if let Some(gain) = found.gain {
        let path = found.path.filter(|_| paths > 1).map(|path| path + 1);
        writeln!(out, "          {}", w.gain(&gain, path))?;
    }
    if let Some(cost) = found.cost {
        writeln!(out, "          {}", w.cost(cost.each, cost.all))?;
    }
    Ok(())
}
