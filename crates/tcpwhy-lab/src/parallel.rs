//! Several runs at once: most of a run is waiting.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Gives every item to `work`, at most `jobs` at a time, and each result with its item's place to `take`, as they come. `stop`, set from
/// outside, and an error of `take` end it after what is under way.
///
/// # Errors
/// The first that `take` returns.
pub(crate) fn each<T: Sync, R: Send, E>(
    items: &[T],
    jobs: usize,
    stop: &AtomicBool,
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(usize, R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            let (send, next, work) = (send.clone(), &next, &work);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(turn) else { break };
                    // Nobody listens any more only after an error of `take`.
                    if send.send((turn, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        receive.into_iter().try_for_each(|(turn, result)| take(turn, result))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    fn never() -> AtomicBool {
        AtomicBool::new(false)
    }

    #[test]
    fn as_many_as_asked_run_at_once_and_every_result_has_its_place() {
        // Each waits for another one: with fewer than two at once this would not end.
        let pair = Barrier::new(2);
        let square = |n: &usize| {
            pair.wait();
            n * n
        };
        let mut results = vec![0; 8];
        let items: Vec<usize> = (0..8).collect();
        let done = each(&items, 2, &never(), square, |at, result| {
            results[at] = result;
            Ok::<_, ()>(())
        });
        assert_eq!(done, Ok(()));
        assert_eq!(results, [0, 1, 4, 9, 16, 25, 36, 49]);
    }

    #[test]
    fn the_first_error_and_a_stop_end_it() {
        let items = [(); 1000];
        let mut taken = 0;
        let refused = each(
            &items,
            1,
            &never(),
            |()| (),
            |at, ()| {
                taken += 1;
                if at == 2 { Err("the disk is full") } else { Ok(()) }
            },
        );
        assert_eq!((refused, taken), (Err("the disk is full"), 3));
        let stopped = each(&items, 4, &AtomicBool::new(true), |()| (), |_, ()| Err(()));
        assert_eq!(stopped, Ok(()), "nothing was begun");
    }
}
