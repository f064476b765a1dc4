//! What tests of kernel events share.

use tcpwhy_live::events::{Error, Scope, Stream};

/// Kernel events, or `None` and a word where the machine refuses them.
#[allow(dead_code)] // Each test binary has this module for itself.
pub(crate) fn stream(scope: &Scope) -> Option<Stream> {
    allowed(Stream::open(scope))
}

/// `None` and a word where the machine refuses. Any other failure is ours, and fails the test.
pub(crate) fn allowed<T>(opened: Result<T, Error>) -> Option<T> {
    let why = match opened {
        Ok(opened) => return Some(opened),
        Err(why) => why.to_string(),
    };
    // EPERM, ENOENT (no BTF), EACCES, ENOSYS; and a build without BPF.
    let numbers = ["(os error 1)", "(os error 2)", "(os error 13)", "(os error 38)", "feature bpf"];
    assert!(numbers.iter().any(|number| why.contains(number)), "{why}");
    eprintln!("skipped: {why}");
    None
}
