//! The depth of a finished module's control flow. SPIR-V has a limit, and drivers follow the nesting by recursion.

use rspirv::spirv::Op;

/// Constructs in constructs: the limit of SPIR-V (Universal Limits, "Structured Control Flow Nesting Depth").
pub const MOST_NESTED: usize = 1023;

/// Words before the first instruction.
const HEADER: usize = 5;

/// Branches and loops that are too many in each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("more than {MOST_NESTED} branches and loops are nested in each other, near line {line}")]
pub struct TooNested {
    /// The line of the source that comes before the first of them that is too much; 0 where none is known.
    pub line: u32,
}

/// Looks for a construct that is nested more deeply than devices take.
pub(crate) fn check_nesting(words: &[u32]) -> Result<(), TooNested> {
    let (mut open, mut line, mut at) = (Vec::new(), 0, HEADER);
    while let Some(first) = words.get(at) {
        let (op, len) = (first & 0xffff, (first >> 16) as usize);
        let operand = |number: usize| words.get(at + number).copied().unwrap_or(0);
        if op == Op::Line as u32 {
            line = operand(2);
        } else if op == Op::SelectionMerge as u32 || op == Op::LoopMerge as u32 {
            open.push(operand(1));
            if open.len() > MOST_NESTED {
                return Err(TooNested { line });
            }
        } else if op == Op::Label as u32 {
            // The block where a construct's ways meet stands behind all of its blocks.
            while open.last() == Some(&operand(1)) {
                open.pop();
            }
        }
        at += len.max(1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: u32) -> Vec<u32> {
        let mut words = vec![0; HEADER];
        for merge in 0..depth {
            words.extend([(4 << 16) | Op::Line as u32, 1, merge, 1]);
            words.extend([(3 << 16) | Op::SelectionMerge as u32, merge, 0]);
        }
        for merge in (0..depth).rev() {
            words.extend([(2 << 16) | Op::Label as u32, merge]);
        }
        words
    }

    #[test]
    fn what_is_behind_a_construct_is_not_in_it() {
        assert_eq!(check_nesting(&nested(1023)), Ok(()));
        assert_eq!(check_nesting(&nested(1024)), Err(TooNested { line: 1023 }));
        let two: Vec<u32> = nested(1023).into_iter().chain(nested(1023).into_iter().skip(HEADER)).collect();
        assert_eq!(check_nesting(&two), Ok(()));
    }
}
