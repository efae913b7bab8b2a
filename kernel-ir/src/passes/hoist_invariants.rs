//! Computes before a loop what is the same in all of its rounds.
//!
//! An instruction that is not defined everywhere (a division whose divisor the loop's condition keeps from zero, a read
//! that it keeps in bounds) moves only if the first round reaches it in any case. Reads move only from buffers that the
//! kernel never writes.

use std::hash::{Hash, Hasher};

use super::edit::{SpareLists, for_each_inst};
use super::{Changed, PassCx, share_values};
use crate::arena::EntityId;
use crate::few::Few;
use crate::flow;
use crate::hash::Mixer;
use crate::ir::{BlockId, BufferId, Function, ImageOp, Inst, InstId, InstKind, Kernel, Place, Root};
use crate::op::Cost;

/// Lists of what uses no value.
const LISTS: u64 = 64;

/// Runs the pass.
pub fn run(function: &mut Function, cx: &mut PassCx<'_>) -> Changed {
    if !function.insts.iter().any(|(_, inst)| matches!(inst.kind, InstKind::Loop { .. })) {
        return Changed::No;
    }
    let levels = vec![0u32; function.values.len()];
    let mut hoister =
        Hoister { function, cx, levels, loops: Vec::new(), moved: Vec::new(), spare: SpareLists::default() };
    hoister.block(hoister.function.entry);
    let moved = hoister.moved;
    if moved.is_empty() {
        return Changed::No;
    }
    if is_repeated(function, cx, &moved) {
        // A value that was computed in two loops can be computed once now.
        let _ = share_values::run(function, cx);
    }
    Changed::Yes
}

/// Whether something that moved, or a load that was checked when values were last shared, is computed elsewhere, too.
fn is_repeated(function: &Function, cx: &PassCx<'_>, moved: &[InstId]) -> bool {
    let mut is_moved = vec![false; function.insts.len()];
    moved.iter().for_each(|id| is_moved[id.index()] = true);
    let mut known = moved.to_vec();
    for_each_inst(function, &mut |id, inst| {
        if matches!(&inst.kind, InstKind::Load(place) if is_constant(cx.kernel, place)) && !is_moved[id.index()] {
            known.push(id);
        }
    });
    // Lists of them by the lowest value that each uses; those that use none are in lists behind these.
    let count = function.values.len();
    let list_of = |kind: &InstKind| {
        let mut lowest = count;
        kind.for_each_use(|value| lowest = lowest.min(value.index()));
        if lowest < count {
            return lowest;
        }
        let mut hasher = Mixer::default();
        kind.hash(&mut hasher);
        count + (hasher.finish() % LISTS) as usize
    };
    let mut lists: Vec<Option<u32>> = vec![None; count + LISTS as usize];
    let mut next = Vec::with_capacity(known.len());
    for (at, id) in (0..).zip(&known) {
        next.push(lists[list_of(&function.insts[*id].kind)].replace(at));
    }
    let ty = |inst: &Inst| inst.results.first().map(|result| function.values[*result].ty);
    let mut found = false;
    for_each_inst(function, &mut |id, inst| {
        let mut listed = if found || inst.results.len() != 1 { None } else { lists[list_of(&inst.kind)] };
        while let Some(at) = listed {
            let (known, next) = (known[at as usize], next[at as usize]);
            let other = &function.insts[known];
            found |= known != id && other.kind == inst.kind && ty(other) == ty(inst);
            listed = next;
        }
    });
    found
}

/// Whether what is read there is the same throughout the launch, and always there.
fn is_constant(kernel: Option<&Kernel>, place: &Place) -> bool {
    !place.is_checked() && is_only_read(kernel, place)
}

/// Whether no invocation of the launch writes there.
pub(super) fn is_only_read(kernel: Option<&Kernel>, place: &Place) -> bool {
    let (Root::Buffer(buffer) | Root::Member(buffer, _)) = place.root else { return false };
    kernel.is_some_and(|kernel| !kernel.buffers[buffer].writable)
}

struct Hoister<'a, 'm> {
    function: &'a mut Function,
    cx: &'a PassCx<'m>,
    /// How many loops each value is in.
    levels: Vec<u32>,
    /// The loops around what is looked at, outermost first.
    loops: Vec<OpenLoop>,
    /// Instructions that moved out of a loop.
    moved: Vec<InstId>,
    spare: SpareLists,
}

/// A loop whose body is looked at.
struct OpenLoop {
    /// Instructions that run before it, in order.
    before: Vec<InstId>,
    /// Whether the first round gets to what is looked at in any case.
    is_certain: bool,
    /// Whether a branch in it is looked at, which not every round takes.
    is_branch: bool,
}

impl Hoister<'_, '_> {
    fn block(&mut self, block: BlockId) {
        let level = self.loops.len();
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut stay = self.spare.take(insts.len());
        for &id in &insts {
            if let InstKind::Loop { body, .. } = self.function.insts[id].kind {
                self.loop_body(body, &mut stay);
            } else if self.function.insts[id].kind.has_blocks() {
                self.branches(id);
            } else if let target = self.target(id)
                && target < level
            {
                self.define(id, target);
                self.loops[target].before.push(id);
                self.moved.push(id);
                continue;
            }
            self.define(id, level);
            stay.push(id);
        }
        self.function.blocks[block].insts = stay;
        self.spare.give_back(insts);
    }

    /// Looks at a loop; what moves out of it goes to `outside`.
    fn loop_body(&mut self, body: BlockId, outside: &mut Vec<InstId>) {
        self.loops.push(OpenLoop { before: Vec::new(), is_certain: true, is_branch: false });
        let level = self.loops.len();
        for param in &self.function.blocks[body].params {
            self.levels[param.index()] = level as u32;
        }
        self.block(body);
        outside.extend(self.loops.pop().map(|open| open.before).unwrap_or_default());
        // Whether it ends is not known, nor what is known where it does.
        self.forget_certainty();
    }

    /// Looks at the blocks of an `if` or `switch`.
    fn branches(&mut self, id: InstId) {
        let certain: Few<bool> = self.loops.iter().map(|open| open.is_certain).collect();
        self.forget_certainty();
        let was_branch = self.loops.last_mut().is_some_and(|open| std::mem::replace(&mut open.is_branch, true));
        let mut all_yield = true;
        for block in self.function.insts[id].kind.blocks() {
            self.block(block);
            all_yield &=
                matches!(flow::terminator(self.function, block), Some(InstKind::Yield(_))) && !self.holds_jump(block);
        }
        if let Some(open) = self.loops.last_mut() {
            open.is_branch = was_branch;
        }
        if all_yield {
            for (open, is_certain) in self.loops.iter_mut().zip(certain) {
                open.is_certain = is_certain;
            }
        }
    }

    /// Whether a block nested in this one ends with anything but a yield.
    fn holds_jump(&self, block: BlockId) -> bool {
        self.function.blocks[block].insts.iter().any(|id| {
            self.function.insts[*id].kind.blocks().iter().any(|inner| {
                !matches!(flow::terminator(self.function, *inner), Some(InstKind::Yield(_))) || self.holds_jump(*inner)
            })
        })
    }

    fn forget_certainty(&mut self) {
        self.loops.iter_mut().for_each(|open| open.is_certain = false);
    }

    fn define(&mut self, id: InstId, level: usize) {
        for result in &self.function.insts[id].results {
            self.levels[result.index()] = level as u32;
        }
    }

    /// In how many loops an instruction may run at the least.
    fn target(&self, id: InstId) -> usize {
        let innermost = self.loops.len();
        let inst = &self.function.insts[id];
        let kind = &inst.kind;
        let behind = |stops: fn(&OpenLoop) -> bool| self.loops.iter().rposition(stops).map_or(0, |open| open + 1);
        let certain = || behind(|open| !open.is_certain);
        let least = match kind {
            _ if inst.results.len() != 1 => innermost,
            _ if kind.is_free() => 0,
            // Which image of a list it is may be in range only where it stands.
            InstKind::Image(ImageOp::Size(_) | ImageOp::Levels, image, _) if !self.is_list(*image) => 0,
            InstKind::Op(op, _) => match op.cost() {
                Cost::Guarded if self.is_integer(id) => certain(),
                // It is not done for rounds that may not need it.
                Cost::Guarded | Cost::Long => behind(|open| open.is_branch),
                Cost::Short => 0,
            },
            InstKind::Load(place) if is_constant(self.cx.kernel, place) => certain(),
            _ => innermost,
        };
        let mut target = least;
        kind.for_each_use(|value| target = target.max(self.levels[value.index()] as usize));
        target
    }

    fn is_list(&self, buffer: BufferId) -> bool {
        self.cx.kernel.is_none_or(|kernel| kernel.buffers[buffer].is_list)
    }

    fn is_integer(&self, id: InstId) -> bool {
        let result = self.function.insts[id].results[0];
        let scalar = self.cx.types.element_scalar(self.function.values[result].ty);
        scalar.is_none_or(|scalar| scalar.is_int())
    }
}
