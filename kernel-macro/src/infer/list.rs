//! Lists of buffers: `lists[k]` is one of them, which is a slice with a name or without. The list itself is indexed and counted
//! and nothing else. Lists of images: `layers[k]` is one of them, with a name or without, whose methods are called.

use crate::ast::{BindingId, Expr, ExprKind};
use crate::builtin::image::ImageTy;
use crate::diag::code;
use crate::source::text;
use crate::typed::Resolution;

use super::Infer;
use super::block::strip;
use super::slice::slice_of;
use super::unify::Term;

impl<'a> Infer<'a> {
    /// Whether a term is that of a list of buffers or images.
    pub(super) fn is_list(&self, term: &Term) -> bool {
        let Term::Buffer { element, origin: None, .. } = self.table.shallow(term) else { return false };
        matches!(self.table.shallow(&element), Term::Buffer { origin: None, .. } | Term::Image(_))
    }

    /// Whether a term is that of a list of images.
    fn is_image_list(&self, term: &Term) -> bool {
        let Term::Buffer { element, origin: None, .. } = self.table.shallow(term) else { return false };
        matches!(self.table.shallow(&element), Term::Image(_))
    }

    /// Whether an expression is `lists[k]`, and then whether of buffers to write; nothing of it was inferred yet.
    fn member_of(&self, expr: &Expr) -> Option<bool> {
        let ExprKind::Index { base, .. } = &strip(expr).kind else { return None };
        let ExprKind::Path(path) = &strip(base).kind else { return None };
        let name = path.as_name()?;
        let (_, local) = self.variable(name)?;
        match self.table.shallow(&local.term) {
            Term::Buffer { mutable, .. } if self.is_list(&local.term) => Some(mutable),
            _ => None,
        }
    }

    /// The value of a variable that names one of the buffers of a list, `lists[k]` of those to read and `&mut lists[k]` of those to
    /// write; `None` for others.
    pub(super) fn infer_member_let(&mut self, value: &'a Expr) -> Option<Term> {
        if let ExprKind::Borrow { operand, mutable } = &strip(value).kind {
            if self.names_image(operand) {
                return Some(self.infer_image_let(value, operand, *mutable));
            }
            return (self.member_of(operand)?).then(|| match self.infer_slice(value, *mutable) {
                Some((element, mutable)) => slice_of(element, mutable),
                None => Term::Error,
            });
        }
        let is_written = self.member_of(value)?;
        let term = self.infer_base(value);
        if !is_written {
            return Some(term);
        }
        // Rule: what is exclusive is not given away, as Rust has it.
        // Example: `let part = lists[k];` of `lists: &mut [&mut [T]]`
        let source = text(value);
        self.error(code::BUFFER_USE, value.span, format!("cannot move `{source}` out of the list, which is `&mut`"))
            .help(format!("borrow it: `&mut {source}`, or `&{source}` to read"));
        Some(Term::Error)
    }

    /// `let layer = &layers[k];`, or `&mut layers[k]`.
    fn infer_image_let(&mut self, value: &'a Expr, operand: &'a Expr, mutable: bool) -> Term {
        let term = self.infer_base(operand);
        let Term::Image(image) = self.table.shallow(&term) else { return Term::Error };
        if mutable && !image.mutable {
            let source = text(strip(operand));
            self.error(code::NOT_ASSIGNABLE, value.span, format!("cannot borrow `{source}` to store to it"))
                .note(format!("it is `&{}`, which is read-only", image.name()))
                .help(format!("write `let … = {source};`, or a list `&mut [&mut {}]`", image.name()));
            return Term::Error;
        }
        let term = Term::Image(ImageTy { mutable, ..image });
        self.record(value.id, term.clone());
        self.record(strip(value).id, term.clone());
        term
    }

    /// Reports a variable that could name one image after the other.
    pub(super) fn refuse_other_image(&mut self, value: &Expr) {
        self.error(code::BUFFER_USE, value.span, "a variable that names an image cannot be `mut`")
            .help("leave out `mut`; to choose another image, keep its position, `let mut k`, and write `layers[k]` where it is used");
    }

    /// Notes that a variable names one of the buffers of a list or a part of one, if its value does.
    pub(super) fn note_member(&mut self, binding: BindingId, value: &Expr) {
        if self.is_of_list(value) {
            self.members.insert(binding);
        }
    }

    /// Whether an expression, which was inferred, is one of the buffers of a list or a part of one.
    pub(super) fn is_of_list(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Paren(inner, ..)
            | ExprKind::Borrow { operand: inner, .. }
            | ExprKind::Slice { base: inner, .. } => self.is_of_list(inner),
            ExprKind::Index { base, index } => match self.table.shallow(&self.term(index)) {
                Term::Range(..) => self.is_of_list(base),
                _ => self.is_list(&self.term(base)),
            },
            ExprKind::Path(_) => match self.tables.paths.get(&expr.id) {
                Some(Resolution::Binding(binding)) => self.members.contains(binding),
                _ => false,
            },
            _ => false,
        }
    }

    /// Reports a list that is more than indexed and counted; whether it did.
    // Rule: a list of buffers has positions, and no elements that are values.
    // Example: `for part in lists`
    pub(super) fn refuse_list(&mut self, expr: &Expr, term: &Term) -> bool {
        if !self.is_list(term) {
            return false;
        }
        let source = text(super::slice::sliced(expr));
        let of = if self.is_image_list(term) { "images" } else { "buffers" };
        self.error(
            code::BUFFER_USE,
            expr.span,
            format!("`{source}` is a list of {of}, which has `len()` and an index only"),
        )
        .help(format!("go through the positions: `for k in 0..{source}.len()`, and take `{source}[k]`"));
        true
    }

    /// Reports one of the buffers of a list that is divided into slices, which could outlive the index that says which it is;
    /// whether it did.
    // Rule: what `windows`, `chunks` and `split_at` make of one buffer of a list would not know of which.
    // Example: `lists[k].chunks(4)`
    pub(super) fn refuse_divided_member(&mut self, receiver: &Expr) -> bool {
        if !self.is_of_list(receiver) {
            return false;
        }
        let source = text(strip(receiver));
        self.error(code::REFERENCE_USE, receiver.span, "a buffer of a list cannot be split into slices here")
            .note("the slices could be used after the index that selects the buffer has changed")
            .help(format!("go through the indices, or pass it to a device function that splits it: `f({source})`"));
        true
    }

    /// Whether an expression is `layers[k]` of a list of images; nothing of it was inferred yet.
    fn names_image(&self, expr: &Expr) -> bool {
        let ExprKind::Index { base, .. } = &strip(expr).kind else { return false };
        let ExprKind::Path(path) = &strip(base).kind else { return false };
        let Some(name) = path.as_name() else { return false };
        self.variable(name).is_some_and(|(_, local)| self.is_image_list(&local.term))
    }

    /// Reports one of the images of a list that is more than read where it stands; whether it did.
    // Rule: an image of a list has methods, which are called where it stands or by a variable that names it.
    // Example: `f(layers[k])`
    pub(super) fn refuse_listed_image(&mut self, expr: &Expr, term: &Term) -> bool {
        let Term::Image(image) = self.table.shallow(term) else { return false };
        let source = text(strip(expr));
        let method = if image.image.is_sampled { "sample" } else { "load" };
        let borrow = if image.mutable { "&mut " } else { "" };
        self.error(code::BUFFER_USE, expr.span, format!("the image `{source}` is used as a value"))
            .note("the image of each access must be known when the kernel is compiled")
            .help(format!("call its methods, `{source}.{method}(at)`, or name it: `let image = {borrow}{source};`"));
        true
    }

    /// Reports one of the buffers of a list that is used as a value.
    pub(super) fn report_member_value(&mut self, expr: &Expr) {
        let source = text(expr);
        let is_written = matches!(self.table.shallow(&self.term(expr)), Term::Buffer { mutable: true, .. });
        let borrow = if is_written { "&mut " } else { "" };
        self.error(code::BUFFER_USE, expr.span, format!("the buffer `{source}` is used as a value"))
            .note("the buffer of each access must be known when the kernel is compiled")
            .help(format!("name it, `let part = {borrow}{source};`, index it, or pass it to a device function"));
    }
}
