//! The states of tiles: what each tells of itself, and what flows into a tile from all before it.

use crate::algorithms::segments::{
    after_f32, after_i32, after_u32, combined_f32, combined_i32, combined_u32, neutral_f32, neutral_i32, neutral_u32,
};
use crate::prelude::*;

/// Tiles of a group, and groups of a block.
#[device]
pub(super) const FAN: u32 = 32;
/// The bit of a state that is known: the number of heads lies below it, the result in the lower half.
#[device]
const KNOWN: u64 = 1 << 63;

/// The number of the tile that a workgroup takes: the next one, by the count behind all states. `number` is shared memory of its own.
#[device]
pub(in crate::algorithms) fn take_tile(states: &[Atomic<u64>], number: &mut [u32]) -> u32 {
    let ticket = (states.len() as u32).wrapping_sub(1);
    if local_id().x == 0 && ticket < states.len() as u32 {
        number[0] = states[ticket].fetch_add(1, Relaxed) as u32;
    }
    barrier();
    number[0]
}

/// Makes a state known.
#[device]
fn tell(states: &[Atomic<u64>], at: u32, count: u32, bits: u32) {
    if at < states.len() as u32 {
        states[at].store(KNOWN | (count as u64) << 32 | bits as u64, Relaxed);
    }
}

/// The state of `count` from `first` on that a lane looks at first: the last one, the one before it, and so on; zero where there is none.
#[device]
fn state_ahead(states: &[Atomic<u64>], first: u32, count: u32) -> u64 {
    let (lane, end) = (subgroup_local_id(), first + count);
    let mut state = 0;
    if lane < count && end - 1 - lane < states.len() as u32 {
        state = states[end - 1 - lane].load(Relaxed);
    }
    state
}

/// How many heads a state tells of.
#[device]
fn count_of(state: u64) -> u32 {
    (state >> 32) as u32 & 0x7fff_ffff
}

/// The functions for a type of elements.
macro_rules! states {
    (
        $ty:ident, |$number:ident| $bits:expr, |$word:ident| $from_bits:expr,
        $neutral:ident $combined:ident $after:ident,
        $bits_of:ident $from:ident $all:ident $fold:ident $before:ident
    ) => {
        #[device]
        pub(in crate::algorithms) fn $bits_of($number: $ty) -> u32 {
            $bits
        }

        #[device]
        pub(in crate::algorithms) fn $from($word: u32) -> $ty {
            $from_bits
        }

        /// The result of a whole subgroup's values.
        #[device]
        fn $all(op: u32, own: $ty) -> $ty {
            let mut value = own;
            #[unroll]
            for power in 0..5 {
                let mask = 1 << power;
                if mask < subgroup_size() {
                    value = $combined(op, value, subgroup::shuffle_xor(value, mask));
                }
            }
            value
        }

        /// Puts `count` states from `first` on before what lies behind them; `ahead` is what a lane has read of them. Without `is_counted`, only the result counts, and what
        /// is before a head is not waited for.
        #[device]
        fn $fold(
            op: u32,
            is_counted: bool,
            states: &[Atomic<u64>],
            first: u32,
            count: u32,
            ahead: u64,
            behind: (u32, $ty),
        ) -> (u32, $ty) {
            let lane = subgroup_local_id();
            let mut next = ahead;
            let (mut heads, mut value) = behind;
            let mut left = if is_counted || heads == 0 { count } else { 0 };
            while left > 0 {
                // The states just before, one for each lane, the last one first.
                let at = first + left - 1 - lane.min(left - 1);
                let is_inside = lane < left;
                let mut state = next;
                next = 0;
                let mut nearest = 0;
                let mut is_waiting = true;
                while is_waiting {
                    if is_inside && state == 0 && at < states.len() as u32 {
                        state = states[at].load(Relaxed);
                    }
                    nearest = subgroup::min(if count_of(state) > 0 { lane } else { u32::MAX });
                    let is_needed = is_inside && (is_counted || lane <= nearest);
                    is_waiting = subgroup::any(is_needed && state == 0);
                }
                let is_added = is_inside && lane <= nearest;
                let part = $all(op, if is_added { $from(state as u32) } else { $neutral(op) });
                value = $after(op, part, heads, value);
                let own = if is_inside { count_of(state) } else { 0 };
                heads += if is_counted { subgroup::add(own) } else { (nearest != u32::MAX) as u32 };
                left = left.saturating_sub(subgroup_size());
                if !is_counted && heads > 0 {
                    left = 0;
                }
            }
            (heads, value)
        }

        /// The heads before a tile and the result that flows into it; tells that it has `own`, and what its group and its block have if it is the last one of them.
        #[device]
        pub(in crate::algorithms) fn $before(
            op: u32,
            is_counted: bool,
            states: &[Atomic<u64>],
            tiles: u32,
            tile: u32,
            own: (u32, $ty),
        ) -> (u32, $ty) {
            let (group, block) = (tile / FAN, tile / (FAN * FAN));
            let blocks = tiles + tiles.div_ceil(FAN);
            let is_first = subgroup_local_id() == 0;
            if is_first {
                tell(states, tile, own.0, $bits_of(own.1));
            }
            // The data that all will wait for is asked for at once.
            let mut ahead = [0; 3];
            if is_counted {
                ahead = [
                    state_ahead(states, group * FAN, tile % FAN),
                    state_ahead(states, tiles + block * FAN, group % FAN),
                    state_ahead(states, blocks + block.saturating_sub(1), (block > 0) as u32),
                ];
            }
            let mut before = $fold(op, is_counted, states, group * FAN, tile % FAN, ahead[0], (0, $neutral(op)));
            if is_first && tile % FAN == FAN - 1 {
                tell(states, tiles + group, before.0 + own.0, $bits_of($after(op, before.1, own.0, own.1)));
            }
            before = $fold(op, is_counted, states, tiles + block * FAN, group % FAN, ahead[1], before);
            let of_blocks = (blocks + block.saturating_sub(1), (block > 0) as u32);
            before = $fold(op, is_counted, states, of_blocks.0, of_blocks.1, ahead[2], before);
            if is_first && tile % (FAN * FAN) == FAN * FAN - 1 {
                tell(states, blocks + block, before.0 + own.0, $bits_of($after(op, before.1, own.0, own.1)));
            }
            before
        }
    };
}

states!(
    u32, |number| number, |word| word,
    neutral_u32 combined_u32 after_u32, bits_of_u32 from_bits_u32 all_u32 fold_u32 before_u32
);
states!(
    i32, |number| number as u32, |word| word as i32,
    neutral_i32 combined_i32 after_i32, bits_of_i32 from_bits_i32 all_i32 fold_i32 before_i32
);
states!(
    f32, |number| number.to_bits(), |word| f32::from_bits(word),
    neutral_f32 combined_f32 after_f32, bits_of_f32 from_bits_f32 all_f32 fold_f32 before_f32
);
