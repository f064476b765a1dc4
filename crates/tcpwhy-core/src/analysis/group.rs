//! The packets of a batch by connection.
//!
//! With many connections open, each packet finds its connection's state far away in memory. The
//! packets of a burst share the way when they are taken together.

/// No further packet.
const END: u32 = u32::MAX;

/// The packets of one connection in the batch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) slot: usize,
    first: u32,
    last: u32,
}

/// Packets of a batch that wait to be processed, chained by connection.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// In the order of their first packets.
    list: Vec<Group>,
    /// The group that each slot had last: to be believed only if that group has this slot.
    of_slot: Vec<u32>,
    /// For each packet, the next one of the same connection.
    next: Vec<u32>,
}

impl Groups {
    /// Forgets all packets; a batch of `packets` begins.
    pub(super) fn start(&mut self, packets: usize) {
        self.list.clear();
        self.next.clear();
        self.next.resize(packets, END);
    }

    /// Packet number `packet` of the batch belongs to the connection in `slot`.
    pub(super) fn add(&mut self, slot: usize, packet: u32) {
        if slot >= self.of_slot.len() {
            self.of_slot.resize(slot + 1, END);
        }
        let known = self.list.get_mut(self.of_slot[slot] as usize).filter(|g| g.slot == slot);
        if let Some(group) = known {
            self.next[group.last as usize] = packet;
            group.last = packet;
        } else {
            self.of_slot[slot] = self.list.len() as u32;
            self.list.push(Group { slot, first: packet, last: packet });
        }
    }

    /// All groups, in the order of their first packets.
    pub(super) fn all(&self) -> &[Group] {
        &self.list
    }

    /// The packets of `group`, in order.
    pub(super) fn packets(&self, group: Group) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(group.first), |&i| self.next.get(i as usize).copied())
            .take_while(|&i| i != END)
            .map(|i| i as usize)
    }

    /// The groups have been processed; the batch goes on.
    pub(super) fn clear(&mut self) {
        self.list.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_chained_in_order_and_groups_are_forgotten() {
        let mut groups = Groups::default();
        groups.start(6);
        for (packet, slot) in [7, 2, 7, 7].into_iter().enumerate() {
            groups.add(slot, packet as u32);
        }
        let told: Vec<(usize, Vec<usize>)> =
            groups.all().iter().map(|&g| (g.slot, groups.packets(g).collect())).collect();
        assert_eq!(told, [(7, vec![0, 2, 3]), (2, vec![1])]);
        groups.clear();
        groups.add(2, 4);
        groups.add(7, 5);
        let slots: Vec<usize> = groups.all().iter().map(|g| g.slot).collect();
        assert_eq!(slots, [2, 7]);
        assert_eq!(groups.packets(groups.all()[0]).collect::<Vec<_>>(), [4]);
    }
}
