//! Expressions.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{BinOp, Expr as Syn, Lit, UnOp};

use super::Parser;
use super::assign::written_insertion;
use super::contains::{is_contains, without_parens};
use super::element_chain::written_chain_if;
use super::for_each::written_for_each;
use super::found_pair::written_pair_if;
use super::function::library_method;
use super::pat::PatternPlace;
use super::scatter::CLAIMED;
use super::span::{expr_range, path_range};
use super::taken_apart;
use super::temporary::with_variables;
use super::ty::ungroup;
use crate::ast::{
    BinaryOp, Block, Closure, Expr, ExprKind, Label, Literal, Member, Path, PathArgs, ScalarName, SpanRange, UnaryOp,
    Unroll,
};
use crate::diag::code;

/// The method that vouches for accesses in any order.
const UNORDERED: &str = "unordered";

impl Parser<'_> {
    pub(super) fn expr(&mut self, expr: &Syn) -> Expr {
        if let Syn::Group(group) = expr {
            return self.expr(&group.expr);
        }
        if let Syn::Macro(call) = expr {
            return self.macro_call(&call.mac);
        }
        if let Syn::Call(_) | Syn::MethodCall(_) = expr
            && let Some(written) = with_variables(expr)
        {
            return self.expr(&written);
        }
        if std::mem::take(&mut self.is_unit) {
            if let Some(statement) = self.call_statement(expr) {
                let span = expr_range(expr);
                let block = Block { statements: vec![statement], tail: None, span, safety: None };
                return self.node(ExprKind::Block { label: None, block }, span);
            }
            self.is_unit = matches!(expr, Syn::If(_) | Syn::Match(_) | Syn::Block(_) | Syn::Unsafe(_));
        }
        let id = self.next_expr();
        let mut kind = self.expr_kind(expr);
        self.expr_attrs(expr, &mut kind);
        Expr { id, kind, span: expr_range(expr) }
    }

    pub(super) fn boxed(&mut self, expr: &Syn) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn list<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Syn>) -> Vec<Expr> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    pub(super) fn expr_kind(&mut self, expr: &Syn) -> ExprKind {
        match expr {
            Syn::Lit(lit) => self.literal(&lit.lit),
            Syn::Path(path) if path.qself.is_none() => {
                self.value_path(&path.path).map_or(ExprKind::Error, ExprKind::Path)
            }
            Syn::Path(path) => self.qualified(path),
            Syn::Paren(paren) => ExprKind::Paren(self.boxed(&paren.expr), None),
            Syn::Unary(unary) => self.unary(unary),
            Syn::Reference(reference) => {
                ExprKind::Borrow { mutable: reference.mutability.is_some(), operand: self.boxed(&reference.expr) }
            }
            Syn::Binary(binary) => {
                if let Some(written) = written_insertion(&binary.left, &binary.right, Some(&binary.op)) {
                    return self.expr_kind(&written);
                }
                let (op, assign, span) = binary_op(&binary.op);
                if assign && let Some(written) = self.written_element(&binary.left, &binary.right, Some(&binary.op)) {
                    return self.expr_kind(&written);
                }
                let (left, right) = (self.boxed(&binary.left), self.boxed(&binary.right));
                if assign { ExprKind::AssignOp(op, left, right, span) } else { ExprKind::Binary(op, left, right, span) }
            }
            Syn::Assign(assign) => self.assign(assign),
            Syn::Cast(cast) => {
                let operand = self.boxed(&cast.expr);
                ExprKind::Cast(operand, Box::new(self.ty(&cast.ty)))
            }
            Syn::Call(call) => self.call(call),
            Syn::MethodCall(call) => match self.written_chain(call) {
                Some(written) => self.expr_kind(&written),
                None => self.method(call),
            },
            Syn::Field(field) => {
                let member = match &field.member {
                    syn::Member::Named(name) => Member::Named(name.clone()),
                    syn::Member::Unnamed(index) => Member::Index(index.index, index.span),
                };
                ExprKind::Field { base: self.boxed(&field.base), member }
            }
            Syn::Index(index) if matches!(*index.index, Syn::Range(_)) => self.slice(index),
            Syn::Index(index) => {
                // `b"…"[i]` is an element of the array that the literal is a reference to.
                let base = match &*index.expr {
                    Syn::Lit(lit) if matches!(lit.lit, Lit::ByteStr(_)) => Box::new(self.bytes(&lit.lit)),
                    base => self.boxed(base),
                };
                ExprKind::Index { base, index: self.boxed(&index.index) }
            }
            Syn::Tuple(tuple) => ExprKind::Tuple(self.list(&tuple.elems)),
            Syn::Array(array) => ExprKind::Array(self.list(&array.elems)),
            Syn::Repeat(repeat) => ExprKind::Repeat { element: self.boxed(&repeat.expr), len: self.boxed(&repeat.len) },
            Syn::Struct(literal) => self.struct_literal(literal),
            other => self.control(other),
        }
    }

    /// Blocks, branches, loops and jumps.
    fn control(&mut self, expr: &Syn) -> ExprKind {
        match expr {
            Syn::If(branch) => {
                let written = written_pair_if(branch).or_else(|| written_chain_if(branch));
                let branch = written.as_ref().unwrap_or(branch);
                let is_unit = std::mem::take(&mut self.is_unit);
                let (condition, then_block) = self.scope(|cx| {
                    let condition = cx.expr(&branch.cond);
                    cx.is_unit = is_unit || branch.else_branch.is_none();
                    (condition, cx.block(&branch.then_branch))
                });
                self.is_unit = is_unit;
                let else_expr = branch.else_branch.as_ref().map(|(_, otherwise)| self.boxed(otherwise));
                self.is_unit = false;
                self.if_expr(condition, then_block, else_expr)
            }
            Syn::Match(matching) => self.match_expr(matching),
            // The value first: the pattern's variables are not in scope in it.
            Syn::Let(test) => {
                let value = self.boxed(&test.expr);
                ExprKind::Let { pattern: Box::new(self.pattern(&test.pat, PatternPlace::Perhaps)), value }
            }
            Syn::Const(block) => ExprKind::Const(self.block(&block.block)),
            Syn::Closure(closure) => self.closure(closure),
            Syn::Try(attempt) => {
                self.returns_early = true;
                self.jumps += 1;
                ExprKind::Try(self.boxed(&attempt.expr))
            }
            Syn::While(looping) => {
                let label = looping.label.as_ref().map(|label| to_label(&label.name));
                let (condition, body) = self.scope(|cx| (cx.boxed(&looping.cond), cx.unit_block(&looping.body)));
                ExprKind::While { label, condition, body, unroll: Unroll::Auto }
            }
            Syn::Loop(looping) => ExprKind::Loop {
                label: looping.label.as_ref().map(|label| to_label(&label.name)),
                body: self.unit_block(&looping.body),
                unroll: Unroll::Auto,
            },
            Syn::ForLoop(looping) => self.for_loop(looping),
            Syn::Range(range) => self.range(range),
            Syn::Block(block) => ExprKind::Block {
                label: block.label.as_ref().map(|label| to_label(&label.name)),
                block: self.block(&block.block),
            },
            Syn::Unsafe(block) => {
                let safety = Some(block.unsafe_token.span);
                ExprKind::Block { label: None, block: Block { safety, ..self.block(&block.block) } }
            }
            Syn::Break(jump) => {
                self.jumps += 1;
                ExprKind::Break {
                    label: jump.label.as_ref().map(to_label),
                    value: jump.expr.as_ref().map(|value| self.boxed(value)),
                }
            }
            Syn::Continue(jump) => {
                self.jumps += 1;
                ExprKind::Continue { label: jump.label.as_ref().map(to_label) }
            }
            Syn::Return(jump) => {
                self.returns_early = true;
                self.jumps += 1;
                ExprKind::Return(jump.expr.as_ref().map(|value| self.boxed(value)))
            }
            other => {
                self.unsupported_expr(other);
                ExprKind::Error
            }
        }
    }

    /// `base[start..end]`, or `{base}[..]`, which moves the slice.
    fn slice(&mut self, index: &syn::ExprIndex) -> ExprKind {
        let Syn::Range(range) = &*index.index else { return ExprKind::Error };
        let moved = match &*index.expr {
            Syn::Block(block) if block.label.is_none() && range.start.is_none() && range.end.is_none() => {
                match block.block.stmts.as_slice() {
                    [syn::Stmt::Expr(name @ Syn::Path(_), None)] => Some(name),
                    _ => None,
                }
            }
            _ => None,
        };
        let base = self.boxed(moved.unwrap_or(&index.expr));
        if moved.is_some() {
            self.moved.push(base.id);
        }
        let mut end = |end: &Option<Box<Syn>>| end.as_ref().map(|end| self.boxed(end));
        let (start, end) = (end(&range.start), end(&range.end));
        ExprKind::Slice { base, start, end, inclusive: matches!(range.limits, syn::RangeLimits::Closed(_)) }
    }

    fn closure(&mut self, closure: &syn::ExprClosure) -> ExprKind {
        let named = taken_apart::with_names(closure);
        let closure = named.as_ref().unwrap_or(closure);
        self.check_attrs(&closure.attrs);
        let words = [
            closure.asyncness.as_ref().map(ToTokens::to_token_stream),
            closure.constness.as_ref().map(ToTokens::to_token_stream),
            closure.lifetimes.as_ref().map(ToTokens::to_token_stream),
        ];
        for word in words.into_iter().flatten() {
            self.unsupported(word, "this word before a closure is", "remove it");
        }
        let before = self.jumps;
        let (params, result, body) = self.scope(|cx| {
            let params = closure.inputs.iter().map(|input| cx.closure_param(input)).collect();
            let result = match &closure.output {
                syn::ReturnType::Type(_, ty) => Some(cx.ty(ty)),
                syn::ReturnType::Default => None,
            };
            (params, result, cx.expr(&closure.body))
        });
        let moves = closure.capture.as_ref().map(|word| word.span);
        ExprKind::Closure(std::rc::Rc::new(Closure { moves, params, result, body, jumps: self.jumps > before }))
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> ExprKind {
        let op = match &unary.op {
            UnOp::Neg(_) => UnaryOp::Neg,
            UnOp::Not(_) => UnaryOp::Not,
            UnOp::Deref(_) => UnaryOp::Deref,
            other => {
                self.unsupported(other, "this operator is", "write it with the operators that kernels know");
                return ExprKind::Error;
            }
        };
        match (op, &*unary.expr) {
            // `*b"…"` is the array itself.
            (UnaryOp::Deref, Syn::Lit(lit)) if matches!(lit.lit, Lit::ByteStr(_)) => self.bytes(&lit.lit).kind,
            _ => ExprKind::Unary(op, self.boxed(&unary.expr)),
        }
    }

    /// `<T as Trait>::NAME`
    fn qualified(&mut self, path: &syn::ExprPath) -> ExprKind {
        self.qualified_path(path).map_or(ExprKind::Error, ExprKind::Path)
    }

    /// `<T as Trait>::name`, or `<T>::name`, which is `T::name`.
    fn qualified_path(&mut self, path: &syn::ExprPath) -> Option<Path> {
        let parts = path.qself.as_ref().and_then(|qself| {
            let names: Vec<_> = path.path.segments.iter().skip(qself.position).collect();
            match (ungroup(&qself.ty), names.as_slice()) {
                (syn::Type::Path(of), [name]) if of.qself.is_none() => Some((of, qself.position, *name)),
                _ => None,
            }
        });
        let Some((of, position, name)) = parts else {
            self.unsupported(
                path,
                "this qualified path is",
                "write `T::NAME`, or `<T as Trait>::NAME` of a type that has a name",
            );
            return None;
        };
        let mut found = self.path(&of.path)?;
        if let syn::PathArguments::AngleBracketed(written) = &name.arguments {
            let args = self.path_args(found.segments.len(), written);
            found.generics.push(args);
        }
        found.segments.push(name.ident.clone());
        if position > 0 {
            let segments = path.path.segments.iter().take(position).cloned().collect();
            found.through = Some(Box::new(self.path(&syn::Path { leading_colon: path.path.leading_colon, segments })?));
        }
        Some(found)
    }

    fn call(&mut self, call: &syn::ExprCall) -> ExprKind {
        if let Some(kind) = self.new_shared(call) {
            return kind;
        }
        if let Some(kind) = self.vector_of_slice(call) {
            return kind;
        }
        if let Some(kind) = self.made_iterator(call) {
            return kind;
        }
        let args = self.list(&call.args);
        if let (true, Syn::Path(path)) = (args.len() == 1, &*call.func)
            && is_once(&path.path)
        {
            return self.once(call, args);
        }
        match &*call.func {
            Syn::Path(path) if path.qself.is_none() => match self.value_path(&path.path) {
                Some(callee) if !args.is_empty() && library_method(&callee).is_some() => {
                    self.library_call(callee, args)
                }
                Some(callee) => ExprKind::Call { callee, callee_span: path_range(&path.path), args },
                None => ExprKind::Error,
            },
            Syn::Path(path) => match self.qualified_path(path) {
                Some(callee) => ExprKind::Call { callee, callee_span: SpanRange::of(path), args },
                None => ExprKind::Error,
            },
            other => {
                self.unsupported(other, "calling anything but a function by its name is", "call a `#[device] fn`");
                ExprKind::Error
            }
        }
    }

    /// `Ord::max(a, b)`, which is `a.max(b)`.
    fn library_call(&mut self, callee: Path, mut args: Vec<Expr>) -> ExprKind {
        let receiver = Box::new(args.remove(0));
        match callee.segments.last() {
            Some(name) => self.method_of(receiver, name.clone(), None, args),
            None => ExprKind::Error,
        }
    }

    /// `std::iter::once(value)`: what goes through an array of one element.
    fn once(&mut self, call: &syn::ExprCall, args: Vec<Expr>) -> ExprKind {
        let array = self.node(ExprKind::Array(args), SpanRange::of(call));
        ExprKind::Method {
            receiver: Box::new(array),
            name: proc_macro2::Ident::new("into_iter", call.paren_token.span.open()),
            turbofish: None,
            args: Vec::new(),
            functions: Vec::new(),
        }
    }

    fn method(&mut self, call: &syn::ExprMethodCall) -> ExprKind {
        if let Some(kind) = self.bytes_of_text(call) {
            return kind;
        }
        if let Some(written) = Self::cycled_first(call) {
            return self.method(&written);
        }
        let turbofish = call.turbofish.as_ref().map(|turbofish| Box::new(self.path_args(0, turbofish)));
        let receiver = self.boxed(&call.receiver);
        if turbofish.is_none()
            && let Some(message) = self.unwrapping(call)
        {
            return self.unwrap(call, *receiver, message);
        }
        let args = match call.args.first() {
            Some(Syn::Range(range)) if range.start.is_none() && (call.method == "get" || call.method == "get_mut") => {
                vec![self.range_from_zero(range)]
            }
            _ => self.list(&call.args),
        };
        self.method_of(receiver, call.method.clone(), turbofish, args)
    }

    /// `x.map(f).cycle()`, which is `x.cycle().map(f)`: what can begin anew has copies, and a closure with copies that holds no
    /// values of its own is the same each time.
    fn cycled_first(call: &syn::ExprMethodCall) -> Option<syn::ExprMethodCall> {
        let Syn::MethodCall(map) = &*call.receiver else { return None };
        let is_same = match map.args.first()? {
            Syn::Closure(closure) => closure.capture.is_none(),
            Syn::Path(_) => true,
            _ => false,
        };
        if call.method != "cycle" || !call.args.is_empty() || map.method != "map" || map.args.len() != 1 || !is_same {
            return None;
        }
        let (receiver, span) = (map.receiver.clone(), call.method.span());
        let cycled = syn::parse2(quote::quote_spanned!(span=> #receiver.cycle())).ok()?;
        Some(syn::ExprMethodCall { receiver: Box::new(cycled), ..map.clone() })
    }

    /// `"text".as_bytes()` and `"text".bytes()`: the bytes are known.
    fn bytes_of_text(&mut self, call: &syn::ExprMethodCall) -> Option<ExprKind> {
        let Syn::Lit(syn::ExprLit { lit: lit @ Lit::Str(_), .. }) = &*call.receiver else { return None };
        if !call.args.is_empty() || call.method != "as_bytes" && call.method != "bytes" {
            return None;
        }
        let bytes = Box::new(self.bytes(lit));
        if call.method == "as_bytes" {
            return Some(ExprKind::Borrow { mutable: false, operand: bytes });
        }
        let name = Ident::new("into_iter", call.method.span());
        Some(ExprKind::Method { receiver: bytes, name, turbofish: None, args: Vec::new(), functions: Vec::new() })
    }

    /// A method call of these parts.
    pub(super) fn method_of(
        &mut self,
        receiver: Box<Expr>,
        name: Ident,
        turbofish: Option<Box<PathArgs>>,
        args: Vec<Expr>,
    ) -> ExprKind {
        if (name == UNORDERED || self.is_claim && name == CLAIMED) && turbofish.is_none() && args.is_empty() {
            return ExprKind::Paren(receiver, Some(Box::new(name)));
        }
        if turbofish.is_none() && is_contains(&receiver, &name, &args) {
            return self.contains(*receiver, args);
        }
        let (receiver, args) = match written_for_each(receiver, &name, args) {
            Ok(looping) => return looping,
            Err(parts) => parts,
        };
        let (mut receiver, mut name, mut args) = (receiver, name, args);
        if is_flattened_map(&receiver, &name, &args)
            && let Expr { kind: ExprKind::Method { receiver: chain, args: mapped, .. }, .. } = *receiver
        {
            (receiver, name, args) = (chain, Ident::new("flat_map", name.span()), mapped);
        }
        let functions = self.function_args(&name, &args);
        ExprKind::Method { receiver, name, turbofish, args, functions }
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> ExprKind {
        let mut fields = Vec::new();
        for field in &literal.fields {
            match &field.member {
                syn::Member::Named(name) => fields.push((name.clone(), self.expr(&field.expr))),
                syn::Member::Unnamed(_) => {
                    self.unsupported(field, "tuple structs are", "use a struct with named fields");
                }
            }
        }
        let base = literal.rest.as_ref().map(|rest| self.boxed(rest));
        if let (Some(dots), None) = (&literal.dot2_token, &base) {
            self.unsupported(dots, "`..` without a struct after it is", "write `..base`, or every field");
            return ExprKind::Error;
        }
        if literal.qself.is_some() {
            self.unsupported(literal, "qualified paths are", "name the struct");
            return ExprKind::Error;
        }
        match self.value_path(&literal.path) {
            Some(path) => ExprKind::Struct { path, fields, base },
            None => ExprKind::Error,
        }
    }

    fn unsupported_expr(&mut self, expr: &Syn) {
        let (at, what, help) = match expr {
            Syn::RawAddr(_) => (expr.to_token_stream(), "raw pointers are", "use the value"),
            Syn::Async(it) => {
                (it.async_token.to_token_stream(), "`async` is", "remove it: invocations run by themselves")
            }
            Syn::Await(it) => (it.await_token.to_token_stream(), "`.await` is", "remove it"),
            Syn::TryBlock(_) => (expr.to_token_stream(), "`try` blocks are", "test values with `if`"),
            Syn::Infer(_) => (expr.to_token_stream(), "`_` as an expression is", "write a value"),
            Syn::Yield(_) => (expr.to_token_stream(), "`yield` is", "write the value into a buffer"),
            _ => (
                expr.to_token_stream(),
                "this expression is",
                "write it with the operators and calls that kernels know",
            ),
        };
        self.unsupported(at, what, help);
    }

    pub(super) fn literal(&mut self, lit: &Lit) -> ExprKind {
        let literal = match lit {
            Lit::Bool(value) => Literal::Bool(value.value),
            Lit::Int(int) => {
                let text = int.base10_digits();
                match (self.suffix(lit, int.suffix()), text.parse()) {
                    // `1f32` is a float.
                    (Some(suffix @ Some(ScalarName::F32 | ScalarName::F64)), _) => {
                        Literal::Float { text: text.to_owned(), suffix }
                    }
                    (Some(suffix), Ok(value)) => Literal::Int { value, suffix },
                    (Some(_), Err(_)) => {
                        let message = "this integer literal is too large for any integer type";
                        self.error(code::BAD_LITERAL, SpanRange::of(lit), message);
                        return ExprKind::Error;
                    }
                    (None, _) => return ExprKind::Error,
                }
            }
            Lit::Float(float) => match self.suffix(lit, float.suffix()) {
                Some(suffix) => Literal::Float { text: float.base10_digits().to_owned(), suffix },
                None => return ExprKind::Error,
            },
            Lit::Byte(byte) => Literal::Int { value: byte.value().into(), suffix: Some(ScalarName::U8) },
            Lit::ByteStr(_) => {
                let operand = Box::new(self.bytes(lit));
                return ExprKind::Borrow { mutable: false, operand };
            }
            Lit::Str(text) => return self.text(text),
            Lit::CStr(_) => {
                self.unsupported(lit, "C strings are", "write bytes, `b\"text\"`, or keep text on the host");
                return ExprKind::Error;
            }
            Lit::Char(literal) => Literal::Char(literal.value()),
            other => {
                self.unsupported(other, "this literal is", "write a number, `true` or `false`");
                return ExprKind::Error;
            }
        };
        ExprKind::Literal(literal)
    }

    /// The array that `b"…"` is a reference to.
    fn bytes(&mut self, lit: &Lit) -> Expr {
        let span = SpanRange::of(lit);
        let values = match lit {
            Lit::ByteStr(text) => text.value(),
            Lit::Str(text) => text.value().into_bytes(),
            _ => Vec::new(),
        };
        let byte = |cx: &mut Self, value: u8| {
            let literal = Literal::Int { value: value.into(), suffix: Some(ScalarName::U8) };
            cx.node(ExprKind::Literal(literal), span)
        };
        let bytes = values.into_iter().map(|value| byte(self, value)).collect();
        self.node(ExprKind::Array(bytes), span)
    }

    /// The type that a literal's suffix names: `Some(None)` without one, `None` after an error.
    pub(super) fn suffix(&mut self, lit: &Lit, suffix: &str) -> Option<Option<ScalarName>> {
        if suffix.is_empty() {
            return Some(None);
        }
        if let Some(scalar) = ScalarName::from_name(suffix).filter(|scalar| scalar.is_int() || scalar.is_float()) {
            return Some(Some(scalar));
        }
        let help = match suffix {
            "f16" | "bf16" => "write `f16::from_f32(1.5)`",
            "f128" => "use `f64`",
            _ => "leave it out, or write one of these",
        };
        let message = format!("`{suffix}` is not a number type of kernels");
        self.error(code::BAD_LITERAL, SpanRange::of(lit), message)
            .note(
                "the types of literals are i8 to i128, u8 to u128, f32, f64, and isize and usize (32 bits on the device)",
            )
            .help(help);
        None
    }
}

pub(super) fn to_label(lifetime: &syn::Lifetime) -> Box<Label> {
    Box::new(Label { name: lifetime.ident.to_string(), span: lifetime.span(), lifetime: lifetime.clone() })
}

/// The operator, whether it assigns, and its span.
fn binary_op(op: &BinOp) -> (BinaryOp, bool, Span) {
    match op {
        BinOp::Add(token) => (BinaryOp::Add, false, token.spans[0]),
        BinOp::Sub(token) => (BinaryOp::Sub, false, token.spans[0]),
        BinOp::Mul(token) => (BinaryOp::Mul, false, token.spans[0]),
        BinOp::Div(token) => (BinaryOp::Div, false, token.spans[0]),
        BinOp::Rem(token) => (BinaryOp::Rem, false, token.spans[0]),
        BinOp::And(token) => (BinaryOp::And, false, token.spans[0]),
        BinOp::Or(token) => (BinaryOp::Or, false, token.spans[0]),
        BinOp::BitXor(token) => (BinaryOp::BitXor, false, token.spans[0]),
        BinOp::BitAnd(token) => (BinaryOp::BitAnd, false, token.spans[0]),
        BinOp::BitOr(token) => (BinaryOp::BitOr, false, token.spans[0]),
        BinOp::Shl(token) => (BinaryOp::Shl, false, token.spans[0]),
        BinOp::Shr(token) => (BinaryOp::Shr, false, token.spans[0]),
        BinOp::Eq(token) => (BinaryOp::Eq, false, token.spans[0]),
        BinOp::Lt(token) => (BinaryOp::Lt, false, token.spans[0]),
        BinOp::Le(token) => (BinaryOp::Le, false, token.spans[0]),
        BinOp::Ne(token) => (BinaryOp::Ne, false, token.spans[0]),
        BinOp::Ge(token) => (BinaryOp::Ge, false, token.spans[0]),
        BinOp::Gt(token) => (BinaryOp::Gt, false, token.spans[0]),
        BinOp::AddAssign(token) => (BinaryOp::Add, true, token.spans[0]),
        BinOp::SubAssign(token) => (BinaryOp::Sub, true, token.spans[0]),
        BinOp::MulAssign(token) => (BinaryOp::Mul, true, token.spans[0]),
        BinOp::DivAssign(token) => (BinaryOp::Div, true, token.spans[0]),
        BinOp::RemAssign(token) => (BinaryOp::Rem, true, token.spans[0]),
        BinOp::BitXorAssign(token) => (BinaryOp::BitXor, true, token.spans[0]),
        BinOp::BitAndAssign(token) => (BinaryOp::BitAnd, true, token.spans[0]),
        BinOp::BitOrAssign(token) => (BinaryOp::BitOr, true, token.spans[0]),
        BinOp::ShlAssign(token) => (BinaryOp::Shl, true, token.spans[0]),
        BinOp::ShrAssign(token) => (BinaryOp::Shr, true, token.spans[0]),
        other => (BinaryOp::Add, false, SpanRange::of(other).start),
    }
}

/// Whether `.flatten()` follows a chain's `.map(f)`: that is `.flat_map(f)`. Options have both methods, too, so it must be evident that it
/// is a chain, or that what the closure gives is one, which no option flattens.
fn is_flattened_map(receiver: &Expr, name: &Ident, args: &[Expr]) -> bool {
    let ExprKind::Method { receiver, name: map, turbofish: None, args: mapped, .. } = &receiver.kind else {
        return false;
    };
    let [mapped] = mapped.as_slice() else { return false };
    let gives_chain = matches!(&mapped.kind, ExprKind::Closure(closure) if is_chain(&closure.body));
    name == "flatten" && args.is_empty() && map == "map" && (gives_chain || is_chain(receiver))
}

/// Whether something is evidently a chain of iterators.
fn is_chain(expr: &Expr) -> bool {
    // Options have none of these, and no `clone` in kernels.
    const STEPS: [&str; 11] = [
        "iter",
        "into_iter",
        "windows",
        "chunks",
        "chunks_exact",
        "rev",
        "enumerate",
        "skip",
        "step_by",
        "by_ref",
        "clone",
    ];
    // These they have: what it is, the receiver says.
    const SHARED: [&str; 3] = ["map", "filter", "zip"];
    match &without_parens(expr).kind {
        ExprKind::Range { .. } => true,
        ExprKind::Method { name, .. } if STEPS.iter().any(|step| name == step) => true,
        ExprKind::Method { receiver, name, .. } => SHARED.iter().any(|step| name == step) && is_chain(receiver),
        _ => false,
    }
}

/// Whether a path is that of `std::iter::once`, which no name in scope can hide.
fn is_once(path: &syn::Path) -> bool {
    let names: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    matches!(names.iter().map(String::as_str).collect::<Vec<_>>()[..], ["std" | "core", "iter", "once"])
        && path.segments.iter().all(|segment| segment.arguments.is_none())
}
