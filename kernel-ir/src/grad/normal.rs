//! The normal form that the derivation starts from: one return, at the end, and loops of which each round is left at one place.
//!
//! A loop's body is a *head*, an `if` of which one arm is empty and the other breaks, a *rest* without further ways out, and a `continue`.
//! Loops that the author wrote so, or with all of the rest in an arm, stay as they are. Others note in variables where control goes, and
//! what is behind a way out runs where none was taken.

use crate::arena::EntityId;
use crate::builder::FunctionBuilder;
use crate::ir::{Block, BlockId, Function, Inst, InstId, InstKind, LocalId, Module, Place, Unroll, ValueId};
use crate::op::Op;
use crate::passes::{self, CheckCount};
use crate::types::{Scalar, TypeId};

/// The module in normal form. It has one function, whose jumps name the innermost loop.
pub(super) fn normalize(module: &Module) -> Module {
    let mut result = Module { functions: crate::arena::Arena::new(), ..module.clone() };
    let Some(kernel) = &module.kernel else { return result };
    let source = &module.functions[kernel.function];
    let mut b = FunctionBuilder::new(&mut result, empty_like(source), true);
    source.locals.iter().for_each(|(_, local)| {
        b.new_local(local.name.clone(), local.ty);
    });
    let mut normal = Normal {
        source,
        b,
        env: vec![None; source.values.len()],
        returned: None,
        loops: Vec::new(),
        results: Vec::new(),
    };
    let insts = source.blocks[source.entry].insts.clone();
    normal.rest(&insts);
    normal.b.finish();
    let mut checks = CheckCount::default();
    for _ in 0..2 {
        let _ = passes::run_on_functions(&mut result, "promote_locals", passes::promote_locals::run, &mut checks);
        let _ = passes::run_on_functions(&mut result, "fold_constants", passes::fold_constants::run, &mut checks);
    }
    result
}

/// A function with the name and place of another, and nothing in it.
pub(super) fn empty_like(source: &Function) -> Function {
    let mut blocks = crate::arena::Arena::new();
    let entry = blocks.push(Block::default());
    Function {
        name: source.name.clone(),
        result: source.result,
        entry,
        locals: crate::arena::Arena::new(),
        values: crate::arena::Arena::new(),
        blocks,
        insts: crate::arena::Arena::new(),
        location: source.location,
    }
}

/// The two ways on of a loop's only exit.
#[derive(Debug, Clone)]
pub(super) struct Exit {
    /// The position of the `if` in the body.
    pub(super) at: usize,
    /// Its condition.
    pub(super) condition: ValueId,
    /// Whether the loop goes on where it is true.
    pub(super) stays: bool,
    /// The results of the loop.
    pub(super) values: Vec<ValueId>,
}

/// The exit of a loop in normal form.
pub(super) fn exit(function: &Function, body: BlockId) -> Option<Exit> {
    let insts = &function.blocks[body].insts;
    insts.iter().enumerate().find_map(|(at, id)| {
        let InstKind::If { condition, then_block, else_block } = function.insts[*id].kind else { return None };
        let leaves = |block: BlockId| match function.blocks[block].insts.as_slice() {
            [only] => match &function.insts[*only].kind {
                InstKind::Break(target, values) if *target == body => Some(values.to_vec()),
                _ => None,
            },
            _ => None,
        };
        match (leaves(then_block), leaves(else_block)) {
            (Some(values), None) => Some(Exit { at, condition, stays: false, values }),
            (None, Some(values)) => Some(Exit { at, condition, stays: true, values }),
            _ => None,
        }
    })
}

/// The loop that is being written.
struct Loop {
    /// The body in the source.
    source: BlockId,
    /// The flag that it is left, and the values with which; none in a loop whose exits are at its head.
    left: Option<(LocalId, Vec<LocalId>)>,
    /// The flag that the rest of the round is skipped, and the values that the next one begins with.
    skipped: Option<LocalId>,
    next: Vec<LocalId>,
}

struct Normal<'s, 'm> {
    source: &'s Function,
    b: FunctionBuilder<'m>,
    env: Vec<Option<ValueId>>,
    returned: Option<LocalId>,
    loops: Vec<Loop>,
    /// For each block around, the variables that take its yielded values; none where it yields them.
    results: Vec<Option<Vec<LocalId>>>,
}

impl Normal<'_, '_> {
    fn get(&self, value: ValueId) -> ValueId {
        self.env[value.index()].expect("values are defined before they are used")
    }

    fn all(&self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|value| self.get(*value)).collect()
    }

    fn inst(&self, id: InstId) -> &Inst {
        &self.source.insts[id]
    }

    /// Whether a jump or return stands in the instruction's blocks that leads out of it. `in_loop`: whether only returns count.
    fn leads_out(&self, id: InstId, in_loop: bool) -> bool {
        self.inst(id).kind.blocks().iter().any(|block| self.block_leads_out(*block, in_loop))
    }

    fn block_leads_out(&self, block: BlockId, in_loop: bool) -> bool {
        self.source.blocks[block].insts.iter().any(|id| match &self.inst(*id).kind {
            InstKind::Return(_) => true,
            InstKind::Break(..) | InstKind::Continue(..) => !in_loop,
            InstKind::Loop { .. } => self.leads_out(*id, true),
            _ => self.leads_out(*id, in_loop),
        })
    }

    fn flag(&mut self, name: &str) -> LocalId {
        let ty = self.b.types_mut().scalar(Scalar::Bool);
        let flag = self.b.new_local(name, ty);
        self.set(flag, false);
        flag
    }

    fn set(&mut self, flag: LocalId, to: bool) {
        let value = self.b.const_bool(to);
        self.b.store(Place::local(flag), value);
    }

    fn keep(&mut self, locals: &[LocalId], values: &[ValueId]) {
        let values = self.all(values);
        for (local, value) in locals.iter().zip(values) {
            self.b.store(Place::local(*local), value);
        }
    }

    fn load_all(&mut self, locals: &[LocalId]) -> Vec<ValueId> {
        locals.iter().map(|local| self.b.load(Place::local(*local))).collect()
    }

    fn bind(&mut self, from: &[ValueId], to: &[ValueId]) {
        for (from, to) in from.iter().zip(to) {
            self.env[from.index()] = Some(*to);
            if let Some(name) = self.source.values[*from].name.clone() {
                self.b.set_name(*to, &name);
            }
        }
    }

    fn types_of(&self, values: &[ValueId]) -> Vec<TypeId> {
        values.iter().map(|value| self.source.values[*value].ty).collect()
    }

    fn locals_like(&mut self, values: &[ValueId]) -> Vec<LocalId> {
        let types: Vec<_> = values.iter().map(|value| self.source.values[*value].ty).collect();
        types.into_iter().map(|ty| self.b.new_local("way", ty)).collect()
    }

    /// Writes the instructions, what is behind a way out in an `if`.
    fn rest(&mut self, insts: &[InstId]) {
        for (at, &id) in insts.iter().enumerate() {
            if self.leaves(id) {
                return self.guarded(&insts[at + 1..]);
            }
        }
    }

    /// Writes one instruction; whether something in it leads out.
    fn leaves(&mut self, id: InstId) -> bool {
        let source = self.source;
        let inst = &source.insts[id];
        self.b.set_location(inst.location);
        match &inst.kind {
            InstKind::Yield(values) => match self.results.last().cloned().flatten() {
                Some(locals) => self.keep(&locals, values),
                None => {
                    let values = self.all(values);
                    self.b.yield_(&values);
                }
            },
            InstKind::Return(_) => {
                // Nothing stands behind a return that is no way out.
                if let Some(flag) = self.returned {
                    self.set(flag, true);
                    self.leave_all();
                }
            }
            InstKind::Break(_, values) => {
                let current = self.loops.last().expect("a break stands in a loop");
                if let Some((flag, locals)) = current.left.clone() {
                    self.keep(&locals, values);
                    self.set(flag, true);
                }
            }
            InstKind::Continue(_, values) => {
                let current = self.loops.last().expect("a continue stands in a loop");
                let (flag, locals) = (current.skipped, current.next.clone());
                self.keep(&locals, values);
                if let Some(flag) = flag {
                    self.set(flag, true);
                }
            }
            InstKind::If { .. } | InstKind::Switch { .. } => {
                if self.leads_out(id, false) {
                    self.branch_out(id);
                    return true;
                }
                self.arms(id, None);
            }
            InstKind::Loop { .. } => {
                let returns = self.leads_out(id, true);
                self.round(id);
                return returns;
            }
            kind => {
                let mut kind = kind.clone();
                kind.map_uses(|value| self.get(value));
                let types: Vec<_> = inst.results.iter().map(|value| source.values[*value].ty).collect();
                let results = self.b.append(kind, &types);
                self.bind(&inst.results, &results);
            }
        }
        false
    }

    /// Notes in each loop around that it is left.
    fn leave_all(&mut self) {
        let flags: Vec<_> = self.loops.iter().filter_map(|it| it.left.as_ref().map(|(flag, _)| *flag)).collect();
        flags.into_iter().for_each(|flag| self.set(flag, true));
    }

    /// Writes what is behind an instruction that may have left, where it did not.
    fn guarded(&mut self, behind: &[InstId]) {
        if behind.is_empty() || matches!(self.inst(behind[0]).kind, InstKind::Unreachable) {
            return;
        }
        let mut flags: Vec<LocalId> = self.returned.into_iter().collect();
        if let Some(current) = self.loops.last() {
            flags.extend(current.left.as_ref().map(|(flag, _)| *flag));
            flags.extend(current.skipped);
        }
        let mut is_gone = None;
        for flag in flags {
            let flag = self.b.load(Place::local(flag));
            is_gone = Some(match is_gone {
                None => flag,
                Some(before) => self.b.op(Op::Or, &[before, flag]),
            });
        }
        let Some(is_gone) = is_gone else { return self.rest(behind) };
        let (gone, on) = (self.b.new_block(), self.b.new_block());
        let parent = self.b.switch_to(on);
        self.rest(behind);
        self.b.switch_to(parent);
        self.b.push_if(is_gone, gone, on, &[]);
    }

    /// An `if` or `switch` that something leads out of: what it yields is in variables.
    fn branch_out(&mut self, id: InstId) {
        if self.leads_out(id, true) && self.returned.is_none() {
            self.returned = Some(self.flag("returned"));
        }
        let results = self.inst(id).results.to_vec();
        let locals = self.locals_like(&results);
        self.arms(id, Some(locals.clone()));
        let values = self.load_all(&locals);
        self.bind(&results, &values);
    }

    fn arms(&mut self, id: InstId, locals: Option<Vec<LocalId>>) {
        let source = self.source;
        let inst = &source.insts[id];
        let is_direct = locals.is_none();
        self.results.push(locals);
        let mut arm = |block: BlockId| {
            let new = self.b.new_block();
            let parent = self.b.switch_to(new);
            self.rest(&source.blocks[block].insts);
            self.b.switch_to(parent);
            new
        };
        let types: Vec<_> = match is_direct {
            true => inst.results.iter().map(|value| source.values[*value].ty).collect(),
            false => Vec::new(),
        };
        let results = match &inst.kind {
            InstKind::If { condition, then_block, else_block } => {
                let (then_block, else_block) = (arm(*then_block), arm(*else_block));
                let condition = self.get(*condition);
                self.b.push_if(condition, then_block, else_block, &types)
            }
            InstKind::Switch { selector, cases, default } => {
                let cases: Vec<_> = cases.iter().map(|(bits, block)| (*bits, arm(*block))).collect();
                let default = arm(*default);
                let selector = self.get(*selector);
                self.b.push_switch(selector, &cases, default, &types)
            }
            _ => unreachable!("only branches have arms"),
        };
        self.results.pop();
        if is_direct {
            self.bind(&inst.results, &results);
        }
    }

    fn round(&mut self, id: InstId) {
        let source = self.source;
        let inst = &source.insts[id];
        let InstKind::Loop { initial, body, unroll } = &inst.kind else { unreachable!("called for loops") };
        match self.plain(*body) {
            Some((exit, rest)) => self.plain_loop(inst, (initial, *body, *unroll), &exit, &rest),
            None => self.flagged_loop(inst, (initial, *body)),
        }
    }

    /// The exit of a loop with one, and the instructions behind it.
    fn plain(&self, body: BlockId) -> Option<(Exit, Vec<InstId>)> {
        let insts = &self.source.blocks[body].insts;
        let exit = exit(self.source, body)?;
        let InstKind::If { then_block, else_block, .. } = self.inst(insts[exit.at]).kind else { return None };
        let on = if exit.stays { then_block } else { else_block };
        let (mut rest, behind) = (self.source.blocks[on].insts.clone(), &insts[exit.at + 1..]);
        match &self.inst(*rest.last()?).kind {
            // The exit has no results, as a break yields none; so neither do they.
            InstKind::Yield(values) if values.is_empty() => {
                rest.pop();
                rest.extend_from_slice(behind);
            }
            InstKind::Continue(..) => {}
            _ => return None,
        }
        let (last, inner) = rest.split_last()?;
        let is_clean = |id: &InstId| match self.inst(*id).kind {
            InstKind::Loop { .. } => !self.leads_out(*id, true),
            _ => !self.leads_out(*id, false),
        };
        let ends = matches!(self.inst(*last).kind, InstKind::Continue(..));
        let has_results = !self.inst(insts[exit.at]).results.is_empty();
        (ends && !has_results && insts[..exit.at].iter().all(is_clean) && inner.iter().all(is_clean))
            .then_some((exit, rest))
    }

    fn plain_loop(
        &mut self,
        inst: &Inst,
        (initial, body, unroll): (&[ValueId], BlockId, Unroll),
        exit: &Exit,
        rest: &[InstId],
    ) {
        let source = self.source;
        let initial = self.all(initial);
        let types: Vec<_> = initial.iter().map(|value| self.b.value_type(*value)).collect();
        let new = self.b.new_loop_body(&types);
        let params = self.b.block_params(new).to_vec();
        self.bind(&source.blocks[body].params, &params);
        let parent = self.b.switch_to(new);
        self.loops.push(Loop { source: body, left: None, skipped: None, next: Vec::new() });
        self.results.push(None);
        self.rest(&source.blocks[body].insts[..exit.at]);
        self.leave(new, (exit.condition, exit.stays), &exit.values);
        let (last, inner) = rest.split_last().expect("it ends with a `continue`");
        self.rest(inner);
        if let InstKind::Continue(_, values) = &source.insts[*last].kind {
            let values = self.all(values);
            self.b.continue_(new, &values);
        }
        self.results.pop();
        self.loops.pop();
        self.b.switch_to(parent);
        let types = self.types_of(&inst.results);
        self.b.set_location(inst.location);
        let mark = self.b.mark();
        let results = self.b.push_loop(new, &initial, &types);
        self.b.set_unroll(mark, unroll);
        self.bind(&inst.results, &results);
    }

    /// Breaks where the condition is not as it has to be.
    fn leave(&mut self, body: BlockId, (condition, stays): (ValueId, bool), values: &[ValueId]) {
        let (condition, values) = (self.get(condition), self.all(values));
        self.leave_with(body, (condition, stays), &values);
    }

    fn leave_with(&mut self, body: BlockId, (condition, stays): (ValueId, bool), values: &[ValueId]) {
        let (on, out) = (self.b.new_block(), self.b.new_block());
        let parent = self.b.switch_to(out);
        self.b.break_(body, values);
        self.b.switch_to(parent);
        let (then_block, else_block) = if stays { (on, out) } else { (out, on) };
        self.b.push_if(condition, then_block, else_block, &[]);
    }

    fn flagged_loop(&mut self, inst: &Inst, (initial, body): (&[ValueId], BlockId)) {
        let source = self.source;
        let initial = self.all(initial);
        let outs = self.locals_like(&inst.results);
        let next = self.locals_like(&source.blocks[body].params);
        if self.block_leads_out(body, true) && self.returned.is_none() {
            self.returned = Some(self.flag("returned"));
        }
        let (left, skipped) = (self.flag("left"), self.flag("skipped"));
        for (local, value) in next.iter().zip(&initial) {
            self.b.store(Place::local(*local), *value);
        }
        let new = self.b.new_loop_body(&[]);
        let parent = self.b.switch_to(new);
        let is_left = self.b.load(Place::local(left));
        let results = self.load_all(&outs);
        self.leave_with(new, (is_left, false), &results);
        self.set(skipped, false);
        let params = self.load_all(&next);
        self.bind(&source.blocks[body].params, &params);
        self.loops.push(Loop { source: body, left: Some((left, outs)), skipped: Some(skipped), next });
        self.results.push(None);
        self.rest(&source.blocks[body].insts);
        self.results.pop();
        let done = self.loops.pop();
        debug_assert!(done.is_some_and(|done| done.source == body), "loops are nested");
        self.b.continue_(new, &[]);
        self.b.switch_to(parent);
        let types: Vec<_> = inst.results.iter().map(|value| source.values[*value].ty).collect();
        self.b.set_location(inst.location);
        let results = self.b.push_loop(new, &[], &types);
        self.bind(&inst.results, &results);
    }
}
