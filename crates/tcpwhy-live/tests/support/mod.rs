//! What tests of kernel events share.

use tcpwhy_live::events::{Scope, Stream};

/// Kernel events, or `None` and a word where the machine refuses them. Any other failure is ours, and fails the test.
pub(crate) fn stream(scope: &Scope) -> Option<Stream> {
    let why = match Stream::open(scope) {
        Ok(stream) => return Some(stream),
        Err(why) => why.to_string(),
    };
    // EPERM, ENOENT (no BTF), EACCES, ENOSYS; and a build without BPF.
    let numbers = ["(os error 1)", "(os error 2)", "(os error 13)", "(os error 38)", "feature bpf"];
    assert!(numbers.iter().any(|number| why.contains(number)), "{why}");
    eprintln!("skipped: {why}");
    None
}
