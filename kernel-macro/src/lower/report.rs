//! `assert!`, `panic!`, `println!`, `dbg!` and their like: conditions become branches, arguments words of a record.

use gridwise_ir::descriptor::SiteKind;
use gridwise_ir::ir::{SiteId, SourceLocation, ValueId};
use gridwise_ir::op::Op;
use gridwise_ir::types::Scalar;

use super::function::FnCx;
use super::variant::{ERR, OK, SOME};
use crate::ast::{Expr, ExprKind, MacroCall, MacroKind, PrintTarget};
use crate::builtin::matrix;
use crate::program::message::{Arg, Message, MessageParts, compared, dbg_message, message_of, unwrap_message};
use crate::source;
use crate::typed::Ty;

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
            MacroKind::Unwrap { bad } => self.lower_unwrap(expr, call, bad),
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

    /// A panic with a text without arguments.
    pub(super) fn panic_with(&mut self, expr: &Expr, text: &str) {
        let parts = MessageParts { format: text.to_owned(), args: Vec::new() };
        let site = self.message_site(SiteKind::Panic, expr, parts);
        self.b.panic(site, &[]);
    }

    /// `x.unwrap()` and its like: a panic at the method's name.
    fn lower_unwrap(&mut self, expr: &Expr, call: &MacroCall, bad: bool) -> Option<ValueId> {
        let operand = call.operands.first()?;
        let ty = self.ty_of(operand);
        let value = self.lower_expr(operand)?;
        let (wanted, other) = match ty {
            Ty::Option(_) => (SOME, None),
            _ if bad => (ERR, Some(OK)),
            _ => (OK, Some(ERR)),
        };
        let is_wanted = self.is_variant(ty, value, wanted)?;
        let result = self.ty(self.ty_of(expr));
        self.choose(
            is_wanted,
            result,
            |cx| cx.variant_member(ty, value, wanted, 0),
            |cx| {
                let part = other.map(|other| cx.variant_member(ty, value, other, 0));
                let parts = unwrap_message(call, ty);
                let words = cx.words_of(&parts, part.as_slice())?;
                let location = cx.location(call.name.span());
                let site = cx.message_site_at(SiteKind::Panic, location, expr, parts);
                cx.b.panic(site, &words);
                None
            },
        )
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
                Arg::Known(_) | Arg::Part(_) => known.next().copied().flatten(),
            };
            if self.b.is_terminated() {
                return None;
            }
            self.flatten(value, arg.ty(self.typed), &mut words)?;
        }
        Some(words)
    }

    /// The words of a value, member by member; of an enum the variant's position and the members of all variants. `None`
    /// for what has none although it must.
    fn flatten(&mut self, value: Option<ValueId>, ty: &Ty, words: &mut Vec<ValueId>) -> Option<()> {
        if self.ty(ty).is_none() {
            return Some(());
        }
        let value = value?;
        match ty {
            Ty::Scalar(scalar) if scalar.is_wide() => words.extend(self.wide_words(value)),
            Ty::Scalar(_) | Ty::Vector(..) | Ty::Quat => {
                for lane in self.lanes(value) {
                    let word = self.trap_operand(lane);
                    words.push(word);
                    let scalar = self.shape(lane).0;
                    if scalar.bits() == 64 {
                        // The upper half follows.
                        let bits = if scalar.is_float() { self.bitcast(lane, scalar.unsigned()) } else { lane };
                        let width = self.u32(32);
                        let upper = self.b.op(Op::Shr, &[bits, width]);
                        words.push(self.cast(upper, Scalar::U32));
                    }
                }
            }
            Ty::Matrix(size) => {
                for index in 0..u32::from(*size) {
                    let column = self.b.extract(value, &[index]);
                    self.flatten(Some(column), &matrix::column(*size), words)?;
                }
            }
            Ty::Array(element, len) => {
                for index in 0..len.known()? {
                    let member = self.b.extract(value, &[index]);
                    self.flatten(Some(member), element, words)?;
                }
            }
            Ty::Tuple(_) | Ty::Range(..) | Ty::Struct(_, _) => {
                let members = self.shared.types.members(ty).to_vec();
                let mut position = 0;
                for member in &members {
                    if self.ty(member).is_some() {
                        let value = self.b.extract(value, &[position]);
                        self.flatten(Some(value), member, words)?;
                        position += 1;
                    }
                }
            }
            _ => {
                words.push(self.tag_of(ty, value)?);
                let variants = self.shared.program.variants_of(ty)?;
                for (variant, members) in (0..).zip(&variants) {
                    for (position, member) in (0..).zip(members) {
                        let value = self.variant_member(ty, value, variant, position);
                        self.flatten(value, member, words)?;
                    }
                }
            }
        }
        Some(())
    }

    pub(super) fn message_site(&mut self, kind: SiteKind, expr: &Expr, parts: MessageParts<'_>) -> SiteId {
        self.message_site_at(kind, self.location_of(expr), expr, parts)
    }

    fn message_site_at(
        &mut self,
        kind: SiteKind,
        location: SourceLocation,
        expr: &Expr,
        parts: MessageParts<'_>,
    ) -> SiteId {
        let types = parts.args.into_iter().map(|(name, arg)| (name, arg.ty(self.typed).clone()));
        let message = Message { format: parts.format, args: types.collect() };
        let number = self.shared.messages.len() as u32;
        self.shared.messages.push(message);
        self.b.message_site(kind, location, source::text(expr), number)
    }
}

fn print_kind(target: PrintTarget) -> SiteKind {
    match target {
        PrintTarget::Out => SiteKind::Print,
        PrintTarget::Error => SiteKind::PrintError,
    }
}
