//! Inputs whose elements no two invocations read: their adjoints are added to without atomic operations.
//!
//! The way back adds to the elements that the kernel reads. So the analysis of races looks at a kernel that writes what it reads: where no
//! two invocations can race then, none share an element. Barriers are left out of it, so that nothing depends on an order. What is not
//! proven is added to atomically.

use super::activity::By;
use crate::ir::{Bound, BoundOp, BufferId, Function, Inst, InstId, InstKind, Kernel, Module, Obligation, Place, Root};
use crate::passes;
use crate::races::{self, Object};
use crate::types::Size;
use crate::uniformity::{Uniformity, agreeing_functions};

/// Inputs whose elements invocations have to themselves.
#[derive(Debug, Default)]
pub(super) struct Apart {
    /// The buffers.
    pub(super) buffers: Vec<BufferId>,
    /// Whether that is true of launches that are lines.
    pub(super) needs_line: bool,
    /// The other conditions of launches under which it is.
    pub(super) conditions: Vec<Obligation>,
}

/// Finds them in a module as lowered.
pub(super) fn find(module: &Module, by: &By) -> Apart {
    let mut module = module.clone();
    if by.is_function || passes::expose(&mut module).is_err() {
        return Apart::default();
    }
    let Some(kernel) = &module.kernel else { return Apart::default() };
    let mut buffers: Vec<BufferId> = by.buffers.clone();
    buffers.retain(|buffer| may_be_apart(&module, kernel, *buffer));
    while !buffers.is_empty() {
        let writing = writing(&module, &buffers);
        let analysis = races::analyse(&writing);
        let before = buffers.len();
        buffers.retain(|buffer| analysis.races.iter().all(|race| race.object != Object::Buffer(*buffer)));
        if buffers.len() < before {
            continue;
        }
        let asked = analysis.conditions.into_iter().map(|condition| condition.obligation);
        let (lines, conditions): (Vec<_>, Vec<_>) = asked.filter(|asked| !always_holds(asked)).partition(is_of_line);
        let is_line = kernel.workgroup[1..].iter().all(|size| *size == Size::Known(1));
        if (lines.is_empty() && conditions.is_empty() || is_line)
            && conditions.iter().all(|condition| is_of_lengths(kernel, condition))
        {
            // The number of invocations is known of lines.
            let needs_line = !lines.is_empty() || !conditions.is_empty() && is_line;
            return Apart { buffers, needs_line, conditions };
        }
        break;
    }
    Apart::default()
}

/// Whether it is worth a proof: the buffer is read only, and its elements are not those that all invocations read.
fn may_be_apart(module: &Module, kernel: &Kernel, buffer: BufferId) -> bool {
    let of = &kernel.buffers[buffer];
    if of.writable || of.is_list || of.image.is_some() || of.is_texels || of.checked.is_some() {
        return false;
    }
    let function = &module.functions[kernel.function];
    let agreeing = agreeing_functions(module);
    let uniformity = Uniformity::of(function, Some(kernel), &agreeing);
    let mut accesses = function.insts.iter().filter_map(|(_, inst)| match inst.kind.place() {
        Some(place) if place.root == Root::Buffer(buffer) => Some((inst, place)),
        _ => None,
    });
    accesses.all(|(inst, place): (&Inst, &Place)| {
        matches!(inst.kind, InstKind::Load(_))
            && !place.is_unordered
            && place.values().any(|value| !uniformity.is_uniform(value))
    })
}

/// The kernel that writes to these buffers what it reads from them, without barriers.
fn writing(module: &Module, buffers: &[BufferId]) -> Module {
    let mut module = module.clone();
    let Some(kernel) = &mut module.kernel else { return module };
    buffers.iter().for_each(|buffer| kernel.buffers[*buffer].writable = true);
    let function = &mut module.functions[kernel.function];
    let blocks: Vec<_> = function.blocks.ids().collect();
    for block in blocks {
        let insts = std::mem::take(&mut function.blocks[block].insts);
        let mut written = Vec::with_capacity(insts.len());
        for id in insts {
            if !matches!(function.insts[id].kind, InstKind::Barrier(_)) {
                written.push(id);
                written.extend(store_behind(function, id, buffers));
            }
        }
        function.blocks[block].insts = written;
    }
    module
}

/// A store of what a load found, to where it found it.
fn store_behind(function: &mut Function, id: InstId, buffers: &[BufferId]) -> Option<InstId> {
    let Inst { kind: InstKind::Load(place), results, location } = &function.insts[id] else { return None };
    let Root::Buffer(buffer) = place.root else { return None };
    if !buffers.contains(&buffer) {
        return None;
    }
    let kind = InstKind::Store(place.clone(), *results.first()?);
    let store = Inst { kind, results: [].as_slice().into(), location: *location };
    Some(function.insts.push(store))
}

/// Whether a condition is that the launch has one invocation, or one workgroup, along an axis.
fn is_of_line(condition: &Obligation) -> bool {
    matches!(condition.index, Bound::Items(1 | 2) | Bound::Groups(1 | 2)) && condition.length == Bound::Const(2)
}

/// Whether a condition is that 32 bits hold what is made of lengths and the number of invocations.
fn is_of_lengths(kernel: &Kernel, condition: &Obligation) -> bool {
    fn has_numbers(kernel: &Kernel, bound: &Bound) -> bool {
        match bound {
            Bound::Const(_) => true,
            Bound::Items(axis) => *axis == 0 && kernel.workgroup[0].known().is_some(),
            Bound::Len(buffer) => !kernel.buffers[*buffer].is_list && kernel.buffers[*buffer].image.is_none(),
            Bound::Binary(BoundOp::Add | BoundOp::Mul, parts) => parts.iter().all(|part| has_numbers(kernel, part)),
            _ => false,
        }
    }
    let length = limits(&condition.length);
    has_numbers(kernel, &condition.index)
        && has_numbers(kernel, &condition.length)
        && length.is_some_and(|(least, _)| least > u128::from(u32::MAX))
}

/// Whether each launch fulfils a condition, because of the sizes that its numbers have.
fn always_holds(condition: &Obligation) -> bool {
    let limits = |bound: &Bound| limits(bound).unwrap_or((0, u128::MAX));
    limits(&condition.index).1 < limits(&condition.length).0
}

/// The least and the largest number that a bound can be; `None` where that is not looked at.
fn limits(bound: &Bound) -> Option<(u128, u128)> {
    use BoundOp as O;
    Some(match bound {
        Bound::Const(number) => ((*number).into(), (*number).into()),
        Bound::Len(_) | Bound::Extent(..) | Bound::Least(_) | Bound::LeastExtent(..) => (0, u32::MAX.into()),
        Bound::Items(_) | Bound::Groups(_) | Bound::Constant(_) | Bound::Param(..) => return None,
        Bound::Binary(op, parts) => {
            let ((a, b), (c, d)) = (limits(&parts[0])?, limits(&parts[1])?);
            match op {
                O::Add => (a.checked_add(c)?, b.checked_add(d)?),
                O::Mul => (a.checked_mul(c)?, b.checked_mul(d)?),
                O::Div if c > 0 => (a / d, b / c),
                O::Min => (a.min(c), b.min(d)),
                O::Max => (a.max(c), b.max(d)),
                _ => return None,
            }
        }
    })
}
