//! On which processors the hosts take in what the link hands them.
//!
//! Within a write to a TUN device the packet goes all the way up to the receiving socket (kernel: `netif_receive_skb`), and an ACK all the way to the
//! segments that it releases: more than half of the link's work is not its own. A network card leaves that to the processor
//! that it interrupts. Receive packet steering (kernel: `get_rps_cpu`) does the same here, and the link has a processor to itself.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::fs::{Mode, OFlags};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Most bytes of kernel memory that one host's packets may take between the write and the protocols; then the device takes no more for a moment
/// (`TUNSETSNDBUF`). The queue in between holds 1,000 packets for all (`net.core.netdev_max_backlog`) and drops what
/// exceeds them: two hosts stay below with 400 of the smallest each, which the kernel counts as 768 bytes.
pub(super) const IN_BETWEEN: libc::c_int = 400 * 768;

/// Links that this process has started.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// What says which processors take in the packets of the device `name` of the calling thread's network namespace (`rps_cpus`); `None` where
/// the kernel or the rights do not allow it. The device's directory is in the sysfs of its namespace alone, so one is mounted, nowhere.
pub(super) fn control(name: &str) -> Option<File> {
    let context = fsopen("sysfs", FsOpenFlags::FSOPEN_CLOEXEC).ok()?;
    fsconfig_create(&context).ok()?;
    let sysfs = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty()).ok()?;
    let path = format!("class/net/{name}/queues/rx-0/rps_cpus");
    let flags = OFlags::WRONLY | OFlags::CLOEXEC;
    let file: OwnedFd = rustix::fs::openat(sysfs, path, flags, Mode::empty()).ok()?;
    Some(File::from(file))
}

/// Keeps the calling thread on one processor, and has the packets of these devices taken in on the others that it may use; returns whether
/// it could. Links side by side take turns at the processors.
pub(super) fn apart(controls: [&File; 2]) -> bool {
    let Ok(allowed) = sched_getaffinity(None) else { return false };
    let all: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let turn = STARTED.fetch_add(1, Ordering::Relaxed) + std::process::id() as usize;
    let Some(own) = all.get(turn % all.len().max(1)).filter(|_| all.len() > 1) else {
        return false;
    };
    let others = mask(all.iter().filter(|cpu| *cpu != own));
    let steered =
        controls.into_iter().all(|mut control| control.write_all(others.as_bytes()).is_ok());
    let mut only = CpuSet::new();
    only.set(*own);
    steered && sched_setaffinity(None, &only).is_ok()
}

/// Processors as sysfs takes them: hexadecimal words of 32 bits, the highest first.
fn mask<'a>(cpus: impl Iterator<Item = &'a usize>) -> String {
    let mut words = vec![0_u32];
    for cpu in cpus {
        words.resize(words.len().max(cpu / 32 + 1), 0);
        if let Some(word) = words.get_mut(cpu / 32) {
            *word |= 1 << (cpu % 32);
        }
    }
    let words: Vec<String> = words.iter().rev().map(|word| format!("{word:08x}")).collect();
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn processors_are_words_of_32_bits_the_highest_first() {
        assert_eq!(mask([0, 1].iter()), "00000003");
        assert_eq!(mask([1, 31].iter()), "80000002");
        assert_eq!(mask([0, 33, 64].iter()), "00000001,00000002,00000001");
    }
}
