//! For people.

use std::io::{self, Write};

use super::words::{self, Course, Label, Line, Words};
use crate::{padded, paragraph, printable};
use tcpwhy_core::advice::Language;
use tcpwhy_core::advice::quantity::rate;
use tcpwhy_core::check::{Device, Finding, Host, Judged, Report};

/// Columns of the labels of a host's lines, and of a finding's weight.
const LABEL: usize = 19;
const WEIGHT: usize = 6;
/// As many, and the margin, before what else is said of a finding.
const BEHIND: &str = "          ";

/// Where paragraphs go, and how many columns they may take.
struct To<W> {
    out: W,
    width: usize,
}

impl<W: Write> To<W> {
    /// A paragraph behind `lead`.
    fn item(&mut self, lead: &str, text: &str) -> io::Result<()> {
        self.out.write_all(paragraph(lead, text, self.width).as_bytes())
    }

    /// A paragraph that begins something new.
    fn title(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out)?;
        self.item("", text)
    }
}

/// Writes the answer about one host, in lines of `width` columns.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(out: impl Write, report: &Report, language: Language, width: usize) -> io::Result<()> {
    let w = words::of(language);
    let mut to = To { out, width };
    host(&mut to, w, &report.host)?;
    for (n, judged) in report.paths.iter().enumerate() {
        path(&mut to, w, n + 1, judged)?;
    }
    if report.paths.is_empty() {
        to.title(w.line(Line::NoPath))?;
    }
    let title = match report.findings.is_empty() {
        true => Line::Nothing { paths: !report.paths.is_empty() },
        false => Line::LookAt,
    };
    to.title(w.line(title))?;
    for found in &report.findings {
        finding(&mut to, w, found, report.paths.len())?;
    }
    if !report.leave.is_empty() {
        to.title(w.line(Line::Leave))?;
    }
    for leave in &report.leave {
        let value = printable(&leave.current);
        to.item("  ", &format!("{} = {value}: {}", leave.setting, w.stay(leave.setting)))?;
    }
    for missing in &report.host.missing {
        to.item("", &w.note(&printable(missing)))?;
    }
    Ok(())
}

fn host(to: &mut To<impl Write>, w: &dyn Words, host: &Host) -> io::Result<()> {
    let version = match host.release.as_str() {
        "" => w.assumed(&format!("{}.{}", host.version.major, host.version.minor)),
        release => release.to_owned(),
    };
    to.item("", &format!("{}: Linux {}", printable(&host.name), printable(&version)))?;
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
        let lead = format!("  {} ", padded(w.label(label), LABEL));
        to.item(&lead, &printable(&text))?;
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

fn path(to: &mut To<impl Write>, w: &dyn Words, n: usize, judged: &Judged) -> io::Result<()> {
    let p = &judged.path;
    to.title(&w.path(n, p))?;
    if let Some(route) = &p.route {
        to.item("  ", &w.route(&printable(&route.device), p.mss, route.initcwnd))?;
    }
    to.item("  ", &w.by_the_model(judged))?;
    for sends in [true, false] {
        let text = match Course::of(judged, sends) {
            Ok(course) => w.course(&course),
            Err(limit) => w.endless(sends, limit),
        };
        to.item("  ", &text)?;
    }
    Ok(())
}

fn finding(
    to: &mut To<impl Write>,
    w: &dyn Words,
    found: &Finding,
    paths: usize,
) -> io::Result<()> {
    let lead = format!("  {}  ", padded(w.weight(found.weight), WEIGHT));
    let arrow = found.sensible.as_deref().map_or(String::new(), |value| format!(" -> {value}"));
    let (setting, current) = (printable(&found.setting), printable(&found.current));
    to.item(&lead, &format!("{setting}: {current}{}", printable(&arrow)))?;
    to.item(BEHIND, w.why(found.what))?;
    if let Some(gain) = found.gain {
        let path = found.path.filter(|_| paths > 1).map(|path| path + 1);
        to.item(BEHIND, &w.gain(&gain, path))?;
    }
    if let Some(cost) = found.cost {
        to.item(BEHIND, &w.cost(cost.each, cost.all))?;
    }
    Ok(())
}
