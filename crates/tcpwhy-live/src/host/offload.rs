//! Offloads of a device, by the ioctl of ethtool (`include/uapi/linux/ethtool.h`).
#![allow(unsafe_code)]

use std::os::fd::{AsRawFd, OwnedFd};

use rustix::net::{AddressFamily, SocketType, socket};

/// ETHTOOL_GSG, ETHTOOL_GTSO, ETHTOOL_GGSO, ETHTOOL_GGRO with ethtool's names.
const ASKED: [(&str, u32); 4] =
    [("scatter-gather", 0x18), ("tso", 0x1e), ("gso", 0x23), ("gro", 0x2b)];
const SIOCETHTOOL: libc::c_ulong = 0x8946;

/// `struct ethtool_value`.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// The offloads of `device`, in the calling thread's network namespace, that its driver knows, by ethtool's names, and whether they are on.
pub fn offloads(device: &str) -> Vec<(&'static str, bool)> {
    let Ok(socket) = socket(AddressFamily::INET, SocketType::DGRAM, None) else {
        return Vec::new();
    };
    ASKED
        .iter()
        .filter_map(|(name, command)| Some((*name, ask(&socket, device, *command)? != 0)))
        .collect()
}

fn ask(socket: &OwnedFd, device: &str, command: u32) -> Option<u32> {
    // SAFETY: all fields of ifreq are plain integers, for which zero is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    // The last byte stays 0.
    let room = request.ifr_name.len() - 1;
    if device.len() > room {
        return None;
    }
    for (to, from) in request.ifr_name.iter_mut().zip(device.bytes()) {
        *to = from as libc::c_char;
    }
    let mut value = Value { command, data: 0 };
    request.ifr_ifru.ifru_data = (&raw mut value).cast();
    // SAFETY: SIOCETHTOOL reads an ifreq, and these commands write one ethtool_value, to which it points; both live until then.
    let answer = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL as _, &raw mut request) };
    (answer == 0).then_some(value.data)
}
