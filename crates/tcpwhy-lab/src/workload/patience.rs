//! How long a flow may take: one deadline that ends sleeps, waits and blocking calls of all its threads.

use socket2::Socket;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How often a stop asked from outside (Ctrl-C) is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// A flow's deadline and the sockets that it closes to end what blocks in them.
pub(super) struct Patience {
    deadline: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    over: bool,
    done: bool,
    sockets: Vec<Weak<Socket>>,
}

impl Patience {
    pub(super) fn until(deadline: Instant) -> Self {
        Self { deadline, state: Mutex::default(), changed: Condvar::new() }
    }

    /// From now on the deadline ends what blocks in this socket.
    pub(super) fn covers(&self, socket: &Arc<Socket>) {
        let mut state = self.state();
        if state.over {
            let _ = socket.shutdown(Shutdown::Both);
        }
        state.sockets.push(Arc::downgrade(socket));
    }

    /// Sleeps; false when the deadline came first.
    pub(super) fn sleep_until(&self, wake: Instant) -> bool {
        let mut state = self.state();
        loop {
            let left = wake.saturating_duration_since(Instant::now());
            if state.over || left.is_zero() {
                return !state.over;
            }
            state =
                self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The deadline came, or a stop from outside.
    pub(super) fn is_over(&self) -> bool {
        self.state().over
    }

    /// The time is over now: another part of the flow cannot go on.
    pub(super) fn end(&self) {
        self.end_with(&mut self.state());
    }

    fn end_with(&self, state: &mut State) {
        state.over = true;
        for socket in state.sockets.drain(..).filter_map(|socket| socket.upgrade()) {
            // Not connected yet, or not any more: then nothing blocks in it.
            let _ = socket.shutdown(Shutdown::Both);
        }
        self.changed.notify_all();
    }

    /// Nothing is left to watch.
    pub(super) fn done(&self) {
        self.state().done = true;
        self.changed.notify_all();
    }

    /// Waits for the deadline, `stop` or `done`; on the first two shuts the sockets so that nothing blocks any longer.
    pub(super) fn watch(&self, stop: &AtomicBool) {
        let mut state = self.state();
        while !state.done {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || stop.load(Ordering::Relaxed) {
                self.end_with(&mut state);
                return;
            }
            let wait = left.min(LOOK);
            state =
                self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
