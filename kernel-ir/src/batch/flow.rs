//! The data flow of a batch: on which ways a kernel writes its own elements, and which guards lead there. It looks at
//! the kernel's function only.

use super::survey::Survey;
use crate::ir::{BlockId, Bound, BufferId, InstKind, Place, Root, ValueId};
use crate::op::Op;
use crate::types::{Scalar, Type};

/// The survey of the ways through a kernel: reads and writes of the item's own elements.
pub(super) struct Flow<'s, 'm> {
    survey: &'s Survey<'m>,
    /// The bounds that every item of a launch must be below, so that all items pass the guards.
    pub(super) guards: Vec<Bound>,
    /// Buffers whose element may be read before it is written, or written in part.
    pub(super) read: Vec<BufferId>,
    /// Buffers whose element is not written on some way through the kernel.
    pub(super) partial: Vec<BufferId>,
}

/// Buffers whose element was written; `None` where control does not come.
type Written = Option<Vec<BufferId>>;

impl<'s, 'm> Flow<'s, 'm> {
    /// Follows the kernel from its start.
    pub(super) fn of(survey: &'s Survey<'m>) -> Self {
        let mut flow = Self { survey, guards: Vec::new(), read: Vec::new(), partial: Vec::new() };
        let end = flow.block(survey.function.entry, Vec::new());
        debug_assert!(end.is_none(), "a function's block ends with a return");
        flow
    }

    /// Follows a block that starts with these written; what is written where it yields.
    fn block(&mut self, block: BlockId, mut written: Vec<BufferId>) -> Written {
        let function = self.survey.function;
        for &id in &function.blocks[block].insts {
            match &function.insts[id].kind {
                InstKind::Load(Place { root: Root::Buffer(buffer), .. }) => self.read(*buffer, &written),
                InstKind::Store(Place { root: Root::Buffer(buffer), path, .. }, _) => {
                    if path.len() > 1 {
                        self.read(*buffer, &written);
                    } else if !written.contains(buffer) {
                        written.push(*buffer);
                    }
                }
                InstKind::If { condition, then_block, else_block } => {
                    written = self.branch(*condition, [*then_block, *else_block], written)?;
                }
                kind @ InstKind::Switch { .. } => {
                    let mut after = None;
                    for block in kind.blocks() {
                        let end = self.block(block, written.clone());
                        after = both(after, end);
                    }
                    written = after?;
                }
                InstKind::Loop { body, .. } => {
                    // A round may leave the loop anywhere: what it writes does not count behind it.
                    self.block(*body, written.clone());
                }
                InstKind::Return(_) => {
                    let accesses = self.survey.accesses.iter().filter(|access| access.is_store);
                    let missing = accesses.map(|access| access.buffer).filter(|buffer| !written.contains(buffer));
                    let missing: Vec<_> = missing.filter(|buffer| !self.partial.contains(buffer)).collect();
                    self.partial.extend(missing);
                    return None;
                }
                InstKind::Yield(_) => return Some(written),
                kind if kind.is_terminator() => return None,
                _ => {}
            }
        }
        None
    }

    fn read(&mut self, buffer: BufferId, written: &[BufferId]) {
        if !written.contains(&buffer) && !self.read.contains(&buffer) {
            self.read.push(buffer);
        }
    }

    fn branch(&mut self, condition: ValueId, [then, other]: [BlockId; 2], written: Vec<BufferId>) -> Written {
        for (wanted, taken) in [(true, then), (false, other)] {
            if let Some(guards) = self.guard(condition, wanted) {
                self.guards.extend(guards);
                return self.block(taken, written);
            }
        }
        let after = self.block(then, written.clone());
        let after_other = self.block(other, written);
        both(after, after_other)
    }

    /// The bounds that make the condition `wanted`; `None` if the condition depends on anything else.
    fn guard(&self, condition: ValueId, wanted: bool) -> Option<Vec<Bound>> {
        let InstKind::Op(op, operands) = self.survey.definition(condition)? else { return None };
        match (op, &operands[..]) {
            (Op::And, [a, b]) if wanted => Some([self.guard(*a, true)?, self.guard(*b, true)?].concat()),
            (Op::Or, [a, b]) if !wanted => Some([self.guard(*a, false)?, self.guard(*b, false)?].concat()),
            (Op::Not, [inner]) => self.guard(*inner, !wanted),
            (Op::Lt, [item, end]) | (Op::Gt, [end, item]) if wanted => self.below(*item, *end),
            (Op::Ge, [item, end]) | (Op::Le, [end, item]) if !wanted => self.below(*item, *end),
            _ => None,
        }
    }

    fn below(&self, item: ValueId, end: ValueId) -> Option<Vec<Bound>> {
        if self.survey.is_item(item) { Some(vec![self.launch_number(end)?]) } else { None }
    }

    /// A `u32` that is known at launch, exactly.
    fn launch_number(&self, value: ValueId) -> Option<Bound> {
        let (survey, ty) = (self.survey, self.survey.function.values[value].ty);
        if *survey.module.types.get(ty) != Type::Scalar(Scalar::U32) {
            return None;
        }
        match survey.definition(value)? {
            InstKind::Const(crate::ir::Constant::U32(number)) => Some(Bound::Const(*number)),
            InstKind::Len(buffer) => Some(Bound::Len(*buffer)),
            InstKind::ConstParam(param) => Some(Bound::Constant(*param)),
            InstKind::Param(param) => Some(Bound::Param(*param, [].into())),
            InstKind::Extract(composite, path) => match survey.definition(*composite)? {
                InstKind::Param(param) => Some(Bound::Param(*param, path.clone())),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The join of two ways: an element counts as written as both ways allow.
fn both(a: Written, b: Written) -> Written {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.retain(|buffer| b.contains(buffer));
            Some(a)
        }
        (way, None) | (None, way) => way,
    }
}
