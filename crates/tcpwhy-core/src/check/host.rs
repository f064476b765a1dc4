//! What is known of a host: settings, routes, devices, memory, sockets.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use crate::kernel::tcp_info::TcpInfo;
use crate::kernel::{BadSysctl, Sysctls, Version, memory};
use crate::units::Nanos;

/// `TCP_ESTABLISHED` (`include/net/tcp_states.h`).
const ESTABLISHED: u8 = 1;
/// The settings that the model's rules depend on.
const RULED: [&str; 11] = [
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_mem",
    "net.core.wmem_max",
    "net.core.rmem_max",
    "net.ipv4.tcp_limit_output_bytes",
    "net.ipv4.tcp_notsent_lowat",
    "net.ipv4.tcp_moderate_rcvbuf",
    "net.ipv4.tcp_window_scaling",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_adv_win_scale",
];

/// A host as it is. Whatever could not be read is empty, with a sentence in [`Host::missing`].
#[derive(Debug, Clone, PartialEq)]
pub struct Host {
    /// How it is called in the answer: `this host`, a file, a role in a case.
    pub name: String,
    /// `uname -r`; empty where it is not known.
    pub release: String,
    /// Version of the kernel.
    pub version: Version,
    /// Settings as found, by their full names (`net.ipv4.tcp_rmem`), values as `sysctl` writes them.
    pub settings: BTreeMap<String, String>,
    /// Those of them that the kernel's rules depend on; what was not found has its default.
    pub sysctls: Sysctls,
    /// Bytes of a page, in which `tcp_mem` counts.
    pub page_size: u64,
    /// Memory of the machine in bytes.
    pub memory: Option<u64>,
    /// Pages that all TCP sockets take (`/proc/net/sockstat`).
    pub tcp_pages: Option<u64>,
    /// Routes of the main table; the route to a peer that was asked for is in its path.
    pub routes: Vec<Route>,
    /// Devices that are up, the loopback left out.
    pub devices: Vec<Device>,
    /// Connections with other hosts.
    pub sockets: Vec<Socket>,
    /// What could not be read, and why, a sentence each.
    pub missing: Vec<String>,
}

/// A route.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Route {
    /// `default`, or a network as `10.0.0.0/24`.
    pub destination: String,
    /// Through this device.
    pub device: String,
    /// First congestion window in segments, where the route has one.
    pub initcwnd: Option<u32>,
    /// First receive window in segments, where the route has one.
    pub initrwnd: Option<u32>,
    /// Largest IP packet in bytes, where the route has one of its own.
    pub mtu: Option<u32>,
    /// Congestion control of its sockets, where the route has one of its own.
    pub congestion: Option<String>,
}

/// A network device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Largest IP packet in bytes.
    pub mtu: Option<u32>,
    /// Bits a second, where the driver says so.
    pub speed_bps: Option<u64>,
    /// Queueing disciplines, the root first.
    pub qdiscs: Vec<String>,
    /// Segments in one offloaded packet at most.
    pub gso_max_segs: Option<u32>,
    /// Offloads by ethtool's names, and whether they are on.
    pub offloads: Vec<(&'static str, bool)>,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Socket {
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// Lowest round trip that it saw.
    pub rtt: Nanos,
    /// Rate at which its data was delivered last, bits per second; 0: it has sent nothing to speak of.
    pub rate_bps: u64,
    /// Payload of its segments in bytes.
    pub mss: u64,
    /// `sk_sndbuf` in bytes.
    pub sndbuf: u64,
    /// `sk_rcvbuf` in bytes.
    pub rcvbuf: u64,
    /// Whether the program fixed its buffers; `None`: not permitted to look.
    pub locks: Option<Locks>,
    /// Program and process, as `mariadbd (712)`.
    pub owner: Option<String>,
}

impl Socket {
    /// What a sample of `sock_diag` tells: `tcp_info` and `skmem` as the kernel gives them (`ss -tim`). `None`: the socket is not
    /// established.
    #[must_use]
    pub fn sampled(
        local: SocketAddr,
        remote: SocketAddr,
        tcp_info: &[u8],
        skmem: &[u32],
    ) -> Option<Self> {
        let info = TcpInfo(tcp_info);
        let memory = |at: usize| skmem.get(at).copied().map_or(0, u64::from);
        // Before the first sample the kernel's minimum is all ones.
        let lowest = info.min_rtt_us().filter(|us| *us != u32::MAX);
        let rtt = lowest.or(info.rtt_us()).map_or(0, i64::from);
        (info.state() == Some(ESTABLISHED)).then(|| Self {
            local,
            remote,
            rtt: Nanos(rtt * 1_000),
            rate_bps: info.delivery_rate().unwrap_or(0).saturating_mul(8),
            mss: info.snd_mss().map_or(1_448, u64::from),
            sndbuf: memory(3),
            rcvbuf: memory(1),
            locks: None,
            owner: None,
        })
    }
}

/// Buffers that a program fixed (`SOCK_SNDBUF_LOCK`, `SOCK_RCVBUF_LOCK`), and that the kernel leaves alone therefore.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Locks {
    /// By SO_SNDBUF.
    pub send: bool,
    /// By SO_RCVBUF.
    pub receive: bool,
}

impl Host {
    /// A host of which only settings are known. The version comes from `kernel.osrelease`, else it is `fallback`.
    ///
    /// # Errors
    /// A setting that the rules depend on has a value that is none.
    pub fn new(
        name: &str,
        settings: BTreeMap<String, String>,
        fallback: Version,
    ) -> Result<Self, BadSysctl> {
        let mut sysctls = Sysctls::default();
        for setting in RULED {
            if let Some(value) = settings.get(setting) {
                sysctls.set(setting, value)?;
            }
        }
        let release = settings.get("kernel.osrelease").cloned().unwrap_or_default();
        let version = Version::parse(&release);
        let mut missing = Vec::new();
        if version.is_none() {
            let why = if release.is_empty() { "is not there" } else { "is of no known kernel" };
            missing.push(format!(
                "kernel.osrelease {why}: the rules are those of Linux {}.{}",
                fallback.major, fallback.minor
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            release,
            version: version.unwrap_or(fallback),
            settings,
            sysctls,
            page_size: 4_096,
            memory: None,
            tcp_pages: None,
            routes: Vec::new(),
            devices: Vec::new(),
            sockets: Vec::new(),
            missing,
        })
    }

    /// A setting as it was found.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(String::as_str)
    }

    /// `tcp_mem` in bytes; `None` where it was not found.
    #[must_use]
    pub fn tcp_mem(&self) -> Option<[u64; 3]> {
        self.setting("net.ipv4.tcp_mem")?;
        Some(memory::in_bytes(self.sysctls.tcp_mem, self.page_size))
    }

    /// So many bytes, or what all connections together get at most (`tcp_mem[2]`).
    pub(super) fn at_most(&self, bytes: u64) -> u64 {
        self.tcp_mem().map_or(bytes, |marks| marks[2].min(bytes))
    }

    /// The sysctls as far as memory lets them be used: beyond `tcp_mem[2]` sockets get their buffers' least values only
    /// (`__sk_mem_raise_allocated`).
    pub(super) fn usable(&self) -> Sysctls {
        let mut sysctls = self.sysctls.clone();
        for values in [&mut sysctls.tcp_wmem, &mut sysctls.tcp_rmem] {
            let least = values[0];
            *values = values.map(|bytes| self.at_most(bytes).max(least));
        }
        sysctls
    }

    /// The device of a name.
    #[must_use]
    pub fn device(&self, name: &str) -> Option<&Device> {
        self.devices.iter().find(|device| device.name == name)
    }
}
