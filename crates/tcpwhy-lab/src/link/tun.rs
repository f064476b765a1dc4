//! TUN devices: packets of the host's kernel as reads and writes of a file.

use std::os::fd::AsFd;

use rustix::fs::{Mode, OFlags};

use super::device::{HostDevice, Kind};
use super::{Error, steer, sys};
use crate::spec::Offload;

/// Makes the TUN device `name` in the calling thread's network namespace.
///
/// # Errors
/// When `/dev/net/tun` is missing or may not be used, or the device exists already.
pub fn open(name: &str, offload: Offload) -> Result<HostDevice, Error> {
    let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = rustix::fs::open("/dev/net/tun", flags, Mode::empty())
        .map_err(|errno| Error::NoTun { source: errno.into() })?;
    let vnet = offload != Offload::None;
    let flags = if vnet { sys::IFF_TUN | sys::IFF_VNET_HDR } else { sys::IFF_TUN };
    let error = |what| move |source| Error::Device { name: name.to_owned(), what, source };
    sys::tun_set_iff(fd.as_fd(), name, flags).map_err(error("make"))?;
    if vnet {
        let takes = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
        sys::tun_set_offload(fd.as_fd(), takes).map_err(error("set the offloads of"))?;
    }
    sys::tun_set_sndbuf(fd.as_fd(), steer::IN_BETWEEN).map_err(error("limit what waits in"))?;
    HostDevice::new(name, fd, if vnet { Kind::TunVnet } else { Kind::Tun })
}
