//! The order in which the operations of a recording go to the device: as recorded, unless fewer barriers do when those that depend
//! on nothing come first. Pure, as the hazards are.

use std::ops::Range;

use crate::core::sync::hazard::Touch;
use crate::core::sync::pasts::PastsOfAll;

/// Fewer operations cannot take fewer barriers in another order.
const FEWEST: usize = 4;

/// An earlier access.
struct Past {
    bytes: Range<u64>,
    is_write: bool,
    /// How many operations the longest chain has that leads to this one.
    level: u32,
    /// How many barriers come before it in the order of the recording.
    section: u32,
}

/// The level of each operation, and the barriers before it as recorded.
#[derive(Default)]
struct Levels {
    past: PastsOfAll<Past>,
    /// Those of the next operation's touches; here for its memory.
    places: Vec<usize>,
    /// The level behind the last barrier by hand.
    floor: u32,
    deepest: u32,
    section: u32,
}

impl Levels {
    /// The level of the next operation, by what it touches.
    fn operation(&mut self, touches: &[Touch]) -> u32 {
        let (mut level, mut needs_barrier) = (self.floor, false);
        self.places.clear();
        for touch in touches {
            let place = self.past.place_of(touch.resource);
            self.places.push(place);
            for past in self.past.at(place).iter() {
                let overlaps = past.bytes.start < touch.bytes.end && touch.bytes.start < past.bytes.end;
                if overlaps && (past.is_write || touch.is_write) {
                    level = level.max(past.level + 1);
                    needs_barrier |= past.section == self.section;
                }
            }
        }
        self.section += u32::from(needs_barrier);
        self.deepest = self.deepest.max(level);
        for (Touch { resource: _, bytes, is_write }, place) in touches.iter().zip(&self.places) {
            let past = self.past.at(*place);
            // An access that conflicts with one of these conflicts with this one, too, whose level is no lower.
            past.retain(|past| {
                let is_covered = bytes.start <= past.bytes.start && past.bytes.end <= bytes.end;
                !(is_covered && past.level <= level && (*is_write || !past.is_write))
            });
            past.push(Past { bytes: bytes.clone(), is_write: *is_write, level, section: self.section });
        }
        level
    }

    /// The level of a barrier by hand.
    fn barrier(&mut self) -> u32 {
        self.deepest += 1;
        self.section += 1;
        self.floor = self.deepest;
        self.floor
    }
}

/// Numbers of the operations in the order in which they are best encoded; `None` for the order of the recording.
///
/// Operations keep their order where they touch the same bytes and one of them writes, and no operation passes a barrier by hand. Those
/// of a level have no barriers between them.
/// `touches_of` adds what an operation touches, and tells whether it is a barrier by hand.
pub(crate) fn by_level(count: usize, mut touches_of: impl FnMut(usize, &mut Vec<Touch>) -> bool) -> Option<Vec<usize>> {
    if count < FEWEST {
        return None;
    }
    let (mut levels, mut touches) = (Levels::default(), Vec::new());
    levels.past.reserve(count);
    let level_of = |op: usize| {
        touches.clear();
        let is_barrier = touches_of(op, &mut touches);
        if is_barrier { levels.barrier() } else { levels.operation(&touches) }
    };
    let level: Vec<u32> = (0..count).map(level_of).collect();
    if levels.section <= levels.deepest {
        return None;
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|op| level[*op]);
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::sync::hazard::{HazardTracker, Stage};

    fn touch(resource: u64, is_write: bool) -> Touch {
        Touch { resource, bytes: 0..16, is_write }
    }

    /// Level and barriers before, for operations that read one resource and write another.
    fn levels(ops: &[(u64, u64)]) -> Vec<(u32, u32)> {
        let mut levels = Levels::default();
        let level =
            |(from, to): &(u64, u64)| (levels.operation(&[touch(*from, false), touch(*to, true)]), levels.section);
        ops.iter().map(level).collect()
    }

    #[test]
    fn chains_side_by_side_share_their_barriers() {
        assert_eq!(levels(&[(0, 1), (1, 2), (0, 3), (3, 4)]), [(0, 0), (1, 1), (0, 1), (1, 2)]);
    }

    #[test]
    fn reads_and_writes_of_the_same_keep_their_order() {
        // Read after write, write after read, write after write.
        assert_eq!(levels(&[(0, 1), (1, 2), (3, 1), (4, 1)]), [(0, 0), (1, 1), (2, 2), (3, 3)]);
    }

    #[test]
    fn parts_that_do_not_overlap_are_apart() {
        let mut levels = Levels::default();
        let part = |bytes| Touch { resource: 1, bytes, is_write: true };
        assert_eq!(levels.operation(&[part(0..8)]), 0);
        assert_eq!(levels.operation(&[part(8..16)]), 0);
        assert_eq!(levels.operation(&[part(4..12)]), 1);
        assert_eq!(levels.operation(&[part(0..4)]), 1);
    }

    #[test]
    fn a_read_of_a_lower_level_forgets_no_higher_one() {
        let mut levels = Levels::default();
        levels.operation(&[touch(7, true)]);
        // At level 1, since it needs what was written.
        levels.operation(&[touch(7, false), touch(1, false), touch(8, true)]);
        // At level 0.
        levels.operation(&[touch(1, false), touch(9, true)]);
        assert_eq!(levels.operation(&[touch(1, true)]), 2);
    }

    #[test]
    fn nothing_passes_a_barrier_by_hand() {
        let mut levels = Levels::default();
        assert_eq!(levels.operation(&[touch(1, true)]), 0);
        assert_eq!(levels.operation(&[touch(1, true)]), 1);
        assert_eq!(levels.barrier(), 2);
        assert_eq!(levels.operation(&[touch(5, true)]), 2);
        assert_eq!(levels.operation(&[touch(5, true)]), 3);
    }

    #[test]
    fn random_operations_keep_their_order_and_need_no_barrier_more() {
        let mut state = 1u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..500 {
            let mut touch = || {
                let start = u64::from(random(4));
                Touch {
                    resource: random(3).into(),
                    bytes: start..start + 1 + u64::from(random(3)),
                    is_write: random(3) == 0,
                }
            };
            let ops: Vec<Vec<Touch>> = (0..12).map(|_| vec![touch(), touch()]).collect();
            let mut levels = Levels::default();
            let level: Vec<u32> = ops.iter().map(|touches| levels.operation(touches)).collect();
            let conflict = |one: &Touch, other: &Touch| {
                let overlaps = one.bytes.start < other.bytes.end && other.bytes.start < one.bytes.end;
                one.resource == other.resource && overlaps && (one.is_write || other.is_write)
            };
            for (late, touches) in ops.iter().enumerate() {
                for early in 0..late {
                    let depends = touches.iter().any(|late| ops[early].iter().any(|early| conflict(early, late)));
                    assert!(!depends || level[early] < level[late], "{early} before {late} of {ops:?}");
                }
            }
            let barriers = |order: &[usize]| {
                let mut tracker = HazardTracker::default();
                order.iter().filter(|op| tracker.command(Stage::Compute, &ops[**op]).is_some()).count()
            };
            let mut order: Vec<usize> = (0..ops.len()).collect();
            assert_eq!(barriers(&order), levels.section as usize);
            order.sort_by_key(|op| level[*op]);
            assert_eq!(barriers(&order), levels.deepest as usize);
        }
    }
}
