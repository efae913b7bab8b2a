//! Binary operators: integers wrap, division and shifts are checked, `usize` and `isize` are 32 bits.

use gridwise_ir::descriptor::SiteKind;
use proc_macro2::{Literal, Span};

use super::Renderer;
use super::reference::operand_of;
use super::types::vector_name;
use crate::ast::{self, BinaryOp, COMPARISON, Expr, ExprKind, Item, Lent, ScalarName};
use crate::builtin::iteration::Iteration;
use crate::builtin::slice::SliceMethod;
use crate::emit::tokens::{Put, Tokens, Word, Writer, tokens, tokens_at};
use crate::typed::{Callee, Ty};

/// An operand already rendered.
pub(super) struct Operand<'t> {
    pub(super) tokens: Tokens,
    pub(super) ty: &'t Ty,
}

impl Renderer<'_> {
    pub(super) fn binary_expr(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        op_span: Span,
        whole: &Expr,
    ) -> Tokens {
        if let Some(Callee::Slice(SliceMethod::Equal)) = self.typed.calls.get(&whole.id)
            && !self.is_original()
        {
            let (twin, left, right) = (self.twin(), self.elements(left), self.elements(right));
            let not = (op == BinaryOp::Ne).then(|| tokens!(!));
            return tokens!((#not #twin::equal(#left, #right)));
        }
        if let Some(Callee::Iterate(Iteration::Compare(op))) = self.typed.calls.get(&whole.id)
            && !self.is_original()
        {
            let name = Word(match op {
                BinaryOp::Lt => "lt",
                BinaryOp::Le => "le",
                BinaryOp::Gt => "gt",
                _ => "ge",
            });
            return self.slice_order(&name, left, right);
        }
        if let Some(lent) = self.lent_operands(whole) {
            let left = Operand { tokens: self.user_operand(left, lent.left), ty: self.expr_ty(left) };
            let right = Operand { tokens: self.user_operand(right, lent.right), ty: self.expr_ty(right) };
            return verbatim(op, left, right, op_span);
        }
        let (left, right) = (operand_of(self, left), operand_of(self, right));
        let (left_ty, right_ty) = (self.expr_ty(left), self.expr_ty(right));
        // `a < b < c` is an error.
        let of_left = if op.power() == COMPARISON { COMPARISON + 1 } else { op.power() };
        let left = Operand { tokens: self.operand(left, of_left), ty: left_ty };
        let right = Operand { tokens: self.operand(right, op.power() + 1), ty: right_ty };
        self.binary(op, left, right, op_span, whole)
    }

    /// The order of two slices, by that of their elements.
    pub(super) fn slice_order(&mut self, name: &impl Put, left: &Expr, right: &Expr) -> Tokens {
        let (left, right) = (self.elements(left), self.elements(right));
        tokens!(::core::iter::Iterator::#name(#left, #right))
    }

    /// Which operands of the author's own operator are references, if any is, in the twin.
    pub(super) fn lent_operands(&self, whole: &Expr) -> Option<Lent> {
        let Some(Callee::Device(item)) = self.typed.calls.get(&whole.id).filter(|_| !self.is_original()) else {
            return None;
        };
        let owner = self.program.items[*item].owner.map(|owner| &self.program.items[owner].item);
        match owner {
            Some(Item::Impl(owner)) => Some(owner.lent).filter(|lent| *lent != Lent::default()),
            _ => None,
        }
    }

    /// Whether `self` is a reference in this function.
    fn lends_self(&self) -> bool {
        let owner = self.item.owner.map(|owner| &self.program.items[owner].item);
        let receiver = match &self.item.item {
            Item::Fn(function) => function.receiver.as_ref(),
            _ => None,
        };
        matches!(owner, Some(Item::Impl(owner)) if owner.lent.left)
            || receiver.is_some_and(|receiver| matches!(receiver.kind, syn::ReceiverKind::Reference(..)))
    }

    /// An operand of the author's own operator: the value, or a reference to it. `self` may be one already.
    pub(super) fn user_operand(&mut self, operand: &Expr, is_lent: bool) -> Tokens {
        let inner = operand_of(self, operand);
        let is_self = self.lends_self()
            && matches!(&inner.kind, ExprKind::Path(path) if path.as_name().is_some_and(|name| name == "self"));
        let value = self.expr(inner);
        match is_lent {
            true if is_self => value,
            true => tokens!((&(#value))),
            false => value,
        }
    }

    /// An operand of an operator, in parentheses only where it binds less tightly than `power`.
    fn operand(&mut self, expr: &Expr, power: u8) -> Tokens {
        match &expr.kind {
            // In place of an operator the twin has a call, or something that binds as the operator does.
            ExprKind::Binary(op, ..) if op.power() >= power => self.bare(expr),
            _ => self.expr(expr),
        }
    }

    /// `left op right`; `whole` is what a trap names.
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: Operand<'_>,
        right: Operand<'_>,
        op_span: Span,
        whole: &Expr,
    ) -> Tokens {
        if self.is_original() {
            return verbatim(op, left, right, op_span);
        }
        if *left.ty == Ty::Error || *right.ty == Ty::Error {
            return self.unknown_binary(op, left, right, op_span, whole);
        }
        if let Some(member) = self.wrapped_member(left.ty) {
            return self.wrapping_operator(op, member, left, right, op_span, whole);
        }
        // `3 * v` with the author's own `impl Mul<V> for i32` is a call.
        let is_own = matches!(right.ty, Ty::Struct(..) | Ty::Enum(..));
        match (op, scalar_of(left.ty).filter(|_| !is_own)) {
            (BinaryOp::Shl | BinaryOp::Shr, Some(_)) if matches!(left.ty, Ty::Vector(..)) => {
                self.shift_lanes(op, left, right, op_span)
            }
            (BinaryOp::Shl | BinaryOp::Shr, Some(scalar)) => self.shift(op, scalar, left, right),
            (BinaryOp::Div | BinaryOp::Rem, Some(scalar))
                if scalar.is_int() && matches!(left.ty, Ty::Scalar(_)) && divides_by_positive_literal(whole) =>
            {
                let method = if op == BinaryOp::Div { Word("wrapping_div") } else { Word("wrapping_rem") };
                let (left, right) = (receiver(left.tokens), right.tokens);
                tokens!(#left.#method(#right))
            }
            (BinaryOp::Div | BinaryOp::Rem, Some(scalar)) if scalar.is_int() => {
                let function = if op == BinaryOp::Div { tokens!(div) } else { tokens!(rem) };
                let sites = self.division_sites(op == BinaryOp::Rem, whole);
                let (left, right) = self.same_shape(left, right);
                let (twin, sink) = (self.twin(), self.sink());
                tokens!(#twin::#function(#sink, #sites, #left, #right))
            }
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, Some(scalar)) if scalar.is_int() => {
                let method = match op {
                    BinaryOp::Add => Word("wrapping_add"),
                    BinaryOp::Sub => Word("wrapping_sub"),
                    _ => Word("wrapping_mul"),
                };
                let (left, right) = self.same_shape(left, right);
                let left = receiver(left);
                self.narrow(scalar, tokens!(#left.#method(#right)))
            }
            _ => verbatim(op, left, right, op_span),
        }
    }

    /// The integer in a `core::num::Wrapping`.
    pub(super) fn wrapped_member(&self, ty: &Ty) -> Option<ScalarName> {
        match ty {
            Ty::Struct(_, Some(args)) if self.program.is_wrapping(ty) => args.first().and_then(scalar_of),
            _ => None,
        }
    }

    /// An operator of `core::num::Wrapping`: Rust's, but for what traps and what has 32 bits.
    fn wrapping_operator(
        &mut self,
        op: BinaryOp,
        member: ScalarName,
        left: Operand<'_>,
        mut right: Operand<'_>,
        op_span: Span,
        whole: &Expr,
    ) -> Tokens {
        let is_size = matches!(member, ScalarName::Usize | ScalarName::Isize);
        match op {
            BinaryOp::Div | BinaryOp::Rem => {
                let (method, kind) = match op {
                    BinaryOp::Div => (Word("wrapping_div"), SiteKind::DivideByZero),
                    _ => (Word("wrapping_rem"), SiteKind::RemainderByZero),
                };
                let (left, right) = (receiver(left.tokens), receiver(right.tokens));
                let (twin, sink, site) = (self.twin(), self.sink(), self.site(kind, whole));
                let word = match member {
                    ScalarName::Usize => Word("__u32"),
                    ScalarName::Isize => Word("__i32"),
                    _ => {
                        let value = tokens!(#left.0.#method(#twin::nonzero(#sink, #site, #right.0)));
                        return tokens!(::core::num::Wrapping(#value));
                    }
                };
                self.uses_names();
                let divisor = tokens!(#twin::nonzero(#sink, #site, #right.0 as #word));
                tokens!(::core::num::Wrapping(#twin::widen((#left.0 as #word).#method(#divisor))))
            }
            BinaryOp::Shl | BinaryOp::Shr if is_size => {
                let amount = right.tokens;
                right.tokens = tokens!((#amount & 31));
                self.narrow_wrapped(member, verbatim(op, left, right, op_span))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if is_size => {
                self.narrow_wrapped(member, verbatim(op, left, right, op_span))
            }
            _ => verbatim(op, left, right, op_span),
        }
    }

    /// A `core::num::Wrapping`, cut to the device's 32 bits.
    pub(super) fn narrow_wrapped(&self, member: ScalarName, value: Tokens) -> Tokens {
        let value = self.narrow(member, tokens!((#value).0));
        tokens!(::core::num::Wrapping(#value))
    }

    fn shift(&self, op: BinaryOp, scalar: ScalarName, left: Operand<'_>, right: Operand<'_>) -> Tokens {
        let method = if op == BinaryOp::Shl { tokens!(wrapping_shl) } else { tokens!(wrapping_shr) };
        let (left, right) = (receiver(left.tokens), right.tokens);
        self.uses_names();
        let mask = Literal::u32_unsuffixed(scalar.bits() - 1);
        let shifted = tokens!(#left.#method(#right as __u32 & #mask));
        self.narrow(scalar, shifted)
    }

    /// A vector by a number, or by the lanes of another one.
    fn shift_lanes(&self, op: BinaryOp, left: Operand<'_>, right: Operand<'_>, op_span: Span) -> Tokens {
        let amount = right.tokens;
        let amount = match right.ty {
            Ty::Vector(scalar, _) => {
                let mask =
                    if *scalar == ScalarName::I32 { Literal::i32_suffixed(31) } else { Literal::u32_suffixed(31) };
                tokens!((#amount & #mask))
            }
            _ => {
                self.uses_names();
                tokens!((#amount as __u32 & 31))
            }
        };
        verbatim(op, left, Operand { tokens: amount, ty: right.ty }, op_span)
    }

    /// Results of `usize` and `isize` arithmetic, cut to the device's 32 bits.
    pub(super) fn narrow(&self, scalar: ScalarName, value: Tokens) -> Tokens {
        match scalar {
            ScalarName::Usize => {
                let twin = self.twin();
                tokens!(#twin::wrap32(#value))
            }
            ScalarName::Isize => {
                let twin = self.twin();
                tokens!(#twin::wrap_signed32(#value))
            }
            _ => value,
        }
    }

    /// Both operands, a scalar beside a vector repeated in all lanes.
    fn same_shape(&self, left: Operand<'_>, right: Operand<'_>) -> (Tokens, Tokens) {
        let splat = |tokens: Tokens, scalar: ScalarName, len: u8| {
            let (twin, name) = (self.twin(), vector_name(scalar, len));
            tokens!(#twin::glam::#name::splat(#tokens))
        };
        match (left.ty, right.ty) {
            (Ty::Vector(scalar, len), Ty::Scalar(_)) => (left.tokens, splat(right.tokens, *scalar, *len)),
            (Ty::Scalar(_), Ty::Vector(scalar, len)) => (splat(left.tokens, *scalar, *len), right.tokens),
            _ => (left.tokens, right.tokens),
        }
    }
}

/// The receiver of a method call.
pub(super) fn receiver(tokens: Tokens) -> Tokens {
    if tokens.is_postfix() { tokens } else { tokens!((#tokens)) }
}

fn scalar_of(ty: &Ty) -> Option<ScalarName> {
    match ty {
        Ty::Scalar(scalar) | Ty::Vector(scalar, _) => Some(*scalar),
        _ => None,
    }
}

/// `left op right` as rustc reads it.
pub(super) fn verbatim(op: BinaryOp, left: Operand<'_>, right: Operand<'_>, op_span: Span) -> Tokens {
    let (left, symbol, right) = (left.tokens, symbol(op.symbol(), op_span), right.tokens);
    tokens_at!(op_span=> #left #symbol #right)
}

/// The characters of an operator as one token.
pub(super) fn symbol(characters: &str, span: Span) -> Tokens {
    let mut tokens = Writer::new();
    tokens.punct(characters, span);
    tokens.finish()
}

/// Whether an operation divides by a literal that can neither be zero nor minus one.
fn divides_by_positive_literal(whole: &Expr) -> bool {
    let (ExprKind::Binary(_, _, right, _) | ExprKind::AssignOp(_, _, right, _)) = &whole.kind else { return false };
    let mut right = &**right;
    while let ExprKind::Paren(inner, ..) = &right.kind {
        right = inner;
    }
    matches!(right.kind, ExprKind::Literal(ast::Literal::Int { value: 1.., .. }))
}
