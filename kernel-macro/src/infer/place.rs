//! Inference of fields, indices and assignments: what can be read through a name, and what may be written.

use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, Item, Literal, Member, Path, ScalarName, Shape, TypeExpr, UnaryOp};
use crate::builtin::matrix::{self, AXES};
use crate::diag::code;
use crate::program::{ItemId, TypedItem};
use crate::source::text;
use crate::typed::{Len, Resolution, Ty};

use super::block::strip;
use super::finish::Deferred;
use super::mismatch::{Because, cast_source};
use super::suggest::nearest;
use super::unify::{Term, TermArgs, VarKind};
use super::{Expect, Infer, line_of, range};

/// Names of a vector's lanes.
const LANES: [&str; 4] = ["x", "y", "z", "w"];

impl<'a> Infer<'a> {
    /// Infers what stands before `[…]` or `.method()`: the only places where a buffer may stand.
    pub(super) fn infer_base(&mut self, expr: &'a Expr) -> Term {
        let term = match &expr.kind {
            ExprKind::Path(path) => self.infer_path(expr, path),
            ExprKind::Paren(inner, name) => {
                let term = self.infer_base(inner);
                if let Some(name) = name {
                    self.check_unordered(inner, name, &term);
                }
                term
            }
            _ => return self.infer_any(expr, &Expect::Nothing),
        };
        // From here on a shared variable is what it holds: its parts are used.
        let term = match self.table.shallow(&term) {
            Term::Shared(held) => (*held).clone(),
            _ => term,
        };
        self.record(expr.id, term.clone());
        term
    }

    /// Requires that `place.unordered()` is of elements that invocations share.
    fn check_unordered(&mut self, place: &Expr, name: &Ident, term: &Term) {
        let found = self.table.shallow(term);
        let help = match &found {
            Term::Error | Term::Never | Term::Array(..) | Term::ArrayOf(..) => return,
            list if self.is_list(list) => format!("name one of its buffers: `{}[k].{name}()[i]`", text(place)),
            Term::Buffer { .. } => return,
            _ => format!("call it on the slice, before the index: `y.{name}()[i]`"),
        };
        let found = self.describe(&found);
        let message = format!("`{name}` is a method of slices and `Shared` arrays, and this is {found}");
        self.error(code::UNKNOWN_METHOD, range(name.span()), message).help(help);
    }

    pub(super) fn infer_index(&mut self, expr: &'a Expr, base: &'a Expr, index: &'a Expr) -> Term {
        let term = self.infer_base(base);
        let base_term = self.table.shallow(&term);
        let element = match &base_term {
            Term::Buffer { element, .. } => (**element).clone(),
            Term::Array(element, _) | Term::ArrayOf(element, _) => (**element).clone(),
            Term::Vector(scalar, lanes) => {
                self.check(index, &Term::USIZE, Because::Lane);
                self.check_constant_index(index, u32::from(*lanes), base);
                return Term::Scalar(*scalar);
            }
            Term::Error | Term::Never => {
                let found = self.infer(index, &Expect::Nothing);
                self.table.mark_index(&found);
                return base_term;
            }
            _ => {
                if let Term::Struct(..) | Term::Enum(..) = base_term
                    && let Some(element) = self.infer_user_element(expr, base, index, &base_term)
                {
                    return element;
                }
                self.infer(index, &Expect::Nothing);
                self.report_unindexable(base, &base_term);
                return Term::Error;
            }
        };
        let found = self.infer(index, &Expect::Nothing);
        if let Term::Range(..) = self.table.shallow(&found) {
            self.report_stray_slice(base, index);
            return Term::Error;
        }
        self.check_position(index, &found);
        // An index that is none was reported: it may have been a range.
        let is_broken = self.diags.has_errors() && self.table.is_poisoned(&self.term(index));
        if is_broken || self.refuse_inner_slice(base, &element) || self.refuse_held_element(base, &element) {
            return Term::Error;
        }
        if let Term::Array(_, Len::Known(len)) = base_term {
            self.check_constant_index(index, len, base);
        }
        element
    }

    /// Requires an unsigned integer.
    pub(super) fn check_position(&mut self, index: &'a Expr, found: &Term) {
        let found = self.table.shallow(found);
        match self.table.kind(&found) {
            Some(VarKind::Int { .. }) => {
                self.table.mark_index(&found);
                self.deferred.push(Deferred::Index { index, term: found });
            }
            _ if matches!(found, Term::Error | Term::Never)
                || matches!(found, Term::Scalar(scalar) if scalar.is_unsigned() && !scalar.is_wide()) => {}
            _ => self.report_index(index, &found),
        }
    }

    fn check_constant_index(&mut self, index: &Expr, len: u32, base: &Expr) {
        if let ExprKind::Literal(Literal::Int { value, .. }) = &strip(index).kind
            && *value >= u128::from(len)
        {
            let message = format!("index {value} is out of range: `{}` has {len} elements", text(base));
            self.error(code::BAD_INDEX, index.span, message);
        }
    }

    fn report_unindexable(&mut self, base: &Expr, term: &Term) {
        let name = self.describe(term);
        let error = self.error(code::BAD_INDEX, base.span, format!("cannot index into {name}"));
        match term {
            Term::Matrix(_) => error.help(format!("a column is `{0}.x_axis`, or `{0}.col(i)`", text(base))),
            Term::Image(_) => error.help(format!("its texels are loaded and stored: `{}.load(at)`", text(base))),
            Term::Tuple(_) => error.help(format!("members of a tuple are `{}.0`, `.1`, …", text(base))),
            _ => error.note("buffers, arrays and vectors have elements"),
        };
    }

    /// Reports an index of a wrong type.
    pub(super) fn report_index(&mut self, index: &Expr, term: &Term) {
        let name = self.describe(term);
        let source = cast_source(index);
        let error = self.error(code::BAD_INDEX, index.span, format!("expected `u32` or `usize`, found {name}"));
        error.note("buffers and arrays are indexed by unsigned integers");
        match term {
            Term::Scalar(scalar) if scalar.is_number() && !scalar.is_half() => {
                error.help(format!("write `{source} as u32`"));
            }
            Term::Scalar(ScalarName::Char) => {
                error.help(format!("write `{source} as u32`"));
            }
            Term::Vector(ScalarName::U32, 3) => {
                error.help(format!("take one lane: `{source}.x`"));
            }
            _ => {}
        }
    }

    pub(super) fn infer_field(&mut self, expr: &'a Expr, base: &'a Expr, member: &'a Member) -> Term {
        let term = self.infer_base(base);
        let base_term = self.table.shallow(&term);
        if let (Term::Buffer { .. } | Term::Image(_), ExprKind::Path(path)) = (&base_term, &strip(base).kind) {
            self.refuse_buffer(base, path, &base_term);
            return Term::Error;
        }
        let found = match (&base_term, member) {
            (Term::Error | Term::Never, _) => return base_term,
            (Term::Struct(item, args), Member::Named(name)) => self.struct_field(*item, args, name),
            (Term::Struct(item, args), Member::Index(index, _)) => self.struct_member(*item, args, *index),
            (Term::Vector(scalar, lanes), Member::Named(name)) => LANES[..usize::from(*lanes)]
                .iter()
                .position(|lane| name == lane)
                .map(|position| (position, Term::Scalar(*scalar))),
            (Term::Matrix(size), Member::Named(name)) => AXES[..usize::from(*size)]
                .iter()
                .position(|axis| name == axis)
                .map(|position| (position, Term::from(&matrix::column(*size)))),
            (Term::Quat, Member::Named(name)) => {
                LANES.iter().position(|lane| name == lane).map(|position| (position, Term::F32))
            }
            (Term::Range(end, false), Member::Named(name)) => {
                ["start", "end"].iter().position(|end| name == end).map(|position| (position, (**end).clone()))
            }
            (Term::Tuple(members), Member::Index(index, _)) => {
                members.get(*index as usize).map(|member| (*index as usize, member.clone()))
            }
            _ => None,
        };
        match found {
            Some((_, term)) if !matches!(base_term, Term::Struct(..)) && self.refuse_inner_slice(expr, &term) => {
                Term::Error
            }
            Some((position, term)) => {
                self.tables.fields.insert(expr.id, u32::try_from(position).unwrap_or(u32::MAX));
                term
            }
            None if self.table.kind(&base_term) == Some(VarKind::Any) => {
                self.report_unknown(base);
                Term::Error
            }
            None => {
                self.report_no_field(base, &base_term, member);
                Term::Error
            }
        }
    }

    fn struct_field(&mut self, item: ItemId, args: &TermArgs, name: &Ident) -> Option<(usize, Term)> {
        let program = self.program;
        let Item::Struct(definition) = &program.items[item].item else { return None };
        let fields = Some(&definition.fields).filter(|_| definition.shape == Shape::Named)?;
        let position = fields.iter().position(|(field, _)| field == name)?;
        let TypedItem::Struct(types) = &program.items[item].typed else { return None };
        Some((position, Term::member(types.get(position)?, args)))
    }

    /// Member `index` of a tuple struct.
    fn struct_member(&mut self, item: ItemId, args: &TermArgs, index: u32) -> Option<(usize, Term)> {
        let program = self.program;
        let Item::Struct(definition) = &program.items[item].item else { return None };
        let TypedItem::Struct(types) = &program.items[item].typed else { return None };
        let ty = types.get(index as usize).filter(|_| definition.shape == Shape::Tuple)?;
        Some((index as usize, Term::member(ty, args)))
    }

    fn report_no_field(&mut self, base: &Expr, term: &Term, member: &Member) {
        let (name, span) = match member {
            Member::Named(name) => (name.to_string(), name.span()),
            Member::Index(index, span) => (index.to_string(), *span),
        };
        if let (Term::Struct(item, _), Member::Named(field)) = (term, member)
            && let Item::Struct(definition) = &self.program.items[*item].item
        {
            let what = format!("struct `{}`", definition.name);
            return self.report_unknown_field(field, &what, &definition.fields);
        }
        let ty = self.describe(term);
        let base = text(base);
        let error = self.error(code::UNKNOWN_FIELD, range(span), format!("no field `{name}` on type {ty}"));
        match term {
            Term::Vector(_, lanes) => {
                let is_swizzle = name.len() > 1 && name.chars().all(|lane| "xyzw".contains(lane));
                let own_lanes = &LANES[..usize::from(*lanes)];
                let has_lanes = |own: &String| own.chars().all(|lane| own_lanes.contains(&lane.to_string().as_str()));
                let lanes = listed(own_lanes);
                if is_swizzle {
                    error.help(format!("a swizzle is a method: write `{base}.{name}()`"));
                } else if let Some(own) = super::method::colour_lanes(&name).filter(has_lanes) {
                    match own.len() {
                        1 => error.help(format!("lanes are called x, y, z, w: write `{base}.{own}`")),
                        _ => error.help(format!("lanes are called x, y, z, w: write `{base}.{own}()`")),
                    };
                } else {
                    error.help(format!("its lanes are {lanes}"));
                }
            }
            Term::Matrix(size) => {
                error.help(format!("its columns are {}", listed(&AXES[..usize::from(*size)])));
            }
            Term::Quat => {
                error.help(format!("its lanes are {}", listed(&LANES)));
            }
            Term::Range(_, false) => {
                error.help("its ends are `start` and `end`");
            }
            Term::Range(_, true) => {
                error.help(format!("its ends are methods: `{base}.start()` and `{base}.end()`"));
            }
            Term::Tuple(members) => {
                error.help(format!("its members are `0` to `{}`", members.len() - 1));
            }
            Term::Array(..) => {
                error.help(format!("index it: `{base}[i]`"));
            }
            _ => {}
        }
    }

    /// Reports a field that a struct or variant does not have.
    pub(super) fn report_unknown_field(&mut self, name: &Ident, what: &str, fields: &[(Ident, TypeExpr)]) {
        let names: Vec<String> = fields.iter().map(|(field, _)| field.to_string()).collect();
        let message = format!("{what} has no field `{name}`");
        let suggestion = nearest(&name.to_string(), names.iter().map(String::as_str)).map(str::to_owned);
        let error = self.error(code::UNKNOWN_FIELD, range(name.span()), message);
        match suggestion {
            Some(field) => error.help(format!("a field with a similar name exists: `{field}`")),
            None => {
                let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                error.help(format!("its fields are {}", list.join(", ")))
            }
        };
    }

    /// Reports a path before `{ … }` that names no struct.
    pub(super) fn report_no_struct(&mut self, path: &Path) {
        let program = self.program;
        match program.items[self.item].uses.get(&path.text()) {
            Some(&item) => {
                let kind = super::ty::kind_of(&program.items[item].item);
                let message = format!("expected a struct, found {kind} `{}`", path.text());
                self.error(code::UNKNOWN_TYPE, super::expr::path_span(path), message);
            }
            None => self.report_unknown_struct(path),
        }
    }

    fn report_unknown_struct(&mut self, path: &Path) {
        if self.is_lost(path) {
            return;
        }
        let span = super::expr::path_span(path);
        let text = path.text();
        if let Some(ty) = super::ty::builtin_path(path) {
            let name = self.name_of(&ty);
            let error = self.error(code::UNKNOWN_TYPE, span, format!("expected a struct, found type `{name}`"));
            match ty {
                Ty::Vector(..) => _ = error.help(format!("write `{name}::new(…)`")),
                Ty::Matrix(_) => _ = error.help(format!("write `{name}::from_cols(…)`")),
                Ty::Quat => _ = error.help("write `Quat::from_xyzw(…)`"),
                _ => {}
            }
            return;
        }
        let items = &self.program.items[self.item].uses;
        let structs = items.iter().filter(|(_, item)| matches!(self.program.items[**item].item, Item::Struct(_)));
        let help = match nearest(&text, structs.map(|(name, _)| name.as_str())) {
            Some(name) => format!("a struct with a similar name exists: `{name}`"),
            None => "a struct needs `#[derive(GpuData)]` to be used in kernels".to_owned(),
        };
        self.error(code::UNKNOWN_TYPE, span, format!("cannot find struct `{text}` in this scope")).help(help);
    }

    pub(super) fn infer_assign(&mut self, place: &'a Expr, value: &'a Expr) -> Term {
        if self.infer_slice_assign(place, value) {
            return Term::Unit;
        }
        if self.infer_held_assign(place, value) {
            return Term::Unit;
        }
        let term = self.infer_place(place);
        if self.refuse_store(place, None) {
            self.infer(value, &Expect::Nothing);
            return Term::Unit;
        }
        let because = match self.tables.paths.get(&strip(place).id) {
            Some(Resolution::Binding(binding)) => Because::Assigned(*binding),
            _ => Because::Nothing,
        };
        if self.has_references {
            self.note_kept_ends(value);
        }
        self.check(value, &term, because);
        self.assigned_place = Some(place.id);
        self.require_place(place);
        self.assigned_place = None;
        Term::Unit
    }

    /// Infers the left side of an assignment.
    pub(super) fn infer_place(&mut self, place: &'a Expr) -> Term {
        match &place.kind {
            // A buffer itself is reported as not assignable, not as misused.
            ExprKind::Path(_) | ExprKind::Paren(..) => match self.infer_base(place) {
                Term::Buffer { .. } | Term::Image(_) => Term::Error,
                term => term,
            },
            _ => self.infer_base(place),
        }
    }

    /// Reports a left side that cannot be assigned to.
    pub(super) fn require_assignable(&mut self, place: &'a Expr) {
        self.require_written(place, false);
    }

    /// As [`require_assignable`](Self::require_assignable); `through`: a reference is followed.
    pub(super) fn require_written(&mut self, place: &'a Expr, through: bool) {
        match &place.kind {
            ExprKind::Paren(inner, ..) => self.require_written(inner, through),
            ExprKind::Unary(UnaryOp::Deref, inner) if self.refuse_copied(place, inner) => {}
            ExprKind::Unary(UnaryOp::Deref, inner) => self.require_written(inner, true),
            ExprKind::Borrow { mutable, operand } if through && *mutable => self.require_written(operand, false),
            ExprKind::Error => {}
            ExprKind::Field { base, .. } => self.require_written(base, true),
            ExprKind::Index { base, .. } if self.is_list(&self.term(base)) => {
                let (source, is_image) = (text(place), matches!(self.table.shallow(&self.term(place)), Term::Image(_)));
                let what = if is_image { "an image" } else { "a buffer" };
                let error = self.error(
                    code::NOT_ASSIGNABLE,
                    place.span,
                    format!("cannot assign to `{source}`, which is {what}"),
                );
                match is_image {
                    true => error.help(format!(
                        "store its texels: `{source}.store(at, texel)`, in a list `&mut [&mut Image2D<F>]`"
                    )),
                    false => error.help(format!("write its elements: `{source}[i] = …`")),
                };
            }
            ExprKind::Index { base, index } if self.tables.calls.contains_key(&place.id) => {
                self.require_written_element(place, base, index);
                self.require_written(base, true);
            }
            ExprKind::Index { base, .. } => match (self.table.shallow(&self.term(base)), &strip(base).kind) {
                (Term::Buffer { mutable: true, .. }, _) => {}
                (Term::Buffer { element, origin, .. }, ExprKind::Path(_) | ExprKind::Index { .. }) => {
                    let (element_term, element) = (element.clone(), self.written(&element));
                    let name = text(strip(base));
                    let help = match origin {
                        None if matches!(self.table.shallow(&element_term), Term::Buffer { .. })
                            || self.is_of_list(strip(base)) =>
                        {
                            "declare the list `&mut [&mut [T]]`, and name one of its buffers by `&mut`".to_owned()
                        }
                        Some(_) => "write `get_mut`, `chunks_mut`, `chunks_exact_mut` or `split_at_mut`".to_owned(),
                        None => format!("declare it `{name}: &mut [{element}]`"),
                    };
                    self.error(code::NOT_ASSIGNABLE, place.span, format!("cannot assign to an element of `{name}`"))
                        .note(format!("`{name}` is `&[{element}]`, which is read-only"))
                        .help(help);
                }
                _ => self.require_written(base, true),
            },
            ExprKind::Path(path) => self.require_mutable(place, path, through),
            ExprKind::Tuple(_) => {
                self.error(code::NOT_ASSIGNABLE, place.span, "destructuring assignment is not available yet")
                    .help("assign one after the other, or use `let` with a pattern");
            }
            // Its receiver may be written, which was asked at the call.
            ExprKind::Method { .. } if through && self.tables.place_call(self.program, place).is_some() => {}
            // Reported already.
            _ if matches!(self.table.shallow(&self.term(place)), Term::Error) => {}
            ExprKind::Array(_) | ExprKind::Repeat { .. } => {
                self.error(
                    code::NOT_ASSIGNABLE,
                    place.span,
                    "a `&mut` reference to a temporary value is not supported in kernels",
                )
                .help("store it in a `let mut` variable, and borrow that");
            }
            _ => {
                self.error(code::NOT_ASSIGNABLE, place.span, "cannot assign to this expression")
                    .note("only variables and elements of `&mut [T]` parameters can be assigned to");
            }
        }
    }

    /// Reports `*name = …` of a variable that is no reference but what a pattern or an iterator gave; whether it did.
    fn refuse_copied(&mut self, place: &Expr, inner: &Expr) -> bool {
        let Some(Resolution::Binding(binding)) = self.tables.paths.get(&strip(inner).id) else { return false };
        let binding = *binding;
        let Some(local) = self.local(binding).cloned() else { return false };
        let is_value = matches!(self.table.shallow(&local.term), Term::Scalar(_) | Term::Vector(..) | Term::Var(_));
        if !is_value
            || local.mutable
            || self.tables.references.contains_key(&binding)
            || self.is_captured(binding)
            || self.table.is_poisoned(&local.term)
        {
            return false;
        }
        let name = &local.name;
        self.error(
            code::NOT_ASSIGNABLE,
            place.span,
            format!("cannot assign through `{name}`, which is a copy in kernels"),
        )
        .note("patterns of values, and `iter`, give values here")
        .help(
            "take the place apart, `if let Some(v) = &mut option`, or assign the whole; of elements write `iter_mut`",
        );
        true
    }

    fn require_mutable(&mut self, place: &Expr, path: &Path, through: bool) {
        match self.tables.paths.get(&place.id) {
            Some(Resolution::Binding(binding)) => {
                let Some(local) = self.local(*binding).cloned() else { return };
                let name = &local.name;
                if let Term::Buffer { .. } = local.term {
                    self.error(code::NOT_ASSIGNABLE, place.span, format!("cannot assign to the buffer `{name}`"))
                        .help(format!("assign its elements: `{name}[i] = …`"));
                } else if let Term::Image(_) = local.term {
                    self.error(code::NOT_ASSIGNABLE, place.span, format!("cannot assign to the image `{name}`"))
                        .help(format!("store its texels: `{name}.store(at, texel)`"));
                } else if let Term::Shared(_) = local.term {
                    // Its parts may be assigned to; the whole was refused.
                } else if self.is_captured(*binding) {
                    let moves = self.is_moved_to();
                    let error = self.error(
                        code::NOT_ASSIGNABLE,
                        place.span,
                        format!("the closure changes the variable `{name}` of the enclosing function"),
                    );
                    if moves {
                        error.note("a `move` closure has a copy of its own").help("remove `move`");
                    } else {
                        error.note("it is a value of its own, with copies of its captures").help(
                            "store it in a variable, `let mut f = |…| …;`, and call that; or return the new value",
                        );
                    }
                } else if let Some(&mutable) = self.tables.references.get(binding) {
                    self.require_write_reference(place, name, mutable, through);
                } else if !(local.mutable
                    || self.assigned_later.contains(binding)
                    || through && self.table.is_poisoned(&local.term))
                {
                    self.error(
                        code::NOT_ASSIGNABLE,
                        place.span,
                        format!("cannot assign to immutable variable `{name}`"),
                    )
                    .note(format!("`{name}` is declared at line {}", line_of(local.span)))
                    .help(format!("declare it `mut {name}`"));
                }
            }
            Some(Resolution::Const(_) | Resolution::Value(_) | Resolution::Param | Resolution::Chosen(_)) => {
                self.error(code::NOT_ASSIGNABLE, place.span, format!("cannot assign to the const `{}`", path.text()))
                    .help("copy it to a variable first: `let mut x = …`");
            }
            Some(Resolution::Unit) => {
                self.error(code::NOT_ASSIGNABLE, place.span, format!("cannot assign to `{}`", path.text()));
            }
            None => {}
        }
    }
}

/// Names as a list in backticks.
fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
