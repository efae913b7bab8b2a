//! Atomic additions without sums of subgroups, for devices that have none: each lane adds its own number.

use crate::binary::{HEADER, inst_at, op, push};

const REDUCE: u32 = 0;
const CAPABILITY_BASIC: u32 = 61;
const CAPABILITY_ARITHMETIC: u32 = 63;

/// A module in which each lane adds its own number where a subgroup added the sum. `keeps_basic`: whether the kernel itself asks for
/// operations of subgroups.
///
/// The kernel itself has no sums of subgroups, so each one with an election directly behind it is of an addition.
pub fn without_gathering(words: &[u32], keeps_basic: bool) -> Vec<u32> {
    let mut bound = words[3];
    let mut out = Vec::with_capacity(words.len() + 8);
    out.extend_from_slice(&words[..HEADER]);
    let (mut at, mut follows_sum, mut bool_, mut true_) = (HEADER, false, None, None);
    let mut is_in_functions = false;
    while at < words.len() {
        let inst = inst_at(words, at);
        match (inst.opcode, inst.words) {
            (op::CAPABILITY, [CAPABILITY_ARITHMETIC]) => {}
            (op::CAPABILITY, [CAPABILITY_BASIC]) if !keeps_basic => {}
            (op::GROUP_NON_UNIFORM_F_ADD, [ty, sum, _, REDUCE, operand]) => {
                push(&mut out, op::COPY_OBJECT, &[*ty, *sum, *operand]);
            }
            (op::GROUP_NON_UNIFORM_ELECT, [ty, result, _]) if follows_sum => {
                push(&mut out, op::COPY_OBJECT, &[*ty, *result, true_.unwrap_or(*result)]);
            }
            (opcode, operands) => {
                match (opcode, operands) {
                    (op::TYPE_BOOL, [id]) => bool_ = Some(*id),
                    (op::CONSTANT_TRUE, [_, id]) => true_ = Some(*id),
                    (op::FUNCTION, _) if !is_in_functions => {
                        is_in_functions = true;
                        if let (None, Some(ty)) = (true_, bool_) {
                            push(&mut out, op::CONSTANT_TRUE, &[ty, bound]);
                            true_ = Some(bound);
                            bound += 1;
                        }
                    }
                    _ => {}
                }
                push(&mut out, opcode, operands);
            }
        }
        follows_sum = matches!((inst.opcode, inst.words), (op::GROUP_NON_UNIFORM_F_ADD, [_, _, _, REDUCE, _]));
        at += 1 + inst.words.len();
    }
    out[3] = bound;
    out
}
