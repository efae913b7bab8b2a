//! Modules that read their push constants from a storage buffer, so that a command buffer need not hold the values.

use crate::binary::{HEADER, class, decoration, first_word, inst_at, op, positions, push};

/// Capabilities of push constants with integers of 8 and 16 bits, and those of storage buffers.
const NARROW: [(u32, u32); 2] = [(4450, 4448), (4435, 4433)];

/// The module with its push constants in a read-only storage buffer at `binding` of set 0; `None` where it has none.
///
/// Only modules of the back end are read: their push constants are one variable with the layout of a storage buffer.
///
/// ```
/// // No module, so no push constants.
/// assert_eq!(gridwise_ir::variant::with_buffered_push(&[0x0723_0203, 0x10500, 0, 1, 0], 3), None);
/// ```
pub fn with_buffered_push(words: &[u32], binding: u32) -> Option<Vec<u32>> {
    let is_push = |words: &[u32]| words.get(2) == Some(&class::PUSH_CONSTANT);
    let mut insts = positions(words, HEADER, words.len()).map(|at| inst_at(words, at));
    let variable = insts.find(|inst| inst.opcode == op::VARIABLE && is_push(inst.words))?.words[1];
    let first_type = positions(words, HEADER, words.len())
        .find(|at| (op::TYPE_VOID..=op::TYPE_POINTER).contains(&inst_at(words, *at).opcode))?;
    let mut out = Vec::with_capacity(words.len() + 16);
    out.extend_from_slice(words.get(..HEADER)?);
    for at in positions(words, HEADER, words.len()) {
        let inst = inst_at(words, at);
        if at == first_type {
            push(&mut out, op::DECORATE, &[variable, decoration::DESCRIPTOR_SET, 0]);
            push(&mut out, op::DECORATE, &[variable, decoration::BINDING, binding]);
            push(&mut out, op::DECORATE, &[variable, decoration::RESTRICT]);
            push(&mut out, op::DECORATE, &[variable, decoration::NON_WRITABLE]);
        }
        match (inst.opcode, inst.words) {
            (op::CAPABILITY, [capability]) => {
                let buffered =
                    NARROW.iter().find(|(of_push, _)| of_push == capability).map(|(_, of_buffer)| *of_buffer);
                push(&mut out, op::CAPABILITY, &[buffered.unwrap_or(*capability)]);
            }
            (op::TYPE_POINTER, [id, class::PUSH_CONSTANT, of]) => {
                push(&mut out, op::TYPE_POINTER, &[*id, class::STORAGE_BUFFER, *of]);
            }
            (op::VARIABLE, [ty, id, class::PUSH_CONSTANT]) => {
                push(&mut out, op::VARIABLE, &[*ty, *id, class::STORAGE_BUFFER]);
            }
            (opcode, operands) => {
                out.push(first_word(opcode, operands.len()));
                out.extend_from_slice(operands);
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn push_constants_become_a_buffer() {
        let mut words = vec![0x0723_0203, 0x10500, 0, 9, 0];
        push(&mut words, op::CAPABILITY, &[4450]);
        push(&mut words, op::TYPE_VOID, &[1]);
        push(&mut words, op::TYPE_POINTER, &[3, class::PUSH_CONSTANT, 2]);
        push(&mut words, op::VARIABLE, &[3, 4, class::PUSH_CONSTANT]);
        let mut expected = words[..HEADER].to_vec();
        push(&mut expected, op::CAPABILITY, &[4448]);
        push(&mut expected, op::DECORATE, &[4, decoration::DESCRIPTOR_SET, 0]);
        push(&mut expected, op::DECORATE, &[4, decoration::BINDING, 7]);
        push(&mut expected, op::DECORATE, &[4, decoration::RESTRICT]);
        push(&mut expected, op::DECORATE, &[4, decoration::NON_WRITABLE]);
        push(&mut expected, op::TYPE_VOID, &[1]);
        push(&mut expected, op::TYPE_POINTER, &[3, class::STORAGE_BUFFER, 2]);
        push(&mut expected, op::VARIABLE, &[3, 4, class::STORAGE_BUFFER]);
        assert_eq!(with_buffered_push(&words, 7), Some(expected));
    }
}
