//! Replaces calls by the bodies they call. A callee that returns early becomes a loop of one round left by `break`.
//!
//! It keeps calls that would make the module grow past a limit, and touches no function that nothing calls.

use super::edit::{Substitution, add_effect, add_inst, cut_unreachable, for_each_inst};
use super::{Changed, tail_exits};
use crate::arena::{EntityId, SecondaryMap};
use crate::ir::{
    Block, BlockId, Constant, Function, FunctionId, Inst, InstId, InstKind, LocalId, Module, Place, Root, Unroll,
    ValueId,
};

/// Bodies up to this many instructions are always inlined.
const SMALL: usize = 40;
/// Instructions a module may gain by inlining larger bodies at more than one call.
const GROWTH: usize = 20_000;

/// Instructions a function may gain by bodies that are inlined whatever their size. More than a driver compiles in reasonable
/// time, and little enough for the passes.
const LIMIT: usize = 100_000;

/// A function that grew past all limits, because what it calls must be inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// The callee that makes it so.
    pub callee: String,
    /// Instructions of that.
    pub size: usize,
    /// How often the module calls it.
    pub calls: usize,
}

/// A callee in its final form.
struct Callee {
    calls: usize,
    size: usize,
    /// Whether it does what only the kernel's own function does in the end, that is, ends the invocation, names buffers or
    /// waits at a barrier: it is inlined whatever its size.
    is_of_kernel: bool,
    /// Whether all returns are the last instruction of the entry block.
    returns_at_end: bool,
    /// Locals that may be read before they are written, so that they must be zeroed when the body runs again.
    reads_zero: Vec<bool>,
}

/// Runs the pass.
///
/// # Errors
/// When a function grows past all limits; the module is not to be used any more.
pub fn run(module: &mut Module) -> Result<Changed, TooLarge> {
    // A function calls only those before it.
    if module.functions.len() == 1 {
        return Ok(Changed::No);
    }
    let mut calls = vec![0usize; module.functions.len()];
    let (mut waits, mut panics) = (false, false);
    for (_, function) in module.functions.iter() {
        for_each_inst(function, &mut |_, inst| {
            waits |= inst.kind.needs_full_workgroup();
            panics |= matches!(inst.kind, InstKind::Panic(..));
            if let InstKind::Call(callee, _) = inst.kind {
                calls[callee.index()] += 1;
            }
        });
    }
    if calls.iter().all(|count| *count == 0) {
        return Ok(Changed::No);
    }
    let mut changed = Changed::No;
    let mut callees: Vec<Callee> = Vec::with_capacity(calls.len());
    let mut growth = GROWTH;
    for id in module.functions.ids() {
        // A function only calls functions before it, and those are final by now.
        let stand_in = placeholder(&module.functions[id]);
        let mut function = std::mem::replace(&mut module.functions[id], stand_in);
        let mut inliner = Inliner {
            module,
            callees: &callees,
            growth: &mut growth,
            substitution: Substitution::of(&function),
            function: &mut function,
            in_loop: 0,
            size: 0,
            too_large: None,
            changed: Changed::No,
        };
        inliner.block(inliner.function.entry);
        if let Some(callee) = inliner.too_large {
            let (name, facts) = (module.functions[callee].name.clone(), &callees[callee.index()]);
            return Err(TooLarge { callee: name, size: facts.size, calls: facts.calls });
        }
        if inliner.changed == Changed::Yes {
            changed = Changed::Yes;
            let _ = cut_unreachable(&mut function);
        }
        let count = calls[id.index()];
        if count > 0 {
            changed |= tail_exits::run(&mut function);
        }
        callees.push(Callee {
            calls: count,
            size: size(&function),
            // Of those who panicked and walk on, what they trap at is not counted: they have to be seen.
            is_of_kernel: is_of_kernel(&function) || waits && panics && traps(&function),
            returns_at_end: tail_exits::returns_at_end(&function),
            reads_zero: reads_zero(&function),
        });
        module.functions[id] = function;
    }
    Ok(changed)
}

/// Stands in the arena while its function is being changed.
fn placeholder(function: &Function) -> Function {
    Function {
        name: String::new(),
        result: function.result,
        entry: function.entry,
        locals: Default::default(),
        values: Default::default(),
        blocks: Default::default(),
        insts: Default::default(),
        location: None,
    }
}

fn size(function: &Function) -> usize {
    let mut size = 0;
    for_each_inst(function, &mut |_, _| size += 1);
    size
}

fn is_of_kernel(function: &Function) -> bool {
    let mut found = false;
    for_each_inst(function, &mut |_, inst| {
        found |= match &inst.kind {
            InstKind::Panic(..) | InstKind::Barrier(_) | InstKind::Image(..) => true,
            InstKind::Len(_) | InstKind::MemberLen(..) => true,
            kind if kind.is_of_coop() => true,
            kind => kind.place().is_some_and(|place| matches!(place.root, Root::Buffer(_) | Root::Member(..))),
        };
    });
    found
}

fn traps(function: &Function) -> bool {
    let mut found = false;
    for_each_inst(function, &mut |_, inst| {
        found |= matches!(inst.kind, InstKind::Trap(..)) || inst.kind.place().is_some_and(Place::is_checked);
    });
    found
}

/// A local is safe when the first instruction that names it is a store of the whole in the entry block itself.
fn reads_zero(function: &Function) -> Vec<bool> {
    let mut reads = vec![true; function.locals.len()];
    let mut seen = vec![false; function.locals.len()];
    for &id in &function.blocks[function.entry].insts {
        let inst = &function.insts[id];
        if let InstKind::Store(Place { root: Root::Local(local), path, .. }, _) = &inst.kind
            && path.is_empty()
            && !seen[local.index()]
        {
            reads[local.index()] = false;
        }
        let mut see = |inst: &Inst| {
            if let InstKind::Load(place) | InstKind::Store(place, _) = &inst.kind
                && let Root::Local(local) = place.root
            {
                seen[local.index()] = true;
            }
        };
        see(inst);
        for block in inst.kind.blocks() {
            super::edit::walk(function, block, &mut |_, inst| see(inst));
        }
    }
    reads
}

struct Inliner<'a> {
    module: &'a Module,
    callees: &'a [Callee],
    growth: &'a mut usize,
    substitution: Substitution,
    function: &'a mut Function,
    in_loop: usize,
    /// Instructions inlined so far.
    size: usize,
    too_large: Option<FunctionId>,
    changed: Changed,
}

impl Inliner<'_> {
    fn block(&mut self, block: BlockId) {
        let insts = std::mem::take(&mut self.function.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for id in insts {
            self.substitution.apply(&mut self.function.insts[id].kind);
            match &self.function.insts[id].kind {
                InstKind::Call(callee, arguments) => {
                    let (callee, arguments) = (*callee, arguments.clone());
                    if self.is_worth_it(callee) {
                        self.changed = Changed::Yes;
                        if !self.inline(id, callee, &arguments, &mut out) {
                            // The callee never returns, so nothing behind the call runs.
                            self.function.blocks[block].insts = out;
                            return;
                        }
                        continue;
                    }
                }
                InstKind::Loop { body, .. } => {
                    let body = *body;
                    self.in_loop += 1;
                    self.block(body);
                    self.in_loop -= 1;
                }
                kind => kind.blocks().into_iter().for_each(|nested| self.block(nested)),
            }
            out.push(id);
        }
        self.function.blocks[block].insts = out;
    }

    fn is_worth_it(&mut self, callee: FunctionId) -> bool {
        let id = callee;
        let callee = &self.callees[id.index()];
        if self.size + callee.size > LIMIT {
            if callee.is_of_kernel {
                self.too_large = self.too_large.or(Some(id));
            }
            return false;
        }
        self.size += callee.size;
        if callee.calls == 1 || callee.size <= SMALL || callee.is_of_kernel {
            return true;
        }
        if callee.size > *self.growth {
            return false;
        }
        *self.growth -= callee.size;
        true
    }

    /// Appends the body to `out`; false when control never comes back from it.
    fn inline(&mut self, call: InstId, callee: FunctionId, arguments: &[ValueId], out: &mut Vec<InstId>) -> bool {
        let module = self.module;
        let (body, facts) = (&module.functions[callee], &self.callees[callee.index()]);
        let results = self.function.insts[call].results.clone();
        let location = self.function.insts[call].location;

        let locals = self.copy_locals(body, facts, out);
        let wrapper = (!facts.returns_at_end).then(|| self.function.blocks.push(Block::default()));
        let mut copy = Copier {
            from: body,
            to: self.function,
            values: SecondaryMap::new(),
            blocks: SecondaryMap::new(),
            locals,
            returns_to: wrapper,
        };
        for (param, argument) in body.blocks[body.entry].params.iter().zip(arguments) {
            copy.values[*param] = Some(*argument);
        }
        let mut insts = copy.insts(body.entry);
        if let Some(wrapper) = wrapper {
            self.function.blocks[wrapper].insts = insts;
            let kind = InstKind::Loop { initial: [].into(), body: wrapper, unroll: Unroll::Auto };
            out.push(self.function.insts.push(Inst { kind, results, location }));
            return true;
        }
        let last = insts.pop().expect("a block ends with a terminator");
        out.append(&mut insts);
        match &self.function.insts[last].kind {
            InstKind::Return(value) => {
                if let (Some(result), Some(value)) = (results.first(), value) {
                    self.substitution.set(*result, *value);
                }
                true
            }
            _ => {
                out.push(last);
                false
            }
        }
    }

    /// The callee's locals as locals of the caller; inside a loop those that start as zero are zeroed each time.
    fn copy_locals(&mut self, body: &Function, facts: &Callee, out: &mut Vec<InstId>) -> Vec<LocalId> {
        let mut locals = Vec::with_capacity(body.locals.len());
        for (id, local) in body.locals.iter() {
            let copy = self.function.locals.push(local.clone());
            if self.in_loop > 0 && facts.reads_zero[id.index()] {
                let (zero, value) = add_inst(self.function, InstKind::Const(Constant::Zero), local.ty, None);
                let store = add_effect(self.function, InstKind::Store(Place::local(copy), value), None);
                out.extend([zero, store]);
            }
            locals.push(copy);
        }
        locals
    }
}

/// Copies blocks of one function into another.
struct Copier<'a> {
    from: &'a Function,
    to: &'a mut Function,
    values: SecondaryMap<ValueId, Option<ValueId>>,
    blocks: SecondaryMap<BlockId, Option<BlockId>>,
    locals: Vec<LocalId>,
    /// The loop that a `return` leaves; without one, returns are copied as they are.
    returns_to: Option<BlockId>,
}

impl Copier<'_> {
    fn insts(&mut self, block: BlockId) -> Vec<InstId> {
        let from = self.from;
        from.blocks[block].insts.iter().map(|id| self.inst(&from.insts[*id])).collect()
    }

    fn inst(&mut self, inst: &Inst) -> InstId {
        let mut kind = inst.kind.clone();
        kind.map_uses(|value| self.values[value].expect("values are defined before they are used"));
        match &mut kind {
            InstKind::Load(place) | InstKind::Store(place, _) => {
                if let Root::Local(local) = &mut place.root {
                    *local = self.locals[local.index()];
                }
            }
            InstKind::If { then_block, else_block, .. } => {
                *then_block = self.block(*then_block);
                *else_block = self.block(*else_block);
            }
            InstKind::Switch { cases, default, .. } => {
                for (_, case) in cases {
                    *case = self.block(*case);
                }
                *default = self.block(*default);
            }
            InstKind::Loop { body, .. } => *body = self.block(*body),
            InstKind::Break(target, _) | InstKind::Continue(target, _) => {
                *target = self.blocks[*target].expect("jumps stand inside their loop");
            }
            InstKind::Return(value) => {
                if let Some(target) = self.returns_to {
                    kind = InstKind::Break(target, value.iter().copied().collect());
                }
            }
            _ => {}
        }
        let results = inst.results.iter().map(|result| self.value(*result)).collect();
        self.to.insts.push(Inst { kind, results, location: inst.location })
    }

    fn block(&mut self, block: BlockId) -> BlockId {
        let copy = self.to.blocks.push(Block::default());
        self.blocks[block] = Some(copy);
        let params = self.from.blocks[block].params.iter().map(|param| self.value(*param)).collect();
        self.to.blocks[copy].params = params;
        let insts = self.insts(block);
        self.to.blocks[copy].insts = insts;
        copy
    }

    fn value(&mut self, value: ValueId) -> ValueId {
        let copy = self.to.values.push(self.from.values[value].clone());
        self.values[value] = Some(copy);
        copy
    }
}
