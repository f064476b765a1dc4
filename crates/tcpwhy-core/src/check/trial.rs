//! What the model says of a path as the host is, and what changing one setting brings.

use super::finding::{Finding, Gain, Weight, What};
use super::general;
use super::host::Host;
use super::path::Path;
use super::transfers::{LARGEST, MOST_BUFFER, SMALLEST, congestion, modelled, receiving, sending};
use crate::kernel::Sysctls;
use crate::kernel::window::Share;
use crate::whatif::transfer::{Control, Phase, Prediction, Transfer};

/// A path on trial.
pub(super) struct Trial<'a> {
    host: &'a Host,
    pub(super) path: Path,
    pub(super) sending: Transfer,
    receiving: Transfer,
    pub(super) sent: Prediction,
    pub(super) received: Prediction,
}

impl<'a> Trial<'a> {
    pub(super) fn new(host: &'a Host, path: Path) -> Self {
        let sending = sending(host, &path);
        let receiving = receiving(host, &path);
        let (sent, received) = (modelled(&sending), modelled(&receiving));
        Self { host, path, sending, receiving, sent, received }
    }

    pub(super) fn findings(&self, path: usize) -> Vec<Finding> {
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
        Gain::of(changed.size, before, &modelled(changed))
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
        let mut after = modelled(&with(most));
        // Where packets cost more than their payload, twice the BDP is not enough.
        if after.limit() == phase && most <= MOST_BUFFER / 2 {
            most *= 2;
            after = modelled(&with(most));
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
            modelled(&t)
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
            (modelled(&Transfer { warm: false, ..warm.clone() }), modelled(&warm));
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
        let gain = Gain::of(t.size, &modelled(&before), &modelled(&t));
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

fn three(v: [u64; 3]) -> String {
    format!("{} {} {}", v[0], v[1], v[2])
}
