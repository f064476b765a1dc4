//! The connections with other hosts, what their paths gave, and whether their buffers are fixed.

use std::io;
use std::time::Duration;

use tcpwhy_core::check::{Locks, Socket};

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
    Ok(samples.iter().filter_map(|sample| socket(sample, owners.of(sample.inode))).collect())
}

fn socket(sample: &Sample, owner: Option<&Owner>) -> Option<Socket> {
    let locks = owner.and_then(|owner| Borrowed::of(owner, sample.cookie)?.locks().ok());
    Some(Socket {
        locks: locks.map(|locks| Locks { send: locks.send, receive: locks.receive }),
        owner: owner.map(|owner| format!("{} ({})", owner.command, owner.pid)),
        ..Socket::sampled(sample.local, sample.remote, &sample.tcp_info, &sample.skmem)?
    })
}
