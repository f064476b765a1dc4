//! `host.json`: this host as it is, in the words of the lab's case folders (`tcpwhy check --from CASE` reads it).

use serde_json::{Value, json};
use tcpwhy_core::check::{Device, Host, Route};

/// The only host of a recorded case.
pub(super) const NAME: &str = "host";

/// The whole file.
pub(super) fn json(host: &Host) -> Value {
    let route = host.routes.iter().find(|route| route.destination == "default");
    let device = route.and_then(|route| host.device(&route.device)).or(host.devices.first());
    let devices: Vec<Value> = host.devices.iter().map(of_device).collect();
    let routes: Vec<Value> = host.routes.iter().map(of_route).collect();
    json!({ NAME: {
        "kernel": host.release,
        "effective": host.settings,
        "page_size": host.page_size,
        "memory": host.memory,
        "tcp_pages": host.tcp_pages,
        "device": device.map(of_device),
        "route": route.map(of_route),
        "devices": devices,
        "routes": routes,
        "missing": host.missing,
    } })
}

fn of_device(device: &Device) -> Value {
    let offloads: serde_json::Map<String, Value> =
        device.offloads.iter().map(|(name, on)| ((*name).to_owned(), (*on).into())).collect();
    json!({
        "name": device.name, "mtu": device.mtu, "speed_bps": device.speed_bps, "qdiscs": device.qdiscs,
        "gso_max_segs": device.gso_max_segs, "offloads": offloads,
    })
}

fn of_route(route: &Route) -> Value {
    json!({
        "destination": route.destination, "device": route.device, "mtu": route.mtu,
        "congestion": route.congestion, "initcwnd": route.initcwnd, "initrwnd": route.initrwnd,
    })
}
