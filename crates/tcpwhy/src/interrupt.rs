//! Ctrl-C: the first asks to end, the second ends.

#[cfg(target_os = "linux")]
use signal_hook::{
    consts::{SIGHUP, SIGTERM},
    flag::{register, register_conditional_shutdown},
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a program that SIGINT ended: 128 + 2, as shells report it.
pub(crate) const INTERRUPTED: i32 = 130;

/// Lets the first Ctrl-C end only the program that captures.
///
/// In `tcpdump -w - | tcpwhy -` the terminal interrupts both. tcpdump then writes what it holds and
/// ends, and with it our input: that is when the answer is due. The second Ctrl-C ends us, too.
pub(crate) fn leave_to_the_writer() {
    // Without a handler the first Ctrl-C ends us without an answer, which is no reason to refuse.
    on_ctrl_c(Arc::default());
}

/// `asked` is set by the first Ctrl-C; the second one ends us. Without a handler, which may be refused, the first one does.
fn on_ctrl_c(asked: Arc<AtomicBool>) {
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    };
    let _ = ctrlc::set_handler(handler);
}

/// A flag that the first Ctrl-C sets, or another end that one may ask for (`kill`, `timeout`, a terminal that is closed), for work that cleans up behind
/// itself; the second one ends us.
#[cfg(target_os = "linux")]
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    // Without a handler Ctrl-C ends us at once; what the lab made vanishes with the process.
    on_ctrl_c(Arc::clone(&flag));
    for signal in [SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal)) {
        let _ = register_conditional_shutdown(signal, 128 + signal, Arc::clone(&flag));
        let _ = register(signal, Arc::clone(&flag));
    }
    flag
}

/// Whether whoever started us wants `signal` to be ignored, as `nohup` does with SIGHUP.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
