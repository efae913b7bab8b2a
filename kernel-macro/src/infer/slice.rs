//! Slices as arguments: buffers and arrays, whole or in part, for parameters `&[T]` and `&mut [T]` of device functions, and
//! variables that name a part of one.

use crate::ast::{Expr, ExprKind, Item, Path, Pattern, ScalarName, SpanRange, TypeKind, UnaryOp};
use crate::builtin::iteration::Iteration;
use crate::builtin::slice::SliceMethod;
use crate::builtin::standard::Standard;
use crate::diag::code;
use crate::program::Program;
use crate::source::text;
use crate::typed::{Callee, Len, Resolution, Ty};

use super::block::strip;
use super::finish::Deferred;
use super::unify::Term;
use super::{Expect, Infer};

impl<'a> Infer<'a> {
    /// Checks the argument for a slice parameter. `own`: whether it may be of what no buffer holds.
    pub(super) fn check_slice(&mut self, arg: &'a Expr, param: &Term, own: bool) {
        let Term::Buffer { element: wanted, mutable: writes, .. } = self.table.shallow(param) else { return };
        let before = self.diags.len();
        self.check_slice_of(arg, &wanted, writes);
        if !own {
            self.deferred.push(Deferred::Divided { receiver: arg, term: (*wanted).clone(), owned: false });
        }
        let unknown = self.params.iter().any(|param| param.term == Term::Error) && self.table.is_poisoned(&wanted);
        let is_array = !matches!(self.table.shallow(&self.term(sliced(arg))), Term::Buffer { .. });
        if unknown && is_array && self.diags.len() == before && self.is_array_of_unknown(arg) {
            self.error(code::PARAMETER_TYPE, arg.span, "an array of values of a type parameter cannot be a slice here")
                .note("on the host, the elements of a slice need bounds that the type parameter does not have")
                .help("take a slice as a parameter, `x: &[T]`, and pass that on");
        }
    }

    /// Whether a slice is made of an array whose elements are of unknown type.
    fn is_array_of_unknown(&self, arg: &Expr) -> bool {
        let whole = match &sliced(arg).kind {
            ExprKind::Slice { base, .. } => sliced(base),
            ExprKind::Index { base, .. } if self.is_part(sliced(arg)) => sliced(base),
            _ => sliced(arg),
        };
        match self.table.shallow(&self.term(whole)) {
            Term::Array(element, _) => self.table.is_poisoned(&element),
            Term::Buffer { .. } => false,
            other => self.table.is_poisoned(&other),
        }
    }

    /// Whether an operand of `==` is a slice: a part of something, or a variable that is one.
    pub(super) fn names_slice(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Paren(inner, ..)
            | ExprKind::Borrow { operand: inner, .. }
            | ExprKind::Unary(UnaryOp::Deref, inner) => self.names_slice(inner),
            ExprKind::Slice { .. } | ExprKind::Index { .. } => self.is_part(expr),
            ExprKind::Field { .. } => matches!(self.held_place(expr), Some(Term::Buffer { .. })),
            ExprKind::Path(path) => match path.as_name().and_then(|name| self.variable(name)) {
                Some((_, local)) => matches!(self.table.shallow(&local.term), Term::Buffer { .. }),
                None => self.names_table(path),
            },
            _ => false,
        }
    }

    /// Whether a path that is not inferred yet, and is no variable, names a const that is a slice.
    fn names_table(&self, path: &Path) -> bool {
        let local = path.as_name().and_then(|name| self.local_consts.iter().rev().find(|known| *name == known.name));
        if let Some(local) = local {
            return local.is_table;
        }
        let table = |item: &Item| match item {
            Item::Const(constant) => path.segments.last() == Some(&constant.name) && constant.ty.is_table(),
            _ => false,
        };
        match self.program.items[self.item].uses.get(&path.text()) {
            Some(item) => table(&self.program.items[*item].item),
            // Of a type or trait: rustc compares what it is.
            None => {
                path.segments.len() > 1
                    && self.program.items.iter().any(|(_, item)| item.owner.is_some() && table(&item.item))
            }
        }
    }

    /// `a == b` of two slices, or of a slice and an array.
    pub(super) fn infer_slice_equality(&mut self, expr: &'a Expr, left: &'a Expr, right: &'a Expr) -> Term {
        self.infer_two_slices(expr, Callee::Slice(SliceMethod::Equal), Standard::PartialEq, (left, right));
        Term::BOOL
    }

    /// `a < b` and `a.cmp(b)` of two slices: their elements are compared in order, as those of iterators are.
    pub(super) fn infer_slice_order(
        &mut self,
        expr: &'a Expr,
        order: Iteration,
        left: &'a Expr,
        right: &'a Expr,
    ) -> Term {
        let of = if order == Iteration::Cmp { Standard::Ord } else { Standard::PartialOrd };
        self.infer_two_slices(expr, Callee::Iterate(order), of, (left, right));
        match order {
            Iteration::Cmp => Term::Ordering,
            Iteration::PartialCmp => super::option::option(&Term::Ordering),
            _ => Term::BOOL,
        }
    }

    fn infer_two_slices(&mut self, expr: &'a Expr, callee: Callee, of: Standard, (left, right): (&'a Expr, &'a Expr)) {
        self.tables.calls.insert(expr.id, callee);
        let (a, b) = (self.infer_compared_slice(left), self.infer_compared_slice(right));
        let (Some(a), Some(b)) = (a, b) else { return };
        if !self.table.unify(&a, &b) {
            let (expected, found) = (self.describe(&a), self.describe(&b));
            let (expected, found) = (expected.trim_matches('`'), found.trim_matches('`'));
            let message = format!("expected `&[{expected}]`, found `&[{found}]`");
            self.error(code::MISMATCHED_TYPES, right.span, message);
        }
        self.deferred.push(Deferred::Compared { operand: left, term: a, of });
    }

    /// The elements' type of a slice or array that is compared; `None` after an error.
    fn infer_compared_slice(&mut self, expr: &'a Expr) -> Option<Term> {
        let inner = match &expr.kind {
            ExprKind::Paren(inner, ..) | ExprKind::Unary(UnaryOp::Deref, inner) => inner,
            ExprKind::Borrow { .. } => return self.infer_slice(expr, false).map(|(element, _)| element),
            // Of an array in a variable, too.
            _ => return self.infer_sliced(expr, false).map(|(element, _)| element),
        };
        let found = self.infer_compared_slice(inner);
        let term = self.term(inner);
        self.record(expr.id, term);
        found
    }

    /// Whether an argument can only be a slice.
    pub(super) fn is_slice_argument(&self, arg: &Expr) -> bool {
        match &strip(arg).kind {
            ExprKind::Borrow { operand, .. } => self.is_part(strip(operand)),
            ExprKind::Path(path) => path.as_name().is_some_and(|name| {
                let named = self.variable(name);
                named.is_some_and(|(_, local)| matches!(local.term, Term::Buffer { origin: None, .. }))
            }),
            _ => false,
        }
    }

    /// Checks an argument that is a slice of elements of a type, to be written if `writes`.
    pub(super) fn check_slice_of(&mut self, arg: &'a Expr, wanted: &Term, writes: bool) {
        self.note_chosen_slices(arg);
        let Some((element, mutable)) = self.infer_slice(arg, writes) else { return self.table.poison(wanted) };
        if self.table.unify(wanted, &element) && (mutable || !writes) {
            return;
        }
        let word = |mutable: bool| if mutable { "mut " } else { "" };
        let (expected, found) = (self.describe(wanted), self.describe(&element));
        let (expected, found) = (expected.trim_matches('`'), found.trim_matches('`'));
        let message = format!("expected `&{}[{expected}]`, found `&{}[{found}]`", word(writes), word(mutable));
        let error = self.error(code::MISMATCHED_TYPES, arg.span, message);
        if writes && !mutable {
            error.help("a reference that elements are written through must be `&mut`, here and in its declaration");
        }
    }

    /// The elements' type of a slice, and whether they can be written through it. `None` after an error.
    pub(super) fn infer_slice(&mut self, expr: &'a Expr, writes: bool) -> Option<(Term, bool)> {
        match &expr.kind {
            ExprKind::Paren(inner, ..) => {
                let found = self.infer_slice(inner, writes);
                let term = self.term(inner);
                self.record(expr.id, term);
                found
            }
            ExprKind::Borrow { mutable, operand } => {
                let found = self.infer_sliced(operand, *mutable);
                let term = self.term(operand);
                self.record(expr.id, term);
                let (element, can_write) = found?;
                if *mutable && !can_write {
                    let source = text(strip(operand));
                    self.error(code::NOT_ASSIGNABLE, operand.span, format!("`{source}` cannot be written"))
                        .help("declare it `&mut [T]`");
                    return None;
                }
                Some((element, *mutable))
            }
            _ => {
                let term = self.infer_base(expr);
                let reference = self.reference_of(expr);
                match (self.table.shallow(&term), reference) {
                    (Term::Error | Term::Never, _) => None,
                    (Term::Buffer { element, mutable, .. }, _) => Some(((*element).clone(), mutable)),
                    (Term::Array(_, Len::Known(0)), _) if self.is_table(expr) => {
                        self.report_empty(expr);
                        None
                    }
                    (Term::Array(element, _), Some(mutable)) if matches!(strip(expr).kind, ExprKind::Path(_)) => {
                        Some(((*element).clone(), mutable))
                    }
                    // What a loop or a closure gets of an array of arrays is a reference, whose value is here.
                    (Term::Array(element, _) | Term::ArrayOf(element, _), None) if !writes && self.is_given(expr) => {
                        self.has_references = true;
                        Some(((*element).clone(), false))
                    }
                    (other, _) => {
                        let (source, found) = (text(expr), self.describe(&other));
                        let error =
                            self.error(code::MISMATCHED_TYPES, expr.span, format!("expected a slice, found {found}"));
                        match other {
                            Term::Array(..) if writes => {
                                error.help(format!("write `&mut {source}` of the array itself"))
                            }
                            Term::Array(..) => {
                                error.help(format!("write `&{source}`, or of a reference `&{source}[..]`"))
                            }
                            _ => error.help("slices are made of buffers and arrays: `&x[a..b]`"),
                        };
                        None
                    }
                }
            }
        }
    }

    /// Whether an expression names what an iterator or a slice gave, which may have been a reference.
    fn is_given(&self, expr: &Expr) -> bool {
        let mut named = strip(expr);
        while let ExprKind::Unary(UnaryOp::Deref, inner) = &named.kind {
            named = strip(inner);
        }
        match self.tables.paths.get(&named.id) {
            Some(Resolution::Binding(binding)) => {
                self.tables.values.contains(binding) || self.closure_params.contains(binding)
            }
            _ => false,
        }
    }

    /// Reports a slice of nothing.
    pub(super) fn report_empty(&mut self, array: &Expr) {
        self.error(code::BAD_INDEX, array.span, "an array without elements has no slices")
            .note("there is nothing that the function could read");
    }

    /// `x[a..b]` or what has elements, before `.iter()` and its like; `mutable`: to be written. A part is a slice.
    pub(super) fn infer_elements(&mut self, expr: &'a Expr, mutable: bool) -> Term {
        let part = sliced(expr);
        if !self.is_part(part) {
            return self.infer_base(expr);
        }
        let term = match self.infer_sliced(part, mutable) {
            Some((element, can_write)) => slice_of(element, can_write),
            None => Term::Error,
        };
        let mut outer = expr;
        while let ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } = &outer.kind {
            self.record(outer.id, term.clone());
            outer = inner;
        }
        self.record(part.id, term.clone());
        term
    }

    /// Infers the operand behind the `&` of a slice.
    pub(super) fn infer_sliced(&mut self, operand: &'a Expr, mutable: bool) -> Option<(Term, bool)> {
        let (base, ends) = match &operand.kind {
            ExprKind::Paren(inner, ..) => {
                let found = self.infer_sliced(inner, mutable);
                let term = self.term(inner);
                self.record(operand.id, term);
                return found;
            }
            ExprKind::Slice { base, start, end, .. } => (&**base, [start.as_deref(), end.as_deref()]),
            ExprKind::Index { base, index } if self.is_part(operand) => (&**base, [Some(&**index), None]),
            _ => (operand, [None, None]),
        };
        let term = self.infer_elements(base, mutable);
        if std::ptr::eq(base, operand) && self.refuse_shared(base) {
            self.record(operand.id, Term::Error);
            return None;
        }
        for end in ends.into_iter().flatten() {
            let found = self.infer(end, &Expect::Nothing);
            match (&operand.kind, self.table.shallow(&found)) {
                (ExprKind::Index { .. }, Term::Range(item, _)) => self.check_position(end, &item),
                (_, found) => self.check_position(end, &found),
            }
        }
        if self.refuse_list(base, &term) {
            self.record(operand.id, Term::Error);
            return None;
        }
        self.record(operand.id, term.clone());
        match self.table.shallow(&term) {
            Term::Error | Term::Never => None,
            Term::Buffer { element, mutable, .. } => Some(((*element).clone(), mutable)),
            Term::Array(_, Len::Known(0)) => {
                self.report_empty(base);
                None
            }
            Term::Array(element, _) => {
                let before = self.diags.len();
                if mutable {
                    self.require_written(base, true);
                }
                if self.diags.len() > before || self.refuse_mixed(base) {
                    return None;
                }
                Some(((*element).clone(), true))
            }
            other => {
                let found = self.describe(&other);
                self.error(code::BAD_INDEX, base.span, format!("cannot make a slice of {found}"))
                    .note("buffers and arrays have slices");
                None
            }
        }
    }

    /// Reports an array in a buffer of which the host has no slice: it reads and writes a buffer in pieces as large as the alignment of its
    /// elements, four bytes at most, and a slice in those of its own.
    pub(super) fn refuse_mixed(&mut self, place: &Expr) -> bool {
        let (mut root, mut is_chosen) = (place, false);
        while let ExprKind::Paren(inner, ..)
        | ExprKind::Unary(UnaryOp::Deref, inner)
        | ExprKind::Borrow { operand: inner, .. }
        | ExprKind::Field { base: inner, .. }
        | ExprKind::Index { base: inner, .. } = &root.kind
        {
            is_chosen |= matches!(root.kind, ExprKind::Index { .. }) && self.tables.calls.contains_key(&root.id);
            root = inner;
        }
        let Some(Resolution::Binding(binding)) = self.tables.paths.get(&root.id).cloned() else { return false };
        let is_reference = self.tables.references.contains_key(&binding) && !self.is_parameter(root);
        let is_own = self.rows.contains(&binding) || self.own_references.contains(&binding);
        let (mut held, mut of_buffer) = (self.local(binding).map_or(Term::Error, |local| local.term.clone()), false);
        while let Term::Buffer { element, .. } = self.table.shallow(&held) {
            (held, of_buffer) = ((*element).clone(), true);
        }
        let atomic_unit = |term: &Term| self.table.resolve(term).and_then(|ty| atomic_unit(self.program, &ty));
        let own = atomic_unit(&self.term(place));
        let refused = match &held {
            Term::Shared(_) => is_chosen,
            _ if of_buffer => is_chosen || own.is_none() || own != atomic_unit(&held),
            // Its referent is not known here.
            _ => is_reference && !is_own && (is_chosen || own != Some(4)),
        };
        if refused {
            self.report_remote(place);
        }
        refused
    }

    /// Reports an array within a buffer's element or a part of a shared variable, of which slices could outlive the index that says where
    /// it is.
    pub(super) fn refuse_remote(&mut self, place: &Expr) -> bool {
        let (mut root, mut is_whole) = (place, true);
        loop {
            root = match &root.kind {
                ExprKind::Paren(inner, ..) => inner,
                ExprKind::Unary(UnaryOp::Deref, inner) => inner,
                ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => {
                    is_whole = false;
                    base
                }
                _ => break,
            };
        }
        let Some(Resolution::Binding(binding)) = self.tables.paths.get(&root.id) else { return false };
        let is_reference = self.tables.references.contains_key(binding) && !self.is_parameter(root);
        let refused = match self.local(*binding).map(|local| &local.term) {
            Some(Term::Buffer { .. }) => true,
            Some(Term::Shared(_)) => !is_whole,
            _ => is_reference && !self.rows.contains(binding),
        };
        if refused {
            self.report_remote(place);
        }
        refused
    }

    fn report_remote(&mut self, place: &Expr) {
        self.error(code::REFERENCE_USE, place.span, "cannot make a slice of this array")
            .note("slices are made of buffers, of shared and local variables, and of array fields that are as aligned as the element")
            .help("copy it to a variable: `let mut own = …;`, use that, and store it back if it changed");
    }

    /// Reports `&tile` of a shared variable, which Rust does not make a slice by itself.
    fn refuse_shared(&mut self, place: &Expr) -> bool {
        let Some(Resolution::Binding(binding)) = self.tables.paths.get(&strip(place).id) else { return false };
        let Some(Term::Shared(_)) = self.local(*binding).map(|local| &local.term) else { return false };
        let source = text(place);
        self.error(
            code::MISMATCHED_TYPES,
            place.span,
            format!("expected a slice, found the shared variable `{source}`"),
        )
        .help(format!("write `{source}[..]`"));
        true
    }

    /// Whether an expression names a parameter.
    pub(super) fn is_parameter(&self, expr: &Expr) -> bool {
        let Some(Resolution::Binding(binding)) = self.tables.paths.get(&strip(expr).id) else { return false };
        match &self.program.items[self.item].item {
            Item::Fn(function) => function.params.iter().any(|param| param.binding == *binding),
            _ => false,
        }
    }

    /// `let part = &x[a..b];` or `let part = lists[k];`: the type of the variable; `None` for other values.
    pub(super) fn infer_slice_let(&mut self, value: &'a Expr) -> Option<Term> {
        if let Some(term) = self.infer_member_let(value) {
            return Some(term);
        }
        let is_slice = match &strip(value).kind {
            ExprKind::Borrow { operand, .. } => self.is_part(strip(operand)),
            _ => self.names_read_slice(value),
        };
        if !is_slice {
            return None;
        }
        let Some((element, mutable)) = self.infer_slice(value, false) else { return Some(Term::Error) };
        Some(slice_of(element, mutable))
    }

    /// Whether an expression that is not inferred yet names a slice that is only read, and so may have several names.
    fn names_read_slice(&self, expr: &Expr) -> bool {
        let ExprKind::Path(path) = &strip(expr).kind else { return false };
        path.as_name().and_then(|name| self.variable(name)).is_some_and(|(binding, local)| {
            let is_param = match &self.program.items[self.item].item {
                Item::Fn(function) => function.params.iter().any(|param| param.binding == binding),
                _ => false,
            };
            matches!(local.term, Term::Buffer { mutable: false, origin: None, .. })
                && !self.is_list(&local.term)
                && (is_param || self.slice_roots.contains_key(&binding))
        })
    }

    /// `let part: &[T] = value;`
    pub(super) fn infer_typed_slice(&mut self, pattern: &'a Pattern, value: &'a Expr, declared: &Term) -> Term {
        if !matches!(pattern, Pattern::Binding { inner: None, .. } | Pattern::Wild(_)) {
            return self.infer_typed_elements(pattern, value, declared);
        }
        let before = self.diags.len();
        self.check_slice(value, declared, true);
        if let Pattern::Binding { binding, mutable, .. } = pattern {
            self.note_member(*binding, value);
            self.note_slice_root(*binding, *mutable, value, declared);
        }
        if self.diags.len() > before { Term::Error } else { declared.clone() }
    }

    /// `let [a, b]: &[T] = value else { … };`
    fn infer_typed_elements(&mut self, pattern: &'a Pattern, value: &'a Expr, declared: &Term) -> Term {
        let found = self.infer_scrutinee(value, std::iter::once(pattern));
        match (self.table.shallow(declared), self.table.shallow(&found)) {
            (Term::Buffer { element: wanted, mutable: false, .. }, Term::Buffer { element, .. })
                if self.table.unify(&wanted, &element) =>
            {
                found
            }
            (_, Term::Error) => Term::Error,
            _ => {
                self.error(code::BAD_PATTERN, value.span, "this value has no patterns of slices of that type")
                    .help("leave the type out, or name the slice and match on the name");
                Term::Error
            }
        }
    }

    /// `x[a..b]` without `&`.
    pub(super) fn infer_stray_slice(&mut self, expr: &'a Expr) -> Term {
        if let ExprKind::Slice { base, start, end, .. } = &expr.kind {
            self.infer_base(base);
            for end in [start, end].into_iter().flatten() {
                self.infer_position(end);
            }
        }
        let source = text(expr);
        self.error(code::BUFFER_USE, expr.span, format!("the slice `{source}` is used as a value"))
            .help(format!("pass it to a device function, `f(&{source})`, or name it: `let part = &{source};`"));
        Term::Error
    }

    /// `x[range]` where no slice can stand, or of a range that does not say so.
    pub(super) fn report_stray_slice(&mut self, base: &Expr, range: &Expr) {
        let (base_text, range_text) = (text(base), text(range));
        self.error(
            code::BUFFER_USE,
            SpanRange { start: base.span.start, end: range.span.end },
            format!("the slice `{base_text}[{range_text}]` is used as a value"),
        )
        .help(format!("name the range, `let part = {range_text};`, and the slice, `let slice = &{base_text}[part];`"));
    }

    /// Whether an expression is a part of something: `x[a..b]`, or `x[range]` of what is known to be one before it is inferred.
    pub(super) fn is_part(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Slice { .. } => true,
            ExprKind::Index { index, .. } => self.names_range(index),
            _ => false,
        }
    }

    /// Whether an expression that is not inferred yet is a range in a variable, or what a function gives.
    pub(super) fn names_range(&self, expr: &Expr) -> bool {
        match &strip(expr).kind {
            ExprKind::Path(path) => path.as_name().is_some_and(|name| {
                let named = self.variable(name);
                named.is_some_and(|(_, local)| matches!(self.table.shallow(&local.term), Term::Range(..)))
            }),
            ExprKind::Method { receiver, name, .. } => name == "clone" && self.names_range(receiver),
            ExprKind::Call { callee, .. } => {
                let called = self.program.items[self.item].uses.get(&callee.text());
                matches!(called.map(|item| &self.program.items[*item].item), Some(Item::Fn(function))
                    if matches!(function.result.as_ref().map(|ty| &ty.kind), Some(TypeKind::Range { .. })))
            }
            _ => false,
        }
    }

    /// Infers the position of an element, or one end of a range of them.
    pub(super) fn infer_position(&mut self, index: &'a Expr) {
        let found = self.infer(index, &Expect::Nothing);
        self.check_position(index, &found);
    }
}

/// The bytes in which the host reads and writes values of a type that many invocations reach; `None` where nobody knows.
fn atomic_unit(program: &Program, ty: &Ty) -> Option<u32> {
    match ty {
        Ty::Scalar(ScalarName::Bool) => None,
        Ty::Scalar(scalar) | Ty::Atomic(scalar) => Some((scalar.bits() / 8).min(4)),
        Ty::Vector(..) | Ty::Matrix(_) | Ty::Quat => Some(4),
        Ty::Array(element, _) => atomic_unit(program, element),
        Ty::Struct(..) => {
            let fields = program.fields_of(ty);
            fields.iter().try_fold(1, |most, field| Some(atomic_unit(program, field)?.max(most)))
        }
        _ => None,
    }
}

pub(super) fn slice_of(element: Term, mutable: bool) -> Term {
    Term::Buffer { element: std::rc::Rc::new(element), mutable, origin: None }
}

/// The expression without `&` and parentheses.
pub(crate) fn sliced(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => sliced(inner),
        _ => expr,
    }
}
