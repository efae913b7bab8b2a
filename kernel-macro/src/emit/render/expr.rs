//! Blocks, statements and expressions.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};

use super::operator::receiver;
use super::{Mode, Renderer, context};
use crate::ast::{self, Block, Expr, ExprKind, Item, Label, Member, MethodCall, Path, ScalarName, Statement, UnaryOp};
use crate::emit::tokens::{Put as _, Tokens, Word, Writer, tokens, tokens_at};
use crate::infer::{gives_one_of, is_bare_math_constant, parent};
use crate::program::TypedItem;
use crate::typed::{Callee, ConstValue, CoopCall, Resolution, Ty};

impl Renderer<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self, block: &Block) -> Tokens {
        let body = self.body(block);
        // The twin calls nothing that is unsafe.
        let unsafety = block.safety.filter(|_| matches!(self.mode, Mode::Original | Mode::Device));
        match unsafety {
            Some(span) => {
                let body = tokens_at!(block.span.end=> { #body });
                tokens_at!(span=> unsafe #body)
            }
            None => tokens_at!(block.span.end=> { #body }),
        }
    }

    /// The tokens between the braces of a block.
    pub(super) fn body(&mut self, block: &Block) -> Tokens {
        let mut writer = Writer::new();
        for statement in &block.statements {
            self.statement(statement).put(&mut writer);
        }
        if let Some(tail) = &block.tail {
            self.bare(tail).put(&mut writer);
        }
        writer.finish()
    }

    pub(super) fn statement(&mut self, statement: &Statement) -> Tokens {
        if let Some(tokens) = self.shared_let(statement) {
            return tokens;
        }
        match statement {
            Statement::Let { pattern, ty, value, otherwise, .. } => {
                if let Some(tokens) = self.slice_let(pattern, value.as_ref()) {
                    return tokens;
                }
                if let Some(tokens) = self.image_let(pattern, value.as_ref()) {
                    return tokens;
                }
                if let Some(tokens) = self.held_let(pattern, value.as_ref()) {
                    return tokens;
                }
                if let Some(tokens) = self.part_let(pattern, value.as_ref()) {
                    return tokens;
                }
                if let Some(value) = value {
                    self.note_lent_parts(pattern, value);
                }
                let view = self.view_of(std::iter::once(pattern));
                let stated = match ty {
                    _ if view.is_some() => tokens!(_),
                    Some(ty) if self.binds_held(pattern) => self.held_written(&ty.tokens),
                    Some(ty) if !self.is_original() && ty.holds_references() => self.let_ty(pattern, value.as_ref()),
                    Some(ty) if !self.is_projection(ty) => ty.tokens.clone().into(),
                    _ => self.let_ty(pattern, value.as_ref()),
                };
                let pattern = self.pattern_of_view(pattern, &view, otherwise.is_some());
                let value = value.as_ref().map(|value| {
                    let is_apart = view.is_some()
                        || self.typed.taken_apart.contains(&value.id)
                        || self.typed.written_apart.contains_key(&value.id)
                        || self.typed.sliced.contains_key(&value.id);
                    let value = if is_apart { self.viewed(value, &view) } else { self.argument(value) };
                    tokens!(= #value)
                });
                let otherwise = otherwise.as_ref().map(|block| {
                    let block = self.block(block);
                    tokens!(else #block)
                });
                tokens!(let #pattern: #stated #value #otherwise;)
            }
            Statement::OptionPlace(option_place) if self.typed.option_places.contains(&option_place.id) => {
                self.statement(&option_place.element)
            }
            Statement::OptionPlace(option_place) => self.statement(&option_place.written),
            Statement::Const(constant) => constant.tokens.clone().into(),
            Statement::Use(item) => {
                let item = item.clone();
                tokens!(#[allow(unused_imports)] #item)
            }
            Statement::Expr { expr, semicolon: true } => {
                let gives_place =
                    matches!(self.typed.calls.get(&expr.id), Some(Callee::Choice(method)) if method.gives_place());
                let is_place = !self.is_original() && self.typed.place_call(self.program, expr).is_some();
                let expr = self.bare(expr);
                if is_place {
                    return tokens!(let _ = &mut #expr;);
                }
                // Of `o.get_or_insert(v);` the twin reads the value, which rustc would call unused.
                if gives_place && !self.is_original() {
                    return tokens!(let _ = #expr;);
                }
                tokens!(#expr;)
            }
            Statement::Expr { expr, semicolon: false } => self.bare(expr),
        }
    }

    fn if_expr(&mut self, span: Span, condition: &Expr, then_block: &Block, else_expr: Option<&Expr>) -> Tokens {
        let (condition, then_block) = (self.condition(condition), self.block(then_block));
        let else_expr = else_expr.map(|else_expr| {
            let tokens = self.bare(else_expr);
            match else_expr.kind {
                ExprKind::If { .. } | ExprKind::Block { label: None, .. } => tokens!(else #tokens),
                _ => tokens!(else { #tokens }),
            }
        });
        tokens_at!(span=> if #condition #then_block #else_expr)
    }

    /// An expression that can stand as an operand.
    pub(super) fn expr(&mut self, expr: &Expr) -> Tokens {
        let tokens = self.bare(expr);
        let is_atom = match expr.kind {
            ExprKind::Literal(_)
            | ExprKind::Path(_)
            | ExprKind::Paren(..)
            | ExprKind::Tuple(_)
            | ExprKind::Array(_) => true,
            // The twin renders some of these as blocks or casts.
            ExprKind::Call { .. } | ExprKind::Method { .. } | ExprKind::Field { .. } | ExprKind::Index { .. } => {
                self.is_original() || tokens.is_postfix()
            }
            // And these as calls.
            ExprKind::Binary(..) | ExprKind::Unary(..) => !self.is_original() && tokens.is_postfix(),
            _ => false,
        };
        if is_atom { tokens } else { tokens_at!(expr.span.start=> (#tokens)) }
    }

    /// An expression that stands alone: as a statement, an initialiser or an argument.
    pub(super) fn bare(&mut self, expr: &Expr) -> Tokens {
        let span = expr.span.start;
        if !self.is_original() && self.typed.given_slices.contains_key(&expr.id) && self.given != Some(expr.id) {
            return self.given_slice(expr);
        }
        if !self.is_original()
            && let Item::Fn(function) = &self.item.item
            && function.gives_written_place()
            && !gives_one_of(function)
            && function.body.tail.as_ref().is_some_and(|tail| tail.id == expr.id)
        {
            return self.given_place(expr);
        }
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, self.expr_ty(expr), span),
            ExprKind::Path(path) => self.path_expr(path, expr),
            ExprKind::Paren(inner, Some(name)) if self.is_original() => {
                let (place, name) = (self.expr(inner), &**name);
                tokens_at!(name.span()=> #place.#name())
            }
            ExprKind::Paren(inner, ..) => {
                let inner = self.bare(inner);
                // An operator may have become a call.
                if !self.is_original() && inner.is_postfix() { inner } else { tokens_at!(span=> (#inner)) }
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr),
            ExprKind::Borrow { mutable, .. } => self.borrow(expr, *mutable),
            ExprKind::Binary(op, left, right, op_span) => self.binary_expr(*op, left, right, *op_span, expr),
            ExprKind::Assign(target, value) => self.assign(target, value),
            ExprKind::AssignOp(op, target, value, op_span) => self.assign_op(*op, target, value, *op_span, expr),
            ExprKind::Cast(operand, ty) => self.cast(operand, &ty.tokens, self.expr_ty(expr)),
            ExprKind::Call { callee, args, .. } => self.call(callee, args, expr),
            ExprKind::Method { receiver, name, args, .. } => self.method(MethodCall { expr, receiver, name, args }),
            ExprKind::Field { .. } | ExprKind::Index { .. } => self.read(expr),
            ExprKind::Tuple(members) => {
                let members = members.iter().map(|member| self.bare(member)).collect::<Vec<_>>();
                tokens_at!(span=> (#(#members,)*))
            }
            ExprKind::Array(elements) => {
                let elements = elements.iter().map(|element| self.bare(element)).collect::<Vec<_>>();
                tokens_at!(span=> [#(#elements),*])
            }
            ExprKind::Repeat { element, len } => {
                let element = self.bare(element);
                // Of unknown length: a const parameter.
                let len = match self.typed.lens.get(&len.id) {
                    Some(len) => self.len(*len),
                    None => self.bare(len),
                };
                tokens_at!(span=> [#element; #len])
            }
            ExprKind::Struct { path, fields, base } if self.is_held(self.expr_ty(expr)) => {
                self.held_literal(expr, path, fields, base.as_deref())
            }
            ExprKind::Struct { path, fields, base } => {
                let path = path_tokens(path);
                let fields = fields.iter().map(|(name, value)| {
                    let value = self.bare(value);
                    tokens!(#name: #value)
                });
                let fields: Vec<_> = fields.collect();
                let base = base.as_ref().map(|base| {
                    let base = self.expr(base);
                    tokens!(..#base)
                });
                tokens!(#path { #(#fields,)* #base })
            }
            ExprKind::Macro(call) => self.macro_call(call, expr),
            ExprKind::Slice { .. } => self.original_slice(expr, false),
            _ => self.control(expr),
        }
    }

    /// The `&mut` reference with which a function ends.
    fn given_place(&mut self, end: &Expr) -> Tokens {
        match &end.kind {
            ExprKind::Paren(inner, None) => self.given_place(inner),
            ExprKind::Method { receiver, name, args, .. } => {
                let place = self.method(MethodCall { expr: end, receiver, name, args });
                tokens!(&mut #place)
            }
            ExprKind::Path(path) => path_tokens(path),
            _ => self.borrow(end, true),
        }
    }

    fn control(&mut self, expr: &Expr) -> Tokens {
        let span = expr.span.start;
        match &expr.kind {
            ExprKind::If { condition, then_block, else_expr } => {
                self.if_expr(span, condition, then_block, else_expr.as_deref())
            }
            ExprKind::OptionPlace(option_place) if self.typed.option_places.contains(&expr.id) => {
                self.bare(&option_place.element)
            }
            ExprKind::OptionPlace(option_place) => {
                let (condition, then_block, else_expr) = option_place.written();
                self.if_expr(span, condition, then_block, else_expr)
            }
            ExprKind::Match { scrutinee, arms } => self.match_expr(expr, scrutinee, arms),
            ExprKind::Const(block) => {
                let block = self.block(block);
                // An expression with checks is no constant for rustc in the twin; the original shows that it is one.
                if self.is_original() { tokens_at!(span=> const #block) } else { block }
            }
            ExprKind::Closure(closure) => self.closure(expr, closure),
            ExprKind::Try(operand) => {
                let operand = self.expr(operand);
                tokens_at!(expr.span.end=> #operand?)
            }
            ExprKind::While { label, condition, body, .. } => {
                let (label, condition, body) = (loop_label(label), self.condition(condition), self.block(body));
                tokens_at!(span=> #label while #condition #body)
            }
            ExprKind::Loop { label, body, .. } => {
                let (label, body) = (loop_label(label), self.block(body));
                tokens_at!(span=> #label loop #body)
            }
            ExprKind::For { label, pattern, iterated, body, .. } => {
                if !self.is_original() && self.typed.written_loops.contains(&expr.id) {
                    self.note_parts(pattern, iterated);
                }
                let (label, (pattern, iterated)) = (loop_label(label), self.for_head(pattern, iterated));
                let body = self.block(body);
                tokens_at!(span=> #label for #pattern in #iterated #body)
            }
            ExprKind::Range { start, end, inclusive } => self.range(start, end.as_deref(), *inclusive),
            ExprKind::Block { label, block } => {
                let (label, block) = (loop_label(label), self.block(block));
                tokens!(#label #block)
            }
            ExprKind::Break { label, value } => {
                let label = label.as_ref().map(|label| &label.lifetime);
                let value = value.as_ref().map(|value| self.expr(value));
                tokens_at!(span=> break #label #value)
            }
            ExprKind::Continue { label } => {
                let label = label.as_ref().map(|label| &label.lifetime);
                tokens_at!(span=> continue #label)
            }
            ExprKind::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value));
                tokens_at!(span=> return #value)
            }
            _ => tokens!(),
        }
    }

    /// The pattern of a `for` loop, and the iterator.
    pub(super) fn for_head(&mut self, pattern: &ast::Pattern, iterated: &Expr) -> (Tokens, Tokens) {
        let pattern = self.pattern(pattern);
        let iterated = match &iterated.kind {
            ExprKind::Range { .. } => self.bare(iterated),
            _ => self.iterable(iterated),
        };
        (pattern, if iterated.has_braces() { tokens!((#iterated)) } else { iterated })
    }

    fn literal(&self, literal: &ast::Literal, ty: &Ty, span: Span) -> Tokens {
        let mut token = match (literal, ty) {
            (ast::Literal::Bool(value), _) => return tokens_at!(span=> #value),
            (ast::Literal::Text(text, _), _) => Literal::string(text),
            (ast::Literal::Char(value), _) => Literal::character(*value),
            // Of a type that depends on a generic parameter: rustc finds it.
            (ast::Literal::Float { text, suffix: None }, Ty::Error) => {
                unsuffixed(&format!("{text}{}", zero_after(text)))
            }
            (ast::Literal::Int { value, suffix: None }, Ty::Error) => unsuffixed(&value.to_string()),
            (ast::Literal::Float { text, .. }, Ty::Scalar(ScalarName::F64)) => double_literal(text),
            (ast::Literal::Float { text, .. }, _) => float_literal(text),
            (ast::Literal::Int { value, .. }, Ty::Scalar(scalar)) => self.suffixed(*value, scalar.name()),
            (ast::Literal::Int { value, .. }, _) => self.suffixed(*value, "u32"),
        };
        token.set_span(span);
        Tokens::from(TokenTree::from(token))
    }

    /// An integer with its suffix.
    pub(super) fn suffixed(&self, value: u128, suffix: &'static str) -> Literal {
        let mut numbers = self.numbers.borrow_mut();
        numbers.entry((value, suffix)).or_insert_with(|| suffixed(value, suffix)).clone()
    }

    fn path_expr(&mut self, path: &Path, expr: &Expr) -> Tokens {
        match self.typed.paths.get(&expr.id) {
            // In all renderings: functions that are rendered once take what others give them.
            Some(_) if self.typed.host_sized.contains(&expr.id) => {
                let path = path_tokens(path);
                match self.limit_of_size(expr.id) {
                    _ if *self.expr_ty(expr) == Ty::USIZE => {
                        tokens_at!(expr.span.start=> (#path as ::core::primitive::u32 as ::core::primitive::usize))
                    }
                    Some(limit) => tokens_at!(expr.span.start=> (#limit)),
                    None => path,
                }
            }
            _ if !self.is_original() && (self.is_plain_reference(expr) || self.is_table(expr)) => {
                let path = path_tokens(path);
                tokens_at!(expr.span.start=> (*#path))
            }
            _ if !self.is_original() && self.typed.copied_self.contains(&expr.id) => {
                let path = path_tokens(path);
                tokens_at!(expr.span.start=> (*#path))
            }
            _ if !self.is_original() && self.is_shared_variable(expr) => self.shared_get(&self.chain(expr), &[]),
            Some(Resolution::Value(ConstValue::F32(value)))
                if path.as_name().is_some_and(|name| is_bare_math_constant(&name.to_string()))
                    || is_in_some_consts(path) =>
            {
                self.imported_constant(path, value.to_bits(), expr)
            }
            _ => path_tokens(path),
        }
    }

    /// A limit of `usize` or `isize`, which is another number on the host.
    pub(super) fn limit_of_size(&self, path: ast::ExprId) -> Option<Tokens> {
        let value = match self.typed.paths.get(&path)? {
            Resolution::Value(value) => value,
            Resolution::Const(item) => match &self.program.items[*item].typed {
                TypedItem::Const(constant) => &constant.value,
                _ => return None,
            },
            _ => return None,
        };
        let value = match value {
            // `BITS`, the one that is no `usize`
            ConstValue::U32(32) => self.suffixed(32, "u32"),
            ConstValue::U32(value) => self.suffixed((*value).into(), "usize"),
            ConstValue::Int(_, value) if *value < 0 => {
                let value = self.suffixed(value.unsigned_abs(), "isize");
                return Some(tokens!(-#value));
            }
            ConstValue::Int(_, value) => self.suffixed(value.unsigned_abs(), "isize"),
            _ => return None,
        };
        Some(Tokens::from(TokenTree::from(value)))
    }

    /// A constant that the module around imports, with the assertion that it is the one that its name says.
    fn imported_constant(&self, path: &Path, bits: u32, expr: &Expr) -> Tokens {
        let (name, last) = (path.text(), path.segments.last().map(ToString::to_string).unwrap_or_default());
        let (asserted, path) = (path_tokens(path), path_tokens(path));
        if !self.keeps_names() {
            return path;
        }
        let message =
            format!("in kernels, `{name}` is `std::f32::consts::{last}`: write `self::{name}` for one of your own");
        let (twin, bits, message) = (self.twin(), Literal::u32_suffixed(bits), Literal::string(&message));
        tokens_at!(expr.span.start=> ({
            const _: () = #twin::is_math_constant(#asserted, #bits, #message);
            #path
        }))
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, whole: &Expr) -> Tokens {
        let ty = self.expr_ty(operand).clone();
        let is_literal = matches!(operand.kind, ExprKind::Literal(_));
        let value = match (op, self.reference_of(operand)) {
            (_, Some(_)) if !self.is_original() => self.expr(super::reference::referent(operand)),
            // Prefixes need no parentheses between them, which rustc would follow by recursion.
            _ if matches!(operand.kind, ExprKind::Unary(..)) => self.bare(operand),
            _ => self.expr(operand),
        };
        if self.lent_operands(whole).is_some_and(|lent| lent.left) {
            let value = self.user_operand(operand, true);
            return if op == UnaryOp::Neg { tokens!(-#value) } else { tokens!(!#value) };
        }
        if let Some(member @ (ScalarName::Usize | ScalarName::Isize)) = self.wrapped_member(&ty)
            && op != UnaryOp::Deref
            && !self.is_original()
        {
            let changed = if op == UnaryOp::Neg { tokens!(-#value) } else { tokens!(!#value) };
            return self.narrow_wrapped(member, changed);
        }
        match (op, &ty) {
            // A variable that is a reference is followed wherever it is named.
            (UnaryOp::Deref, _) if !self.is_original() && self.reference_of(operand).is_some() => value,
            (UnaryOp::Deref, _) if self.is_original() || self.is_reference(operand) => tokens!(*#value),
            // A value already.
            (UnaryOp::Deref, _) => value,
            (_, Ty::Error) if !self.is_original() && !is_literal => self.unknown_unary(op, value),
            (UnaryOp::Neg, Ty::Scalar(scalar)) if scalar.is_signed() && !self.is_original() && !is_literal => {
                let value = receiver(value);
                self.narrow(*scalar, tokens!(#value.wrapping_neg()))
            }
            (UnaryOp::Neg, Ty::Vector(ScalarName::I32, len)) if !self.is_original() => {
                let (twin, name) = (self.twin(), super::types::vector_name(ScalarName::I32, *len));
                tokens!(#twin::glam::#name::ZERO.wrapping_sub(#value))
            }
            (UnaryOp::Neg, _) => tokens!(-#value),
            (UnaryOp::Not, Ty::Scalar(ScalarName::Usize)) if !self.is_original() => {
                let twin = self.twin();
                tokens!(#twin::wrap32(!#value))
            }
            (UnaryOp::Not, _) => tokens!(!#value),
        }
    }

    /// Whether what `*` follows is a reference in the twin, too: a parameter of the function, or something unknown that did
    /// not become a value on the way.
    fn is_reference(&self, expr: &Expr) -> bool {
        match (&expr.kind, self.typed.paths.get(&expr.id), &self.item.item) {
            (ExprKind::Paren(inner, ..) | ExprKind::Unary(UnaryOp::Deref, inner), ..) => self.is_reference(inner),
            (_, Some(Resolution::Binding(binding)), Item::Fn(function)) => {
                function.params.iter().any(|param| param.binding == *binding) || !self.is_value(*binding)
            }
            // Slices and iterators give values here.
            (ExprKind::Try(option), ..) if self.is_of_elements(option) => false,
            (ExprKind::Macro(call), ..) if call.operands.first().is_some_and(|it| self.is_of_elements(it)) => false,
            _ => *self.expr_ty(expr) == Ty::Error,
        }
    }

    /// Whether an option is that of an element of a slice or an iterator.
    fn is_of_elements(&self, option: &Expr) -> bool {
        matches!(self.typed.calls.get(&option.id), Some(Callee::Slice(_) | Callee::Iterate(_)))
    }

    /// Whether a variable holds a value in the twin, though it may be a reference in Rust.
    pub(super) fn is_value(&self, binding: ast::BindingId) -> bool {
        *self.typed.binding(binding) != Ty::Error || self.typed.values.contains(&binding)
    }

    fn cast(&mut self, operand: &Expr, written: &TokenStream, to: &Ty) -> Tokens {
        // Casts bind to the left.
        let value = match operand.kind {
            ExprKind::Cast(..) => self.bare(operand),
            _ => self.expr(operand),
        };
        match to {
            // 32 bits, as on the device.
            Ty::Scalar(ScalarName::Usize) if !self.is_original() => {
                self.uses_names();
                tokens!(#value as __u32 as __usize)
            }
            Ty::Scalar(ScalarName::Isize) if !self.is_original() => {
                self.uses_names();
                tokens!(#value as __i32 as __isize)
            }
            _ => tokens!(#value as #written),
        }
    }

    fn call(&mut self, callee: &Path, args: &[Expr], expr: &Expr) -> Tokens {
        if let Some(result) = self.result_of_call(expr) {
            return result;
        }
        match self.typed.calls.get(&expr.id) {
            Some(Callee::Builtin(builtin)) if !self.is_original() => {
                let name = Word(builtin.name());
                if self.knows_invocation() {
                    let cx = context();
                    return tokens!(#cx.#name());
                }
                let twin = self.twin();
                tokens!(#twin::#name())
            }
            Some(
                parallel @ (Callee::Barrier
                | Callee::SubgroupBarrier
                | Callee::Uniform
                | Callee::Detach
                | Callee::WithSlope
                | Callee::Fence(..)
                | Callee::Subgroup(_)),
            ) if !self.is_original() => self.parallel_call(*parallel, callee, args, expr),
            Some(Callee::Coop(CoopCall::Load(_))) if !self.is_original() => self.matrix_load(args, expr),
            Some(called @ (Callee::Device(_) | Callee::Closure)) if !self.is_original() && self.may_wait(*called) => {
                self.framed_call(callee, args, expr)
            }
            Some(Callee::TryConvert) if !self.is_original() => self.try_convert(&args[0], expr),
            Some(Callee::Intrinsic(intrinsic)) if !self.is_original() => {
                self.intrinsic_call(*intrinsic, callee, args, expr)
            }
            _ => {
                let args: Vec<_> = args.iter().collect();
                let called = self.typed.calls.get(&expr.id).copied();
                let is_closure = self.typed.paths.contains_key(&expr.id);
                let path = if called == Some(Callee::Constructor) && self.is_held(self.expr_ty(expr)) {
                    self.held_new(callee)
                } else if called.is_none() && !is_closure && args.iter().any(|arg| self.slice_of_unknown(arg).is_some())
                {
                    Self::member_twin_path(callee)
                } else {
                    self.callee_path(called, callee)
                };
                let call = self.call_of(called, expr, &args, |_, args| tokens!(#path(#(#args),*)));
                if self.keeps_names()
                    && let Some(item) = self.item.uses.get(&callee.text())
                {
                    // That it is the library's, rustc sees here.
                    if self.program.is_reverse_item(*item) {
                        return tokens!(::core::convert::identity::<::core::cmp::Reverse<_>>(#call));
                    }
                    if self.program.is_wrapping_item(*item) {
                        return tokens!(::core::convert::identity::<::core::num::Wrapping<_>>(#call));
                    }
                }
                match (called, callee.segments.as_slice()) {
                    (Some(Callee::Memory(_)), [module, name]) if self.is_original() => {
                        let given = tokens!(::core::primitive::u8);
                        Self::of_core(module, name, given, call)
                    }
                    (Some(Callee::FromFn), [module, name]) if self.is_original() => {
                        let number = tokens!(::core::primitive::usize);
                        let given = tokens!(#number, 0, fn(::core::primitive::usize) -> ::core::primitive::usize);
                        Self::of_core(module, name, given, call)
                    }
                    _ => call,
                }
            }
        }
    }

    /// A call of what is taken for `core::mem`'s or `core::array`'s by its name alone, and a proof that it is: rustc finds `name`
    /// ambiguous where the author has another module of that name. `given`: types for the function's parameters.
    fn of_core(module: &Ident, name: &Ident, given: Tokens, call: Tokens) -> Tokens {
        let core = Word(if *module == "mem" { "mem" } else { "array" });
        tokens! {
            ({
                #[deny(ambiguous_glob_imports)]
                {
                    #[allow(unused_imports)]
                    use ::core::#core::*;
                    #[allow(unused_imports)]
                    use #module::*;
                    let _ = #name::<#given>;
                }
                #call
            })
        }
    }

    /// Position or name of a member.
    pub(super) fn member(member: &Member) -> Tokens {
        match member {
            Member::Named(name) => tokens!(#name),
            Member::Index(index, span) => {
                let mut index = Literal::u32_unsuffixed(*index);
                index.set_span(*span);
                Tokens::from(TokenTree::from(index))
            }
        }
    }
}

/// A path as written.
pub(super) fn path_tokens(path: &Path) -> Tokens {
    if let (Some(through), Some(name)) = (&path.through, path.segments.last()) {
        let (of, through) = (path_tokens(&parent(path)), path_tokens(through));
        let args = path.last_args().map(|args| &args.tokens);
        return tokens!(<#of as #through>::#name #args);
    }
    let segments = &path.segments;
    let leading = path.leading_colon.then(|| tokens!(::));
    if path.generics.is_empty() {
        return tokens!(#leading #(#segments)::*);
    }
    let segments = segments.iter().enumerate().map(|(position, segment)| {
        let args = path.generics.iter().find(|args| args.segment == position).map(|args| {
            // `Pair<f32>::new` is written with a turbofish in an expression.
            let (colons, tokens) = (args.tokens.to_string().starts_with("::"), &args.tokens);
            if colons { tokens!(#tokens) } else { tokens!(::#tokens) }
        });
        tokens!(#segment #args)
    });
    tokens!(#leading #(#segments)::*)
}

fn loop_label(label: &Option<Box<Label>>) -> Option<Tokens> {
    label.as_ref().map(|label| {
        let lifetime = &label.lifetime;
        tokens!(#lifetime:)
    })
}

/// A literal with its suffix. Text to tokens is slow: only what has no constructor goes that way.
fn suffixed(value: u128, suffix: &str) -> Literal {
    match (suffix, u32::try_from(value), i32::try_from(value)) {
        ("u32", Ok(value), _) => Literal::u32_suffixed(value),
        ("usize", Ok(value), _) => Literal::usize_suffixed(value as usize),
        ("i32", _, Ok(value)) => Literal::i32_suffixed(value),
        _ => format!("{value}{suffix}").parse().expect("digits and a suffix are a literal"),
    }
}

fn unsuffixed(text: &str) -> Literal {
    text.parse().expect("a literal without its suffix is one")
}

fn zero_after(text: &str) -> &'static str {
    if text.ends_with('.') { "0" } else { "" }
}

fn double_literal(text: &str) -> Literal {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Literal::f64_suffixed(value),
        _ => format!("{text}f64").parse().expect("a float and its suffix are a literal"),
    }
}

fn float_literal(text: &str) -> Literal {
    match text.parse::<f32>() {
        Ok(value) if value.is_finite() => Literal::f32_suffixed(value),
        _ => format!("{text}f32").parse().expect("a float and its suffix are a literal"),
    }
}

/// Whether a path is `consts::PI` or its like, of a module that the author may have written.
fn is_in_some_consts(path: &Path) -> bool {
    let mut segments = path.segments.iter();
    let is_known = segments.next().is_none_or(|first| first == "std" || first == "core");
    !is_known && path.segments.iter().rev().nth(1).is_some_and(|module| module == "consts")
}
