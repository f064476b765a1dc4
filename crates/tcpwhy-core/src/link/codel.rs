//! CoDel: drops at the head of the queue when packets have waited too long for too long (RFC 8289 section 5).

use crate::units::Nanos;

/// The control law's state.
#[derive(Debug, Clone)]
pub(super) struct CoDel {
    target: Nanos,
    interval: Nanos,
    /// When the sojourn time will have been above the target for an interval.
    first_above: Option<Nanos>,
    drop_next: Nanos,
    count: u32,
    last_count: u32,
    dropping: bool,
}

impl CoDel {
    pub(super) fn new(target: Nanos, interval: Nanos) -> Self {
        Self {
            target,
            interval,
            first_above: None,
            drop_next: Nanos::ZERO,
            count: 0,
            last_count: 0,
            dropping: false,
        }
    }

    /// Whether the packet at the head, taken at `now` after waiting `sojourn`, is to be dropped (or marked).
    ///
    /// `waiting` are the bytes behind it: a queue of no more than one full packet never drops.
    pub(super) fn condemns(&mut self, now: Nanos, sojourn: Nanos, waiting: u64) -> bool {
        let ripe = self.ripe(now, sojourn, waiting);
        if self.dropping {
            if !ripe {
                self.dropping = false;
                return false;
            }
            if now < self.drop_next {
                return false;
            }
            self.count = self.count.saturating_add(1);
            self.drop_next = self.law(self.drop_next);
            return true;
        }
        if ripe {
            self.enter(now);
        }
        ripe
    }

    /// Above the target for a whole interval.
    fn ripe(&mut self, now: Nanos, sojourn: Nanos, waiting: u64) -> bool {
        if sojourn < self.target || waiting <= 1500 {
            self.first_above = None;
            return false;
        }
        let due = *self.first_above.get_or_insert(now + self.interval);
        now >= due
    }

    /// Begins to drop, near the rate that controlled the queue the last time if that is not long ago.
    fn enter(&mut self, now: Nanos) {
        self.dropping = true;
        let delta = self.count.saturating_sub(self.last_count);
        let recent = now - self.drop_next < self.interval.scale(16, 1);
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.drop_next = self.law(now);
        self.last_count = self.count;
    }

    fn law(&self, at: Nanos) -> Nanos {
        at + Nanos((self.interval.0 as f64 / f64::from(self.count.max(1)).sqrt()) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_begin_after_an_interval_above_the_target_and_come_faster() {
        let mut codel = CoDel::new(Nanos::from_millis(5), Nanos::from_millis(100));
        let drops: Vec<i64> = (0..1_000)
            .filter(|ms| codel.condemns(Nanos::from_millis(*ms), Nanos::from_millis(20), 100_000))
            .collect();
        assert_eq!(drops[..4], [100, 200, 271, 329]);
        assert!(!codel.condemns(Nanos::from_secs(1), Nanos::from_millis(1), 100_000));
    }

    #[test]
    fn one_packet_is_no_standing_queue() {
        let mut codel = CoDel::new(Nanos::from_millis(5), Nanos::from_millis(100));
        assert!(
            (0..1_000).all(|ms| {
                !codel.condemns(Nanos::from_millis(ms), Nanos::from_millis(20), 1_500)
            })
        );
    }
}
