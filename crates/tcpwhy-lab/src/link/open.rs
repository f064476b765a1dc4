//! Chooses what carries the packets.

use super::device::HostDevice;
use super::{Error, netem, packet, tun};
use crate::spec::{Backend, LinkSpec};

/// Makes the device `name` for a host in the calling thread's network namespace, of the kind that the link asks for.
///
/// # Errors
/// When the machine has none of what is asked.
pub fn open(name: &str, spec: &LinkSpec) -> Result<HostDevice, Error> {
    match spec.backend {
        Backend::Tun => tun::open(name, spec.offload),
        Backend::Packet => packet::open(name, spec.offload),
        Backend::Auto => match tun::open(name, spec.offload) {
            Err(Error::NoTun { .. }) => packet::open(name, spec.offload),
            other => other,
        },
        Backend::Netem => netem::open(name),
    }
}
