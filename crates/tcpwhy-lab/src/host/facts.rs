//! What a host really is: read back after it was configured.

use super::device::{self, DeviceFacts, Metrics};
use super::sysctl;
use crate::spec::HostSpec;
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Settings that decide about buffers, windows and rates, whether they were asked for or not.
const TELLING: [&str; 17] = [
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_mem",
    "net.ipv4.tcp_congestion_control",
    "net.ipv4.tcp_available_congestion_control",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_timestamps",
    "net.ipv4.tcp_sack",
    "net.ipv4.tcp_adv_win_scale",
    "net.ipv4.tcp_notsent_lowat",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_no_metrics_save",
    "net.ipv4.tcp_retries2",
    "net.ipv4.tcp_ecn",
    "net.core.rmem_max",
    "net.core.wmem_max",
];

/// A host as it is.
#[derive(Debug, Clone, Serialize)]
pub struct HostFacts {
    /// Release of the kernel.
    pub kernel: String,
    /// Settings that were asked for.
    pub asked: BTreeMap<String, String>,
    /// Settings as they are; one that a namespace does not show (`net.core` limits, on kernels where they are global) is missing.
    pub effective: BTreeMap<String, String>,
    /// Metrics that were asked for.
    pub route_asked: Metrics,
    /// Metrics of the route to the peer.
    pub route: Metrics,
    /// The device with its offload limits.
    pub device: DeviceFacts,
}

/// Reads the facts in the calling thread's network namespace.
pub(super) fn read(spec: &HostSpec, device: &str, peer: IpAddr) -> HostFacts {
    let names = TELLING.iter().copied().chain(spec.sysctls.keys().map(String::as_str));
    let effective = names.filter_map(|n| Some((n.to_owned(), sysctl::get(n)?))).collect();
    HostFacts {
        kernel: sysctl::kernel_release(),
        asked: spec.sysctls.clone(),
        effective,
        route_asked: Metrics {
            congestion: spec.congestion.as_ref().map(|c| c.0.clone()),
            initcwnd: spec.initcwnd,
            initrwnd: spec.initrwnd,
        },
        route: device::route_metrics(peer).unwrap_or_default(),
        device: device::facts(device).unwrap_or_default(),
    }
}
