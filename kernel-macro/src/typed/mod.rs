//! The results of inference: the type of every expression and binding, and the meaning of every name.

mod callee;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use gridwise_ir::arena::EntityId;
use gridwise_ir::float16;
use gridwise_ir::hash::FastMap;
use gridwise_ir::types::CoopRole;

use crate::ast::{BindingId, Closure, Expr, ExprId, ExprKind, Item, ScalarName, SpanRange};
use crate::builtin::image::ImageTy;
use crate::program::{Binding, ItemId};

pub(crate) use callee::{Callee, ChoiceMethod, Comparison, CoopCall, Cut, MemoryFunction, RangeMethod};

/// The errors of conversions of Rust's library. None of them has a value on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ConversionError {
    /// Of an integer.
    Int,
    /// Of a slice to an array.
    Slice,
    /// Of a conversion that always succeeds.
    Never,
}

impl ConversionError {
    /// Those that signatures may name.
    pub(crate) const NAMED: [Self; 2] = [Self::Int, Self::Slice];

    /// The type's name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Int => "TryFromIntError",
            Self::Slice => "TryFromSliceError",
            Self::Never => "Infallible",
        }
    }

    /// The module of `core` that it is in.
    pub(crate) const fn module(self) -> &'static str {
        match self {
            Self::Int => "num",
            Self::Slice => "array",
            Self::Never => "convert",
        }
    }
}

/// A type of the kernel language, fully known.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Ty {
    Unit,
    Scalar(ScalarName),
    /// glam's `Vec3` (`F32`, 3), `UVec2`, `IVec4`, `BVec3`, …; the scalar is never `Usize`.
    Vector(ScalarName, u8),
    /// glam's `Mat2`, `Mat3`, `Mat4`: so many columns of as many `f32`.
    Matrix(u8),
    /// glam's `Quat`.
    Quat,
    Array(Rc<Ty>, Len),
    /// Never empty.
    Tuple(Rc<[Ty]>),
    Struct(ItemId, TyArgs),
    /// The type of the closure at an expression of a function.
    Closure(ItemId, ExprId),
    /// The value of a const parameter: only as a generic argument.
    Const(i128),
    /// The kernel's const parameter with this number, as a generic argument: its value is chosen for each launch.
    Chosen(u32),
    /// A `#[device] enum`.
    Enum(ItemId, TyArgs),
    /// A generic parameter of the struct or enum around, by its position: only in what a definition says of its members.
    Param(u32),
    Option(Rc<Ty>),
    Result(Rc<Ty>, Rc<Ty>),
    /// `core::cmp::Ordering`
    Ordering,
    /// The error of a conversion.
    ConversionError(ConversionError),
    /// `core::ops::Range` of a number, or `RangeInclusive` if the flag says so.
    Range(Rc<Ty>, bool),
    /// An iterator over elements of a type: of a chain that something consumes at once.
    Iterator(Rc<Ty>),
    /// A parameter `&[T]` or `&mut [T]`, or a variable that names a part of one.
    Buffer {
        element: Rc<Ty>,
        mutable: bool,
        /// The call, for a result of `windows`, `chunks` and `split_at`. These are values, which know where they begin and how
        /// long they are; what they are parts of is known by the call.
        origin: Option<ExprId>,
    },
    /// A kernel parameter that is an image.
    Image(ImageTy),
    /// A variable of the workgroup: `Shared<T>`.
    Shared(Rc<Ty>),
    /// `Atomic<T>`
    Atomic(ScalarName),
    /// `CoopMatrix<T, U, R, C>`
    Coop(CoopTy),
    /// The type of `break`, `continue`, `return`, endless loops.
    Never,
    /// Reported already, or, in a generic function as written, unknown: silences everything that follows from it.
    Error,
}

impl Ty {
    /// The type of the elements of a slice that has a name: for a list of buffers, that of a buffer.
    pub(crate) fn slice_element(&self) -> Option<&Self> {
        match self {
            Self::Buffer { element, origin: None, .. } => Some(element),
            _ => None,
        }
    }

    /// Whether a part of it depends on the parameters of a generic item as written.
    pub(crate) fn is_open(&self) -> bool {
        match self {
            Self::Error => true,
            Self::Array(value, _) | Self::Option(value) | Self::Range(value, _) => value.is_open(),
            Self::Result(value, error) => value.is_open() || error.is_open(),
            Self::Tuple(members) => members.iter().any(Self::is_open),
            Self::Struct(_, Some(args)) | Self::Enum(_, Some(args)) => args.iter().any(Self::is_open),
            _ => false,
        }
    }

    /// Whether the parameter of the struct or enum around with this position is in it.
    pub(crate) fn names_param(&self, position: u32) -> bool {
        match self {
            Self::Param(own) => *own == position,
            Self::Array(value, _) | Self::Option(value) | Self::Range(value, _) => value.names_param(position),
            Self::Buffer { element, .. } => element.names_param(position),
            Self::Result(value, error) => value.names_param(position) || error.names_param(position),
            Self::Tuple(members) => members.iter().any(|member| member.names_param(position)),
            Self::Struct(_, Some(args)) | Self::Enum(_, Some(args)) => args.iter().any(|arg| arg.names_param(position)),
            _ => false,
        }
    }

    /// Whether it is a list of buffers or images.
    pub(crate) fn is_list(&self) -> bool {
        self.slice_element().is_some_and(|member| matches!(member, Self::Buffer { origin: None, .. } | Self::Image(_)))
    }
}

/// The type of a matrix of a subgroup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CoopTy {
    pub(crate) scalar: ScalarName,
    pub(crate) role: CoopRole,
    pub(crate) rows: u32,
    pub(crate) columns: u32,
}

/// The values of the parameters of a generic struct or enum, in their order; `None` without parameters.
pub(crate) type TyArgs = Option<Rc<[Ty]>>;

/// The length of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Len {
    Known(u32),
    /// A const parameter of the struct or enum around, by its position.
    Param(u32),
    /// The kernel's const parameter with this number, which is at least 1.
    Chosen(u32),
    /// It depends on a const parameter of a generic function as written.
    Unknown,
}

impl From<u32> for Len {
    fn from(len: u32) -> Self {
        Self::Known(len)
    }
}

impl Len {
    /// The number, unless the launch decides it.
    pub(crate) fn known(self) -> Option<u32> {
        match self {
            Self::Known(len) => Some(len),
            Self::Param(_) | Self::Chosen(_) | Self::Unknown => None,
        }
    }

    /// Whether two lengths may be the same.
    pub(crate) fn fits(self, other: Self) -> bool {
        self == other || self == Self::Unknown || other == Self::Unknown
    }
}

/// The tables of one function. Indexed by `ExprId` and `BindingId` of its tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct TypedFn {
    /// Type of each expression (of a place expression: the type of what it names).
    pub(crate) exprs: Vec<Ty>,
    /// Type of each binding.
    pub(crate) bindings: Vec<Ty>,
    /// The parameters' types in order.
    pub(crate) params: Vec<Ty>,
    /// The result's type.
    pub(crate) result: Option<Ty>,
    /// The meaning of each `ExprKind::Path`.
    pub(crate) paths: FastMap<ExprId, Resolution>,
    /// The callee of each `ExprKind::Call` and `ExprKind::Method`.
    pub(crate) calls: FastMap<ExprId, Callee>,
    /// For `ExprKind::Field`: the member's position.
    pub(crate) fields: FastMap<ExprId, u32>,
    /// For `ExprKind::Struct`, also of variants, and `Pattern::Struct`: for each written field its position in the
    /// definition.
    pub(crate) structs: FastMap<ExprId, Vec<u32>>,
    /// The paths that name consts which are slices, `&[T]`: here they are arrays, which references lead to.
    pub(crate) tables: BTreeSet<ExprId>,
    /// The paths that name limits of `usize` and `isize`, `usize::MAX`, and consts that are such a limit: the host has other ones.
    pub(crate) host_sized: BTreeSet<ExprId>,
    /// For paths, calls, struct literals and patterns that name a variant: its position in the enum.
    pub(crate) variants: FastMap<ExprId, u32>,
    /// For `Break` and `Continue`: the loop (or labelled block) they name, by its expression.
    pub(crate) targets: FastMap<ExprId, ExprId>,
    /// For `ExprKind::Repeat`, and for array types in casts or lets: evaluated lengths by the length expression's id.
    pub(crate) lens: FastMap<ExprId, Len>,
    /// The closures, by their expression.
    pub(crate) closures: BTreeMap<ExprId, TypedClosure>,
    /// For each expression inside of closures: the innermost of them.
    pub(crate) inside: FastMap<ExprId, ExprId>,
    /// Calls of methods of `usize` and `isize`, which have other numbers of bits on the host.
    pub(crate) sized: Vec<ExprId>,
    /// Calls of methods that take a slice, of arrays that do not say that they become one.
    pub(crate) bare_slices: Vec<ExprId>,
    /// Calls and operators that write their first operand: `&mut self`.
    pub(crate) writes: BTreeSet<ExprId>,
    /// The functions of `impl`s that an expression leads to without naming them, by way of the members of its type.
    pub(crate) implied: FastMap<ExprId, Vec<ItemId>>,
    /// Values with an `impl Iterator` that are gone through, and its `next`.
    pub(crate) own_iterators: FastMap<ExprId, ItemId>,
    /// The calls whose callee is generic, in order.
    pub(crate) requests: Vec<InstanceRequest>,
    /// Of a function that gives an iterator: what callers must know of it.
    pub(crate) given_iterator: Option<GivenIterator>,
    /// The calls of `Shared::new`, in order, with the variable that each makes when it stands alone after a `let`.
    pub(crate) shared: Vec<SharedUse>,
    /// The variables that are references, and whether they write.
    pub(crate) references: BTreeMap<BindingId, bool>,
    /// The variables that are slices, and other slices of the same elements later.
    pub(crate) moving: BTreeSet<BindingId>,
    /// Arguments that are values here and references in Rust: what an iterator lends, and `self`.
    pub(crate) lent: BTreeSet<ExprId>,
    /// `self` of methods that take it by reference, where it stands for the value in a tuple.
    pub(crate) copied_self: BTreeSet<ExprId>,
    /// Calls of unknown methods with which a function ends that gives references: they may give these, and values are wanted.
    pub(crate) open_ends: BTreeSet<ExprId>,
    /// The parameter that the slice is a part of which the function gives, where it is always one.
    pub(crate) given_param: Option<usize>,
    /// The expressions with which a function ends that gives a slice, and those with which the value of a variable ends that is one of
    /// several slices, with what the variable knows its slice by.
    pub(crate) given_slices: FastMap<ExprId, Option<ExprId>>,
    /// Slices that structs hold and that are perhaps not all elements of the variable that they are parts of.
    pub(crate) cut_origins: BTreeSet<ExprId>,
    /// Slices that become members of structs to be written there.
    pub(crate) held_writes: BTreeSet<ExprId>,
    /// Slices that calls, patterns and structs know, by the variable whose elements they have.
    pub(crate) origin_roots: BTreeMap<ExprId, BindingId>,
    /// References that patterns take apart: the places are, here.
    pub(crate) taken_apart: BTreeSet<ExprId>,
    /// Places whose parts patterns name to write them, and whether that is by way of a reference, or else by `ref mut`.
    pub(crate) written_apart: BTreeMap<ExprId, bool>,
    /// Slices that patterns take apart, by the whole value, with the types of slices that calls made.
    pub(crate) sliced: FastMap<ExprId, Ty>,
    /// In a generic function as written: variables of unknown type that hold values here and perhaps references in Rust.
    pub(crate) values: BTreeSet<BindingId>,
    /// Whether it has something that Rust makes references of: what `iter()` goes through, what `filter` hands over.
    pub(crate) has_references: bool,
    /// The `ExprKind::OptionPlace` and `Statement::OptionPlace` that look for elements of slices and arrays.
    pub(crate) option_places: BTreeSet<ExprId>,
    /// The `for` loops whose elements are written.
    pub(crate) written_loops: BTreeSet<ExprId>,
    /// The buffer parameters that hold atomics somewhere.
    pub(crate) atomic_buffers: Vec<BindingId>,
}

/// A closure of one function.
#[derive(Debug, Clone)]
pub(crate) struct TypedClosure {
    pub(crate) closure: Rc<Closure>,
    pub(crate) params: Vec<Ty>,
    /// For each of them, whether it is a reference, and then whether it is written through.
    pub(crate) references: Vec<Option<bool>>,
    pub(crate) result: Ty,
    /// Variables of the function that it names, in order.
    pub(crate) captures: Vec<BindingId>,
    /// Whether a `return` or `?` leaves it.
    pub(crate) returns: bool,
    /// Whether it runs where it stands.
    pub(crate) inline: bool,
    /// Whether Rust hands references to its parameters where there are values here.
    pub(crate) lent: bool,
    /// Whether its first parameter is a reference to a state that it changes.
    pub(crate) has_state: bool,
}

/// A call of a generic function, with what its parameters stand for there.
#[derive(Debug, Clone)]
pub(crate) struct InstanceRequest {
    /// The call.
    pub(crate) expr: ExprId,
    pub(crate) span: SpanRange,
    pub(crate) item: ItemId,
    pub(crate) bindings: Vec<Binding>,
}

/// A call of `Shared::new`.
#[derive(Debug, Clone)]
pub(crate) struct SharedUse {
    pub(crate) expr: ExprId,
    pub(crate) span: SpanRange,
    pub(crate) binding: Option<BindingId>,
}

/// The tables of a const item: its type, its value folded to literals.
#[derive(Debug, Clone)]
pub(crate) struct TypedConst {
    pub(crate) ty: Ty,
    pub(crate) value: ConstValue,
    /// Whether it is `usize::MAX`, which is another number on the host.
    pub(crate) is_host_sized: bool,
}

/// A compile-time value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ConstValue {
    Bool(bool),
    I32(i32),
    /// Also `usize`, which is 32 bits on the device.
    U32(u32),
    F32(f32),
    /// An integer of another type.
    Int(ScalarName, i128),
    /// `f64`, `f16` or `bf16`, of which each value is an `f64` too.
    Float(ScalarName, f64),
    /// Vector, array, tuple or struct, by its members in order.
    Aggregate(Vec<ConstValue>),
    /// Variant of an enum by its position, and its members in order.
    Variant(u32, Vec<ConstValue>),
}

/// The meaning of a path expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Resolution {
    Binding(BindingId),
    /// A variant without members, which is in the table of variants, or a struct without any.
    Unit,
    /// A `#[device] const`.
    Const(ItemId),
    /// A const parameter of a generic function as written.
    Param,
    /// The kernel's const parameter with this number.
    Chosen(u32),
    /// A constant of a built-in type or of core: `u32::MAX`, `Vec3::ZERO`, `std::f32::consts::PI`, …, already evaluated.
    Value(ConstValue),
}

/// The chain that a function gives or is passed, as far as it decides which chains may go on with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GivenIterator {
    /// Whether it calls closures.
    pub(crate) has_closure: bool,
    /// Whether Rust's library reaches its elements by position where it is zipped.
    pub(crate) is_by_position: bool,
    /// Whether Rust's library may know how many elements it has.
    pub(crate) knows_length: bool,
    /// Whether it takes elements out of something that has given some before.
    pub(crate) draws: bool,
    /// Whether it goes through an array by value.
    pub(crate) owns_array: bool,
    /// Whether it has a loop within a loop.
    pub(crate) is_nested: bool,
    /// Whether a `let mut` variable cannot hold it.
    pub(crate) moves_on_by_loops: bool,
}

impl ConstValue {
    /// An integer; `None` when the type does not hold it.
    pub(crate) fn int(scalar: ScalarName, value: i128) -> Option<Self> {
        let (min, max) = scalar.limits();
        let fits = (min..=max).contains(&value);
        fits.then_some(match scalar {
            ScalarName::I32 => Self::I32(value as i32),
            ScalarName::U32 | ScalarName::Usize => Self::U32(value as u32),
            _ => Self::Int(scalar, value),
        })
    }

    /// The integer with the lower bits of `value`, as `as` gives it.
    pub(crate) fn wrapped(scalar: ScalarName, value: i128) -> Self {
        let above = 128 - scalar.bits();
        let value = value << above;
        let value = if scalar.is_signed() { value >> above } else { (value as u128 >> above) as i128 };
        Self::int(scalar, value).unwrap_or(Self::Int(scalar, value))
    }

    /// The number, if it is an integer.
    pub(crate) fn as_int(&self) -> Option<i128> {
        match *self {
            Self::I32(value) => Some(value.into()),
            Self::U32(value) => Some(value.into()),
            Self::Int(_, value) => Some(value),
            _ => None,
        }
    }

    /// A float, rounded to the type.
    pub(crate) fn float(scalar: ScalarName, value: f64) -> Self {
        match scalar {
            ScalarName::F32 => Self::F32(value as f32),
            ScalarName::F16 => {
                Self::Float(scalar, float16::f16_to_f32(float16::f32_to_f16(float16::round_to_odd(value))).into())
            }
            ScalarName::Bf16 => {
                Self::Float(scalar, float16::bf16_to_f32(float16::f32_to_bf16(float16::round_to_odd(value))).into())
            }
            _ => Self::Float(scalar, value),
        }
    }

    /// The number, if it is a float.
    pub(crate) fn as_float(&self) -> Option<f64> {
        match *self {
            Self::F32(value) => Some(value.into()),
            Self::Float(_, value) => Some(value),
            _ => None,
        }
    }

    /// The type of a scalar; `usize` is `u32` here.
    pub(crate) fn scalar(&self) -> Option<ScalarName> {
        Some(match self {
            Self::Bool(_) => ScalarName::Bool,
            Self::I32(_) => ScalarName::I32,
            Self::U32(_) => ScalarName::U32,
            Self::F32(_) => ScalarName::F32,
            Self::Int(scalar, _) | Self::Float(scalar, _) => *scalar,
            Self::Aggregate(_) | Self::Variant(..) => return None,
        })
    }
}

/// The first number of expressions and variables that nobody wrote.
pub(crate) const UNWRITTEN: usize = 1 << 28;

impl TypedFn {
    /// Whether slices with a number are those that structs hold.
    pub(crate) fn is_held_origin(&self, origin: ExprId) -> bool {
        origin.index() >= UNWRITTEN
    }

    /// Type of an expression.
    pub(crate) fn ty(&self, id: ExprId) -> &Ty {
        &self.exprs[id.index()]
    }

    /// An argument as inference took it: a path where a method wants something to call is a closure that calls it.
    pub(crate) fn argument<'e>(&self, method: &'e Expr, position: usize, arg: &'e Expr) -> &'e Expr {
        let ExprKind::Method { functions, .. } = &method.kind else { return arg };
        let function = functions.iter().find(|function| function.position == position);
        let mut closures = function.into_iter().flat_map(|function| &function.closures);
        closures.find(|closure| self.closures.contains_key(&closure.id)).unwrap_or(arg)
    }

    /// Whether an expression is a reference: `&x`, or a variable that is one.
    pub(crate) fn is_reference(&self, expr: &Expr) -> bool {
        match (&expr.kind, self.paths.get(&expr.id)) {
            (ExprKind::Paren(inner, ..), _) => self.is_reference(inner),
            (ExprKind::Borrow { .. }, _) => true,
            (_, Some(Resolution::Binding(binding))) => self.references.contains_key(binding),
            _ => false,
        }
    }

    /// The slice variable that an expression names, if it changes.
    pub(crate) fn moving_slice(&self, target: &Expr) -> Option<BindingId> {
        match (&target.kind, self.paths.get(&target.id)) {
            (ExprKind::Paren(inner, ..), _) => self.moving_slice(inner),
            (_, Some(Resolution::Binding(binding))) => self.moving.get(binding).copied(),
            _ => None,
        }
    }

    /// The whole of which an expression is a part, and the part: `x[a..b]`, or `x[range]`.
    pub(crate) fn cut<'e>(&self, expr: &'e Expr) -> Option<(&'e Expr, Cut<'e>)> {
        match &expr.kind {
            ExprKind::Slice { base, start, end, inclusive } => {
                Some((base, Cut::Ends(start.as_deref(), end.as_deref(), *inclusive)))
            }
            ExprKind::Index { base, index } if matches!(self.ty(index.id), Ty::Range(..)) => {
                Some((base, Cut::Range(index)))
            }
            _ => None,
        }
    }

    /// The function of a method call whose result is a `&mut` reference: the call is the place that it leads to.
    pub(crate) fn place_call(&self, program: &crate::program::Program, call: &Expr) -> Option<ItemId> {
        let (ExprKind::Method { .. }, Some(Callee::Device(item))) = (&call.kind, self.calls.get(&call.id)) else {
            return None;
        };
        let gives = matches!(&program.items[*item].item, Item::Fn(function) if function.gives_written_place());
        gives.then_some(*item)
    }

    /// The functions that it calls, named or not.
    pub(crate) fn callees(&self) -> impl Iterator<Item = ItemId> {
        let called = self.calls.values().filter_map(|callee| match callee {
            Callee::Device(item) => Some(*item),
            _ => None,
        });
        called.chain(self.implied.values().flatten().copied()).chain(self.own_iterators.values().copied())
    }

    /// Type of a binding.
    pub(crate) fn binding(&self, id: BindingId) -> &Ty {
        &self.bindings[id.index()]
    }
}

impl Ty {
    pub(crate) const BOOL: Self = Self::Scalar(ScalarName::Bool);
    pub(crate) const I32: Self = Self::Scalar(ScalarName::I32);
    pub(crate) const U32: Self = Self::Scalar(ScalarName::U32);
    pub(crate) const USIZE: Self = Self::Scalar(ScalarName::Usize);
    pub(crate) const F32: Self = Self::Scalar(ScalarName::F32);

    /// The type with arguments for the parameters of the definition that it stands in.
    pub(crate) fn applied(&self, args: &[Self]) -> Self {
        let inner = |ty: &Rc<Self>| Rc::new(ty.applied(args));
        let all = |list: &TyArgs| list.as_ref().map(|list| list.iter().map(|ty| ty.applied(args)).collect());
        match self {
            Self::Param(position) => args.get(*position as usize).cloned().unwrap_or(Self::Error),
            Self::Array(element, len) => {
                let len = match len {
                    Len::Param(position) => match args.get(*position as usize) {
                        Some(Self::Const(len)) => Len::Known(u32::try_from(*len).unwrap_or(u32::MAX)),
                        Some(Self::Chosen(number)) => Len::Chosen(*number),
                        _ if element.applied(args).is_open() => return Self::Error,
                        _ => Len::Unknown,
                    },
                    other => *other,
                };
                Self::Array(inner(element), len)
            }
            Self::Tuple(members) => Self::Tuple(members.iter().map(|member| member.applied(args)).collect()),
            Self::Struct(item, own) => Self::Struct(*item, all(own)),
            Self::Enum(item, own) => Self::Enum(*item, all(own)),
            Self::Option(value) => Self::Option(inner(value)),
            Self::Result(value, error) => Self::Result(inner(value), inner(error)),
            Self::Range(value, inclusive) => Self::Range(inner(value), *inclusive),
            Self::Buffer { element, mutable, origin } => {
                Self::Buffer { element: inner(element), mutable: *mutable, origin: *origin }
            }
            other => other.clone(),
        }
    }

    /// Whether it is an unsigned integer, which can index.
    pub(crate) fn is_unsigned(&self) -> bool {
        matches!(self, Self::Scalar(scalar) if scalar.is_unsigned())
    }
}
