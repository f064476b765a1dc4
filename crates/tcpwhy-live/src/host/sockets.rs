//! The connections with other hosts, what their paths gave, and whether their buffers are fixed.

use std::io;
use std::time::Duration;

use tcpwhy_core::check::{Locks, Socket};
use tcpwhy_core::kernel::tcp_info::TcpInfo;
use tcpwhy_core::units::Nanos;

use crate::locks::Borrowed;
use crate::process::{Owner, Owners};
use crate::sample::{Dump, Sample, Selection};

/// Connections that are kept, at most.
const MOST: usize = 10_000;

pub(super) fn read() -> io::Result<Vec<Socket>> {
    let mut samples = Vec::new();
    Dump::open()?.each(Selection::established(), |view| {
        let leaves = !view.remote.ip().is_loopback() && view.remote.ip() != view.local.ip();
        if leaves && samples.len() < MOST {
            samples.push(Sample::from(view));
        }
    })?;
    let mut owners = Owners::default();
    owners.update(&samples.iter().map(|sample| sample.inode).collect(), Duration::MAX);
    Ok(samples.iter().map(|sample| socket(sample, owners.of(sample.inode))).collect())
}

fn socket(sample: &Sample, owner: Option<&Owner>) -> Socket {
    let info = TcpInfo(&sample.tcp_info);
    let memory = |at: usize| sample.skmem.get(at).copied().map_or(0, u64::from);
    let locks = owner.and_then(|owner| Borrowed::of(owner, sample.cookie)?.locks().ok());
    // Before the first sample the kernel's minimum is all ones.
    let lowest = info.min_rtt_us().filter(|us| *us != u32::MAX);
    let rtt = lowest.or(info.rtt_us()).map_or(0, i64::from);
    Socket {
        local: sample.local,
        remote: sample.remote,
        rtt: Nanos(rtt * 1_000),
        rate_bps: info.delivery_rate().unwrap_or(0).saturating_mul(8),
        mss: info.snd_mss().map_or(1_448, u64::from),
        sndbuf: memory(3),
        rcvbuf: memory(1),
        locks: locks.map(|locks| Locks { send: locks.send, receive: locks.receive }),
        owner: owner.map(|owner| format!("{} ({})", owner.command, owner.pid)),
    }
}
