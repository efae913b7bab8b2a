//! Type part of the verifier: operands and results of every kind of instruction.

use super::{FunctionCx, VerifyErrorKind};
use crate::descriptor::{MAX_SITE_WORDS, SiteKind};
use crate::ir::{Constant, FunctionId, Inst, InstId, InstKind, SiteId, ValueId};
use crate::op::Op;
use crate::passes::eval;
use crate::types::{Scalar, Type, TypeId};
use crate::typing;

impl<'m> FunctionCx<'m, '_> {
    /// Checks the types around an instruction, and its place where it is a terminator.
    pub(super) fn check_inst(&mut self, id: InstId, inst: &'m Inst) {
        match &inst.kind {
            InstKind::Const(constant) => self.check_constant(*constant, inst),
            InstKind::Op(op, operands) => self.check_op(*op, operands, inst),
            InstKind::Compose(members) => self.check_compose(members, inst),
            InstKind::Extract(composite, steps) => {
                let member = self.member(*composite, steps);
                self.check_result(inst, member);
            }
            InstKind::Insert(composite, member, steps) => self.check_insert(*composite, *member, steps, inst),
            InstKind::Builtin(builtin) if builtin.is_scalar() => {
                self.check_result_is(inst, &Type::Scalar(Scalar::U32));
            }
            InstKind::Builtin(_) => self.check_result_is(inst, &Type::Vector(Scalar::U32, 3)),
            InstKind::Atomic(atomic) => self.check_atomic(atomic, inst),
            InstKind::Barrier(scope) => self.check_barrier(*scope, inst),
            InstKind::Fence(_, order) => self.check_fence(*order, inst),
            InstKind::Subgroup(op, operands) => self.check_subgroup(*op, operands, inst),
            InstKind::Image(op, image, operands) => self.check_image(*op, *image, operands, inst),
            InstKind::Coop(op, operands) => self.check_coop(*op, operands, inst),
            InstKind::CoopLoad(access) => {
                let matrix = self.only_result(inst);
                self.check_coop_access(access, matrix);
            }
            InstKind::CoopStore(access, value) => {
                let matrix = self.type_of(*value);
                self.check_coop_access(access, matrix);
                self.check_writable(&access.place);
                self.check_no_results(inst);
            }
            InstKind::Param(param) => self.check_param(*param, inst),
            InstKind::ConstParam(param) => self.check_const_param(*param, inst),
            InstKind::Proven(site) => {
                self.check_site(*site, &inst.kind);
                self.check_result_is(inst, &Type::Scalar(Scalar::Bool));
            }
            InstKind::ForgetsResults => self.check_result_is(inst, &Type::Scalar(Scalar::Bool)),
            InstKind::Len(buffer) => self.check_len(*buffer, inst),
            InstKind::MemberLen(list, member) => self.check_member_len(*list, *member, inst),
            InstKind::Load(place) => self.check_load(place, inst),
            InstKind::Store(place, value) => self.check_store(place, *value, inst),
            InstKind::Call(callee, arguments) => self.check_call(*callee, arguments, inst),
            InstKind::Trap(site, operands) | InstKind::Print(site, operands) | InstKind::Panic(site, operands) => {
                self.check_site(*site, &inst.kind);
                if operands.len() > MAX_SITE_WORDS {
                    let message = format!("{} words are more than {MAX_SITE_WORDS}", operands.len());
                    self.error(VerifyErrorKind::Operand, message);
                }
                operands.iter().for_each(|operand| self.check_operand(*operand, &[Type::Scalar(Scalar::U32)]));
                self.check_no_results(inst);
            }
            InstKind::If { condition, .. } => self.check_operand(*condition, &[Type::Scalar(Scalar::Bool)]),
            InstKind::Switch { selector, cases, .. } => self.check_switch(*selector, cases),
            InstKind::Loop { initial, body, .. } => {
                if let Some(body) = self.function.blocks.get(*body) {
                    self.check_arguments(initial, &body.params, "parameter");
                }
            }
            kind => self.check_terminator(kind, inst),
        }
        debug_assert_eq!(self.current, Some(id));
    }

    /// Checks that a site exists and is of a kind that the instruction records.
    fn check_site(&mut self, site: SiteId, kind: &InstKind) {
        let Some(def) = self.module.sites.get(site) else {
            return self.error(VerifyErrorKind::UnknownId, format!("there is no {site}"));
        };
        let fits = match kind {
            InstKind::Print(..) => matches!(def.kind, SiteKind::Print | SiteKind::PrintError),
            InstKind::Panic(..) => def.kind == SiteKind::Panic,
            _ => !matches!(def.kind, SiteKind::Print | SiteKind::PrintError),
        };
        if !fits {
            let name = def.kind.text_name();
            self.error(VerifyErrorKind::Site, format!("{site} is of the kind {name}, which is not recorded here"));
        }
    }

    fn check_terminator(&mut self, kind: &InstKind, inst: &Inst) {
        match kind {
            InstKind::Yield(values) => self.check_yield(values),
            InstKind::Break(body, values) => self.check_jump(*body, values, true),
            InstKind::Continue(body, values) => self.check_jump(*body, values, false),
            InstKind::Return(value) => self.check_return(*value),
            _ => {}
        }
        self.check_no_results(inst);
    }

    fn check_switch(&mut self, selector: ValueId, cases: &[(u32, crate::ir::BlockId)]) {
        self.check_operand(selector, &[Type::Scalar(Scalar::U32), Type::Scalar(Scalar::I32)]);
        let mut bits: Vec<u32> = cases.iter().map(|(bits, _)| *bits).collect();
        bits.sort_unstable();
        if let Some(pair) = bits.windows(2).find(|pair| pair[0] == pair[1]) {
            self.error(VerifyErrorKind::Operand, format!("case {} stands twice", pair[0]));
        }
    }

    /// Checks that an operand has one of the given types.
    pub(super) fn check_operand(&mut self, value: ValueId, allowed: &[Type]) {
        let Some(ty) = self.type_of(value) else { return };
        if !allowed.contains(self.module.types.get(ty)) {
            let expected: Vec<_> =
                allowed.iter().map(|ty| format!("`{}`", self.module.types.display_type(ty))).collect();
            let message = format!("expected {}, but {value} is `{}`", expected.join(" or "), self.show(ty));
            self.error(VerifyErrorKind::Operand, message);
        }
    }

    /// The type of the only result; anything but one result is an error.
    pub(super) fn only_result(&mut self, inst: &Inst) -> Option<TypeId> {
        match inst.results[..] {
            [result] => self.type_of(result),
            _ => {
                self.error(VerifyErrorKind::Result, format!("expected one result, found {}", inst.results.len()));
                None
            }
        }
    }

    pub(super) fn check_no_results(&mut self, inst: &Inst) {
        if !inst.results.is_empty() {
            self.error(VerifyErrorKind::Result, "the instruction has no result");
        }
    }

    /// Checks that the only result has this type; `None` stands for a type that an earlier error leaves open.
    pub(super) fn check_result(&mut self, inst: &Inst, expected: Option<TypeId>) {
        let found = self.only_result(inst);
        if let (Some(found), Some(expected)) = (found, expected)
            && found != expected
        {
            let (found, expected) = (self.show(found), self.show(expected));
            self.error(VerifyErrorKind::Result, format!("the result is `{expected}`, not `{found}`"));
        }
    }

    /// As [`Self::check_result`], with a type that may not be interned.
    pub(super) fn check_result_is(&mut self, inst: &Inst, expected: &Type) {
        let types = &self.module.types;
        if let Some(found) = self.only_result(inst).filter(|found| types.get(*found) != expected) {
            let (found, expected) = (self.show(found), types.display_type(expected));
            self.error(VerifyErrorKind::Result, format!("the result is `{expected}`, not `{found}`"));
        }
    }

    fn check_constant(&mut self, constant: Constant, inst: &Inst) {
        match eval::scalar_of(constant) {
            Some(scalar) => self.check_result_is(inst, &Type::Scalar(scalar)),
            None => drop(self.only_result(inst)),
        }
        // One scalar has one constant: comparisons of constants rely on it.
        if let Constant::Bits(scalar, bits) = constant
            && eval::from_bits(bits, scalar) != constant
        {
            self.error(
                VerifyErrorKind::Result,
                format!("{bits:#x} is not how a constant of `{}` is kept", scalar.name()),
            );
        }
    }

    fn check_op(&mut self, op: Op, operands: &[ValueId], inst: &Inst) {
        let wanted = self.only_result(inst);
        let Some(operand_types) = self.types_of(operands) else { return };
        match typing::op_result(&self.module.types, op, &operand_types, wanted) {
            Ok(ty) => {
                if let Some(found) = wanted.filter(|found| *self.module.types.get(*found) != ty) {
                    let (found, expected) = (self.show(found), self.module.types.display_type(&ty));
                    self.error(VerifyErrorKind::Result, format!("the result is `{expected}`, not `{found}`"));
                }
            }
            Err(message) => self.error(VerifyErrorKind::Operand, message),
        }
    }

    fn check_compose(&mut self, members: &[ValueId], inst: &Inst) {
        if let (Some(ty), Some(members)) = (self.only_result(inst), self.types_of(members))
            && let Err(message) = typing::check_members(&self.module.types, ty, &members)
        {
            self.error(VerifyErrorKind::Member, message);
        }
    }

    /// The type that steps lead to, if they do.
    fn member(&mut self, composite: ValueId, steps: &[u32]) -> Option<TypeId> {
        let member = typing::member_type(&self.module.types, self.type_of(composite)?, steps);
        member.map_err(|message| self.error(VerifyErrorKind::Member, message)).ok()
    }

    fn check_insert(&mut self, composite: ValueId, member: ValueId, steps: &[u32], inst: &Inst) {
        let expected = self.member(composite, steps);
        if let (Some(expected), Some(found)) = (expected, self.type_of(member))
            && expected != found
        {
            let (found, expected) = (self.show(found), self.show(expected));
            self.error(VerifyErrorKind::Member, format!("the member is `{expected}`, not `{found}`"));
        }
        let ty = self.type_of(composite);
        self.check_result(inst, ty);
    }

    fn check_call(&mut self, callee: FunctionId, arguments: &[ValueId], inst: &Inst) {
        let Some(target) = self.module.functions.get(callee) else {
            return self.error(VerifyErrorKind::UnknownId, format!("there is no {callee}"));
        };
        if callee >= self.id {
            return self.error(VerifyErrorKind::Call, format!("{callee} does not come before {}", self.id));
        }
        if self.module.kernel.as_ref().is_some_and(|kernel| kernel.function == callee) {
            self.error(VerifyErrorKind::Call, format!("{callee} is the kernel"));
        }
        let params = target.blocks.get(target.entry).map_or(&[][..], |entry| &entry.params);
        if params.len() != arguments.len() {
            let message = format!("{callee} takes {} arguments, not {}", params.len(), arguments.len());
            self.error(VerifyErrorKind::Call, message);
        }
        for (param, argument) in params.iter().zip(arguments) {
            let expected = target.values.get(*param).map(|param| param.ty);
            if let (Some(expected), Some(found)) = (expected, self.type_of(*argument))
                && expected != found
            {
                let (found, expected) = (self.show(found), self.show(expected));
                let message = format!("{callee} expects `{expected}`, but {argument} is `{found}`");
                self.error(VerifyErrorKind::Call, message);
            }
        }
        match self.module.types.all().get(target.result) {
            Some(Type::Unit) => self.check_no_results(inst),
            result => self.check_result(inst, result.map(|_| target.result)),
        }
    }
}
