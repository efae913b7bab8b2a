//! Lets an invocation leave where it traps in a loop, so that what was compared there is known behind it.
//!
//! A trap lets the invocation go on, which proves nothing of what follows: `rows[k] += 1; rows[k] |= 2` compares four times. Where nobody
//! waits for an invocation, it leaves at traps in loops anyway: `spirv::late_traps`. Here the IR says so. That goes for branches to traps,
//! and for checked accesses of an invocation's own arrays, in front of which branches are put. Not for those of buffers: their loads are
//! made before their traps, so that several are on their way at once.

use super::Changed;
use super::edit::{Writer, add_effect, for_each_inst, walk};
use crate::arena::Arena;
use crate::flow::{nobody_waits, yields};
use crate::ir::{
    Block, BlockId, Function, FunctionId, InstId, InstKind, Module, Place, Root, Site, SiteId, Step, ValueId,
};
use crate::op::Op;
use crate::types::{Scalar, Type, Types};

/// Runs the pass on a module's kernel.
pub fn run(module: &mut Module) -> Changed {
    let Some(kernel) = &module.kernel else { return Changed::No };
    let functions: Vec<FunctionId> = module.functions.ids().collect();
    let function = &module.functions[kernel.function];
    let is_unit = *module.types.get(function.result) == Type::Unit;
    let (mut going_on, mut checked) = (Vec::new(), 0);
    for_each_inst(function, &mut |_, inst| {
        if let InstKind::Loop { body, .. } = inst.kind {
            walk(function, body, &mut |_, inst| {
                going_on.extend(trap_of(function, &inst.kind));
                checked += u32::from(inst.kind.place().is_some_and(is_checked_array));
            });
        }
    });
    // One check by itself stays as it is.
    let puts_branches = checked > 1;
    if !is_unit || !puts_branches && going_on.is_empty() || !nobody_waits(module, &functions) {
        return Changed::No;
    }
    let Module { types, functions, sites, .. } = module;
    let function = &mut functions[kernel.function];
    let mut pass = Pass { function, types, sites, changed: Changed::No };
    for block in going_on {
        pass.leave_from(block);
    }
    if puts_branches {
        pass.block(pass.function.entry, false);
    }
    pass.changed
}

/// The block of a branch that is a trap and nothing else, where control comes out of the branch's other block.
fn trap_of(function: &Function, kind: &InstKind) -> Option<BlockId> {
    let is_trap = |block: BlockId| match function.blocks[block].insts[..] {
        [trap, last] => {
            matches!(&function.insts[trap].kind, InstKind::Trap(..))
                && matches!(&function.insts[last].kind, InstKind::Yield(values) if values.is_empty())
        }
        _ => false,
    };
    let &InstKind::If { then_block, else_block, .. } = kind else { return None };
    let ways = [(then_block, else_block), (else_block, then_block)];
    ways.into_iter().find(|(trap, other)| is_trap(*trap) && yields(function, *other)).map(|way| way.0)
}

fn is_checked_array(place: &Place) -> bool {
    matches!(place.root, Root::Local(_)) && place.is_checked()
}

/// The members of an array or vector that a `u32` names.
fn known_len(ty: &Type) -> Option<u32> {
    match ty {
        Type::Array(_, len) => len.known(),
        Type::Vector(_, lanes) => Some((*lanes).into()),
        _ => None,
    }
}

struct Pass<'m> {
    function: &'m mut Function,
    types: &'m mut Types,
    sites: &'m Arena<SiteId, Site>,
    changed: Changed,
}

/// An index and the number that it must be below.
struct Guard {
    index: ValueId,
    len: u32,
    site: SiteId,
}

impl Pass<'_> {
    fn leave_from(&mut self, block: BlockId) {
        if let Some(last) = self.function.blocks[block].insts.last() {
            self.function.insts[*last].kind = InstKind::Return(None);
            self.changed = Changed::Yes;
        }
    }

    fn block(&mut self, block: BlockId, in_loop: bool) {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for id in insts {
            let is_loop = matches!(self.function.insts[id].kind, InstKind::Loop { .. });
            for inner in self.function.insts[id].kind.blocks() {
                self.block(inner, in_loop || is_loop);
            }
            let guards = if in_loop { self.take_guards(id) } else { Vec::new() };
            for guard in guards {
                self.guard(&guard, id, &mut out);
                self.changed = Changed::Yes;
            }
            out.push(id);
        }
        self.function.blocks[block].insts = out;
    }

    /// The checks of an access of an array, which has none any more.
    fn take_guards(&mut self, id: InstId) -> Vec<Guard> {
        let Function { insts, locals, .. } = &mut *self.function;
        let mut guards = Vec::new();
        let Some(place) = insts[id].kind.place_mut().filter(|place| is_checked_array(place)) else { return guards };
        let Root::Local(local) = place.root else { return guards };
        let mut ty = locals[local].ty;
        for step in place.path.iter_mut() {
            if let Step::Index { value, check } = step
                && let Some(len) = known_len(self.types.get(ty))
                && let Some(site) = check.take()
            {
                guards.push(Guard { index: *value, len, site });
            }
            let member = match step {
                Step::Field(field) => *field,
                _ => 0,
            };
            let Some(member) = self.types.member(ty, member) else { break };
            ty = member;
        }
        guards
    }

    /// Writes a branch in which the invocation leaves.
    fn guard(&mut self, guard: &Guard, of: InstId, out: &mut Vec<InstId>) {
        let location = self.function.insts[of].location;
        let bool_ = self.types.scalar(Scalar::Bool);
        let mut writer = Writer { function: &mut *self.function, types: &mut *self.types, location, out };
        let len = writer.constant(guard.len.into(), Scalar::U32);
        let condition = writer.op(Op::Lt, [guard.index, len], bool_);
        let mut block = |kinds: Vec<InstKind>| {
            let insts = kinds.into_iter().map(|kind| add_effect(self.function, kind, location)).collect();
            self.function.blocks.push(Block { params: Vec::new(), insts })
        };
        let trap = InstKind::Trap(guard.site, [guard.index, len].into());
        let then_block = block(vec![InstKind::Yield([].into())]);
        let else_block = match self.sites[guard.site].is_quiet {
            true => block(vec![InstKind::Return(None)]),
            false => block(vec![trap, InstKind::Return(None)]),
        };
        out.push(add_effect(self.function, InstKind::If { condition, then_block, else_block }, location));
    }
}
