//! Modules whose loops need most registers: an address of 64 bits takes two where a descriptor takes none.
//!
//! NVIDIA's driver (580) moves registers of a matrix product with 64 sums to shared memory if its buffers have addresses, and the product
//! takes 1.23 times as long; a convolution that carries 45 words takes 1.09 times as long.

use crate::binary::{HEADER, inst_at, op, positions};

/// Words that a loop may carry from round to round beside addresses.
const MOST_CARRIED: u32 = 39;

/// Whether a loop carries so much from round to round that registers are scarce.
pub(super) fn is_high(words: &[u32]) -> bool {
    let mut sizes = vec![0; words.get(3).map_or(0, |bound| *bound as usize)];
    let mut carried = 0u32;
    for at in positions(words, HEADER, words.len()) {
        let inst = inst_at(words, at);
        match (inst.opcode, inst.words) {
            (op::TYPE_BOOL, [id]) => sizes[*id as usize] = 1,
            (op::TYPE_INT | op::TYPE_FLOAT, [id, bits, ..]) => sizes[*id as usize] = bits.div_ceil(32),
            (op::TYPE_VECTOR, [id, of, lanes]) => sizes[*id as usize] = sizes[*of as usize] * lanes,
            (op::LABEL, _) => carried = 0,
            (op::PHI, [ty, ..]) => carried += sizes[*ty as usize],
            (op::LOOP_MERGE, _) if carried > MOST_CARRIED => return true,
            _ => {}
        }
    }
    false
}
