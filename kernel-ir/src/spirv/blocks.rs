//! Functions and their control flow: structured IR blocks become SPIR-V blocks with merges and phis.

use std::cell::OnceCell;

use rspirv::spirv::{LoopControl, Op, StorageClass};

use super::EmitError;
use super::interface::Prologue;
use super::late_traps::{FirstFailed, LateTrap, may_come_before_traps, nobody_waits};
use super::memory::Check;
use super::module::Writer;
use super::words::{Id, Ids};
use crate::arena::EntityId;
use crate::ir::{BlockId, Constant, Function, FunctionId, Inst, InstId, InstKind, LocalId, Unroll, ValueId};
use crate::rounds::{Counter, definitions};
use crate::types::Type;

/// Rounds of the longest loop that drivers are asked to unroll.
const MOST_ROUNDS: usize = 16;

/// Instructions that such a loop may become.
const MOST_INSTS: usize = 4096;

/// The function being written.
pub(super) struct FunctionWriter<'w, 'm> {
    pub(super) w: &'w mut Writer<'m>,
    pub(super) function: &'m Function,
    pub(super) prologue: Prologue,
    /// Id of each value, by number; zero before its definition.
    values: Vec<Id>,
    /// The instruction that defines each value written so far.
    pub(super) definitions: Vec<Option<InstId>>,
    locals: Vec<Id>,
    loops: Vec<OpenLoop>,
    /// The instruction that defines each value, written or not, once a loop is met.
    ahead: OnceCell<Vec<Option<InstId>>>,
    /// If the function is an item of a batch: by number of the buffer, the variable in place of the item's own element.
    pub(super) own: Option<Vec<Option<OwnElement>>>,
    /// Checks that were made, whose traps are not written yet.
    pub(super) late_traps: Vec<LateTrap>,
    /// The variables for traps behind loops, if the function has such loops.
    pub(super) first_failed: Option<FirstFailed>,
    /// The checks so far of the loop that is being written, if its traps stand behind it.
    pub(super) traps_of_loop: Option<Vec<Check>>,
    /// Whether an invocation that traps in a loop may leave the kernel: nobody waits for it.
    may_leave: bool,
    /// Indices that are below a length wherever control is, for those where they were not have left.
    pub(super) inside: Vec<(Id, Id)>,
}

/// The element of a buffer that is an item's own.
#[derive(Debug, Clone, Copy)]
pub(super) enum OwnElement {
    /// It is in this variable.
    Variable(Id),
    /// This is its value, until it is stored to.
    Value(Id),
}

/// Ways into a block with the values they bring: label first.
type Incoming = Vec<(Id, Ids)>;

/// A loop whose body is being written.
struct OpenLoop {
    body: BlockId,
    merge: Id,
    latch: Id,
    breaks: Incoming,
    continues: Incoming,
    /// Blocks from which an invocation leaves the kernel.
    leaves: Vec<Id>,
}

/// A test by which a loop goes on or is left.
struct Test<'m> {
    /// Instructions of the loop's body in front of it.
    before: usize,
    /// The condition, and what it is where the loop goes on.
    stays: (ValueId, bool),
    /// The results of the test, which are the values that it keeps.
    results: &'m [ValueId],
    kept: &'m [ValueId],
    /// The values with which the loop is left.
    leaving: &'m [ValueId],
}

/// The `if` or `switch` a block belongs to; nothing for function and loop bodies.
pub(super) struct Selection {
    merge: Id,
    yields: Incoming,
}

impl Writer<'_> {
    /// Gives every function that runs an id, so that calls may come before definitions.
    pub(super) fn declare_function_ids(&mut self) {
        self.interface.functions = vec![0; self.module.functions.len()];
        for id in self.uses.functions.clone() {
            let function = self.new_id();
            self.interface.functions[id.index()] = function;
            let module = self.module;
            self.name(function, &module.functions[id].name);
        }
    }

    /// Defines a function.
    pub(super) fn write_function(&mut self, id: FunctionId) -> Result<(), EmitError> {
        let module = self.module;
        let function = &module.functions[id];
        let is_kernel = id == self.kernel.function;
        self.functions.reserve(8 * function.insts.len());
        let result = self.value_type(function.result);
        let params = &function.blocks[function.entry].params;
        let mut signature = vec![result];
        signature.extend(params.iter().map(|param| self.value_type(function.values[*param].ty)));
        let function_type = self.global(Op::TypeFunction, None, &signature);
        self.debug.forget();
        self.set_location(function.location);
        self.op_into(self.interface.functions[id.index()], Op::Function, result, &[0, function_type]);

        let mut values = vec![0; function.values.len()];
        for (param, ty) in params.iter().zip(&signature[1..]) {
            let value = self.op(Op::FunctionParameter, *ty, &[]);
            values[param.index()] = value;
            self.name(value, function.values[*param].name.as_deref().unwrap_or_default());
        }
        let entry = self.new_id();
        self.begin_block(entry);
        let locals = self.write_locals(function);
        let first_failed = self.write_first_failed(function);
        let uses = std::mem::take(&mut self.uses.by_function[id]);
        let prologue = self.write_prologue(&uses, is_kernel);
        self.uses.by_function[id] = uses;
        let mut writer = FunctionWriter::new(self, function, prologue, values, locals);
        writer.first_failed = first_failed;
        writer.may_leave = is_kernel && nobody_waits(module, &writer.w.uses.functions);
        writer.block(function.entry, None)?;
        self.effect(Op::FunctionEnd, &[]);
        Ok(())
    }

    /// Local variables, zero from the start.
    pub(super) fn write_locals(&mut self, function: &Function) -> Vec<Id> {
        let mut locals = Vec::with_capacity(function.locals.len());
        for (_, local) in function.locals.iter() {
            let ty = self.value_type(local.ty);
            let pointer = self.pointer_type(StorageClass::Function, ty);
            let zero = self.global(Op::ConstantNull, Some(ty), &[]);
            let variable = self.op(Op::Variable, pointer, &[StorageClass::Function as u32, zero]);
            self.name(variable, &local.name);
            locals.push(variable);
        }
        locals
    }
}

impl<'w, 'm> FunctionWriter<'w, 'm> {
    /// A writer of a function whose first block was begun; `values` are those that are defined.
    pub(super) fn new(
        w: &'w mut Writer<'m>,
        function: &'m Function,
        prologue: Prologue,
        values: Vec<Id>,
        locals: Vec<Id>,
    ) -> Self {
        let definitions = vec![None; values.len()];
        Self {
            w,
            function,
            prologue,
            definitions,
            values,
            locals,
            loops: Vec::new(),
            ahead: OnceCell::new(),
            own: None,
            late_traps: Vec::new(),
            first_failed: None,
            traps_of_loop: None,
            may_leave: false,
            inside: Vec::new(),
        }
    }
}

impl FunctionWriter<'_, '_> {
    /// The id of a value that is defined already.
    pub(super) fn value(&self, value: ValueId) -> Id {
        let id = self.values[value.index()];
        debug_assert_ne!(id, 0, "{value} is used before its definition");
        id
    }

    /// The ids of several values.
    pub(super) fn ids(&self, values: &[ValueId]) -> Ids {
        values.iter().map(|value| self.value(*value)).collect()
    }

    /// The variable of a local.
    pub(super) fn local(&self, local: LocalId) -> Id {
        self.locals[local.index()]
    }

    fn define(&mut self, value: ValueId, id: Id) {
        self.values[value.index()] = id;
    }

    /// Writes a block, and all that its instructions own.
    pub(super) fn block(&mut self, block: BlockId, selection: Option<&mut Selection>) -> Result<(), EmitError> {
        let function = self.function;
        self.insts(&function.blocks[block].insts, selection)
    }

    fn insts(&mut self, insts: &[InstId], selection: Option<&mut Selection>) -> Result<(), EmitError> {
        let known = self.inside.len();
        let result = self.all_insts(insts, selection);
        self.inside.truncate(known);
        result
    }

    fn all_insts(&mut self, insts: &[InstId], mut selection: Option<&mut Selection>) -> Result<(), EmitError> {
        let function = self.function;
        for &id in insts {
            let inst: &Inst = &function.insts[id];
            for result in &inst.results {
                self.definitions[result.index()] = Some(id);
            }
            if !may_come_before_traps(inst) {
                self.flush_traps();
            }
            let fresh = self.w.next_id();
            self.w.set_location(inst.location);
            if let InstKind::Trap(site, operands) = &inst.kind
                && self.leaves_at_traps()
            {
                let operands = self.ids(operands);
                self.w.call_trap(*site, &operands);
                // The rest of the block does not run.
                self.leave();
                return Ok(());
            }
            if !self.terminator(inst, selection.as_deref_mut())? && !self.control(inst)? {
                self.straight(id, inst);
            }
            self.name_results(inst, fresh);
        }
        self.flush_traps();
        Ok(())
    }

    /// Whether an invocation leaves the kernel at a trap. In loops it does, where nobody waits for it: drivers have fewer ways to join there.
    pub(super) fn leaves_at_traps(&self) -> bool {
        self.may_leave && !self.loops.is_empty()
    }

    /// Ends the kernel's invocation behind a trap: by way of the ends of all loops, for a return in a loop takes NVIDIA's driver twice the time.
    pub(super) fn leave(&mut self) {
        self.w.leaves_at_traps = true;
        let label = self.w.label;
        match self.loops.last_mut() {
            Some(open) => {
                open.leaves.push(label);
                let merge = open.merge;
                self.w.effect(Op::Branch, &[merge]);
            }
            None => self.w.effect(Op::Return, &[]),
        }
    }

    /// Writes a block but for the last instruction. Parameters whose ids are known already are not read again.
    pub(super) fn all_but_last(&mut self, block: BlockId) -> Result<(), EmitError> {
        let function = self.function;
        let Some((_, insts)) = function.blocks[block].insts.split_last() else { return Ok(()) };
        for id in insts {
            match function.insts[*id].results.first() {
                Some(result) if self.values[result.index()] != 0 => self.definitions[result.index()] = Some(*id),
                _ => self.insts(&[*id], None)?,
            }
        }
        Ok(())
    }

    /// The ids of the kernel's parameters, by value; zero for all other values.
    pub(super) fn into_params(mut self) -> Vec<Id> {
        for (id, definition) in self.values.iter_mut().zip(&self.definitions) {
            let is_param = definition.is_some_and(|inst| matches!(self.function.insts[inst].kind, InstKind::Param(_)));
            *id = if is_param { *id } else { 0 };
        }
        self.values
    }

    /// Names what an instruction defined; constants and aliases of older values keep the name they have.
    fn name_results(&mut self, inst: &Inst, fresh: Id) {
        for result in &inst.results {
            let id = self.values[result.index()];
            if let Some(name) = &self.function.values[*result].name
                && id >= fresh
                && !matches!(inst.kind, InstKind::Const(_))
            {
                self.w.name(id, name);
            }
        }
    }

    /// Writes an instruction without blocks.
    fn straight(&mut self, own: InstId, inst: &Inst) {
        let result = inst.results.first().copied();
        let ty = result.map(|result| self.function.values[result].ty);
        let id = match (&inst.kind, ty) {
            (InstKind::Store(place, value), _) => return self.store(place, *value),
            (InstKind::Trap(site, operands), _) => {
                let operands = self.ids(operands);
                return self.w.call_trap(*site, &operands);
            }
            (InstKind::Print(site, words), _) => {
                let words = self.ids(words);
                return self.w.call_print(*site, &words);
            }
            (InstKind::Call(callee, arguments), _) => self.call(*callee, arguments),
            (InstKind::Barrier(scope), _) => return self.w.barrier(*scope),
            (InstKind::Fence(scope, order), _) => return self.w.fence(*scope, *order),
            (InstKind::Atomic(atomic), ty) => {
                let id = self.atomic(own, atomic, ty);
                if ty.is_none() {
                    return;
                }
                id
            }
            (InstKind::Image(op, image, operands), _) => match self.image(*op, *image, operands) {
                Some(id) => id,
                None => return,
            },
            (InstKind::Subgroup(op, operands), Some(ty)) => self.subgroup(*op, operands, ty),
            (InstKind::Coop(op, operands), Some(ty)) => self.coop(*op, operands, ty),
            (InstKind::CoopLoad(access), Some(ty)) => self.coop_load(access, ty),
            (InstKind::CoopStore(access, value), _) => return self.coop_store(access, *value),
            (InstKind::Load(place), _) => self.load(place),
            (InstKind::Param(param), _) => self.w.load_param(*param),
            (InstKind::ConstParam(param), _) => self.w.const_param(*param),
            (InstKind::Builtin(builtin), _) => self.prologue.builtin(*builtin),
            (InstKind::Len(buffer), _) => self.prologue.len(*buffer),
            (InstKind::MemberLen(list, member), _) => self.member_len(*list, *member),
            (InstKind::Const(constant), Some(ty)) => self.w.constant(*constant, ty),
            (InstKind::Op(op, operands), Some(ty)) => match self.least_that_is_known(*op, operands) {
                Some(id) => id,
                None => self.pure_op(*op, operands, ty),
            },
            (InstKind::Compose(members), Some(ty)) => {
                let members = self.ids(members);
                let ty = self.w.value_type(ty);
                self.w.op(Op::CompositeConstruct, ty, &members)
            }
            (InstKind::Extract(composite, steps), Some(ty)) => {
                let known = match steps[..] {
                    [member] => self.prologue.member(self.value(*composite), member),
                    _ => None,
                };
                if let (Some(id), Some(result)) = (known, result) {
                    return self.define(result, id);
                }
                let ty = self.w.value_type(ty);
                let operands: Ids = [self.value(*composite)].into_iter().chain(steps.iter().copied()).collect();
                self.w.op(Op::CompositeExtract, ty, &operands)
            }
            (InstKind::Insert(composite, member, steps), Some(ty)) => {
                let ty = self.w.value_type(ty);
                let ends = [self.value(*member), self.value(*composite)];
                let operands: Ids = ends.into_iter().chain(steps.iter().copied()).collect();
                self.w.op(Op::CompositeInsert, ty, &operands)
            }
            _ => unreachable!("control flow is written elsewhere, and what is left has a result"),
        };
        if let Some(result) = result {
            self.define(result, id);
        }
    }

    /// The least of an index and the last one of an array, where the index is in the array.
    fn least_that_is_known(&mut self, op: crate::op::Op, operands: &[ValueId]) -> Option<Id> {
        if op != crate::op::Op::Min || self.inside.is_empty() {
            return None;
        }
        let last = self.definitions[operands[1].index()].map(|id| &self.function.insts[id].kind)?;
        let InstKind::Const(Constant::U32(last)) = last else { return None };
        let (index, len) = (self.value(operands[0]), self.w.const_u32(last.checked_add(1)?));
        self.inside.contains(&(index, len)).then_some(index)
    }

    fn call(&mut self, callee: FunctionId, arguments: &[ValueId]) -> Id {
        let result = self.w.value_type(self.w.module.functions[callee].result);
        let mut operands = vec![self.w.interface.functions[callee.index()]];
        operands.extend(arguments.iter().map(|argument| self.value(*argument)));
        self.w.op(Op::FunctionCall, result, &operands)
    }

    /// Writes a terminator; false when `inst` is none.
    fn terminator(&mut self, inst: &Inst, selection: Option<&mut Selection>) -> Result<bool, EmitError> {
        match &inst.kind {
            InstKind::Yield(values) => {
                let selection = selection.expect("only blocks of `if` and `switch` yield");
                selection.yields.push((self.w.label, self.ids(values)));
                self.w.effect(Op::Branch, &[selection.merge]);
            }
            InstKind::Break(body, values) => {
                let (label, values) = (self.w.label, self.ids(values));
                let open = self.innermost(*body, inst)?;
                open.breaks.push((label, values));
                let merge = open.merge;
                self.w.effect(Op::Branch, &[merge]);
            }
            InstKind::Continue(body, values) => {
                let (label, values) = (self.w.label, self.ids(values));
                let open = self.innermost(*body, inst)?;
                open.continues.push((label, values));
                let latch = open.latch;
                self.w.effect(Op::Branch, &[latch]);
            }
            InstKind::Return(None) => self.w.effect(Op::Return, &[]),
            InstKind::Return(Some(value)) => {
                let value = self.value(*value);
                self.w.effect(Op::ReturnValue, &[value]);
            }
            InstKind::Panic(site, words) => {
                let words = self.ids(words);
                self.w.call_trap(*site, &words);
                self.leave_invocation();
            }
            InstKind::Unreachable => self.w.effect(Op::Unreachable, &[]),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Ends the invocation. Functions that can are inlined into the kernel; from one that is not, the caller goes on
    /// with zero.
    fn leave_invocation(&mut self) {
        let result = self.function.result;
        if *self.w.module.types.get(result) == Type::Unit {
            return self.w.effect(Op::Return, &[]);
        }
        let zero = self.w.const_zero(result);
        self.w.effect(Op::ReturnValue, &[zero]);
    }

    fn innermost(&mut self, body: BlockId, inst: &Inst) -> Result<&mut OpenLoop, EmitError> {
        let function = &self.function.name;
        self.loops
            .last_mut()
            .filter(|open| open.body == body)
            .ok_or_else(|| EmitError::OuterLoop { function: function.clone(), location: inst.location })
    }

    /// Writes an instruction that owns blocks; false when `inst` is none.
    fn control(&mut self, inst: &Inst) -> Result<bool, EmitError> {
        match &inst.kind {
            InstKind::If { condition, then_block, else_block } => {
                self.write_if(inst, *condition, *then_block, *else_block)?;
            }
            InstKind::Switch { selector, cases, default } => self.write_switch(inst, *selector, cases, *default)?,
            InstKind::Loop { initial, body, unroll } => self.write_loop(inst, initial, *body, *unroll)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn write_if(&mut self, inst: &Inst, condition: ValueId, then: BlockId, other: BlockId) -> Result<(), EmitError> {
        let mut condition = self.value(condition);
        let mut selection = Selection { merge: self.w.new_id(), yields: Vec::new() };
        let then_label = self.w.new_id();
        // An `else` that does nothing needs no block.
        let empty_else = only_yield(self.function, other).map(|values| (self.w.label, self.ids(values)));
        let else_label = if empty_else.is_some() { selection.merge } else { self.w.new_id() };
        let mut ways = [then_label, else_label];
        // Where the kernel's obligations hold, nobody comes to what they rule out.
        let [then_is_ruled_out, other_is] = [then, other].map(|block| self.is_ruled_out(block));
        if then_is_ruled_out || other_is {
            let bool_ = self.w.bool_type();
            if then_is_ruled_out {
                condition = self.w.op(Op::LogicalNot, bool_, &[condition]);
                ways.reverse();
            }
            let is_proven = self.w.is_proven();
            condition = self.w.op(Op::LogicalOr, bool_, &[condition, is_proven]);
        }
        self.w.effect(Op::SelectionMerge, &[selection.merge, 0]);
        self.w.effect(Op::BranchConditional, &[condition, ways[0], ways[1]]);
        self.w.begin_block(then_label);
        self.block(then, Some(&mut selection))?;
        match empty_else {
            Some(way) => selection.yields.push(way),
            None => {
                self.w.begin_block(else_label);
                self.block(other, Some(&mut selection))?;
            }
        }
        self.join(inst, selection.merge, &selection.yields);
        Ok(())
    }

    /// Whether whoever comes to a block comes to a trap that the kernel's obligations rule out.
    fn is_ruled_out(&self, block: BlockId) -> bool {
        self.function.blocks[block].insts.iter().any(|id| match &self.function.insts[*id].kind {
            InstKind::Trap(site, _) | InstKind::Panic(site, _) => self.w.module.sites[*site].at_launch,
            InstKind::If { then_block, else_block, .. } => {
                self.is_ruled_out(*then_block) && self.is_ruled_out(*else_block)
            }
            _ => false,
        })
    }

    fn write_switch(
        &mut self,
        inst: &Inst,
        selector: ValueId,
        cases: &[(u32, BlockId)],
        default: BlockId,
    ) -> Result<(), EmitError> {
        let selector = self.value(selector);
        let mut selection = Selection { merge: self.w.new_id(), yields: Vec::new() };
        let default_label = self.w.new_id();
        let mut arms = vec![(default, default_label)];
        let mut operands = vec![selector, default_label];
        for &(bits, block) in cases {
            let known = arms.iter().find(|(known, _)| *known == block).map(|(_, label)| *label);
            let label = known.unwrap_or_else(|| {
                let label = self.w.new_id();
                arms.push((block, label));
                label
            });
            operands.extend([bits, label]);
        }
        self.w.effect(Op::SelectionMerge, &[selection.merge, 0]);
        self.w.effect(Op::Switch, &operands);
        for (block, label) in arms {
            self.w.begin_block(label);
            self.block(block, Some(&mut selection))?;
        }
        self.join(inst, selection.merge, &selection.yields);
        Ok(())
    }

    /// Whether a loop's rounds are so few, and so small, that a driver should write them one after the other.
    fn is_short(&self, initial: &[ValueId], body: BlockId) -> bool {
        let definitions = self.ahead.get_or_init(|| definitions(self.function));
        let definition = |value: ValueId| definitions[value.index()];
        let counter = Counter { function: self.function, types: &self.w.module.types, definition };
        let counted = counter.count(initial, body, MOST_ROUNDS);
        counted.is_some_and(|counted| counted.rounds * size(self.function, body) <= MOST_INSTS)
    }

    /// The operands that tell the driver about unrolling a loop, with the words behind them.
    fn loop_control(&self, initial: &[ValueId], body: BlockId, unroll: Unroll) -> (LoopControl, Option<u32>) {
        match unroll {
            Unroll::Auto if self.is_short(initial, body) => (LoopControl::UNROLL, None),
            // Loops that were written out are as the author wants them; the driver decides about the others.
            Unroll::Auto | Unroll::Times(0 | 1) => (LoopControl::NONE, None),
            Unroll::Full => (LoopControl::UNROLL, None),
            Unroll::Times(rounds) => (LoopControl::PARTIAL_COUNT, Some(rounds)),
            Unroll::Never => (LoopControl::DONT_UNROLL, None),
        }
    }

    fn write_loop(&mut self, inst: &Inst, initial: &[ValueId], body: BlockId, unroll: Unroll) -> Result<(), EmitError> {
        let (control, count) = self.loop_control(initial, body, unroll);
        let initial = self.ids(initial);
        let keeps_traps = self.keep_traps_of(body);
        let before = self.w.label;
        let [header, start, latch, merge] = [(); 4].map(|()| self.w.new_id());
        self.w.effect(Op::Branch, &[header]);
        self.w.begin_block(header);
        self.w.set_location(inst.location);
        let function = self.function;
        let params = &function.blocks[body].params;
        let mut next = Vec::with_capacity(params.len());
        for (param, first) in params.iter().zip(initial.iter().copied()) {
            let value = &function.values[*param];
            let ty = self.w.value_type(value.ty);
            let later = self.w.new_id();
            let phi = self.w.op(Op::Phi, ty, &[first, before, later, latch]);
            self.w.name(phi, value.name.as_deref().unwrap_or_default());
            self.define(*param, phi);
            next.push((later, value.ty));
        }
        let words = [merge, latch, control.bits(), count.unwrap_or_default()];
        let words = &words[..3 + usize::from(count.is_some())];
        let mut insts = &function.blocks[body].insts[..];
        let mut breaks = Vec::new();
        match test_at_head(function, body) {
            Some(Test { before, stays, results, leaving, kept }) => {
                self.insts(&insts[..before], None)?;
                insts = &insts[before + 1..];
                breaks.push((self.w.label, self.ids(leaving)));
                for (result, value) in results.iter().zip(kept) {
                    self.define(*result, self.value(*value));
                }
                let (condition, stays) = (self.value(stays.0), stays.1);
                let [yes, no] = if stays { [start, merge] } else { [merge, start] };
                self.w.effect(Op::LoopMerge, words);
                self.w.effect(Op::BranchConditional, &[condition, yes, no]);
            }
            None => {
                self.w.effect(Op::LoopMerge, words);
                self.w.effect(Op::Branch, &[start]);
            }
        }
        self.w.begin_block(start);
        self.loops.push(OpenLoop { body, merge, latch, breaks, continues: Vec::new(), leaves: Vec::new() });
        self.insts(insts, None)?;
        let open = self.loops.pop().expect("each body pops what it pushed");

        self.w.begin_block(latch);
        for (index, (id, ty)) in next.into_iter().enumerate() {
            let zero = self.w.const_zero(ty);
            let ty = self.w.value_type(ty);
            if open.continues.is_empty() {
                // Nothing continues, yet the header wants a value from here.
                self.w.op_into(id, Op::CopyObject, ty, &[zero]);
            } else {
                let operands: Ids = open.continues.iter().flat_map(|(label, values)| [values[index], *label]).collect();
                self.w.op_into(id, Op::Phi, ty, &operands);
            }
        }
        self.w.effect(Op::Branch, &[header]);
        self.end_loop(inst, open);
        if keeps_traps {
            self.write_kept_trap();
        }
        Ok(())
    }

    /// Starts the block after a loop, and leaves the kernel there with those that left in the loop.
    fn end_loop(&mut self, inst: &Inst, OpenLoop { merge, mut breaks, leaves, .. }: OpenLoop) {
        if leaves.is_empty() {
            return self.join(inst, merge, &breaks);
        }
        let [yes, no] = [Op::ConstantTrue, Op::ConstantFalse].map(|op| {
            let bool_ = self.w.bool_type();
            self.w.global(op, Some(bool_), &[])
        });
        let stay = breaks.iter().flat_map(|(label, _)| [no, *label]);
        let ways: Ids = stay.chain(leaves.iter().flat_map(|label| [yes, *label])).collect();
        let types = inst.results.iter().map(|result| self.function.values[*result].ty);
        let zeros: Vec<Id> = types.map(|ty| self.w.const_zero(ty)).collect();
        breaks.extend(leaves.into_iter().map(|label| (label, zeros.iter().copied().collect())));
        self.join(inst, merge, &breaks);
        let bool_ = self.w.bool_type();
        let is_left = self.w.op(Op::Phi, bool_, &ways);
        let [out, on] = [(); 2].map(|()| self.w.new_id());
        self.w.effect(Op::SelectionMerge, &[on, 0]);
        self.w.effect(Op::BranchConditional, &[is_left, out, on]);
        self.w.begin_block(out);
        self.leave();
        self.w.begin_block(on);
    }

    /// Starts the block after a control instruction and defines the instruction's results there.
    fn join(&mut self, inst: &Inst, merge: Id, incoming: &Incoming) {
        self.w.begin_block(merge);
        for (index, result) in inst.results.iter().enumerate() {
            let ty = self.function.values[*result].ty;
            let id = match incoming.as_slice() {
                // Control never comes here.
                [] => self.w.const_zero(ty),
                [(_, values)] => values[index],
                ways => {
                    let ty = self.w.value_type(ty);
                    let operands: Ids = ways.iter().flat_map(|(label, values)| [values[index], *label]).collect();
                    self.w.op(Op::Phi, ty, &operands)
                }
            };
            self.define(*result, id);
        }
    }
}

/// The test that a loop's rounds begin with, if it can stand in the header: nothing before it has an effect or blocks of its own,
/// and one of its ways does nothing but leave the loop, the other nothing.
fn test_at_head(function: &Function, body: BlockId) -> Option<Test<'_>> {
    let insts = &function.blocks[body].insts;
    let before = insts.iter().position(|id| !function.insts[*id].kind.is_pure())?;
    let test = &function.insts[insts[before]];
    let InstKind::If { condition, then_block, else_block } = test.kind else { return None };
    let ways = [(then_block, else_block, true), (else_block, then_block, false)];
    let (kept, leaving, stays) = ways.into_iter().find_map(|(stay, leave, when)| {
        let [last]: &[InstId] = &function.blocks[leave].insts else { return None };
        let InstKind::Break(of, values) = &function.insts[*last].kind else { return None };
        let kept = only_yield(function, stay)?;
        (*of == body).then_some((kept, &values[..], when))
    })?;
    Some(Test { before, stays: (condition, stays), results: &test.results, leaving, kept })
}

/// The values of a block that only yields.
fn only_yield(function: &Function, block: BlockId) -> Option<&[ValueId]> {
    let [inst]: &[InstId] = &function.blocks[block].insts else { return None };
    match &function.insts[*inst].kind {
        InstKind::Yield(values) => Some(values),
        _ => None,
    }
}

/// Instructions of a block and of all that is nested in it.
fn size(function: &Function, block: BlockId) -> usize {
    let insts = &function.blocks[block].insts;
    let nested = insts.iter().flat_map(|id| function.insts[*id].kind.blocks());
    insts.len() + nested.map(|inner| size(function, inner)).sum::<usize>()
}
