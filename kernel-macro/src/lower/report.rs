//! `assert!`, `panic!`, `println!`, `dbg!` and their like: conditions become branches, arguments words of a record.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{SiteId, ValueId};
use gridwise_ir::types::{Scalar, Type, TypeId};

use super::function::FnCx;
use crate::ast::{Expr, ExprKind, MacroCall, MacroKind, PrintTarget};
use crate::message::{Arg, Message, MessageParts, compared, dbg_message, message_of};
use crate::source;

impl FnCx<'_, '_, '_> {
    pub(super) fn lower_macro(&mut self, expr: &Expr, call: &MacroCall) -> Option<ValueId> {
        if call.debug && !self.shared.debug_assertions {
            return None;
        }
        match call.kind {
            MacroKind::Assert => {
                let condition = self.lower_expr(call.operands.first()?)?;
                self.assert(expr, call, condition, &[]);
                None
            }
            MacroKind::AssertEq | MacroKind::AssertNe => {
                let comparison = call.operands.first()?;
                let ExprKind::Binary(op, ..) = &comparison.kind else { return None };
                let [left, right] = compared(call)?.map(|side| self.lower_expr(side));
                let condition = self.binary(comparison, *op, left, right)?;
                self.assert(expr, call, condition, &[left, right]);
                None
            }
            MacroKind::Panic(_) => {
                self.lower_panic(expr, call, &[]);
                None
            }
            MacroKind::Print { target, .. } => {
                let parts = message_of(call);
                let words = self.words_of(&parts, &[])?;
                let site = self.message_site(print_kind(target), expr, parts);
                self.b.print(site, &words);
                None
            }
            MacroKind::Dbg => self.lower_dbg(expr, &call.operands),
        }
    }

    /// A panic where the condition does not hold.
    fn assert(&mut self, expr: &Expr, call: &MacroCall, condition: ValueId, known: &[Option<ValueId>]) {
        self.choose(
            condition,
            None,
            |_| None,
            |cx| {
                cx.lower_panic(expr, call, known);
                None
            },
        );
    }

    fn lower_panic(&mut self, expr: &Expr, call: &MacroCall, known: &[Option<ValueId>]) {
        let parts = message_of(call);
        if let Some(words) = self.words_of(&parts, known) {
            let site = self.message_site(SiteKind::Panic, expr, parts);
            self.b.panic(site, &words);
        }
    }

    /// Each value is printed before the next is evaluated.
    fn lower_dbg(&mut self, expr: &Expr, values: &[Expr]) -> Option<ValueId> {
        if values.is_empty() {
            let site = self.message_site(SiteKind::PrintError, expr, dbg_message(expr, None));
            self.b.print(site, &[]);
            return None;
        }
        let mut members = Vec::new();
        for value in values {
            let known = self.lower_expr(value);
            let parts = dbg_message(expr, Some(value));
            let words = self.words_of(&parts, &[known])?;
            let site = self.message_site(SiteKind::PrintError, expr, parts);
            self.b.print(site, &words);
            members.extend(known);
        }
        match values {
            [_] => members.pop(),
            _ => {
                let ty = self.ty(self.ty_of(expr))?;
                Some(self.compose(ty, &members))
            }
        }
    }

    /// The words of a message's arguments; `known` are those evaluated before, in order. `None` when control does not come
    /// out of one.
    fn words_of(&mut self, parts: &MessageParts<'_>, known: &[Option<ValueId>]) -> Option<Vec<ValueId>> {
        let mut known = known.iter();
        let mut words = Vec::new();
        for (_, arg) in &parts.args {
            let value = match arg {
                Arg::Own(expr) => self.lower_expr(expr),
                Arg::Known(_) => known.next().copied().flatten(),
            };
            if self.b.is_terminated() {
                return None;
            }
            if let Some(value) = value {
                self.flatten(value, &mut words);
            }
        }
        Some(words)
    }

    /// The words of a value, member by member.
    fn flatten(&mut self, value: ValueId, words: &mut Vec<ValueId>) {
        let ty = self.b.value_type(value);
        match self.b.types().get(ty).clone() {
            Type::Unit => {}
            Type::Scalar(Scalar::Bool) => words.push(self.cast(value, Scalar::U32)),
            Type::Scalar(_) => words.push(self.bitcast(value, Scalar::U32)),
            Type::Vector(_, count) => {
                for index in 0..count {
                    let lane = self.lane(value, index);
                    self.flatten(lane, words);
                }
            }
            Type::Array(..) | Type::Tuple(_) | Type::Struct(_) => {
                for index in 0..self.member_count(ty) {
                    let member = self.b.extract(value, &[index]);
                    self.flatten(member, words);
                }
            }
        }
    }

    fn member_count(&self, ty: TypeId) -> u32 {
        let types = self.b.types();
        match types.get(ty) {
            Type::Array(_, len) => *len,
            Type::Tuple(members) => members.len() as u32,
            Type::Struct(id) => types.struct_def(*id).fields.len() as u32,
            _ => 0,
        }
    }

    pub(super) fn message_site(&mut self, kind: SiteKind, expr: &Expr, parts: MessageParts<'_>) -> SiteId {
        let types = parts.args.into_iter().map(|(name, arg)| (name, self.ty_of(arg.expr()).clone()));
        let message = Message { format: parts.format, args: types.collect() };
        let number = self.shared.messages.len() as u32;
        self.shared.messages.push(message);
        let location = self.location_of(expr);
        self.b.message_site(kind, location, source::text(expr), number)
    }
}

fn print_kind(target: PrintTarget) -> SiteKind {
    match target {
        PrintTarget::Out => SiteKind::Print,
        PrintTarget::Error => SiteKind::PrintError,
    }
}
