//! What the model says of a path as the host is, and what changing one setting brings.

use super::finding::{Finding, Gain, Weight, What};
use super::general;
use super::host::Host;
use super::path::Path;
use super::side::{Side, take};
use super::transfers::{LARGEST, MOST_BUFFER, SMALLEST, congestion, modelled, receiving, sending};
use crate::kernel::Sysctls;
use crate::kernel::window::Share;
use crate::whatif::transfer::{Control, Transfer};

/// A path on trial.
pub(super) struct Trial<'a> {
    host: &'a Host,
    pub(super) path: Path,
    pub(super) sending: Side,
    pub(super) receiving: Side,
}

impl<'a> Trial<'a> {
    pub(super) fn new(host: &'a Host, path: Path) -> Self {
        let side = |now, is_send| Side::new(host, now, is_send, wanted(host, &path, is_send));
        let (sending, receiving) =
            (side(sending(host, &path), true), side(receiving(host, &path), false));
        Self { host, path, sending, receiving }
    }

    fn side(&self, is_send: bool) -> &Side {
        if is_send { &self.sending } else { &self.receiving }
    }

    pub(super) fn findings(&self, path: usize) -> Vec<Finding> {
        let found = [
            self.memory(),
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

    /// All connections together get less memory than one needs whose receive window is the path's BDP.
    fn memory(&self) -> Option<Finding> {
        let name = "net.ipv4.tcp_mem";
        let least = share(self.host).space(self.path.bdp());
        self.host.tcp_mem().filter(|marks| marks[2] < least)?;
        let mut ample = self.receiving.now.clone();
        ample.receiver.sysctls = self.host.sysctls.clone();
        let gain = Gain::of(ample.size, &self.receiving.held, &modelled(&ample));
        let current = self.host.setting(name).unwrap_or_default();
        Some(Finding { gain, ..general::finding(What::MemoryLimit, Weight::Limit, name, current) })
    }

    fn maximum(&self, is_send: bool) -> Option<Finding> {
        let (what, name, now) = if is_send {
            (What::SendMax, "net.ipv4.tcp_wmem", self.host.sysctls.tcp_wmem)
        } else {
            (What::ReceiveMax, "net.ipv4.tcp_rmem", self.host.sysctls.tcp_rmem)
        };
        let most = self.side(is_send).most;
        if now[2] >= most {
            return None;
        }
        let gain = self.side(is_send).gain(|to, from| take(what, to, from))?;
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
        let most = (wanted(self.host, &self.path, is_send) / 2).next_multiple_of(1 << 20);
        let most = self.host.at_most(2 * most) / 2;
        if now >= most {
            return None;
        }
        let with = |max: u64| {
            let mut t = self.side(is_send).now.clone();
            if is_send {
                (t.sndbuf, t.sender.sysctls.wmem_max) = (Set(most), max);
            } else {
                (t.rcvbuf, t.receiver.sysctls.rmem_max) = (Set(most), max);
            }
            modelled(&t)
        };
        let gain = Gain::of(self.sending.now.size, &with(now), &with(most))?;
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
        let gain = self.side(is_send).gain(|to, from| take(what, to, from))?;
        Some(Finding { gain: Some(gain), weight: Weight::Limit, ..found })
    }

    /// A pause of more than a retransmission timeout: the next transfer starts with the first window.
    fn idle(&self) -> Option<Finding> {
        let name = "net.ipv4.tcp_slow_start_after_idle";
        // A congestion control that sets its rate by itself keeps it over a pause (`tcp_slow_start_after_idle_check`: `cong_control`).
        let keeps = self.sending.now.control == Control::Bbr;
        let on = self.host.sysctls.tcp_slow_start_after_idle && self.host.setting(name).is_some();
        if keeps || !on {
            return None;
        }
        // An answer of one BDP; the windows have grown before.
        let size = self.path.bdp().clamp(SMALLEST / 4, LARGEST / 4).min(self.sending.now.size);
        let warm = Transfer { warm: true, size, ..self.sending.now.clone() };
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
        let mut t = self.side(is_send).now.clone();
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
        let (better, control) = match self.sending.now.control {
            Control::Reno => ("cubic", Control::Cubic),
            Control::Cubic if self.path.loss > 0.0 => ("bbr", Control::Bbr),
            _ => return None,
        };
        let after = modelled(&Transfer { control, ..self.sending.now.clone() });
        let gain = Gain::of(self.sending.now.size, &self.sending.held, &after)?;
        Some(Finding {
            sensible: Some(better.to_owned()),
            gain: Some(gain),
            ..general::finding(What::Congestion, Weight::Limit, &name, &now)
        })
    }
}

/// What a buffer should be able to grow to: the send buffer twice the BDP (what is in flight, and what waits while it is
/// acknowledged), the receive buffer so much that its window is twice the BDP; never more than all connections together get.
fn wanted(host: &Host, path: &Path, is_send: bool) -> u64 {
    let flight = path.bdp().saturating_mul(2);
    let bytes = if is_send { flight } else { share(host).space(flight) };
    // Mebibytes, so that people can read it.
    host.at_most(bytes.max(1 << 20).next_multiple_of(1 << 20).min(MOST_BUFFER))
}

/// The part of a receive buffer that is window.
fn share(host: &Host) -> Share {
    Share::first(host.version, &Sysctls::default())
}

fn three(v: [u64; 3]) -> String {
    format!("{} {} {}", v[0], v[1], v[2])
}
