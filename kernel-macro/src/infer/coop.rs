//! Inference of matrices of subgroups: their type as written, the functions and methods they have. Operators are `linear`'s.

use gridwise_ir::coop::{MOST_LINES, multiplies};
use gridwise_ir::ir::{CoopFold, CoopLayout, CoopLine};
use gridwise_ir::types::CoopRole;
use proc_macro2::Ident;

use crate::ast::{Expr, ExprKind, GenericArg, Path, PathArgs, PathCall, ScalarName, SpanRange, TypeKind};
use crate::diag::code;
use crate::source::text;
use crate::typed::{Callee, CoopCall, CoopTy, Len, Resolution};

use super::block::strip;
use super::closure::{Demand, Gives};
use super::mismatch::Because;
use super::name::parent;
use super::suggest::nearest;
use super::unify::Term;
use super::{Infer, range};

/// The element types of matrices.
const ELEMENTS: [ScalarName; 7] = [
    ScalarName::F16,
    ScalarName::Bf16,
    ScalarName::F32,
    ScalarName::I8,
    ScalarName::U8,
    ScalarName::I32,
    ScalarName::U32,
];

/// The types that say what a matrix is in a product.
const ROLES: [(&str, CoopRole); 3] =
    [("MatrixA", CoopRole::A), ("MatrixB", CoopRole::B), ("Accumulator", CoopRole::Accumulator)];

/// How the type is written.
const WRITTEN: &str =
    "write `CoopMatrix<f16, MatrixA, 16, 16>`: element, `MatrixA`, `MatrixB` or `Accumulator`, rows, columns";

const FUNCTIONS: [&str; 16] = [
    "splat",
    "load",
    "store",
    "mul_add",
    "convert",
    "into_a",
    "into_b",
    "transpose",
    "map",
    "zip_map",
    "row_sum",
    "row_min",
    "row_max",
    "column_sum",
    "column_min",
    "column_max",
];

/// The operation by which a method combines the elements of lines.
fn reduction(name: &str) -> Option<(CoopLine, CoopFold)> {
    Some(match name {
        "row_sum" => (CoopLine::Row, CoopFold::Sum),
        "row_min" => (CoopLine::Row, CoopFold::Min),
        "row_max" => (CoopLine::Row, CoopFold::Max),
        "column_sum" => (CoopLine::Column, CoopFold::Sum),
        "column_min" => (CoopLine::Column, CoopFold::Min),
        "column_max" => (CoopLine::Column, CoopFold::Max),
        _ => return None,
    })
}

/// The type as users write it.
pub(super) fn name(ty: CoopTy) -> String {
    let role = role_name(ty.role);
    format!("CoopMatrix<{}, {role}, {}, {}>", ty.scalar.name(), ty.rows, ty.columns)
}

/// `MatrixA`
pub(crate) fn role_name(role: CoopRole) -> &'static str {
    ROLES.iter().find(|(_, known)| *known == role).map_or("", |(name, _)| *name)
}

/// Whether a path is `CoopMatrix`, with or without modules.
pub(super) fn is_matrix(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last == "CoopMatrix")
}

impl<'a> Infer<'a> {
    /// `CoopMatrix<T, U, R, C>`
    pub(super) fn coop_term(&mut self, path: &'a Path, span: SpanRange) -> Term {
        self.matrix_of(path.last_args(), span)
    }

    fn matrix_of(&mut self, args: Option<&'a PathArgs>, span: SpanRange) -> Term {
        let Some([element, role, rows, columns]) = args.map(|args| &args.args[..]) else {
            let message = "`CoopMatrix` needs its element type, its role, its rows and its columns";
            self.error(code::MATRIX_USE, span, message).help(WRITTEN);
            return Term::Error;
        };
        let scalar = self.matrix_element(element);
        let role = self.matrix_role(role);
        let (rows, columns) = (self.matrix_lines(rows), self.matrix_lines(columns));
        match (scalar, role, rows, columns) {
            (Some(scalar), Some(role), Some(rows), Some(columns)) => Term::Coop(CoopTy { scalar, role, rows, columns }),
            _ => {
                self.poisoned = true;
                Term::Error
            }
        }
    }

    /// `None` after an error, and for what is unknown in a generic function as written.
    fn matrix_element(&mut self, arg: &'a GenericArg) -> Option<ScalarName> {
        let term = arg.ty.as_ref().map(|ty| self.term_of(ty));
        match term.map(|term| self.table.shallow(&term)) {
            Some(Term::Scalar(scalar)) if ELEMENTS.contains(&scalar) => Some(scalar),
            Some(Term::Error) => None,
            other => {
                let found = other.map_or("a value".to_owned(), |term| self.describe(&term));
                self.error(code::MATRIX_USE, arg.span, format!("there are no matrices of {found}"))
                    .help("matrices have elements of `f16`, `bf16`, `f32`, `i8`, `u8`, `i32` or `u32`");
                None
            }
        }
    }

    fn matrix_role(&mut self, arg: &GenericArg) -> Option<CoopRole> {
        let written = arg.ty.as_ref().and_then(|ty| match &ty.kind {
            TypeKind::Path(path) => path.segments.last(),
            _ => None,
        });
        let role = written.and_then(|written| ROLES.iter().find(|(name, _)| written == name));
        if role.is_none() {
            self.error(code::MATRIX_USE, arg.span, "expected the role of the matrix in a product")
                .help("write `MatrixA`, `MatrixB` or `Accumulator`, of `a * b + c`");
        }
        role.map(|(_, role)| *role)
    }

    fn matrix_lines(&mut self, arg: &'a GenericArg) -> Option<u32> {
        let Some(value) = &arg.value else {
            self.error(code::MATRIX_USE, arg.span, "expected a number of rows or columns").help(WRITTEN);
            return None;
        };
        match self.array_len(value)? {
            Len::Known(lines) if (1..=MOST_LINES).contains(&lines) => Some(lines),
            Len::Known(lines) => {
                self.error(code::MATRIX_USE, arg.span, format!("a matrix cannot have {lines} rows or columns"))
                    .note("devices have small matrices: 8 by 8, 16 by 16 and their like")
                    .help("build larger matrices as arrays of these");
                None
            }
            Len::Chosen(_) | Len::Param(_) | Len::Unknown => {
                self.error(code::MATRIX_USE, arg.span, "the shape of a matrix cannot depend on the launch")
                    .help("write a number or a `const`");
                None
            }
        }
    }

    /// `CoopMatrix::<…>::splat(0.0)`; `None` for other calls.
    pub(super) fn infer_coop_call(&mut self, PathCall { expr, path, span, args }: PathCall<'a>) -> Option<Term> {
        let name = path.segments.last()?;
        let owner = parent(path);
        let term = if is_matrix(&owner) {
            let position = owner.segments.len() - 1;
            self.matrix_of(path.generics.iter().find(|args| args.segment == position), span)
        } else {
            Term::Coop(match self.known_owner(path)? {
                crate::typed::Ty::Coop(ty) => ty,
                _ => return None,
            })
        };
        let Term::Coop(ty) = term else { return Some(self.infer_arguments_only(args)) };
        match name.to_string().as_str() {
            "splat" => {
                let element = Term::Scalar(ty.scalar);
                self.check_arguments("splat", &[element], args, range(name.span()));
                self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::Splat));
                Some(term)
            }
            "load" => {
                let layout = self.matrix_memory(name, ty, args, false);
                if let Some(layout) = layout {
                    self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::Load(layout)));
                }
                Some(term)
            }
            other => {
                let message = format!("no function `{other}` on type `{}`", super::coop::name(ty));
                let error = self.error(code::UNKNOWN_METHOD, range(name.span()), message);
                match FUNCTIONS[2..].contains(&other) {
                    true => error.help(format!("it is a method: write `matrix.{other}(…)`")),
                    false => {
                        error.help("matrices are made by `splat(value)` and `load(memory, offset, stride, RowMajor)`")
                    }
                };
                Some(self.infer_arguments_only(args))
            }
        }
    }

    /// A method of a matrix.
    pub(super) fn infer_coop_method(&mut self, expr: &'a Expr, ty: CoopTy, name: &'a Ident, args: &'a [Expr]) -> Term {
        match name.to_string().as_str() {
            "store" => {
                if let Some(layout) = self.matrix_memory(name, ty, args, true) {
                    self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::Store(layout)));
                }
                Term::Unit
            }
            "mul_add" => self.infer_mul_add(expr, ty, name, args),
            "convert" => self.infer_convert(expr, ty, name, args),
            "into_a" => self.infer_factor(expr, ty, name, args, CoopCall::Role, CoopTy { role: CoopRole::A, ..ty }),
            "into_b" => self.infer_factor(expr, ty, name, args, CoopCall::Role, CoopTy { role: CoopRole::B, ..ty }),
            "transpose" => {
                let turned = CoopTy { role: CoopRole::B, rows: ty.columns, columns: ty.rows, ..ty };
                self.infer_factor(expr, ty, name, args, CoopCall::Transpose, turned)
            }
            "map" => self.infer_map(expr, ty, name, args),
            "zip_map" => self.infer_zip_map(expr, ty, name, args),
            // Of derived kernels.
            "__held" => {
                self.check_arguments("__held", &[], args, range(name.span()));
                self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::Held));
                Term::U32
            }
            "__element" => {
                self.check_arguments("__element", &[Term::U32], args, range(name.span()));
                self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::Element));
                Term::Scalar(ty.scalar)
            }
            other if reduction(other).is_some() => {
                let (line, fold) = reduction(other).unwrap_or((CoopLine::Row, CoopFold::Sum));
                if !self.has_numbers(ty, name) {
                    self.infer_arguments_only(args);
                    return Term::Coop(ty);
                }
                self.infer_factor(expr, ty, name, args, CoopCall::Reduce(line, fold), ty)
            }
            other => {
                let message = format!("no method `{other}` on type `{}`", super::coop::name(ty));
                let error = self.error(code::UNKNOWN_METHOD, range(name.span()), message);
                match nearest(other, FUNCTIONS) {
                    Some(known) => error.help(format!("a function with a similar name exists: `{known}`")),
                    None => error.help("matrices have `mul_add`, `store`, `convert`, `map`, `row_sum` and its like, and the operators `+`, `-`, `*`"),
                };
                self.infer_arguments_only(args)
            }
        }
    }

    /// `a.mul_add(b, c)`
    fn infer_mul_add(&mut self, expr: &'a Expr, a: CoopTy, name: &Ident, args: &'a [Expr]) -> Term {
        if a.role != CoopRole::A {
            let message = format!("`mul_add` is a method of the left factor, and this is a `{}`", super::coop::name(a));
            self.error(code::MATRIX_USE, range(name.span()), message)
                .help("write `a.mul_add(b, c)` for `a * b + c`, with `a` a `CoopMatrix<_, MatrixA, _, _>`");
            self.infer_arguments_only(args);
            return args.last().map_or(Term::Error, |addend| self.sum_of(addend));
        }
        let [right, addend] = args else {
            self.report_arity("mul_add", 2, args, range(name.span()));
            return self.infer_arguments_only(args);
        };
        let b = self.infer(right, &super::Expect::Nothing);
        let c = self.infer(addend, &super::Expect::Nothing);
        let Some(b) = self.factor(right, &b, a) else { return self.sum_of(addend) };
        let c = match self.table.shallow(&c) {
            Term::Error | Term::Never => return Term::Error,
            other => other,
        };
        let scalar = ScalarName::on_device;
        if let Term::Coop(sum) = c
            && (sum.role, sum.rows, sum.columns) == (CoopRole::Accumulator, a.rows, b.columns)
            && multiplies(scalar(a.scalar), scalar(b.scalar), scalar(sum.scalar))
        {
            self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::MulAdd));
            return Term::Coop(sum);
        }
        let sums = ELEMENTS.into_iter().filter(|sum| multiplies(scalar(a.scalar), scalar(b.scalar), scalar(*sum)));
        let sums: Vec<_> = sums
            .map(|sum| CoopTy { scalar: sum, role: CoopRole::Accumulator, rows: a.rows, columns: b.columns })
            .map(|sum| format!("`{}`", super::coop::name(sum)))
            .collect();
        let found = self.describe(&c);
        let error = self.error(code::MATRIX_USE, addend.span, format!("a product cannot be added to {found}"));
        match sums.is_empty() {
            true => error.note("`f16` is summed up in `f32` or `f16`, `bf16` in `f32`, `i8` in `i32`, `u8` in `u32`"),
            false => error.note(format!("this product is added to {}", sums.join(" or "))),
        };
        Term::Error
    }

    /// A method of sums without arguments, which gives `made`.
    fn infer_factor(
        &mut self,
        expr: &'a Expr,
        ty: CoopTy,
        name: &Ident,
        args: &'a [Expr],
        call: CoopCall,
        made: CoopTy,
    ) -> Term {
        if !args.is_empty() {
            self.report_arity(&name.to_string(), 0, args, range(name.span()));
            self.infer_arguments_only(args);
        }
        if ty.role != CoopRole::Accumulator {
            let message = format!("`{name}` is a method of sums, and this is a `{}`", super::coop::name(ty));
            self.error(code::MATRIX_USE, range(name.span()), message)
                .help("write it after `mul_add`, whose result is a `CoopMatrix<_, Accumulator, _, _>`");
        }
        self.tables.calls.insert(expr.id, Callee::Coop(call));
        Term::Coop(made)
    }

    /// Whether a matrix has elements that are numbers to compute with; else reports it.
    fn has_numbers(&mut self, ty: CoopTy, name: &Ident) -> bool {
        if ty.scalar != ScalarName::Bf16 {
            return true;
        }
        let message = format!("`{name}` does not compute with elements of `bf16`");
        self.error(code::MATRIX_USE, range(name.span()), message)
            .note("devices multiply matrices of `bf16`, and convert them")
            .help("write `matrix.convert::<f32>()` before, and `.convert::<bf16>()` after it");
        false
    }

    /// `matrix.map(|x| …)`
    fn infer_map(&mut self, expr: &'a Expr, ty: CoopTy, name: &Ident, args: &'a [Expr]) -> Term {
        let [function] = args else {
            self.report_arity("map", 1, args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Term::Coop(ty);
        };
        let is_done = self.has_numbers(ty, name);
        self.infer_element_function(expr, ty, 0, function, 1);
        if is_done {
            self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::Map));
        }
        Term::Coop(ty)
    }

    /// `matrix.zip_map(other, |x, y| …)`
    fn infer_zip_map(&mut self, expr: &'a Expr, ty: CoopTy, name: &Ident, args: &'a [Expr]) -> Term {
        let [other, function] = args else {
            self.report_arity("zip_map", 2, args, range(name.span()));
            self.infer_unknown_arguments(args);
            return Term::Coop(ty);
        };
        self.check(other, &Term::Coop(ty), Because::Nothing);
        let is_done = self.has_numbers(ty, name);
        self.infer_element_function(expr, ty, 1, function, 2);
        if is_done {
            self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::ZipMap));
        }
        Term::Coop(ty)
    }

    /// Infers a function that makes an element of one or two.
    fn infer_element_function(
        &mut self,
        expr: &'a Expr,
        ty: CoopTy,
        position: usize,
        function: &'a Expr,
        count: usize,
    ) {
        let element = Term::Scalar(ty.scalar);
        let params = vec![element.clone(); count];
        let demand = Demand { params, result: element, gives: Gives::Values, changes: false, references: Vec::new() };
        self.infer_called(expr, position, function, &demand);
    }

    /// The type of the addend of a wrong product, so that the code behind it is checked.
    fn sum_of(&self, addend: &Expr) -> Term {
        match self.table.shallow(&self.term(addend)) {
            sum @ Term::Coop(CoopTy { role: CoopRole::Accumulator, .. }) => sum,
            _ => Term::Error,
        }
    }

    /// The right factor; `None` after an error.
    fn factor(&mut self, right: &Expr, term: &Term, a: CoopTy) -> Option<CoopTy> {
        let shallow = self.table.shallow(term);
        match shallow {
            Term::Error | Term::Never => return None,
            Term::Coop(b) if (b.role, b.rows, b.scalar) == (CoopRole::B, a.columns, a.scalar) => return Some(b),
            _ => {}
        }
        let (found, element) = (self.describe(&shallow), a.scalar.name());
        let message = format!("`{}` cannot be multiplied by {found}", super::coop::name(a));
        self.error(code::MATRIX_USE, right.span, message).note(format!(
            "the right factor has as many rows as the left one has columns: `CoopMatrix<{element}, MatrixB, {}, _>`",
            a.columns
        ));
        None
    }

    /// `matrix.convert::<f16>()`
    fn infer_convert(&mut self, expr: &'a Expr, ty: CoopTy, name: &Ident, args: &'a [Expr]) -> Term {
        if !args.is_empty() {
            self.report_arity("convert", 0, args, range(name.span()));
            return self.infer_arguments_only(args);
        }
        let turbofish = match &expr.kind {
            ExprKind::Method { turbofish, .. } => turbofish.as_deref(),
            _ => None,
        };
        let Some([GenericArg { ty: Some(to), span, .. }]) = turbofish.map(|args| &args.args[..]) else {
            self.error(code::MATRIX_USE, range(name.span()), "`convert` needs the type of the new elements")
                .help("write `matrix.convert::<f16>()`");
            return Term::Error;
        };
        let term = self.term_of(to);
        use ScalarName::{Bf16, F16, F32};
        match self.table.shallow(&term) {
            Term::Error => Term::Error,
            Term::Scalar(scalar) if matches!((ty.scalar, scalar), (F32, F16 | Bf16) | (F16 | Bf16, F32)) => {
                self.tables.calls.insert(expr.id, Callee::Coop(CoopCall::Convert));
                Term::Coop(CoopTy { scalar, ..ty })
            }
            other => {
                let (from, to) = (super::coop::name(ty), self.describe(&other));
                self.error(code::MATRIX_USE, *span, format!("a `{from}` does not convert to elements of {to}"))
                    .note("`f32` converts to `f16` and `bf16`, and these convert to `f32`");
                Term::Error
            }
        }
    }

    /// `(memory, offset, stride, layout)`; `None` after an error.
    fn matrix_memory(&mut self, name: &Ident, ty: CoopTy, args: &'a [Expr], writes: bool) -> Option<CoopLayout> {
        let [memory, offset, stride, layout] = args else {
            let message = format!("`{name}` takes 4 arguments, but {} were given", args.len());
            let call = if writes {
                "matrix.store(&mut y, offset, stride, RowMajor)"
            } else {
                "load(&x, offset, stride, RowMajor)"
            };
            self.error(code::WRONG_ARGUMENTS, range(name.span()), message).help(format!("write `{call}`"));
            return None;
        };
        let found = self.infer_slice(memory, writes);
        for position in [offset, stride] {
            self.check(position, &Term::U32, Because::Nothing);
        }
        let layout = self.matrix_layout(layout);
        let (element, mutable) = found?;
        if writes && !mutable {
            let source = text(strip(memory));
            self.error(code::NOT_ASSIGNABLE, memory.span, format!("`{source}` cannot be written"))
                .help("a reference that elements are written through must be `&mut`, here and in its declaration");
            return None;
        }
        if !self.is_matrix_memory(memory) {
            self.error(code::MATRIX_USE, memory.span, "matrices lie in buffers and in shared memory")
                .note("a device moves them between its own registers and buffers or shared memory")
                .help(
                    "name a parameter of the kernel or a `Shared<[T; N]>` itself, and give the position as the offset",
                );
            return None;
        }
        let layout = layout?;
        self.check_cells(memory, &element, ty, layout)?;
        Some(layout)
    }

    /// Whether a line of the matrix fills whole elements of memory.
    fn check_cells(&mut self, memory: &Expr, element: &Term, ty: CoopTy, layout: CoopLayout) -> Option<()> {
        let line = match layout {
            CoopLayout::RowMajor => ty.columns,
            CoopLayout::ColumnMajor => ty.rows,
        };
        let size = ty.scalar.bits() / 8;
        let cell = match self.table.shallow(element) {
            Term::Error | Term::Never => return None,
            Term::Scalar(scalar) if scalar.is_number() => Some(scalar.bits() / 8),
            Term::Vector(_, 3) | Term::Vector(ScalarName::Bool, _) => None,
            Term::Vector(scalar, lanes) => Some(scalar.bits() / 8 * u32::from(lanes)),
            _ => None,
        };
        if cell.is_some_and(|cell| cell >= size && (line * size).is_multiple_of(cell)) {
            return Some(());
        }
        let (matrix, found) = (super::coop::name(ty), self.describe(element));
        let message = format!("a `{matrix}` cannot be loaded from or stored to elements of type {found}");
        self.error(code::MATRIX_USE, memory.span, message).note(
            "memory must hold elements of the type of the matrix, or numbers or vectors that are as large as several of them",
        );
        None
    }

    fn matrix_layout(&mut self, arg: &Expr) -> Option<CoopLayout> {
        let last = match &strip(arg).kind {
            ExprKind::Path(path) => path.segments.last().map(ToString::to_string).unwrap_or_default(),
            _ => String::new(),
        };
        match last.as_str() {
            "RowMajor" => Some(CoopLayout::RowMajor),
            "ColumnMajor" => Some(CoopLayout::ColumnMajor),
            _ => {
                self.error(code::MATRIX_USE, arg.span, format!("expected a layout, found `{}`", text(arg)))
                    .note("a layout is written out where it is used: it is part of the instruction")
                    .help("write `RowMajor` or `ColumnMajor`");
                None
            }
        }
    }

    /// Whether a slice is one of a parameter or of a shared variable, whole or in part.
    fn is_matrix_memory(&self, memory: &Expr) -> bool {
        let mut root = memory;
        loop {
            root = match &root.kind {
                ExprKind::Paren(inner, ..) | ExprKind::Borrow { operand: inner, .. } => inner,
                ExprKind::Slice { base, .. } => base,
                ExprKind::Index { base, index } if matches!(self.table.shallow(&self.term(index)), Term::Range(..)) => {
                    base
                }
                _ => break,
            };
        }
        let Some(Resolution::Binding(binding)) = self.tables.paths.get(&root.id) else { return false };
        match self.local(*binding).map(|local| self.table.shallow(&local.term)) {
            Some(Term::Shared(_)) => true,
            Some(Term::Buffer { .. }) => self.is_parameter(root),
            _ => false,
        }
    }
}
