//! A stream that is dropped leaves nothing: no program, map or link outlives its last descriptor and mapping, and none is pinned.
//! Alone in its file, for it counts what the whole process holds.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod support;

use tcpwhy_live::events::Scope;

/// Descriptors and mappings of BPF objects that this process holds.
fn held() -> usize {
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets = descriptors.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    let open = targets.filter(|target| target.to_string_lossy().contains("bpf")).count();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    open + maps.lines().filter(|line| line.contains("bpf")).count()
}

#[test]
fn a_dropped_stream_leaves_nothing_in_the_kernel() {
    let before = held();
    let Some(stream) = support::stream(&Scope::Everywhere) else { return };
    assert!(held() > before + 10, "ten programs, their links and maps are held");
    drop(stream);
    assert_eq!(held(), before);
}
