//! Connections that no sample showed: the kernel's count of each network namespace, beside what was seen there.

use hashbrown::HashMap;

/// All namespaces since the agent began.
#[derive(Debug, Default)]
pub(super) struct Missed {
    spaces: HashMap<u32, Space>,
    /// Of namespaces that are gone.
    gone: u64,
}

/// One namespace since its first round, whose connections may be of any age.
#[derive(Debug)]
struct Space {
    /// The kernel's count then.
    before: u64,
    /// Connections that later rounds showed.
    seen: u64,
    missed: u64,
}

impl Missed {
    /// How many never showed, given by namespace the kernel's `counts` before the round's last sample, and the connections that were
    /// `new` in the round.
    pub(super) fn round(&mut self, counts: &HashMap<u32, u64>, new: &HashMap<u32, u64>) -> u64 {
        let gone = self.spaces.extract_if(|netns, _| !counts.contains_key(netns));
        self.gone += gone.map(|(_, space)| space.missed).sum::<u64>();
        for (netns, count) in counts {
            let Some(space) = self.spaces.get_mut(netns) else {
                self.spaces.insert(*netns, Space { before: *count, seen: 0, missed: 0 });
                continue;
            };
            space.seen += new.get(netns).copied().unwrap_or(0);
            space.missed = count.saturating_sub(space.before).saturating_sub(space.seen);
        }
        self.gone + self.spaces.values().map(|space| space.missed).sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_no_sample_showed_are_missed() {
        let mut missed = Missed::default();
        let mut round = |counts: &[(u32, u64)], new: &[(u32, u64)]| {
            missed.round(&counts.iter().copied().collect(), &new.iter().copied().collect())
        };
        assert_eq!(round(&[(1, 100)], &[(1, 10)]), 0, "of any age");
        assert_eq!(round(&[(1, 103)], &[(1, 3)]), 0);
        assert_eq!(round(&[(1, 110)], &[(1, 2)]), 5);
        assert_eq!(round(&[(1, 110), (2, 70)], &[(1, 1), (2, 9)]), 4, "seen after it was counted");
        assert_eq!(round(&[(1, 110), (2, 72)], &[]), 6);
        assert_eq!(round(&[(1, 110)], &[]), 6, "a namespace that is gone had missed two");
        assert_eq!(round(&[], &[]), 6);
    }
}
