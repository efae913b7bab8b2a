//! Blocks, statements and expressions.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{Mode, Renderer, context};
use crate::ast::{self, Block, Expr, ExprKind, Label, Member, Path, Pattern, ScalarName, Statement, UnaryOp};
use crate::typed::{Callee, ConstValue, Resolution, Ty};

impl Renderer<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self, block: &Block) -> TokenStream {
        let statements: Vec<_> = block.statements.iter().map(|statement| self.statement(statement)).collect();
        let tail = block.tail.as_ref().map(|tail| self.bare(tail));
        quote_spanned!(block.span.end=> { #(#statements)* #tail })
    }

    fn statement(&mut self, statement: &Statement) -> TokenStream {
        match statement {
            Statement::Let { pattern, ty, value, .. } => {
                let stated = match ty {
                    Some(ty) => ty.tokens.clone(),
                    None => self.ty(&self.pattern_ty(pattern)),
                };
                let pattern = self.pattern(pattern);
                let value = value.as_ref().map(|value| {
                    let value = self.bare(value);
                    quote!(= #value)
                });
                quote!(let #pattern: #stated #value;)
            }
            Statement::Expr { expr, semicolon: true } => {
                let expr = self.bare(expr);
                quote!(#expr;)
            }
            Statement::Expr { expr, semicolon: false } => self.bare(expr),
        }
    }

    fn pattern(&self, pattern: &Pattern) -> TokenStream {
        match pattern {
            Pattern::Binding { name, mutable: true, .. } => quote_spanned!(name.span()=> mut #name),
            Pattern::Binding { name, mutable: false, .. } => quote!(#name),
            Pattern::Wild(span) => quote_spanned!(*span=> _),
            Pattern::Tuple(members, span) => {
                let members = members.iter().map(|member| self.pattern(member));
                quote_spanned!(span.end=> (#(#members,)*))
            }
        }
    }

    /// The type that a pattern's bindings have; a wild card's is left to rustc.
    fn pattern_ty(&self, pattern: &Pattern) -> Ty {
        match pattern {
            Pattern::Binding { binding, .. } => self.typed.binding(*binding).clone(),
            Pattern::Wild(_) => Ty::Error,
            Pattern::Tuple(members, _) if members.is_empty() => Ty::Unit,
            Pattern::Tuple(members, _) => Ty::Tuple(members.iter().map(|member| self.pattern_ty(member)).collect()),
        }
    }

    /// An expression that can stand as an operand.
    pub(super) fn expr(&mut self, expr: &Expr) -> TokenStream {
        let tokens = self.bare(expr);
        let is_atom = matches!(
            expr.kind,
            ExprKind::Literal(_) | ExprKind::Path(_) | ExprKind::Paren(_) | ExprKind::Tuple(_) | ExprKind::Array(_)
        );
        if is_atom { tokens } else { quote_spanned!(expr.span.start=> (#tokens)) }
    }

    /// An expression that stands alone: as a statement, an initialiser or an argument.
    pub(super) fn bare(&mut self, expr: &Expr) -> TokenStream {
        let span = expr.span.start;
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, self.expr_ty(expr), span),
            ExprKind::Path(path) => self.path_expr(path, expr),
            ExprKind::Paren(inner) => {
                let inner = self.bare(inner);
                quote_spanned!(span=> (#inner))
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right, op_span) => self.binary_expr(*op, left, right, *op_span, expr),
            ExprKind::Assign(target, value) => self.assign(target, value),
            ExprKind::AssignOp(op, target, value, op_span) => self.assign_op(*op, target, value, *op_span, expr),
            ExprKind::Cast(operand, ty) => self.cast(operand, &ty.tokens, self.expr_ty(expr)),
            ExprKind::Call { callee, args, .. } => self.call(callee, args, expr),
            ExprKind::Method { receiver, name, args } => self.method(receiver, name, args, expr),
            ExprKind::Field { .. } | ExprKind::Index { .. } => self.read(expr),
            ExprKind::Tuple(members) => {
                let members = members.iter().map(|member| self.bare(member)).collect::<Vec<_>>();
                quote_spanned!(span=> (#(#members,)*))
            }
            ExprKind::Array(elements) => {
                let elements = elements.iter().map(|element| self.bare(element)).collect::<Vec<_>>();
                quote_spanned!(span=> [#(#elements),*])
            }
            ExprKind::Repeat { element, len } => {
                let element = self.bare(element);
                let len = Literal::usize_suffixed(self.typed.lens.get(&len.id).copied().unwrap_or(0) as usize);
                quote_spanned!(span=> [#element; #len])
            }
            ExprKind::Struct { path, fields } => {
                let path = path_tokens(path);
                let fields = fields.iter().map(|(name, value)| {
                    let value = self.bare(value);
                    quote!(#name: #value)
                });
                let fields: Vec<_> = fields.collect();
                quote!(#path { #(#fields),* })
            }
            _ => self.control(expr),
        }
    }

    fn control(&mut self, expr: &Expr) -> TokenStream {
        let span = expr.span.start;
        match &expr.kind {
            ExprKind::If { condition, then_block, else_expr } => {
                let (condition, then_block) = (self.bare(condition), self.block(then_block));
                let else_expr = else_expr.as_ref().map(|else_expr| {
                    let tokens = self.bare(else_expr);
                    match else_expr.kind {
                        ExprKind::If { .. } | ExprKind::Block { label: None, .. } => quote!(else #tokens),
                        _ => quote!(else { #tokens }),
                    }
                });
                quote_spanned!(span=> if #condition #then_block #else_expr)
            }
            ExprKind::While { label, condition, body } => {
                let (label, condition, body) = (loop_label(label), self.bare(condition), self.block(body));
                quote_spanned!(span=> #label while #condition #body)
            }
            ExprKind::Loop { label, body } => {
                let (label, body) = (loop_label(label), self.block(body));
                quote_spanned!(span=> #label loop #body)
            }
            ExprKind::For { label, pattern, range, body } => {
                let (label, pattern) = (loop_label(label), self.pattern(pattern));
                let (start, end) = (self.expr(&range.start), self.expr(&range.end));
                let dots = if range.inclusive { quote!(..=) } else { quote!(..) };
                let body = self.block(body);
                quote_spanned!(span=> #label for #pattern in #start #dots #end #body)
            }
            ExprKind::Block { label, block } => {
                let (label, block) = (loop_label(label), self.block(block));
                quote!(#label #block)
            }
            ExprKind::Break { label, value } => {
                let label = label.as_ref().map(|label| &label.lifetime);
                let value = value.as_ref().map(|value| self.expr(value));
                quote_spanned!(span=> break #label #value)
            }
            ExprKind::Continue { label } => {
                let label = label.as_ref().map(|label| &label.lifetime);
                quote_spanned!(span=> continue #label)
            }
            ExprKind::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value));
                quote_spanned!(span=> return #value)
            }
            _ => TokenStream::new(),
        }
    }

    fn literal(&self, literal: &ast::Literal, ty: &Ty, span: Span) -> TokenStream {
        let mut token = match (literal, ty) {
            (ast::Literal::Bool(value), _) => return quote_spanned!(span=> #value),
            (ast::Literal::Float { text, .. }, _) => float_literal(text),
            (ast::Literal::Int { value, .. }, Ty::Scalar(ScalarName::I32)) => suffixed(*value, "i32"),
            (ast::Literal::Int { value, .. }, Ty::Scalar(ScalarName::Usize)) => suffixed(*value, "usize"),
            (ast::Literal::Int { value, .. }, _) => suffixed(*value, "u32"),
        };
        token.set_span(span);
        quote!(#token)
    }

    fn path_expr(&self, path: &Path, expr: &Expr) -> TokenStream {
        match self.typed.paths.get(&expr.id) {
            // `usize::MAX` is another number on the host.
            Some(Resolution::Value(ConstValue::U32(value)))
                if !self.is_original() && *self.expr_ty(expr) == Ty::USIZE =>
            {
                let value = Literal::usize_suffixed(*value as usize);
                quote_spanned!(expr.span.start=> #value)
            }
            _ => path_tokens(path),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> TokenStream {
        let ty = self.expr_ty(operand).clone();
        let is_literal = matches!(operand.kind, ExprKind::Literal(_));
        let value = self.expr(operand);
        let (twin, glam) = (&self.twin, &self.glam);
        match (op, &ty) {
            (UnaryOp::Neg, Ty::Scalar(ScalarName::I32)) if !self.is_original() && !is_literal => {
                quote!(#value.wrapping_neg())
            }
            (UnaryOp::Neg, Ty::Vector(ScalarName::I32, len)) if !self.is_original() => {
                let name = super::types::vector_name(ScalarName::I32, *len);
                quote!(#glam::#name::ZERO.wrapping_sub(#value))
            }
            (UnaryOp::Neg, _) => quote!(-#value),
            (UnaryOp::Not, Ty::Scalar(ScalarName::Usize)) if !self.is_original() => quote!(#twin::wrap32(!#value)),
            (UnaryOp::Not, _) => quote!(!#value),
        }
    }

    fn cast(&mut self, operand: &Expr, written: &TokenStream, to: &Ty) -> TokenStream {
        let value = self.expr(operand);
        match to {
            // 32 bits, as on the device.
            Ty::Scalar(ScalarName::Usize) if !self.is_original() => {
                quote!(#value as ::core::primitive::u32 as ::core::primitive::usize)
            }
            _ => quote!(#value as #written),
        }
    }

    fn call(&mut self, callee: &Path, args: &[Expr], expr: &Expr) -> TokenStream {
        let path = path_tokens(callee);
        match self.typed.calls.get(&expr.id) {
            Some(Callee::Builtin(builtin)) if !self.is_original() => {
                let name = proc_macro2::Ident::new(builtin.name(), Span::call_site());
                let (twin, cx) = (&self.twin, context());
                if self.mode == Mode::Twin { quote!(#cx.#name()) } else { quote!(#twin::#name()) }
            }
            Some(Callee::Intrinsic(intrinsic)) if !self.is_original() => {
                self.intrinsic_call(*intrinsic, callee, args, expr)
            }
            _ => {
                let args = args.iter().map(|arg| self.bare(arg)).collect::<Vec<_>>();
                quote!(#path(#(#args),*))
            }
        }
    }

    /// Position or name of a member.
    pub(super) fn member(member: &Member) -> TokenStream {
        match member {
            Member::Named(name) => quote!(#name),
            Member::Index(index, span) => {
                let mut index = Literal::u32_unsuffixed(*index);
                index.set_span(*span);
                quote!(#index)
            }
        }
    }
}

/// A path as written.
pub(super) fn path_tokens(path: &Path) -> TokenStream {
    let segments = &path.segments;
    let leading = path.leading_colon.then(|| quote!(::));
    quote!(#leading #(#segments)::*)
}

fn loop_label(label: &Option<Label>) -> Option<TokenStream> {
    label.as_ref().map(|label| {
        let lifetime = &label.lifetime;
        quote!(#lifetime:)
    })
}

fn suffixed(value: u128, suffix: &str) -> Literal {
    format!("{value}{suffix}").parse().expect("digits and a suffix are a literal")
}

fn float_literal(text: &str) -> Literal {
    let zero = if text.ends_with('.') { "0" } else { "" };
    format!("{text}{zero}f32").parse().expect("a float and its suffix are a literal")
}
