//! What harms over every path, and what should stay as it is.

use super::finding::{Cost, Finding, Leave, Weight, What};
use super::host::Host;
use crate::kernel::memory::{Memory, state};
use crate::kernel::{Sysctls, Version};

/// `tcp_adv_win_scale` is without effect from here on (commit dfa2f0483360).
const MEASURED: Version = Version::new(6, 6);
/// Queueing disciplines that hold a rate, or make a path worse on purpose.
const SHAPERS: [&str; 6] = ["tbf", "htb", "hfsc", "cbq", "netem", "cake"];
/// Below Ethernet's 1,500 and the usual tunnels' 1,400, headers weigh.
const SMALL_MTU: u32 = 1_400;

/// A finding without value, gain and cost.
pub(super) fn finding(what: What, weight: Weight, setting: &str, current: &str) -> Finding {
    Finding {
        what,
        weight,
        setting: setting.to_owned(),
        current: current.to_owned(),
        sensible: None,
        gain: None,
        cost: None,
        path: None,
    }
}

pub(super) fn cost(host: &Host, each: u64) -> Cost {
    Cost { each, all: host.tcp_mem().map(|marks| marks[2]) }
}

pub(super) fn findings(host: &Host) -> Vec<Finding> {
    let mut found = switches(host);
    found.extend(memory(host));
    found.extend(devices(host));
    found
}

/// Settings that somebody changed and that should be put back.
pub(super) fn switches(host: &Host) -> Vec<Finding> {
    let right = Sysctls::default();
    let s = &host.sysctls;
    let off = |name: &str| host.setting(name).is_some_and(|value| value == "0");
    let scale = host.version < MEASURED && s.tcp_adv_win_scale != right.tcp_adv_win_scale;
    let list = [
        (What::NoAutotuning, "net.ipv4.tcp_moderate_rcvbuf", !s.tcp_moderate_rcvbuf, "1"),
        (What::NoWindowScaling, "net.ipv4.tcp_window_scaling", !s.tcp_window_scaling, "1"),
        (What::NoSack, "net.ipv4.tcp_sack", off("net.ipv4.tcp_sack"), "1"),
        (What::NoTimestamps, "net.ipv4.tcp_timestamps", off("net.ipv4.tcp_timestamps"), "1"),
        (What::AdvWinScale, "net.ipv4.tcp_adv_win_scale", scale, "1"),
        (
            What::NotsentLowat,
            "net.ipv4.tcp_notsent_lowat",
            s.tcp_notsent_lowat < right.tcp_notsent_lowat,
            "4294967295",
        ),
    ];
    list.into_iter()
        .filter(|(_, _, wrong, _)| *wrong)
        .map(|(what, name, _, value)| {
            // A system-wide notsent_lowat is a choice for latency; it harms only where a path says so.
            let weight = if what == What::NotsentLowat { Weight::Note } else { Weight::Harm };
            Finding {
                sensible: Some(value.to_owned()),
                ..finding(what, weight, name, host.setting(name).unwrap_or_default())
            }
        })
        .collect()
}

fn memory(host: &Host) -> Vec<Finding> {
    let name = "net.ipv4.tcp_mem";
    let (Some(bytes), Some(now)) = (host.tcp_mem(), host.setting(name)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let used = host.tcp_pages.map_or(Memory::Ample, |pages| state(pages, host.sysctls.tcp_mem));
    if used != Memory::Ample {
        found.push(finding(What::MemoryPressure, Weight::Limit, name, now));
    }
    // The kernel itself takes less than a tenth of the memory.
    if host.memory.is_some_and(|memory| bytes[2] > memory) {
        found.push(finding(What::MemoryMarks, Weight::Harm, name, now));
    }
    found
}

fn devices(host: &Host) -> Vec<Finding> {
    let mut found = Vec::new();
    for device in &host.devices {
        let of = |what: &str| format!("{} {what}", device.name);
        for qdisc in device.qdiscs.iter().filter(|q| SHAPERS.contains(&q.as_str())) {
            found.push(finding(What::Shaper, Weight::Note, &of("qdisc"), qdisc));
        }
        for (offload, _) in device.offloads.iter().filter(|(_, on)| !on) {
            let what = if *offload == "gro" { What::ReceiveOffload } else { What::Offload };
            let mut one = finding(what, Weight::Note, &of(offload), "off");
            one.sensible = Some("on".to_owned());
            found.push(one);
        }
        if device.gso_max_segs.is_some_and(|n| n <= 1) {
            found.push(finding(What::Offload, Weight::Note, &of("gso_max_segs"), "1"));
        }
        if let Some(mtu) = device.mtu.filter(|mtu| *mtu < SMALL_MTU) {
            found.push(finding(What::SmallMtu, Weight::Note, &of("mtu"), &mtu.to_string()));
        }
    }
    found
}

/// Whether what a host sends leaves TCP in large pieces.
pub(super) fn offloads(host: &Host, device: Option<&str>) -> bool {
    let Some(device) = device.and_then(|name| host.device(name)) else { return true };
    let on = |name: &str| {
        device.offloads.iter().find(|(known, _)| *known == name).is_none_or(|(_, on)| *on)
    };
    // TSO falls back to GSO, which needs scatter-gather.
    on("scatter-gather") && (on("gso") || on("tso")) && device.gso_max_segs.is_none_or(|n| n > 1)
}

/// What is right, by its name, unless a finding is about it.
pub(super) fn leave(host: &Host, findings: &[Finding]) -> Vec<Leave> {
    [
        "net.ipv4.tcp_mem",
        "net.ipv4.tcp_moderate_rcvbuf",
        "net.ipv4.tcp_adv_win_scale",
        "net.ipv4.tcp_sack",
        "net.ipv4.tcp_timestamps",
        "net.ipv4.tcp_window_scaling",
    ]
    .into_iter()
    .filter(|name| findings.iter().all(|f| f.setting != *name))
    // The kernel lets one buffer grow to a small part of the memory (`tcp_init`): all of TCP with less than that is nobody's default.
    .filter(|name| *name != "net.ipv4.tcp_mem" || host.usable() == host.sysctls)
    .filter_map(|name| {
        host.setting(name).map(|value| Leave { setting: name, current: value.to_owned() })
    })
    .collect()
}
