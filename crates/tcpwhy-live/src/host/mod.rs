//! This host as it is: settings, routes, devices, memory, sockets. Nothing is changed.

mod device;
mod netlink;
mod offload;
mod reach;
mod route;
mod sockets;

pub use offload::offloads;
pub use reach::{connect_time, resolve};
pub use route::route_to;

use std::fs;

use tcpwhy_core::check::Host;
use tcpwhy_core::kernel::{BadSysctl, Version};

/// Reads the host that this process runs on, in its network namespace. What cannot be read is said in [`Host::missing`].
///
/// # Errors
/// A setting of the kernel has a value that cannot be one.
pub fn read() -> Result<Host, BadSysctl> {
    let mut host = Host::new("this host", crate::settings::all(), Version::new(6, 18))?;
    host.page_size = rustix::param::page_size() as u64;
    host.memory = total_memory();
    host.tcp_pages = tcp_pages();
    let devices = device::read();
    host.devices = keep(devices, "devices", &mut host.missing);
    let routes = route::read(&mut host.missing);
    host.routes = keep(routes, "routes", &mut host.missing);
    host.sockets = keep(sockets::read(), "sockets", &mut host.missing);
    let unread = host.sockets.iter().filter(|socket| socket.locks.is_none()).count();
    if unread > 0 {
        host.missing.push(format!(
            "whether {unread} of {} connections have fixed buffers is not known: it takes root to look into other users' processes",
            host.sockets.len()
        ));
    }
    Ok(host)
}

fn keep<T>(read: std::io::Result<Vec<T>>, what: &str, missing: &mut Vec<String>) -> Vec<T> {
    read.unwrap_or_else(|e| {
        missing.push(format!("{what} cannot be read: {e}"));
        Vec::new()
    })
}

fn total_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// `TCP: inuse 2 ... mem 260` of `/proc/net/sockstat`, pages.
pub(crate) fn tcp_pages() -> Option<u64> {
    let text = fs::read_to_string("/proc/net/sockstat").ok()?;
    let mut words = text.lines().find_map(|line| line.strip_prefix("TCP:"))?.split_whitespace();
    words.find(|word| *word == "mem")?;
    words.next()?.parse().ok()
}
