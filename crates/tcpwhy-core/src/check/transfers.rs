//! The transfers over a path that the model is asked about.

use super::general;
use super::host::Host;
use super::path::Path;
use crate::kernel::{Sysctls, Version};
use crate::units::Nanos;
use crate::whatif::transfer::{Control, End, Prediction, Transfer, follow, typical};

/// Bytes of a transfer in which the start matters little, in bandwidth-delay products.
const LONG: u64 = 8;
/// More than this would take the model seconds for each question.
pub(super) const LARGEST: u64 = 200_000_000;
pub(super) const SMALLEST: u64 = 1_000_000;
/// Buffers are `int` in the kernel, and doubled.
pub(super) const MOST_BUFFER: u64 = 1 << 30;

/// Where packets are lost, one run is chance: the median of so many, as far as so many segments go.
const RUNS: u64 = 5;
const SEGMENTS: u64 = 500_000;

/// What the model says of a transfer.
pub(super) fn modelled(t: &Transfer) -> Prediction {
    if t.loss > 0.0 { typical(t, RUNS, SEGMENTS).prediction } else { follow(t) }
}

/// Where the congestion control is set, and which it is.
pub(super) fn congestion(host: &Host, path: &Path) -> (String, String) {
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

/// The host's end, as far as its memory lets it use its sysctls.
pub(super) fn own(host: &Host) -> End {
    End { version: host.version, sysctls: host.usable() }
}

/// The host sends over the path, to an end without limits.
pub(super) fn sending(host: &Host, path: &Path) -> Transfer {
    let route = path.route.as_ref();
    Transfer {
        sender: own(host),
        receiver: ample(host, path),
        initcwnd: route.and_then(|r| r.initcwnd).map(u64::from),
        offload: general::offloads(host, route.map(|r| r.device.as_str())),
        ..base(host, path)
    }
}

/// The host receives over the path, from an end without limits.
pub(super) fn receiving(host: &Host, path: &Path) -> Transfer {
    Transfer {
        sender: ample(host, path),
        receiver: own(host),
        initrwnd: path.route.as_ref().and_then(|r| r.initrwnd).map(u64::from),
        // A peer's congestion control is not known.
        control: Control::Cubic,
        ..base(host, path)
    }
}
