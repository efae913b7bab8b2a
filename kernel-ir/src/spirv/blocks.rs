//! Functions and their control flow: structured IR blocks become SPIR-V blocks with merges and phis.

use rspirv::spirv::Op;

use super::EmitError;
use super::function::FunctionWriter;
use super::late_traps::may_come_before_traps;
use super::words::{Id, Ids};
use crate::arena::EntityId;
use crate::descriptor::CHECK_GROUPS;
use crate::ir::{BlockId, Constant, Function, FunctionId, Inst, InstId, InstKind, ValueId};
use crate::types::{Scalar, Type};

/// Ways into a block with the values they bring: label first.
pub(super) type Incoming = Vec<(Id, Ids)>;

/// The `if` or `switch` a block belongs to; nothing for function and loop bodies.
pub(super) struct Selection {
    merge: Id,
    yields: Incoming,
}

impl FunctionWriter<'_, '_> {
    /// Writes a block, and all that its instructions own.
    pub(super) fn block(&mut self, block: BlockId, selection: Option<&mut Selection>) -> Result<(), EmitError> {
        let function = self.function;
        self.insts(&function.blocks[block].insts, selection)
    }

    pub(super) fn insts(&mut self, insts: &[InstId], selection: Option<&mut Selection>) -> Result<(), EmitError> {
        let (known, angles) = (self.inside.len(), self.angles.len());
        let result = self.all_insts(insts, selection);
        self.inside.truncate(known);
        self.angles.truncate(angles);
        result
    }

    fn all_insts(&mut self, insts: &[InstId], mut selection: Option<&mut Selection>) -> Result<(), EmitError> {
        let function = self.function;
        for (at, &id) in insts.iter().enumerate() {
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
            if !self.terminator(inst, selection.as_deref_mut())?
                && !self.control(inst)?
                && !self.joint_angle(inst, &insts[at + 1..])
            {
                self.straight(id, inst);
            }
            self.name_results(inst, fresh);
        }
        self.flush_traps();
        Ok(())
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
            (InstKind::Store(..), _) if self.leaves_out(own) => return,
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
            (InstKind::Subgroup(op, operands), Some(ty)) => {
                let given = self.subgroup(*op, operands, ty);
                self.w.widen(given, ty)
            }
            (InstKind::Coop(op, operands), Some(ty)) => self.coop(*op, operands, ty),
            (InstKind::CoopLoad(access), Some(ty)) => self.coop_load(access, ty),
            (InstKind::CoopStore(access, value), _) => return self.coop_store(access, *value),
            (InstKind::Load(place), Some(ty)) => self.load(place, ty),
            (InstKind::Param(param), Some(ty)) => {
                let stored = self.w.load_param(*param);
                self.w.widen(stored, ty)
            }
            (InstKind::ConstParam(param), Some(ty)) => {
                let constant = self.w.const_param(*param);
                self.w.widen(constant, ty)
            }
            (InstKind::Proven(site), Some(ty)) => match self.w.check_groups.group(*site) {
                Some(group) => self.w.is_proven(group),
                None => self.w.constant(Constant::Bool(false), ty),
            },
            (InstKind::ForgetsResults, _) => self.w.forgets_results(),
            (InstKind::Builtin(builtin), _) => self.prologue.builtin(*builtin),
            (InstKind::Len(buffer), _) => self.prologue.len(*buffer),
            (InstKind::MemberLen(list, member), _) => self.member_len(*list, *member),
            (InstKind::Const(constant), Some(ty)) => self.w.register_constant(*constant, ty),
            (InstKind::Op(op, operands), Some(_)) => match self.least_that_is_known(*op, operands) {
                Some(id) => id,
                None => self.pure_op(*op, operands, inst.results[0]),
            },
            (InstKind::Compose(members), Some(ty)) => match result.and_then(|result| self.constant_array(result)) {
                Some(id) => id,
                None => {
                    let members = self.stored_ids(members);
                    let ty = self.w.value_type(ty);
                    self.w.op(Op::CompositeConstruct, ty, &members)
                }
            },
            (InstKind::Extract(composite, steps), Some(ty)) => {
                let known = match steps[..] {
                    [member] => self.prologue.member(self.value(*composite), member),
                    _ => None,
                };
                if let (Some(id), Some(result)) = (known, result) {
                    return self.define(result, id);
                }
                let member = self.w.value_type(ty);
                let operands: Ids = [self.value(*composite)].into_iter().chain(steps.iter().copied()).collect();
                let extracted = self.w.op(Op::CompositeExtract, member, &operands);
                self.w.widen(extracted, ty)
            }
            (InstKind::Insert(composite, member, steps), Some(ty)) => {
                let ty = self.w.value_type(ty);
                let ends = [self.stored_value(*member), self.value(*composite)];
                let operands: Ids = ends.into_iter().chain(steps.iter().copied()).collect();
                self.w.op(Op::CompositeInsert, ty, &operands)
            }
            _ => unreachable!("control flow is written elsewhere, and what is left has a result"),
        };
        if let Some(result) = result {
            self.define(result, id);
        }
    }

    /// Notes that an index is below a length where a branch leaves otherwise.
    fn note_inside(&mut self, condition: ValueId, [then_block, else_block]: [BlockId; 2]) {
        let definition = self.definitions[condition.index()].map(|id| &self.function.insts[id].kind);
        let Some(InstKind::Op(op, operands)) = definition else { return };
        let leaving = match op {
            crate::op::Op::Lt => else_block,
            crate::op::Op::Ge => then_block,
            _ => return,
        };
        // Of numbers with sign, one below zero is below each length.
        let is_word = |value: ValueId| {
            matches!(self.w.module.types.get(self.function.values[value].ty), Type::Scalar(Scalar::U32))
        };
        if is_word(operands[0]) && !crate::flow::yields(self.function, leaving) {
            self.inside.push((self.value(operands[0]), self.value(operands[1])));
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
        let result = self.w.register_type(self.w.module.functions[callee].result);
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
            InstKind::Break(body, values) => self.jump(inst, *body, values, false)?,
            InstKind::Continue(body, values) => self.jump(inst, *body, values, true)?,
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
        let zero = self.w.register_zero(result);
        self.w.effect(Op::ReturnValue, &[zero]);
    }

    /// Writes an instruction that owns blocks; false when `inst` is none.
    fn control(&mut self, inst: &Inst) -> Result<bool, EmitError> {
        match &inst.kind {
            InstKind::If { condition, then_block, else_block } => {
                self.write_if(inst, *condition, *then_block, *else_block)?;
                self.note_inside(*condition, [*then_block, *else_block]);
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
        let [then_groups, other_groups] = [then, other].map(|block| self.ruled_out_with(block));
        if let Some(groups) = then_groups.or(other_groups) {
            let bool_ = self.w.bool_type();
            if then_groups.is_some() {
                condition = self.w.op(Op::LogicalNot, bool_, &[condition]);
                ways.reverse();
            }
            let proofs = (0..CHECK_GROUPS as u8).filter(|group| groups & 1 << group != 0);
            let proofs: Vec<Id> = proofs.map(|group| self.w.is_proven(group)).collect();
            let are_proven = proofs.into_iter().reduce(|a, b| self.w.op(Op::LogicalAnd, bool_, &[a, b]));
            condition = are_proven.map_or(condition, |proven| self.w.op(Op::LogicalOr, bool_, &[condition, proven]));
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

    /// The groups of checks, a bit each, whose obligations rule out that somebody comes to a block: there is a trap on all ways behind it.
    fn ruled_out_with(&self, block: BlockId) -> Option<u32> {
        self.function.blocks[block].insts.iter().find_map(|id| match &self.function.insts[*id].kind {
            InstKind::Trap(site, _) | InstKind::Panic(site, _) => {
                self.w.check_groups.group(*site).map(|group| 1 << group)
            }
            InstKind::If { then_block, else_block, .. } => {
                Some(self.ruled_out_with(*then_block)? | self.ruled_out_with(*else_block)?)
            }
            _ => None,
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

    /// Starts the block after a control instruction and defines the instruction's results there.
    pub(super) fn join(&mut self, inst: &Inst, merge: Id, incoming: &Incoming) {
        self.w.begin_block(merge);
        for (index, result) in inst.results.iter().enumerate() {
            let ty = self.function.values[*result].ty;
            let id = match incoming.as_slice() {
                // Control never comes here.
                [] => self.w.register_zero(ty),
                [(_, values)] => values[index],
                ways => {
                    let ty = self.w.register_type(ty);
                    let operands: Ids = ways.iter().flat_map(|(label, values)| [values[index], *label]).collect();
                    self.w.op(Op::Phi, ty, &operands)
                }
            };
            self.define(*result, id);
        }
    }
}

/// The values of a block that only yields.
pub(super) fn only_yield(function: &Function, block: BlockId) -> Option<&[ValueId]> {
    let [inst]: &[InstId] = &function.blocks[block].insts else { return None };
    match &function.insts[*inst].kind {
        InstKind::Yield(values) => Some(values),
        _ => None,
    }
}
