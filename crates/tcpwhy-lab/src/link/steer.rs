//! On which processors the hosts take in what the link hands them.
//!
//! Within a write to a TUN device the packet goes all the way up to the receiving socket (kernel: `netif_receive_skb`), and an ACK all the way to the
//! segments that it releases: more than half of the link's work is not its own. A network card leaves that to the processor
//! that it interrupts. Receive packet steering (kernel: `get_rps_cpu`) does the same here.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};
use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
use tcpwhy_core::units::Nanos;

use super::device::HostDevice;

/// Most bytes of kernel memory that one host's packets may take between the write and the protocols; then the device takes no more for a moment
/// (`TUNSETSNDBUF`). The queue in between holds 1,000 packets for all (`net.core.netdev_max_backlog`) and drops what
/// exceeds them: two hosts stay below with 400 of the smallest each, which the kernel counts as 768 bytes.
pub(super) const IN_BETWEEN: libc::c_int = 400 * 768;

/// Over which it shows that the link has no time left, rather than that its processor was held up once, and the part of it in which it has
/// nothing to do otherwise.
const WHILE: Nanos = Nanos::from_millis(100);
const RESTS: i64 = 10;
/// After such a rest nothing is on its way to a host any more, which what follows could overtake.
const CALM: Nanos = Nanos::from_millis(10);

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

/// Has the hosts take in packets on other processors than the link's while the link has no time for it. Otherwise they do it where it runs: then nothing
/// waits for another processor, and nothing keeps the link on one that somebody else holds up.
#[derive(Debug)]
pub(super) struct Steering {
    controls: [File; 2],
    /// What the link may run on.
    allowed: CpuSet,
    rest: Rest,
    is_on: bool,
    was_on: bool,
}

impl Steering {
    /// Of these devices; `None` where it cannot be done, as with a single processor.
    pub(super) fn new(devices: &[HostDevice; 2], now: Nanos) -> Option<Self> {
        let allowed = sched_getaffinity(None).ok().filter(|allowed| allowed.count() > 1)?;
        let [client, server] = devices;
        let share = |device: &HostDevice| device.steering.as_ref()?.try_clone().ok();
        let controls = [share(client)?, share(server)?];
        let rest = Rest { since: now, had: Nanos::ZERO };
        Some(Self { controls, allowed, rest, is_on: false, was_on: false })
    }

    /// For such a time until `now` the link was `busy`, or had nothing to do.
    pub(super) fn note(&mut self, now: Nanos, time: Nanos, busy: bool) {
        if !busy {
            self.rest.had += time;
            if self.is_on && time >= CALM {
                let allowed = self.allowed;
                self.is_on = !self.steer(&allowed, &CpuSet::new());
            }
        }
        if self.rest.is_missed(now) && !self.is_on {
            let (mut own, mut others) = (CpuSet::new(), self.allowed);
            let processor = sched_getcpu();
            own.set(processor);
            others.unset(processor);
            self.is_on = self.steer(&own, &others);
            self.was_on |= self.is_on;
        }
    }

    /// Whether it ever had to.
    pub(super) fn was_on(&self) -> bool {
        self.was_on
    }

    /// Packets are taken in on the `others`, or, where there are none, on the processor that hands them over; the calling thread stays on its `own`.
    /// Returns whether the kernel allows it; if not, all stays as it was, which is right too, but slower.
    fn steer(&mut self, own: &CpuSet, others: &CpuSet) -> bool {
        let others = mask(others);
        let told =
            self.controls.iter_mut().all(|control| control.write_all(others.as_bytes()).is_ok());
        told && sched_setaffinity(None, own).is_ok()
    }
}

/// How much of the time the link has nothing to do, asleep or awake for what is due soon.
#[derive(Debug)]
struct Rest {
    since: Nanos,
    had: Nanos,
}

impl Rest {
    /// Whether a while is over at `now` in which it hardly had any.
    fn is_missed(&mut self, now: Nanos) -> bool {
        let time = now - self.since;
        if time < WHILE {
            return false;
        }
        let missed = self.had.scale(RESTS, 1) < time;
        (self.since, self.had) = (now, Nanos::ZERO);
        missed
    }
}

/// Processors as sysfs takes them: hexadecimal words of 32 bits, the highest first.
fn mask(processors: &CpuSet) -> String {
    let is_set = |cpu: usize| processors.is_set(cpu);
    let words = (0..CpuSet::MAX_CPU).filter(|cpu| is_set(*cpu)).max().unwrap_or(0) / 32;
    let word = |word: usize| {
        (0..32).fold(0_u32, |bits, bit| bits | u32::from(is_set(32 * word + bit)) << bit)
    };
    let words: Vec<String> =
        (0..=words).rev().map(|index| format!("{:08x}", word(index))).collect();
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_missed_where_it_was_less_than_a_tenth_of_a_while() {
        let mut rest = Rest { since: Nanos::ZERO, had: Nanos::ZERO };
        let mut missed = |ms: i64, had_ms: i64| {
            rest.had += Nanos::from_millis(had_ms);
            rest.is_missed(Nanos::from_millis(ms))
        };
        assert_eq!([missed(50, 0), missed(99, 0), missed(100, 0)], [false, false, true]);
        assert_eq!([missed(150, 8), missed(200, 3)], [false, false]);
        // What it was before does not count.
        assert!(missed(300, 9));
    }

    #[test]
    fn processors_are_words_of_32_bits_the_highest_first() {
        let of = |processors: &[usize]| {
            let mut set = CpuSet::new();
            processors.iter().for_each(|cpu| set.set(*cpu));
            mask(&set)
        };
        assert_eq!(of(&[]), "00000000");
        assert_eq!(of(&[0, 1]), "00000003");
        assert_eq!(of(&[1, 31]), "80000002");
        assert_eq!(of(&[0, 33, 64]), "00000001,00000002,00000001");
    }
}
