//! A pass through what the kernel's iterator tells, that can be interrupted.

use hashbrown::HashSet;
use std::fs::File;
use std::time::Instant;

use super::Found;
use super::descriptor::Records;

/// What is left of a pass.
#[derive(Debug)]
pub(super) struct Pass {
    /// What was looked for when it began.
    pub(super) wanted: HashSet<u32>,
    records: Records<File>,
}

impl Pass {
    pub(super) fn new(wanted: HashSet<u32>, records: Records<File>) -> Self {
        Self { wanted, records }
    }

    /// See [`super::Look::go_on`]; it takes the locks that come with the owners.
    pub(super) fn go_on(
        &mut self,
        wanted: &mut HashSet<u32>,
        found: &mut Found,
        end: Option<Instant>,
    ) -> bool {
        while !wanted.is_empty() {
            // A pass that the kernel breaks off is over: what it did not come to is looked for again later.
            let Ok(Some(more)) = self.records.next() else { return true };
            for descriptor in more.filter(|descriptor| wanted.remove(&descriptor.inode)) {
                found.locks.insert(descriptor.cookie, descriptor.locks);
                found.owners.insert(descriptor.inode, descriptor.owner);
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                return wanted.is_empty();
            }
        }
        true
    }
}
