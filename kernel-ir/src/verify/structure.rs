//! Structural part of the verifier: blocks, terminators, scopes and what crosses the borders of blocks.

use super::{FunctionCx, Region, VerifyError, VerifyErrorKind};
use crate::arena::EntityId;
use crate::flow;
use crate::ir::{Block, BlockId, Function, FunctionId, Inst, InstId, InstKind, Module, ValueId};
use crate::types::{Type, TypeId};

pub(super) fn check_function(module: &Module, id: FunctionId, function: &Function, errors: &mut Vec<VerifyError>) {
    let mut cx = FunctionCx {
        module,
        id,
        function,
        errors,
        current: None,
        regions: Vec::new(),
        scope: Vec::with_capacity(function.values.len()),
        in_scope: vec![false; function.values.len()],
        defined: vec![false; function.values.len()],
        owned: vec![false; function.blocks.len()],
        placed: vec![false; function.insts.len()],
    };
    cx.check_location(function.location);
    cx.check_block(function.entry);
}

impl<'m> FunctionCx<'m, '_> {
    /// Checks a block and all that is nested in it. The current instruction, if any, is its owner.
    fn check_block(&mut self, id: BlockId) {
        let Some(block) = self.function.blocks.get(id) else {
            return self.error(VerifyErrorKind::UnknownId, format!("there is no {id}"));
        };
        if std::mem::replace(&mut self.owned[id.index()], true) {
            return self.error_at(VerifyErrorKind::BlockOwner, id.to_string(), "the block has another owner already");
        }
        let owner = self.current;
        let outer_scope = self.scope.len();
        block.params.iter().for_each(|param| self.define(*param));
        for position in 0..block.insts.len() {
            self.check_position(id, block, position);
        }
        self.current = owner;
        let ends = block.insts.last().is_some_and(|last| self.kind(*last).is_none_or(InstKind::is_terminator));
        if !ends {
            self.error_at(VerifyErrorKind::Terminator, id.to_string(), "the block does not end with a terminator");
        }
        for value in self.scope.drain(outer_scope..) {
            self.in_scope[value.index()] = false;
        }
    }

    fn kind(&self, id: InstId) -> Option<&'m InstKind> {
        self.function.insts.get(id).map(|inst| &inst.kind)
    }

    /// Checks the instruction at a position of a block.
    fn check_position(&mut self, block_id: BlockId, block: &'m Block, position: usize) {
        let id = block.insts[position];
        let Some(inst) = self.function.insts.get(id) else {
            return self.error_at(VerifyErrorKind::UnknownId, block_id.to_string(), format!("there is no {id}"));
        };
        self.current = Some(id);
        if std::mem::replace(&mut self.placed[id.index()], true) {
            return self.error(VerifyErrorKind::InstPlacement, "the instruction stands in two places");
        }
        let next = block.insts.get(position + 1);
        if inst.kind.is_terminator() && next.is_some() {
            self.error(VerifyErrorKind::Terminator, format!("{block_id} goes on behind its terminator"));
        }
        self.check_location(inst.location);
        inst.kind.for_each_use(|value| self.check_use(value));
        self.check_inst(id, inst);
        self.check_owned_blocks(id, inst);
        self.current = Some(id);
        if inst.kind.has_blocks() && !flow::comes_out(self.function, &inst.kind) {
            let is_unreachable = next.and_then(|next| self.kind(*next)).is_some_and(|k| *k == InstKind::Unreachable);
            if !is_unreachable {
                let message = "control never comes out of the instruction, so `unreachable` must follow";
                self.error(VerifyErrorKind::Unreachable, message);
            }
        }
        inst.results.iter().for_each(|result| self.define(*result));
    }

    fn check_owned_blocks(&mut self, id: InstId, inst: &'m Inst) {
        if !inst.kind.has_blocks() {
            return;
        }
        for block in inst.kind.blocks() {
            let has_params = self.function.blocks.get(block).is_some_and(|block| !block.params.is_empty());
            let region = match inst.kind {
                InstKind::Loop { body, .. } => Region::Loop(id, body),
                _ => Region::Arm(id),
            };
            self.current = Some(id);
            if has_params && matches!(region, Region::Arm(_)) {
                self.error_at(VerifyErrorKind::BlockOwner, block.to_string(), "only bodies of loops have parameters");
            }
            self.regions.push(region);
            self.check_block(block);
            self.regions.pop();
        }
    }

    fn define(&mut self, value: ValueId) {
        if !self.function.values.contains(value) {
            return self.error_at(VerifyErrorKind::UnknownId, value.to_string(), format!("there is no {value}"));
        }
        if self.module.types.get(self.function.values[value].ty) == &Type::Unit {
            self.error_at(VerifyErrorKind::Result, value.to_string(), "no value is unit");
        }
        if std::mem::replace(&mut self.defined[value.index()], true) {
            return self.error_at(VerifyErrorKind::Definition, value.to_string(), "the value is defined twice");
        }
        self.in_scope[value.index()] = true;
        self.scope.push(value);
    }

    fn check_use(&mut self, value: ValueId) {
        if !self.function.values.contains(value) {
            self.error_at(VerifyErrorKind::UnknownId, value.to_string(), format!("there is no {value}"));
        } else if !self.in_scope[value.index()] {
            let what = if self.defined[value.index()] { "outside its scope" } else { "before it is defined" };
            self.error_at(VerifyErrorKind::Scope, value.to_string(), format!("the value is used {what}"));
        }
    }

    pub(super) fn check_yield(&mut self, values: &[ValueId]) {
        match self.regions.last() {
            Some(Region::Arm(owner)) => self.check_arguments(values, &self.function.insts[*owner].results, "result"),
            _ => self.error(VerifyErrorKind::Target, "`yield` ends a block of neither `if` nor `switch`"),
        }
    }

    /// Checks `break` (with the loop's results) and `continue` (with the body's parameters).
    pub(super) fn check_jump(&mut self, target: BlockId, values: &[ValueId], is_break: bool) {
        let owner = self.regions.iter().find_map(|region| match region {
            Region::Loop(owner, body) if *body == target => Some(*owner),
            _ => None,
        });
        match owner {
            Some(owner) if is_break => {
                self.check_arguments(values, &self.function.insts[owner].results, "result");
            }
            // The body exists: it is being walked.
            Some(_) => self.check_arguments(values, &self.function.blocks[target].params, "parameter"),
            None => self.error(VerifyErrorKind::Target, format!("no enclosing loop has the body {target}")),
        }
    }

    pub(super) fn check_return(&mut self, value: Option<ValueId>) {
        let result = self.function.result;
        let is_unit = *self.module.types.get(result) == Type::Unit;
        match value {
            None if !is_unit => {
                let result = self.show(result);
                self.error(VerifyErrorKind::Return, format!("expected a value of type `{result}`"));
            }
            Some(value) => {
                if let Some(found) = self.type_of(value).filter(|found| *found != result) {
                    let (found, result) = (self.show(found), self.show(result));
                    self.error(VerifyErrorKind::Return, format!("expected `{result}`, found `{found}`"));
                }
            }
            None => {}
        }
    }

    /// Checks that `values` have the types of `targets`, one by one.
    pub(super) fn check_arguments(&mut self, values: &[ValueId], targets: &[ValueId], what: &str) {
        if values.len() != targets.len() {
            let message = format!("expected {} values, one for each {what}, found {}", targets.len(), values.len());
            return self.error(VerifyErrorKind::Arguments, message);
        }
        for (value, target) in values.iter().zip(targets) {
            let (Some(found), Some(expected)): (Option<TypeId>, _) = (self.type_of(*value), self.type_of(*target))
            else {
                continue;
            };
            if found != expected {
                let (found, expected) = (self.show(found), self.show(expected));
                let message = format!("{value} is `{found}`, but the {what} {target} is `{expected}`");
                self.error(VerifyErrorKind::Arguments, message);
            }
        }
    }
}
