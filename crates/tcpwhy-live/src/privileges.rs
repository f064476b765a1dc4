//! The capabilities of this process: what it needs stays, the rest goes.

use std::io;

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_no_new_privs,
};

/// To read other users' processes: their descriptors, their sockets' options, their programs' symbols.
pub const READING: CapabilitySet = CapabilitySet::SYS_PTRACE
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::CHECKPOINT_RESTORE);

/// To enter network namespaces that come up.
pub const ENTERING: CapabilitySet =
    CapabilitySet::SYS_ADMIN.union(CapabilitySet::SYS_PTRACE).union(CapabilitySet::DAC_READ_SEARCH);

/// To read what BPF programs left in their maps, and to begin an iterator anew: needed before Linux 5.19, where
/// `unprivileged_bpf_disabled` is set.
pub const BPF: CapabilitySet = CapabilitySet::BPF;

/// Whether `works` would still be true with no more capabilities than `needed`.
///
/// # Errors
/// The kernel refuses to lower or to raise them.
pub fn suffices(needed: CapabilitySet, works: impl FnOnce() -> bool) -> io::Result<bool> {
    let before = capabilities(None)?;
    let lowered = CapabilitySets { effective: before.effective & needed, ..before };
    set_capabilities(None, lowered)?;
    let works = works();
    set_capabilities(None, before)?;
    Ok(works)
}

/// Drops every capability of this thread, and of those that it starts from now on, but `needed`, for good: a program that
/// they start has no others either.
///
/// # Errors
/// The kernel refuses.
pub fn keep_only(needed: CapabilitySet) -> io::Result<()> {
    let kept = capabilities(None)?.permitted & needed;
    let none = CapabilitySet::empty();
    // Without it, whatever root executes begins with all of them again (capabilities(7)).
    set_no_new_privs(true)?;
    set_capabilities(None, CapabilitySets { effective: kept, permitted: kept, inheritable: none })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_needed_is_gone_and_does_not_come_back() {
        let before = capabilities(None).unwrap().permitted;
        // Threads have capabilities of their own: the test's others keep theirs.
        let after = std::thread::spawn(move || {
            let effective = || capabilities(None).unwrap().effective;
            assert!(suffices(READING, || (effective() - READING).is_empty()).unwrap());
            assert_eq!(effective(), before, "raised again");
            keep_only(READING).unwrap();
            assert!(keep_only(CapabilitySet::all()).is_ok());
            capabilities(None).unwrap()
        });
        let after = after.join().unwrap();
        assert_eq!(after.permitted, before & READING);
        assert_eq!((after.effective, after.inheritable), (after.permitted, CapabilitySet::empty()));
        assert_eq!(capabilities(None).unwrap().permitted, before);
    }

    #[test]
    fn a_program_that_is_started_afterwards_gets_nothing_back() {
        let permitted = || {
            let status = std::process::Command::new("cat").arg("/proc/self/status").output();
            let status = String::from_utf8(status.unwrap().stdout).unwrap();
            let line = status.lines().find_map(|line| line.strip_prefix("CapPrm:")).unwrap();
            CapabilitySet::from_bits_retain(u64::from_str_radix(line.trim(), 16).unwrap())
        };
        let started = std::thread::spawn(move || {
            keep_only(READING).unwrap();
            permitted()
        });
        let started = started.join().unwrap();
        assert!((started - READING).is_empty(), "{started:?}");
    }
}
