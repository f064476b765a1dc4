//! All findings of a host, over its paths.

use super::finding::{Finding, Gain, Leave, Weight, What};
use super::general;
use super::host::Host;
use super::path::Path;
use super::sockets;
use crate::kernel::window::Share;
use crate::kernel::{Sysctls, Version};
use crate::units::Nanos;
use crate::whatif::transfer::{Control, End, Phase, Prediction, Transfer, predict};

/// Bytes of a transfer in which the start matters little, in bandwidth-delay products.
const LONG: u64 = 8;
/// More than this would take the model seconds for each question.
const LARGEST: u64 = 200_000_000;
const SMALLEST: u64 = 1_000_000;
/// Buffers are `int` in the kernel, and doubled.
const MOST_BUFFER: u64 = 1 << 30;

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The host.
    pub host: Host,
    /// The paths that were judged.
    pub paths: Vec<Judged>,
    /// What was found: what limits first, and of it the largest gain first.
    pub findings: Vec<Finding>,
    /// What is right and should stay.
    pub leave: Vec<Leave>,
}

/// A path, and what the model says of a transfer over it as the host is.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The path.
    pub path: Path,
    /// The host sends.
    pub sending: Prediction,
    /// The host receives.
    pub receiving: Prediction,
    /// Bytes that each of them moves.
    pub size: u64,
}

/// Judges a host over some paths; without any, only what harms over every path is found. The other end is taken to be without
/// limits of its own.
#[must_use]
pub fn judge(host: Host, paths: Vec<Path>) -> Report {
    let mut findings = general::findings(&host);
    let mut judged = Vec::new();
    for path in paths {
        let trial = Trial::new(&host, path);
        for mut found in trial.findings(judged.len()) {
            found.path = Some(judged.len());
            add(&mut findings, found);
        }
        judged.push(Judged {
            size: trial.sending.size,
            sending: trial.sent,
            receiving: trial.received,
            path: trial.path,
        });
    }
    for found in sockets::findings(&host) {
        findings.push(found);
    }
    findings.sort_by(|a, b| {
        let gain = |f: &Finding| f.gain.map_or(1.0, |g| g.factor());
        a.weight.cmp(&b.weight).then(gain(b).total_cmp(&gain(a)))
    });
    let leave = general::leave(&host, &findings);
    Report { host, paths: judged, findings, leave }
}

/// Paths come by their size: the first finding of a setting asks for the largest buffer. A path adds its gain to what harms anyway.
fn add(findings: &mut Vec<Finding>, found: Finding) {
    match findings.iter_mut().find(|f| f.what == found.what && f.setting == found.setting) {
        Some(known) if known.gain.is_none() => {
            known.gain = found.gain;
            known.path = found.path;
            known.weight = known.weight.min(found.weight);
        }
        Some(_) => {}
        None => findings.push(found),
    }
}

struct Trial<'a> {
    host: &'a Host,
    path: Path,
    sending: Transfer,
    receiving: Transfer,
    sent: Prediction,
    received: Prediction,
}

impl<'a> Trial<'a> {
    fn new(host: &'a Host, path: Path) -> Self {
        let sending = sending(host, &path);
        let receiving = receiving(host, &path);
        let (sent, received) = (predict(&sending), predict(&receiving));
        Self { host, path, sending, receiving, sent, received }
    }

    fn findings(&self, path: usize) -> Vec<Finding> {
        let found = [
            self.maximum(true),
            self.maximum(false),
            self.clamp(true),
            self.clamp(false),
            self.switch(What::NoAutotuning),
            self.switch(What::NoWindowScaling),
            self.switch(What::AdvWinScale),
            self.switch(What::NotsentLowat),
            self.idle(),
            self.first(true),
            self.first(false),
            self.congestion(),
        ];
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        found.iter_mut().for_each(|f| f.path = Some(path));
        found
    }

    fn gain(&self, is_send: bool, changed: &Transfer) -> Option<Gain> {
        let before = if is_send { &self.sent } else { &self.received };
        Gain::of(changed.size, before, &predict(changed))
    }

    /// What a buffer should be able to grow to: the send buffer twice the BDP (what is in flight, and what waits while it is
    /// acknowledged), the receive buffer so much that its window is twice the BDP.
    fn wanted(&self, is_send: bool) -> u64 {
        let flight = self.path.bdp().saturating_mul(2);
        let bytes = if is_send {
            flight
        } else {
            Share::first(self.host.version, &Sysctls::default()).space(flight)
        };
        // Mebibytes, so that people can read it.
        bytes.max(1 << 20).next_multiple_of(1 << 20).min(MOST_BUFFER)
    }

    fn maximum(&self, is_send: bool) -> Option<Finding> {
        let (what, name, held, now, phase) = if is_send {
            let now = self.host.sysctls.tcp_wmem;
            (What::SendMax, "net.ipv4.tcp_wmem", &self.sent, now, Phase::SendBuffer)
        } else {
            let now = self.host.sysctls.tcp_rmem;
            (What::ReceiveMax, "net.ipv4.tcp_rmem", &self.received, now, Phase::ReceiveWindow)
        };
        let mut most = self.wanted(is_send);
        if now[2] >= most || held.phases.get(phase as usize).is_none_or(|t| t.0 == 0) {
            return None;
        }
        let with = |most: u64| {
            let mut t = if is_send { self.sending.clone() } else { self.receiving.clone() };
            if is_send {
                t.sender.sysctls.tcp_wmem[2] = most;
            } else {
                t.receiver.sysctls.tcp_rmem[2] = most;
            }
            t
        };
        let mut after = predict(&with(most));
        // Where packets cost more than their payload, twice the BDP is not enough.
        if after.limit() == phase && most <= MOST_BUFFER / 2 {
            most *= 2;
            after = predict(&with(most));
        }
        let gain = Gain::of(self.sending.size, held, &after)?;
        Some(Finding {
            sensible: Some(format!("{} {} {most}", now[0], now[1])),
            gain: Some(gain),
            cost: Some(general::cost(self.host, most - now[2])),
            ..general::finding(what, Weight::Limit, name, &three(now))
        })
    }

    fn clamp(&self, is_send: bool) -> Option<Finding> {
        use crate::kernel::buffers::Asked::Set;
        let (what, name, now) = if is_send {
            (What::SendClamp, "net.core.wmem_max", self.host.sysctls.wmem_max)
        } else {
            (What::ReceiveClamp, "net.core.rmem_max", self.host.sysctls.rmem_max)
        };
        self.host.setting(name)?;
        // The kernel doubles what a program asks for.
        let most = (self.wanted(is_send) / 2).next_multiple_of(1 << 20);
        if now >= most {
            return None;
        }
        let with = |max: u64| {
            let mut t = if is_send { self.sending.clone() } else { self.receiving.clone() };
            if is_send {
                (t.sndbuf, t.sender.sysctls.wmem_max) = (Set(most), max);
            } else {
                (t.rcvbuf, t.receiver.sysctls.rmem_max) = (Set(most), max);
            }
            predict(&t)
        };
        let gain = Gain::of(self.sending.size, &with(now), &with(most))?;
        Some(Finding {
            sensible: Some(most.to_string()),
            gain: Some(gain),
            cost: Some(general::cost(self.host, 2 * (most - now))),
            ..general::finding(what, Weight::Note, name, &now.to_string())
        })
    }

    /// A setting that is not as it should be, put right.
    fn switch(&self, what: What) -> Option<Finding> {
        let found = general::switches(self.host).into_iter().find(|f| f.what == what)?;
        let is_send = what == What::NotsentLowat;
        let right = Sysctls::default();
        let change = |s: &mut Sysctls| match what {
            What::NoAutotuning => s.tcp_moderate_rcvbuf = true,
            What::NoWindowScaling => s.tcp_window_scaling = true,
            What::AdvWinScale => s.tcp_adv_win_scale = right.tcp_adv_win_scale,
            _ => s.tcp_notsent_lowat = right.tcp_notsent_lowat,
        };
        let mut t = if is_send { self.sending.clone() } else { self.receiving.clone() };
        change(&mut t.sender.sysctls);
        change(&mut t.receiver.sysctls);
        let gain = self.gain(is_send, &t)?;
        Some(Finding { gain: Some(gain), weight: Weight::Limit, ..found })
    }

    /// A pause of more than a retransmission timeout: the next transfer starts with the first window.
    fn idle(&self) -> Option<Finding> {
        let name = "net.ipv4.tcp_slow_start_after_idle";
        if !self.host.sysctls.tcp_slow_start_after_idle || self.host.setting(name).is_none() {
            return None;
        }
        // An answer of one BDP; the windows have grown before.
        let size = self.path.bdp().clamp(SMALLEST / 4, LARGEST / 4).min(self.sending.size);
        let warm = Transfer { warm: true, size, ..self.sending.clone() };
        let (mut cold, after) =
            (predict(&Transfer { warm: false, ..warm.clone() }), predict(&warm));
        // There is no handshake after a pause.
        cold.time = cold.time - self.path.rtt.scale(3, 2);
        let gain = Gain::of(size, &cold, &after)?;
        Some(Finding {
            sensible: Some("0".to_owned()),
            gain: Some(gain),
            ..general::finding(What::IdleRestart, Weight::Note, name, "1")
        })
    }

    /// A route's first window below what the kernel takes by itself.
    fn first(&self, is_send: bool) -> Option<Finding> {
        let route = self.path.route.as_ref()?;
        let (what, now) = if is_send {
            (What::InitialWindow, route.initcwnd)
        } else {
            (What::InitialReceive, route.initrwnd)
        };
        let now = now.filter(|n| (1..10).contains(n))?;
        let mut t = if is_send { self.sending.clone() } else { self.receiving.clone() };
        (t.initcwnd, t.initrwnd) = (t.initcwnd.filter(|_| !is_send), None);
        t.size = t.size.min(SMALLEST);
        let before = Transfer {
            initcwnd: if is_send { Some(u64::from(now)) } else { t.initcwnd },
            initrwnd: (!is_send).then_some(u64::from(now)),
            ..t.clone()
        };
        let gain = Gain::of(t.size, &predict(&before), &predict(&t));
        let setting = format!("route {} {}", route.destination, what.name());
        Some(Finding {
            sensible: Some("10".to_owned()),
            gain,
            ..general::finding(what, Weight::Harm, &setting, &now.to_string())
        })
    }

    /// Reno against cubic, cubic against bbr: only where packets get lost.
    fn congestion(&self) -> Option<Finding> {
        let (name, now) = congestion(self.host, &self.path);
        let (better, control) = match self.sending.control {
            Control::Reno => ("cubic", Control::Cubic),
            Control::Cubic if self.path.loss > 0.0 => ("bbr", Control::Bbr),
            _ => return None,
        };
        let gain = self.gain(true, &Transfer { control, ..self.sending.clone() })?;
        Some(Finding {
            sensible: Some(better.to_owned()),
            gain: Some(gain),
            ..general::finding(What::Congestion, Weight::Limit, &name, &now)
        })
    }
}

/// Where the congestion control is set, and which it is.
fn congestion(host: &Host, path: &Path) -> (String, String) {
    let name = "net.ipv4.tcp_congestion_control";
    if let Some((route, now)) = path.route.as_ref().and_then(|r| Some((r, r.congestion.as_ref()?)))
    {
        return (format!("route {} congctl", route.destination), now.clone());
    }
    (name.to_owned(), host.setting(name).unwrap_or("cubic").to_owned())
}

fn base(host: &Host, path: &Path) -> Transfer {
    let long = path.bdp().saturating_mul(LONG).clamp(SMALLEST, LARGEST);
    let control = match congestion(host, path).1.as_str() {
        "reno" => Control::Reno,
        name if name.starts_with("bbr") => Control::Bbr,
        _ => Control::Cubic,
    };
    Transfer {
        size: path.size.unwrap_or(long),
        rate_bps: path.rate_bps,
        rtt: path.rtt.max(Nanos(1_000)),
        loss: path.loss,
        queue: path.bdp().max(102_400),
        control,
        mss: path.mss.clamp(88, 65_483),
        ..Transfer::default()
    }
}

/// An end whose buffers never limit; a switch that both ends must agree on is the host's.
fn ample(host: &Host, path: &Path) -> End {
    let most = path.bdp().saturating_mul(16).clamp(16 << 20, MOST_BUFFER);
    let sysctls = Sysctls {
        tcp_rmem: [4_096, most / 2, most],
        tcp_wmem: [4_096, most / 2, most],
        tcp_window_scaling: host.sysctls.tcp_window_scaling,
        ..Sysctls::default()
    };
    End { version: Version::new(6, 18), sysctls }
}

fn own(host: &Host) -> End {
    End { version: host.version, sysctls: host.sysctls.clone() }
}

fn sending(host: &Host, path: &Path) -> Transfer {
    let route = path.route.as_ref();
    Transfer {
        sender: own(host),
        receiver: ample(host, path),
        initcwnd: route.and_then(|r| r.initcwnd).map(u64::from),
        offload: general::offloads(host, route.map(|r| r.device.as_str())),
        ..base(host, path)
    }
}

fn receiving(host: &Host, path: &Path) -> Transfer {
    Transfer {
        sender: ample(host, path),
        receiver: own(host),
        initrwnd: path.route.as_ref().and_then(|r| r.initrwnd).map(u64::from),
        // A peer's congestion control is not known.
        control: Control::Cubic,
        ..base(host, path)
    }
}

fn three(v: [u64; 3]) -> String {
    format!("{} {} {}", v[0], v[1], v[2])
}
