//! Ctrl-C while a capture is read from another program.

use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a program that SIGINT ended: 128 + 2, as shells report it.
pub(crate) const INTERRUPTED: i32 = 130;

/// Lets the first Ctrl-C end only the program that captures.
///
/// In `tcpdump -w - | tcpwhy -` the terminal interrupts both. tcpdump then writes what it holds and
/// ends, and with it our input: that is when the answer is due. The second Ctrl-C ends us, too.
pub(crate) fn leave_to_the_writer() {
    let asked = AtomicBool::new(false);
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    };
    // Without a handler the first Ctrl-C ends us without an answer, which is no reason to refuse.
    let _ = ctrlc::set_handler(handler);
}
