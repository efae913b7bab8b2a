//! Types as written become types under inference; and the names of types. Expressions are out of scope, but for array lengths.

use std::rc::Rc;

use crate::ast::{Alias, Enum, Expr, Item, Path, ScalarName, Struct, TypeExpr, TypeKind};
use crate::builtin::matrix;
use crate::builtin::names::is_of_module;
use crate::diag::code;
use crate::program::{ItemId, Program, TypedItem};
use crate::source::Spelling;
use crate::typed::{ConstValue, ConversionError, Len, Ty};

use super::Infer;
use super::mismatch::Because;
use super::suggest::nearest;
use super::unify::{Term, TermArgs};

/// Names of the built-in types, for suggestions.
pub(super) const BUILTIN_TYPES: &[&str] = &[
    "bool", "char", "i32", "u32", "usize", "f32", "i8", "i16", "i64", "isize", "u8", "u16", "u64", "u128", "i128",
    "f16", "bf16", "f64", "Vec2", "Vec3", "Vec4", "UVec2", "UVec3", "UVec4", "IVec2", "IVec3", "IVec4", "BVec2",
    "BVec3", "BVec4", "Mat2", "Mat3", "Mat4", "Quat",
];

/// Types that kernels may get later, and what to write until then.
pub(super) const UNSUPPORTED_TYPES: &[(&str, &str)] = &[
    ("f128", "use `f64`"),
    ("str", "write `&'static str` for a text that names something; of other texts pass the bytes, `&[u8]`"),
    ("Range", "write the type of its ends: `Range<u32>`"),
    ("RangeInclusive", "write the type of its ends: `RangeInclusive<u32>`"),
    ("RangeFrom", "use a `Range` with both ends"),
    ("RangeTo", "use a `Range` with both ends"),
    ("String", "use numbers"),
    ("Vec", "use an array or a buffer parameter `&mut [T]`"),
    ("Box", "use the value itself"),
    ("Mat3A", "use `Mat3`"),
    ("Affine2", "use `Mat3`"),
    ("Affine3A", "use `Mat4`"),
    ("DMat2", "use `Mat2`"),
    ("DMat3", "use `Mat3`"),
    ("DMat4", "use `Mat4`"),
    ("DQuat", "use `Quat`"),
    ("Vec3A", "use `Vec3`"),
    ("BVec3A", "leave the type out: it is inferred"),
    ("BVec4A", "leave the type out: it is inferred"),
    ("DVec2", "use `Vec2`, or an array `[f64; 2]`"),
    ("DVec3", "use `Vec3`, or an array `[f64; 3]`"),
    ("DVec4", "use `Vec4`, or an array `[f64; 4]`"),
    ("I8Vec2", "use `IVec2`, or in buffers an array `[i8; 2]`"),
    ("I8Vec3", "use `IVec3`, or in buffers an array `[i8; 3]`"),
    ("I8Vec4", "use `IVec4`, or in buffers an array `[i8; 4]`"),
    ("U8Vec2", "use `UVec2`, or in buffers an array `[u8; 2]`"),
    ("U8Vec3", "use `UVec3`, or in buffers an array `[u8; 3]`"),
    ("U8Vec4", "use `UVec4`, or in buffers an array `[u8; 4]`"),
    ("I16Vec2", "use `IVec2`, or in buffers an array `[i16; 2]`"),
    ("I16Vec3", "use `IVec3`, or in buffers an array `[i16; 3]`"),
    ("I16Vec4", "use `IVec4`, or in buffers an array `[i16; 4]`"),
    ("U16Vec2", "use `UVec2`, or in buffers an array `[u16; 2]`"),
    ("U16Vec3", "use `UVec3`, or in buffers an array `[u16; 3]`"),
    ("U16Vec4", "use `UVec4`, or in buffers an array `[u16; 4]`"),
    ("I64Vec2", "use an array `[i64; 2]`"),
    ("I64Vec3", "use an array `[i64; 3]`"),
    ("I64Vec4", "use an array `[i64; 4]`"),
    ("U64Vec2", "use an array `[u64; 2]`"),
    ("U64Vec3", "use an array `[u64; 3]`"),
    ("U64Vec4", "use an array `[u64; 4]`"),
    ("USizeVec2", "use `UVec2`"),
    ("USizeVec3", "use `UVec3`"),
    ("USizeVec4", "use `UVec4`"),
    ("ISizeVec2", "use `IVec2`"),
    ("ISizeVec3", "use `IVec3`"),
    ("ISizeVec4", "use `IVec4`"),
];

/// The name that stands for the type `&'static str` in a path.
pub(crate) const TEXT: &str = "__str";

/// The type that a built-in name stands for.
pub(super) fn builtin_type(name: &str) -> Option<Ty> {
    if name == TEXT {
        return Some(Ty::Scalar(ScalarName::Text));
    }
    if let Some(scalar) = ScalarName::from_name(name) {
        return Some(Ty::Scalar(scalar));
    }
    if let Some(ty) = matrix::named(name) {
        return Some(ty);
    }
    if name == "Ordering" {
        return Some(Ty::Ordering);
    }
    if let Some(error) = ConversionError::NAMED.into_iter().find(|error| error.name() == name) {
        return Some(Ty::ConversionError(error));
    }
    let (prefix, lanes) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let lanes = lanes.parse::<u8>().ok().filter(|lanes| (2..=4).contains(lanes))?;
    let scalar = match prefix {
        "Vec" => ScalarName::F32,
        "UVec" => ScalarName::U32,
        "IVec" => ScalarName::I32,
        "BVec" => ScalarName::Bool,
        _ => return None,
    };
    Some(Ty::Vector(scalar, lanes))
}

/// The built-in type that a path names: `f32`, `glam::Vec3`, `crate::prelude::Vec3`. The twin is compiled with the path as
/// written, so another type of that name is rustc's error.
pub(crate) fn builtin_path(path: &Path) -> Option<Ty> {
    let (last, modules) = path.segments.split_last().filter(|_| !is_of_module(&path.segments))?;
    let is_member = modules.last().is_some_and(|module| builtin_type(&Spelling::of(module)).is_some());
    if is_member { None } else { builtin_type(&Spelling::of(last)) }
}

/// Whether modules are ones that built-in names live in.
pub(super) fn builtin_modules(mut modules: impl Iterator<Item = String>) -> bool {
    modules.next().is_none_or(|first| {
        matches!(first.as_str(), "glam" | "gridwise" | "std" | "core" | "cmp" | "num" | "array" | "convert")
    })
}

/// A type as users write it.
pub(crate) fn type_name(program: &Program, ty: &Ty) -> String {
    match ty {
        Ty::Unit => "()".to_owned(),
        Ty::Scalar(scalar) => scalar.name().to_owned(),
        Ty::Vector(scalar, lanes) => format!("{}{lanes}", vector_prefix(*scalar)),
        Ty::Matrix(size) => format!("Mat{size}"),
        Ty::Quat => "Quat".to_owned(),
        Ty::Array(element, Len::Known(len)) => format!("[{}; {len}]", type_name(program, element)),
        Ty::Array(element, Len::Param(_) | Len::Unknown) => format!("[{}; _]", type_name(program, element)),
        Ty::Param(_) => "{parameter}".to_owned(),
        Ty::Array(element, Len::Chosen(len)) => {
            format!("[{}; {}]", type_name(program, element), program.chosen_name(*len))
        }
        Ty::Tuple(members) => {
            let names: Vec<_> = members.iter().map(|member| type_name(program, member)).collect();
            if names.len() == 1 { format!("({},)", names[0]) } else { format!("({})", names.join(", ")) }
        }
        Ty::Struct(item, args) | Ty::Enum(item, args) => {
            let (name, count) = match &program.items[*item].item {
                Item::Struct(definition) => (definition.name.to_string(), definition.generics.params.len()),
                Item::Enum(definition) => (definition.name.to_string(), definition.generics.params.len()),
                _ => ("{unknown}".to_owned(), 0),
            };
            // Behind its parameters are the slices that it holds.
            match args.as_ref().map(|args| args.get(..count).unwrap_or_default()).filter(|args| !args.is_empty()) {
                Some(args) => {
                    let args: Vec<String> = args.iter().map(|arg| type_name(program, arg)).collect();
                    format!("{name}<{}>", args.join(", "))
                }
                None => name,
            }
        }
        Ty::Option(value) => format!("Option<{}>", type_name(program, value)),
        Ty::Ordering => "Ordering".to_owned(),
        Ty::ConversionError(error) => error.name().to_owned(),
        Ty::Range(value, false) => format!("Range<{}>", type_name(program, value)),
        Ty::Range(value, true) => format!("RangeInclusive<{}>", type_name(program, value)),
        Ty::Result(value, error) => {
            format!("Result<{}, {}>", type_name(program, value), type_name(program, error))
        }
        Ty::Buffer { element, mutable, .. } => {
            format!("&{}[{}]", if *mutable { "mut " } else { "" }, type_name(program, element))
        }
        Ty::Image(image) => format!("&{}{}", if image.mutable { "mut " } else { "" }, image.name()),
        Ty::Const(value) => value.to_string(),
        Ty::Chosen(number) => program.chosen_name(*number),
        Ty::Closure(..) => "{closure}".to_owned(),
        Ty::Iterator(item) => format!("impl Iterator<Item = {}>", type_name(program, item)),
        Ty::Shared(value) => format!("Shared<{}>", type_name(program, value)),
        Ty::Atomic(scalar) => format!("Atomic<{}>", scalar.name()),
        Ty::Coop(ty) => super::coop::name(*ty),
        Ty::Never => "!".to_owned(),
        Ty::Error => "{unknown}".to_owned(),
    }
}

pub(super) fn vector_prefix(scalar: ScalarName) -> &'static str {
    match scalar {
        ScalarName::U32 | ScalarName::Usize => "UVec",
        ScalarName::I32 => "IVec",
        ScalarName::Bool => "BVec",
        _ => "Vec",
    }
}

impl<'a> Infer<'a> {
    /// A type as written.
    pub(super) fn term_of(&mut self, ty: &'a TypeExpr) -> Term {
        match &ty.kind {
            TypeKind::Path(path) => self.term_of_path(path, ty),
            TypeKind::Projection { of, through, name } => {
                let of = self.term_of(of);
                self.projected(&of, through, name)
            }
            TypeKind::Slice { mutable, element } => {
                let element = self.term_of(element);
                Term::Buffer { element: Rc::new(element), mutable: *mutable, origin: None }
            }
            TypeKind::List { mutable, element } => {
                let (mutable, origin) = (*mutable, None);
                let member = Term::Buffer { element: Rc::new(self.term_of(element)), mutable, origin };
                Term::Buffer { element: Rc::new(member), mutable, origin }
            }
            TypeKind::Ref { target, .. } => self.term_of(target),
            TypeKind::Table(element) => {
                let element = self.term_of(element);
                Term::ArrayOf(Rc::new(element), Rc::new(self.fresh()))
            }
            TypeKind::Array { element, len } => {
                let element = self.term_of(element);
                if let Some(open) = self.open_len(len) {
                    return Term::ArrayOf(Rc::new(element), Rc::new(open));
                }
                match self.array_len(len) {
                    Some(Len::Unknown) => self.table.array_of_unknown(&Rc::new(element)),
                    Some(len) => Term::Array(Rc::new(element), len),
                    None => Term::Error,
                }
            }
            TypeKind::Tuple(members) => Term::tuple(members.iter().map(|member| self.term_of(member)).collect()),
            TypeKind::Option(value) => Term::Option(Rc::new(self.term_of(value))),
            TypeKind::Iterator(element) => Term::Iterator(Rc::new(self.term_of(element))),
            TypeKind::Range { of, inclusive } => self.range_term(of, *inclusive),
            TypeKind::Result(value, error) => {
                let value = self.term_of(value);
                Term::Result(Rc::new(value), Rc::new(self.term_of(error)))
            }
            TypeKind::Shared(value) => Term::Shared(Rc::new(self.term_of(value))),
            TypeKind::Atomic(value) => self.atomic_term(value),
            TypeKind::Image { image, is_list: false, .. } => Term::Image(*image),
            TypeKind::Image { image, is_list: true, .. } => {
                Term::Buffer { element: Rc::new(Term::Image(*image)), mutable: image.mutable, origin: None }
            }
            TypeKind::Never => Term::Never,
            TypeKind::Infer => self.fresh(),
            TypeKind::Error => {
                self.poisoned = true;
                Term::Error
            }
        }
    }

    /// `Range<T>` or `RangeInclusive<T>`: of numbers.
    fn range_term(&mut self, of: &'a TypeExpr, inclusive: bool) -> Term {
        let term = self.term_of(of);
        let is_number = match &term {
            Term::Scalar(scalar) => scalar.is_int() || scalar.is_float(),
            Term::Error | Term::Var(_) | Term::Param(_) => true,
            _ => false,
        };
        if !is_number {
            let found = self.describe(&term);
            self.error(code::UNKNOWN_TYPE, of.span, format!("a range of {found} is not available in kernels"))
                .note("ranges are of integers and floats")
                .help("use the two ends, `(a, b)`");
            return Term::Error;
        }
        Term::Range(Rc::new(term), inclusive)
    }

    /// `Atomic<T>`
    fn atomic_term(&mut self, value: &'a TypeExpr) -> Term {
        let term = self.term_of(value);
        match term {
            Term::Scalar(
                scalar @ (ScalarName::I8
                | ScalarName::U8
                | ScalarName::I16
                | ScalarName::U16
                | ScalarName::I32
                | ScalarName::U32
                | ScalarName::I64
                | ScalarName::U64
                | ScalarName::F16
                | ScalarName::F32
                | ScalarName::F64),
            ) => Term::Atomic(scalar),
            Term::Error => Term::Error,
            other => {
                let name = self.describe(&other);
                let error = self.error(code::ATOMIC_USE, value.span, format!("{name} cannot be atomic"));
                match other {
                    Term::Scalar(ScalarName::Bool) => {
                        error
                            .help("write `Atomic<u32>`, 1 for `true`: `swap(1, AcqRel) == 1` tells whether it was set");
                    }
                    Term::Scalar(ScalarName::Usize) => {
                        error.help("write `Atomic<u32>`: `usize` has 32 bits in kernels");
                    }
                    Term::Scalar(ScalarName::Isize) => {
                        error.help("write `Atomic<i32>`: `isize` has 32 bits in kernels");
                    }
                    _ => {
                        error.help("supported are `Atomic<T>` of integers of 8 to 64 bits, `f16`, `f32` and `f64`");
                    }
                }
                Term::Error
            }
        }
    }

    fn term_of_path(&mut self, path: &'a Path, ty: &TypeExpr) -> Term {
        let program = self.program;
        if let Some(term) = self.param_type(path) {
            return term;
        }
        if let Some(&item) = program.items[self.item].uses.get(&path.text()) {
            if let TypedItem::Error = program.items[item].typed {
                self.poisoned = true;
                return Term::Error;
            }
            match program.items[item].item {
                Item::Struct(_) => return Term::Struct(item, self.written_args(item, path, ty)),
                Item::Enum(_) => return Term::Enum(item, self.written_args(item, path, ty)),
                Item::Alias(_) => {
                    let TypedItem::Alias(of) = &program.items[item].typed else {
                        self.poisoned = true;
                        return Term::Error;
                    };
                    let term = Term::member(of, &self.written_args(item, path, ty));
                    return self.reopened(&term);
                }
                Item::Fn(_) | Item::Const(_) | Item::Impl(_) | Item::Trait(_) => {}
            }
            self.error(code::UNKNOWN_TYPE, ty.span, format!("expected a type, found `{}`", path.text())).note(format!(
                "`{}` is a {}",
                path.text(),
                kind_of(&program.items[item].item)
            ));
            return Term::Error;
        }
        if super::coop::is_matrix(path) {
            return self.coop_term(path, ty.span);
        }
        if let Some(ty) = builtin_path(path) {
            return Term::from(&ty);
        }
        self.report_unknown_type(path, ty);
        Term::Error
    }

    /// The arguments of a struct or enum in a type, where Rust wants all of them.
    fn written_args(&mut self, item: ItemId, path: &'a Path, ty: &TypeExpr) -> TermArgs {
        let program = self.program;
        let args = self.open_args(item, path.last_args())?;
        let is_generic = match &program.items[item].item {
            Item::Struct(Struct { generics, .. })
            | Item::Enum(Enum { generics, .. })
            | Item::Alias(Alias { generics, .. }) => !generics.params.is_empty(),
            _ => false,
        };
        if path.last_args().is_none_or(|args| args.args.is_empty())
            && is_generic
            && let Item::Struct(Struct { name, generics, .. })
            | Item::Enum(Enum { name, generics, .. })
            | Item::Alias(Alias { name, generics, .. }) = &program.items[item].item
        {
            if generics.params.iter().all(|param| param.default.is_some()) {
                return self.default_args(item, generics);
            }
            let count = generics.params.len();
            let plural = if count == 1 { "" } else { "s" };
            let names: Vec<String> = generics.params.iter().map(|param| param.name.to_string()).collect();
            self.error(code::WRONG_ARGUMENTS, ty.span, format!("`{name}` takes {count} generic argument{plural}"))
                .help(format!("write `{name}<{}>` with a type or value for each", names.join(", ")));
            return Some(args.iter().map(|_| Term::Error).collect());
        }
        Some(args)
    }

    fn report_unknown_type(&mut self, path: &Path, ty: &TypeExpr) {
        if self.is_lost(path) {
            return;
        }
        let last = path.segments.last().map(ToString::to_string).unwrap_or_default();
        if let "Option" | "Result" = last.as_str() {
            let arguments = if last == "Option" { "T" } else { "T, E" };
            self.error(code::UNKNOWN_TYPE, ty.span, format!("`{last}` needs the types of its values"))
                .help(format!("write `{last}<{arguments}>`"));
            return;
        }
        if let Some((name, instead)) = UNSUPPORTED_TYPES.iter().find(|(name, _)| *name == last) {
            self.error(code::UNKNOWN_TYPE, ty.span, format!("type `{name}` is not available in kernels yet"))
                .help(*instead);
            return;
        }
        if let Some(instead) = crate::builtin::foreign::ty(&last) {
            self.error(code::UNKNOWN_TYPE, ty.span, format!("type `{last}` is not available in kernels")).help(instead);
            return;
        }
        let program = self.program;
        let structs = program.items[self.item]
            .uses
            .iter()
            .filter(|(_, item)| matches!(program.items[**item].item, Item::Struct(_) | Item::Enum(_)))
            .map(|(name, _)| name.as_str());
        let suggestion = nearest(&last, BUILTIN_TYPES.iter().copied().chain(structs));
        let message = format!("cannot find type `{}` in this scope", path.text());
        let error = self.error(code::UNKNOWN_TYPE, ty.span, message);
        match suggestion {
            Some(name) => error.help(format!("a type with a similar name exists: `{name}`")),
            None => error.help("a struct needs `#[derive(GpuData)]` to be used in kernels, an enum `#[device]`"),
        };
    }

    /// The value of an array's length; reports when there is none.
    pub(super) fn array_len(&mut self, len: &'a Expr) -> Option<Len> {
        if self.report_narrow_len(len) {
            return None;
        }
        let outer = (std::mem::replace(&mut self.constant, true), self.diverges);
        let before = self.diags.len();
        self.check(len, &Term::USIZE, Because::ArrayLength);
        (self.constant, self.diverges) = outer;
        if self.diags.len() > before {
            return None;
        }
        if self.table.is_poisoned(&self.term(len)) || self.depends_on_param(len) {
            return Some(Len::Unknown);
        }
        let value = match self.chosen(len) {
            Some(number) => Len::Chosen(number),
            None => match self.evaluate(len)? {
                ConstValue::U32(value) => Len::Known(value),
                _ => return None,
            },
        };
        self.tables.lens.insert(len.id, value);
        Some(value)
    }
}

/// The kind of an item, for messages.
pub(super) fn kind_of(item: &Item) -> &'static str {
    match item {
        Item::Fn(_) => "function",
        Item::Struct(_) => "struct",
        Item::Enum(_) => "enum",
        Item::Const(_) => "const",
        Item::Impl(_) => "impl",
        Item::Trait(_) => "trait",
        Item::Alias(_) => "type alias",
    }
}
