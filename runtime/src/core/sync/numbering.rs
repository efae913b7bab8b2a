//! Places for resources: small numbers, in the order in which they are asked for. Pure, as the hazards are.

/// Numbers resources from zero on.
///
/// A recording asks for each argument of each launch several times, so this takes fewer instructions than a general map. Devices number
/// their buffers one after the other, which a multiplication spreads well.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    /// Invariant: none, or a power of two of them, at least half of which are free.
    slots: Vec<Slot>,
    count: usize,
}

/// A resource and its place.
#[derive(Debug, Clone, Copy)]
struct Slot {
    resource: u64,
    place: u32,
}

impl Slot {
    const FREE: Self = Self { resource: 0, place: u32::MAX };
}

impl Numbering {
    const FEWEST: usize = 16;

    /// Makes room for so many resources.
    pub(crate) fn reserve(&mut self, resources: usize) {
        let wanted = (2 * resources).next_power_of_two();
        if self.slots.len() < wanted {
            self.resize(wanted);
        }
    }

    /// Forgets all; the memory stays.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(Slot::FREE);
        self.count = 0;
    }

    /// The place of a resource: the next one, if it has none yet.
    pub(crate) fn place_of(&mut self, resource: u64) -> usize {
        if self.slots.len() <= 2 * self.count {
            self.resize((2 * self.slots.len()).max(Self::FEWEST));
        }
        let at = self.find(resource);
        let slot = &mut self.slots[at];
        if slot.place == u32::MAX {
            *slot = Slot { resource, place: self.count as u32 };
            self.count += 1;
        }
        slot.place as usize
    }

    /// The place of a resource, if it has one.
    pub(crate) fn get(&self, resource: u64) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let place = self.slots[self.find(resource)].place;
        (place != u32::MAX).then_some(place as usize)
    }

    /// The slot of a resource, or the free one that it would have. There are slots.
    fn find(&self, resource: u64) -> usize {
        let mask = self.slots.len() - 1;
        let spread = resource.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (spread >> 32) as usize & mask;
        loop {
            let slot = &self.slots[at];
            // Zero is a resource like any other, and free slots are not its own.
            if slot.place == u32::MAX || slot.resource == resource {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn resize(&mut self, len: usize) {
        let before = std::mem::replace(&mut self.slots, vec![Slot::FREE; len]);
        for slot in before.into_iter().filter(|slot| slot.place != u32::MAX) {
            let at = self.find(slot.resource);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_first_request() {
        let mut numbering = Numbering::default();
        assert_eq!(numbering.get(0), None);
        for (resource, place) in [(7, 0), (0, 1), (u64::MAX, 2), (7, 0), (0, 1), (8, 3), (u64::MAX, 2)] {
            assert_eq!(numbering.place_of(resource), place);
            assert_eq!(numbering.get(resource), Some(place));
        }
        assert_eq!(numbering.get(9), None);
        numbering.clear();
        assert_eq!((numbering.get(7), numbering.place_of(8)), (None, 0));
    }

    #[test]
    fn any_numbers_have_places_of_their_own() {
        // One after the other, far apart, and such as all begin in one slot. The last take quadratic time, too long for Miri.
        let numbers = if cfg!(miri) { 40 } else { 1000u64 };
        for step in [1, 1 << 32, 1 << 50, 0xf1de_83e1_9937_733d] {
            let mut numbering = Numbering::default();
            for place in (0..numbers).chain(0..numbers) {
                assert_eq!(numbering.place_of(place.wrapping_mul(step)), place as usize, "{step}");
            }
        }
    }
}
