//! Work that falls into independent parts, on several threads.

use std::thread;

/// Parts below which a thread costs more than it saves (starting one takes some 20 us).
const WORTH: usize = 64;

/// Runs `work` over all of `parts`, in shares on up to `threads` threads, this one included; the
/// results in the order of the parts.
pub(super) fn run<T: Send, R: Send>(
    threads: usize,
    parts: &mut [T],
    work: impl Fn(&mut [T]) -> Vec<R> + Sync,
) -> Vec<R> {
    if threads < 2 || parts.len() < WORTH {
        return work(parts);
    }
    let share = parts.len().div_ceil(threads);
    let (ours, theirs) = parts.split_at_mut(share);
    let work = &work;
    thread::scope(|scope| {
        let handles: Vec<_> =
            theirs.chunks_mut(share).map(|part| scope.spawn(move || work(part))).collect();
        let mut results = work(ours);
        for handle in handles {
            results.extend(handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_number_of_threads() {
        for threads in [1, 2, 3, 200] {
            let mut parts: Vec<u32> = (0..1000).collect();
            let doubled = run(threads, &mut parts, |part| part.iter().map(|n| n * 2).collect());
            assert!(doubled.iter().copied().eq((0..1000).map(|n| n * 2)), "{threads} threads");
        }
    }
}
