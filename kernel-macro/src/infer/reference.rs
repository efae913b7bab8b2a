//! References: `&x` and `&mut x` as arguments and in `let`, and what reads and writes through them. A reference has no type
//! of its own here: it has that of what it leads to, and rustc sees to the rest in the original. It may stand only where it
//! is known what it leads to, which is all this file checks.
//!
//! On the device a variable with a reference is another name of a place, whose indices were evaluated when it was made,
//! and a function that writes through a parameter is lowered anew at each call, in place. In the twin it is a reference
//! of Rust's own, except for places in buffers and shared memory: an argument is copied in and out around the call, and
//! a variable reads and writes through a `Part` each time. The two differ only if another invocation accesses the place
//! in the meantime, which `&mut` excludes. A reference with an index out of range refers to a zero.
//!
//! A method with `&mut self` takes the value and returns the new one, which is stored back: Rust excludes other
//! references, so nobody can tell. A function of an `impl Index` ends with a place (`infer/element.rs`): `x[i]` is
//! lowered as a call of it, and rustc itself does so in the twin. `x.get_mut(i)` is a reference if a pattern names it
//! at once (`parse/element.rs`).

use crate::ast::{Expr, ExprKind, Item, TypeExpr, UnaryOp};
use crate::diag::code;
use crate::source::text;
use crate::typed::Resolution;

use super::block::strip;
use super::mismatch::Because;
use super::unify::Term;
use super::{BindingId, Expect, Infer};

impl<'a> Infer<'a> {
    /// Whether an expression is a reference, and then whether one that writes.
    pub(super) fn reference_of(&self, expr: &Expr) -> Option<bool> {
        match &strip(expr).kind {
            ExprKind::Borrow { mutable, .. } => Some(*mutable),
            ExprKind::Path(_) if self.is_table(expr) => Some(false),
            ExprKind::Path(_) => match self.tables.paths.get(&strip(expr).id)? {
                Resolution::Binding(binding) => self.tables.references.get(binding).copied(),
                _ => None,
            },
            ExprKind::Method { .. } => self.tables.place_call(self.program, strip(expr)).map(|_| true),
            _ => None,
        }
    }

    /// Whether an expression names a const that is a slice.
    pub(super) fn is_table(&self, expr: &Expr) -> bool {
        self.tables.tables.contains(&strip(expr).id)
    }

    /// Whether an expression has the form of a reference, which a path may be.
    pub(super) fn refers(&self, expr: &Expr) -> bool {
        matches!(strip(expr).kind, ExprKind::Borrow { .. } | ExprKind::Path(_))
    }

    /// Notes that a variable is a reference.
    pub(super) fn note_reference(&mut self, binding: BindingId, mutable: bool) {
        self.tables.references.insert(binding, mutable);
    }

    /// Infers an expression where a reference may stand.
    pub(super) fn infer_reference(&mut self, expr: &'a Expr, expect: &Expect) -> Term {
        match &expr.kind {
            ExprKind::Paren(inner, ..) => {
                let term = self.infer_reference(inner, expect);
                self.record(expr.id, term.clone());
                term
            }
            ExprKind::Path(_) | ExprKind::Borrow { .. } | ExprKind::Method { .. }
                if !self.tables.given_slices.contains_key(&expr.id) =>
            {
                let term = self.infer_any(expr, expect);
                if self.refuse_value(expr, &term) {
                    self.record(expr.id, Term::Error);
                    return Term::Error;
                }
                term
            }
            _ => self.infer(expr, expect),
        }
    }

    /// `&operand`, `&mut operand`
    pub(super) fn infer_borrow(&mut self, expr: &'a Expr, mutable: bool, operand: &'a Expr, expect: &Expect) -> Term {
        let term = self.infer(operand, expect);
        if mutable && !matches!(self.table.shallow(&term), Term::Error) {
            match is_place(operand) {
                true => self.require_place(operand),
                false => {
                    self.error(
                        code::NOT_ASSIGNABLE,
                        expr.span,
                        "a `&mut` reference to a temporary value is not supported in kernels",
                    )
                    .help("store it in a `let mut` variable, and borrow that");
                }
            }
        }
        term
    }

    /// `*operand`
    pub(super) fn infer_deref(&mut self, operand: &'a Expr, expect: &Expect) -> Term {
        let term = self.infer_reference(operand, expect);
        let shallow = self.table.shallow(&term);
        // An iterator's item is a value here, and perhaps a reference for rustc, which checks it.
        let may_be_lent = self.has_references;
        if is_self(operand)
            || may_be_lent
            || matches!(shallow, Term::Error | Term::Never)
            || self.reference_of(operand).is_some()
        {
            return term;
        }
        let (source, found) = (text(operand), self.describe(&shallow));
        self.error(code::BAD_OPERAND, operand.span, format!("{found} cannot be dereferenced"))
            .help(format!("write `{source}`"));
        Term::Error
    }

    /// Reports a reference where a value is needed; whether it did.
    pub(super) fn refuse_reference(&mut self, expr: &Expr) -> bool {
        if matches!(expr.kind, ExprKind::Paren(..))
            || self.reference_of(expr).is_none()
            || self.given.contains(&expr.id)
        {
            return false;
        }
        let help = match (&strip(expr).kind, self.reference_of(expr)) {
            (ExprKind::Borrow { operand, .. }, Some(true)) => {
                let source = text(operand);
                format!("to change `{source}`, pass it directly to a function or closure: `f(&mut {source});`")
            }
            (ExprKind::Borrow { operand, .. }, _) if matches!(strip(operand).kind, ExprKind::Slice { .. }) => {
                let base = match &strip(operand).kind {
                    ExprKind::Slice { base, .. } => text(base),
                    _ => text(operand),
                };
                format!("keep where it begins and ends in variables, and write `&{base}[from..to]` where it is used")
            }
            _ if self.is_table(expr) => {
                format!("take an element, `{}[i]`, or name all of them in a `let`", text(strip(expr)))
            }
            _ => format!("write `{}`, the value", self.value_of(expr)),
        };
        self.error(code::REFERENCE_USE, expr.span, "a reference is not supported here")
            .note("kernels have no pointers: a reference is an argument of a call, or the whole value of a `let`")
            .help(help);
        true
    }

    /// Reports a reference to write through where patterns would take it apart.
    pub(super) fn refuse_taken_apart(&mut self, value: &Expr) {
        if matches!(self.table.shallow(&self.term(value)), Term::Error) {
            return;
        }
        let read = self.value_of(value);
        self.error(code::REFERENCE_USE, value.span, "a pattern cannot take a `&mut` reference apart here")
            .note("it may lead to what other invocations reach: patterns write the invocation's own variables")
            .help(format!(
                "copy it, `let mut own = {read};`, take `&mut own` apart, and store it back: `{read} = own;`"
            ));
    }

    /// How to write the value that a reference leads to.
    fn value_of(&self, expr: &Expr) -> String {
        match &strip(expr).kind {
            ExprKind::Borrow { operand, .. } => text(operand),
            _ => format!("*{}", text(expr)),
        }
    }

    /// Makes an argument's type fit the parameter's, and a reference be one on both sides.
    pub(super) fn coerce_argument(
        &mut self,
        arg: &'a Expr,
        found: &Term,
        term: &Term,
        param: &TypeExpr,
        because: Because,
    ) {
        match (self.reference_of(arg), param.reference()) {
            (Some(given), Some(wanted)) if !self.table.unify(found, term) => {
                let (expected, found) = (self.describe(term), self.describe(found));
                let word = |mutable: bool| if mutable { "mut " } else { "" };
                let message = format!(
                    "expected `&{}{}`, found `&{}{}`",
                    word(wanted),
                    expected.trim_matches('`'),
                    word(given),
                    found.trim_matches('`')
                );
                let error = self.error(code::MISMATCHED_TYPES, arg.span, message);
                error.help("copy it to a `let` variable of that type, and pass a reference to that");
            }
            _ => {
                let before = self.diags.len();
                self.coerce(arg, found, term, because);
                if self.diags.len() == before && !self.is_lent(arg, param.reference()) {
                    self.check_reference(arg, found, param);
                }
            }
        }
    }

    /// Whether an argument is a value here and a reference for rustc, which a parameter wants: `self` of a method that takes it by
    /// reference, or what an iterator lends, of which rustc sees in the original whether it does.
    pub(super) fn is_lent(&mut self, arg: &'a Expr, wanted: Option<bool>) -> bool {
        // The macro is `unwrap` or `expect`.
        let may_lend = matches!(
            strip(arg).kind,
            ExprKind::Call { .. } | ExprKind::Method { .. } | ExprKind::Macro(_) | ExprKind::Try(_)
        );
        if may_lend && wanted == Some(false) && self.has_references {
            self.tables.lent.insert(strip(arg).id);
            return true;
        }
        let ExprKind::Path(_) = &strip(arg).kind else { return false };
        if wanted != Some(false) || self.reference_of(arg).is_some() {
            return false;
        }
        let Some(Resolution::Binding(_)) = self.tables.paths.get(&strip(arg).id) else { return false };
        let lent = match is_self(arg) {
            true => self.takes_self_by_reference(),
            false => self.has_references,
        };
        if lent {
            self.tables.lent.insert(strip(arg).id);
        }
        lent
    }

    /// `Some(&value)` beside an operator: options of what iterators and slices lend are options of values here.
    pub(super) fn note_lent_in_option(&mut self, operand: &'a Expr) {
        let ExprKind::Call { callee, args, .. } = &strip(operand).kind else { return };
        if let ([arg], Some("Some")) = (args.as_slice(), callee.as_name().map(ToString::to_string).as_deref())
            && matches!(arg.kind, ExprKind::Borrow { mutable: false, .. })
        {
            self.given.insert(arg.id);
            self.tables.lent.insert(arg.id);
        }
    }

    /// Takes what stands beside an operator: an option of a reference, or a reference to a reference, `v > &&3`.
    pub(super) fn note_lent_operand(&mut self, operand: &'a Expr) {
        self.note_lent_in_option(operand);
        let mut outer = strip(operand);
        while let ExprKind::Borrow { mutable: false, operand: inner } = &outer.kind
            && matches!(strip(inner).kind, ExprKind::Borrow { mutable: false, .. })
        {
            outer = strip(inner);
            self.given.insert(outer.id);
        }
    }

    /// Notes that a reference stands for the value that it leads to, as what iterators and slices lend does.
    pub(super) fn note_lent_value(&mut self, expr: &'a Expr) {
        let inner = strip(expr);
        if self.has_references
            && let ExprKind::Borrow { mutable: false, operand } = &inner.kind
            && !matches!(strip(operand).kind, ExprKind::Array(_) | ExprKind::Repeat { .. } | ExprKind::Slice { .. })
        {
            self.given.insert(inner.id);
            self.tables.lent.insert(inner.id);
        }
    }

    /// Whether an expression may be what an iterator or a slice lends: a value here, and a reference for rustc, which checks it.
    fn may_be_lent(&self, expr: &Expr) -> bool {
        let is_open = match &strip(expr).kind {
            ExprKind::Path(_)
            | ExprKind::Method { .. }
            | ExprKind::Call { .. }
            | ExprKind::Try(_)
            | ExprKind::Macro(_) => true,
            ExprKind::Field { .. } => true,
            ExprKind::Unary(UnaryOp::Deref, inner) => self.may_be_lent(inner),
            _ => false,
        };
        is_open && self.has_references
    }

    pub(super) fn takes_self_by_reference(&self) -> bool {
        let owner = self.program.items[self.item].owner.map(|owner| &self.program.items[owner].item);
        if matches!(owner, Some(Item::Impl(owner)) if owner.lent.left) {
            return true;
        }
        match &self.program.items[self.item].item {
            Item::Fn(function) => function
                .receiver
                .as_ref()
                .is_some_and(|receiver| matches!(receiver.kind, syn::ReceiverKind::Reference(..))),
            _ => false,
        }
    }

    /// Reports an argument that is a reference where the parameter is none, or the other way round.
    pub(super) fn check_reference(&mut self, arg: &'a Expr, found: &Term, param: &TypeExpr) {
        self.check_reference_to(arg, found, param.reference());
    }

    /// As [`check_reference`](Self::check_reference), by what is wanted.
    pub(super) fn check_reference_to(&mut self, arg: &'a Expr, found: &Term, wanted: Option<bool>) {
        let found = self.table.shallow(found);
        if let Term::Error | Term::Never = found {
            return;
        }
        let given = self.reference_of(arg);
        if wanted == given || (wanted, given) == (Some(false), Some(true)) {
            return;
        }
        let name = self.describe(&found);
        let name = name.trim_matches('`');
        let written = |reference: Option<bool>| match reference {
            None => format!("`{name}`"),
            Some(false) => format!("`&{name}`"),
            Some(true) => format!("`&mut {name}`"),
        };
        let message = format!("expected {}, found {}", written(wanted), written(given));
        let source = match (&strip(arg).kind, given) {
            (ExprKind::Borrow { operand, .. }, _) => text(operand),
            (_, Some(_)) => format!("*{}", text(arg)),
            (ExprKind::Path(_), None) if is_self(arg) => "*self".to_owned(),
            _ => text(arg),
        };
        let help = match wanted {
            None => format!("write `{source}`"),
            Some(false) => format!("write `&{source}`"),
            Some(true) => format!("write `&mut {source}`"),
        };
        self.error(code::MISMATCHED_TYPES, arg.span, message).help(help);
    }

    /// Reports an assignment to a reference itself, or through one that only reads.
    pub(super) fn require_write_reference(&mut self, place: &Expr, name: &str, mutable: bool, through: bool) {
        if !through {
            self.error(code::NOT_ASSIGNABLE, place.span, format!("cannot assign to the reference `{name}` itself"))
                .note("in kernels a reference names the same place for its whole life")
                .help(format!("assign to its referent: `*{name} = …`"));
        } else if !mutable {
            self.error(
                code::NOT_ASSIGNABLE,
                place.span,
                format!("cannot assign through `{name}`, which is a `&` reference"),
            )
            .help("make it `&mut`");
        }
    }

    /// Reports operands that are references where Rust has no such operator.
    pub(super) fn check_operands(&mut self, compares: bool, left: &'a Expr, right: &'a Expr) {
        let (a, b) = (self.reference_of(left), self.reference_of(right));
        let is_lent = |other: &Expr, reference: Option<bool>| reference.is_none() && self.may_be_lent(other);
        if compares && (a.is_some() == b.is_some() || is_lent(left, a) || is_lent(right, b)) {
            return;
        }
        for (operand, reference) in [(left, a), (right, b)] {
            if reference.is_some_and(|mutable| compares || mutable) {
                self.refuse_reference(strip(operand));
            }
        }
    }
}

/// Whether an expression is `self`.
pub(crate) fn is_self(expr: &Expr) -> bool {
    matches!(&strip(expr).kind, ExprKind::Path(path) if path.as_name().is_some_and(|name| name == "self"))
}

/// Whether an expression names a place that can be written.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &strip(expr).kind {
        ExprKind::Path(_) | ExprKind::Unary(UnaryOp::Deref, _) | ExprKind::Error => true,
        ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => is_place(base),
        _ => false,
    }
}
