//! Inference of method calls by the table of intrinsics.

use std::rc::Rc;

use proc_macro2::Ident;

use crate::ast::{Expr, Item, MethodCall, ScalarName};
use crate::builtin::foreign;
use crate::builtin::intrinsic::{Intrinsic, Kind, Receiver, Row, Sig, rows};
use crate::builtin::iteration::{Iteration, Parts, UNSUPPORTED};
use crate::builtin::slice::SliceMethod;
use crate::builtin::vector::Vector;
use crate::builtin::wide;
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, Len};

use super::atomic::ATOMIC_METHODS;
use super::mismatch::cast_source;
use super::suggest::nearest;
use super::unify::{Term, VarKind};
use super::{Expect, Infer, range};

/// Methods that kernels do not have, and what to write instead.
const UNSUPPORTED_METHODS: &[(&str, &str)] = &[
    ("clone", "values are `Copy`: leave it out"),
    ("copied", "values are `Copy`: leave it out"),
    ("to_owned", "values are `Copy`: leave it out"),
    (
        "get_mut",
        "write `if let Some(v) = x.get_mut(i) { … }`, or `let Some(v) = x.get_mut(i) else { return Err(…) };` and `*v = …`, or `x[i] = …`",
    ),
    (
        "col_mut",
        "write `m.x_axis[row] = …`; for a column by its number: `let mut cells = m.to_cols_array_2d();`, `cells[column][row] = …;`, and `from_cols_array_2d(&cells)`",
    ),
    (
        "set_row",
        "write the lane of each column: `m.x_axis.y = row.x;` and so on; for a row by its number: `let mut cells = m.to_cols_array_2d();`, `cells[column][row] = …;`, and `from_cols_array_2d(&cells)`",
    ),
    (
        "from_mat3_minor",
        "write the columns with the lanes that stay: `Mat2::from_cols(m.y_axis.yz(), m.z_axis.yz())` leaves out the first ones",
    ),
    (
        "from_mat4_minor",
        "write the columns with the lanes that stay: `Mat3::from_cols(m.y_axis.yzw(), m.z_axis.yzw(), m.w_axis.yzw())` leaves out the first ones",
    ),
    (
        "from_euler",
        "multiply the turns: `Quat::from_rotation_y(a) * Quat::from_rotation_x(b) * Quat::from_rotation_z(c)` is that of `EulerRot::YXZ`",
    ),
    ("to_euler", "write the angles by `atan2` and `asin` of the matrix's cells, or pass them from the host"),
    ("get_or_insert_default", "write the value that the type has by default: `*x.get_or_insert(0) += 1;`"),
    ("take_if", "write `if x.is_some_and(|v| …) { x.take() } else { None }`"),
    ("as_deref", "options hold values here: leave it out"),
    ("from_rows_slice", "write `from_rows_array(&cells)`, of an array with as many numbers as there are cells"),
    ("as_mut", "take the place apart: `if let Some(v) = x.as_mut() { *v += 1; }`"),
    (
        "eq_ignore_ascii_case",
        "write `a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_ascii_lowercase() == y.to_ascii_lowercase())`",
    ),
    ("first_mut", "write `if let Some(v) = x.first_mut() { … }`, or `x[0] = …`, which is checked"),
    ("last_mut", "write `if let Some(v) = x.last_mut() { … }`, or `x[x.len() - 1] = …`, which is checked"),
    ("write_to_slice", "write `y[a..a + 3].copy_from_slice(&v.to_array())`, with as many as there are lanes"),
    ("write_cols_to_slice", "write `y[a..a + 9].copy_from_slice(&m.to_cols_array())`, with as many as there are cells"),
    ("from_cols_slice", "write `from_cols_array(&cells)`, of an array with as many numbers as there are cells"),
];

/// Methods of `char` that go by the tables of Unicode, which grow from one version of Rust to the next.
const UNICODE_METHODS: &[(&[&str], &str)] = &[
    (
        &["is_alphabetic", "is_alphanumeric", "is_uppercase", "is_lowercase"],
        "Unicode's tables depend on the version of Rust: of ASCII write `is_ascii_alphabetic()` and its like, else look it up in a table that the host passes",
    ),
    (
        &["is_numeric"],
        "Unicode's tables depend on the version of Rust: of ASCII write `is_ascii_digit()`, or `is_digit(radix)`",
    ),
    (
        &["to_uppercase", "to_lowercase"],
        "Unicode's tables depend on the version of Rust: of ASCII write `to_ascii_uppercase()` or `to_ascii_lowercase()`",
    ),
    (
        &["encode_utf8", "encode_utf16", "escape_debug", "escape_default", "escape_unicode"],
        "text is no value here: pass on the number, `c as u32`, and encode it on the host",
    ),
    (&["make_ascii_uppercase"], "assign it: `c = c.to_ascii_uppercase()`"),
    (&["make_ascii_lowercase"], "assign it: `c = c.to_ascii_lowercase()`"),
];

impl<'a> Infer<'a> {
    pub(super) fn infer_method(&mut self, call: MethodCall<'a>, expect: &Expect) -> Term {
        let MethodCall { expr, receiver, name, args } = call;
        let is_slice = self.is_part(super::slice::sliced(receiver));
        let term = self.infer_elements(receiver, is_slice && writes_elements(&name.to_string()));
        match self.table.kind(&term) {
            // An index is a `usize` unless something said otherwise by now.
            Some(VarKind::Int { index: true }) => {
                self.table.unify(&term, &Term::USIZE);
            }
            Some(kind) => {
                self.report_ambiguous(receiver, name, kind);
                return self.infer_arguments_only(args);
            }
            None => {}
        }
        let shallow = self.table.shallow(&term);
        if let Term::Error | Term::Never = shallow {
            self.note_unknown_writer(expr, receiver, name, args);
            self.infer_unknown_arguments(args);
            return shallow;
        }
        if self.is_own_or_of_trait(&shallow, name) {
            self.report_own_or_of_trait(&shallow, name);
            return self.infer_arguments_only(args);
        }
        if let Term::Iterator(item) = &shallow {
            return self.infer_iterator_method(call, item, expect);
        }
        if let Term::Range(item, inclusive) = &shallow {
            return self.infer_range_method(call, (item, *inclusive), expect);
        }
        if let Some(term) = self.infer_elements_method(call, &shallow) {
            return term;
        }
        if let Some(term) = self.infer_lanes_method(call, &shallow) {
            return term;
        }
        if let Some(result) = self.infer_choice_method(call, &shallow, expect) {
            return result;
        }
        if let Term::Image(image) = shallow {
            return self.infer_image_method(call, image);
        }
        if let Term::Atomic(scalar) = shallow {
            return self.infer_atomic_method(call, scalar);
        }
        if let Term::Coop(ty) = shallow {
            return self.infer_coop_method(expr, ty, name, args);
        }
        if let Some(term) = self.infer_swizzle(expr, &shallow, name, args) {
            return term;
        }
        let Some(row) = find_row(&name.to_string(), &shallow, Some(Kind::Method)) else {
            if let Some(term) = self.infer_user_method(call, &shallow) {
                return term;
            }
            if let Some(term) = self.infer_own_iterator_method(call, &shallow, expect) {
                return term;
            }
            if let Some(term) = self.infer_comparison(call, &shallow) {
                return term;
            }
            if let (Term::Buffer { .. }, [other]) = (&shallow, args)
                && let Some(order @ (Iteration::Cmp | Iteration::PartialCmp)) = Iteration::from_name(&name.to_string())
            {
                return self.infer_slice_order(expr, order, receiver, other);
            }
            if name == "try_into"
                && args.is_empty()
                && let Some(found) = self.infer_try_into(expr, (receiver, &shallow), range(name.span()))
            {
                return found;
            }
            if name == "clone"
                && args.is_empty()
                && self.table.resolve(&shallow).is_some_and(|ty| self.program.clones_by_copy(&ty))
            {
                self.tables.calls.insert(expr.id, Callee::Clone);
                return shallow;
            }
            if name == "into" && args.is_empty() {
                return self.infer_into(expr, receiver, shallow);
            }
            self.report_no_method(name, &shallow, Some(receiver));
            return self.infer_lost_arguments(args);
        };
        if let Term::Scalar(ScalarName::Usize | ScalarName::Isize) = shallow {
            self.tables.sized.push(expr.id);
        }
        let params = params_of(row, &shallow);
        let (text, span) = (name.to_string(), range(name.span()));
        if row.params.contains(&Sig::Lent) {
            self.check_lent_arguments(&text, (&params, &vec![Some(false); params.len()]), args, span);
        } else {
            self.check_arguments(&text, &params, args, span);
        }
        self.tables.calls.insert(expr.id, Callee::Intrinsic(row.intrinsic));
        result_of(row, &shallow)
    }

    /// `v.zyx()`
    fn infer_swizzle(&mut self, expr: &'a Expr, receiver: &Term, name: &Ident, args: &'a [Expr]) -> Option<Term> {
        let Term::Vector(scalar, lanes) = receiver else { return None };
        let name_text = name.to_string();
        if *scalar == ScalarName::Bool {
            return None;
        }
        if let Some(letters) = name_text.strip_prefix("with_") {
            let (chosen, count) = lanes_named(letters, *lanes)?;
            let replaced = &chosen[..usize::from(count)];
            let is_distinct = replaced.iter().enumerate().all(|(at, lane)| !replaced[..at].contains(lane));
            if count == *lanes || !is_distinct {
                return None;
            }
            self.check_arguments(&name_text, &[Term::Vector(*scalar, count)], args, range(name.span()));
            self.tables.calls.insert(expr.id, Callee::WithLanes(chosen, count));
            return Some(receiver.clone());
        }
        let (chosen, count) = lanes_named(&name_text, *lanes)?;
        if !args.is_empty() {
            self.report_arity(&name_text, 0, args, range(name.span()));
            self.infer_arguments_only(args);
        }
        self.tables.calls.insert(expr.id, Callee::Swizzle(chosen, count));
        Some(Term::Vector(*scalar, count))
    }

    /// A method of a number whose type is still open: rustc refuses, too.
    fn report_ambiguous(&mut self, receiver: &Expr, name: &Ident, kind: VarKind) {
        let (class, suffix) = match kind {
            VarKind::Int { .. } => ("{integer}", "u32"),
            VarKind::Float => ("{float}", "f32"),
            VarKind::Any => return self.report_unknown(receiver),
        };
        let message = format!("can't call method `{name}` on ambiguous numeric type `{class}`");
        let literal = super::op::is_literal(receiver);
        let receiver_text = text(receiver);
        let error = self.error(code::CANNOT_INFER, range(name.span()), message);
        if literal {
            let digits = receiver_text.trim_matches(['(', ')']);
            error.help(format!("add a suffix: `{digits}_{suffix}.{name}(…)`"));
        } else {
            error.help(format!("write the type where it is declared: `let {receiver_text}: {suffix} = …`"));
        }
    }

    fn report_own_or_of_trait(&mut self, receiver: &Term, name: &Ident) {
        let ty = self.describe(receiver);
        let message = format!("`{name}` is a method of {ty} and of a trait, in a generic function");
        let error = self.error(code::UNKNOWN_METHOD, range(name.span()), message);
        error.note("Rust calls the trait's method where the type is a parameter, and the type's own method elsewhere");
        error.help(format!("write `T::{name}(…)` for a parameter `T`, or give the trait's method another name"));
    }

    /// Reports a method or associated function that a type does not have.
    pub(super) fn report_no_method(&mut self, name: &Ident, receiver: &Term, expr: Option<&Expr>) {
        let ty = self.describe(receiver);
        let text_of_name = name.to_string();
        let help = self.method_help(&text_of_name, receiver, expr);
        let message = match expr {
            Some(_) => format!("no method `{name}` on type {ty}"),
            None => format!("no function `{name}` on type {ty}"),
        };
        let error = self.error(code::UNKNOWN_METHOD, range(name.span()), message);
        if let Some(help) = help {
            error.help(help);
        }
    }

    fn method_help(&self, name: &str, receiver: &Term, expr: Option<&Expr>) -> Option<String> {
        let written = self.describe(receiver);
        let written = written.trim_matches('`');
        if let (Term::Struct(item, _) | Term::Enum(item, _), "clone") = (receiver, name) {
            let derive = self.help_to_derive(*item, "Clone");
            return Some(format!("{derive}; where the value is `Copy`, leave `clone` out"));
        }
        if let (Term::Option(_), "iter" | "into_iter" | "iter_mut") = (receiver, name) {
            return Some(
                "an option is no iterator in kernels: write `if let Some(v) = x { … }`, or `x.map_or(…)`".to_owned(),
            );
        }
        let implements_iterator = |item: &Item| match item {
            Item::Impl(of) => {
                of.of.as_ref().and_then(|path| path.segments.last()).is_some_and(|name| name == "Iterator")
            }
            _ => false,
        };
        if let Term::Struct(..) | Term::Enum(..) = receiver
            && Iteration::from_name(name).is_some()
            && self.program.items.iter().any(|(_, item)| implements_iterator(&item.item))
        {
            return Some(
                "of one's own `impl Iterator`, kernels call `next`: `while let Some(v) = it.next() { … }`".to_owned(),
            );
        }
        if let Some((_, instead)) = UNSUPPORTED_METHODS.iter().find(|(method, _)| *method == name) {
            return Some((*instead).to_owned());
        }
        if let Term::Scalar(_) = receiver
            && ATOMIC_METHODS.contains(&name)
        {
            return Some(
                "make it atomic where it is declared: a parameter `x: &[Atomic<u32>]`, or `Shared::<[Atomic<u32>; N]>::new()`"
                    .to_owned(),
            );
        }
        if let Term::Scalar(scalar) = receiver
            && scalar.is_wide()
        {
            return Some("integers of 128 bits have operators, `pow`, counts of bits, and sums and products with explicit overflow; others have 64 bits at most".to_owned());
        }
        if let Term::Scalar(ScalarName::Char) = receiver
            && let Some((_, instead)) = UNICODE_METHODS.iter().find(|(methods, _)| methods.contains(&name))
        {
            return Some((*instead).to_owned());
        }
        if *receiver == Term::Scalar(ScalarName::Text) {
            return Some("there are no strings on the device: texts are compared and matched; write bytes, `b\"text\"`, for anything else".to_owned());
        }
        let foreign = match receiver {
            Term::Array(..) | Term::Buffer { .. } => foreign::container_method(name),
            Term::Scalar(_) | Term::Vector(..) => foreign::method(name),
            _ => None,
        };
        let of_slices = UNSUPPORTED.iter().find(|(method, _)| *method == name);
        if let (None, Term::Array(..) | Term::Buffer { .. }, Some((_, instead))) = (foreign, receiver, of_slices) {
            return Some((*instead).to_owned());
        }
        if let Some(instead) = foreign {
            return Some(instead.to_owned());
        }
        if let (Term::Vector(ScalarName::U32, 4), "count_ones" | "count_zeros") = (receiver, name) {
            return Some(
                "of a ballot write `subgroup::ballot_count(ballot)`, else take the lanes: `v.x.count_ones()`"
                    .to_owned(),
            );
        }
        let own = colour_lanes(name).filter(|_| matches!(receiver, Term::Vector(..)));
        let name = own.as_deref().unwrap_or(name);
        if let (Term::Vector(..), "x" | "y" | "z" | "w") = (receiver, name) {
            return Some(format!("a lane is a field: write `.{name}`"));
        }
        if let Term::Vector(_, lanes) = receiver
            && (2..=4).contains(&name.len())
            && name.chars().all(|lane| "xyzw".contains(lane))
        {
            let lanes: Vec<String> =
                b"xyzw"[..usize::from(*lanes)].iter().map(|lane| format!("`{}`", char::from(*lane))).collect();
            return Some(format!("its lanes are {}", lanes.join(", ")));
        }
        if let (Some(_), Some(_)) = (expr, find_row(name, receiver, Some(Kind::Function))) {
            return Some(format!("it is a function of the type: write `{written}::{name}(…)`"));
        }
        if let Term::Struct(_, _) = receiver {
            return Some("write it in an `impl` beside the struct, in a `#[device] mod`".to_owned());
        }
        if let Term::Buffer { .. } = receiver {
            return Some(
                "slices have `len()`, `iter()`, `first()`, `get(i)`, `swap(i, j)` and others, and indexing".to_owned(),
            );
        }
        let elsewhere = rows().find(|row| row.name == name);
        let is_float = |row: &Row| row.receivers.contains(&Receiver::Float);
        if let (Some(row), Some(expr), Term::Scalar(scalar)) = (elsewhere, expr, receiver)
            && is_float(row)
            && scalar.is_half()
        {
            let (source, ty) = (cast_source(expr), scalar.name());
            return Some(format!("`{name}` is a method of `f32`: write `{ty}::from_f32({source}.to_f32().{name}(…))`"));
        }
        if let (Some(row), Some(expr)) = (elsewhere, expr)
            && is_float(row)
            && matches!(receiver, Term::Scalar(scalar) if scalar.is_number())
        {
            return Some(format!("`{name}` is a method of `f32`: write `({} as f32).{name}(…)`", cast_source(expr)));
        }
        if let (Some(row), Term::Vector(..)) = (elsewhere, receiver)
            && is_float(row)
        {
            return Some(format!("`{name}` is a method of `f32`: apply it to each lane"));
        }
        let names = rows().filter(|row| row.receivers.iter().any(|class| is_of(*class, receiver)));
        let suggestion = nearest(name, names.map(|row| row.name))?;
        Some(format!("a method with a similar name exists: `{suggestion}`"))
    }
}

/// The two to four lanes that letters name, of a vector with so many, and their number.
fn lanes_named(letters: &str, lanes: u8) -> Option<([u8; 4], u8)> {
    let count = u8::try_from(letters.len()).ok().filter(|count| (2..=4).contains(count))?;
    let mut chosen = [0; 4];
    for (slot, letter) in chosen.iter_mut().zip(letters.bytes()) {
        let lane = b"xyzw".iter().position(|lane| *lane == letter)?;
        *slot = u8::try_from(lane).ok().filter(|lane| *lane < lanes)?;
    }
    Some((chosen, count))
}

/// Whether a method of slices writes elements.
fn writes_elements(name: &str) -> bool {
    matches!(name, "iter_mut" | "get_mut")
        || SliceMethod::from_name(name).is_some_and(SliceMethod::writes)
        || Parts::from_name(name).is_some_and(Parts::writes)
}

/// Whether a method of slices, options or iterators with so many arguments changes its receiver.
pub(super) fn writes_receiver(name: &str, args: usize) -> bool {
    let of_others = match name {
        "take" | "next" | "next_back" | "as_mut" | "by_ref" => args == 0,
        "replace" | "insert" | "get_or_insert" | "get_or_insert_with" | "nth" => args == 1,
        _ => name.starts_with("sort") || name.ends_with("_mut"),
    };
    of_others || writes_elements(name)
}

/// `rgb` as `xyz`: lanes by the names that shading languages also have.
pub(super) fn colour_lanes(name: &str) -> Option<String> {
    let lanes = |names: &str| -> Option<String> {
        name.chars().map(|lane| names.find(lane).map(|at| ['x', 'y', 'z', 'w'][at])).collect()
    };
    if !(1..=4).contains(&name.len()) {
        return None;
    }
    lanes("rgba").or_else(|| lanes("stpq"))
}

/// The intrinsic of this name for a receiver, of one kind if given.
pub(super) fn find_row(name: &str, receiver: &Term, kind: Option<Kind>) -> Option<&'static Row> {
    rows().find(|row| {
        is_named(row.name, name, receiver)
            && kind.is_none_or(|kind| row.kind == kind)
            && row.receivers.iter().any(|class| is_of(*class, receiver))
            && has_lanes(row, receiver)
            && has_width(row, receiver)
    })
}

/// Whether integers of 128 bits have the method, if the receiver is one.
fn has_width(row: &Row, receiver: &Term) -> bool {
    let Term::Scalar(scalar) = receiver else { return true };
    !scalar.is_wide()
        || match row.intrinsic {
            Intrinsic::Elementary(method) => wide::has_elementary(method),
            Intrinsic::Arithmetic(overflow, op) => wide::has_arithmetic(scalar.is_signed(), overflow, op),
            Intrinsic::Number(method) => wide::has_number(method),
            _ => false,
        }
}

/// `as_vecN` is `as_vec3` for a vector of three.
fn is_named(row: &str, name: &str, receiver: &Term) -> bool {
    match (row.strip_suffix('N'), receiver) {
        (Some(stem), Term::Vector(_, lanes) | Term::Matrix(lanes)) => {
            name.strip_prefix(stem).is_some_and(|digits| digits.parse::<u8>().ok() == Some(*lanes))
        }
        _ => row == name,
    }
}

fn is_of(class: Receiver, term: &Term) -> bool {
    match (class, term) {
        (Receiver::Float, Term::Scalar(scalar)) => scalar.is_float(),
        (Receiver::Half, Term::Scalar(scalar)) => scalar.is_half(),
        (Receiver::Sint, Term::Scalar(scalar)) => scalar.is_signed(),
        (Receiver::Uint, Term::Scalar(scalar)) => scalar.is_unsigned(),
        (Receiver::Byte, Term::Scalar(scalar)) => *scalar == ScalarName::U8,
        (Receiver::Char, Term::Scalar(scalar)) => *scalar == ScalarName::Char,
        (Receiver::FloatVec, Term::Vector(scalar, _)) => *scalar == ScalarName::F32,
        (Receiver::FixedSint, Term::Scalar(scalar)) => scalar.is_signed() && *scalar != ScalarName::Isize,
        (Receiver::FixedUint, Term::Scalar(scalar)) => scalar.is_unsigned() && *scalar != ScalarName::Usize,
        (Receiver::SintVec, Term::Vector(scalar, _)) => *scalar == ScalarName::I32,
        (Receiver::UintVec, Term::Vector(scalar, _)) => *scalar == ScalarName::U32,
        (Receiver::BoolVec, Term::Vector(scalar, _)) => *scalar == ScalarName::Bool,
        (Receiver::Vec2, Term::Vector(scalar, lanes)) => (*scalar, *lanes) == (ScalarName::F32, 2),
        (Receiver::Vec3, Term::Vector(scalar, lanes)) => (*scalar, *lanes) == (ScalarName::F32, 3),
        (Receiver::Vec4, Term::Vector(scalar, lanes)) => (*scalar, *lanes) == (ScalarName::F32, 4),
        (Receiver::IVec2, Term::Vector(scalar, lanes)) => (*scalar, *lanes) == (ScalarName::I32, 2),
        (Receiver::IVec3, Term::Vector(scalar, lanes)) => (*scalar, *lanes) == (ScalarName::I32, 3),
        (Receiver::UVec3, Term::Vector(scalar, lanes)) => (*scalar, *lanes) == (ScalarName::U32, 3),
        (Receiver::Matrix, Term::Matrix(_)) | (Receiver::Quat, Term::Quat) => true,
        (Receiver::Mat2, Term::Matrix(size)) => *size == 2,
        (Receiver::Mat3, Term::Matrix(size)) => *size == 3,
        (Receiver::Mat4, Term::Matrix(size)) => *size == 4,
        (Receiver::Buffer, Term::Buffer { .. }) | (Receiver::Array, Term::Array(..) | Term::ArrayOf(..)) => true,
        _ => false,
    }
}

fn has_lanes(row: &Row, receiver: &Term) -> bool {
    match (row.result, receiver) {
        (_, Term::Vector(_, lanes)) if row.intrinsic == Intrinsic::Vector(Vector::WithZ) => *lanes > 2,
        (_, Term::Vector(_, lanes)) if row.intrinsic == Intrinsic::Vector(Vector::WithW) => *lanes > 3,
        (Sig::Shorter, Term::Vector(_, lanes)) => *lanes > 2,
        (Sig::Longer, Term::Vector(_, lanes)) => *lanes < 4,
        _ => true,
    }
}

/// The parameters' types for a receiver, `self` left out.
pub(super) fn params_of(row: &Row, receiver: &Term) -> Vec<Term> {
    let mut params = Vec::with_capacity(row.params.len());
    for sig in row.params {
        match (sig, receiver) {
            (Sig::Elements, Term::Vector(scalar, lanes)) => {
                params.extend((0..*lanes).map(|_| Term::Scalar(*scalar)));
            }
            (Sig::Columns, Term::Matrix(size)) => {
                params.extend((0..*size).map(|_| term_of_sig(Sig::Column, receiver)));
            }
            _ => params.push(term_of_sig(*sig, receiver)),
        }
    }
    params
}

/// The result's type for a receiver.
pub(super) fn result_of(row: &Row, receiver: &Term) -> Term {
    term_of_sig(row.result, receiver)
}

fn term_of_sig(sig: Sig, receiver: &Term) -> Term {
    let element = match receiver {
        Term::Vector(scalar, _) => Term::Scalar(*scalar),
        other => other.clone(),
    };
    let vector = |scalar: ScalarName, more: i8| match receiver {
        Term::Vector(_, lanes) => Term::Vector(scalar, lanes.saturating_add_signed(more)),
        _ => Term::Scalar(scalar),
    };
    let same_scalar = match &element {
        Term::Scalar(scalar) => *scalar,
        _ => ScalarName::F32,
    };
    match sig {
        Sig::Same | Sig::Lent => receiver.clone(),
        Sig::Element | Sig::Elements => element,
        Sig::ElementArray => match receiver {
            Term::Vector(_, lanes) => Term::Array(Rc::new(element), Len::Known(u32::from(*lanes))),
            _ => Term::Error,
        },
        Sig::Bool => Term::BOOL,
        Sig::I32 => Term::I32,
        Sig::U32 => Term::U32,
        Sig::Usize => Term::USIZE,
        Sig::F32 => Term::F32,
        Sig::F64 => Term::Scalar(ScalarName::F64),
        Sig::Unsigned => match receiver {
            Term::Scalar(scalar) => Term::Scalar(scalar.unsigned()),
            other => other.clone(),
        },
        Sig::Signed => match receiver {
            Term::Scalar(scalar) => Term::Scalar(scalar.signed()),
            other => other.clone(),
        },
        Sig::Bytes => Term::Array(Rc::new(Term::Scalar(ScalarName::U8)), Len::Known(same_scalar.bits() / 8)),
        Sig::SameAndElement => Term::tuple(vec![receiver.clone(), element]),
        Sig::AxisAndAngle => Term::tuple(vec![Term::Vector(ScalarName::F32, 3), Term::F32]),
        Sig::ScaleRotationTranslation => {
            let vector = Term::Vector(ScalarName::F32, 3);
            Term::tuple(vec![vector.clone(), Term::Quat, vector])
        }
        Sig::SameAndFlag => Term::tuple(vec![receiver.clone(), Term::BOOL]),
        Sig::OptionSame => Term::Option(Rc::new(receiver.clone())),
        Sig::OptionU32 => Term::Option(Rc::new(Term::U32)),
        Sig::PairSame => Term::tuple(vec![receiver.clone(), receiver.clone()]),
        Sig::BoolVector => vector(ScalarName::Bool, 0),
        Sig::FloatVector => vector(ScalarName::F32, 0),
        Sig::SintVector => vector(ScalarName::I32, 0),
        Sig::UintVector => vector(ScalarName::U32, 0),
        Sig::Shorter => vector(same_scalar, -1),
        Sig::Longer => vector(same_scalar, 1),
        Sig::Column | Sig::Columns | Sig::CellArray | Sig::CellArrays => {
            let Term::Matrix(size) = *receiver else { return Term::Error };
            let cells = |len| Term::Array(Rc::new(Term::F32), len);
            match sig {
                Sig::CellArray => cells(Len::Known(u32::from(size) * u32::from(size))),
                Sig::CellArrays => Term::Array(Rc::new(cells(Len::Known(size.into()))), Len::Known(size.into())),
                _ => Term::Vector(ScalarName::F32, size),
            }
        }
        Sig::Vec2 => Term::Vector(ScalarName::F32, 2),
        Sig::Vec3 => Term::Vector(ScalarName::F32, 3),
        Sig::Vec4 => Term::Vector(ScalarName::F32, 4),
        Sig::Mat2 => Term::Matrix(2),
        Sig::Mat3 | Sig::LentMat3 => Term::Matrix(3),
        Sig::Mat4 | Sig::LentMat4 => Term::Matrix(4),
        Sig::Quat => Term::Quat,
        Sig::F32x4 => Term::Array(Rc::new(Term::F32), Len::Known(4)),
    }
}
