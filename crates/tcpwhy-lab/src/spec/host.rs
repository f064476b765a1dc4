//! One end of the link.

use std::collections::BTreeMap;

/// Which end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Connects; 10.77.0.1 and fd77::1 behind the link.
    Client,
    /// Listens; 10.77.0.2 and fd77::2 behind the link.
    Server,
}

/// The kernel's settings of one host: everything that is `None` stays as the namespace has it, and is read back and stated.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HostSpec {
    /// Names with dots (`net.ipv4.tcp_rmem`) and their values.
    pub sysctls: BTreeMap<String, String>,
    /// Congestion control of the route to the peer (`congctl`), which every socket then uses.
    pub congestion: Option<CongestionControl>,
    /// Segments in the first flight (`initcwnd` of the route).
    pub initcwnd: Option<u32>,
    /// Segments in the first advertised window (`initrwnd` of the route).
    pub initrwnd: Option<u32>,
    /// Of the device, in bytes.
    pub mtu: Option<u32>,
    /// Segments in one offloaded packet at most (`gso_max_segs`); 1 gives one segment per skb.
    pub gso_max_segs: Option<u32>,
}

/// Name of a congestion control as the kernel knows it: `cubic`, `reno`, `bbr`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CongestionControl(pub String);

impl Default for CongestionControl {
    fn default() -> Self {
        Self("cubic".to_owned())
    }
}
