//! Patterns, `match` and conditions with `let`, as their author wrote them; literals get their types stated.

use super::Renderer;
use super::expr::path_tokens;
use super::reference::referent;
use super::slice_pattern::View;
use crate::ast::{Arm, BinaryOp, Expr, ExprId, ExprKind, FieldPattern, Path, Pattern};
use crate::emit::tokens::{Tokens, tokens, tokens_at};
use crate::infer::{is_place, is_self, taken_place};
use crate::typed::Ty;

impl Renderer<'_> {
    /// A pattern that always matches.
    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Tokens {
        self.pattern_in(pattern, false)
    }

    /// A pattern. If it may not match, a name is written `name @ _`: it must be a variable for rustc, too, even where a
    /// const of that name is in scope.
    pub(super) fn pattern_in(&mut self, pattern: &Pattern, perhaps: bool) -> Tokens {
        match pattern {
            Pattern::Binding { inner, .. } if self.is_nameless => match inner {
                Some(inner) => self.pattern_in(inner, perhaps),
                None => tokens!(_),
            },
            Pattern::Binding { name, mutable, binding, inner } => {
                let mutable = mutable.then(|| tokens_at!(name.span()=> mut));
                let inner = match inner {
                    Some(inner) => Some(self.pattern_in(inner, perhaps)),
                    None => perhaps.then(|| tokens!(_)),
                };
                let inner = inner.map(|inner| tokens_at!(name.span()=> @ #inner));
                let lent = self.lent_parts.borrow().contains(binding).then(|| tokens_at!(name.span()=> ref));
                tokens!(#lent #mutable #name #inner)
            }
            Pattern::Wild(span) => tokens_at!(*span=> _),
            Pattern::Reference(inner, span) if self.is_original() || self.holds_reference(inner) => {
                let inner = self.pattern_in(inner, perhaps);
                tokens_at!(*span=> &#inner)
            }
            Pattern::Ref(inner, span) if self.is_original() => {
                let inner = self.pattern_in(inner, perhaps);
                tokens_at!(*span=> ref #inner)
            }
            Pattern::Reference(inner, _) | Pattern::Ref(inner, _) => self.pattern_in(inner, perhaps),
            Pattern::RefMut(inner, span) => {
                let inner = self.pattern_in(inner, perhaps);
                tokens_at!(*span=> ref mut #inner)
            }
            Pattern::Rest(span) => tokens_at!(*span=> ..),
            Pattern::Tuple(members, span) => {
                let members = self.patterns(members, perhaps);
                tokens_at!(span.end=> (#(#members,)*))
            }
            Pattern::Slice { members, span, .. } => {
                let members = self.patterns(members, perhaps);
                tokens_at!(span.end=> [#(#members),*])
            }
            Pattern::Or(cases, span) => {
                let cases = self.patterns(cases, perhaps);
                tokens_at!(span.start=> (#(#cases)|*))
            }
            Pattern::Literal(literal) => self.pattern_end(literal),
            Pattern::Range { start, end, inclusive, span } => {
                let start = start.as_ref().map(|start| self.pattern_end(start));
                let end = end.as_ref().map(|end| self.pattern_end(end));
                let dots = if *inclusive { tokens!(..=) } else { tokens!(..) };
                tokens_at!(span.start=> (#start #dots #end))
            }
            Pattern::Path { id, path, .. } => self.pattern_path(*id, path),
            Pattern::TupleStruct { path, members, span, .. } => {
                let (path, members) = (path_tokens(path), self.patterns(members, perhaps));
                tokens_at!(span.end=> #path(#(#members),*))
            }
            Pattern::Struct { path, fields, rest, span, .. } => {
                let path = path_tokens(path);
                let fields: Vec<_> = fields.iter().map(|field| self.field_pattern(field, perhaps)).collect();
                let rest = rest.then(|| tokens!(..));
                tokens_at!(span.end=> #path { #(#fields,)* #rest })
            }
        }
    }

    /// Whether a pattern takes something unknown apart, which may be a reference in the twin, too.
    fn holds_reference(&self, pattern: &Pattern) -> bool {
        let mut holds = false;
        pattern.for_each_binding(&mut |_, binding| holds |= !self.is_value(binding));
        holds
    }

    fn patterns(&mut self, patterns: &[Pattern], perhaps: bool) -> Vec<Tokens> {
        patterns.iter().map(|pattern| self.pattern_in(pattern, perhaps)).collect()
    }

    fn field_pattern(&mut self, field: &FieldPattern, perhaps: bool) -> Tokens {
        let pattern = self.pattern_in(&field.pattern, perhaps && !field.shorthand);
        if field.shorthand {
            return pattern;
        }
        let member = Self::member(&field.member);
        tokens!(#member: #pattern)
    }

    /// A literal, negative or not, or a path.
    fn pattern_end(&mut self, expr: &Expr) -> Tokens {
        match &expr.kind {
            // A sign is part of a pattern's literal, and no operator that could wrap.
            ExprKind::Unary(_, operand) => {
                let operand = self.bare(operand);
                tokens_at!(expr.span.start=> -#operand)
            }
            ExprKind::Path(path) => self.pattern_path(expr.id, path),
            _ => self.bare(expr),
        }
    }

    fn pattern_path(&self, id: ExprId, path: &Path) -> Tokens {
        let is_another = self.typed.host_sized.contains(&id);
        is_another.then(|| self.limit_of_size(id)).flatten().unwrap_or_else(|| path_tokens(path))
    }

    /// The type to state in `let`: that of the value, or of the pattern where there is none.
    pub(super) fn let_ty(&self, pattern: &Pattern, value: Option<&Expr>) -> Tokens {
        match (pattern, value) {
            // A variable that may be a reference for rustc is none here.
            (_, Some(_)) if self.is_original() && self.typed.has_references => tokens!(_),
            // A view, and nothing that has a name.
            (_, Some(value)) if self.typed.sliced.contains_key(&value.id) => tokens!(_),
            // The names are references to parts of it.
            (_, Some(value)) if self.typed.written_apart.contains_key(&value.id) => tokens!(_),
            (Pattern::Binding { binding, .. }, _) => {
                let ty = self.ty(self.typed.binding(*binding));
                match self.typed.references.get(binding) {
                    Some(true) => tokens!(&mut #ty),
                    Some(false) => tokens!(&#ty),
                    None => ty,
                }
            }
            (_, Some(value)) => match self.expr_ty(value) {
                Ty::Never => tokens!(_),
                ty => self.ty(ty),
            },
            _ => tokens!(_),
        }
    }

    /// `match`
    pub(super) fn match_expr(&mut self, expr: &Expr, scrutinee: &Expr, arms: &[Arm]) -> Tokens {
        if let Some(view) = self.view_of(arms.iter().map(|arm| &arm.pattern)) {
            return self.slice_match(expr, scrutinee, arms, view);
        }
        arms.iter().for_each(|arm| self.note_lent_parts(&arm.pattern, scrutinee));
        let scrutinee = self.viewed(scrutinee, &None);
        let arms: Vec<_> = arms.iter().map(|arm| self.arm(arm, &None)).collect();
        tokens_at!(expr.span.start=> match #scrutinee { #(#arms)* })
    }

    /// Notes which variables of a pattern are references here, as in Rust: a reference leads to the value, out of which they
    /// could not move.
    pub(super) fn note_lent_parts(&self, pattern: &Pattern, value: &Expr) {
        if self.is_original() || !self.typed.taken_apart.contains(&value.id) {
            return;
        }
        pattern.for_each_binding(&mut |_, binding| {
            let ty = self.typed.binding(binding);
            // A type parameter need not be `Copy`.
            if self.program.may_move(ty) || ty.is_open() {
                self.lent_parts.borrow_mut().insert(binding);
            }
        });
    }

    /// The value that patterns take apart. If a reference leads to it, the parts are references in the original only.
    pub(super) fn scrutinee(&mut self, value: &Expr) -> Tokens {
        if let Some(through) = self.typed.written_apart.get(&value.id)
            && !self.is_original()
        {
            return self.written_scrutinee(value, *through);
        }
        match !self.is_original() && self.typed.taken_apart.contains(&value.id) {
            true if self.reference_of(value).is_none() => {
                let value = self.expr(value);
                tokens!(*#value)
            }
            true => self.expr(referent(value)),
            false => self.expr(value),
        }
    }

    /// A place that patterns name parts of, to write them. `through`: the author wrote a reference to it, and not the place itself.
    fn written_scrutinee(&mut self, value: &Expr, through: bool) -> Tokens {
        let place = taken_place(value);
        if is_self(place) {
            let place = self.expr(place);
            return tokens!(&mut *#place);
        }
        if !is_place(place) {
            return self.expr(value);
        }
        let reference = self.borrow(place, true);
        match through {
            true => reference,
            false => tokens!(*#reference),
        }
    }

    pub(super) fn arm(&mut self, arm: &Arm, view: &Option<View>) -> Tokens {
        let pattern = self.pattern_of_view(&arm.pattern, view, true);
        let guard = arm.guard.as_ref().map(|guard| {
            let guard = self.condition(guard);
            tokens!(if #guard)
        });
        let body = self.bare(&arm.body);
        tokens!(#pattern #guard => #body,)
    }

    /// A condition: `let`s stand beside each other, outside parentheses.
    pub(super) fn condition(&mut self, condition: &Expr) -> Tokens {
        match &condition.kind {
            ExprKind::Let { pattern, value } => {
                self.note_lent_parts(pattern, value);
                let view = self.view_of(std::iter::once(&**pattern));
                let (pattern, value) = (self.pattern_of_view(pattern, &view, true), self.viewed(value, &view));
                tokens_at!(condition.span.start=> let #pattern = #value)
            }
            ExprKind::Binary(BinaryOp::And, left, right, span) if condition.has_let() => {
                let (left, right) = (self.link(left), self.link(right));
                tokens_at!(*span=> #left && #right)
            }
            _ => self.bare(condition),
        }
    }

    fn link(&mut self, link: &Expr) -> Tokens {
        if link.has_let() { self.condition(link) } else { self.expr(link) }
    }
}
